"""A graph that notes down every query, so that a check can see what a function did with a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from course_lib.classroom.outcome import Outcome, nearly

if TYPE_CHECKING:
    from course_lib.college.graph import Graph, Rows


class RecordingGraph:
    """A scratch graph for a learner's function: works like any other, and remembers the texts of the queries.

    Args:
        graph: the graph that does the work.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.queries: list[str] = []
        """The texts of the queries so far, without their parameters; those that failed too."""

    def read(
        self, cypher: str, params: Mapping[str, Any] | None = None, timeout_ms: int | None = None
    ) -> Rows:
        """Runs a query that reads. See `Graph.read`."""
        self.queries.append(str(cypher))
        return self._graph.read(cypher, params, timeout_ms)

    def write(
        self, cypher: str, params: Mapping[str, Any] | None = None, timeout_ms: int | None = None
    ) -> Rows:
        """Runs a query that writes. See `Graph.write`."""
        self.queries.append(str(cypher))
        return self._graph.write(cypher, params, timeout_ms)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def __repr__(self) -> str:
        return repr(self._graph)


def recording(graph: Graph) -> RecordingGraph:
    """The graph, noting down the queries that it is given from now on.

    Args:
        graph: a scratch graph of a check's room.
    """
    return RecordingGraph(graph)


def still_in_the_query(graph: RecordingGraph, *words: str, name: str = "text") -> Outcome | None:
    """What to say when a value was written into a query's text instead of travelling beside it; else None.

    Args:
        graph: the graph that the learner's function worked on.
        words: words of the value that no honest query contains. Plain ASCII letters: whatever way a text is
            quoted and escaped, they stay as they are.
        name: the name of the parameter that the value could travel as.
    """
    if any(word in query for word in words for query in graph.queries):
        return nearly(
            f"Every text arrives, but it is still part of your query. Let it travel beside it: `${name}`."
        )
    return None
