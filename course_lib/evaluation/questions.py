"""The question set of the college: read from `data/practice/questions.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from course_lib.errors import CourseError
from course_lib.settings import load_settings

Compare = Literal["rows", "ordered", "first", "sentinel", "refused"]
"""How a result is compared with the reference: as a set of rows, in order, by its first row alone; or it is
right when the question is turned down because the graph cannot answer it, or because it asks for a change."""


@dataclass(frozen=True)
class Question:
    """One question of the set, with its reference."""

    id: str
    lang: Literal["en", "hi"]
    """English or Hinglish."""
    category: str
    hops: int
    question: str
    reference: str
    """A query, written by hand, whose rows are right; empty where none can be."""
    compare: Compare = "rows"
    before: tuple[str, ...] = ()
    """What was asked before in the same conversation."""
    attempts: int = 1
    """At how many attempts the course tells it."""


class QuestionFileError(CourseError):
    """The file with the questions cannot be read."""


def read_questions(path: Path | None = None) -> tuple[Question, ...]:
    """Reads a question set.

    Args:
        path: the file; the course's own when None.

    Raises:
        QuestionFileError: there is no such file, or it is not of this form.
    """
    path = path or load_settings().root / "data" / "practice" / "questions.toml"
    try:
        with path.open("rb") as file:
            listed = tomllib.load(file)["question"]
        return tuple(Question(**{**item, "before": tuple(item.get("before", ()))}) for item in listed)
    except (OSError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise QuestionFileError(
            f"The questions in {path.name} cannot be read: {error}.", "Restore the file from the course."
        ) from error


def spread(questions: tuple[Question, ...], count: int) -> tuple[Question, ...]:
    """So many of the questions, evenly taken from English and Hinglish and from all through the set.

    Args:
        questions: the set.
        count: how many; a third of them, rounded up, are Hinglish.
    """
    hinglish = [q for q in questions if q.lang == "hi"]
    english = [q for q in questions if q.lang != "hi"]
    wanted = min(-(-count // 3), len(hinglish))
    chosen = {*_every(hinglish, wanted), *_every(english, min(count - wanted, len(english)))}
    return tuple(question for question in questions if question in chosen)


def _every(questions: list[Question], count: int) -> list[Question]:
    return [questions[place * len(questions) // count] for place in range(count)] if count else []
