"""Who a customer's message speaks of: the one who writes, relatives with and without a name, others."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from course_lib.models.practice.mind.facts_words import words

SPEAKER = "me"
_NAME = r"[A-Z][a-z]+(?:-[A-Z][a-z]+)?"
_FULL = rf"{_NAME}(?: {_NAME})?"


@dataclass(frozen=True)
class Mention:
    """A place in a text where somebody is meant."""

    start: int
    end: int
    names: tuple[str, ...]
    """Whom it means. `me` is the one who writes; a relative without a name is 'my son'."""
    roles: tuple[str, ...] = ()
    """What they are to the one who writes, where this mention says so."""
    name_first: bool = False
    """Whether the name stands before the word for the relative: 'Aarav is my son'."""
    word: str = ""
    """The word for the relative, as written."""


@dataclass
class Known:
    """The people whom a message has introduced so far."""

    speaker: str | None = None
    """The writer's own name, where the message says it."""
    roles: dict[str, str] = field(default_factory=dict)
    """Name -> role, in the order of their introduction."""
    seen: list[str] = field(default_factory=list)
    """Everybody named so far, relatives or not."""
    last: tuple[str, ...] = ()
    """Whom the message spoke of last: he, she, they."""


@dataclass(frozen=True)
class _Patterns:
    owned: re.Pattern[str]
    named_first: re.Pattern[str]
    bare: re.Pattern[str]
    theirs: re.Pattern[str]
    stranger: re.Pattern[str]


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    known = words()
    names = rf"(?:{_FULL})(?:\s*(?:,|&|/|and|aur)\s*(?:and\s+|aur\s+)?(?:{_NAME})(?=[\s,.!?;:)'’-]|$))*"
    owner = rf"\b(?P<owner>(?i:{known.owners}))\s+"
    adjectives = (
        r"(?:(?:\d+|\w+)[- ](?:year|yr|saal|month)s?(?:[- ](?:old|ka|ki|ke))?\s+"
        r"|(?!(?i:is|ko|has|and|se)\b)[a-z]+\s+){0,2}?"
    )
    role = rf"(?P<role>(?i:{known.role_words}))\b"
    called = r"(?:,?\s*(?:named|called|naam|whose name is)\s+|\s*[,:(–-]\s*|\s+)?"
    return _Patterns(
        owned=re.compile(rf"{owner}{adjectives}{role}{called}(?P<name>{names})?"),
        # After a bare comma the word for the relative has to close: 'Hi Lata, my son …' names no son.
        named_first=re.compile(
            rf"\b(?P<name>{_NAME}(?:\s*(?:,|&|and|aur)\s*{_NAME})*)"
            r"(?:(?P<comma>\s*[,–-]\s*)|\s*\(\s*|\s+(?:is|are|hai|hain|who is|yaani)\s+"
            r"|\s+(?=(?i:mer|ham|hum|apn)))"
            rf"(?:(?:both|dono)\s+)?(?P<owner>(?i:{known.owners}))\s+{adjectives}{role}"
            r"(?(comma)(?=\s*(?:[,.!?;)]|$)))"
        ),
        bare=re.compile(
            rf"(?:^|[,.!;:–-]\s*|\b(?i:and|aur|but|lekin|btw|ps|kyunki|ki|for|ghar mein)\s+){role}"
            rf"(?:\s+(?P<name>{_NAME})|(?=\s+(?i:ko|ka|ki|ke|is|has|can't|cannot|loves|likes|gets|se)\b))"
        ),
        # 'His son': somebody else's relative, and none of the one who writes.
        theirs=re.compile(rf"\b(?P<owner>(?i:his|her|their))\s+{adjectives}{role}{called}(?P<name>{_NAME})?"),
        stranger=re.compile(
            rf"{owner}{adjectives}(?P<role>(?i:{known.others}))\b(?:'s)?{called}(?P<name>{_NAME})?"
        ),
    )


