"""One palette: readable for colour-blind readers, the same label always the same sign."""

from __future__ import annotations

import itertools

import pytest

from course_lib.views.palette import DARK, LIGHT, RESERVE, STYLES, Theme, contrast, mix, styles_for

COLLEGE = ("Student", "Subject", "Club", "Skill", "Project", "Concept", "Note")
BAKERY = ("Person", "Customer", "Allergen", "Product")

# Machado, Oliveira and Fernandes (2009), severity 1: how each kind of colour blindness sees linear RGB.
DEFICIENCIES = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: str) -> list[float]:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def lab(rgb: list[float]) -> tuple[float, float, float]:
    r, g, b = (min(1.0, max(0.0, part)) for part in rgb)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(one: str, other: str, deficiency: str) -> float:
    matrix = DEFICIENCIES[deficiency]

    def seen(colour: str) -> tuple[float, float, float]:
        rgb = linear(colour)
        return lab([sum(w * c for w, c in zip(row, rgb, strict=True)) for row in matrix])

    return float(sum((a - b) ** 2 for a, b in zip(seen(one), seen(other), strict=True)) ** 0.5)


@pytest.mark.parametrize("world", [COLLEGE, BAKERY])
@pytest.mark.parametrize("deficiency", sorted(DEFICIENCIES))
def test_colours_that_share_a_picture_differ_for_every_kind_of_eye(
    world: tuple[str, ...], deficiency: str
) -> None:
    for one, other in itertools.combinations(world, 2):
        # A difference of 2.3 is just noticeable side by side; 10 is seen at a glance.
        assert distance(STYLES[one].colour, STYLES[other].colour, deficiency) > 10, (one, other)


@pytest.mark.parametrize("world", [COLLEGE, BAKERY])
def test_within_a_world_no_two_labels_share_a_shape(world: tuple[str, ...]) -> None:
    assert len({STYLES[label].shape for label in world}) == len(world)


@pytest.mark.parametrize("style", [*STYLES.values(), *RESERVE])
def test_text_on_a_node_and_its_outline_have_enough_contrast(style) -> None:  # type: ignore[no-untyped-def]
    assert contrast(style.ink, style.colour) >= 4.5
    assert contrast(style.outline, LIGHT.panel) >= 3
    # On a dark panel the fill itself stands out, or nearly: text beside it says the rest.
    assert contrast(style.colour, DARK.panel) >= 2.9


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_beside_nodes_has_enough_contrast(theme: Theme) -> None:
    assert contrast(theme.ink, theme.panel) >= 7
    assert contrast(theme.muted, theme.panel) >= 4.5
    assert contrast(theme.edge, theme.panel) >= 3
    assert contrast(theme.accent, theme.panel) >= 4.5


def test_an_unknown_label_always_looks_the_same_and_like_no_known_one() -> None:
    alone = styles_for(["Recipe"])["Recipe"]
    assert styles_for(["Recipe"])["Recipe"] == alone
    assert alone.colour not in {style.colour for style in STYLES.values()}
    assert styles_for(["Student", "Recipe"])["Student"] == STYLES["Student"]


def test_many_unknown_labels_stay_apart() -> None:
    labels = [f"Kind{i}" for i in range(len(RESERVE))]
    chosen = styles_for([*labels, *COLLEGE])
    assert len(set(chosen.values())) == len(RESERVE) + len(COLLEGE)
    few = styles_for(["A", "B", "C", "D", "E"])
    assert len({style.shape for style in few.values()}) == 5


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert mix("#000000", "#ffffff", 0.5) == "#808080"
