"""Judges a function that the learner wrote: it is called on several cases, some of them unseen."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course_lib.classroom.compare import plain, same_value
from course_lib.classroom.deadline import SECONDS, Call, call, explain_error
from course_lib.classroom.finished import finished_part
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.show import safe_repr

if TYPE_CHECKING:
    from course_lib.classroom.room import Room

_ANY = object()


@dataclass(frozen=True)
class Case:
    """One call of the learner's function, and how to judge what came of it.

    Args:
        args: the arguments; or a function that makes them in a room, for arguments such as a scratch graph.
        expected: the value that a right function gives (numbers may differ by rounding). Leave it out when
            `judge` looks at the outcome itself.
        judge: `(value, args) -> None` when right, else the sentence to say or a whole `Outcome`; for results
            that are no plain value, such as what stands in a graph afterwards.
        says: what to say when the value is not the expected one; the default names the call and its result.
        near: whether failing this case alone still counts as nearly.
        raises: the exception that a right function raises here.
        when_it_raises: `(call, args) -> Outcome` for an exception that a plausible answer raises, or None for
            the usual words about it.
    """

    args: tuple[Any, ...] | Callable[[Room], tuple[Any, ...]] = ()
    expected: Any = _ANY
    judge: Callable[[Any, tuple[Any, ...]], Outcome | str | None] | None = None
    says: str = ""
    near: bool = False
    raises: type[BaseException] | None = None
    when_it_raises: Callable[[Call, tuple[Any, ...]], Outcome | None] | None = None


@dataclass(frozen=True)
class FunctionCheck:
    """How to judge a learner's function.

    Args:
        cases: tried in order; the first that fails decides what is said. Put the telling ones first.
        learnt: one sentence for when all is right.
        finished: parts of the library that would be the answer, as "module:name".
        seconds: how long one call may take.
    """

    cases: tuple[Case, ...]
    learnt: str
    finished: tuple[str, ...] = ()
    seconds: float = SECONDS


def judge_function(answer: Any, room: Room, check: FunctionCheck) -> Outcome:
    """Calls the learner's function on every case.

    Args:
        answer: what was handed in.
        room: where scratch graphs come from.
        check: the cases.
    """
    refused = refuse_non_function(answer, check.finished)
    if refused is not None:
        return refused
    for case in check.cases:
        args = case.args(room) if callable(case.args) else case.args
        misfit = _misfit(answer, args)
        if misfit:
            return wrong(misfit)
        outcome = _judge_call(answer, args, call(answer, *args, seconds=check.seconds), case, check.seconds)
        if outcome is not None:
            return outcome
    return right(check.learnt)


def refuse_non_function(answer: Any, finished: tuple[str, ...] = ()) -> Outcome | None:
    """What to say when no function, or the library's own, was handed in; None when all is well."""
    if isinstance(answer, str):
        return wrong("You handed in a text. Hand in the function itself: its name, without quotation marks.")
    if not callable(answer):
        return wrong(
            f"You handed in {_kind(answer)}, not a function. Hand in its name alone, without the brackets "
            "that call it.",
            answer,
        )
    part = finished_part(answer, finished)
    if part is not None:
        return wrong(
            f"That is the library's own `{part}`, and it works. The exercise is about writing yours: "
            "then you know what is inside."
        )
    return None


def judge_failed_call(function: Callable[..., Any], called: Call, seconds: float = SECONDS) -> Outcome | None:
    """What to say about a call that raised or had to be stopped; None when it returned."""
    if called.still_running:
        return wrong(
            f"Your function was still running after {seconds:g} seconds and could not be stopped. "
            "Restart the kernel (menu Kernel), then look for a loop or a wait that never ends."
        )
    if called.late:
        return wrong(
            f"Your function was still running after {seconds:g} seconds and was stopped. "
            "Is there a loop that never ends?"
        )
    if called.error is not None:
        from course_lib.classroom.room import raise_if_ours

        raise_if_ours(called.error)
        return wrong(explain_error(function, called.error))
    return None


def _judge_call(
    function: Callable[..., Any], args: tuple[Any, ...], called: Call, case: Case, seconds: float
) -> Outcome | None:
    say = nearly if case.near else wrong
    if case.raises is not None:
        if isinstance(called.error, case.raises):
            return None
        if called.ok:
            return say(
                case.says or f"{_call_text(function, args)} should raise {case.raises.__name__}.",
                called.value,
            )
    failed = judge_failed_call(function, called, seconds)
    if failed is not None:
        told = case.when_it_raises(called, args) if called.error and case.when_it_raises else None
        return told or failed
    if case.judge is not None:
        verdict = case.judge(called.value, args)
        if verdict is None or isinstance(verdict, Outcome):
            return verdict
        return say(verdict, called.value)
    if same_value(plain(called.value), plain(case.expected)):
        return None
    if called.value is None and called.printed.strip():
        return nearly(
            "Your function prints its result. Give it back with `return`, so that others can use it."
        )
    if called.value is None and not case.says:
        return wrong(
            f"{_call_text(function, args)} gave nothing back. Is there a `return` on every way through?"
        )
    return say(case.says or f"{_call_text(function, args)} did not give what it should.", called.value)


def _misfit(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    try:
        signature.bind(*args)
    except TypeError:
        wanted = f"{len(args)} argument{'' if len(args) == 1 else 's'}"
        return f"Your function is called with {wanted}, and as written it cannot take them: `{signature}`."
    return ""


def _call_text(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    shown = ", ".join(_short(safe_repr(arg)) for arg in args)
    return f"`{getattr(function, '__name__', 'your function')}({shown})`"


def _short(text: str) -> str:
    flat = " ".join(text.split()).replace("`", "'")
    return flat if len(flat) <= 60 else flat[:59] + "…"


def _kind(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
