"""Whether the words that a reply gives as its evidence really stand in the message."""

from __future__ import annotations

import re
import unicodedata

_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-"})


def normalised(text: str) -> str:
    """A text for comparing: one form of each letter and quotation mark, lower case, single blanks."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return re.sub(r"\s+", " ", plain).strip().casefold()


def is_in(evidence: str, message: str) -> bool:
    """Whether a message holds the evidence, whatever its blanks, capitals and quotation marks.

    Whole words only: 'egg' is no evidence from 'eggless'.
    """
    needle, hay = normalised(evidence).strip(" .,!?;:…"), normalised(message)
    if not needle:
        return False
    start = r"(?<!\w)" if re.match(r"\w", needle) else ""
    end = r"(?!\w)" if re.search(r"\w$", needle) else ""
    return re.search(start + re.escape(needle) + end, hay) is not None
