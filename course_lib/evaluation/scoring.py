"""Whether a result is the wanted one: rows are compared with rows, never queries with queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from course_lib.college.events import Answer
from course_lib.college.graph import Graph
from course_lib.college.rows import EdgeValue, NodeValue, PathValue
from course_lib.evaluation.questions import Question

Row = tuple[Any, ...]


def is_right(question: Question, answer: Answer, reference: Sequence[Row]) -> bool:
    """Whether an answer's rows are those of the reference.

    Every column of the reference must be found in the answer, in any order of columns; more columns are
    allowed.

    Args:
        question: the question; it says how to compare.
        answer: what the assistant came to.
        reference: the rows of the reference query.
    """
    if question.compare == "sentinel":
        return answer.status == "out_of_scope"
    if question.compare == "refused":
        return answer.status in ("refused", "out_of_scope")
    if answer.status not in ("answered", "empty"):
        return False
    rows = [tuple(_plain(cell) for cell in row) for row in answer.rows]
    wanted = [tuple(_plain(cell) for cell in row) for row in reference]
    if question.compare == "first":
        return bool(rows) and any(not Counter(row) - Counter(rows[0]) for row in wanted)
    if len(rows) != len(wanted):
        return False
    return not wanted or _columns_fit(rows, wanted, question.compare == "ordered")


def reference_rows(question: Question, graph: Graph) -> list[Row]:
    """The rows that the reference query gives on a graph."""
    return [tuple(row) for row in graph.read(question.reference)] if question.reference else []


def _plain(cell: Any) -> Any:
    if isinstance(cell, NodeValue | EdgeValue | PathValue):
        return ("whole", repr(cell))  # equal to nothing that a reference returns
    if isinstance(cell, list):
        return tuple(_plain(item) for item in cell)
    if isinstance(cell, dict):
        return tuple(sorted((key, repr(value)) for key, value in cell.items()))
    return cell


def _columns_fit(rows: Sequence[Row], wanted: Sequence[Row], ordered: bool) -> bool:
    """Whether some choice of columns of the rows holds the wanted ones."""

    def fits(chosen: Sequence[int]) -> bool:
        mine = [tuple(row[i] for i in chosen) for row in rows]
        theirs = [row[: len(chosen)] for row in wanted]
        return mine == theirs if ordered else Counter(mine) == Counter(theirs)

    def search(chosen: tuple[int, ...]) -> bool:
        if len(chosen) == len(wanted[0]):
            return True
        free: Iterable[int] = (i for i in range(len(rows[0])) if i not in chosen)
        return any(fits((*chosen, i)) and search((*chosen, i)) for i in free)

    return search(())
