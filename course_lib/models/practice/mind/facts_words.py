"""The phrasing that facts are read by: `data/practice/facts.toml`, compiled once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from course_lib.models.practice.mind.lexicon import read_toml

Place = Literal["before", "after", "inside", "either"]


@dataclass(frozen=True)
class Claim:
    """One turn of phrase that says that somebody reacts to something, or likes it."""

    relation: str
    pattern: re.Pattern[str]
    object: Place
    """Where the thing stands, seen from the phrase."""
    who: Place
    """Where the person stands."""
    free: str
    """The relationship type that a free-form reply makes up for it."""
    stance: str | None
    """Set where the phrase itself is no statement."""
    turned: bool
    """Whether a free-form reply follows the order of the words, and puts the thing first."""
    whole: bool
    """Whether a free-form reply takes the whole phrase for the thing."""
    known_food: bool
    """Whether it says something about an allergen only when a food that is known follows."""


@dataclass(frozen=True)
class Words:
    """Every list of `facts.toml`."""

    roles: Mapping[str, str]
    """Word for a relative, in lower case -> the role."""
    role_words: str
    """Those words as an alternation, longest first."""
    plural: frozenset[str]
    """Words for several relatives at once."""
    others: str
    owners: str
    names: frozenset[str]
    not_names: frozenset[str]
    allergens: frozenset[str]
    foods: frozenset[str]
    dishes: frozenset[str]
    made_of: Mapping[str, str]
    claims: tuple[Claim, ...]
    negated: re.Pattern[str]
    negated_after: re.Pattern[str]
    hearsay: re.Pattern[str]
    past: re.Pattern[str]
    still: re.Pattern[str]
    question: re.Pattern[str]
    stop: frozenset[str]
    """Words that end the name of a thing."""
    filler: frozenset[str]
    """Words that may stand between a thing and what is said of it."""
    no_food: frozenset[str]
    """Words in front of 'allergy' that are no part of what it is an allergy to."""
    leading: re.Pattern[str]
    """Words in front of a thing that are no part of its name."""
    male: frozenset[str]
    female: frozenset[str]


_INSIDE = r"(?P<obj>[A-Za-z][A-Za-z'&/ ]{0,40}?)"


@lru_cache(maxsize=1)
def words() -> Words:
    """The lists, read once."""
    data = read_toml("facts")
    roles = {word: role for role, listed in data["relatives"].items() for word in listed}
    stance, people, foods, reading = data["stance"], data["people"], data["foods"], data["reading"]
    allergens, dishes = frozenset(foods["allergens"]), frozenset(foods["dishes"])
    return Words(
        roles=roles,
        role_words=_either(list(roles)),
        plural=frozenset(people["plural"]),
        others=_either(people["others"]),
        owners=_either(people["owners"]),
        names=frozenset(people["names"]),
        not_names=frozenset(people["not_names"]) | frozenset(roles) | dishes,
        allergens=allergens,
        foods=allergens | dishes,
        dishes=dishes,
        made_of=foods["made_of"],
        claims=tuple(_claim(entry) for entry in data["claim"]),
        negated=_found(stance["negated"]),
        negated_after=_found(stance["negated_after"]),
        hearsay=_found(stance["hearsay"]),
        past=_found(stance["past"]),
        still=_found(stance["still"]),
        question=_found(stance["question"]),
        stop=frozenset(reading["stop"]),
        filler=frozenset(reading["filler"]),
        no_food=frozenset(reading["no_food"]),
        leading=re.compile(rf"\s*(?:(?:{_either(reading['leading'])})\s+)*", re.I),
        male=frozenset(people["male"]),
        female=frozenset(people["female"]),
    )


def _either(listed: list[str]) -> str:
    return "|".join(sorted(map(re.escape, listed), key=len, reverse=True))


def _found(listed: list[str]) -> re.Pattern[str]:
    # "n't" stands inside a word; everything else is a word of its own.
    plain = [word for word in listed if not word.startswith("n't")]
    inner = [word for word in listed if word.startswith("n't")]
    pattern = rf"\b(?:{_either(plain)})\b"
    if inner:
        pattern += rf"|(?:{_either(inner)})\b"
    return re.compile(pattern, re.I)


def _claim(entry: dict[str, object]) -> Claim:
    pattern = str(entry["pattern"]).replace("{obj}", _INSIDE)
    start = r"\b" if pattern[0].isalpha() or (pattern.startswith("(?:") and pattern[3].isalpha()) else ""
    end = r"\b" if pattern[-1].isalpha() or pattern.endswith((")", "?")) else ""
    if end and pattern.endswith("(?= )"):
        end = ""
    who = str(entry.get("who", "before"))
    place = str(entry["object"])
    return Claim(
        relation=str(entry["relation"]),
        pattern=re.compile(start + pattern + end, re.I),
        object=_place(place),
        who=_place(who),
        free=str(entry["free"]),
        stance=str(entry["stance"]) if "stance" in entry else None,
        turned=bool(entry.get("turned", False)),
        whole=bool(entry.get("whole", False)),
        known_food=bool(entry.get("known_food", False)),
    )


def _place(name: str) -> Place:
    places: dict[str, Place] = {
        "before": "before",
        "after": "after",
        "inside": "inside",
        "either": "either",
    }
    return places[name]
