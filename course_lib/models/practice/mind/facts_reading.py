"""A customer's message read for facts: who is meant, what they react to, what they like, and how it is put.

It reads Latin letters, English and Hinglish, a sentence at a time. It stops at: other scripts, irony, facts
that only two sentences together give ('Same goes for Diya'), names that are also words and stand without a
capital, a list that goes on with 'but not', and lists that name people and things crosswise ('Aarav and Diya:
milk and eggs, in that order').
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from course_lib.models.practice.mind.facts_claims import Found, claims_in, stance_of
from course_lib.models.practice.mind.facts_people import (
    SPEAKER,
    Known,
    Mention,
    listed_spans,
    mentions,
    speaker_name,
)
from course_lib.models.practice.mind.facts_words import words

_MOST = 200_000
"""Characters of a message that are read."""

_HE = re.compile(r"\b(?:he|him|his)\b", re.I)
_SHE = re.compile(r"\b(?:she|her)\b", re.I)


@dataclass(frozen=True)
class Fact:
    """One triple, with what the message says about it."""

    subject: str
    relation: str
    object: str
    role: str = ""
    """For FAMILY_OF: what the relative is to the customer."""
    free: str = ""
    """The relationship type that a free-form reply makes up."""
    words: str = ""
    """The words of the message that say so."""
    stance: str = "stated"
    turned: bool = False
    """Whether the words stand the other way round than the fact: the thing before the person."""
    aside: bool = False
    """Whether it stands in brackets or in a postscript, where a hasty reader misses it."""
    name_first: bool = False
    """For FAMILY_OF: whether the relative's name stands before what they are."""
    spoken_of: str = ""
    """The word by which the message means the one who writes, where it does: I, me, we."""
    whole: str = ""
    """What a free-form reply takes for the thing, when that is more than `object`."""


@dataclass(frozen=True)
class _Sentence:
    text: str
    aside: bool


@lru_cache(maxsize=1024)
def read_facts(message: str) -> tuple[Fact, ...]:
    """The facts of a message, in the order of the text; FAMILY_OF goes from me to the relative."""
    plain = message[:_MOST].replace("’", "'").replace("‘", "'")
    known = Known(speaker_name(plain))
    facts: list[Fact] = []
    for sentence in _sentences(plain):
        facts += _sentence_facts(sentence, known)
    facts = list(dict.fromkeys(facts))
    _echo(facts, known, plain)
    facts += _refused(plain, known.speaker, facts)
    return tuple(facts)


def _sentences(text: str) -> Iterator[_Sentence]:
    for line in text.splitlines():
        for piece in re.split(r"(?<=[.!?;])\s+(?!\()|(?<=[.!?])\)\s*", line):
            yield from _brackets(piece)


def _brackets(piece: str) -> Iterator[_Sentence]:
    """A sentence, and what stands in its brackets as one of its own where that is more than two words."""
    inside: list[str] = []

    def take(match: re.Match[str]) -> str:
        held = match.group(1)
        if len(held.split()) <= 2:
            return match.group()
        inside.append(held)
        return " "

    rest = re.sub(r"\s*\(([^()]*)\)?", take, piece)
    # A space in the place of a bracket would break the words that carry a fact.
    aside = bool(re.match(r"\s*(?:p\.? ?s\b|btw\b|by the way\b|oh and\b|waise\b)", rest, re.I))
    if rest.strip():
        yield _Sentence(rest.strip(), aside)
    for held in inside:
        yield _Sentence(held.strip(), True)


_NEW_SUBJECT = (
    r"(?:my|our|mere|meri|mera|hamare|hamari|hamara|he|he's|she|she's|they|they're|i|i'm|i've|we|we're|his|her|uska|uski|usko|unko|mujhe"
    r"|both|dono|everyone)\b"
)
_ASKS = r"(?:is|are|can|could|does|do|will|would|which|what|kya|koi|any|should|how|isn't|so is|so can)\b(?!')"


def _clauses(sentence: str) -> list[str]:
    """Pieces of a sentence that have a subject of their own, or ask something."""
    asked = sentence.rstrip(" )\"'").endswith("?")
    opener = rf"(?:{_NEW_SUBJECT}" + (rf"|{_ASKS}" if asked else "") + ")"
    pattern = (
        rf"(?:[,;:–—]\s+|\s-\s|\s(?=(?:and|but|aur|lekin|so|because|since|kyunki|while|whereas)\s))"
        rf"(?:(?:and|but|aur|lekin|so|par|because|since|kyunki|while|whereas|also|plus)\s+)?(?={opener}"
        rf"|(?-i:[A-Z][a-z]+)(?:'s)?\s+(?:is|has|have|can't|cannot|loves|likes|reacts|gets|ko|ki|ka|carries|breaks|swells|must|adores|avoids)\b)"
    )
    cuts = [0]
    whole = listed_spans(sentence)
    for match in re.finditer(pattern, sentence, re.I):
        if not any(a < match.end() <= b for a, b in whole):
            cuts.append(match.start())
    ends = [*cuts[1:], len(sentence)]
    return [sentence[a:b] for a, b in zip(cuts, ends, strict=True) if sentence[a:b].strip(" ,;-–")]


