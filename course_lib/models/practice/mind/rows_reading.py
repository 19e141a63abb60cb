"""Rows as a prompt carries them: JSON, a table with pipes or tabs, or lines of `name: value`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RowsText:
    """The rows of a prompt: column names (possibly empty) and the cells."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()

    def cells(self) -> list[Any]:
        """Every cell, row by row."""
        return [cell for row in self.rows for cell in row]


_FENCE = re.compile(r"^```\w*\s*\n(.*?)\n?```$", re.S)
_NONE = re.compile(r"^\W*(?:0 rows|no rows|none|empty|nothing|\[\]|\(0 rows\)).*$", re.I)
_RULE = re.compile(r"^[\s|:+-]+$")


def read_rows(text: str) -> RowsText:
    """Reads rows in whatever common form they stand."""
    body = text.strip()
    match = _FENCE.match(body)
    if match:
        body = match.group(1).strip()
    if not body or _NONE.match(body):
        return RowsText()
    found = _from_json(body)
    if found is not None:
        return found
    lines = [line.strip() for line in body.splitlines() if line.strip() and not _RULE.match(line)]
    for mark in ("|", "\t"):
        if lines and all(mark in line for line in lines) and len(lines) > 1:
            cells = [tuple(_cell(c) for c in line.strip(mark).split(mark)) for line in lines]
            return _squared(tuple(str(c) for c in cells[0]), list(cells[1:]))
    rows: list[tuple[Any, ...]] = []
    names: tuple[str, ...] = ()
    for line in lines:
        line = re.sub(r"^(?:[-*]|\d+[.)])\s+", "", line)
        one = _from_json(line)
        if one is not None and one.rows:
            names = names or one.columns
            rows.extend(one.rows)
            continue
        pairs = re.findall(r"([A-Za-z_]\w*)\s*[:=]\s*([^,;|]+)", line)
        if pairs and len(", ".join(f"{k}: {v}" for k, v in pairs)) >= len(line) * 0.7:
            names = names or tuple(k for k, _ in pairs)
            rows.append(tuple(_cell(v) for _, v in pairs))
        else:
            rows.append(tuple(_cell(c) for c in (line.split(" | ") if " | " in line else [line])))
    return _squared(names, rows)


def _cell(text: str) -> Any:
    text = text.strip().strip("'\"")
    return int(text) if re.fullmatch(r"-?\d{1,12}", text) else text


def _from_json(body: str) -> RowsText | None:
    if body[:1] not in "[{":
        return None
    try:
        data: Any = json.loads(body)
    except ValueError:
        return None
    columns: tuple[str, ...] = ()
    if isinstance(data, dict):
        if isinstance(data.get("rows"), list):
            columns = tuple(str(c) for c in data.get("columns") or data.get("header") or ())
            data = data["rows"]
        else:
            data = [data]
    listed: list[Any] = data if isinstance(data, list) else []
    if not columns:
        columns = tuple(dict.fromkeys(name for item in listed if isinstance(item, dict) for name in item))
    rows: list[tuple[Any, ...]] = []
    for item in listed:
        if isinstance(item, dict):
            rows.append(tuple(item.get(name) for name in columns))
        else:
            rows.append(tuple(item) if isinstance(item, list) else (item,))
    return _squared(columns, rows)


def _squared(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> RowsText:
    """Rows of one length, with a name for each column if any is named; empty rows are left out."""
    rows = [row for row in rows if row]
    width = max([len(columns), *(len(row) for row in rows)], default=0)
    names = columns + ("",) * (width - len(columns)) if columns else ()
    return RowsText(names, tuple(row + (None,) * (width - len(row)) for row in rows))
