"""Answers with the results that they are about, from the TOML files of `tests/data`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from course_lib.college.rows import Rows

DATA = Path(__file__).parents[1] / "data"


@dataclass(frozen=True)
class AnswerCase:
    """An answer to a result, and what is made up in it; nothing where it is true."""

    answer: str
    question: str
    cypher: str
    rows: Rows
    made_up: str
    needs_query: bool

    def __str__(self) -> str:
        return f"{self.made_up or 'true'}: {' '.join(self.answer.split())[:70]}"


def read_cases(name: str) -> list[AnswerCase]:
    """The answers of one file.

    Args:
        name: the file's name, without its ending.
    """
    with (DATA / f"{name}.toml").open("rb") as file:
        data = tomllib.load(file)
    found = []
    for case in data["case"]:
        result = data["result"][case["result"]]
        made_up = case.get("made_up", "")
        found.append(
            AnswerCase(
                answer=case["answer"],
                question=result["question"],
                cypher=result["cypher"],
                rows=Rows(result["columns"], result["rows"]),
                made_up=made_up,
                needs_query=case.get("needs") == "query" or made_up in ("reading", "arrow"),
            )
        )
    return found
