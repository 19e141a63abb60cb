"""What a check says about an answer: one of four words, one sentence, and the learner's own rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from course_lib.errors import CourseError

Status = Literal["not attempted", "wrong", "nearly", "right"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""The four words, from the least to the most: 'best so far' is the later one."""


class NotRightError(CourseError):
    """An answer was not right where only a right one may pass: in solutions/, and under nbgrader."""


@dataclass(frozen=True)
class Outcome:
    """The verdict on one answer.

    Args:
        status: one of "not attempted", "wrong", "nearly", "right".
        message: one or two sentences. Not right: what is wrong, never the answer. Right: what was learnt.
        yours: what the learner handed in or what it came to (`Rows` or any value), shown beside what was
            asked; None shows nothing.
        heading: what stands above `yours`, such as "Your rows, on this college".
        exercise: the exercise's id; `check` fills it in.
    """

    status: Status
    message: str
    yours: Any = None
    exercise: str = ""
    heading: str = field(default="Your rows", compare=False)

    @property
    def right(self) -> bool:
        """Whether the answer is right."""
        return self.status == "right"

    def _ipython_display_(self) -> None:
        # `check` has shown the outcome already when it is a cell's last value: see show.show.
        from course_lib.classroom.show import show_again

        show_again(self)


def not_attempted(
    message: str = "Nothing handed in yet. Write your answer into the cell, then run it again.",
) -> Outcome:
    """The exercise is as the learner found it."""
    return Outcome("not attempted", message)


def wrong(message: str, yours: Any = None) -> Outcome:
    """The idea is not there yet. `message` says what is wrong, never the answer."""
    return Outcome("wrong", message, yours)


def nearly(message: str, yours: Any = None) -> Outcome:
    """The right idea, a wrong detail. `message` says which detail."""
    return Outcome("nearly", message, yours)


def right(learnt: str, yours: Any = None) -> Outcome:
    """Right. `learnt` is one sentence that the learner takes along."""
    return Outcome("right", learnt, yours)


def better(one: Status, other: Status) -> Status:
    """The better of two statuses."""
    return max(one, other, key=STATUSES.index)
