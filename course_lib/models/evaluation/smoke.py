"""Ten quick questions that any model of use to the course should get right: does the line to it work at all?

It knows nothing of a graph engine: a query is looked at as text, and data as JSON. How well a model does in
the course's own tasks is for the sets that stand on them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from course_lib.models.evaluation.cases import Case, Model, QuestionSet, Verdict

CYPHER_PROMPT = """You translate questions about a graph into Cypher for FalkorDB.

# Schema
Nodes:
- Student {id: string, name: string, year: integer}
- Subject {code: string, name: string}
- Club {name: string}
Relationships:
- (Student)-[:STUDIES {grade: string}]->(Subject)
- (Student)-[:MEMBER_OF]->(Club)

# Values
- Student.name: Aarav, Payal, Rahul
- Subject.name: DBMS, DSA
- Club.name: Coding Club, Debate Society

# Rules
1. Reply with Cypher alone, no prose and no markdown.
2. Put a label on every node.
3. Match names loosely: toLower(x.name) CONTAINS 'name'.
"""
"""A schema prompt in the course's form, small enough to cost next to nothing."""

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
COLOURS = {
    "type": "object",
    "properties": {"colours": {"type": "array", "items": {"type": "string"}}},
    "required": ["colours"],
    "additionalProperties": False,
}

_QUERIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "students": ("Who studies DBMS?", (r":Student\b", r":STUDIES\b", r"dbms")),
    "clubs": ("Which clubs is Payal in?", (r":Club\b", r":MEMBER_OF\b", r"payal")),
    "count": ("How many students study DSA?", (r"count\s*\(", r":STUDIES\b", r"dsa")),
    "year": ("Which year is Rahul in?", (r"\.year\b", r"rahul")),
}
"""Case -> question, and what a query for it must have in it, whatever else it looks like."""

_DATA: Mapping[str, tuple[str, Mapping[str, Any], Callable[[Any], bool]]] = {
    "person": (
        "Meera is 34 years old. Give her name and age.",
        PERSON,
        lambda data: data == {"name": "Meera", "age": 34},
    ),
    "colours": (
        "Name the colours in this sentence: the red door beside the blue wall.",
        COLOURS,
        lambda data: sorted(colour.lower() for colour in data["colours"]) == ["blue", "red"],
    ),
    "no colours": (
        "Name the colours in this sentence: the door beside the wall.",
        COLOURS,
        lambda data: data["colours"] == [],
    ),
}

_WORDS: Mapping[str, tuple[str, str]] = {
    "one word": ("Reply with one word: ready", r"\W*ready\W*"),
    "sum": ("What is 17 + 25? Reply with the number alone.", r"\W*42\W*"),
    "script": ("Reply with the Hindi word for water, in Devanagari, and nothing else.", r"\W*(पानी|जल)\W*"),
}


def question_set() -> QuestionSet:
    """The ten questions."""
    cases = (
        *(Case(f"cypher: {name}", "cypher", text) for name, (text, _) in _QUERIES.items()),
        *(Case(f"json: {name}", "json", text) for name, (text, _, _) in _DATA.items()),
        *(Case(f"words: {name}", "words", text) for name, (text, _) in _WORDS.items()),
    )
    return QuestionSet("smoke", "Ten quick questions", cases, _answer)


def _answer(case: Case, model: Model) -> Verdict:
    name = case.id.partition(": ")[2]
    if case.category == "cypher":
        text = model.generate(f"# Question\n{case.text}", CYPHER_PROMPT).text
        return _judge_query(text, _QUERIES[name][1])
    if case.category == "json":
        _, schema, is_right = _DATA[name]
        data = model.generate(case.text, output_schema=schema).data
        return _judge_data(data, is_right)
    text = _without_thoughts(model.generate(case.text).text)
    right = re.fullmatch(_WORDS[name][1], text.strip(), re.IGNORECASE) is not None
    return Verdict(right, "" if right else _short(text))


def _judge_query(text: str, wanted: tuple[str, ...]) -> Verdict:
    query = _without_thoughts(text)
    if "```" in query:
        return Verdict(False, "in a markdown fence")
    if not re.match(r"\s*MATCH\b", query, re.IGNORECASE):
        return Verdict(False, f"no query: {_short(query)}")
    missing = [
        pattern for pattern in (*wanted, r"\bRETURN\b") if not re.search(pattern, query, re.IGNORECASE)
    ]
    return Verdict(not missing, f"without {', '.join(missing)}" if missing else "")


def _judge_data(data: Any, is_right: Callable[[Any], bool]) -> Verdict:
    try:
        right = is_right(data)
    except (KeyError, TypeError, AttributeError):
        right = False
    return Verdict(right, "" if right else _short(json.dumps(data, ensure_ascii=False)))


def _without_thoughts(text: str) -> str:
    return re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL).strip()


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:59] + "…")