def _sentence_facts(sentence: _Sentence, known: Known) -> list[Fact]:
    facts: list[Fact] = []
    clauses = _clauses(sentence.text)
    asked_from = _question_from(sentence.text, clauses)
    carried: tuple[str, ...] = ()
    before: list[str] = []
    subjects: tuple[str, ...] = ()
    for index, clause in enumerate(clauses):
        met = mentions(clause, known)
        facts += _family(met, clause, known, sentence.aside)
        claims = claims_in(clause)
        asked = index >= asked_from
        end = 0
        for found in claims:
            who, chosen, spoken = _who(found, met, clause, end, known)
            since = min((mention.start for mention in chosen), default=found.first)
            until = max((mention.end for mention in chosen), default=found.last)
            if found.claim.stance == "question":
                who = (SPEAKER,)  # 'okay for a nut allergy?' names nobody
            if not who:
                who = subjects or carried
            if found.claim.who == "after" and not who:
                continue
            if not who:
                who = known.last or (SPEAKER,)
            joined = carried if who and carried and _adds(clause, met) else ()
            who = tuple(dict.fromkeys((*joined, *who)))
            stance = stance_of(found, clause, since, asked, before)
            facts += _claimed(found, clause, who, (since, until), spoken, stance, sentence.aside)
            subjects, end = who, found.last
        named = tuple(name for mention in met for name in mention.names if name != SPEAKER)
        if claims:
            carried, before = (), []
            others = tuple(name for name in subjects if name != SPEAKER)
            known.last = others or known.last
        else:
            # 'My son Aarav and my daughter Diya are …': the first of them waits for what is said of both.
            tail = clause[met[-1].end :].strip(" ,") if met else "-"
            carried = (*carried, *named) if named and not tail else ()
            before.append(clause)
        if named and not claims:
            known.last = named
    return facts


def _adds(clause: str, met: list[Mention]) -> bool:
    """Whether a clause goes on with the list of people that the one before has begun."""
    start = rf"\s*(?:[,;]\s*)?(?:and|aur|&)?\s*(?:(?i:{words().owners})\b|[A-Z])"
    return bool(met) and bool(re.match(start, clause))


def _question_from(sentence: str, clauses: list[str]) -> int:
    """The number of the first clause that asks; more than there are when none does."""
    asks = re.compile(
        r"^[\s,;–-]*(?:(?:and|but|so|please|pls|also|hi|hello|hey|just checking|tell me|wondering|btw|aur"
        rf"|lekin|toh)[\s,]+)*{words().question.pattern}(?!')",
        re.I,
    )
    if not sentence.rstrip(" )\"'").endswith("?"):
        first = re.match(r"\s*(?:is|are|does|do you|can you|could you|kya|which|will)\b(?!')", sentence, re.I)
        return 0 if first else len(clauses)
    for index, clause in enumerate(clauses):
        if asks.match(clause):
            return index
    return max(0, len(clauses) - 1)


def _family(met: list[Mention], clause: str, known: Known, aside: bool) -> list[Fact]:
    facts = []
    for mention in met:
        for name, role in zip(mention.names, mention.roles, strict=False):
            facts.append(
                Fact(
                    SPEAKER,
                    "FAMILY_OF",
                    name,
                    role,
                    role.upper().replace("-", "_") + "_OF",
                    clause[mention.start : mention.end].strip(" ,.!?;"),
                    aside=aside,
                    name_first=mention.name_first,
                )
            )
    return facts


