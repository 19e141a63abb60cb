"""Constrained extraction: a message in, typed triples out, with the words of the message that carry them."""

from __future__ import annotations

from typing import Any

from course_lib.crumb.triples import (
    RELATIONS,
    SPEAKER,
    STANCES,
    Doubt,
    Extraction,
    Problem,
    Stance,
    Triple,
)

__all__ = ["RELATIONS", "SPEAKER", "STANCES", "Doubt", "Extraction", "Problem", "Stance", "Triple", "extract"]


def extract(message: str, client: Any = None) -> Extraction:
    """Typed triples of a message."""
    raise NotImplementedError
