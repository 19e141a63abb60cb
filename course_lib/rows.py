"""What a query gives back: rows of plain Python values, easy to read and to compare.

Nothing of the database client leaks out: a node is a `NodeValue`, a relationship an `EdgeValue`, a path a
`PathValue`; all else is text, numbers, true and false, None, lists, dicts, dates.
"""

from __future__ import annotations

import datetime
import html
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, overload

SHOWN_ROWS = 20
"""How many rows a table shows; it says how many more there are."""
SHOWN_CELL = 72
"""The widest cell of a plain-text table, in characters."""
SHOWN_HTML_CELL = 400
"""The longest cell of an HTML table, in characters."""


_MANY = {"property": "properties", "index": "indices"}
_ONE = {
    "nodes": "node",
    "relationships": "relationship",
    "properties": "property",
    "labels": "label",
    "indices": "index",
}


@dataclass(frozen=True)
class Counts:
    """How much a graph holds."""

    nodes: int
    relationships: int

    def __str__(self) -> str:
        return f"{_count(self.nodes, 'node')}, {_count(self.relationships, 'relationship')}"


@dataclass(frozen=True)
class Stats:
    """What a query changed, as the engine counted it."""

    nodes_created: int = 0
    nodes_deleted: int = 0
    relationships_created: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0
    properties_removed: int = 0
    labels_added: int = 0
    labels_removed: int = 0
    indices_created: int = 0
    indices_deleted: int = 0
    milliseconds: float = field(default=0.0, compare=False, repr=False)
    """How long the engine worked on it, by its own clock."""

    def __str__(self) -> str:
        said = []
        for one in fields(self):
            things, _, what = one.name.partition("_")
            if what and getattr(self, one.name):
                said.append(f"{_count(getattr(self, one.name), _ONE[things])} {what}")
        return ", ".join(said) or "nothing changed"


@dataclass(frozen=True)
class NodeValue:
    """A node in a result. Two are equal when they have the same labels and properties."""

    labels: tuple[str, ...]
    properties: Mapping[str, Any]
    id: int = field(default=-1, compare=False)
    """The engine's own number for the node: it tells nodes of one result apart, and that is all."""

    def __getitem__(self, name: str) -> Any:
        return self.properties[name]

    def __hash__(self) -> int:
        return hash((self.labels, tuple(sorted(self.properties))))

    def __repr__(self) -> str:
        return f"({''.join(f':{label}' for label in self.labels)}{_space_map(self.properties)})"


@dataclass(frozen=True)
class EdgeValue:
    """A relationship in a result. Two are equal when they have the same type and properties."""

    type: str
    properties: Mapping[str, Any]
    id: int = field(default=-1, compare=False)
    """The engine's own number for the relationship, see `NodeValue.id`."""
    source: int = field(default=-1, compare=False)
    """The `id` of the node that it starts at."""
    target: int = field(default=-1, compare=False)
    """The `id` of the node that it points to."""

    def __getitem__(self, name: str) -> Any:
        return self.properties[name]

    def __hash__(self) -> int:
        return hash((self.type, tuple(sorted(self.properties))))

    def __repr__(self) -> str:
        return f"[:{self.type}{_space_map(self.properties)}]"


@dataclass(frozen=True)
class PathValue:
    """A path in a result: its nodes in walking order, and the relationships between them."""

    nodes: tuple[NodeValue, ...]
    edges: tuple[EdgeValue, ...]

    def __len__(self) -> int:
        """The number of hops."""
        return len(self.edges)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        text = repr(self.nodes[0]) if self.nodes else ""
        for before, edge, after in zip(self.nodes, self.edges, self.nodes[1:], strict=False):
            arrow = f"-{edge!r}->" if edge.source == before.id else f"<-{edge!r}-"
            text += f"{arrow}{after!r}"
        return text