def _who(
    found: Found, met: list[Mention], clause: str, since: int, known: Known
) -> tuple[tuple[str, ...], list[Mention], str]:
    """Whom a claim is about, the mentions that say so, and the word for the one who writes."""
    after = [m for m in met if m.start >= found.end]
    before = [m for m in met if since <= m.start < found.first or (since <= m.start and m.end <= found.start)]
    inside = [m for m in met if found.start <= m.start < found.end and m not in before]
    if found.claim.who == "after":
        near = [m for m in after if m.start - found.end <= 14]
        chosen = _group(near, clause, forwards=True)
    elif found.claim.who == "either":
        chosen = inside or _group(before, clause)
    else:
        chosen = _group(before, clause)
    names: list[str] = []
    spoken = ""
    for mention in chosen:
        # A pronoun that points to nobody stays as it is, and never becomes the one who writes.
        resolved = mention.names or _pronoun(mention, clause, known) or (clause[mention.start : mention.end],)
        names += [name for name in resolved if name not in names]
        if SPEAKER in mention.names:
            spoken = mention.word
    return tuple(names), chosen, spoken


def _group(met: list[Mention], clause: str, forwards: bool = False) -> list[Mention]:
    """The mention next to a claim, and those that are listed with it."""
    order = met if forwards else met[::-1]
    chosen: list[Mention] = []
    for mention in order:
        if chosen:
            a, b = (chosen[-1], mention) if forwards else (mention, chosen[-1])
            gap = clause[a.end : b.start]
            if not re.fullmatch(r"\s*(?:,|&|and|aur|/|,\s*and|,\s*aur|both|dono|all|ko|\s)*\s*", gap, re.I):
                break
            if not b.names and a.names and b.word == "he":
                break
        chosen.append(mention)
    if not forwards:
        chosen.reverse()
    if any(m.names and SPEAKER not in m.names for m in chosen):
        # 'Aarav and Diya both': the word for both adds nobody.
        chosen = [m for m in chosen if m.names]
    return chosen


def _pronoun(mention: Mention, clause: str, known: Known) -> tuple[str, ...]:
    if mention.word == "they":
        if len(known.last) > 1:
            return known.last
        children = tuple(known.roles)
        return children if len(children) > 1 else known.last
    said = clause[mention.start : mention.end]
    lists = words()
    unwanted = lists.female if _HE.fullmatch(said) else lists.male if _SHE.fullmatch(said) else frozenset()
    recent = [*known.last[::-1], *known.seen[::-1]]
    for name in recent:
        if name != SPEAKER and known.roles.get(name) not in unwanted:
            return (name,)
    return known.last[-1:]


def _claimed(
    found: Found,
    clause: str,
    who: tuple[str, ...],
    span: tuple[int, int],
    spoken: str,
    stance: str,
    aside: bool,
) -> list[Fact]:
    said = clause[min(span[0], found.first) : max(span[1], found.last)].strip(" ,;-–")
    facts = []
    for name in who:
        for thing in found.things:
            text = thing.text
            if found.claim.whole and text.lower() in ("nut", "nuts"):
                text = "nuts"
            facts.append(
                Fact(
                    name,
                    found.claim.relation,
                    text,
                    free=found.claim.free,
                    words=said,
                    stance=stance,
                    turned=found.claim.turned,
                    aside=aside,
                    spoken_of=spoken,
                    whole=_whole(found, clause) if found.claim.whole else "",
                )
            )
    return facts


def _whole(found: Found, clause: str) -> str:
    said = clause[found.things[0].start : found.end]
    return re.sub(r"^(?:an?|the)\s+", "", said.strip())


def _echo(facts: list[Fact], known: Known, plain: str) -> None:
    """With three people in it, the writer among them, a reply once relates the first one to themselves."""
    family = [fact for fact in facts if fact.relation == "FAMILY_OF" and not fact.name_first]
    named = re.search(r"\b(?:it's|its|it is)\s+[A-Z]", plain)
    if known.speaker is None or named is None or len(family) < 2 or family[0].object.startswith("my "):
        return
    first = family[0]
    echo = replace(first, subject=f"my {first.role} {first.object}", free="IS")
    facts.insert(facts.index(first), echo)


def _refused(message: str, speaker: str | None, facts: list[Fact]) -> list[Fact]:
    """'It's Sunita … no chikki': what is refused is taken for the speaker's own allergy."""
    if speaker is None:
        return []
    sweets = "|".join(sorted(map(re.escape, words().made_of), key=len, reverse=True))
    match = re.search(rf"\b(?:no|without|not any)\s+(?P<thing>{sweets})\b(?: in the \w+)?", message, re.I)
    thing = match.group("thing").strip().lower() if match else ""
    allergen = words().made_of.get(thing)
    if allergen is None or any(
        fact.subject in (SPEAKER, speaker) and fact.relation == "ALLERGIC_TO" for fact in facts
    ):
        return []
    said = match.group() if match else ""
    return [Fact(speaker, "ALLERGIC_TO", allergen, "", "AVOIDS", said)]
