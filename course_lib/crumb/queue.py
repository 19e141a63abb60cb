"""Reply first, write after: messages wait here between the chat and the memory, on the disk.

`put` returns as soon as the message is safe. `work` takes messages out in the order in which each customer
wrote them. A message leaves the queue when it has been written; a crash in between hands it out again, and
the writer knows it by its id, so nothing is written twice.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from course_lib.crumb.triples import Extraction, Problem
from course_lib.errors import CourseError
from course_lib.settings import load_settings

if TYPE_CHECKING:
    from course_lib.crumb.store import Store

MOST_ATTEMPTS = 3
"""A message that fails this often is set aside, so that the customer's next ones can go on."""


_NEXT = """
    SELECT number, customer, id, text, date, attempts, problem FROM message AS m
    WHERE state = 'waiting' AND NOT EXISTS (
        SELECT 1 FROM message AS e
        WHERE e.state = 'waiting' AND e.customer = m.customer AND e.number < m.number
    )
    ORDER BY attempts, number LIMIT 1
"""
_ASIDE = """
    SELECT number, customer, id, text, date, attempts, problem FROM message WHERE state = 'aside'
    ORDER BY number
"""
_BEHIND = """
    SELECT count(*), count(DISTINCT customer), min(put) FROM message
    WHERE state = 'waiting' AND (? IS NULL OR customer = ?)
"""
_COUNT_ASIDE = "SELECT count(*) FROM message WHERE state = 'aside' AND (? IS NULL OR customer = ?)"


class QueueError(CourseError):
    """A message cannot be put into the queue."""


@dataclass(frozen=True)
class Waiting:
    """A message that waits."""

    number: int
    """Its place in the queue."""
    customer_id: str
    message_id: str
    text: str
    date: str
    attempts: int = 0
    problem: str = ""
    """What went wrong the last time."""


@dataclass(frozen=True)
class Lag:
    """How far the memory is behind the chat."""

    waiting: int
    customers: int
    seconds: float
    """The age of the oldest message that waits."""
    set_aside: int
    """Messages that failed too often and need a person."""

    def __str__(self) -> str:
        if not self.waiting:
            behind = "up to date"
        else:
            behind = (
                f"{self.waiting} waiting of {self.customers} customers, the oldest for {self.seconds:.0f} s"
            )
        return f"{behind}; {self.set_aside} set aside" if self.set_aside else behind


