"""The graph, as lessons and the assistant see it: read, write, and little else.

    from course_lib.college.graph import open_graph

    college = open_graph()
    college.read("MATCH (s:Student) WHERE s.year = $year RETURN s.name", {"year": 2})

Reads go through a user of the server who can read this one graph and do nothing else; see `connection`.
"""

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Mapping
from typing import Any

from course_lib.college.connection import Connection, connection_for
from course_lib.college.decode import Names, StaleNamesError, decode
from course_lib.college.errors import (
    BadQueryTextError,
    BadTimeoutError,
    EmptyQueryError,
    GraphClosedError,
    NotAllowedError,
    TooManyRowsError,
)
from course_lib.college.names import graph_key
from course_lib.college.parameters import check_names, header, is_empty
from course_lib.college.refusals import ABOVE_TIMEOUT_MAX, EMPTY_KEY, disk_full, refusal
from course_lib.college.rows import Counts, EdgeValue, NodeValue, PathValue, Rows, Stats
from course_lib.college.stored_log import needs_base
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

WRITE_TIMEOUT_MS = 60_000
"""How long a write may take when the caller does not say, in milliseconds. The embedded server takes an
overlong write back; a server at `FALKORDB_URL` only where its TIMEOUT_DEFAULT or TIMEOUT_MAX is set."""
SUSPICIOUS_ROWS = 100
"""From how many rows on to ask whether a server cuts results off."""
VERSION_TRIES = 5
"""How often to fetch the schema's names when somebody else keeps changing the schema meanwhile."""


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
    """One graph on a server. Safe to use from several threads, and from a forked child."""

    def __init__(self, name: str, connection: Connection, timeout_ms: int) -> None:
        self._name = name
        self._connection = connection
        self._timeout_ms = timeout_ms
        self._names = Names()
        connection.take(name)
        # However the use of this object ends, the reader's connections go with the last one that needs them.
        self._end = weakref.finalize(self, connection.let_go, name)
        self._end.atexit = False

    @property
    def name(self) -> str:
        """The graph's key on the server."""
        return self._name

    def __repr__(self) -> str:
        return f"Graph({self._name!r})"

    def read(
        self,
        cypher: str,
        params: Mapping[str, Any] | None = None,
        timeout_ms: int | None = None,
        *,
        max_rows: int | None = None,
    ) -> Rows:
        """Runs a query that only reads, as a user who can only read.

        Args:
            cypher: the query, one statement.
            params: the values for the `$names` in it.
            timeout_ms: how long the engine may work on it, in milliseconds; the setting
                `COURSE_QUERY_TIMEOUT_MS` when None.
            max_rows: refuse a result with more rows than this.

        Returns:
            The rows; none of them when the graph is empty.

        Raises:
            QueryError: the query cannot run or was stopped; each reason has a class of its own,
                `ReadOnlyError` for a query that would write.
            ServerLostError: the server went away and did not come back in time.
        """
        rows = self._run(False, cypher, params, self._timeout_ms if timeout_ms is None else timeout_ms)
        if max_rows is not None and len(rows) > max_rows:
            raise TooManyRowsError(
                f"The query gives {len(rows)} rows, and at most {max_rows} were wanted.",
                f"Ask for less, or add LIMIT {max_rows}.",
            )
        if len(rows) >= SUSPICIOUS_ROWS and len(rows) == self._connection.row_limit():
            raise TooManyRowsError(
                f"The server at {self._connection.address} gives {len(rows)} rows at most, and has cut this "
                "result off.",
                f"Add a LIMIT below {len(rows)}, or ask who runs it to set RESULTSET_SIZE to -1.",
            )
        return rows

    def write(
        self, cypher: str, params: Mapping[str, Any] | None = None, timeout_ms: int | None = None
    ) -> Rows:
        """Runs any query. What it changed is in the rows' `stats`.

        It is carried out whole or not at all, and once: when the connection breaks, it is not sent again.

        Args:
            cypher: the query, one statement.
            params: the values for the `$names` in it.
            timeout_ms: how long the engine may work on it, in milliseconds; 60 seconds when None.

        Raises:
            QueryError: the query cannot run or was stopped; nothing was changed.
            ServerLostError: the connection broke; `may_have_been_applied` says whether the change may be
                there.
            ServerFullError: the disk or the memory is full.
        """
        rows = self._run(True, cypher, params, WRITE_TIMEOUT_MS if timeout_ms is None else timeout_ms)
        if rows.stats != Stats() and self._connection.embedded:
            if needs_base(cypher):
                self._connection.write_base()
            else:
                self._check_disk()
        return rows

    def explain(self, cypher: str, params: Mapping[str, Any] | None = None) -> str:
        """The engine's plan for a query, which is not run.

        Raises:
            QueryError: the query cannot be read.
        """
        from redis import exceptions

        text = self._text(cypher, params)
        try:
            plan = self._link().owner("GRAPH.EXPLAIN", self._name, text)
        except exceptions.ResponseError as error:
            raise refusal(str(error), cypher, self._timeout_ms) from error
        return "\n".join(plan)

    def size(self) -> Counts:
        """How many nodes and relationships there are."""
        # Two queries: alone, each is answered from the engine's own counters. Joined by UNION it walks
        # the whole graph: 317 ms in place of 3 at 29,184 relationships, a timeout at some millions.
        nodes = self.read("MATCH (n) RETURN count(n)").scalar()
        return Counts(nodes, self.read("MATCH ()-[r]->() RETURN count(r)").scalar())

    def exists(self) -> bool:
        """Whether the server has a graph of this name."""
        return bool(self._link().owner("EXISTS", self._name))

    def delete(self) -> None:
        """Takes the graph off the server. The next use makes a new, empty one."""
        from redis import exceptions

        try:
            self._link().owner("GRAPH.DELETE", self._name)
        except exceptions.ResponseError as error:
            if EMPTY_KEY not in str(error):
                raise refusal(str(error), "", self._timeout_ms) from error
        self._link().remove_reader(self._name)

    def checksum(self) -> str:
        """A hash of what the graph holds, in hexadecimal.

        It is the same for the same nodes (labels and properties) and relationships (type, properties, and the
        nodes at their ends), in whatever order they were written. Two nodes with the same labels and
        properties are not told apart. It reads the whole graph: fine for a college, slow for a million nodes.
        """
        keys: dict[int, str] = {}
        digests = []
        for (node,) in self.read("MATCH (n) RETURN n"):
            keys[node.id] = _digest("node", sorted(node.labels), dict(node.properties))
            digests.append(keys[node.id])
        for (edge,) in self.read("MATCH ()-[r]->() RETURN r"):
            ends = (keys.get(edge.source), keys.get(edge.target))
            digests.append(_digest("relationship", *ends, edge.type, dict(edge.properties)))
        return _digest("graph", sorted(digests))

    def state(self) -> str:
        """A mark that is another one after any change to the graph. It takes a fifth of a millisecond.

        It counts the changes that the server has taken, so a change to another graph on the same server moves
        it
        too: what is kept under a mark may be read again without need, and is never kept too long. A server at
        `FALKORDB_URL` may be a cluster, of which one node is asked, or may not say: there the counts of this
        graph's nodes and relationships are part of the mark.
        """
        link = self._link()
        try:
            info = link.owner("INFO", "persistence")
        except NotAllowedError:
            info = {}
        marks = [str(info.get(name)) for name in ("rdb_changes_since_last_save", "rdb_last_save_time")]
        if not link.embedded:
            marks.append(str(self.size()))
        return ":".join([self._name, *marks])

    def close(self) -> None:
        """Ends the use of this object; the graph stays on the server."""
        self._end()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inside -------------------------------------------------------------------------------------------

    def _link(self) -> Connection:
        if not self._end.alive:
            raise GraphClosedError(
                f"The graph {self._name!r} was closed.", "Open it again with open_graph()."
            )
        return self._connection

    def _make_exist(self) -> None:
        """The engine refuses to read a graph that is not there: a query of the owner's brings it about."""
        from redis import exceptions

        try:
            self._send(True, "RETURN 1", WRITE_TIMEOUT_MS, repeatable=True)
        except exceptions.ResponseError as error:
            raise refusal(str(error), "RETURN 1", WRITE_TIMEOUT_MS) from error

    def _text(self, cypher: str, params: Mapping[str, Any] | None) -> str:
        """What is sent to the engine: the parameters and the query, both checked."""
        if not isinstance(cypher, str):
            raise BadQueryTextError(
                f"A query is text, and this is a {type(cypher).__name__}.", "Hand in the query as a string."
            )
        if "\x00" in cypher or not _is_utf8(cypher):
            raise BadQueryTextError(
                "The query holds a character that the engine cannot read (a NUL, or half a character).",
                "Take it out; values belong into parameters.",
            )
        if is_empty(cypher):
            raise EmptyQueryError("There is no query in this text.", "Write one, such as MATCH (n) RETURN n.")
        check_names(cypher, params or {})
        return header(params or {}) + cypher

    def _run(self, write: bool, cypher: str, params: Mapping[str, Any] | None, timeout_ms: int) -> Rows:
        from redis import exceptions

        text = self._text(cypher, params)
        if isinstance(timeout_ms, bool) or not isinstance(timeout_ms, int) or timeout_ms <= 0:
            raise BadTimeoutError(
                f"timeout_ms is {timeout_ms!r}.", "Give a whole number of milliseconds above 0."
            )
        names = self._names
        try:
            for _ in range(VERSION_TRIES):
                # The version goes along: the engine compares it before it runs anything, so that a graph that
                # was deleted and made anew by somebody else is never read with the old one's names.
                reply = self._send(write, text, timeout_ms, "version", names.version)
                if not _is_mismatch(reply):
                    return self._decode(reply, names)
                names = self._names = self._fetch_names(int(reply[1]))
            return self._decode(self._send(write, text, timeout_ms), Names())
        except exceptions.ResponseError as error:
            raise refusal(str(error), cypher, timeout_ms) from error

    def _decode(self, reply: Any, names: Names) -> Rows:
        if isinstance(reply[-1], Exception):
            raise reply[-1]  # it went wrong in the middle of the rows
        try:
            return decode(reply, names)
        except StaleNamesError:
            # The query itself has made new labels, types or properties.
            return decode(reply, self._fetch_names(0))

    def _send(
        self, write: bool, text: str, timeout_ms: int, *more: Any, repeatable: bool | None = None
    ) -> Any:
        from redis import exceptions

        command = "GRAPH.QUERY" if write else "GRAPH.RO_QUERY"
        link = self._link()

        def send(*limit: Any) -> Any:
            arguments = (command, self._name, text, "--compact", *limit, *more)
            if not write:
                return link.reader(self._name, *arguments, timeout_ms=timeout_ms)
            return link.owner(*arguments, timeout_ms=timeout_ms, repeatable=bool(repeatable))

        limit: tuple[Any, ...] = ("timeout", timeout_ms)
        for _ in range(3):
            try:
                return send(*limit)
            except exceptions.ResponseError as error:
                if EMPTY_KEY in str(error) and not write:
                    self._make_exist()
                elif ABOVE_TIMEOUT_MAX in str(error) and limit:
                    # The server has a shorter limit of its own, which then holds. Nothing was run yet.
                    limit = ()
                else:
                    raise
        return send(*limit)

    def _fetch_names(self, version: int) -> Names:
        def column(procedure: str) -> tuple[str, ...]:
            reply = self._send(False, f"CALL {procedure}()", self._timeout_ms)
            return tuple(row[0] for row in decode(reply, Names()))

        return Names(version, column("db.labels"), column("db.relationshipTypes"), column("db.propertyKeys"))

    def _check_disk(self) -> None:
        """Asks whether the change that was just answered has reached the file.

        The engine answers a write even when it could only keep it in memory, because the disk is full. It
        refuses a PING from then on, and that is how one finds out.
        """
        from redis import exceptions

        try:
            self._connection.owner("PING")
        except exceptions.ResponseError as error:
            if "MISCONF" in str(error):
                raise disk_full(str(error)) from error
            raise refusal(str(error), "", WRITE_TIMEOUT_MS) from error


def _is_mismatch(reply: Any) -> bool:
    return bool(reply) and isinstance(reply[0], Exception) and "version mismatch" in str(reply[0])


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
