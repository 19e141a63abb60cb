"""What a message would change: decided whole before anything is written.

A plan holds the new people, ties, facts and items of the tray, and the log lines that say so. A triple that
is rejected has no part in it, so nothing of it can be left behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from course_lib.crumb.household import Source
from course_lib.crumb.triples import Triple


@dataclass(frozen=True)
class LogLine:
    """What became of one triple. As text it is the line of the log."""

    text: str
    outcome: str
    """`written`, `known`, `review`, `skipped`, or `repeated` for a message that was here before."""
    triple: Triple | None = None
    item: str | None = None
    """For `review`: the key of the item in the tray."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class ReviewItem:
    """What a person has to decide: what was said, why it is in doubt, and what it may mean."""

    id: str
    kind: str
    """`triple`, `retraction` (end a fact), `return` (an ended fact was said again), `unread` (a message)."""
    code: str
    """Why, as a word: ambiguous, namesake, untied, unnamed, grey zone, evidence, hearsay, …"""
    reason: str
    customer: str
    subject: str = ""
    relation: str = ""
    object: str = ""
    role: str = ""
    person: str = ""
    """The person it would be, where the code has an idea."""
    name: str = ""
    """That person's name, for one who is new."""
    target: str = ""
    """What it would point to, where the code has an idea."""
    candidates: tuple[str, ...] = ()
    evidence: str = ""
    message: str = ""
    date: str = ""
    asked_by: str = "chat"
    status: str = "open"
    decided_by: str = ""
    decided_at: str = ""
    outcome: str = ""

    def __str__(self) -> str:
        said = (
            f"'{self.subject}' {self.relation} '{self.object}'"
            if self.relation
            else f"'{self.evidence[:60]}'"
        )
        return f"{self.id} {self.customer} {said}: {self.reason}"


@dataclass
class Plan:
    """Everything that one message changes."""

    customer: str
    message: str
    """The message's key in the store: the customer's, a slash, and its own."""
    message_id: str
    date: str
    digest: str
    again: bool = False
    """Whether the message was here before, read differently."""
    people: dict[str, str] = field(default_factory=dict)
    """Key -> name of each new relative."""
    ties: dict[str, tuple[str, Source]] = field(default_factory=dict)
    """A new relative's key -> role and source."""
    facts: dict[tuple[str, str, str], Source] = field(default_factory=dict)
    """(person, relation, target) -> source of each new edge."""
    confirmed: dict[tuple[str, str, str], list[Source]] = field(default_factory=dict)
    """(person, relation, target) -> all its sources now, for edges that were known."""
    items: list[ReviewItem] = field(default_factory=list)
    lines: list[LogLine] = field(default_factory=list)
