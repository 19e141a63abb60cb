"""Colleges that checks only read, kept for as long as the process lives.

Loading a college takes a hundred calls to the engine, and a query is judged on three colleges. A learner's
query runs as a user who can only read, so one copy serves every check; before each use its content is looked
at, and a copy that somebody has changed is made anew. What a process leaves on the server goes with the next
sweep.
"""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course_lib.settings import Settings

if TYPE_CHECKING:
    from course_lib.classroom.room import Room
    from course_lib.college.graph import Graph


@dataclass
class _Copy:
    """A graph, and what it should hold."""

    graph: Graph
    checksum: str


class Shelf:
    """Read-only copies of colleges on one server.

    Args:
        room: makes the copies, and is closed with the shelf.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._copies: dict[Hashable, _Copy] = {}

    def take(self, key: Hashable, make: Callable[[Room], Graph]) -> Graph:
        """The copy with this key; made when it is not there, or no longer what it was.

        Args:
            key: what tells this copy from the others.
            make: makes it, in the shelf's own room.
        """
        copy = self._copies.get(key)
        if copy is not None and copy.graph.checksum() == copy.checksum:
            return copy.graph
        graph = make(self._room)
        self._copies[key] = _Copy(graph, graph.checksum())
        return graph

    def close(self) -> None:
        """Deletes the copies."""
        self._copies.clear()
        self._room.close()


_shelves: dict[Hashable, Shelf] = {}


def shelf_for(settings: Settings, make_room: Callable[[], Room]) -> Shelf:
    """The shelf of this process for the server that the settings name.

    Args:
        settings: the settings in force.
        make_room: makes the room that the shelf's copies live in.
    """
    url = settings.falkordb_url.reveal() if settings.falkordb_url is not None else None
    key = (settings.home, url)
    if key not in _shelves:
        _shelves[key] = Shelf(make_room())
        if url is not None:
            # A server of others is left as it was found. One's own ends with its last user: closing here
            # might start it again, so its copies wait for the next sweep.
            atexit.register(_close_quietly, _shelves[key])
    return _shelves[key]


def _close_quietly(shelf: Shelf) -> None:
    from course_lib.college.errors import EngineError

    with contextlib.suppress(EngineError):
        shelf.close()
