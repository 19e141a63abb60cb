"""Draws the still picture: an SVG of a few kilobytes that needs no script, no font and no network."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from course_lib.views.drawing import Drawing, Edge, Node
from course_lib.views.layout import Box, Layout, Point, lay_out
from course_lib.views.palette import LIGHT, Shape, Style, Theme, mix, styles_for

FONT = "'Segoe UI',Roboto,'Helvetica Neue',Arial,'Noto Sans',sans-serif"
MAX_EDGE_LABELS = 24
"""More relationships than this carry no type in the picture; the table has them."""
_MARGIN = 18
_WRAP = 16
"""Characters after which a name goes on in a second line."""


@dataclass(frozen=True)
class Measure:
    """Sizes in pixels that fit the number of nodes."""

    radius: float
    font: float
    edge_font: float
    length: float
    width: float


def measure_for(found: Drawing) -> Measure:
    """Large signs for few nodes, small ones for many."""
    count = len(found.nodes)
    labelled = len(found.edges) <= MAX_EDGE_LABELS
    edge_font = 10.5
    longest = max((text_width(edge.type, edge_font) for edge in found.edges), default=0) if labelled else 0
    if count <= 12:
        return Measure(15, 13, edge_font, max(120, longest + 62), 720)
    if count <= 30:
        return Measure(12, 12, edge_font, max(100, longest + 50), 860)
    return Measure(8.5, 10.5, 9.5, 78, 1000)


def place(found: Drawing) -> tuple[Layout, Measure]:
    """Where each node of a drawing stands, and the sizes that go with it."""
    measure = measure_for(found)
    boxes = {node.key: _box(node, measure) for node in found.nodes}
    pairs = [(edge.source, edge.target) for edge in found.edges]
    return lay_out(boxes, pairs, measure.length, measure.width), measure


def draw(
    found: Drawing,
    title: str,
    description: str,
    highlight: Iterable[str] = (),
    theme: Theme = LIGHT,
    placed: tuple[Layout, Measure] | None = None,
) -> tuple[str, int, int]:
    """The still picture of a drawing.

    Args:
        found: what to draw.
        title: stands above it.
        description: what a screen reader says.
        highlight: keys of nodes that get a ring; the rest steps back.
        theme: the colours round the nodes.
        placed: what `place` gave for this drawing; found anew when None.

    Returns:
        The SVG, and its width and height in pixels.
    """
    layout, measure = placed or place(found)
    lit = set(highlight)
    styles = styles_for(node.label for node in found.nodes)
    legend, legend_width, legend_height = _legend(found, styles, theme)
    title_lines = _wrapped(title, max(40, int(max(layout.width, legend_width) / 8)))
    head = 14 + 20 * len(title_lines)
    inner = max(layout.width, legend_width, max(text_width(line, 15) * 1.06 for line in title_lines))
    width = math.ceil(inner + 2 * _MARGIN)
    height = math.ceil(head + layout.height + 14 + legend_height + _MARGIN)
    left = _MARGIN + (inner - layout.width) / 2
    places = {key: (x + left, y + head + 2) for key, (x, y) in layout.places.items()}
    body = [
        *_edges(found, places, measure, lit),
        *_nodes(found, places, styles, measure, lit, theme),
    ]
    rows = "".join(
        f'<text class="t" x="{_MARGIN}" y="{28 + 20 * i}">{escape(line)}</text>'
        for i, line in enumerate(title_lines)
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="a b"><title id="a">{escape(title)}</title>'
        f'<desc id="b">{escape(description)}</desc><style>{_css(theme, measure)}</style>'
        f'<rect class="p" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>'
        f"{rows}{''.join(body)}"
        f'<g transform="translate({_MARGIN} {_n(head + layout.height + 14)})">{legend}</g></svg>'
    )
    return svg, width, height


def text_width(text: str, size: float) -> float:
    """About how wide a text is in a sans-serif font, in pixels; rather too wide than too narrow."""
    units = 0.0
    for c in text:
        if c in "iljtfr.,:;'|!()[] ":
            units += 0.33
        elif c in "mwMW@—…":
            units += 0.9
        elif c.isupper() or c in "_&%+":
            units += 0.7
        elif ord(c) > 0x2E80:
            units += 1.0
        else:
            units += 0.56
    return units * size


def symbol(shape: Shape, radius: float) -> str:
    """An SVG element that draws a shape about the origin; all shapes have about the same area."""
    if shape == "dot":
        return f'<circle r="{_n(radius)}"/>'
    if shape == "square":
        half = radius * 0.88
        return (
            f'<rect x="{_n(-half)}" y="{_n(-half)}" width="{_n(2 * half)}" height="{_n(2 * half)}" rx="2"/>'
        )
    return f'<path d="M{"L".join(f"{_n(x)} {_n(y)}" for x, y in _corners(shape, radius))}Z"/>'


# Sines and cosines of the corners written out, so that every machine draws the same digits.
_S60 = 0.8660254
_S36, _C36, _S72, _C72 = 0.5877853, 0.8090170, 0.9510565, 0.3090170


def _corners(shape: Shape, radius: float) -> list[Point]:
    if shape == "diamond":
        points = [(0.0, -1.2), (1.2, 0.0), (0.0, 1.2), (-1.2, 0.0)]
    elif shape == "triangle":
        points = [(0.0, -1.25), (1.2, 0.85), (-1.2, 0.85)]
    elif shape == "triangleDown":
        points = [(0.0, 1.25), (1.2, -0.85), (-1.2, -0.85)]
    elif shape == "hexagon":
        points = [(1.08, 0), (0.54, _S60 * 1.08), (-0.54, _S60 * 1.08)]
        points += [(-x, -y) for x, y in points]
    else:
        outer = [(0.0, -1.0), (_S72, -_C72), (_S36, _C36), (-_S36, _C36), (-_S72, -_C72)]
        inner = [(_S36, -_C36), (_S72, _C72), (0.0, 1.0), (-_S72, _C72), (-_S36, -_C36)]
        points = []
        for (x, y), (u, v) in zip(outer, inner, strict=True):
            points += [(x * 1.35, y * 1.35), (u * 0.62, v * 0.62)]
    return [(x * radius, y * radius) for x, y in points]


def caption_lines(node: Node) -> list[str]:
    """A node's name in one line, or in two of about the same length."""
    text = node.caption
    if len(text) <= _WRAP:
        return [text]
    for limit in range(math.ceil(len(text) / 2), len(text) + 1):
        lines = _wrapped(text, limit)
        if len(lines) <= 2:
            return lines
    return [text]


