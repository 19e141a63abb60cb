"""Facts out of a customer's message, as triples: free-form when asked free-form, typed when a schema is sent.

A basic reader: who is meant, what they react to, what they like. Two faults are part of the model.
Free-form, it makes up a relationship type for every turn of phrase. Typed, it turns FAMILY_OF round (from
the relative to the customer) until the prompt has the rule that it goes from me to the relative.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from course_lib.models.practice.mind.lexicon import read_toml
from course_lib.models.practice.mind.reading_rules import Rule, read_rules

RELATIONS = ("ALLERGIC_TO", "FAMILY_OF", "LIKES")
"""The relations that a typed extraction knows."""
SPEAKER = "me"


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


@dataclass(frozen=True)
class _Phrases:
    relatives: re.Pattern[str]
    roles: Mapping[str, str]
    allergy: tuple[tuple[re.Pattern[str], str], ...]
    likes: tuple[tuple[re.Pattern[str], str], ...]
    skip: re.Pattern[str]
    products: Mapping[str, str]


_OBJECT = r"(?P<obj>[A-Za-z'’ -]+?(?:(?:,| and | or | & |, and )[A-Za-z'’ -]+?)*?)"
_END = (
    r"(?=[.!?;]|,? (?:so|but|because|since|as|which|though|please|and (?:he|she|they|i|my|we|it"
    r"|her|his|no)|too|also|in the|for the|at all|hai|hain)\b|, (?:my|and my|he|she|i|we|no)\b|$)"
)
_NAMED = re.compile(
    r"\b(?:it's|its|it is|this is|i am|i'm|myself|main)\s+(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?)\b(?! \w*ing)"
)
_HERE = re.compile(r"\b(?P<name>[A-Z][a-z]+(?: [A-Z][a-z]+)?) here\b")
_DETERMINERS = re.compile(
    r"^(?:the|your|our|my|some|any|all|those|these|a|an|eating|to eat|to have|having|ke|ki)\s+", re.I
)
_TRAILING = re.compile(r"\s+(?:too|also|as well|please|a lot|so much|very much|the most|at all|se|ko)$", re.I)


@lru_cache(maxsize=1)
def _phrases() -> _Phrases:
    data = read_toml("facts")
    roles = {word: role for role, words in data["relatives"].items() for word in words}
    words = "|".join(sorted(map(re.escape, roles), key=len, reverse=True))
    relatives = re.compile(
        rf"\b(?:(?P<owner>[Mm]y|[Oo]ur|[Mm]ere|[Mm]eri|[Mm]era|[Hh]is"
        rf"|[Hh]er)\s+)(?:\w+ )?(?P<role>{words})s?\b,?\s*(?P<name>[A-Z][a-z]+(?:"
        rf" [A-Z][a-z]+)?)?"
    )

    def compiled(entries: list[dict[str, str]]) -> tuple[tuple[re.Pattern[str], str], ...]:
        return tuple(
            (
                re.compile(
                    entry["pattern"].replace("{obj}", _OBJECT)
                    + (_END if entry["pattern"].endswith("{obj}") else ""),
                    re.I,
                ),
                entry["free"],
            )
            for entry in entries
        )

    skip = "|".join(re.escape(word) for words in data["skip"].values() for word in words)
    return _Phrases(
        relatives,
        roles,
        compiled(data["allergy"]),
        compiled(data["likes"]),
        re.compile(skip, re.I),
        data["products"],
    )


@lru_cache(maxsize=1024)
def read_facts(message: str) -> tuple[Fact, ...]:
    """The facts that a message states, in the order in which it states them; FAMILY_OF goes from me."""
    phrases = _phrases()
    plain = message.replace("’", "'")
    speaker = _speaker_name(plain)
    facts: list[Fact] = []
    known: dict[str, str] = {}
    last = SPEAKER
    introduced: list[Fact] = []
    for sentence in re.split(r"(?<=[.!?;])\s+|\n+", plain):
        if sentence.rstrip().endswith("?"):
            continue
        for clause in _clauses(sentence, phrases):
            subject, relative = _subject(clause, phrases, speaker, last, known)
            if relative is not None and relative.object not in known:
                known[relative.object] = relative.role
                introduced.append(relative)
                facts.append(relative)
            last = (
                subject if subject != SPEAKER or re.search(r"\b(?:i|i'm|me|mujhe)\b", clause, re.I) else last
            )
            if phrases.skip.search(clause):
                continue
            facts += _stated(clause, subject, phrases)
    if len(introduced) > 1:
        # With two relatives in one message it loses the thread once, and relates the first one to themselves.
        first = introduced[0]
        echo = replace(first, subject=f"my {first.role} {first.object}", free="IS")
        facts.insert(facts.index(first), echo)
    facts += _refused(plain, speaker, facts, phrases)
    return tuple(dict.fromkeys(facts))


def _speaker_name(message: str) -> str | None:
    match = _HERE.search(message) or _NAMED.search(message)
    return match.group("name") if match else None


def _clauses(sentence: str, phrases: _Phrases) -> list[str]:
    """Pieces of a sentence that have a subject of their own."""
    starts = [0]
    for match in re.finditer(
        r"(?:,|;|\band\b|\bbut\b|-)\s+(?=(?:and |but )?(?:my|our|mere|meri|he|she|they|i|i'm|his|her)\b)",
        sentence,
        re.I,
    ):
        starts.append(match.end())
    ends = [*starts[1:], len(sentence)]
    pieces = [sentence[a:b].strip(" ,-") for a, b in zip(starts, ends, strict=True)]
    return [piece for piece in pieces if piece]


def _subject(
    clause: str, phrases: _Phrases, speaker: str | None, last: str, known: Mapping[str, str]
) -> tuple[str, Fact | None]:
    match = phrases.relatives.search(clause)
    if match and match.group("owner").lower() in ("my", "our", "mere", "meri", "mera", "his", "her"):
        role = phrases.roles[match.group("role").lower()]
        name = match.group("name") or f"my {match.group('role').lower()}"
        relative = Fact(SPEAKER, "FAMILY_OF", name, role, role.upper() + "_OF", match.group().strip())
        return name, relative
    for name in known:
        if re.search(rf"\b{re.escape(name)}\b", clause):
            return name, None
    if re.search(r"\b(?:i|i'm|me|mujhe|i've)\b", clause, re.I):
        return SPEAKER, None
    if re.search(r"\b(?:he|she|they)\b", clause, re.I) and last != SPEAKER:
        return last, None
    return SPEAKER, None


def _stated(clause: str, subject: str, phrases: _Phrases) -> list[Fact]:
    found: list[Fact] = []
    for relation, patterns in (("ALLERGIC_TO", phrases.allergy), ("LIKES", phrases.likes)):
        for pattern, free in patterns:
            match = pattern.search(clause)
            if match is None:
                continue
            for piece in re.split(r",\s*(?:and\s+)?|\s+and\s+|\s+or\s+|\s*&\s*", match.group("obj")):
                name = _clean(piece)
                if name:
                    found.append(Fact(subject, relation, name, "", free, match.group().strip()))
            break
    return found


def _clean(piece: str) -> str:
    name = piece.strip(" '\"-")
    before = None
    while name != before:
        before = name
        name = _TRAILING.sub("", _DETERMINERS.sub("", name)).strip(" '\"-")
    return name


def _refused(message: str, speaker: str | None, facts: list[Fact], phrases: _Phrases) -> list[Fact]:
    """'It's Sunita … no chikki': what is refused is taken for the speaker's own allergy."""
    if speaker is None:
        return []
    match = re.search(
        r"\b(?:no|without|not any|skip the|leave out the)\s+(?P<thing>[a-z ]+?)(?= in\b| for\b|[.,!;]|$)",
        message,
        re.I,
    )
    thing = match.group("thing").strip().lower() if match else ""
    allergen = phrases.products.get(thing)
    if allergen is None or any(
        f.subject in (SPEAKER, speaker) and f.relation == "ALLERGIC_TO" for f in facts
    ):
        return []
    return [Fact(speaker, "ALLERGIC_TO", allergen, "", "AVOIDS", match.group() if match else "")]


# ---- free-form ------------------------------------------------


def free_form(message: str, instructions: str) -> str:
    """The reply to a prompt that asks for triples and leaves their types open: JSON if it says so, else
    lines.
    """
    speaker = _speaker_name(message.replace("’", "'"))
    lines = []
    for fact in read_facts(message):
        subject = _free_name(fact.subject, speaker)
        lines.append((subject, fact.free or fact.relation, _free_object(fact)))
    if re.search(r"\bjson\b", instructions, re.I):
        return json.dumps(
            [{"subject": s, "relation": r, "object": o} for s, r, o in lines], ensure_ascii=False, indent=2
        )
    if not lines:
        return "(no facts)"
    return "\n".join(f"({s}, {r}, {o})" for s, r, o in lines)


def _free_name(name: str, speaker: str | None) -> str:
    return (speaker or "User") if name == SPEAKER else name


def _free_object(fact: Fact) -> str:
    return "Peanut" if fact.object == "peanut" else fact.object


# ---- typed ----------------------------------------------------

_FIELDS = {
    "subject": ("subject", "head", "source", "from", "from_", "start", "who", "person", "left"),
    "relation": ("relation", "predicate", "relationship", "type", "rel", "edge"),
    "object": ("object", "tail", "target", "to", "end", "what", "value", "right", "obj"),
    "role": ("role", "kinship", "detail", "as", "kind"),
    "words": ("quote", "evidence", "words", "span", "source_text", "said", "text"),
}


def typed(message: str, schema: Mapping[str, Any], instructions: str) -> dict[str, Any] | None:
    """An instance of a schema whose items are triples with closed relations; None for other schemas."""
    place = triple_place(schema)
    if place is None:
        return None
    name, item = place
    allowed = _allowed(schema, item)
    forwards = Rule.FAMILY_DIRECTION in read_rules(instructions)
    listed = []
    for fact in read_facts(message):
        if fact.relation not in allowed:
            continue
        if fact.relation == "FAMILY_OF" and not forwards and fact.subject == SPEAKER:
            fact = replace(fact, subject=fact.object, object=SPEAKER)
        listed.append(_instance(fact, schema, item))
    return {name: listed}


def triple_place(schema: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """Where in a schema the list of triples is: its property and the schema of one item."""
    for name, prop in dict(schema.get("properties", {})).items():
        items = resolve(schema, resolve(schema, prop).get("items", {}))
        if items.get("type") == "object" and _allowed(schema, items) & set(RELATIONS):
            return name, items
    return None


def resolve(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follows `$ref` and a lone `allOf` inside a JSON schema."""
    seen = 0
    while "$ref" in part or (len(part.get("allOf", ())) == 1):
        if "$ref" in part:
            name = str(part["$ref"]).rsplit("/", 1)[-1]
            part = schema.get("$defs", schema.get("definitions", {})).get(name, {})
        else:
            part = part["allOf"][0]
        seen += 1
        if seen > 20:
            return {}
    return part


