"""What a clause of a customer's message claims: the phrase, the thing it is about, and how it is put."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from course_lib.models.practice.mind.facts_words import Claim, words

_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_JOIN = re.compile(r"\s*(?P<join>,\s*(?:and|or|aur|ya)\b|,|&|/|\band\b|\bor\b|\baur\b|\bya\b|\+)\s*", re.I)
_ALLERGY_TAIL = re.compile(r"[- ]al+erg(?:y|ies)$", re.I)


@dataclass(frozen=True)
class Thing:
    """Something that somebody reacts to or likes, as written, and where it stands in the clause."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Found:
    """A phrase found in a clause, with its things."""

    claim: Claim
    start: int
    end: int
    things: tuple[Thing, ...]

    @property
    def first(self) -> int:
        """Where the phrase or its first thing begins."""
        return min([self.start, *(thing.start for thing in self.things)])

    @property
    def last(self) -> int:
        """Where the phrase or its last thing ends."""
        return max([self.end, *(thing.end for thing in self.things)])


def claims_in(clause: str) -> list[Found]:
    """Every claim of a clause, in the order of the text; of two that overlap, the one that says more."""
    found: list[Found] = []
    for claim in words().claims:
        for match in claim.pattern.finditer(clause):
            things = _things(claim, match, clause)
            if things:
                found.append(Found(claim, match.start(), match.end(), tuple(things)))
    found.sort(key=lambda f: (-(f.end - f.start), f.start))
    kept: list[Found] = []
    for one in found:
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    kept.sort(key=lambda f: f.start)
    return _without_shared(kept)


def _without_shared(found: list[Found]) -> list[Found]:
    """Takes a claim out whose things another claims already, or whose things are another's phrase."""
    kept: list[Found] = []
    for one in found:
        own = [
            thing
            for thing in one.things
            if all(
                thing.end <= other.start or other.end <= thing.start for other in found if other is not one
            )
        ]
        own = [t for t in own if all(t.start not in [u.start for u in k.things] for k in kept)]
        if own:
            kept.append(Found(one.claim, one.start, one.end, tuple(own)))
    return kept


def _things(claim: Claim, match: re.Match[str], clause: str) -> list[Thing]:
    if claim.object == "inside":
        things = _inside(match, clause)
    elif claim.object == "after":
        things = _after(clause, match.end())
    else:
        things = _before(clause, match.start(), names=claim.relation == "LIKES")
    if claim.relation == "ALLERGIC_TO" and (claim.known_food or claim.turned or claim.who == "after"):
        things = [thing for thing in things if is_food(thing.text)]
    return things


def is_food(text: str) -> bool:
    """Whether a text is, or begins or ends with, a food that the model knows by name."""
    lists = words()
    lower = text.lower()
    parts = lower.split()
    return lower in lists.foods or (bool(parts) and bool(lists.foods & {parts[0], parts[-1]}))


def _inside(match: re.Match[str], clause: str) -> list[Thing]:
    start, text = match.start("obj"), match.group("obj")
    lead = words().leading.match(text)
    skipped = lead.end() if lead else 0
    things = []
    for piece in _pieces(text[skipped:], start + skipped):
        parts = piece.text.lower().split()
        if parts and parts[0] in words().no_food:
            cut = len(parts[0]) + 1
            piece = Thing(piece.text[cut:], piece.start + cut, piece.end)
            parts = parts[1:]
        if parts and len(parts) <= 3 and not set(parts) & words().stop:
            things.append(piece)
    return things


