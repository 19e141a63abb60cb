"""What a query gives back. Both halves of the course share these values, see `course_lib.rows`."""

from __future__ import annotations

from course_lib.rows import (
    SHOWN_CELL,
    SHOWN_HTML_CELL,
    SHOWN_ROWS,
    Counts,
    EdgeValue,
    NodeValue,
    PathValue,
    Rows,
    Stats,
    show,
)

__all__ = [
    "SHOWN_CELL",
    "SHOWN_HTML_CELL",
    "SHOWN_ROWS",
    "Counts",
    "EdgeValue",
    "NodeValue",
    "PathValue",
    "Rows",
    "Stats",
    "show",
]
