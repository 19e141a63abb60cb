"""Judges a decision that is defended with a number: the choice, and the number measured again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course_lib.classroom.outcome import Outcome, nearly, right, wrong

if TYPE_CHECKING:
    from course_lib.classroom.room import Room


@dataclass(frozen=True)
class DecideCheck:
    """How to judge a decision `(choice, number)`.

    Args:
        choices: each choice and what it stands for, as in {"a": "a query per row", "b": "batches"}.
        best: the choice that the number speaks for.
        measure: measures or computes the number again.
        learnt: one sentence for when both are right.
        against: what to say to each of the other choices; it points to the number, not to the answer.
        number: what the number is, as in "how many times faster batches are".
        tolerance: how far the number may be off, as a share of it; 0.05 is five per cent. Wide for timings.
        accepts: `(handed in, measured) -> bool` instead of the tolerance, as for "at least 5 times".
    """

    choices: Mapping[str, str]
    best: str
    measure: Callable[[Room], float]
    learnt: str
    against: Mapping[str, str]
    number: str
    tolerance: float = 0.05
    accepts: Callable[[float, float], bool] | None = None


def judge_decision(answer: Any, room: Room, check: DecideCheck) -> Outcome:
    """Judges a choice and the number that it rests on.

    Args:
        answer: a pair `(choice, number)`.
        room: where scratch graphs come from.
        check: what is right.
    """
    options = " or ".join(repr(choice) for choice in check.choices)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        return wrong(
            f"Hand in two things: your choice ({options}), and the number that speaks for it.", answer
        )
    choice, number = answer
    picked = choice.strip().lower() if isinstance(choice, str) else None
    if picked not in {key.lower() for key in check.choices}:
        return wrong(f"Your choice should be {options}.", answer)
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        return wrong(f"The second thing should be a number: {check.number}.", answer)
    measured = check.measure(room)
    close = (
        check.accepts(number, measured)
        if check.accepts is not None
        else math.isclose(number, measured, rel_tol=check.tolerance, abs_tol=1e-9)
    )
    if picked != check.best.lower():
        says = next((text for key, text in check.against.items() if key.lower() == picked), "")
        say = says or f"Look again at {check.number}: does it speak for {check.choices[_key(check, picked)]}?"
        return wrong(say, answer)
    if not close:
        return nearly(
            f"A good choice. But the number does not hold when it is measured again. Asked: {check.number}.",
            answer,
        )
    return right(check.learnt)


def _key(check: DecideCheck, picked: str | None) -> str:
    return next(key for key in check.choices if key.lower() == picked)
