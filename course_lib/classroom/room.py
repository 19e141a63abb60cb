"""Where a check works: scratch graphs of its own, gone afterwards, whatever happened in between.

A learner's query or function never touches the lesson's graph in a check. It runs on copies, some of them of
colleges that the learner has not seen, so that an answer that was typed in does not pass.
"""

from __future__ import annotations

import contextlib
import secrets
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from course_lib.classroom.manifest import Data
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

    def graph(self) -> Graph:
        """A fresh scratch graph with nothing in it."""
        from course_lib.college.graph import open_graph

        if self._lock is None:
            self._lock = _claim(self.settings.home, self._token)
        graph = open_graph(name=_name(self._token, len(self._graphs) + 1))
        self._graphs.append(graph)
        return graph

    def _filled(self, tables: CollegeTables, layers: tuple[str, ...]) -> Graph:
        from course_lib.college.dataset import load_tables

        graph = self.graph()
        load_tables(graph, tables, layers=layers)
        return graph

    def close(self) -> None:
        """Deletes every graph that was made here."""
        if not self._graphs:
            self._release()
            return
        from course_lib.college.errors import EngineError

        # The last one first, so that what a killed kernel leaves is always numbered from 1 without a gap.
        while self._graphs:
            graph = self._graphs.pop()
            # The server may be gone by now. Then the graph is swept away by a later room.
            with contextlib.suppress(EngineError):
                graph.delete()
            graph.close()
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

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
    """Deletes the scratch graphs of kernels that were killed in the middle of a check.

    A room holds the lock on its file for as long as it is open; a file that nobody holds has been left.

    Returns:
        How many graphs were deleted.
    """
    folder = _folder(home)
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
            deleted += _delete_left(path.stem)
        finally:
            lock.release()
            path.unlink(missing_ok=True)
    return deleted


def _delete_left(token: str) -> int:
    from course_lib.college.graph import open_graph

    number = 1
    while True:
        graph = open_graph(name=_name(token, number))
        found = graph.size().nodes > 0
        graph.delete()
        graph.close()
        if not found:
            return number - 1
        number += 1


def _claim(home: Path, token: str) -> Any:
    from filelock import FileLock

    _folder(home).mkdir(parents=True, exist_ok=True)
    lock = FileLock(_folder(home) / f"{token}.lock")
    lock.acquire()
    return lock


def _folder(home: Path) -> Path:
    return home / "scratch"


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
