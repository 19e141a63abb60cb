"""The schema, read once for a graph and again when the graph may have changed."""

from __future__ import annotations

import threading
import weakref

from course_lib.college.graph import Graph
from course_lib.college.schema import Schema, read_schema


class SchemaWatch:
    """Keeps a graph's schema as long as the graph stays as it is. Safe under threads.

    Looking whether it did takes a fifth of a millisecond, reading the schema many times that: see
    `Graph.state()`. Get one with `watch_of`, so that all who ask about a graph share it.
    """

    def __init__(self, graph: Graph) -> None:
        # No reference that would keep the graph's connections alive: whoever asks brings the graph along.
        self._graph = weakref.ref(graph)
        self._lock = threading.Lock()
        self._state = ""
        self._schema: Schema | None = None
        self.reads = 0
        """How often the schema was read."""

    def current(self) -> tuple[Schema, str]:
        """The schema as it is now, and the mark of the graph's state that it goes with."""
        graph = self._graph()
        if graph is None:
            raise ReferenceError("The graph that was watched is gone.")
        # The mark is taken first: a change in between makes the schema newer than it says, never older.
        state = graph.state()
        with self._lock:
            if self._schema is None or state != self._state:
                self._schema = read_schema(graph)
                self._state = state
                self.reads += 1
            return self._schema, state


_watches: weakref.WeakKeyDictionary[Graph, SchemaWatch] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def watch_of(graph: Graph) -> SchemaWatch:
    """The one watch over a graph's schema, made when it is first asked for."""
    with _lock:
        watch = _watches.get(graph)
        if watch is None:
            watch = _watches[graph] = SchemaWatch(graph)
        return watch