def _allowed(schema: Mapping[str, Any], item: Mapping[str, Any]) -> set[str]:
    found: set[str] = set()
    for prop in item.get("properties", {}).values():
        part = resolve(schema, prop)
        for option in (part, *part.get("anyOf", ())):
            found.update(v for v in resolve(schema, option).get("enum", ()) if isinstance(v, str))
            if isinstance(option.get("const"), str):
                found.add(option["const"])
    return found


def _instance(fact: Fact, schema: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, Any]:
    values = {
        "subject": fact.subject,
        "relation": fact.relation,
        "object": fact.object,
        "role": fact.role or None,
        "words": fact.words,
    }
    made: dict[str, Any] = {}
    strings = [n for n, p in item["properties"].items() if not _allowed(schema, {"properties": {n: p}})]
    for name, prop in item["properties"].items():
        part = resolve(schema, prop)
        key = next((key for key, names in _FIELDS.items() if name.lower() in names), None)
        if _allowed(schema, {"properties": {name: prop}}) & set(RELATIONS):
            key = "relation"
        if key is None and name in strings[:2]:
            key = ("subject", "object")[strings.index(name)]
        value: Any = values.get(key) if key is not None else None
        if value is None:
            required = name in item.get("required", ())
            nullable = any(option.get("type") == "null" for option in part.get("anyOf", ()))
            if nullable:
                value = None
            elif not required and "default" in part:
                value = part["default"]
            elif part.get("type") in ("number", "integer"):
                value = 1
            elif part.get("type") == "boolean":
                value = True
            elif required:
                value = ""
            else:
                continue
        made[name] = value
    return made
