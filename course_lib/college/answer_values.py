"""Names, numbers and dates in the ways in which an answer may write them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from course_lib.college.answer_text import Token, answer_words, number_of, tokens_in


def key_of(value: Any) -> str:
    """A value as it is compared: without case, a whole number without a point."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if abs(value) < 1e6 else str(int(value) if value == int(value) else value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    return " ".join(str(value).casefold().split())


def initials(name: str) -> str:
    """`os` of Operating Systems; nothing of a single word."""
    parts = [part for part in re.split(r"[\s/-]+", name) if part[:1].isalpha()]
    return "".join(part[0] for part in parts).lower() if len(parts) > 1 else ""


def date_forms(value: str) -> list[str]:
    """The ways to write a date such as `2026-11-30`: '30 November 2026', 'Nov 30', '30/11/2026'."""
    match = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})(?:[T ].*)?", value)
    if match is None or not 1 <= int(match[2]) <= 12:
        return []
    year, day = match[1], str(int(match[3]))
    last = day[-1] if len(day) == 1 or not day.startswith("1") else "0"
    nth = day + {"1": "st", "2": "nd", "3": "rd"}.get(last, "th")
    month = answer_words().months[int(match[2]) - 1].capitalize()
    found = []
    for name in (month, month[:3]):
        for number in (day, nth):
            for text in (f"{number} {name}", f"{name} {number}", f"{number} of {name}"):
                found += [f"{text} {year}", f"{text}, {year}", text]
    figures = (f"{day}/{int(match[2])}", f"{match[3]}/{match[2]}", f"{match[3]}.{match[2]}.")
    return [*found, *(f"{one}{'' if one.endswith('.') else '/'}{year}" for one in figures)]


def value_of(token: Token, hinglish: bool) -> float | None:
    """The number that a token writes, in digits or as a word."""
    words = answer_words()
    if token.kind in ("number", "ordinal"):
        return number_of(token.text)
    if token.lower in words.numbers:
        return float(words.numbers[token.lower])
    if token.lower in words.ordinals:
        return float(words.ordinals[token.lower])
    if hinglish and token.lower in words.hinglish_numbers:
        return float(words.hinglish_numbers[token.lower])
    return None


def numbers_in(text: str, hinglish: bool) -> set[float]:
    """The numbers in a text, in digits, in words, or inside a word such as `2NF` or `2026-11-30`."""
    found = {float(n) for n in re.findall(r"\d+(?:\.\d+)?", text)}
    found.update(float(n.replace(",", "")) for n in re.findall(r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?", text))
    if len(text) <= 400:
        found.update(v for t in tokens_in(text) if (v := value_of(t, hinglish)) is not None)
    return found


def may_be_a_value(token: Token, sentence: str, hinglish: bool) -> bool:
    """Whether a token can be a number of the rows. 'One' is mostly a pronoun, and 'do' a verb."""
    words = answer_words()
    if token.kind in ("number", "ordinal") or token.lower in words.ordinals:
        return True
    if token.lower in ("one", "ek", "do"):
        owned = re.search(r"\b(?:has|have|with|only|just|ke|mein)\s+$", sentence[: token.start], re.I)
        return bool(owned and re.match(r"\s*(?:[.,;]|$|and\b)", sentence[token.end :]))
    return token.lower in words.numbers or (hinglish and token.lower in words.hinglish_numbers)


def is_article(sentence: str, start: int, end: int) -> bool:
    """Whether an 'A' is the word 'a' at the start of a sentence or clause, and not a grade."""
    if sentence[start:end] != "A":
        return False
    before, after = sentence[:start].rstrip(), sentence[end:]
    opens = not before or before[-1] in ".:;!?" or before.endswith(" -")
    return opens and bool(re.match(r"\s+[a-z]", after))


def phrase_words(texts: Sequence[str]) -> set[tuple[str, str]]:
    """Every two neighbouring words in some texts, in lower case."""
    found: set[tuple[str, str]] = set()
    for text in texts:
        words = re.findall(r"[^\W_]+", text.lower())
        found.update(pairwise(words))
    return found
