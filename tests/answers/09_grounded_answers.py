"""Answers for lesson 09."""

import re
from typing import Any

from tests.answers import Answers, Wrong


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _loop(answer: str, question: str, rows: Any, names: list[str]) -> set[str]:
    found = set()
    texts = [question] + [str(cell) for row in rows for cell in row]
    for name in names:
        pattern = re.compile(r"\b" + re.escape(name) + r"\b", re.I)
        if pattern.search(answer) and not any(pattern.search(text) for text in texts):
            found.add(name)
    return found


def _by_words(answer: str, question: str, rows: Any, names: list[str]) -> list[str]:
    def inside(name: str, text: str) -> bool:
        return " " + " ".join(_words(name)) + " " in " " + " ".join(_words(text)) + " "

    known = [question, *(str(value) for row in rows.to_dicts() for value in row.values())]
    return [n for n in names if inside(n, answer) and not any(inside(n, text) for text in known)]


def _removing(answer: str, question: str, rows: Any, names: list[str]) -> list[str]:
    left = []
    for name in names:
        if re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", answer):
            left.append(name)
    for text in (question, *(str(cell) for row in rows for cell in row)):
        left = [name for name in left if not re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", text)]
    return left


def _by_in(answer: str, question: str, rows: Any, names: list[str]) -> list[str]:
    known = (question + " " + " ".join(str(c) for row in rows for c in row)).lower()
    return [name for name in names if name.lower() in answer.lower() and name.lower() not in known]


def _case(answer: str, question: str, rows: Any, names: list[str]) -> list[str]:
    known = question + "|" + "|".join(str(c) for row in rows for c in row)
    return [n for n in names if re.search(rf"\b{n}\b", answer) and not re.search(rf"\b{n}\b", known)]


def _no_question(answer: str, question: str, rows: Any, names: list[str]) -> list[str]:
    known = "|".join(str(c) for row in rows for c in row)
    return [n for n in names if re.search(rf"(?i)\b{n}\b", answer) and not re.search(rf"(?i)\b{n}\b", known)]


def _no_rows(answer: str, question: str, rows: Any, names: list[str]) -> list[str]:
    return [
        n for n in names if re.search(rf"(?i)\b{n}\b", answer) and not re.search(rf"(?i)\b{n}\b", question)
    ]


def _truth(answer: str, question: str, rows: Any, names: list[str]) -> bool:
    return bool(_loop(answer, question, rows, names))


def _librarys(answer: str, question: str, rows: Any, names: list[str]) -> Any:
    from course_lib.college.grounding import check_grounding

    return check_grounding(answer, question, rows).problems


def _sets(claims: Any, rows: Any) -> list[Any]:
    return [pair for pair in claims if not any(set(pair) <= set(row) for row in rows)]


def _nested(claims: Any, rows: Any) -> list[Any]:
    wrong = []
    for one, two in claims:
        for row in rows:
            if one in row and two in row:
                break
        else:
            wrong.append((one, two))
    return wrong


def _by_dicts(claims: Any, rows: Any) -> list[Any]:
    return [(a, b) for a, b in claims if not [r for r in rows.to_dicts() if {a, b} <= set(r.values())]]


def _last_row(claims: Any, rows: Any) -> list[Any]:
    return [(one, two) for one, two in claims if not all(one in row and two in row for row in rows)]


def _inverted(claims: Any, rows: Any) -> list[Any]:
    return [(one, two) for one, two in claims if any(one in row and two in row for row in rows)]


def _columns(claims: Any, rows: Any) -> list[Any]:
    return [(one, two) for one, two in claims if not any((one, two) == tuple(row[:2]) for row in rows)]


def _first_only(claims: Any, rows: Any) -> list[Any]:
    return [(one, two) for one, two in claims if not any(one in row for row in rows)]


def _lines(rows: Any) -> str:
    return "\n".join("- " + ", ".join(str(cell) for cell in row) for row in rows)


def _table(rows: Any) -> str:
    lines = [" | ".join(rows.columns)]
    lines += [" | ".join(str(cell) for cell in row) for row in rows]
    return "\n".join(lines)


def _sentence(rows: Any) -> str:
    said = []
    for row in rows.to_dicts():
        said.append(" and ".join(f"the {column} is {value}" for column, value in row.items()))
    return ". ".join(said) + "."


def _first(rows: Any) -> str:
    return ", ".join(str(cell) for cell in rows[0]) + "."


def _chatty(rows: Any) -> str:
    return _lines(rows) + "\nVikram says hello."


def _counted_wrong(rows: Any) -> str:
    return f"There are {len(rows) + 1} results: " + "; ".join(", ".join(map(str, row)) for row in rows)


ANSWERS = {
    "09.1": Answers(
        right=[("e", "b", "c"), {"b", "c", "e"}, "bce", ["B", "C", "E"]],
        wrong=[
            Wrong(["b", "c"], says="LIMIT 1", status="nearly"),
            Wrong(["b", "e"], says="sign by sign"),
            Wrong(["c", "e"], says="no ground"),
            Wrong(["a", "b", "c", "e"], says="are in the row"),
            Wrong(["b", "c", "d", "e"], says="takes the first"),
            Wrong([], says="Some of them do"),
        ],
    ),
    "09.2": Answers(
        right=[_loop, _by_words, _removing],
        wrong=[
            Wrong(_by_in, says="as a word of its own", status="nearly"),
            Wrong(_case, says="does not have them", status="nearly"),
            Wrong(_no_question, says="stands in the question"),
            Wrong(_no_rows, says="stands in a row"),
            Wrong(_truth, says="a list of names"),
            Wrong(lambda answer, question, rows, names: [], says="does not have them"),
            Wrong(_librarys, says="library's own"),
        ],
    ),
    "09.3": Answers(
        right=[_sets, _nested, _by_dicts],
        wrong=[
            Wrong(_last_row, says="a row does hold both"),
            Wrong(_inverted, says="a row does hold both"),
            Wrong(_columns, says="a row does hold both", status="nearly"),
            Wrong(_first_only, says="came through"),
            Wrong(lambda claims, rows: True, says="a list of pairs"),
        ],
    ),
    "09.4": Answers(
        right=[
            "Aarav has an A+, and Payal has an A.",
            "The best person to teach you DBMS is Aarav, followed by Payal.",
            "Payal and Aarav both have an A+ in DBMS.",
            "Only Aarav takes DBMS.",
        ],
        wrong=[
            Wrong("Vikram is a good choice.", says="stands nowhere", status="nearly"),
            Wrong("Sneha is a good choice, too.", says="would find 'Sneha'"),
            Wrong("Payal has an A+ and Aarav an A.", says="lets it pass"),
            Wrong("Payal does not take DBMS.", says="Without numbers"),
            Wrong("Payal plays the violin.", says="stands nowhere", status="nearly"),
            Wrong(["Aarav is best."], says="as a text"),
            Wrong("That is a good question.", says="nothing about the rows"),
        ],
    ),
    "09.5": Answers(
        right=[_lines, _table, _sentence],
        wrong=[
            Wrong(_first, says="is missing"),
            Wrong(_chatty, says="more than that", status="nearly"),
            Wrong(_counted_wrong, says="more than that", status="nearly"),
            Wrong(lambda rows: rows.to_dicts(), says="a text"),
        ],
    ),
}
