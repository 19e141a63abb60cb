"""Runs one query for the agent, and says in a word what came of it. It raises nothing that a query can
cause."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from course_lib.college.errors import (
    EngineError,
    QueryError,
    QueryTimeoutError,
    QueryTooLargeError,
    ReadOnlyError,
)
from course_lib.college.events import Outcome
from course_lib.college.graph import Graph
from course_lib.college.rows import Rows

NO_ROWS = Rows((), ())
"""What stands for a result where nothing has run."""


@dataclass(frozen=True)
class Ran:
    """What came of a query."""

    outcome: Outcome
    rows: Rows = field(default_factory=lambda: NO_ROWS)
    seconds: float = 0.0
    total: int = 0
    """How many rows there were; more than `rows` holds where the outcome is `too_many`."""
    error: EngineError | None = None
    only_nulls: bool = False
    """Whether there were rows and nothing in them: an unknown property gives that."""

    @property
    def only_zeros(self) -> bool:
        """Whether there is one row, and all that it holds is zero: a count of nothing."""
        return len(self.rows) == 1 and all(cell == 0 and not isinstance(cell, bool) for cell in self.rows[0])


def run_query(graph: Graph, cypher: str, *, timeout_ms: int | None, row_limit: int) -> Ran:
    """Runs a query as the reader, within a time and down to a number of rows.

    Args:
        graph: the graph.
        cypher: the query. No LIMIT is written into it: that would change what it means where it counts or
            ranks, and say nothing to whoever reads it.
        timeout_ms: how long the engine may work on it; the setting when None.
        row_limit: how many rows are kept.
    """
    began = time.perf_counter()
    try:
        rows = graph.read(cypher, timeout_ms=timeout_ms)
    except EngineError as error:
        return Ran(_outcome_of(error), seconds=time.perf_counter() - began, error=error)
    seconds = time.perf_counter() - began
    if not len(rows):
        return Ran("empty", rows, seconds)
    if len(rows) > row_limit:
        return Ran("too_many", Rows(rows.columns, list(rows)[:row_limit]), seconds, len(rows))
    if all(_is_nothing(cell) for row in rows for cell in row):
        return Ran("empty", rows, seconds, len(rows), only_nulls=True)
    return Ran("rows", rows, seconds, len(rows))


def _outcome_of(error: EngineError) -> Outcome:
    if isinstance(error, QueryTimeoutError | QueryTooLargeError):
        return "timeout"
    if isinstance(error, ReadOnlyError):
        return "refused"
    return "error" if isinstance(error, QueryError) else "engine_down"


def _is_nothing(cell: Any) -> bool:
    """Whether a cell is null, or a list of nothing but nulls (an empty list is an answer: none)."""
    if cell is None:
        return True
    return (
        isinstance(cell, Iterable)
        and not isinstance(cell, str | bytes | dict)
        and bool(items := list(cell))
        and all(item is None for item in items)
    )
