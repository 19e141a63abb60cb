"""A bar chart as a still picture: a few groups, a few bars in each, every bar with its number and a pattern.

Like `picture`, it is stored as an image with a text alternative and a table, so it shows in a notebook that
nobody has trusted yet, and to readers who cannot see it.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from course_lib.views.palette import LIGHT, STYLES
from course_lib.views.svg import FONT, attribute, text_width

_HEIGHT = 190
_BAR, _GAP, _SPACE = 30, 4, 34
_LEFT, _TOP = 22, 74
_COLOURS = tuple(STYLES[label].colour for label in ("Subject", "Skill", "Student"))
_PATTERNS = (
    '<path d="M0 8 8 0M-2 2 2-2M6 10 10 6"/>',
    '<circle cx="4" cy="4" r="1.6"/>',
    "",
)
"""What lies over each colour, so that colour is not the only sign."""


@dataclass(frozen=True)
class Group:
    """Bars that stand together."""

    name: str
    values: tuple[int, ...]
    of: int
    """The most that a bar of this group could be; the bars are drawn as a share of it."""


@dataclass(frozen=True)
class Bars:
    """A bar chart."""

    title: str
    series: tuple[str, ...]
    """What the bars of a group are called, at most three."""
    groups: tuple[Group, ...]
    unit: str
    """What the groups are numbered by, as in "hops"."""

    @property
    def alt(self) -> str:
        """The chart in words."""
        said = [
            f"{self.unit} {group.name}: "
            + ", ".join(f"{name} {value}" for name, value in zip(self.series, group.values, strict=True))
            + f" of {group.of}"
            for group in self.groups
        ]
        return f"{self.title}. {'; '.join(said)}."

    def svg(self) -> str:
        """The chart as SVG."""
        theme = LIGHT
        wide = len(self.series) * (_BAR + _GAP) - _GAP
        legend = [_LEFT]
        for name in self.series:
            legend.append(legend[-1] + 42 + round(text_width(name, 12)))
        width = max(_LEFT * 2 + len(self.groups) * (wide + _SPACE) - _SPACE, legend[-1], 330)
        width = max(width, _LEFT * 2 + round(text_width(self.title, 15) * 1.06))
        base = _TOP + _HEIGHT
        fills = "".join(
            f'<pattern id="f{i}" width="8" height="8" patternUnits="userSpaceOnUse">'
            f'<rect width="8" height="8" fill="{_COLOURS[i]}"/>'
            f'<g fill="#fff" stroke="#fff" stroke-width="{1.2 if i == 0 else 0}">{_PATTERNS[i]}</g></pattern>'
            for i in range(len(self.series))
        )
        parts = [f'<text class="t" x="{_LEFT}" y="28">{escape(self.title)}</text>']
        for i, name in enumerate(self.series):
            parts.append(f'<rect x="{legend[i]}" y="42" width="16" height="14" fill="url(#f{i})" class="b"/>')
            parts.append(f'<text class="l" x="{legend[i] + 22}" y="54">{escape(name)}</text>')
        x: float = _LEFT
        for group in self.groups:
            for i, value in enumerate(group.values):
                height = round(_HEIGHT * value / group.of) if group.of else 0
                at = x + i * (_BAR + _GAP)
                parts.append(
                    f'<rect x="{at}" y="{base - height}" width="{_BAR}" height="{height}" '
                    f'fill="url(#f{i})" class="b"/>'
                    f'<text class="n" x="{at + _BAR / 2}" y="{base - height - 5}">{value}</text>'
                )
            parts.append(
                f'<text class="g" x="{x + wide / 2}" y="{base + 20}">{escape(group.name)}</text>'
                f'<text class="l m" x="{x + wide / 2}" y="{base + 37}">of {group.of}</text>'
            )
            x += wide + _SPACE
        parts.append(f'<path class="e" d="M{_LEFT - 6} {base + 0.5}H{width - _LEFT + 6}"/>')
        height = base + 52
        css = (
            f"text{{font-family:{FONT};fill:{theme.ink}}}.t{{font-size:15px;font-weight:600}}"
            f".l{{font-size:12px;fill:{theme.muted}}}.m,.n,.g{{text-anchor:middle}}.n{{font-size:13px}}"
            f".g{{font-size:13px;font-weight:600}}.b{{stroke:{theme.edge}}}.e{{stroke:{theme.edge}}}"
            f".p{{fill:{theme.panel};stroke:{theme.frame}}}"
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img"><title>{escape(self.title)}</title><style>{css}</style>'
            f'<defs>{fills}</defs><rect class="p" x=".5" y=".5" width="{width - 1}" height="{height - 1}" '
            f'rx="8"/>{"".join(parts)}</svg>'
        )

    def html(self) -> str:
        """The chart as an image, with its numbers as a table folded up below."""
        data = base64.b64encode(self.svg().encode()).decode("ascii")
        head = "".join(
            f'<th scope="col">{escape(name)}</th>' for name in (self.unit, *self.series, "questions")
        )
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in (g.name, *g.values, g.of)) + "</tr>"
            for g in self.groups
        )
        return (
            f'<img src="data:image/svg+xml;base64,{data}" style="max-width:100%;height:auto" '
            f"alt={attribute(self.alt)}><details><summary>The numbers as a table</summary><table>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.html()}

    def __repr__(self) -> str:
        return f"Bars: {self.alt}"


def bars(rows: Sequence[Sequence[Any]], title: str, *, series: Sequence[str], unit: str = "hops") -> Bars:
    """Draws a table whose rows are: a group's name, the most that is possible, and a number for each series.

    Args:
        rows: the table, as `by_hops` gives it.
        title: stands above the chart.
        series: what the numbers are called, at most three.
        unit: what the groups are numbered by.

    Raises:
        ValueError: there are more than three series, or a row of another length.
    """
    if not 1 <= len(series) <= len(_COLOURS):
        raise ValueError(f"a chart has one to three series, not {len(series)}")
    if any(len(row) != len(series) + 2 for row in rows):
        raise ValueError(f"every row should hold a name, the most possible, and {len(series)} numbers")
    groups = tuple(Group(str(row[0]), tuple(int(v) for v in row[2:]), int(row[1])) for row in rows)
    return Bars(title, tuple(series), groups, unit)
