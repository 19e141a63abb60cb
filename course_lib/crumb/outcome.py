"""What a resolver says about a mention."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Resolution:
    """What a mention stands for, or why no code may decide that."""

    value: str | None
    """The key (of a person), or the canonical name (of an allergen or product); None when there is none."""
    how: str
    """How it was found, in a word or two: 'speaker', 'approved word', 'closeness'."""
    review: str | None = None
    """Why a person has to decide; None when nobody has to."""
    score: float | None = None
    """For a product: how close the best candidate is, from 0 to 1."""
    candidates: tuple[str, ...] = ()
    """What it may be, the likeliest first."""
    name: str = ""
    """For a person: the name to show."""
    role: str = ""
    """For a relative: what the mention, or the household, says they are to the customer."""
