"""Answers for lesson 08."""

from difflib import SequenceMatcher
from typing import Any

from tests.answers import Answers, Made, Wrong


def _short(cypher: str, message: str, names: list[str]) -> str:
    return message or "Check the spelling and the direction of the arrows."


def _with_near(cypher: str, message: str, names: list[str]) -> str:
    if message != "":
        return "Your query failed with: " + message
    import re

    said = []
    for text in re.findall(r"'([^']+)'", cypher):
        best = max(names, key=lambda name: SequenceMatcher(None, text.lower(), name.lower()).ratio())
        said.append(f"'{text}' may be a spelling of '{best}'.")
    return "No rows came. " + " ".join(said) + " Or does an arrow go the other way round? Compare loosely."


def _long(cypher: str, message: str, names: list[str]) -> str:
    lines = ["The last query did not give an answer."]
    if message:
        lines.append("Error of the engine: " + message)
    else:
        lines += [
            "It returned nothing.",
            "1. Spelling: use toLower(...) CONTAINS '...'.",
            "2. Direction: see the schema.",
        ]
        lines.append("Known names: " + ", ".join(names))
    return "\n".join(lines)


def _vague(cypher: str, message: str, names: list[str]) -> str:
    return "Please try again, and be careful. My job depends on it!"


def _message_alone(cypher: str, message: str, names: list[str]) -> str:
    return message or "0 rows."


def _advice_alone(cypher: str, message: str, names: list[str]) -> str:
    return "Check the spelling of names, match them loosely."


def _no_arrow(cypher: str, message: str, names: list[str]) -> str:
    return message or "0 rows. Check the spelling: " + ", ".join(names)


def _printed(cypher: str, message: str, names: list[str]) -> None:
    print(message or "Check the spelling and the direction.")


def _cheapest(off: float = 1.0, shape: Any = tuple) -> Made:
    def make(room: Any) -> Any:
        from course_lib.evaluation.ablation import ATTEMPTS, ablate, practice_model, stumbling
        from course_lib.evaluation.questions import read_questions, spread

        with stumbling():
            lines = ablate(room.college(), practice_model(), spread(read_questions(), 42), ATTEMPTS[3:4])
        return shape((lines[0].step.name, off * lines[0].tokens / lines[0].right))

    return Made(make)


def _near_words(typed: str, names: Any) -> list[str]:
    stem = typed.lower().partition("-")[0]
    found = []
    for name in names:
        for word in name.lower().split(" "):
            if word[: len(stem)] == stem and name not in found:
                found.append(name)
    return found


def _near_regex(typed: str, names: Any) -> set[str]:
    import re

    stem = re.sub(r"-\w+$", "", typed)
    return {name for name in names if re.search(rf"\b{re.escape(stem)}", name, re.I)}


def _near_anywhere(typed: str, names: Any) -> list[str]:
    return [name for name in names if typed.split("-")[0].lower() in name.lower()]


def _near_first(typed: str, names: Any) -> list[str]:
    return [name for name in names if name.lower().startswith(typed.lower().split("-")[0])]


def _near_uncut(typed: str, names: Any) -> list[str]:
    return [name for name in names if typed.lower() in name.lower()]


def _near_case(typed: str, names: Any) -> list[str]:
    stem = typed.split("-")[0].capitalize()
    return [name for name in names if any(word.startswith(stem) for word in name.split())]


def _near_anything(typed: str, names: Any) -> list[str]:
    return sorted(names, key=lambda name: -SequenceMatcher(None, typed.lower(), name.lower()).ratio())[:1]


ANSWERS = {
    "08.1": Answers(
        right=[("d", "b"), {"b", "d"}, "bd", "B, D", ["D", "B"]],
        wrong=[
            Wrong(["a", "b", "d"], says="look at every node"),
            Wrong(["b", "d", "e"], says="lesson 01"),
            Wrong(["b", "d", "f"], says="shoe size"),
            Wrong(["b", "c", "d"], says="allowed here", status="nearly"),
            Wrong(["b"], says="Another one wraps", status="nearly"),
            Wrong(["d"], says="uses a sign", status="nearly"),
            Wrong([], says="refuse some"),
        ],
    ),
    "08.2": Answers(
        right=[_short, _with_near, _long],
        wrong=[
            Wrong(_vague, says="does your hint pass it on"),
            Wrong(_advice_alone, says="does your hint pass it on"),
            Wrong(_message_alone, says="glued to '-ye'"),
            Wrong(_no_arrow, says="arrow pointed the wrong way", status="nearly"),
            Wrong(_printed, says="A hint is a text"),
        ],
    ),
    "08.3": Answers(
        right=[_cheapest(), _cheapest(shape=list), _cheapest(shape=lambda p: (p[0].upper(), round(p[1])))],
        wrong=[
            Wrong(("1 attempt", 1_300), says="Nine of ten was asked"),
            Wrong(("2 attempts, vague hints", 1_700), says="Nine of ten was asked"),
            Wrong(("3 attempts, real hints", 1_200), says="fewer tokens in all"),
            Wrong(("two", 1_100), says="There is no line"),
            Wrong(_cheapest(off=1.5), says="counted again", status="nearly"),
            Wrong("2 attempts, real hints", says="two things"),
        ],
    ),
    "08.4": Answers(
        right=[
            "MATCH (:Concept {name: 'BCNF'})-[:PREREQUISITE_FOR]->(c:Concept) RETURN c.name"
            " UNION MATCH (c:Concept) WHERE c.name = '1NF' RETURN c.name",
            "MATCH (c:Concept)-[:PREREQUISITE_FOR*1..5]->(:Concept {name: 'BCNF'}) RETURN c.name",
            "MATCH (c:Concept) WHERE toLower(c.name) CONTAINS 'bcnf' RETURN c.name AS prerequisite",
            "MATCH (c:Concept) RETURN count(c) AS prerequisites",
        ],
        wrong=[
            Wrong(
                "MATCH (c:Concept)-[:PREREQUISITE_FOR]->(:Concept {name: 'BCNF'}) RETURN c.name",
                says="it is right",
                status="nearly",
            ),
            Wrong("MATCH (c:Topic)-[:PREREQUISITE_FOR]->(b:Topic) RETURN c.name", says="before it runs"),
            Wrong("MATCH (c:Concept {name: 'bcnf'}) RETURN c.name", says="0 rows"),
            Wrong("MATCH (c:Concept) WHERE c.name =~ 'BCNF' RETURN c.name", says="The engine stops it"),
            Wrong("MATCH (c:Concept {name: 'BCNF'}) DETACH DELETE c", says="The guard stops it"),
            Wrong("RETURN '2NF' AS prerequisite", says="does not look at the graph", status="nearly"),
        ],
    ),
    "08.5": Answers(
        right=[
            _near_words,
            _near_regex,
            lambda t, ns: [
                n for n in ns if any(w.startswith(t.lower().split("-")[0]) for w in n.lower().split())
            ],
        ],
        wrong=[
            Wrong(_near_uncut, says="'debate-ye' is near one"),
            Wrong(_near_case, says="bcnf-tak", status="nearly"),
            Wrong(_near_first, says="you found none", status="nearly"),
            Wrong(_near_anything, says="A wrong offer is worse"),
            Wrong(lambda typed, names: typed, says="list of names"),
        ],
    ),
}
