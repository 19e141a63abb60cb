"""Judges a prediction: what the learner expects is compared with what really happens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course_lib.classroom.compare import plain, same_value
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.show import safe_repr

if TYPE_CHECKING:
    from course_lib.classroom.room import Room


@dataclass(frozen=True)
class Misconception:
    """A wrong prediction that somebody might well make, and what to say to it.

    Args:
        predicted: the prediction, or a function that recognises it.
        says: what to think about again; it must not give the answer away.
        near: whether it counts as nearly.
    """

    predicted: Any
    says: str
    near: bool = False


@dataclass(frozen=True)
class PredictCheck:
    """How to judge a prediction.

    Args:
        actual: makes the thing happen and gives back what came of it: a value, a list or `Rows`.
        learnt: one sentence for when it is right.
        misconceptions: looked through in order when it is wrong.
        otherwise: what to say to any other wrong prediction.
        ordered: for a list: whether the order was to be predicted too.
    """

    actual: Callable[[Room], Any]
    learnt: str
    misconceptions: tuple[Misconception, ...] = ()
    otherwise: str = "That is not what happens. Look at the cell once more, step by step."
    ordered: bool = False


def judge_prediction(answer: Any, room: Room, check: PredictCheck) -> Outcome:
    """Compares a prediction with what really happens.

    Args:
        answer: the prediction: a number, a text, true or false, or a list of such.
        room: where scratch graphs come from.
        check: what to compare with.
    """
    actual = simplest(check.actual(room))
    if isinstance(answer, tuple):
        answer = list(answer)
    if same_prediction(answer, actual, ordered=check.ordered):
        return right(check.learnt)
    for idea in check.misconceptions:
        hit = (
            idea.predicted(answer)
            if callable(idea.predicted)
            else same_prediction(answer, idea.predicted, ordered=check.ordered)
        )
        if hit:
            return (nearly if idea.near else wrong)(idea.says, answer)
    wanted = _kind(actual)
    if _kind(_as_like(answer, actual)) != wanted:
        return wrong(f"Hand in {wanted}.", answer)
    return wrong(check.otherwise, answer)


def same_prediction(answer: Any, actual: Any, *, ordered: bool = False) -> bool:
    """Whether a prediction says the same: '4' is 4, upper and lower case are one, a list may be a set.

    Args:
        answer: the prediction.
        actual: what it is compared with.
        ordered: whether the order of a list counts.
    """
    answer = _as_like(simplest(answer), actual)
    if isinstance(actual, list):
        if not isinstance(answer, list) or len(answer) != len(actual):
            return False
        if actual and all(isinstance(item, bool) == isinstance(actual[0], bool) for item in actual):
            answer = [_as_like(item, actual[0]) if isinstance(item, str) else item for item in answer]
        mine, real = [_comparable(item) for item in answer], [_comparable(item) for item in actual]
        return (
            all(map(same_value, mine, real))
            if ordered
            else Counter(map(safe_repr, mine)) == Counter(map(safe_repr, real))
        )
    return same_value(_comparable(answer), _comparable(actual))


def simplest(value: Any) -> Any:
    """`Rows` as the plain thing they hold: one value, one column as a list, or a list of rows."""
    if hasattr(value, "columns"):
        rows = [tuple(row) for row in value]
        if len(value.columns) == 1:
            cells = [row[0] for row in rows]
            return cells[0] if len(cells) == 1 else cells
        return rows
    return list(value) if isinstance(value, tuple | set | frozenset) else value


def _as_like(answer: Any, actual: Any) -> Any:
    """An answer in the shape of the thing it is compared with, where that is only a matter of writing."""
    if isinstance(actual, list) and isinstance(answer, str | int | float):
        return [answer]
    if isinstance(answer, list) and len(answer) == 1 and not isinstance(actual, list):
        answer = answer[0]
    if isinstance(actual, int | float) and not isinstance(actual, bool) and isinstance(answer, str):
        try:
            return float(answer)
        except ValueError:
            return answer
    if isinstance(actual, bool) and isinstance(answer, str):
        return {"true": True, "yes": True, "false": False, "no": False}.get(answer.strip().lower(), answer)
    return answer


def _comparable(value: Any) -> Any:
    value = plain(value)
    if isinstance(value, str):
        return " ".join(value.split()).casefold()
    return tuple(map(_comparable, value)) if isinstance(value, tuple) else value


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text, in quotation marks"
    return "a list, in square brackets" if isinstance(value, list) else "one plain value"
