"""Time as the router sees it, in one place, so that a test can let an hour pass without waiting for it."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """What the router needs of time."""

    def now(self) -> float:
        """The present as Unix time, in seconds: a rest ends on time even if the laptop slept meanwhile."""
        ...

    def steady(self) -> float:
        """Seconds that only ever go forward: deadlines are counted with these."""
        ...

    def wait(self, seconds: float, called_off: threading.Event) -> None:
        """Waits so long, or until the event is set."""
        ...


class SystemClock:
    """The time of this machine."""

    def now(self) -> float:
        """The present as Unix time, in seconds."""
        return time.time()

    def steady(self) -> float:
        """Seconds that only ever go forward."""
        return time.monotonic()

    def wait(self, seconds: float, called_off: threading.Event) -> None:
        """Waits so long, or until the event is set."""
        called_off.wait(seconds)
