"""Names in the graph that nearly match what somebody typed: 'debate-ye', 'pyhton', 'ML', 'coding clubs'.

A question is typed by a person, a query by a model, and both spell as they like. What is compared here is a
typed name with the names that the graph has, in the ways that people shorten and misspell:

| way | typed | in the graph |
|---|---|---|
| `same` | payal | Payal |
| `ending` | debate-ye, payalka | Debate Society, Payal |
| `initials` | ML, os | Machine Learning, Operating Systems |
| `word` | debate | Debate Society |
| `start` | norm, comp net | Normalization, Computer Networks |
| `spelling` | pyhton, debugate | Python |
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

_ENDINGS = ("wallah", "walon", "wale", "wala", "wali", "waale", "waala", "mein", "bhai", "didi", "tak", "ye",
            "yeh", "ka", "ki", "ke", "ko", "se", "me", "pe", "par", "ne", "ji", "hi", "bhi", "s")  # fmt: skip
"""What Hinglish (and an English plural) glues to the end of a name."""
_SHORTEST_STEM = 3
_LONGEST = 80
"""Characters of a typed name that are looked at. What is longer is no name."""
_GOOD_SPELLING = 78.0
"""From which likeness (0 to 100) on a misspelling counts. 'pyhton' and Python have 83, 'java' and Paging
40."""
_SCORES = {"same": 100.0, "initials": 96.0, "word": 93.0, "start": 86.0}


@dataclass(frozen=True, order=True)
class Name:
    """A name in the graph: whose (a label or a relationship type), which property, which value."""

    owner: str
    property: str
    value: str


@dataclass(frozen=True)
class NearName:
    """A name that nearly matches what was typed."""

    typed: str
    name: Name
    how: str
    """`same`, `ending`, `initials`, `word`, `start` or `spelling`."""
    score: float
    """0 to 100; the higher the nearer."""

    @property
    def value(self) -> str:
        """The name as the graph spells it."""
        return self.name.value


def near_names(typed: str, names: Iterable[Name], limit: int = 3) -> tuple[NearName, ...]:
    """The names nearest to what was typed, best first.

    Args:
        typed: a name as a person or a model wrote it.
        names: the names that the graph has.
        limit: how many at most.

    Returns:
        None of them when nothing is near. Once one way has found something, weaker likenesses of others are
        left out: nobody who types 'os' wants to hear of OSI Model as well.
    """
    wanted = folded(typed[:_LONGEST])
    if not wanted:
        return ()
    found: dict[str, NearName] = {}
    for name in names:
        likeness = _likeness(wanted, folded(name.value))
        if likeness is None:
            continue
        how, score = likeness
        best = found.get(name.value)
        if best is None or score > best.score:
            found[name.value] = NearName(typed, name, how, score)
    ranked = sorted(found.values(), key=lambda near: (-near.score, near.value))
    if not ranked:
        return ()
    worth = ranked[0].score - 8
    return tuple(near for near in ranked[:limit] if near.score >= worth)


def is_named(word: str, value: str) -> bool:
    """Whether a value holds the word as the fuzzy match of a query would find it: anywhere, in any case."""
    return bool(word.strip()) and word.strip().casefold() in value.casefold()


@lru_cache(maxsize=8192)
def folded(text: str) -> str:
    """Lower case, no accents, single spaces between words; what stands in words stays (1NF, TCP/IP, C++)."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return " ".join(re.findall(r"[\w+#/.&'’-]+", plain)).strip(" -.'’")


@lru_cache(maxsize=1024)
def stems(folded_text: str) -> tuple[str, ...]:
    """What is left of a typed name without a glued ending: ('debate',) for 'debate-ye'.

    Args:
        folded_text: the name, already `folded`.
    """
    left: dict[str, None] = {}
    head, hyphen, tail = folded_text.rpartition("-")
    if hyphen and tail in _ENDINGS:
        left[head] = None
    possessive = re.sub(r"['’]s$", "", folded_text)
    if possessive != folded_text:
        left[possessive] = None
    for ending in _ENDINGS:
        if folded_text.endswith(ending) and len(folded_text) - len(ending) >= _SHORTEST_STEM:
            left[folded_text[: -len(ending)].rstrip(" -")] = None
    return tuple(stem for stem in left if len(stem) >= 2)


def _likeness(typed: str, name: str) -> tuple[str, float] | None:
    """In which way two folded names are alike, and how much."""
    direct = _plain_likeness(typed, name)
    if direct is not None and direct[1] >= _SCORES["start"]:
        return direct
    for stem in stems(typed):
        bare = _plain_likeness(stem, name)
        # A stem that is short may be anything: 'mein' must not become 'Me…'.
        if bare is not None and bare[0] != "spelling":
            return "ending", bare[1] - 2
    return direct


@lru_cache(maxsize=16384)
def _plain_likeness(typed: str, name: str) -> tuple[str, float] | None:
    if typed == name:
        return "same", _SCORES["same"]
    words = _words(name)
    if len(words) > 1 and typed.replace(".", "") == "".join(word[0] for word in words):
        return "initials", _SCORES["initials"]
    if typed in words and len(typed) >= 2:
        return "word", _SCORES["word"]
    typed_words = _words(typed)
    if _are_starts(typed_words, words):
        return "start", _SCORES["start"]
    return _spelling(typed, typed_words, name, words)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[\s/_-]+", text) if word)


def _are_starts(typed: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether each typed word begins one of the name's words, in order: 'comp net', 'norm'."""
    if not typed or any(len(word) < 3 for word in typed):
        return False
    place = 0
    for word in typed:
        while place < len(words) and not words[place].startswith(word):
            place += 1
        if place == len(words):
            return False
        place += 1
    return True


def _spelling(
    typed: str, typed_words: tuple[str, ...], name: str, words: tuple[str, ...]
) -> tuple[str, float] | None:
    from rapidfuzz import fuzz
    from rapidfuzz.distance import OSA

    if len(typed) < 4:
        return None  # two letters of three in common are chance
    score = fuzz.ratio(typed, name)
    if len(typed_words) == 1:
        whole = max((fuzz.ratio(typed, word) for word in words if len(word) >= 4), default=0.0)
        score = max(score, whole - 1)
    if OSA.distance(typed, name) == 1:  # one letter too many, too few, another, or two that changed places
        score = max(score, 85.0)
    if score < _GOOD_SPELLING:
        return None
    # The best misspelling is worth less than the weakest of the surer ways.
    return "spelling", score * 0.85
