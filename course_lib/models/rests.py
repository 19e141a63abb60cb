"""Who is resting, until when and why. Every rest ends: no provider is spent for good by one error."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.models.errors import (
    BadKeyError,
    ModelError,
    OutOfCreditError,
    RetiredModelError,
)

SET_RESTS_S: Mapping[type[ModelError], float] = {
    BadKeyError: 600.0,
    RetiredModelError: 600.0,
    OutOfCreditError: 3600.0,
}
"""Seconds to rest after an error that only a person can mend: long enough not to ask in vain at every
question, short enough that a mended account is noticed without a restart."""

DOWN_REST_S = 5.0
"""Seconds in which a provider that was down is asked last; they double with each failure in a row."""
LONGEST_DOWN_REST_S = 120.0


@dataclass(frozen=True)
class Rest:
    """One provider's rest."""

    until: float
    """When it ends, as Unix time."""
    reason: str
    soft: bool
    """A soft rest puts a provider at the end of the queue; a hard one takes it out."""


class Rests:
    """The rests of all providers of one router. May be used from several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rests: dict[str, Rest] = {}
        self._failures_in_a_row: dict[str, int] = {}

    def note_failure(self, provider: str, error: ModelError, now: float) -> None:
        """Puts a provider to rest as its error asks for; errors that ask for none change nothing."""
        with self._lock:
            if error.then == "retry":
                count = self._failures_in_a_row.get(provider, 0) + 1
                self._failures_in_a_row[provider] = count
                seconds = min(DOWN_REST_S * 2 ** (count - 1), LONGEST_DOWN_REST_S)
                self._lengthen(provider, Rest(now + seconds, error.label, soft=True))
            elif error.then == "rest":
                if not error.waiting_helps:
                    return
                seconds = SET_RESTS_S.get(type(error), error.retry_after_s or DOWN_REST_S)
                self._lengthen(provider, Rest(now + seconds, error.label, soft=False))

    def note_answer(self, provider: str) -> None:
        """A provider has answered: it is not down. A rest that it asked for itself goes on."""
        with self._lock:
            self._failures_in_a_row.pop(provider, None)
            rest = self._rests.get(provider)
            if rest is not None and rest.soft:
                del self._rests[provider]

    def of(self, provider: str, now: float) -> Rest | None:
        """The rest that a provider is having now, or None."""
        with self._lock:
            rest = self._rests.get(provider)
            if rest is not None and rest.until <= now:
                del self._rests[provider]
                return None
            return rest

    def wake(self, provider: str | None = None) -> None:
        """Ends the rest of one provider, or of all."""
        with self._lock:
            for name in [provider] if provider is not None else list(self._rests):
                self._rests.pop(name, None)
                self._failures_in_a_row.pop(name, None)

    def _lengthen(self, provider: str, rest: Rest) -> None:
        old = self._rests.get(provider)
        # Two threads may report in any order: a soft rest replaces no hard one, a short one no longer one.
        if old is None or (old.soft and not rest.soft) or (old.soft == rest.soft and old.until < rest.until):
            self._rests[provider] = rest
