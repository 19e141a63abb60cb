"""The graph, as lessons and the assistant see it: read, write, and little else.

    from course_lib.college.graph import open_graph

    college = open_graph()
    college.read("MATCH (s:Student) WHERE s.year = $year RETURN s.name", {"year": 2})

Reads go through a user of the server who can read this one graph and do nothing else; see `connection`.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from typing import Any

from course_lib.college.connection import Connection, connection_for
from course_lib.college.decode import Names, StaleNamesError, decode
from course_lib.college.errors import GraphClosedError
from course_lib.college.names import graph_key
from course_lib.college.parameters import check_names, header
from course_lib.college.rows import Counts, EdgeValue, NodeValue, PathValue, Rows, Stats
from course_lib.settings import Settings, load_settings

__all__ = [
    "Counts",
    "EdgeValue",
    "Graph",
    "NodeValue",
    "PathValue",
    "Rows",
    "Stats",
    "open_graph",
]


def open_graph(
    tenant: str | None = None, *, name: str | None = None, settings: Settings | None = None
) -> Graph:
    """Opens a graph, and starts the embedded server when none is there.

    Args:
        tenant: whose graph; it is called `user_<tenant>_graph`.
        name: the name of a lesson's or a scratch graph. Without either it is the graph `college`.
        settings: the course's settings; read afresh when None.

    Raises:
        BadGraphNameError: the tenant or the name cannot be used.
        EngineError: there is no server, or it does not let us in; each reason has a class of its own.
    """
    key = graph_key(tenant, name)
    settings = settings or load_settings()
    graph = Graph(key, connection_for(settings), settings.query_timeout_ms)
    graph._make_exist()
    return graph


class Graph:
    """One graph on a server. Safe to use from several threads."""

    def __init__(self, name: str, connection: Connection, timeout_ms: int) -> None:
        self._name = name
        self._connection: Connection | None = connection
        self._timeout_ms = timeout_ms
        self._names = Names()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The graph's key on the server."""
        return self._name

    def __repr__(self) -> str:
        return f"Graph({self._name!r})"

    def read(
        self, cypher: str, params: Mapping[str, Any] | None = None, timeout_ms: int | None = None
    ) -> Rows:
        """Runs a query that only reads, as a user who can only read."""
        return self._run(False, cypher, params, timeout_ms)

    def write(
        self, cypher: str, params: Mapping[str, Any] | None = None, timeout_ms: int | None = None
    ) -> Rows:
        """Runs any query. What it changed is in the rows' `stats`."""
        return self._run(True, cypher, params, timeout_ms)

    def explain(self, cypher: str, params: Mapping[str, Any] | None = None) -> str:
        """The engine's plan for a query, which is not run."""
        check_names(cypher, params or {})
        plan = self._link().owner("GRAPH.EXPLAIN", self._name, header(params or {}) + cypher)
        return "\n".join(plan)

    def size(self) -> Counts:
        """How many nodes and relationships there are."""
        nodes = self.read("MATCH (n) RETURN count(n)").scalar()
        return Counts(nodes, self.read("MATCH ()-[r]->() RETURN count(r)").scalar())

    def exists(self) -> bool:
        """Whether the server has a graph of this name."""
        return bool(self._link().owner("EXISTS", self._name))

    def delete(self) -> None:
        """Takes the graph off the server. The next use makes a new, empty one."""
        if self.exists():
            self._link().owner("GRAPH.DELETE", self._name)
        self._names = Names()

    def checksum(self) -> str:
        """A hash of what the graph holds; the same for the same nodes and relationships, however they came
        there. Internal numbers and the order of writing do not count."""
        keys: dict[int, str] = {}
        digests = []
        for (node,) in self.read("MATCH (n) RETURN n"):
            keys[node.id] = _digest(sorted(node.labels), dict(node.properties))
            digests.append(keys[node.id])
        for (edge,) in self.read("MATCH ()-[r]->() RETURN r"):
            digests.append(
                _digest(keys.get(edge.source), edge.type, keys.get(edge.target), dict(edge.properties))
            )
        return _digest(sorted(digests))

    def close(self) -> None:
        """Ends the use of this object; the graph stays on the server."""
        self._connection = None

    # -- inside -------------------------------------------------------------------------------------------

    def _link(self) -> Connection:
        if self._connection is None:
            raise GraphClosedError(
                f"The graph {self._name!r} was closed.", "Open it again with open_graph()."
            )
        return self._connection

    def _make_exist(self) -> None:
        self._link().owner("GRAPH.QUERY", self._name, "RETURN 1", "--compact")

    def _run(
        self, write: bool, cypher: str, params: Mapping[str, Any] | None, timeout_ms: int | None
    ) -> Rows:
        params = params or {}
        check_names(cypher, params)
        text = header(params) + cypher
        timeout = timeout_ms or self._timeout_ms
        names = self._names
        while True:
            reply = self._send(write, text, "version", names.version, "timeout", timeout)
            if _mismatch(reply):
                names = self._fetch_names(int(reply[1]))
                continue
            try:
                return decode(reply, names)
            except StaleNamesError:
                names = self._fetch_names(names.version)
                return decode(reply, names)

    def _send(self, write: bool, text: str, *more: Any) -> Any:
        command = ("GRAPH.QUERY" if write else "GRAPH.RO_QUERY", self._name, text, "--compact", *more)
        link = self._link()
        return link.owner(*command) if write else link.reader(self._name, *command)

    def _fetch_names(self, version: int) -> Names:
        def column(procedure: str) -> tuple[str, ...]:
            reply = self._send(False, f"CALL {procedure}()")
            return tuple(row[0] for row in decode(reply, Names()))

        names = Names(version, column("db.labels"), column("db.relationshipTypes"), column("db.propertyKeys"))
        self._names = names
        return names


def _mismatch(reply: Any) -> bool:
    return bool(reply) and isinstance(reply[0], Exception) and "version mismatch" in str(reply[0])


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
