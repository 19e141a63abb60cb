"""Words as people type them, made comparable: variants of the same letters fall together, words never do."""

from __future__ import annotations

import re
import unicodedata

_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-"}
)
_SPACE = re.compile(r"\s+")
_EDGES = " \t\r\n\"'.,;:!?()[]{}*_~<>…।"


def tidy(text: str) -> str:
    """The text with plain quotation marks and single spaces, without invisible characters around it."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return _SPACE.sub(" ", text).strip(_EDGES)


def fold(text: str) -> str:
    """`tidy`, in lower case, and Latin letters without accents: 'Zoë' and 'ZOE' are one.

    Vowel signs of other scripts stay: without them Indian names would fall together.
    """
    folded: list[str] = []
    latin = False
    for character in unicodedata.normalize("NFKD", tidy(text).casefold()):
        if unicodedata.combining(character):
            if not latin:
                folded.append(character)
            continue
        latin = "LATIN" in unicodedata.name(character, "")
        folded.append(character)
    return unicodedata.normalize("NFC", "".join(folded))


def is_word(text: str) -> bool:
    """Whether the text is made of letters and their marks, with hyphens, dots and apostrophes inside."""
    return any(c.isalpha() for c in text) and all(
        c in "-.'" or unicodedata.category(c)[0] in "LM" for c in text
    )
