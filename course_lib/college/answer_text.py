"""An answer as a reader takes it in: markup off, cut into sentences, words and numbers told apart."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

_BULLET = re.compile(r"^\s*(?:(?:[-*•–▪◦]|>|#{1,6})\s+)+")
_NUMBERED = re.compile(r"^\s*(?:step\s+)?(\d{1,3})[.):]\s+", re.I)
_RULE = re.compile(r"^[\s|:=_-]+$")
_LINK = re.compile(r"\[([^\]]{1,200})\]\([^)\s]{0,300}\)")
_MARKS = re.compile(
    r"</?(?:b|i|em|strong|br|p|ul|ol|li)\s*/?>|\*\*|__|``?`?|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)"
)
_PLUS = re.compile(r"\b([A-F])[ -]?(?:plus|PLUS)\b")
_END = re.compile(r"(?<=[.!?।])[\"')\]]*\s+|(?<=:)\s*\n|\n+")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|vs|etc|Dr|Mr|Ms|Mrs|Prof|No|approx)\.$")
_SIGNS: Mapping[int, str] = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "`": "'",
        "–": " - ",
        "—": " - ",
        "\u00a0": " ",
        "⟶": "→",
        "➔": "→",
    }
)

TOKEN = re.compile(
    r"(?P<grade>(?<![\w+])[A-F](?:\+(?![\w+])|-(?![\w\s])|(?=[\s.,;:)\]'\"!?/|]|$)))"
    r"|(?P<ordinal>\b\d{1,4}(?:st|nd|rd|th)\b)"
    r"|(?P<number>(?<![\w.])[-−]?\d+(?:,\d{2,3})*(?:\.\d+)?(?![\w])%?)"
    r"|(?P<word>\w+(?:['.]\w+)*)"
)


@dataclass(frozen=True)
class Token:
    """A word, a number, an ordinal (`2nd`) or a grade (`A+`), and where it stands in its sentence."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()


class Sentence(str):
    """A sentence or list item of an answer.

    Attributes:
        place: its number in a numbered list.
    """

    __slots__ = ("place",)
    place: int | None

    @classmethod
    def of(cls, text: str, place: int | None = None) -> Sentence:
        """A sentence with its place."""
        made = cls(text)
        made.place = place
        return made


def sentences(text: str) -> list[Sentence]:
    """The sentences and list items of an answer, without markup.

    A number in front of a line is a place in a list when the lines before it have the ones before. A short
    heading with a list under it is put in front of each item, since that is what it says of them.

    Args:
        text: an answer as a model writes it.
    """
    plain = unicodedata.normalize("NFC", text).translate(_SIGNS)
    plain = _LINK.sub(r"\1", plain)
    found: list[Sentence] = []
    place = 0
    heading = ""
    for line in plain.splitlines():
        if not line.strip() or _RULE.match(line):
            continue
        is_heading = bool(_HEADING.match(line)) and len(line.split()) <= _LONGEST_HEADING
        bullet = _BULLET.match(line)
        line = line[bullet.end() :] if bullet else line
        numbered = _NUMBERED.match(_MARKS.sub("", line))
        at: int | None = None
        if numbered and int(numbered[1]) in (1, place + 1):
            at = place = int(numbered[1])
            line = _MARKS.sub("", line)[numbered.end() :]
        line = _MARKS.sub("", line)
        line = _PLUS.sub(
            r"\1+", "".join(c for c in line if unicodedata.category(c) not in ("So", "Cf", "Cc"))
        )
        if is_heading:
            heading = line.strip().rstrip(":")
        elif not bullet and at is None:
            heading = ""
        elif heading:
            line = f"{heading}: {line}"
        found += [Sentence.of(part, at) for part in _in_line(line)]
    return found


_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$|[^.!?]{2,60}:\s*$)")
_LONGEST_HEADING = 5
"""Words. A longer line with a colon is a sentence that opens a list."""


