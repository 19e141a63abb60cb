"""Which function judges which exercise. A lesson's checks are imported when the first of them is needed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from course_lib.errors import CourseError

if TYPE_CHECKING:
    from course_lib.classroom.outcome import Outcome
    from course_lib.classroom.room import Room

    CheckFunction = Callable[[Any, Room], Outcome]

_CHECKS: dict[str, CheckFunction] = {}


class CheckMissingError(CourseError):
    """An exercise stands in the manifest and no function judges it."""


class CheckTwiceError(CourseError):
    """Two functions say that they judge the same exercise."""


def judges(exercise_id: str) -> Callable[[CheckFunction], CheckFunction]:
    """Marks a function `(answer, room) -> Outcome` as the check of one exercise."""

    def register(function: CheckFunction) -> CheckFunction:
        known = _CHECKS.get(exercise_id)
        # The same function again is a module that was reloaded, which is no mistake.
        if known is not None and (known.__module__, known.__qualname__) != (
            function.__module__,
            function.__qualname__,
        ):
            raise CheckTwiceError(
                f"{known.__qualname__} and {function.__qualname__} both judge {exercise_id}.",
                "Give one of them its own id.",
            )
        _CHECKS[exercise_id] = function
        return function

    return register


def find_check(exercise_id: str) -> CheckFunction:
    """The function that judges an exercise; imports its lesson's module when needed.

    Raises:
        CheckMissingError: there is none.
    """
    if exercise_id not in _CHECKS:
        module = f"course_lib.classroom.checks.lesson_{exercise_id[:2]}"
        if importlib.util.find_spec(module) is not None:
            importlib.import_module(module)
    if exercise_id not in _CHECKS:
        raise CheckMissingError(
            f"Exercise {exercise_id} has no check: this is our fault, not yours.",
            "Go on with the next exercise, and please report it.",
        )
    return _CHECKS[exercise_id]
