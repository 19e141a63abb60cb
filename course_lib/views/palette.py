"""One colour and one shape for each label, the same in every picture of the course.

The colours are those of Okabe and Ito ("Color Universal Design", 2008), which readers with any of the common
kinds of colour blindness can tell apart. Colour is never the only sign: each label has a shape too, and each
node its name beside it. Shapes are the ones that both our SVG and vis-network can draw with the name below.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

Shape = Literal["dot", "square", "diamond", "triangle", "triangleDown", "hexagon", "star"]


@dataclass(frozen=True)
class Style:
    """How the nodes of one label look."""

    colour: str
    """Fill, as #rrggbb."""
    shape: Shape

    @property
    def outline(self) -> str:
        """A darker tone of the fill: it stands out from a light panel where the fill alone does not."""
        return mix(self.colour, "#000000", 0.45)

    @property
    def ink(self) -> str:
        """Black or white, whichever reads better on the fill."""
        return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, self.colour))


@dataclass(frozen=True)
class Theme:
    """What stands round the nodes."""

    panel: str
    """The picture's own background, so that it reads on a light page and on a dark one."""
    frame: str
    ink: str
    """Names and titles."""
    muted: str
    """Relationship types and the legend."""
    edge: str
    accent: str
    """The ring round a highlighted node."""


LIGHT = Theme(
    panel="#fdfdfb", frame="#d4d4d0", ink="#1f2328", muted="#555b62", edge="#7d838a", accent="#b3261e"
)
DARK = Theme(
    panel="#1c1f24", frame="#3d434b", ink="#eceff2", muted="#b3bac2", edge="#8b929b", accent="#ffb4a9"
)

_BLUE, _ORANGE, _GREEN, _PURPLE = "#0072b2", "#e69f00", "#009e73", "#cc79a7"
_VERMILION, _SKY, _YELLOW = "#d55e00", "#56b4e9", "#f0e442"

STYLES: Mapping[str, Style] = {
    # the college
    "Student": Style(_BLUE, "dot"),
    "Subject": Style(_ORANGE, "square"),
    "Club": Style(_GREEN, "star"),
    "Skill": Style(_PURPLE, "triangle"),
    "Project": Style(_VERMILION, "diamond"),
    "Concept": Style(_SKY, "hexagon"),
    "Note": Style(_YELLOW, "triangleDown"),
    # the bakery
    "Person": Style(_BLUE, "dot"),
    "Customer": Style(_GREEN, "hexagon"),
    "Allergen": Style(_VERMILION, "triangle"),
    "Product": Style(_ORANGE, "square"),
}
"""Label -> its style. The college and the bakery never share a picture, so they share colours."""

RESERVE: tuple[Style, ...] = tuple(
    Style(colour, shape)
    for colour in ("#8a8f98", "#a0785a", "#7b61a8", "#5f8d4e")
    for shape in ("hexagon", "diamond", "triangleDown", "star", "triangle", "square", "dot")
)
"""For labels that the course does not know. In no colour of `STYLES`."""


def styles_for(labels: Iterable[str]) -> dict[str, Style]:
    """The styles for the labels of one picture, no two alike.

    A known label always looks the same. An unknown one gets a style of the reserve that depends on its name;
    when its shape is taken in this picture, the next whose shape is free.
    """
    wanted = sorted(set(labels))
    chosen = {label: STYLES[label] for label in wanted if label in STYLES}
    for label in wanted:
        if label in chosen:
            continue
        start = int.from_bytes(hashlib.sha256(label.encode()).digest()[:4], "big") % len(RESERVE)
        order = RESERVE[start:] + RESERVE[:start]
        shapes = {style.shape for style in chosen.values()}
        free = [style for style in order if style not in chosen.values()]
        chosen[label] = next((s for s in free if s.shape not in shapes), (free or list(order))[0])
    return {label: chosen[label] for label in wanted}


def mix(colour: str, other: str, share: float) -> str:
    """A colour moved towards another one by a share between 0 and 1."""
    pairs = zip(_rgb(colour), _rgb(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it: 1 for equal ones, 21 for black on white."""
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    parts = [value / 255 for value in _rgb(colour)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
