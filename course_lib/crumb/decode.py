"""Turns the engines' own results into rows of plain values.

Kuzu marks a node with `_id` and `_label`, Ladybug with `_ID` and `_LABEL`; both hand them over as dicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from course_lib.rows import EdgeValue, NodeValue, PathValue, Rows


def to_rows(result: Any) -> Rows:
    """All rows of one result, read to the end."""
    columns = result.get_column_names()
    rows = []
    while result.has_next():
        rows.append([to_value(cell) for cell in result.get_next()])
    result.close()
    return Rows(columns, rows)


def to_value(cell: Any) -> Any:
    """A cell as a plain value: nodes, edges and paths as the course shows them, all else as it is."""
    if isinstance(cell, list):
        return [to_value(item) for item in cell]
    if not isinstance(cell, dict):
        return cell
    marks = {key.lower(): value for key, value in cell.items() if key.startswith("_")}
    if "_nodes" in marks and "_rels" in marks:
        return PathValue(
            tuple(to_value(node) for node in marks["_nodes"]),
            tuple(to_value(edge) for edge in marks["_rels"]),
        )
    if "_label" not in marks:
        return {key: to_value(value) for key, value in cell.items()}
    properties = {
        key: to_value(value) for key, value in cell.items() if not key.startswith("_") and value is not None
    }
    if "_src" in marks:
        return EdgeValue(
            marks["_label"],
            properties,
            id=_number(marks.get("_id")),
            source=_number(marks["_src"]),
            target=_number(marks["_dst"]),
        )
    return NodeValue((marks["_label"],), properties, id=_number(marks.get("_id")))


def _number(internal: Mapping[str, int] | None) -> int:
    """One number for an engine's pair of table and offset: it tells things of one result apart."""
    return -1 if internal is None else (internal["table"] << 40) + internal["offset"]