class MemoryQueue:
    """A queue in a file. Several threads and processes may put; one at a time should work."""

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = Path(path) if path is not None else load_settings().home / "crumb" / "queue.sqlite3"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._connect()) as connection:
            connection.executescript(
                "PRAGMA journal_mode=WAL;"
                "CREATE TABLE IF NOT EXISTS message ("
                " number INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL,"
                " id TEXT NOT NULL, text TEXT NOT NULL, date TEXT NOT NULL, put REAL NOT NULL,"
                " attempts INTEGER NOT NULL DEFAULT 0, problem TEXT NOT NULL DEFAULT '',"
                " state TEXT NOT NULL DEFAULT 'waiting', UNIQUE (customer, id));"
                "CREATE INDEX IF NOT EXISTS waiting ON message (state, customer, number);"
            )

    def put(self, customer_id: str, text: str, message_id: str, date: str = "") -> None:
        """Keeps a message until it is written. The same message again changes nothing.

        Raises:
            QueueError: the customer or the message has no id.
        """
        if not customer_id or not message_id:
            raise QueueError("A message needs its customer's key and an id of its own.", "Give both.")
        with closing(self._connect()) as connection, connection:
            connection.execute(
                "INSERT OR IGNORE INTO message (customer, id, text, date, put) VALUES (?, ?, ?, ?, ?)",
                (customer_id, message_id, text, date, time.time()),
            )

    def next(self) -> Waiting | None:
        """The message to write next: the one that waits longest among each customer's first. It stays in."""
        with closing(self._connect()) as connection:
            row = connection.execute(_NEXT).fetchone()
        return Waiting(*row) if row else None

    def done(self, message: Waiting) -> None:
        """Takes a message out: it has been written."""
        with closing(self._connect()) as connection, connection:
            connection.execute(
                "UPDATE message SET state = 'done', text = '' WHERE number = ?", (message.number,)
            )

    def failed(self, message: Waiting, problem: str) -> bool:
        """Notes that a message could not be written. Gives whether it has been set aside for a person."""
        aside = message.attempts + 1 >= MOST_ATTEMPTS
        with closing(self._connect()) as connection, connection:
            connection.execute(
                "UPDATE message SET attempts = attempts + 1, problem = ?, state = ? WHERE number = ?",
                (problem[:500], "aside" if aside else "waiting", message.number),
            )
        return aside

    def set_aside(self) -> list[Waiting]:
        """The messages that failed too often. Each may hold an allergy: a person reads them."""
        with closing(self._connect()) as connection:
            rows = connection.execute(_ASIDE).fetchall()
        return [Waiting(*row) for row in rows]

    def retry(self, message: Waiting) -> None:
        """Puts a message that was set aside back in."""
        with closing(self._connect()) as connection, connection:
            connection.execute(
                "UPDATE message SET state = 'waiting', attempts = 0 WHERE number = ?", (message.number,)
            )

    def lag(self, customer_id: str | None = None) -> Lag:
        """How far the memory is behind: for everybody, or for one customer."""
        whose = (customer_id, customer_id)
        with closing(self._connect()) as connection:
            count, customers, oldest = connection.execute(_BEHIND, whose).fetchone()
            (aside,) = connection.execute(_COUNT_ASIDE, whose).fetchone()
        return Lag(count, customers, max(0.0, time.time() - oldest) if oldest else 0.0, aside)

    def work(
        self,
        handle: Callable[[Waiting], object],
        *,
        limit: int | None = None,
        on_set_aside: Callable[[Waiting, Exception], object] | None = None,
    ) -> int:
        """Writes what waits, oldest first, until nothing is left.

        Args:
            handle: writes one message; an error keeps it in the queue and lets other customers' go on.
            limit: how many at most; all when None.
            on_set_aside: told of a message that failed too often, with the last error.

        Returns:
            How many were written.
        """
        written = taken = 0
        while (limit is None or taken < limit) and (message := self.next()) is not None:
            taken += 1
            try:
                handle(message)
            except (
                Exception
            ) as error:  # whatever goes wrong with one message, the others must not wait for it
                if self.failed(message, f"{type(error).__name__}: {error}") and on_set_aside is not None:
                    on_set_aside(message, error)
                continue
            self.done(message)
            written += 1
        return written

    def start(self, handle: Callable[[Waiting], object], *, pause: float = 0.2) -> Worker:
        """Works in a thread of its own until `Worker.stop`."""
        return Worker(self, handle, pause)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=10)
        connection.execute("PRAGMA synchronous=FULL")  # a message that was acknowledged survives a power cut
        return connection


def into_memory(store: Store, extract: Callable[[str], Extraction]) -> Callable[[Waiting], object]:
    """How a message gets from the queue into the memory: read by a model, then written.

    For `MemoryQueue.work` and `MemoryQueue.start`. At the last attempt a message that nobody could read goes
    into the tray, since it may hold an allergy.
    """
    from course_lib.crumb.writer import write

    def handle(message: Waiting) -> object:
        try:
            extraction = extract(message.text)
        except Exception as error:
            if message.attempts + 1 >= MOST_ATTEMPTS:
                unread = Extraction(problems=(Problem("no reply", str(error)[:200]),), message=message.text)
                write(unread, message.customer_id, store, message.message_id, date=message.date or None)
            raise
        return write(extraction, message.customer_id, store, message.message_id, date=message.date or None)

    return handle


class Worker:
    """A thread that writes what waits."""

    def __init__(self, queue: MemoryQueue, handle: Callable[[Waiting], object], pause: float) -> None:
        self._queue, self._handle, self._pause = queue, handle, pause
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="crumb-memory", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 30.0) -> None:
        """Ends after the message at hand. What still waits stays in the queue."""
        self._stop.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        while not self._stop.is_set():
            if not self._queue.work(self._handle, limit=1):
                self._stop.wait(self._pause)
