"""What a mention of a person says: the speaker, a relative with or without a name, or nothing that is clear.

`read_mention` takes words apart and knows no household; `people.resolve_person` decides who it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from course_lib.crumb.words import fold, is_word, tidy
from course_lib.settings import project_root

LONGEST_NAME = 60
"""Characters. A longer 'name' is a sentence."""
MOST_WORDS = 4
_JOINTS = frozenset({"and", "aur", "&", "or", "ya", "plus", "+"})


@dataclass(frozen=True)
class RelativeWords:
    """The word lists of `data/crumb/relatives.toml`, folded."""

    roles: Mapping[str, str]
    """Word -> role."""
    kinds: Mapping[str, str]
    """Role -> what it has in common with others."""
    single: frozenset[str]
    """Roles that a person has once."""
    determiners: frozenset[str]
    adjectives: frozenset[str]
    titles: frozenset[str]
    speaker: frozenset[str]
    pronouns: frozenset[str]
    several: frozenset[str]
    others: frozenset[str]
    """Who is no relative: friend, neighbour."""


@dataclass(frozen=True)
class Mention:
    """A mention, taken apart."""

    kind: str
    """`speaker`, `named`, `unnamed`, `several`, or `unclear`."""
    name: tuple[str, ...] = ()
    """The words of the name, as they were typed."""
    role: str = ""
    """The role in the mention itself: 'my son Aarav' -> son."""
    owner: str = ""
    """Whose relative, where that is not the speaker: "my sister's son" -> my sister."""
    why: str = ""
    """For `several` and `unclear`: what a person has to look at."""


@cache
def relative_words() -> RelativeWords:
    """The word lists, read once."""
    path = project_root() / "data" / "crumb" / "relatives.toml"
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))

    def folded(name: str) -> frozenset[str]:
        return frozenset(fold(word) for word in data[name])

    return RelativeWords(
        roles={fold(word): role["name"] for role in data["role"] for word in role["words"]},
        kinds={role["name"]: role["kind"] for role in data["role"]},
        single=frozenset(role["name"] for role in data["role"] if role.get("one")),
        determiners=folded("determiners"),
        adjectives=folded("adjectives"),
        titles=folded("titles"),
        speaker=folded("speaker"),
        pronouns=folded("pronouns"),
        several=folded("several"),
        others=folded("others"),
    )


def canonical_role(role: str) -> str:
    """A role in one spelling: 'beta' is son. An unknown role stays as it is, folded."""
    words, folded = relative_words(), fold(role).replace(" in law", "-in-law")
    parts = [part for part in folded.split() if part not in words.determiners | words.adjectives]
    plain = " ".join(parts)
    return words.roles.get(plain, plain)


def roles_agree(one: str, other: str) -> bool:
    """Whether two roles can be the same person's: the same, one of them unknown, or one the wider word."""
    one, other = canonical_role(one), canonical_role(other)
    general = {"relative", "family", "family member", ""}
    if one == other or one in general or other in general:
        return True
    kinds = relative_words().kinds
    wide = {"child", "partner", "parent", "sibling", "grandchild"}
    return kinds.get(one) is not None and kinds.get(one) == kinds.get(other) and bool({one, other} & wide)


def read_mention(mention: str) -> Mention:
    """Takes a mention apart, word by word: 'my ' inside a word, as in 'Amy Rao', is nothing."""
    words, text = relative_words(), tidy(mention)
    folded = fold(text)
    if not text or len(text) > LONGEST_NAME:
        return Mention("unclear", why="this is no name")
    if any(c.isdigit() for c in text) or any(c in ":@/\\#=<>{}[]|$%^*_" for c in text):
        return Mention("unclear", why="an id or a number typed into a message says nothing about who it is")
    if folded in words.speaker:
        return Mention("speaker")
    if folded in words.pronouns:
        return Mention("unclear", why=f"'{text}' names nobody")
    tokens = _tokens(text)
    if "," in text or "&" in text or "+" in text or any(fold(token) in _JOINTS for token in tokens):
        return Mention("several", why=f"'{text}' names more than one person")
    owner: list[str] = []
    for place, token in enumerate(tokens[:-1]):
        if _owned(token) is not None:  # everything up to the last possessive says whose relative it is
            owner = [*tokens[:place], _owned(token) or ""]
            rest = tokens[place + 1 :]
    if owner:
        tokens = rest
    elif _owned(tokens[-1]) is not None:  # "my son's" is my son
        tokens = [*tokens[:-1], _owned(tokens[-1]) or ""]
    name: list[str] = []
    role = ""
    for token in tokens:
        plain = fold(token)
        if plain in words.several:
            return Mention("several", why=f"'{text}' names more than one person")
        if plain in words.others:
            return Mention("unclear", why=f"a {plain} is no relative")
        if plain in words.roles:
            role = role or words.roles[plain]
        elif (
            plain not in words.determiners
            and plain not in words.titles
            and not (plain in words.adjectives and not name)
        ):
            name.append(token)
    if not all(is_word(token) for token in name) or len(name) > MOST_WORDS:
        return Mention("unclear", why="this is no name")
    if any(fold(token) in {"of", "from", "ka", "ki", "ke"} for token in name):
        return Mention("unclear", why=f"it is not clear who '{text}' is")
    if name:
        return Mention("named", tuple(name), role, " ".join(owner))
    if role:
        return Mention("unnamed", (), role, " ".join(owner))
    return Mention("unclear", why=f"'{text}' names nobody")


def _tokens(text: str) -> list[str]:
    """The words, with 'sister in law' as one of them."""
    tokens = text.replace(",", " ").split()
    joined: list[str] = []
    for token in tokens:
        low = fold(token)
        if joined and (low in {"in", "in-law"} or (low.startswith("law") and joined[-1].endswith("-in"))):
            joined[-1] += f"-{token}"
        else:
            joined.append(token)
    return joined


def _owned(token: str) -> str | None:
    """The word without its possessive ending, or None when it has none: "Aarav's" -> Aarav."""
    for ending in ("'s", "'S", "s'"):
        if token.endswith(ending) and len(token) > len(ending):
            return token[: -len(ending)] + ("s" if ending == "s'" else "")
    return None
