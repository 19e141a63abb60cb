"""Where a check works: scratch graphs of its own, gone afterwards, whatever happened in between.

A learner's query or function never touches the lesson's graph in a check. It runs on copies, some of them of
colleges that the learner has not seen, so that an answer that was typed in does not pass.
"""

from __future__ import annotations

import secrets
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from course_lib.classroom.manifest import Data
from course_lib.classroom.shelf import Shelf, shelf_for
from course_lib.settings import Settings

if TYPE_CHECKING:
    from course_lib.college.graph import Graph
    from course_lib.college.tables import CollegeTables

LAYERS: dict[Data, tuple[str, ...]] = {
    "people": ("people",),
    "college": ("people", "knowledge"),
    "empty": (),
    "none": (),
}
"""Which layers of the college a lesson's `data` means."""


class Room:
    """A check's scratch graphs.

    Use it as a context manager: on the way out every graph that it made is deleted.

    Args:
        settings: the settings in force.
        data: what the lesson starts from; a college made here holds the same unless told otherwise.
    """

    def __init__(self, settings: Settings, data: Data = "people") -> None:
        self.settings = settings
        self._layers = LAYERS[data] or LAYERS["people"]
        self._token = secrets.token_hex(6)
        self._graphs: list[Graph] = []
        self._made = 0
        self._lock: Any = None

    def college(self, layers: tuple[str, ...] | None = None) -> Graph:
        """A fresh scratch copy of the college.

        Args:
            layers: its layers, such as ("people", "knowledge"); those of the lesson when None.
        """
        wanted = self._layers if layers is None else layers
        return self._filled(_college_tables(wanted), wanted)

    def other_college(
        self, seed: int = 1, layers: tuple[str, ...] | None = None, keep: tuple[str, ...] = ()
    ) -> Graph:
        """A fresh scratch graph that holds a college which the learner has not seen.

        Args:
            seed: which one; the same seed gives the same college on every machine.
            layers: its layers; those of the lesson when None.
            keep: names of up to three students who must be there, for queries that name somebody.
        """
        return self._filled(_other_tables(seed, keep), self._layers if layers is None else layers)

    def college_to_read(self, layers: tuple[str, ...] | None = None) -> Graph:
        """A copy of the college for reading only: ready at once, and shared by all checks of this process.

        Args:
            layers: its layers; those of the lesson when None.
        """
        wanted = self._layers if layers is None else layers
        return self._shelf().take(("college", wanted), lambda room: room.college(wanted))

    def other_college_to_read(
        self, seed: int = 1, layers: tuple[str, ...] | None = None, keep: tuple[str, ...] = ()
    ) -> Graph:
        """A college that the learner has not seen, for reading only and shared like `college_to_read`.

        Args:
            seed: which one.
            layers: its layers; those of the lesson when None.
            keep: names of up to three students who must be there.
        """
        wanted = self._layers if layers is None else layers
        return self._shelf().take(
            ("other", seed, wanted, keep), lambda room: room.other_college(seed, wanted, keep)
        )

    def twisted_college_to_read(self, twist: str, layers: tuple[str, ...] | None = None) -> Graph:
        """A copy of the college in which a query has changed some facts, for reading only and shared.

        Args:
            twist: the query that changes them.
            layers: its layers; those of the lesson when None.
        """
        wanted = self._layers if layers is None else layers

        def make(room: Room) -> Graph:
            graph = room.college(wanted)
            graph.write(twist)
            return graph

        return self._shelf().take(("twisted", twist, wanted), make)

    def _shelf(self) -> Shelf:
        return shelf_for(self.settings, lambda: Room(self.settings))

    def graph(self) -> Graph:
        """A fresh scratch graph with nothing in it."""
        from course_lib.college.graph import open_graph

        if self._lock is None:
            self._lock = _claim(self.settings.home, self._token)
        self._made += 1
        # Noted before it exists, so that whoever sweeps up after us knows how far to look.
        _count_file(self.settings.home, self._token).write_text(str(self._made), encoding="ascii")
        graph = open_graph(name=_name(self._token, self._made))
        self._graphs.append(graph)
        return graph

    def _filled(self, tables: CollegeTables, layers: tuple[str, ...]) -> Graph:
        from course_lib.college.dataset import load_tables

        graph = self.graph()
        load_tables(graph, tables, layers=layers)
        return graph

    def close(self) -> None:
        """Deletes every graph that was made here."""
        if self._lock is None:
            return
        from course_lib.college.errors import EngineError

        gone = True
        while self._graphs:
            graph = self._graphs.pop()
            try:
                graph.delete()
            except EngineError:
                gone = False  # the server is away; a later sweep finds what is left
            graph.close()
        if gone:
            _count_file(self.settings.home, self._token).unlink(missing_ok=True)
        self._lock.release()
        self._lock = None
        if gone:
            _lock_file(self.settings.home, self._token).unlink(missing_ok=True)

    def __enter__(self) -> Room:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _tb: TracebackType | None
    ) -> None:
        self.close()


def raise_if_ours(error: BaseException) -> None:
    """Raises an error again that no learner's answer can cause: the engine is gone, full or out of reach.

    Args:
        error: what came out of the learner's query or function.
    """
    from course_lib.college.errors import BadGraphNameError, EngineError, GraphClosedError, QueryError

    if isinstance(error, EngineError) and not isinstance(
        error, QueryError | BadGraphNameError | GraphClosedError
    ):
        raise error


def sweep(home: Path) -> int:
    """Deletes the scratch graphs of kernels that have ended without doing so.

    A room holds the lock on its file for as long as it is open; a file that nobody holds has been left.

    Args:
        home: the course's own folder.

    Returns:
        How many graphs were deleted.
    """
    folder = home / "scratch"
    if not folder.is_dir():
        return 0
    from filelock import FileLock, Timeout

    deleted = 0
    for path in sorted(folder.glob("*.lock")):
        lock = FileLock(path, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            continue
        try:
            deleted += _delete_left(home, path.stem)
        finally:
            lock.release()
        path.unlink(missing_ok=True)
    return deleted


def _delete_left(home: Path, token: str) -> int:
    from course_lib.college.graph import open_graph

    count = _count_file(home, token)
    number = int(count.read_text(encoding="ascii") or 0) if count.is_file() else 0
    for each in range(1, number + 1):
        graph = open_graph(name=_name(token, each))
        graph.delete()
        graph.close()
    count.unlink(missing_ok=True)
    return number


def _claim(home: Path, token: str) -> Any:
    from filelock import FileLock

    path = _lock_file(home, token)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    lock.acquire()
    return lock


def _lock_file(home: Path, token: str) -> Path:
    return home / "scratch" / f"{token}.lock"


def _count_file(home: Path, token: str) -> Path:
    return home / "scratch" / f"{token}.count"


def _name(token: str, number: int) -> str:
    return f"scratch-{token}-{number}"


@cache
def _college_tables(layers: tuple[str, ...]) -> CollegeTables:
    from course_lib.college.tables import read_tables

    return read_tables(layers=layers)


@cache
def _other_tables(seed: int, keep: tuple[str, ...]) -> CollegeTables:
    from course_lib.college.generator import vary_college

    return vary_college(seed, keep)
