"""The schema, read once and again when the graph may have changed."""

from __future__ import annotations

import threading

from course_lib.college.graph import Graph
from course_lib.college.schema import Schema, read_schema


class SchemaWatch:
    """Keeps a graph's schema as long as the graph stays as it is. Safe under threads.

    Looking whether it did takes a fifth of a millisecond, reading the schema many times that: see
    `Graph.state()`.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lock = threading.Lock()
        self._state = ""
        self._schema: Schema | None = None
        self.reads = 0
        """How often the schema was read."""

    def current(self) -> tuple[Schema, str]:
        """The schema as it is now, and the mark of the graph's state that it goes with."""
        # The mark is taken first: a change in between makes the schema newer than it says, never older.
        state = self._graph.state()
        with self._lock:
            if self._schema is None or state != self._state:
                self._schema = read_schema(self._graph)
                self._state = state
                self.reads += 1
            return self._schema, state