def speaker_name(message: str) -> str | None:
    """The name that the one who writes gives as their own, or None."""
    for pattern in (
        rf"\b(?P<name>{_FULL}) (?:here|this side)\b",
        rf"\b(?i:it's|its|it is|this is|myself|main)\s+(?P<name>{_FULL})\b"
        r"(?! (?:\w*ing\b|from the|who\b|is\b))",
        rf"\b(?i:i am|i'm|im|my name is|mera naam)\s+(?P<name>{_FULL})\b(?! \w*ing\b)",
        rf"(?:[–—-]\s*|\b(?i:regards|thanks|thank you|cheers|thx),?\s+)(?P<name>{_FULL})\s*[.!]?\s*$",
    ):
        for match in re.finditer(pattern, message):
            first = match.group("name").split()[0].lower()
            if first not in words().not_names and first not in words().foods:
                return match.group("name")
    return None


def mentions(text: str, known: Known) -> list[Mention]:
    """Everybody whom a piece of a message means, in the order of the text. Relatives become known."""
    found: list[Mention] = []
    taken: list[tuple[int, int]] = []

    def free(start: int, end: int) -> bool:
        return all(end <= a or b <= start for a, b in taken)

    patterns = _patterns()
    padded = _with_capitals(text)
    for pattern, first in ((patterns.named_first, True), (patterns.owned, False), (patterns.bare, False)):
        for match in pattern.finditer(padded):
            start = match.start("name") if first else match.start("role")
            if not first and "owner" in match.groupdict():
                start = match.start("owner")
            made = _relative(match, first, text, padded, known)
            if made is None or not free(start, made.end):
                continue
            found.append(made)
            taken.append((start, made.end))
    for match in patterns.theirs.finditer(padded):
        names = _names(match.group("name") or "")
        end = match.end("name") if names else match.end("role")
        who = tuple(_as_written(name, padded, text) for name in names)
        if free(match.start(), end):
            found.append(Mention(match.start(), end, who or (text[match.start() : end].lower(),)))
            taken.append((match.start(), end))
    for match in patterns.stranger.finditer(padded):
        names = _names(match.group("name") or "")
        end = match.end("name") if names else match.end("role")
        if free(match.start(), end):
            who = tuple(names) or (f"my {match.group('role').lower()}",)
            found.append(Mention(match.start(), end, who))
            taken.append((match.start(), end))
            known.seen.extend(name for name in who if name not in known.seen)
    found += _others(padded, text, known, taken)
    found.sort(key=lambda mention: mention.start)
    return found


def _relative(match: re.Match[str], first: bool, text: str, padded: str, known: Known) -> Mention | None:
    lists = words()
    word = match.group("role").lower()
    role = lists.roles[word]
    names = _names(match.group("name") or "")
    if first and not names:
        return None
    end = match.end("role")
    if not first and names:
        # 'my son Aarav and Priya from next door': one relative has one name, several may have several.
        several = word in lists.plural or word in ("dono",)
        kept = names if several else names[:1]
        place = match.start("name") + _end_of(match.group("name"), kept[-1])
        names, end = kept, place
    if first and word not in lists.plural:
        names = names[-1:]
    if not names:
        same = [name for name, other in known.roles.items() if other == role]
        if len(same) == 1:
            return Mention(match.start("role"), end, (same[0],), word=word)
        names = [f"my {word}"]
    if first:
        start = match.start("name") + match.group("name").rfind(names[0])
    else:
        start = match.start("owner") if "owner" in match.groupdict() else match.start("role")
    # As it was typed: a name in small letters stays so.
    names = [_as_written(name, padded, text) for name in names]
    for name in names:
        known.roles.setdefault(name, role)
        if name not in known.seen:
            known.seen.append(name)
    return Mention(start, end, tuple(names), (role,) * len(names), first, word)


def _as_written(name: str, padded: str, text: str) -> str:
    place = padded.find(name)
    return text[place : place + len(name)] if place >= 0 else name


