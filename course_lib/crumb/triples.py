"""What an extraction gives: triples, those that are in doubt, and what went wrong on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Stance = Literal["stated", "negated", "hearsay", "past", "question"]
"""How a message puts a fact: only what is stated is a fact; the rest is kept apart from it."""

RELATIONS: tuple[str, ...] = ("ALLERGIC_TO", "FAMILY_OF", "LIKES")
"""The relations that a typed extraction may use."""
STANCES: tuple[Stance, ...] = get_args(Stance)
SPEAKER = "me"
"""What a triple calls the one who writes the message."""


@dataclass(frozen=True)
class Triple:
    """One fact as the message puts it: the words are the customer's own, nothing is looked up yet."""

    subject: str
    relation: str
    object: str
    role: str | None = None
    """For FAMILY_OF: what the relative is to the customer (son, sister)."""
    evidence: str = ""
    """The words of the message that carry the fact."""
    stance: Stance = "stated"


@dataclass(frozen=True)
class Doubt:
    """A triple that no code may decide about, and why: a person has to look at it."""

    triple: Triple
    reason: str


@dataclass(frozen=True)
class Problem:
    """Something that went wrong with a reply, or with a part of it.

    `code` is one of: empty message, refused, cut off, not JSON, not valid, no reply.
    """

    code: str
    detail: str


@dataclass(frozen=True)
class Extraction:
    """What one message gave."""

    triples: tuple[Triple, ...] = ()
    """Every valid triple in the order of the reply, whatever its stance: look at it before you write."""
    doubts: tuple[Doubt, ...] = ()
    """Triples whose evidence is not in the message. They are not among `triples`, and belong in the tray."""
    problems: tuple[Problem, ...] = ()
    message: str = ""
    """The message that it was taken from."""

    @property
    def stated(self) -> tuple[Triple, ...]:
        """The triples that the message states as facts."""
        return tuple(triple for triple in self.triples if triple.stance == "stated")

    @property
    def apart(self) -> tuple[Triple, ...]:
        """The triples that are no statement: negated, hearsay, past, or a question."""
        return tuple(triple for triple in self.triples if triple.stance != "stated")
