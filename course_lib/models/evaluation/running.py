"""One run of a question set against one model."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from course_lib.models.calls import CallRequest, Reply
from course_lib.models.errors import AllProvidersFailedError, ModelError
from course_lib.models.evaluation.cases import Case, Model, QuestionSet

Outcome = Literal["right", "wrong", "failed"]

GIVE_UP_AFTER = 3
"""So many cases in a row that nobody answered end the run: the rest would fail the same way, and slowly."""


@dataclass(frozen=True)
class Result:
    """What came of one case."""

    case: str
    category: str
    outcome: Outcome
    """`failed` means that there was no usable reply to judge."""
    note: str
    attempts: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    """None where a reply had no known price."""
    seconds: float


@dataclass(frozen=True)
class Run:
    """A whole run."""

    set_name: str
    choice: str
    """What `COURSE_MODEL` or `--model` said."""
    models: tuple[str, ...]
    """Who answered, as `provider: model`."""
    started: str
    """When, in UTC, as an ISO date and time."""
    results: tuple[Result, ...]
    asked_of: int
    """How many cases the set has."""
    ended_early: str = ""
    """Why the run ended before its last case, or nothing."""

    @property
    def right(self) -> int:
        """How many cases were right."""
        return sum(result.outcome == "right" for result in self.results)

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories in the order of the set."""
        return tuple(dict.fromkeys(result.category for result in self.results))


class _Meter:
    """Counts the replies of one case. Replies may come from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.replies: list[Reply] = []

    def note(self, request: CallRequest, reply: Reply) -> None:
        with self._lock:
            self.replies.append(reply)


def run_set(
    question_set: QuestionSet,
    model: Model,
    choice: str,
    on_result: Callable[[Result], None] | None = None,
) -> Run:
    """Puts every case of a set to a model.

    Args:
        question_set: the cases and how to judge them.
        model: who is asked.
        choice: how the model was chosen, for the record.
        on_result: is given each result as it comes, for a progress bar.

    Returns:
        The run. It is shorter than the set when nobody answered several cases in a row, or when it was
        interrupted; `ended_early` says so.
    """
    started = datetime.now(UTC).isoformat(timespec="seconds")
    results: list[Result] = []
    answered_by: dict[str, None] = {}
    in_vain = 0
    ended_early = ""
    try:
        for case in question_set.cases:
            result, replies, nobody = _run_case(question_set, case, model)
            answered_by.update(dict.fromkeys(f"{reply.provider}: {reply.model}" for reply in replies))
            results.append(result)
            if on_result is not None:
                on_result(result)
            in_vain = in_vain + 1 if nobody else 0
            if in_vain >= GIVE_UP_AFTER and len(results) < len(question_set.cases):
                ended_early = f"nobody answered {in_vain} questions in a row"
                break
    except KeyboardInterrupt:
        ended_early = "it was interrupted"
    return Run(
        set_name=question_set.name,
        choice=choice,
        models=tuple(answered_by),
        started=started,
        results=tuple(results),
        asked_of=len(question_set.cases),
        ended_early=ended_early,
    )


def _run_case(question_set: QuestionSet, case: Case, model: Model) -> tuple[Result, list[Reply], bool]:
    meter = _Meter()
    began = time.perf_counter()
    attempts: int | None = None
    nobody = False
    outcome: Outcome
    try:
        verdict = question_set.answer(case, model.listening(meter.note))
        outcome, note, attempts = "right" if verdict.right else "wrong", verdict.note, verdict.attempts
    except ModelError as error:
        outcome, note = "failed", f"{error.label}: {error.what.splitlines()[0]}"
        nobody = isinstance(error, AllProvidersFailedError)
    costs = [reply.usage.cost_usd for reply in meter.replies]
    known = [cost for cost in costs if cost is not None]
    result = Result(
        case=case.id,
        category=case.category,
        outcome=outcome,
        note=note,
        # A reply that could not be used never reached the meter, and was asked for all the same.
        attempts=max(len(meter.replies), 1) if attempts is None else attempts,
        tokens_in=sum(reply.usage.tokens_in for reply in meter.replies),
        tokens_out=sum(reply.usage.tokens_out for reply in meter.replies),
        cost_usd=sum(known) if len(known) == len(costs) else None,
        seconds=time.perf_counter() - began,
    )
    return result, meter.replies, nobody