def listed_spans(text: str) -> list[tuple[int, int]]:
    """Where a text names relatives in one breath, be it over commas: no clause ends inside."""
    lists, patterns, padded = words(), _patterns(), _with_capitals(text)
    spans = [match.span() for match in patterns.named_first.finditer(padded)]
    for match in patterns.owned.finditer(padded):
        if match.group("name") and match.group("role").lower() in lists.plural:
            spans.append(match.span())
    return spans


def _end_of(listed: str, name: str) -> int:
    return listed.find(name) + len(name)


def _names(listed: str) -> list[str]:
    lists = words()
    pieces = re.split(r"\s*(?:,|&|/|\band\b|\baur\b)\s*", listed)
    names = [piece.strip() for piece in pieces if piece.strip()]
    return [n for n in names if n.split()[0].lower() not in lists.not_names | lists.foods]


def _with_capitals(text: str) -> str:
    """The text with a capital on every known name, so that 'my son aarav' reads like 'my son Aarav'."""
    lists = words()

    def lift(match: re.Match[str]) -> str:
        word = match.group()
        return word.capitalize() if word in lists.names else word

    # 'om', 'dev' and 'tara' are words too: only after a word that calls for a name.
    pattern = r"(?<=\s)[a-z]{2,}\b"
    before = re.compile(
        rf"(?:\b(?:{lists.role_words}|named|called|and|aur|is|i'm|its|it's|this is)[\s,]+|^)$", re.I
    )

    def lifted(match: re.Match[str]) -> str:
        return lift(match) if before.search(text[: match.start()]) else match.group()

    lifted_text = re.sub(pattern, lifted, text)
    first = re.match(r"[a-z]{2,}\b", lifted_text)
    if first and first.group() in lists.names:
        lifted_text = first.group().capitalize() + lifted_text[first.end() :]
    return lifted_text


_PRONOUNS = re.compile(
    r"\b(?P<one>he|she|him|her|his|uska|uski|usko|usse|use|iska|isko|wo|woh)\b"
    r"|\b(?P<many>they|them|their|both|dono|unko|unhe|teeno|all three|all of them)\b"
    r"|\b(?P<me>i|i'm|i've|i'd|im|me|mujhe|mujhko|myself|mai|main)\b|\b(?P<us>we|we're|us|humko|hume|hum|hamara|humara)\b",
    re.I,
)


def _others(text: str, typed: str, known: Known, taken: list[tuple[int, int]]) -> list[Mention]:
    lists = words()
    found = []
    for match in re.finditer(rf"\b{_NAME}\b", text):
        if any(a < match.end() and match.start() < b for a, b in taken):
            continue
        name = match.group()
        lower = name.lower()
        if known.speaker is not None and name in known.speaker.split():
            if name in known.roles:
                continue
            found.append(Mention(match.start(), match.end(), (SPEAKER,)))
            continue
        if lower in lists.not_names or lower in lists.foods:
            continue
        if any(n.lower() == lower for n in known.seen) or lower in lists.names or _acts(text[match.end() :]):
            written = typed[match.start() : match.end()]
            whole = next((n for n in known.seen if n.split()[0].lower() == lower), written)
            found.append(Mention(match.start(), match.end(), (whole,)))
            if whole not in known.seen:
                known.seen.append(whole)
    for match in _PRONOUNS.finditer(text):
        if any(a < match.end() and match.start() < b for a, b in taken):
            continue
        if match.group("me"):
            found.append(Mention(match.start(), match.end(), (SPEAKER,), word=match.group().lower()))
        elif match.group("us"):
            found.append(Mention(match.start(), match.end(), (SPEAKER,), word="we"))
        else:
            found.append(Mention(match.start(), match.end(), (), word="he" if match.group("one") else "they"))
    return found


_ACTS = re.compile(
    r"^(?:'s)?,?\s+(?:is|are|has|have|can't|cannot|loves|likes|reacts|gets|ko|ki|ka|ke|was|used|carries|must|should"
    r"|breaks|swells|avoids|outgrew|also|too|who|doesn't|isn't|adores|wheezes|stays|needs|and [A-Z])\b"
)


def _acts(rest: str) -> bool:
    return bool(_ACTS.match(rest))
