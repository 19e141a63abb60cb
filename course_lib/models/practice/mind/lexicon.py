"""The words that the practice model knows whatever the graph is about, read from `data/practice/*.toml`.

The data holds phrasing alone: which words ask for a count, which mean 'study'. What follows from a word is
code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from course_lib.models.practice.mind.text import Token, stem, tokens
from course_lib.settings import project_root


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase of the lexicon found in a question: tokens `start` up to `end` (not included)."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Topic:
    """Something outside a graph that people ask about all the same."""

    label: str | None
    property: str | None


@dataclass
class Phrases:
    """Phrases of one kind, found by their first word."""

    by_first: dict[str, list[tuple[tuple[str, ...], str]]] = field(default_factory=dict)
    prefixes: list[tuple[str, tuple[str, ...], str]] = field(default_factory=list)
    words: dict[str, str] = field(default_factory=dict)
    """Single words as written, for mending typing slips."""

    def add(self, phrase: str, name: str) -> None:
        """Adds a phrase; a last word with `*` stands for any ending."""
        parts = [token.lower for token in tokens(phrase)]
        if phrase.endswith("*"):
            self.prefixes.append((parts[-1], tuple(stem(part) for part in parts[:-1]), name))
            return
        stems = tuple(stem(part) for part in parts)
        entries = self.by_first.setdefault(stems[0], [])
        if (stems, name) not in entries:
            entries.append((stems, name))
        if len(parts) == 1:
            self.words.setdefault(parts[0], name)

    def find(self, words: Sequence[Token]) -> list[Hit]:
        """Every phrase in the words; a phrase inside a longer one of the same name is left out."""
        hits: list[Hit] = []
        stems = [token.stem for token in words]
        for place, token in enumerate(words):
            for phrase, name in self.by_first.get(token.stem, ()):
                end = place + len(phrase)
                if len(phrase) == 1 or tuple(stems[place:end]) == phrase:
                    hits.append(Hit(name, place, end))
            for prefix, before, name in self.prefixes:
                if token.lower.startswith(prefix):
                    begin = place - len(before)
                    if begin >= 0 and tuple(stems[begin:place]) == before:
                        hits.append(Hit(name, begin, place + 1))
        return [
            hit
            for hit in hits
            if not any(
                other.name == hit.name
                and other.start <= hit.start
                and hit.end <= other.end
                and (other.end - other.start) > (hit.end - hit.start)
                for other in hits
            )
        ]


@dataclass(frozen=True)
class Groups:
    """Groups of words that mean much the same, of one kind."""

    phrases: Phrases
    core: Mapping[str, frozenset[str]]
    """Group -> stems by which a schema may call it: 'learn' alone must not make a skill of STUDIES."""
    nouns: Mapping[str, frozenset[str]]
    """Group -> stems of the nouns for the one who does it."""
    end_nouns: Mapping[str, frozenset[str]]
    """Group -> stems of the nouns for what it is done to."""
    reverse: Mapping[str, frozenset[str]]
    """Group -> stems of the verbs that tell it the other way round."""


@dataclass(frozen=True)
class Lexicon:
    """All the phrasing data, compiled."""

    hinglish: frozenset[str]
    function: frozenset[str]
    ops: Phrases
    pronouns: Phrases
    writes: Phrases
    groups: Mapping[str, Groups]
    """`verbs` (study, know), `things` (student, club) and `properties` (year, grade)."""
    outside: Phrases
    topics: Mapping[str, Topic]
    scales: tuple[tuple[str, ...], ...]
    ranked_properties: frozenset[str]
    imagined: str
    """The schema that the model imagines when the prompt has none."""


def data_folder() -> Path:
    """Where the phrasing data lies."""
    return project_root() / "data" / "practice"


def read_toml(name: str) -> dict[str, Any]:
    """One file of phrasing data."""
    with (data_folder() / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def _phrases(table: Mapping[str, Sequence[str]]) -> Phrases:
    found = Phrases()
    for name, listed in table.items():
        for phrase in listed:
            found.add(phrase, name)
    return found


def _groups(table: Mapping[str, Mapping[str, Sequence[str]]]) -> Groups:
    def stems_of(listed: Sequence[str]) -> frozenset[str]:
        return frozenset(stem(word) for word in listed if " " not in word and not word.endswith("*"))

    return Groups(
        phrases=_phrases(
            {
                name: [
                    *group["words"],
                    *group.get("nouns", []),
                    *group.get("end_nouns", []),
                    *group.get("reverse", []),
                ]
                for name, group in table.items()
            }
        ),
        core={name: stems_of(group.get("names", group["words"])) for name, group in table.items()},
        nouns={name: stems_of(group.get("nouns", [])) for name, group in table.items()},
        end_nouns={name: stems_of(group.get("end_nouns", [])) for name, group in table.items()},
        reverse={name: stems_of(group.get("reverse", [])) for name, group in table.items()},
    )


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The lexicon, read once."""
    words = read_toml("words")
    groups = read_toml("groups")
    outside = read_toml("outside")["topic"]
    scales = read_toml("scales")
    topics = {str(i): Topic(t.get("label"), t.get("property")) for i, t in enumerate(outside)}

    return Lexicon(
        hinglish=frozenset(words["language"]["hinglish"]),
        function=frozenset(words["function"]["words"]) | frozenset(words["function"]["hinglish"]),
        ops=_phrases(words["ops"]),
        pronouns=_phrases(words["pronouns"]),
        writes=_phrases(words["write"]),
        groups={kind: _groups(table) for kind, table in groups.items()},
        outside=_phrases({str(i): t["words"] for i, t in enumerate(outside)}),
        topics=topics,
        scales=tuple(tuple(scale) for scale in scales["scales"]),
        ranked_properties=frozenset(scales["properties"]),
        imagined=read_toml("imagined")["schema"],
    )


def is_hinglish(text: str) -> bool:
    """Whether a text is Hinglish rather than English: two telling words, or one in a short text."""
    words = tokens(text)
    ambiguous = {
        "me",
        "the",
        "is",
        "us",
        "to",
        "do",
        "in",
        "main",
        "ye",
        "wo",
        "par",
        "ho",
        "se",
        "ka",
        "ki",
        "pe",
        "jo",
    }
    known = lexicon().hinglish
    sure = sum(1 for token in words if token.lower in known and token.lower not in ambiguous)
    maybe = sum(1 for token in words if token.lower in known and token.lower in ambiguous)
    return sure >= 2 or (sure == 1 and (maybe > 0 or len(words) <= 6)) or maybe >= 2
