"""Answers that CI feeds to every check: right ones that differ, wrong ones with what must be said to them.

One file a lesson, `NN_topic.py`, with

    ANSWERS = {
        "02.1": Answers(
            right=["a query", "another way to write it", "a third"],
            wrong=[Wrong("a plausible slip", says="part of the message", status="nearly")],
        ),
    }

Right answers should differ in style: other names, another order of clauses, another pattern. Wrong ones are
those that people really give. The stub and the solution come from the lesson's source; don't repeat them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from course_lib.classroom.outcome import Status
    from course_lib.classroom.room import Room


@dataclass(frozen=True)
class Wrong:
    """A wrong answer.

    Args:
        answer: what is handed in.
        says: a part of the message that it must draw.
        status: "wrong" or "nearly".
    """

    answer: Any
    says: str
    status: Status = "wrong"


@dataclass(frozen=True)
class Made:
    """An answer that has to be made on a graph, such as the rows of a query.

    Args:
        make: gets a room and gives the answer.
    """

    make: Callable[[Room], Any]


@dataclass(frozen=True)
class Answers:
    """Everything that CI hands in for one exercise, beside its stub and its solution."""

    right: list[Any]
    wrong: list[Wrong]