def _pieces(text: str, start: int) -> list[Thing]:
    things, at = [], 0
    for join in [*_JOIN.finditer(text), None]:
        end = join.start() if join else len(text)
        piece = text[at:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            things.append(Thing(piece.strip(), start + at + lead, start + at + len(piece.rstrip())))
        at = join.end() if join else len(text)
    return things


def _after(clause: str, at: int) -> list[Thing]:
    things: list[Thing] = []
    joined = ""
    while True:
        lead = words().leading.match(clause, at)
        at = lead.end() if lead else at
        thing = _piece_at(clause, at)
        if thing is None or (joined and not _goes_on(thing, joined, clause)):
            return things
        things.append(thing)
        join = _JOIN.match(clause, thing.end)
        if join is None:
            return things
        joined, at = join.group("join").strip(), join.end()


def _piece_at(clause: str, at: int) -> Thing | None:
    end, count = at, 0
    for match in _WORD.finditer(clause, at):
        gap = clause[end : match.start()]
        if (count and gap != " ") or (not count and gap.strip()):
            break
        if match.group().lower() in words().stop or count == 4:
            break
        end, count = match.end(), count + 1
    if not count:
        return None
    end = at + _known_food(clause[at:end])
    bracket = re.match(r" ?\((?P<word>[a-z]+)\)", clause[end:])
    if bracket and bracket.group("word") in words().allergens:
        end += bracket.end()
    text = clause[at:end].strip(" '-")
    start = clause.index(text, at)
    text = _ALLERGY_TAIL.sub("", text)
    return Thing(text, start, start + len(text)) if text else None


def _known_food(text: str) -> int:
    """How much of a text is the thing: 'peanuts two years back' ends at the food that is known."""
    lists, parts = words(), text.split(" ")
    if not {parts[0].lower(), " ".join(parts[:2]).lower()} & lists.allergens:
        return len(text)
    count = 1
    while count < len(parts) and parts[count].lower() in lists.foods:
        count += 1
    return len(" ".join(parts[:count]))


def _goes_on(thing: Thing, joined: str, clause: str) -> bool:
    """Whether a piece after a comma or an 'and' belongs to the list."""
    if is_food(thing.text):
        return True
    # An unknown word goes on with a list only where an 'and' announces it and the clause ends with it.
    rest = clause[thing.end :].strip(" .!")
    return joined.strip(", ").lower() in ("and", "or", "&", "aur", "ya") and not rest and thing.text.islower()


def _before(clause: str, at: int, names: bool) -> list[Thing]:
    """The things in front of a phrase; `names` where they may have capitals, as a product's name does."""
    things: list[Thing] = []
    tokens = [m for m in _WORD.finditer(clause) if m.end() <= at]
    while tokens and tokens[-1].group().lower() in words().filler:
        tokens.pop()
    while tokens:
        piece: list[re.Match[str]] = []
        while tokens and len(piece) < 4:
            token = tokens[-1]
            lower = token.group().lower()
            joined = clause[token.end() : piece[0].start()] if piece else " "
            person = lower in words().names or (not names and token.group().istitle() and not is_food(lower))
            if lower in words().stop or joined != " " or (piece and person):
                break
            piece.insert(0, tokens.pop())
        if not piece:
            break
        start, end = piece[0].start(), piece[-1].end()
        thing = Thing(clause[start:end], start, end)
        if things and not is_food(thing.text):
            break
        things.insert(0, thing)
        gap = clause[tokens[-1].end() : start] if tokens else ""
        if tokens and tokens[-1].group().lower() in ("and", "aur", "or", "ya") and gap == " ":
            tokens.pop()
        elif gap.strip() not in (",", "&", "/"):
            break
    return things


def stance_of(found: Found, clause: str, since: int, question: bool, before: Sequence[str] = ()) -> str:
    """How a claim is put.

    Args:
        found: the claim.
        clause: the clause it stands in.
        since: where the words about its person begin.
        question: whether the clause is part of a question.
        before: clauses of the same sentence that lead to this one and claim nothing themselves.
    """
    lists = words()
    claim = found.claim
    if claim.stance is not None and claim.stance != "question":
        return "question" if question else claim.stance
    start = max(clause.rfind(mark, 0, since) for mark in ",.:;(") + 1
    window = clause[max(start, since - 14) : found.first if claim.object == "before" else found.start]
    inner = clause[since : found.start]
    told = re.search(r"\b(?:who|because|since|as|kyunki)\b", clause[: found.first], re.I)
    if claim.stance == "question" or (question and not told):
        return "question"
    lead = " ".join([*before, clause])
    if lists.hearsay.search(lead):
        return "hearsay"
    after = clause[found.end : found.end + 16]
    # What was may stand before the thing only: '…, that was a mix-up' says nothing about the allergy.
    trailing = re.sub(r"\b(?:was|were)\b", "", clause[found.last : found.last + 24])
    spoken = clause[since : found.last] + trailing
    if re.search(r"\bnever\b", inner, re.I):
        return "negated"
    if lists.past.search(spoken) and not lists.still.search(spoken):
        return "past"
    if lists.negated.search(window) or lists.negated.search(inner):
        return "negated"
    if claim.object == "before" and "nahi" not in claim.pattern.pattern and lists.negated_after.search(after):
        return "negated"
    if re.search(r"\b(?:koi|kisi)\b", window) and lists.negated_after.search(clause[found.end :]):
        return "negated"
    return "stated"
