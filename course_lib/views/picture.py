"""`picture(...)`: a graph or a result, drawn.

What a notebook keeps is a still picture (an image that shows in a notebook which nobody has trusted), a text
alternative and tables. While a lesson runs, one that can be dragged and zoomed stands in its place.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from course_lib.views.drawing import Drawing, Node, drawing_of, shorten
from course_lib.views.layout import Layout
from course_lib.views.svg import Measure, attribute, draw, place, sequence

if TYPE_CHECKING:
    from course_lib.college.graph import Graph
    from course_lib.college.rows import Rows

MAX_STORED = 58_000
"""Characters that a stored picture may have, its tables included."""
_TABLE_ROWS = (60, 30, 12, 5)
"""Rows that a table shows: the first number with which everything fits."""
_PROPERTY_CHARACTERS = 80
_SPOKEN = 12
"""Relationships up to which the text alternative says every one."""


@dataclass(frozen=True)
class Picture:
    """A drawn graph. A notebook shows it when it is a cell's last value."""

    drawing: Drawing
    title: str
    alt: str
    """The text alternative."""
    highlight: tuple[str, ...] = ()
    """Keys of the nodes that have a ring."""
    live: bool = False
    """Whether the picture can be dragged and zoomed when it is shown."""

    @property
    def svg(self) -> str:
        """The still picture."""
        return self._drawn[0]

    @cached_property
    def _placed(self) -> tuple[Layout, Measure]:
        return place(self.drawing)

    @cached_property
    def _drawn(self) -> tuple[str, int, int]:
        return draw(self.drawing, self.title, self.alt, self.highlight, placed=self._placed)

    def html(self) -> str:
        """What a notebook shows: the live picture or the still one, and the tables."""
        if not self.drawing.nodes:
            return f"<p><strong>{escape(self.title)}</strong></p><p>{escape(self.alt)}</p>"
        image = self._image()
        if self.live:
            from course_lib.views.live import live_frame

            frame = live_frame(self.drawing, self.title, self.highlight, self._placed)
            tables = _tables(self.drawing, _TABLE_ROWS[0])
            return f"{frame}{_details(self.drawing, image + tables, 'The still picture, and ')}"
        for limit in _TABLE_ROWS:
            text = image + _details(self.drawing, _tables(self.drawing, limit))
            if len(text) <= MAX_STORED:
                break
        return text

    def _image(self) -> str:
        svg, width, height = self._drawn
        data = base64.b64encode(svg.encode()).decode("ascii")
        return (
            f'<img src="data:image/svg+xml;base64,{data}" width="{width}" height="{height}" '
            f'style="max-width:100%;height:auto" alt={attribute(self.alt)}>'
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def __repr__(self) -> str:
        return f"Picture: {self.alt}"


def picture(
    rows_or_graph: Rows | Graph | Drawing,
    title: str,
    *,
    text: str | None = None,
    highlight: Iterable[str | Node | Mapping[str, Any]] = (),
    live: bool | None = None,
) -> Picture:
    """Draws a result, a whole graph, or nodes and relationships of one's own.

    Args:
        rows_or_graph: rows that hold nodes, relationships or paths; a graph of at most 150 nodes; or
            `drawing(nodes, edges)` from `course_lib.views.drawing`.
        title: stands above the picture.
        text: the text alternative, for who cannot see the picture; made from the nodes when None.
        highlight: the nodes to point out, by name, by id or as the result has them.
        live: whether one can drag and zoom it; when None it is so, except while notebooks are built.

    Raises:
        NothingToDrawError: the rows hold values, and no node.
        TooManyNodesError: there are more nodes than a picture can show.
    """
    found = drawing_of(rows_or_graph)
    if live is None:
        from course_lib.settings import load_settings

        live = not load_settings().building
    return Picture(
        drawing=found,
        title=title,
        alt=text if text is not None else describe(found, title),
        highlight=tuple(_keys(found, highlight)),
        live=live,
    )


def describe(found: Drawing, title: str) -> str:
    """A picture in words: how many nodes of which label, and the relationships where they are few."""
    if not found.nodes:
        return f"{title}: nothing to draw, there is no node here."
    labels = sequence([f"{count} {label}" for label, count in found.labels.items()], 12)
    said = f"{title}: {_count(len(found.nodes), 'node')} ({labels})"
    if not found.edges:
        return f"{said}, no relationships."
    if len(found.edges) <= _SPOKEN:
        names = {node.key: node.caption for node in found.nodes}
        facts = "; ".join(f"{names[e.source]} {e.type} {names[e.target]}" for e in found.edges)
        return f"{said}. {facts}."
    types = sequence([f"{count} {kind}" for kind, count in found.types.items()], 12)
    return f"{said}, {_count(len(found.edges), 'relationship')} ({types})."


def _keys(found: Drawing, highlight: Iterable[str | Node | Mapping[str, Any]]) -> list[str]:
    """The keys of the nodes meant; names that fit no node are passed over, as a result may be smaller."""
    keys = []
    for wanted in highlight:
        properties = getattr(wanted, "properties", wanted)
        for node in found.nodes:
            if isinstance(wanted, str):
                names = {
                    node.key,
                    node.caption,
                    *(str(node.properties.get(n)) for n in ("name", "id", "code")),
                }
                if wanted in names:
                    keys.append(node.key)
            elif isinstance(properties, Mapping) and dict(properties) == dict(node.properties):
                keys.append(node.key)
    return sorted(set(keys))


def _details(found: Drawing, inside: str, more: str = "") -> str:
    summary = f"{more}{'n' if more else 'N'}odes and relationships as tables"
    note = ""
    if found.left_out:
        note = (
            f"<p>{_count(found.left_out, 'relationship')} not drawn: a node at one end is not in these rows. "
            "Return both ends to see them.</p>"
        )
    return f"{note}<details><summary>{summary}</summary>{inside}</details>"


def _tables(found: Drawing, limit: int) -> str:
    nodes = _table(
        _count(len(found.nodes), "node"),
        ("label", "name", "properties"),
        [(node.label, node.caption, _properties(node.properties, node.caption)) for node in found.nodes],
        limit,
    )
    if not found.edges:
        return nodes
    names = {node.key: node.caption for node in found.nodes}
    edges = _table(
        _count(len(found.edges), "relationship"),
        ("from", "type", "to", "properties"),
        [(names[e.source], e.type, names[e.target], _properties(e.properties)) for e in found.edges],
        limit,
    )
    return nodes + edges


def _table(caption: str, head: tuple[str, ...], rows: list[tuple[str, ...]], limit: int) -> str:
    shown = caption if len(rows) <= limit else f"{caption}, the first {limit} of them"
    heads = "".join(f'<th scope="col">{name}</th>' for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[:limit]
    )
    return f"<table><caption>{shown}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _properties(properties: Mapping[str, Any], caption: str | None = None) -> str:
    said = [f"{name}: {value}" for name, value in properties.items() if str(value) != caption]
    return shorten(", ".join(said), _PROPERTY_CHARACTERS)


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
