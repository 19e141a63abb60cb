"""Small tables that read well as text and as HTML: the router's state, its report, prices."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence


class Table(Sequence[tuple[str, ...]]):
    """Rows of text under column names, shown as an aligned text table or, in a notebook, as an HTML one.

    Args:
        columns: the column names.
        rows: the rows; every cell is made text.
        title: one line above the table, or nothing.
    """

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[object]], title: str = "") -> None:
        self.columns = tuple(columns)
        self.title = title
        self._rows = tuple(tuple(str(cell) for cell in row) for row in rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # the two overloads of Sequence add nothing here
        return self._rows[index]

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self._rows)

    def __repr__(self) -> str:
        lines = [self.columns, *self._rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        shown = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        shown.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([self.title, *shown] if self.title else shown)

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th scope='col' style='text-align:left'>{html.escape(name)}</th>" for name in self.columns
        )
        body = "".join(
            "<tr>"
            + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in row)
            + "</tr>"
            for row in self._rows
        )
        caption = (
            f"<caption style='text-align:left'>{html.escape(self.title)}</caption>" if self.title else ""
        )
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def duration(seconds: float) -> str:
    """A span of time as people say it: `0.4 s`, `12 s`, `9 min`, `7 h`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.0f} h"
