"""One call's way through the providers: its deadline, its patience, and what it has met so far."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from course_lib.models.calls import Attempt, Reply
from course_lib.models.clock import Clock
from course_lib.models.errors import AllProvidersFailedError, DeadlineError, ModelError
from course_lib.models.providers import Provider
from course_lib.models.tables import duration
from course_lib.models.wire import TimeLimit


class Trip:
    """What one call of the router knows about itself.

    Args:
        clock: time.
        deadline_s: seconds that the whole call may take.
        patience_s: seconds that it may spend waiting for resting providers.
    """

    def __init__(self, clock: Clock, deadline_s: float, patience_s: float) -> None:
        self._clock = clock
        self._began = clock.steady()
        self.deadline_s = deadline_s
        self.patience_left = patience_s
        self.done: set[str] = set()
        """Providers that this call will not ask again."""
        self._tried: list[Attempt] = []
        self._causes: dict[str, ModelError] = {}
        self._lock = threading.Lock()
        self._limit: TimeLimit | None = None
        self._called_off = threading.Event()

    @property
    def tried(self) -> tuple[Attempt, ...]:
        """Everyone who was asked, in order."""
        return tuple(self._tried)

    def was_tried(self, provider: str) -> bool:
        """Whether this call has asked a provider already."""
        return any(attempt.provider == provider for attempt in self._tried)

    def left(self) -> float:
        """Seconds left until the deadline."""
        return self.deadline_s - (self._clock.steady() - self._began)

    def is_over(self) -> bool:
        """Whether the time is up, or the caller has gone."""
        return self._called_off.is_set() or self.left() <= 0

    def check(self, partial: str = "") -> None:
        """Ends the call if its time is up.

        Raises:
            DeadlineError: with the report of what was tried.
        """
        if self.is_over():
            raise self._timed_out(partial)

    def cancel(self) -> None:
        """The caller has gone: nothing more is tried, and the connection in use is cut."""
        self._called_off.set()
        with self._lock:
            limit = self._limit
        if limit is not None:
            limit.cut()

    @contextmanager
    def time_limit(self, silence_s: float | None) -> Iterator[TimeLimit]:
        """The time that the next attempt may take: all that is left, of which so much in silence."""
        limit = TimeLimit(self.left(), silence_s)
        with self._lock:
            self._limit = limit
        if self._called_off.is_set():
            limit.cut()
        try:
            yield limit
        finally:
            with self._lock:
                self._limit = None

    def sleep(self, seconds: float) -> None:
        """Pauses before the same provider is asked again."""
        self._clock.wait(seconds, self._called_off)

    def wait(self, seconds: float) -> None:
        """Waits for a resting provider, out of this call's patience."""
        self.patience_left -= seconds
        self._clock.wait(seconds, self._called_off)

    def note(self, provider: Provider, outcome: str, detail: str = "", seconds: float = 0.0) -> None:
        """Writes a line of the report."""
        self._tried.append(Attempt(provider.name, provider.model, outcome, detail, seconds))

    def note_failure(self, provider: Provider, failure: ModelError, seconds: float) -> None:
        """Writes a failure into the report."""
        self.note(provider, failure.label, failure.what, seconds)
        self._causes[provider.name] = failure

    def finish(self, reply: Reply, seconds: float) -> Reply:
        """The reply with the whole call's time and report in it."""
        self._tried.append(Attempt(reply.provider, reply.model, "answered", "", seconds))
        return replace(reply, seconds=self._clock.steady() - self._began, tried=self.tried)

    def report(self, skipped: Sequence[Attempt] = ()) -> AllProvidersFailedError:
        """The error that says that nobody answered, who was asked, and what each said."""
        lines = (*self._tried, *skipped)
        error = AllProvidersFailedError(
            f"No model answered.{_listed(lines)}", self._next_step(), causes=tuple(self._causes.values())
        )
        error.tried = lines
        return error

    def _timed_out(self, partial: str) -> DeadlineError:
        if self._called_off.is_set():
            what = "The call was called off."
        else:
            what = f"There was no whole reply within {duration(self.deadline_s)}."
        error = DeadlineError(
            what + _listed(self.tried),
            "Give the call a longer deadline_s, or choose a faster model with `course model`.",
            partial=partial,
            causes=tuple(self._causes.values()),
        )
        error.tried = self.tried
        return error

    def _next_step(self) -> str:
        """What to do now: what the errors advise, each piece of advice once."""
        steps = dict.fromkeys(cause.next_step for cause in self._causes.values() if cause.next_step)
        return " ".join(steps) or "Wait until one of them has rested, or set COURSE_MODEL=practice."


def _listed(lines: Sequence[Attempt]) -> str:
    """The report as lines of text, under the sentence that it belongs to."""
    shown = []
    for line in lines:
        took = f" after {duration(line.seconds)}" if line.seconds else ""
        detail = f": {line.detail}" if line.detail else ""
        shown.append(f"\n- {line.provider} ({line.model}): {line.outcome}{took}{detail}")
    return "".join(shown)