def _wrapped(text: str, limit: int) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= limit:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def _box(node: Node, measure: Measure) -> Box:
    lines = caption_lines(node)
    width = max(text_width(line, measure.font) for line in lines)
    gap = 4 if measure.radius < 10 else 7
    return Box(
        half_width=max(measure.radius * 1.3, width / 2) + gap,
        above=measure.radius * 1.35 + gap / 2,
        below=_caption_depth(node, measure) + gap,
    )


def _caption_depth(node: Node, measure: Measure) -> float:
    """How far a node reaches down with its name, from its centre."""
    return measure.radius * 1.3 + measure.font * 1.15 * len(caption_lines(node)) + 2


def _nodes(
    found: Drawing,
    places: Mapping[str, Point],
    styles: Mapping[str, Style],
    measure: Measure,
    lit: set[str],
    theme: Theme,
) -> Iterator[str]:
    names = {label: f"s{i}" for i, label in enumerate(styles)}
    # Signs that step back are pale rather than see-through: no line shines through them.
    shares = {"": 0.0, "p": 0.6} if lit else {"": 0.0}
    shapes = "".join(
        f'<g id="{names[label]}{pale}" fill="{mix(style.colour, theme.panel, share)}" '
        f'stroke="{mix(style.outline, theme.panel, share)}">{symbol(style.shape, measure.radius)}</g>'
        for label, style in styles.items()
        for pale, share in shares.items()
    )
    yield f"<defs>{shapes}</defs>"
    for node in found.nodes:
        x, y = places[node.key]
        pale = "p" if lit and node.key not in lit else ""
        if node.key in lit:
            yield f'<circle class="h" cx="{_n(x)}" cy="{_n(y)}" r="{_n(measure.radius * 1.3 + 4)}"/>'
        yield f'<use href="#{names[node.label]}{pale}" x="{_n(x)}" y="{_n(y)}"/>'
    for node in found.nodes:
        x, y = places[node.key]
        kind = "n b" if node.key in lit else "n"
        lines = caption_lines(node)
        first = y + measure.radius * 1.3 + measure.font
        if len(lines) == 1:
            yield f'<text class="{kind}" x="{_n(x)}" y="{_n(first)}">{escape(lines[0])}</text>'
        else:
            spans = f'{escape(lines[0])}<tspan x="{_n(x)}" dy="1.12em">{escape(lines[1])}</tspan>'
            yield f'<text class="{kind}" x="{_n(x)}" y="{_n(first)}">{spans}</text>'


@dataclass(frozen=True)
class _Arc:
    """One relationship as a curve. The bend lies halfway on the straight line when there is none."""

    start: Point
    bend: Point
    end: Point


