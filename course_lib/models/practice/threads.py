"""Conversations that the server holds, so that a client sends only what is new.

The tool runner of the anthropic SDK opens a thread with its first request and continues it from the id of the
last reply. The store is bounded twice, by count and by bytes: the oldest thread goes first. A client whose
thread is gone is told so, and sends the whole conversation again, so forgetting is safe.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from course_lib.models.practice.conversation import Tool, Turn

MAX_THREADS = 256
MAX_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class Thread:
    """A conversation up to and including the model's last reply."""

    system: str
    tools: tuple[Tool, ...]
    turns: tuple[Turn, ...]
    tools_json: str = ""
    """The tool definitions as they were sent, for the token count."""

    @property
    def size(self) -> int:
        """About how many bytes it holds; the objects around the text are counted flat."""
        total = 200 + len(self.system) + 2 * len(self.tools_json)
        for turn in self.turns:
            total += 120 + len(turn.text) + sum(120 + len(str(call.arguments)) for call in turn.tool_calls)
        return total


class ThreadUnavailableError(Exception):
    """A thread cannot be continued from this id.

    Args:
        code: the provider's word for why: `thread_not_found`, `thread_already_continued` or
            `thread_continue_in_flight`.
    """

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


class ThreadStore:
    """Threads by the id of their last reply. Safe under threads.

    Args:
        max_threads: how many to hold.
        max_bytes: how many bytes to hold, by `Thread.size`.
    """

    def __init__(self, max_threads: int = MAX_THREADS, max_bytes: int = MAX_BYTES) -> None:
        self.max_threads = max_threads
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._held: OrderedDict[str, tuple[Thread, int]] = OrderedDict()
        self._in_flight: dict[str, tuple[Thread, int]] = {}
        self._continued: OrderedDict[str, None] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        with self._lock:
            return len(self._held) + len(self._in_flight)

    @property
    def bytes_held(self) -> int:
        """Bytes held, by `Thread.size`."""
        with self._lock:
            return self._bytes

    def keep(self, message_id: str, thread: Thread) -> None:
        """Holds a thread under the id of its last reply; the oldest ones go where the bounds ask for it."""
        size = thread.size
        with self._lock:
            self._held[message_id] = (thread, size)
            self._bytes += size
            while self._held and (len(self._held) > self.max_threads or self._bytes > self.max_bytes):
                _, (_, gone) = self._held.popitem(last=False)
                self._bytes -= gone

    def take(self, message_id: str) -> Thread:
        """Takes a thread out to continue it. Give it back with `put_back`, or say `finish`.

        Raises:
            ThreadUnavailableError: it is not there, was continued before, or is being continued now.
        """
        with self._lock:
            if message_id in self._in_flight:
                raise ThreadUnavailableError("thread_continue_in_flight")
            if message_id in self._continued:
                raise ThreadUnavailableError("thread_already_continued")
            found = self._held.pop(message_id, None)
            if found is None:
                raise ThreadUnavailableError("thread_not_found")
            self._in_flight[message_id] = found
            return found[0]

    def put_back(self, message_id: str) -> None:
        """The request that took this thread failed: it can be continued again."""
        with self._lock:
            found = self._in_flight.pop(message_id, None)
            if found is not None:
                self._held[message_id] = found

    def finish(self, message_id: str) -> None:
        """The request that took this thread was answered: it goes on under the new reply's id only."""
        with self._lock:
            found = self._in_flight.pop(message_id, None)
            if found is not None:
                self._bytes -= found[1]
                self._continued[message_id] = None
                while len(self._continued) > 4 * self.max_threads:
                    self._continued.popitem(last=False)

    def clear(self) -> None:
        """Forgets every thread, as a provider does with old ones."""
        with self._lock:
            self._held.clear()
            self._in_flight.clear()
            self._continued.clear()
            self._bytes = 0