class Rows(Sequence[tuple[Any, ...]]):
    """The rows of one result, in the engine's order. They do not change.

    `rows == [("Payal", "A+")]` compares by value, with lists or tuples as rows.
    """

    __slots__ = ("_rows", "columns", "stats")
    __hash__ = None  # type: ignore[assignment]

    columns: tuple[str, ...]
    stats: Stats
    _rows: tuple[tuple[Any, ...], ...]

    def __init__(
        self, columns: Iterable[str] = (), rows: Iterable[Iterable[Any]] = (), stats: Stats | None = None
    ) -> None:
        object.__setattr__(self, "columns", tuple(columns))
        object.__setattr__(self, "_rows", tuple(tuple(row) for row in rows))
        object.__setattr__(self, "stats", stats or Stats())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"Rows do not change: {name} cannot be set. Make a list of them first: list(rows)."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, (self.columns, self._rows, self.stats)

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> tuple[Any, ...] | Rows:
        if isinstance(index, slice):
            return Rows(self.columns, self._rows[index], self.stats)
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rows):
            return self.columns == other.columns and self._rows == other._rows
        if isinstance(other, list | tuple):
            return len(self) == len(other) and all(
                isinstance(theirs, list | tuple) and ours == tuple(theirs)
                for ours, theirs in zip(self._rows, other, strict=True)
            )
        return NotImplemented

    def to_dicts(self) -> list[dict[str, Any]]:
        """Each row as a dict from column name to value."""
        return [dict(zip(self.columns, row, strict=True)) for row in self._rows]

    def column(self, name: str | int) -> list[Any]:
        """One column's values, by its name or its position."""
        at = self.columns.index(name) if isinstance(name, str) else name
        return [row[at] for row in self._rows]

    def scalar(self) -> Any:
        """The one value of a result of one row and one column.

        Raises:
            ValueError: the result has another shape.
        """
        if len(self._rows) != 1 or len(self.columns) != 1:
            raise ValueError(
                f"scalar() wants one row with one column; these are {_count(len(self), 'row')} with "
                f"{_count(len(self.columns), 'column')}."
            )
        return self._rows[0][0]

    def _footer(self) -> str:
        if not self.columns:
            return str(self.stats)
        total = len(self._rows)
        if total > SHOWN_ROWS:
            return f"{total} rows, the first {SHOWN_ROWS} of them shown"
        return _count(total, "row")

    def __repr__(self) -> str:
        if not self.columns:
            return self._footer()
        if not self._rows:
            return f"0 rows (columns: {', '.join(self.columns)})"
        return "\n".join([*_text_table(self.columns, self._rows[:SHOWN_ROWS]), self._footer()])

    def _repr_html_(self) -> str:
        footer = f'<div style="opacity:0.75">{html.escape(self._footer())}</div>'
        if not self.columns:
            return footer
        line = "border-bottom:1px solid rgba(128,128,128,0.35);padding:2px 10px;text-align:"
        head = "".join(f'<th scope="col" style="{line}left">{html.escape(c)}</th>' for c in self.columns)
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="{line}{_side(cell)};white-space:pre-wrap">{_html_cell(cell)}</td>'
                for cell in row
            )
            + "</tr>"
            for row in self._rows[:SHOWN_ROWS]
        )
        return (
            '<table style="border-collapse:collapse">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{footer}"
        )


def show(value: Any, inside: bool = False) -> str:
    """A cell's value as a learner reads it: None as `null`, floats without noise, text without quotes."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _show_float(value)
        case str():
            return repr(value) if inside else value
        case list() | tuple():
            return "[" + ", ".join(show(item, inside=True) for item in value) + "]"
        case Mapping():
            return "{" + ", ".join(f"{key}: {show(item, inside=True)}" for key, item in value.items()) + "}"
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
    return str(value)


def _show_float(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value == 0 or 1e-3 <= abs(value) < 1e9:
        text = f"{value:.4f}".rstrip("0")
        return text + "0" if text.endswith(".") else text
    return f"{value:.6g}"


def _space_map(properties: Mapping[str, Any]) -> str:
    return f" {show(properties)}" if properties else ""


def _count(number: int, thing: str) -> str:
    return f"{number} {thing if number == 1 else _MANY.get(thing, thing + 's')}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _side(value: Any) -> str:
    return "right" if _is_number(value) else "left"


def _html_cell(value: Any) -> str:
    text = show(value)
    if len(text) > SHOWN_HTML_CELL:
        text = text[: SHOWN_HTML_CELL - 1] + "…"
    return f'<em style="opacity:0.6">{text}</em>' if value is None else html.escape(text)


def _text_cell(value: Any) -> str:
    text = "".join(c if c.isprintable() else _escape(c) for c in show(value))
    return text if len(text) <= SHOWN_CELL else text[: SHOWN_CELL - 1] + "…"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def _width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _text_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    cells = [[_text_cell(cell) for cell in row] for row in rows]
    heads = [_text_cell(column) for column in columns]
    widths = [max(_width(text) for text in column) for column in zip(heads, *cells, strict=True)]
    right = [all(_is_number(row[i]) or row[i] is None for row in rows) for i in range(len(columns))]

    def line(texts: Sequence[str], numbers: Sequence[bool]) -> str:
        padded = []
        for text, width, number in zip(texts, widths, numbers, strict=True):
            gap = " " * (width - _width(text))
            padded.append(gap + text if number else text + gap)
        return " | ".join(padded).rstrip()

    rule = "-+-".join("-" * width for width in widths)
    return [line(heads, right), rule, *(line(row, right) for row in cells)]
