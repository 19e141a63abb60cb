"""What a question set is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from course_lib.models.router import ModelRouter

Model = ModelRouter
"""What a set asks. Everything that it is asked through this object is counted."""


@dataclass(frozen=True)
class Case:
    """One question of a set."""

    id: str
    category: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """What a set says of an answer."""

    right: bool
    note: str = ""
    """What was wrong, in a few words; for the list of misses."""
    attempts: int | None = None
    """How often the question was tried; the number of replies where None."""


@dataclass(frozen=True)
class QuestionSet:
    """A named set of questions and the way to ask and judge them."""

    name: str
    title: str
    cases: tuple[Case, ...]
    answer: Callable[[Case, Model], Verdict]
