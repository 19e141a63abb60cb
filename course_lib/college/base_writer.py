"""When the embedded server is told to write its whole state down anew. See `stored_log` for why it has to be.

Standard library only: the supervisor uses it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from course_lib.college.stored_log import StoredLog

BURST_SECONDS = 5.0
"""After how long a burst of writes gets a new base even if it goes on; else a quiet second is waited for."""
GIVE_UP_SECONDS = 120.0
"""After how long a new base that does not appear is given up, and tried again as much later."""
SHARE = 20.0
"""A new base waits this many times as long as the last one took: a large graph takes long to write, and
stands still while it is copied."""
LOOK_SECONDS = 0.005
"""How often to look for a base that is waited for."""


class BaseWriter:
    """Has new bases written, one at a time.

    Args:
        stored: the files.
        ask: tells the server to begin; it answers at once and writes in the background.
        clock: seconds that only go forward; another one for tests.
    """

    def __init__(
        self, stored: StoredLog, ask: Callable[[], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stored = stored
        self._ask = ask
        self._clock = clock
        self._next = 0.0
        self.forget()

    def forget(self) -> None:
        """Forgets what was under way: the server has ended."""
        self._asked: tuple[str, float] | None = None
        self._grown_since: float | None = None
        self._seen = ("", 0)

    def tend(self) -> None:
        """Looks at the log, about once a second; begins a base when a burst is over or goes on for long."""
        now = self._clock()
        if self._asked is not None:
            base, since = self._asked
            if self._stored.base() != base:
                self._asked = self._grown_since = None
                self._next = now + SHARE * (now - since)
            elif now - since > GIVE_UP_SECONDS:
                self._asked = None
                self._next = now + GIVE_UP_SECONDS
            return
        newest = self._stored.newest()
        quiet = newest == self._seen
        self._seen = newest
        if newest[1] == 0:
            self._grown_since = None
            return
        if self._grown_since is None:
            self._grown_since = now
        if now >= self._next and (quiet or now - self._grown_since > BURST_SECONDS):
            self._begin()

    def finish(self, is_alive: Callable[[], bool], seconds: float) -> None:
        """Waits for a base that holds everything, so that the next start has nothing to play back.

        Args:
            is_alive: whether the server still runs.
            seconds: after how long to give up; the log then holds what the base lacks.
        """
        deadline = self._clock() + seconds
        while is_alive() and self._clock() < deadline:
            if self._asked is None:
                if not self._stored.has_grown():
                    return
                self._begin()
            elif self._stored.base() != self._asked[0]:
                self._asked = None
            else:
                time.sleep(LOOK_SECONDS)

    def _begin(self) -> None:
        self._asked = (self._stored.base(), self._clock())
        self._ask()
