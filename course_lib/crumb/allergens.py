"""The closed list of allergens: exact words, each approved by a person. Never fuzzy.

'mewa' (dried fruit and nuts) and 'mawa' (milk solids) are one letter apart. A word that is not on the list
goes to a person, who can add it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from course_lib.crumb.errors import ListError
from course_lib.crumb.words import fold
from course_lib.settings import project_root

_JOINTS = (" and ", " or ", " aur ", " ya ", ",", "&", "/", "+", ";", " with ", " plus ")


@dataclass(frozen=True)
class Approval:
    """One word of the list, and who decided what it means."""

    word: str
    allergen: str
    approved_by: str
    date: str


@dataclass(frozen=True)
class AllergenList:
    """The list as data: change the file, or a copy, and every decision follows."""

    approved: Mapping[str, Approval]
    """Folded word -> what it means."""
    proposed: Mapping[str, str]
    """Folded word -> the allergen it would mean, once somebody approves it."""
    ambiguous: Mapping[str, tuple[str, ...]]
    """Folded word -> the allergens that it may mean."""
    names: tuple[str, ...]
    """The canonical names, those without an approved word among them."""

    def without(self, *words: str) -> AllergenList:
        """The list without these words: what would be lost if nobody had approved them?"""
        gone = {key(word) for word in words}
        return AllergenList(
            {w: a for w, a in self.approved.items() if w not in gone},
            self.proposed,
            self.ambiguous,
            self.names,
        )

    def with_words(self, approvals: Iterable[Approval]) -> AllergenList:
        """The list and further approved words. What the list says already stays as it is."""
        more = {key(a.word): a for a in approvals}
        return AllergenList({**more, **self.approved}, self.proposed, self.ambiguous, self.names)

    def among(self, mention: str) -> tuple[str, ...]:
        """The allergens that any part of a mention may mean: candidates for a person, never a decision."""
        folded = key(mention)
        for joint in _JOINTS:
            folded = folded.replace(joint, " ")
        words, found = folded.split(), []
        for start in range(len(words)):
            for end in range(len(words), start, -1):
                part = " ".join(words[start:end])
                if part in self.approved:
                    found.append(self.approved[part].allergen)
                elif part in self.proposed:
                    found.append(self.proposed[part])
                else:
                    found += self.ambiguous.get(part, ())
        return tuple(dict.fromkeys(found))


def key(word: str) -> str:
    """A word as the list holds it: folded, hyphens as spaces."""
    return fold(word).replace("-", " ")


def is_compound(mention: str) -> bool:
    """Whether a mention names more than one thing."""
    return any(joint in f" {key(mention)} " for joint in _JOINTS)


def load_allergens(path: Path | str | None = None) -> AllergenList:
    """Reads the list.

    Args:
        path: the file; the course's own `data/crumb/allergens.toml` when None.

    Raises:
        ListError: a word means two things, or an approval has no date. The message names the word.
    """
    return _load(Path(path) if path is not None else project_root() / "data" / "crumb" / "allergens.toml")


@cache
def _load(path: Path) -> AllergenList:
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ListError(f"The list of allergens cannot be read: {error}", f"Mend {path.name}.") from error
    approved: dict[str, Approval] = {}
    proposed: dict[str, str] = {}
    ambiguous: dict[str, tuple[str, ...]] = {}

    def take(word: str) -> str:
        folded = key(word)
        if not folded or folded in approved or folded in proposed or folded in ambiguous:
            raise ListError(f"{path.name}: the word {word!r} is empty or there twice.", "Keep one of them.")
        return folded

    for entry in data.get("allergen", []):
        for group in entry["words"]:
            by, date = group.get("approved_by", ""), group.get("date", "")
            if bool(by) != bool(date):
                raise ListError(
                    f"{path.name}: {entry['name']} has words with only half an approval.",
                    "Give both approved_by and date, or neither.",
                )
            for word in group["words"]:
                folded = take(word)
                if by:
                    approved[folded] = Approval(word, entry["name"], by, date)
                else:
                    proposed[folded] = entry["name"]
    for entry in data.get("ambiguous", []):
        for word in entry["words"]:
            ambiguous[take(word)] = tuple(entry["candidates"])
    return AllergenList(approved, proposed, ambiguous, tuple(e["name"] for e in data.get("allergen", [])))
