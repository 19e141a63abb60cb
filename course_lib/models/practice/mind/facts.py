"""Facts out of a customer's message, as triples: free-form when asked free-form, typed when a schema is sent.

The reading is in `facts_reading`; here stands what a model does with it. Its faults are part of it.
Free-form, it makes up a relationship type for every turn of phrase, follows the order of the words ('peanuts
make him ill' starts at the peanuts), takes a sweet for what is in it, and misses what stands in brackets or a
postscript. Typed, it names the relative first wherever the message does, until the prompt has the rule that
FAMILY_OF goes from me to the relative; and it takes a negation or a rumour for a fact, until the prompt says
that only what is stated counts, or the schema has a field for how a fact is put.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from course_lib.models.practice.mind.facts_people import SPEAKER, speaker_name
from course_lib.models.practice.mind.facts_reading import Fact, read_facts
from course_lib.models.practice.mind.facts_words import words
from course_lib.models.practice.mind.reading_rules import Rule, read_rules

__all__ = ["RELATIONS", "SPEAKER", "Fact", "free_form", "read_facts", "resolve", "triple_place", "typed"]

RELATIONS = ("ALLERGIC_TO", "FAMILY_OF", "LIKES")
"""The relations that a typed extraction knows."""

# ---- free-form ------------------------------------------------


_PUT = {"negated": "NOT_", "hearsay": "MAYBE_", "past": "WAS_"}
"""How a free-form reply says what is no statement: in the name of the type, or not at all."""


def free_form(message: str, instructions: str) -> str:
    """The reply to a prompt that asks for triples and leaves their types open: JSON if it says so, else
    lines.
    """
    speaker = speaker_name(message.replace("’", "'"))
    lines = []
    for fact in read_facts(message):
        if fact.aside or fact.stance == "question":
            continue
        subject, thing = _free_name(fact, speaker), _free_object(fact)
        kind = _PUT.get(fact.stance, "") + (fact.free or fact.relation)
        lines.append((thing, kind, subject) if fact.turned else (subject, kind, thing))
    lines = list(dict.fromkeys(lines))
    if re.search(r"\bjson\b", instructions, re.I):
        return json.dumps(
            [{"subject": s, "relation": r, "object": o} for s, r, o in lines], ensure_ascii=False, indent=2
        )
    if not lines:
        return "(no facts)"
    return "\n".join(f"({s}, {r}, {o})" for s, r, o in lines)


_ME = ("me", "mujhe", "mujhko", "myself", "main", "mai")


def _free_name(fact: Fact, speaker: str | None) -> str:
    if fact.subject != SPEAKER:
        return fact.subject
    return speaker or ("me" if fact.spoken_of in _ME else "User")


def _free_object(fact: Fact) -> str:
    thing = fact.whole or fact.object
    return "Peanut" if thing.lower() == "peanut" else thing


# ---- typed ----------------------------------------------------

_FIELDS = {
    "subject": ("subject", "head", "source", "from", "from_", "start", "who", "person", "left"),
    "relation": ("relation", "predicate", "relationship", "type", "rel", "edge"),
    "object": ("object", "tail", "target", "to", "end", "what", "value", "right", "obj"),
    "role": ("role", "kinship", "detail", "as", "kind"),
    "words": ("quote", "evidence", "words", "span", "source_text", "said", "text"),
    "stance": ("stance", "status", "modality", "certainty", "how", "put", "polarity"),
}
_STANCES = frozenset(["stated", "negated", "hearsay", "past", "question"])
_ONLY_STATED = re.compile(
    r"\bonly\b[^.\n]{0,40}\b(?:stated|states|said|says|facts?|sure)\b"
    r"|\b(?:clearly|explicitly) (?:stated|said)\b"
    r"|(?:no|not|never|ignore|leave out|skip)\b[^.\n]{0,60}\b(?:negat|rumou?r|hearsay|guess|question|denied)",
    re.I,
)


def typed(message: str, schema: Mapping[str, Any], instructions: str) -> dict[str, Any] | None:
    """An instance of a schema whose items are triples with closed relations; None for other schemas."""
    place = triple_place(schema)
    if place is None:
        return None
    name, item = place
    allowed = _allowed(schema, item)
    forwards = Rule.FAMILY_DIRECTION in read_rules(instructions)
    apart = _has_stance(schema, item)
    only_stated = not apart and bool(_ONLY_STATED.search(instructions))
    listed = []
    diet = next((name for name in sorted(allowed) if "DIET" in name.upper()), None)
    for fact in read_facts(message):
        if fact.relation == "DIET" and diet is not None:
            fact = replace(fact, relation=diet)
        if fact.relation not in allowed or (only_stated and fact.stance != "stated"):
            continue
        if fact.relation == "FAMILY_OF" and fact.name_first and not forwards and fact.subject == SPEAKER:
            fact = replace(fact, subject=fact.object, object=SPEAKER)
        if fact.relation == "ALLERGIC_TO":
            fact = replace(fact, object=_substance(fact.object))
        listed.append(_instance(fact, schema, item))
    return {name: listed}


def _has_stance(schema: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    return any(
        name.lower() in _FIELDS["stance"] and _allowed(schema, {"properties": {name: prop}}) & _STANCES
        for name, prop in item["properties"].items()
    )


def _substance(thing: str) -> str:
    """What somebody reacts to in a thing: 'nuts (peanut)' and 'peanut chikki' say peanut."""
    bracket = re.search(r"\(([a-z]+)\)$", thing)
    if bracket:
        return bracket.group(1)
    lists = words()
    lower = thing.lower()
    parts = lower.split()
    if len(parts) > 1 and parts[-1] in lists.dishes and parts[0] in lists.allergens:
        return parts[0]
    return lists.made_of.get(lower, thing)


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
        "stance": fact.stance,
    }
    made: dict[str, Any] = {}
    strings = [n for n, p in item["properties"].items() if not _allowed(schema, {"properties": {n: p}})]
    for name, prop in item["properties"].items():
        part = resolve(schema, prop)
        key = next((key for key, names in _FIELDS.items() if name.lower() in names), None)
        options = _allowed(schema, {"properties": {name: prop}})
        if options & set(RELATIONS):
            key = "relation"
        elif key == "stance" and fact.stance not in options:
            key = None
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