def _edges(found: Drawing, places: Mapping[str, Point], measure: Measure, lit: set[str]) -> Iterator[str]:
    between: dict[frozenset[str], list[Edge]] = defaultdict(list)
    for edge in found.edges:
        between[frozenset((edge.source, edge.target))].append(edge)
    lines: dict[bool, list[str]] = {True: [], False: []}
    heads: dict[bool, list[str]] = {True: [], False: []}
    labels = []
    size = 4.2 + measure.radius * 0.28
    shields = {node.key: _shield(node, measure) for node in found.nodes}
    for group in between.values():
        for index, edge in enumerate(group):
            arc = _arc(edge, index, len(group), places, measure)
            bright = not lit or (edge.source in lit and edge.target in lit)
            tip, back = _trimmed(arc, shields[edge.target], size)
            lines[bright].append(_curve(arc, back))
            heads[bright].append(_head(tip, back, size))
            if len(found.edges) <= MAX_EDGE_LABELS:
                labels.append(_edge_label(edge.type, arc, measure.edge_font))
    pale = {True: "", False: ' opacity=".4"'}
    for bright in (False, True):
        if lines[bright]:
            yield f'<path class="e"{pale[bright]} d="{"".join(lines[bright])}"/>'
    yield from labels
    # The heads come last: which way an arrow points must be seen even where a label has little room.
    for bright in (False, True):
        if heads[bright]:
            yield f'<path class="a"{pale[bright]} d="{"".join(heads[bright])}"/>'


def _arc(edge: Edge, index: int, count: int, places: Mapping[str, Point], measure: Measure) -> _Arc:
    (x, y), (u, v) = places[edge.source], places[edge.target]
    if edge.source == edge.target:
        out = measure.radius * (2.6 + index)
        return _Arc((x - 1, y), (x, y - 2 * out), (x + 1, y))
    # Parallel relationships bend away from one another; which side is which does not depend on direction.
    offset = (index - (count - 1) / 2) * measure.radius * 2.6
    if edge.source > edge.target:
        offset = -offset
    dx, dy = u - x, v - y
    distance = math.sqrt(dx * dx + dy * dy) or 1.0
    bend = ((x + u) / 2 - dy / distance * offset, (y + v) / 2 + dx / distance * offset)
    return _Arc((x, y), bend, (u, v))


def _at(arc: _Arc, t: float) -> Point:
    (x, y), (p, q), (u, v) = arc.start, arc.bend, arc.end
    s = 1 - t
    return s * s * x + 2 * s * t * p + t * t * u, s * s * y + 2 * s * t * q + t * t * v


@dataclass(frozen=True)
class _Shield:
    """What an arrow must stay out of: a circle round the sign, and the name below it."""

    radius: float
    half_width: float
    top: float
    depth: float

    def covers(self, x: float, y: float) -> bool:
        """Whether a point, counted from the node's centre, lies inside."""
        if x * x + y * y < self.radius * self.radius:
            return True
        return self.top < y < self.depth and abs(x) < self.half_width


def _shield(node: Node, measure: Measure) -> _Shield:
    width = max(text_width(line, measure.font) for line in caption_lines(node))
    return _Shield(
        radius=measure.radius * 1.25 + 2,
        half_width=width / 2 + 1,
        top=measure.radius * 1.15,
        depth=_caption_depth(node, measure) + 1,
    )


def _trimmed(arc: _Arc, shield: _Shield, size: float) -> tuple[Point, Point]:
    """Where the arrow's tip is, outside the node at the end and its name, and where its head begins."""

    def free(t: float) -> bool:
        x, y = _at(arc, t)
        return not shield.covers(x - arc.end[0], y - arc.end[1])

    def beyond(t: float) -> bool:
        x, y = _at(arc, t)
        return (x - tip[0]) ** 2 + (y - tip[1]) ** 2 > reach

    def edge_between(low: float, high: float, holds: Callable[[float], bool]) -> float:
        for _ in range(20):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    # The first step inside counts: a line may cross a corner of the name and come out again before the sign.
    steps = [0.3 + 0.7 * n / 64 for n in range(65)]
    hit = next((n for n, t in enumerate(steps) if not free(t)), len(steps) - 1)
    end = edge_between(steps[hit - 1] if hit else 0.0, steps[hit], free)
    tip = _at(arc, end)
    reach = (size * 1.6) ** 2
    return tip, _at(arc, edge_between(0.0, end, beyond))


def _curve(arc: _Arc, end: Point) -> str:
    x, y = arc.start
    straight = abs((arc.start[0] + arc.end[0]) / 2 - arc.bend[0]) < 0.05
    straight = straight and abs((arc.start[1] + arc.end[1]) / 2 - arc.bend[1]) < 0.05
    if straight:
        return f"M{_n(x)} {_n(y)}L{_n(end[0])} {_n(end[1])}"
    return f"M{_n(x)} {_n(y)}Q{_n(arc.bend[0])} {_n(arc.bend[1])} {_n(end[0])} {_n(end[1])}"


