"""What the prompt says about the graph, in an index that a question can be held against.

A `World` knows the schema and the listed values and nothing else. When the prompt has no schema, the world
is an imagined one: plausible labels, and wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from course_lib.models.practice.mind.lexicon import Lexicon, lexicon
from course_lib.models.practice.mind.reading_schema import (
    ListedValue,
    Prop,
    Rel,
    SchemaText,
    read_schema,
    read_values,
)
from course_lib.models.practice.mind.text import name_words, stem, tokens

_SMALL_WORDS = frozenset(
    ["of", "on", "with", "for", "has", "have", "is", "by", "to", "in", "at", "from", "a", "the", "and", "or"]
)
_NAME_PROPERTIES = (
    "name",
    "title",
    "label",
    "full_name",
    "fullname",
    "display_name",
    "text",
    "content",
    "body",
)
_TEXT_PROPERTIES = ("text", "content", "body", "description", "prose", "explanation", "summary")
_TIME_WORDS = frozenset(
    (
        "since",
        "found",
        "founded",
        "establish",
        "established",
        "join",
        "joined",
        "date",
        "start",
        "started",
        "year",
        "created",
        "when",
        "born",
        "begin",
        "began",
    )
)


@dataclass
class World:
    """Schema and values of one prompt, indexed by stems."""

    schema: SchemaText
    values: tuple[ListedValue, ...]
    imagined: bool
    labels: tuple[str, ...] = ()
    rels: tuple[Rel, ...] = ()
    label_words: dict[str, list[tuple[str, float]]] = field(default_factory=dict)
    """Stem -> labels it may name, with a strength."""
    rel_words: dict[str, list[tuple[int, float]]] = field(default_factory=dict)
    """Stem -> relationship patterns (by place in `rels`) it may name."""
    rel_nouns: dict[str, list[int]] = field(default_factory=dict)
    """Stem -> relationship patterns of which it names one side: member, friend, part."""
    end_nouns: dict[str, list[int]] = field(default_factory=dict)
    """Those that name the far side: a part, of INCLUDES."""
    reversed_words: dict[str, list[int]] = field(default_factory=dict)
    """Stem -> patterns that it tells the other way round: X depends on Y, Y is a prerequisite for X."""
    walk_cache: dict[tuple[str, str], Any] = field(default_factory=dict)
    prop_words: dict[str, list[tuple[str, str, float]]] = field(default_factory=dict)
    """Stem -> (owner, property) it may name."""
    group_rels: dict[str, list[int]] = field(default_factory=dict)
    group_labels: dict[str, list[str]] = field(default_factory=dict)
    group_props: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    name_of: dict[str, str] = field(default_factory=dict)
    """Label -> the property that its things are called by."""
    by_lower: dict[str, list[ListedValue]] = field(default_factory=dict)
    by_word: dict[str, list[ListedValue]] = field(default_factory=dict)
    """A single lower-case word inside a value of several words -> those values."""
    by_initials: dict[str, list[ListedValue]] = field(default_factory=dict)
    by_stems: dict[str, list[ListedValue]] = field(default_factory=dict)
    longest_value: int = 1
    agent: str = ""
    """The label that 'who' means."""
    vocabulary: list[str] = field(default_factory=list)
    """Words that a typing slip may have come from; filled on first use."""
    words: frozenset[str] = frozenset()
    """Every word of the schema, as written, in lower case."""

    def props_of(self, owner: str) -> tuple[Prop, ...]:
        """Properties of a label or relationship type."""
        return self.schema.props_of(owner)

    def is_label(self, owner: str) -> bool:
        """Whether a name is a label here."""
        return owner in self.name_of

    def is_name(self, value: ListedValue) -> bool:
        """Whether a value is what a thing is called by, not some other property of it."""
        return self.name_of.get(value.owner) == value.prop

    def values_of(self, owner: str, prop: str) -> tuple[str, ...]:
        """The values that the prompt lists for a property."""
        return tuple(v.text for v in self.values if v.owner == owner and v.prop == prop)

    def is_symmetric(self, place: int) -> bool:
        """Whether a relationship holds both ways, as friendship does."""
        rel = self.rels[place]
        return rel.is_loop and (
            rel.type.upper().endswith("_WITH") or place in self.group_rels.get("friend", ())
        )

    def order_loops(self) -> tuple[int, ...]:
        """Relationships that put things of one label in an order, such as PREREQUISITE_FOR; the likeliest
        kind.
        """
        loops = [i for i, rel in enumerate(self.rels) if rel.is_loop and not self.is_symmetric(i)]
        known = [i for i in loops if i in self.group_rels.get("prerequisite", ())]
        if known:
            return tuple(known)
        counts = {
            self.rels[i].type: sum(self.rels[j].type == self.rels[i].type for j in loops) for i in loops
        }

        def weight(place: int) -> tuple[int, bool]:
            kind = self.rels[place].type
            return counts[kind], kind.upper().endswith("_FOR")

        best = max((weight(i) for i in loops), default=None)
        return tuple(i for i in loops if weight(i) == best)

    def noun_sense(self, place: int, root: str) -> str:
        """Whether a stem is a noun for the `start` or the `end` of a relationship; empty when it is
        neither.
        """
        if place in self.end_nouns.get(root, ()):
            return "end"
        return "start" if place in self.rel_nouns.get(root, ()) else ""

    def is_reversed(self, place: int, root: str) -> bool:
        """Whether a verb tells the relationship the other way round."""
        return place in self.reversed_words.get(root, ())

    def text_property(self, label: str) -> str | None:
        """The property of a label that holds running text, such as `Note.text`."""
        names = [prop.name for prop in self.props_of(label)]
        for wanted in _TEXT_PROPERTIES:
            if wanted in names:
                return wanted
        # Where other things have their names listed and this one has none, it holds text too long to list.
        listed = {value.owner for value in self.values if self.is_label(value.owner)}
        if label not in listed and len(listed) > 1 and names:
            return self.name_of[label]
        return None

    def time_property(self, owner: str) -> str | None:
        """The property of a label or type that says when."""
        for prop in self.props_of(owner):
            if any(word in _TIME_WORDS or stem(word) in _TIME_WORDS for word in name_words(prop.name)):
                return prop.name
        return None


@lru_cache(maxsize=64)
def world_of(schema_text: str, values_text: str) -> World:
    """The world that a schema part and a values part describe; an imagined one when there is no schema."""
    schema = read_schema(schema_text)
    imagined = not schema.labels
    if imagined:
        schema = read_schema(lexicon().imagined)
    # Values without a schema to hang them on tell the model nothing that it can use.
    values = () if imagined else read_values(values_text)
    world = World(schema, values, imagined, tuple(label for label, _ in schema.labels), schema.rels)
    lex = lexicon()
    _index_names(world)
    _index_labels(world, lex)
    _index_rels(world, lex)
    _index_props(world, lex)
    _index_values(world)
    world.agent = _agent(world, lex)
    return world


def _groups_of(words: list[str], kind: str, lex: Lexicon) -> list[str]:
    stems = {stem(word) for word in words if word not in _SMALL_WORDS}
    return [name for name, members in lex.groups[kind].core.items() if stems & members]


def _index_names(world: World) -> None:
    for label in world.labels:
        props = world.props_of(label)
        names = [prop.name for prop in props]
        listed: dict[str, int] = {}
        for value in world.values:
            if value.owner == label:
                listed[value.prop] = listed.get(value.prop, 0) + 1
        chosen = next((name for name in _NAME_PROPERTIES if name in names), None)
        if chosen is None and listed:
            # Names tell things apart: the property with the most values. The first of several is often a key.
            order = [name for name in names if name in listed and not _is_key(name)] or list(listed)
            chosen = max(order, key=lambda name: (listed[name], name != names[0], -order.index(name)))
        if chosen is None:
            texts = [p.name for p in props if not p.is_number and not _is_key(p.name)]
            chosen = texts[0] if texts else (names[0] if names else "name")
            if len(texts) > 1 and len(props) > 1 and texts[0] == props[0].name:
                chosen = texts[1]  # the first property of a node is its key more often than its name
        world.name_of[label] = chosen


def _is_key(name: str) -> bool:
    words = name_words(name)
    return bool(words) and words[-1] in ("id", "key", "code", "uuid")


def _index_labels(world: World, lex: Lexicon) -> None:
    for label in world.labels:
        words = list(name_words(label))
        for word in words:
            _put(world.label_words, stem(word), (label, 1.0 if len(words) == 1 else 0.8))
        for group in _groups_of(words, "things", lex):
            world.group_labels.setdefault(group, []).append(label)


def _index_rels(world: World, lex: Lexicon) -> None:
    for place, rel in enumerate(world.rels):
        words = [word for word in name_words(rel.type) if word not in _SMALL_WORDS]
        for word in words:
            _put(world.rel_words, stem(word), (place, 1.0))
        for group in _groups_of(words, "verbs", lex):
            world.group_rels.setdefault(group, []).append(place)
            verbs = lex.groups["verbs"]
            for noun in verbs.nouns[group]:
                _put(world.rel_nouns, noun, place)
            for noun in verbs.end_nouns[group]:
                _put(world.end_nouns, noun, place)
            for word in verbs.reverse[group]:
                _put(world.reversed_words, word, place)
        # FRIENDS_WITH and MEMBER_OF hold a noun of their own, whatever the lexicon knows.
        if rel.type.upper().endswith(("_OF", "_WITH", "_FOR")) and words:
            _put(world.rel_nouns, stem(words[-1]), place)


def _index_props(world: World, lex: Lexicon) -> None:
    owners = [(label, world.props_of(label)) for label in world.labels]
    owners += [(rel.type, rel.props) for rel in world.rels]
    for owner, props in owners:
        for prop in props:
            words = list(name_words(prop.name))
            for word in words:
                if word not in _SMALL_WORDS and (len(words) == 1 or not _is_key(prop.name)):
                    _put(world.prop_words, stem(word), (owner, prop.name, 1.0 if len(words) == 1 else 0.7))
            for group in _groups_of(words, "properties", lex):
                _put(world.group_props, group, (owner, prop.name))
    world.words = frozenset(
        word
        for name in (
            *world.labels,
            *(rel.type for rel in world.rels),
            *(p.name for _, ps in owners for p in ps),
        )
        for word in name_words(name)
        if word not in _SMALL_WORDS
    )


def _index_values(world: World) -> None:
    for value in world.values:
        words = [token.lower for token in tokens(value.text)]
        if not words:
            continue
        key = " ".join(words)
        _put(world.by_lower, key, value)
        _put(world.by_stems, " ".join(stem(word) for word in words), value)
        world.longest_value = max(world.longest_value, min(len(words), 6))
        if len(words) > 1 and world.is_name(value):
            for word in words:
                if word not in _SMALL_WORDS:
                    _put(world.by_word, stem(word), value)
            initials = "".join(word[0] for word in words if word not in _SMALL_WORDS)
            if len(initials) > 1:
                _put(world.by_initials, initials, value)


def _agent(world: World, lex: Lexicon) -> str:
    persons = [*world.group_labels.get("student", []), *world.group_labels.get("person", [])]
    if persons:
        return persons[0]
    best, most = "", -1.0
    for label in world.labels:
        out = {rel.type for rel in world.rels if rel.start == label}
        # People do things: they have the most kinds of arrows going out, and few coming in.
        incoming = {rel.type for rel in world.rels if rel.end == label and not rel.is_loop}
        score = len(out) - 0.5 * len(incoming)
        if score > most:
            best, most = label, score
    return best


def _put(index: dict[str, list], key: str, item: object) -> None:  # type: ignore[type-arg]
    entries = index.setdefault(key, [])
    if item not in entries:
        entries.append(item)
