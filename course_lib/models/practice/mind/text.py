"""Words of a question: tokens, stems, numbers. English and Hinglish in Latin letters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"'s\b|[^\W_]+(?:['’](?!s\b)[^\W_]+|[-/.&][^\W_]+)*\+*", re.UNICODE)
_NUMBERED = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)?|first|second|third|fourth|fifth|sixth|one|two|three|four|five)-[a-z]+"
    r"|\b[a-z]+-(?:\d+|wise|based|related)\b",
    re.I,
)  # third-year, 4-credit, year-2, skill-wise
_VOWEL = re.compile(r"[aeiouy]")

_IRREGULAR = {
    "taught": "teach",
    "took": "take",
    "taken": "take",
    "knew": "know",
    "known": "know",
    "built": "build",
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "learnt": "learn",
    "began": "begin",
    "got": "get",
    "gotten": "get",
    "did": "do",
    "does": "do",
    "done": "do",
    "has": "have",
    "had": "have",
    "having": "have",
    "led": "lead",
    "made": "make",
    "came": "come",
    "went": "go",
    "written": "write",
    "wrote": "write",
    "held": "hold",
    "met": "meet",
    "ran": "run",
    "abilities": "ability",
}


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text, with where it stands."""

    text: str
    """As typed."""
    lower: str
    stem: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Cuts a lower-case word to a stem: `studies`, `studying` and `study` give the same one.

    The stem need not be a word. What counts is that both sides of a comparison are cut the same way.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3 or not word.isalpha():
        return word
    cut = word
    if cut.endswith("ies") and len(cut) > 4:
        cut = cut[:-3] + "y"
    elif cut.endswith(("sses", "xes", "ches", "shes", "zes")):
        cut = cut[:-2]
    elif cut.endswith("s") and not cut.endswith(("ss", "us", "is")):
        cut = cut[:-1]
    if cut.endswith("ied") and len(cut) > 4:
        cut = cut[:-3] + "y"
    elif cut.endswith("ing") and len(cut) > 5 and _VOWEL.search(cut[:-3]):
        cut = _mended(cut[:-3])
    elif cut.endswith("ed") and len(cut) > 4 and _VOWEL.search(cut[:-2]):
        cut = _mended(cut[:-2])
    if cut.endswith("e") and len(cut) > 4:
        cut = cut[:-1]
    return cut


def _mended(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    if len(word) == 3 and word[1] in "aeiou" and word[0] not in "aeiou" and word[2] not in "aeiouyw":
        return word + "e"  # taking → take
    return word


def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text. A possessive `'s` is a token of its own; `A+`, `TCP/IP` and `debate-ye` are
    one.
    """
    found = []
    plain = _NUMBERED.sub(lambda match: match.group().replace("-", " "), text.replace("’", "'"))
    for match in _WORD.finditer(plain):
        word = match.group()
        lower = word.lower()
        found.append(Token(word, lower, stem(lower), match.start(), match.end()))
    return tuple(found)


def name_words(name: str) -> tuple[str, ...]:
    """The words inside a schema name, in lower case: `WORKS_ON` → works, on; `createdAt` → created, at."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name.replace("_", " ").replace("-", " "))
    return tuple(part.lower() for part in spaced.split())


_NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "ek": 1,
    "do": 2,
    "teen": 3,
    "char": 4,
    "chaar": 4,
    "paanch": 5,
    "panch": 5,
    "chhe": 6,
    "saat": 7,
    "aath": 8,
    "nau": 9,
    "das": 10,
}
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "pehla": 1,
    "pehle": 1,
    "pehli": 1,
    "doosra": 2,
    "doosre": 2,
    "dusra": 2,
    "dusre": 2,
    "dusri": 2,
    "doosri": 2,
    "teesra": 3,
    "teesre": 3,
    "tisre": 3,
    "teesri": 3,
    "chautha": 4,
    "chauthe": 4,
    "chauthi": 4,
}
_DIGITS = re.compile(r"^(\d+)(?:st|nd|rd|th)?$")


def number_of(word: str) -> int | None:
    """The number that a lower-case word says (`2`, `2nd`, `two`, `second`, `dusre`), or None."""
    match = _DIGITS.match(word)
    if match:
        return int(match.group(1))
    return _NUMBERS.get(word, _ORDINALS.get(word))


def is_plain_number(word: str) -> bool:
    """Whether a word is written in digits."""
    return _DIGITS.match(word) is not None


def bounded_distance(left: str, right: str, at_most: int) -> int:
    """The edit distance (swaps of neighbours count one), or `at_most + 1` when it is larger."""
    from rapidfuzz.distance import OSA

    return int(OSA.distance(left, right, score_cutoff=at_most))


def typo_allowance(length: int) -> int:
    """How many slips of the finger still leave a word of this length recognisable."""
    if length < 4:
        return 0
    return 1 if length < 7 else 2