def _head(tip: Point, back: Point, size: float) -> str:
    dx, dy = tip[0] - back[0], tip[1] - back[1]
    distance = math.sqrt(dx * dx + dy * dy) or 1.0
    px, py = -dy / distance * size * 0.62, dx / distance * size * 0.62
    left, right = (back[0] + px, back[1] + py), (back[0] - px, back[1] - py)
    return f"M{_n(tip[0])} {_n(tip[1])}L{_n(left[0])} {_n(left[1])}L{_n(right[0])} {_n(right[1])}Z"


def _edge_label(text: str, arc: _Arc, font: float) -> str:
    x, y = _at(arc, 0.5)
    dx, dy = arc.end[0] - arc.start[0], arc.end[1] - arc.start[1]
    if dx < 0:
        dx, dy = -dx, -dy
    # A rotation matrix in place of an angle: no arc tangent, so the same digits everywhere.
    distance = math.sqrt(dx * dx + dy * dy)
    c, s = (dx / distance, dy / distance) if distance > 3 else (1.0, 0.0)
    turned = f"matrix({c:.3f} {s:.3f} {-s:.3f} {c:.3f} {_n(x)} {_n(y)})"
    # Paper under the words: a halo alone lets the line show over an underscore, and it reads as a hyphen.
    wide, tall = text_width(text, font) + 4, font * 1.1
    paper = (
        f'<rect class="q" x="{_n(-wide / 2)}" y="{_n(-tall / 2)}" width="{_n(wide)}" height="{_n(tall)}"/>'
    )
    return f'<g transform="{turned}">{paper}<text class="r" dy=".33em">{escape(text)}</text></g>'


def _legend(
    found: Drawing, styles: Mapping[str, Style], theme: Theme, width: float = 700
) -> tuple[str, float, float]:
    """One sign a label with its count, then what the arrows are. Gives its width and height as well."""
    x = y = widest = 0.0
    parts = []
    for label, count in found.labels.items():
        text = f"{label} · {count}"
        need = 24 + text_width(text, 12) + 16
        if x and x + need > width:
            x, y = 0.0, y + 20
        style = styles[label]
        parts.append(
            f'<g transform="translate({_n(x + 8)} {_n(y + 8)})"><g fill="{style.colour}" '
            f'stroke="{style.outline}">{symbol(style.shape, 6)}</g>'
            f'<text class="l" x="13" y="4">{escape(text)}</text></g>'
        )
        x += need
        widest = max(widest, x)
    for line in arrow_lines(found, 96) if len(found.edges) > MAX_EDGE_LABELS else []:
        y += 20
        parts.append(f'<text class="l" x="1" y="{_n(y + 12)}">{escape(line)}</text>')
        widest = max(widest, text_width(line, 12))
    return "".join(parts), widest, y + 18


def arrow_lines(found: Drawing, limit: int) -> list[str]:
    """What the arrows of a picture are, in lines of at most so many characters where that can be."""
    lines = ["Arrows:"]
    kinds = [f"{kind} · {count}" for kind, count in found.types.items()]
    for index, kind in enumerate(kinds):
        text = kind + ("," if index < len(kinds) - 1 else "")
        if len(lines[-1]) + 1 + len(text) <= limit:
            lines[-1] += f" {text}"
        else:
            lines.append(text)
    return lines


def _css(theme: Theme, measure: Measure) -> str:
    halo = f"paint-order:stroke;stroke:{theme.panel};stroke-linejoin:round"
    return (
        f"text{{font-family:{FONT}}}"
        f".p{{fill:{theme.panel};stroke:{theme.frame}}}"
        f".t{{font-size:15px;font-weight:600;fill:{theme.ink}}}"
        f".n{{font-size:{_n(measure.font)}px;fill:{theme.ink};text-anchor:middle;{halo};stroke-width:3.5px}}"
        f".b{{font-weight:700}}"
        f".r{{font-size:{_n(measure.edge_font)}px;fill:{theme.muted};text-anchor:middle;{halo};stroke-width:4px}}"
        f".l{{font-size:12px;fill:{theme.muted}}}"
        f".q{{fill:{theme.panel}}}"
        f".e{{fill:none;stroke:{theme.edge};stroke-width:1.3}}"
        f".a{{fill:{theme.edge}}}"
        f".h{{fill:none;stroke:{theme.accent};stroke-width:3}}"
    )


def _n(value: float) -> str:
    """A number with one decimal at most, and no minus before a zero."""
    text = f"{value:.1f}"
    return text[:-2].replace("-0", "0") if text.endswith(".0") else text


def attribute(text: str) -> str:
    """A text as a quoted attribute of HTML or SVG."""
    return quoteattr(text, {"\n": " ", "\r": " ", "\t": " "})


def sequence(parts: Sequence[str], limit: int) -> str:
    """Parts joined by commas, cut where there are more than a limit."""
    shown = ", ".join(parts[:limit])
    return shown if len(parts) <= limit else f"{shown} and {len(parts) - limit} more"
