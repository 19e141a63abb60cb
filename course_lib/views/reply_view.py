"""A reply of a model, with the part marked that is taken for the query."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from course_lib.classroom.show import plain_card
from course_lib.college.reply import NoCypherError, extract_cypher
from course_lib.settings import load_settings


@dataclass(frozen=True)
class ReplyView:
    """A reply and what is taken from it. As text the lines that are taken begin with `>`."""

    reply: str
    query: str
    problem: str = ""

    def __repr__(self) -> str:
        taken = {line.strip() for line in self.query.splitlines() if line.strip()}
        last = len(self.reply) - len(self.reply.rpartition(self.query)[2]) if self.query else 0
        lines, at = [], 0
        for line in self.reply.splitlines():
            at += len(line) + 1
            inside = line.strip() in taken and (not last or at > last - len(self.query))
            lines.append(("> " if inside else "  ") + line)
        return "\n".join([*lines, self.problem] if self.problem else lines)

    def _repr_html_(self) -> str:
        before, found, after = self.reply.rpartition(self.query) if self.query else (self.reply, "", "")
        if self.query and not found:  # put together anew, from JSON for one
            before, after = self.reply, ""
        style = "background:#cfe8d5;color:#0b3d1a;font-weight:bold"
        marked = f'<mark style="{style}">{html.escape(found)}</mark>' if found else ""
        says = f"✗ {self.problem}" if self.problem else f"✓ taken: {' '.join(self.query.split())[:100]}"
        return (
            f'<pre style="margin:4px 0;white-space:pre-wrap">{html.escape(before)}{marked}'
            f"{html.escape(after)}</pre>"
            f"<div><b>{html.escape(says)}</b></div>"
        )


def look_at(reply: str) -> ReplyView:
    """What is taken for the query in a reply, marked."""
    try:
        return ReplyView(reply, extract_cypher(reply))
    except NoCypherError as error:
        return ReplyView(reply, "", error.what)


def reply_playground(reply: str) -> Any:
    """A box with a reply to change; the mark follows the typing.

    Args:
        reply: what stands in the box at first.

    Returns:
        A widget; while notebooks are built a card in its place, since a stored widget shows nothing.
    """
    if load_settings().building:
        return plain_card("Try a reply", "Run this cell, and a box with the reply appears here.")
    import ipywidgets as widgets

    box = widgets.Textarea(
        value=reply,
        description="Reply",
        continuous_update=True,
        layout=widgets.Layout(width="95%", height="180px"),
    )
    place = widgets.HTML()

    def show(_change: Any = None) -> None:
        # A live region: a screen reader says what has changed.
        place.value = f'<div role="status" aria-live="polite">{look_at(box.value)._repr_html_()}</div>'

    box.observe(show, names="value")
    show()
    return widgets.VBox([box, place])
