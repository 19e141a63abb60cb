"""An answer with its words marked: in the rows, in the question, nowhere; and the verdict of the check."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course_lib.classroom.show import plain_card
from course_lib.college.grounding import Grounding, Source, check_grounding, sources
from course_lib.college.rows import Rows
from course_lib.settings import load_settings

if TYPE_CHECKING:
    from course_lib.college.schema import Schema

_STYLES: Mapping[str, tuple[str, str]] = {
    "rows": ("in the rows", "background:#cfe8f7;color:#0b2a3d;border-bottom:2px solid #0072b2"),
    "question": ("in the question", "background:#f3ecc8;color:#3a3208;border-bottom:2px dotted #7a6a00"),
    "nowhere": ("nowhere", "background:#ffd9b3;color:#402000;border-bottom:3px double #993000"),
}
"""By source: what it is called, and how it looks. Each has a line below of its own, beside the colour."""


@dataclass(frozen=True)
class MarkedAnswer:
    """An answer, where its words come from, and what the check says of it."""

    answer: str
    pieces: tuple[Source, ...]
    grounding: Grounding

    def words(self, where: str) -> list[str]:
        """The words from one source, each once: `rows`, `question` or `nowhere`."""
        return list(dict.fromkeys(piece.text for piece in self.pieces if piece.where == where))

    @property
    def verdict(self) -> str:
        """What the check says, in a line or two."""
        return "holds" if self.grounding.ok else "does not hold: " + " ".join(self.grounding.problems)

    def __repr__(self) -> str:
        lines = [self.answer]
        for where, (name, _) in _STYLES.items():
            lines.append(f"  {name + ':':16} {', '.join(self.words(where)) or '-'}")
        return "\n".join([*lines, f"  {'the check:':16} {self.verdict}"])

    def _repr_html_(self) -> str:
        said = "".join(
            f'<span style="{_STYLES[piece.where][1]};padding:0 2px">{html.escape(piece.text)}</span>'
            if piece.where in _STYLES
            else html.escape(piece.text)
            for piece in self.pieces
        )
        legend = " ".join(
            f'<span style="{style};padding:0 4px">{name}</span>' for name, style in _STYLES.values()
        )
        sign = "✓" if self.grounding.ok else "✗"
        return (
            '<div style="max-width:46em">'
            f'<p style="white-space:pre-wrap;line-height:1.7;margin:4px 0">{said}</p>'
            f'<div style="font-size:90%">{legend}</div>'
            f"<div><b>{sign} {html.escape(self.verdict)}</b></div></div>"
        )


def marked(
    answer: str, question: str, rows: Rows, *, schema: Schema | None = None, cypher: str = ""
) -> MarkedAnswer:
    """An answer with its words marked.

    Args:
        answer: the answer.
        question: what was asked.
        rows: what the graph gave.
        schema: what the graph holds.
        cypher: the query.
    """
    return MarkedAnswer(
        answer,
        sources(answer, question, rows, schema=schema, cypher=cypher),
        check_grounding(answer, question, rows, schema=schema, cypher=cypher),
    )


def answer_playground(answer: str, question: str, rows: Rows, *, cypher: str = "") -> Any:
    """A box to type an answer into; the marks follow the typing.

    Args:
        answer: what stands in the box at first.
        question: what was asked.
        rows: what the graph gave.
        cypher: the query.

    Returns:
        A widget; while notebooks are built a card in its place, since a stored widget shows nothing.
    """
    if load_settings().building:
        return plain_card(
            "Try to slip one past it", "Run this cell, and a box to type an answer into appears here."
        )
    import ipywidgets as widgets

    box = widgets.Textarea(
        value=answer,
        description="Answer",
        continuous_update=True,
        layout=widgets.Layout(width="95%", height="80px"),
    )
    place = widgets.HTML()

    def show(_change: Any = None) -> None:
        shown = marked(box.value, question, rows, cypher=cypher)._repr_html_()
        # A live region: a screen reader says what has changed.
        place.value = f'<div role="status" aria-live="polite">{shown}</div>'

    box.observe(show, names="value")
    show()
    return widgets.VBox([box, place])