def _in_line(line: str) -> list[str]:
    parts: list[str] = []
    for part in _END.split(line):
        if not part or not part.strip():
            continue
        if parts and _SHORT.search(parts[-1]):
            parts[-1] += " " + part
        else:
            parts.append(part.strip())
    return parts


def tokens_in(sentence: str) -> list[Token]:
    """The words and numbers of a sentence."""
    found = []
    for match in TOKEN.finditer(sentence):
        kind = match.lastgroup or "word"
        text = match[0].strip("'.") if kind == "word" else match[0]
        found.append(Token(kind, text, match.start(), match.end()))
    return found


def stem(word: str) -> str:
    """A word without the regular endings of English, so that 'studies' and 'study' are one."""
    text = re.sub(r"'s?$", "", word.lower())
    if len(text) > 4 and text.endswith(("ies", "ied")):
        return text[:-3] + "y"
    for ending in ("ings", "ing", "edly", "ed", "ly", "es", "s"):
        if text.endswith(ending) and len(text) - len(ending) >= 3 and not text.endswith("ss"):
            text = text[: -len(ending)]
            break
    if len(text) > 3 and text[-1] == text[-2] and text[-1] not in "aeiouls":
        text = text[:-1]
    return text[:-1] if len(text) > 3 and text.endswith("e") else text


def number_of(text: str) -> float | None:
    """The number that a text writes in digits, or None."""
    digits = re.sub(r"(?:st|nd|rd|th)$|%", "", text).replace(",", "").replace("−", "-")
    try:
        return float(digits)
    except ValueError:
        return None


@dataclass(frozen=True)
class Words:
    """The words of `answer_words.toml`, ready to be looked up."""

    english: frozenset[str]
    english_stems: frozenset[str]
    hinglish: frozenset[str]
    numbers: Mapping[str, int]
    hinglish_numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    months: tuple[str, ...]
    also_names: frozenset[str]
    kinds: Mapping[str, frozenset[str]]
    means: Mapping[str, tuple[str, ...]]
    surely_hinglish: frozenset[str]
    maybe_hinglish: frozenset[str]
    surely_english: frozenset[str]

    def is_harmless(self, word: str, hinglish: bool) -> bool:
        """Whether a word carries a sentence and names nothing."""
        lower = word.lower()
        if lower in self.english or (hinglish and lower in self.hinglish):
            return True
        if lower.endswith("est") and {lower[:-3], stem(lower[:-3])} & self.english_stems:
            return True
        return stem(lower) in self.english_stems

    def is_harmless_as_it_stands(self, word: str, hinglish: bool) -> bool:
        """The same for a word with a capital letter inside a sentence, which may well be a name."""
        lower = re.sub(r"'s?$", "", word.lower())
        if lower in self.also_names:
            return False
        known = self.english | self.hinglish if hinglish else self.english
        return lower in known or (lower.endswith("s") and lower[:-1] in known)


@lru_cache(maxsize=1)
def answer_words() -> Words:
    """The words, read once."""
    with Path(__file__).with_name("answer_words.toml").open("rb") as file:
        data: dict[str, Any] = tomllib.load(file)
    english = frozenset(_split(data["english"].values()))
    more = data["more"]
    return Words(
        english=english,
        english_stems=frozenset(stem(word) for word in english),
        hinglish=frozenset(_split(data["hinglish"].values())),
        numbers=more["numbers"],
        hinglish_numbers=more["hinglish_numbers"],
        ordinals=more["ordinals"],
        months=tuple(more["months"]),
        also_names=frozenset(more["also_names"].split()),
        kinds={kind: frozenset(words) for kind, words in data["kinds"].items()},
        means={value: tuple(words) for value, words in data["means"].items()},
        surely_hinglish=frozenset(_split([data["language"]["hinglish"]])),
        maybe_hinglish=frozenset(_split([data["language"]["maybe"]])),
        surely_english=frozenset(_split([data["language"]["english"]])),
    )


def _split(texts: Iterable[str]) -> list[str]:
    return [word for text in texts for word in text.lower().split()]
