"""A query with the place marked that the guard refuses, as a picture in text and in HTML."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from course_lib.classroom.show import plain_card
from course_lib.college.guard import Verdict, check
from course_lib.settings import load_settings


@dataclass(frozen=True)
class MarkedQuery:
    """A query and what the guard says of it. As text it has carets under the place, in a notebook a mark."""

    cypher: str
    verdict: Verdict

    def __repr__(self) -> str:
        if self.verdict.ok:
            return f"{self.cypher}\nok"
        lines = []
        start, end = self.verdict.span or (0, 0)
        at = 0
        for line in self.cypher.split("\n"):
            lines.append(line)
            left, right = max(start - at, 0), min(end - at, len(line))
            if left < right:
                lines.append(" " * left + "^" * (right - left))
            at += len(line) + 1
        return "\n".join([*lines, f"{self.verdict.code}: {self.verdict.reason}"])

    def _repr_html_(self) -> str:
        start, end = self.verdict.span or (0, 0)
        parts = [html.escape(self.cypher[:start])]
        if end > start:
            style = "background:#ffd9b3;color:#402000;text-decoration:underline;padding:0 2px"
            parts.append(f'<mark style="{style}">{html.escape(self.cypher[start:end])}</mark>')
        parts.append(html.escape(self.cypher[end:]))
        says = "✓ ok" if self.verdict.ok else f"✗ {self.verdict.code}: {self.verdict.reason}"
        return (
            '<pre style="margin:4px 0;white-space:pre-wrap">' + "".join(parts) + "</pre>"
            f"<div><b>{html.escape(says)}</b></div>"
        )


def mark(cypher: str) -> MarkedQuery:
    """What the guard says of a query, with the place marked."""
    return MarkedQuery(cypher, check(cypher))


def guard_playground(cypher: str = "MATCH (s:Student) RETURN s") -> Any:
    """A box to type a query into; the guard's mark follows the typing. Nothing is run.

    Args:
        cypher: what stands in the box at first.

    Returns:
        A widget; while notebooks are built a card in its place, since a stored widget shows nothing.
    """
    if load_settings().building:
        return plain_card("Try the guard", "Run this cell, and a box to type a query into appears here.")
    import ipywidgets as widgets

    box = widgets.Textarea(
        value=cypher,
        description="Query",
        continuous_update=True,
        layout=widgets.Layout(width="95%", height="90px"),
    )
    place = widgets.HTML()

    def show(_change: Any = None) -> None:
        # A live region: a screen reader says what has changed.
        place.value = f'<div role="status" aria-live="polite">{mark(box.value)._repr_html_()}</div>'

    box.observe(show, names="value")
    show()
    return widgets.VBox([box, place])
