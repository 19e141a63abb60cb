"""Answers for lesson 14."""

import re
from typing import Any

from tests.answers import Answers, Wrong


def _alone_loop(found: list[str], uses: dict[str, Any]) -> int:
    number = 0
    for name in found:
        if len(set(uses[name])) == 1:
            number += 1
    return number


def _alone_filter(found: list[str], uses: dict[str, Any]) -> int:
    return len([name for name in found if not len(uses[name]) > 1])


def _alone_map(found: list[str], uses: dict[str, Any]) -> int:
    return list(map(len, map(uses.get, found))).count(1)  # type: ignore[arg-type]


def _shared(found: list[str], uses: dict[str, Any]) -> int:
    return sum(len(uses[name]) > 1 for name in found)


def _names_only(found: list[str], uses: dict[str, Any]) -> int:
    return len({name for name in found if len(uses[name]) == 1})


def _all_nodes(found: list[str], uses: dict[str, Any]) -> int:
    return sum(len(customers) == 1 for customers in uses.values())


_WORDS = {"groundnuts": "peanuts", "groundnut": "peanuts", "peanut": "peanuts", "moongphali": "peanuts"}


def _respell_split(text: str) -> str:
    return "".join(_WORDS.get(piece, piece) for piece in re.split(r"(\W+)", text))


def _respell_each(text: str) -> str:
    for word in _WORDS:
        text = re.sub(rf"\b{word}\b", "peanuts", text)
    return text


def _respell_case(text: str) -> str:
    return re.sub(r"\b(groundnuts?|peanuts?|moongphali)\b", "peanuts", text, flags=re.IGNORECASE)


def _careless(text: str) -> str:
    return text.replace("groundnut", "peanut").replace("peanut", "peanuts").replace("moongphali", "peanuts")


def _some(text: str) -> str:
    return re.sub(r"\bgroundnuts\b", "peanuts", text)


def _all_nuts(text: str) -> str:
    return re.sub(r"\w*nuts?\b", "peanuts", text)


def _nothing(text: str) -> None:
    text.replace("groundnuts", "peanuts")


ANSWERS = {
    "14.1": Answers(
        right=[
            "MATCH (a:Thing)-[r]->(b:Thing) WHERE lower(b.name) CONTAINS 'nut' OR lower(b.name) CONTAINS 'moong' RETURN b.name, count(*) AS n ORDER BY n DESC, b.name",
            "MATCH (n)<-[r]-() WITH n, count(r) AS arrows WHERE lower(n.name) =~ '.*(nut|moong).*' RETURN n.name AS thing, arrows ORDER BY arrows DESC;",
            "MATCH (a)-[r]->(b:Thing) WITH b.name AS name, count(r) AS c WHERE contains(lower(name), 'nut') OR contains(lower(name), 'moong') RETURN name, c, c * 2 AS extra ORDER BY c DESC",
        ],
        wrong=[
            Wrong(
                "MATCH (:Thing)-[r]->(t:Thing) WHERE t.name CONTAINS 'nut' OR t.name CONTAINS 'moong' RETURN t.name, count(r) AS n ORDER BY n DESC",
                says="capital",
                status="nearly",
            ),
            Wrong(
                "MATCH (:Thing)-[r]->(t:Thing) WHERE lower(t.name) CONTAINS 'nut' RETURN t.name, count(r) AS n ORDER BY n DESC",
                says="other word",
                status="nearly",
            ),
            Wrong(
                "MATCH (:Thing)-[r]->(t:Thing) WHERE lower(t.name) CONTAINS 'nut' OR lower(t.name) CONTAINS 'moong' RETURN t.name, count(r) AS n ORDER BY n",
                says="should come first",
                status="nearly",
            ),
            Wrong(
                "MATCH (:Thing)-[r]-(t:Thing) WHERE lower(t.name) CONTAINS 'nut' OR lower(t.name) CONTAINS 'moong' RETURN t.name, count(r) AS n ORDER BY n DESC",
                says="Which end of the arrow",
            ),
            Wrong("MATCH (t:Thing) RETURN t.nam", says="engine"),
            Wrong("MATCH (t:Thing) DETACH DELETE t", says="engine"),
            Wrong(["peanuts", "Peanut"], says="as a text in quotation marks"),
        ],
    ),
    "14.2": Answers(
        right=[["e", "d", "b", "a"], {"a", "b", "d", "e"}, "abde", ["A", "B", "D", "E"]],
        wrong=[
            Wrong(["a", "e"], says="what your colleague hopes"),
            Wrong(["a", "c", "e"], says="Those are the peanuts"),
            Wrong(["a", "b", "d"], says="there for a reason", status="nearly"),
            Wrong(["a", "b", "e"], says="hyphen", status="nearly"),
            Wrong(["a", "b", "c", "d", "e"], says="All but one", status="nearly"),
            Wrong(["c"], says="one by one"),
        ],
    ),
    "14.3": Answers(
        right=[_alone_loop, _alone_filter, _alone_map],
        wrong=[
            Wrong(_shared, says="only Tara's node"),
            Wrong(_names_only, says="Each of them counts", status="nearly"),
            Wrong(_all_nodes, says="only Tara's node"),
            Wrong(1, says="not a function"),
        ],
    ),
    "14.4": Answers(
        right=[_respell_split, _respell_each, _respell_case],
        wrong=[
            Wrong(_careless, says="peanutss", status="nearly"),
            Wrong(_some, says="still out there", status="nearly"),
            Wrong(_all_nuts, says="should stay as it is"),
            Wrong(_nothing, says="Does it return the text"),
            Wrong(lambda text: text.upper(), says="should stay as it is"),
        ],
    ),
}
