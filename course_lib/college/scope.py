"""What of a question the graph knows: the evidence that OUT_OF_SCOPE, said of it, may be out of place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from course_lib.college.near_names import Name, folded, near_names
from course_lib.college.query_shape import QueryShape

if TYPE_CHECKING:
    from course_lib.college.schema import Schema

OUT_OF_SCOPE = "OUT_OF_SCOPE"
_CHANGE = re.compile(
    r"^\W*(?:please |pls |can you |could you )?(?:delete|remove|erase|clean ?up|clear|wipe|drop|add|create"
    r"|insert|update|rename|set|change)\b"
    r"|\b(?:delete|remove|hata|mita|add|update|change|badal|jod)\s+(?:kar\s*)?(?:do|de|dijiye|karo)\b",
    re.I,
)
_WORDS = re.compile(r"[\w+#/.'’-]+")
_LONGEST_NAME = 4
"""Words of a name that are looked at together."""
_MOST_WORDS = 60
"""Words of a question that are looked at."""
_WHOLE = 97.0
"""From this likeness on a name with something glued to it is the whole name: 'payalka', and not 'clubs'."""
_ENOUGH = 4


def evidence(question: str, schema: Schema, names: Iterable[Name]) -> tuple[str, ...]:
    """What a question speaks of that the graph has, in words for a hint; nothing when it has none of it.

    A name counts when things are called by it, a label when it stands in the question as a word. A branch or
    a grade does not count: half of all questions in the world have such a word in them.

    Args:
        question: the question.
        schema: what the graph has.
        names: the names in the graph that are known.
    """
    called = {node.label: schema.name_of(node.label) for node in schema.labels}
    things = [name for name in names if called.get(name.owner) == name.property]
    found: dict[str, None] = {}
    words = _WORDS.findall(question)[:_MOST_WORDS]
    for phrase in _phrases(words):
        for near in near_names(phrase, things, limit=1):
            whole = near.how == "initials" or (near.how == "ending" and near.score >= _WHOLE)
            if near.how == "same" or (whole and _is_telling(phrase)):
                found[f"'{near.value}' ({near.name.owner})"] = None
    for node in schema.labels:
        if any(_is_label(folded(word), node.label) for word in words):
            found[node.label] = None
    return tuple(found)[:_ENOUGH]


def wants_change(question: str) -> bool:
    """Whether a question reads like an order to change the graph. Only asked where a model has given up on
    it."""
    return _CHANGE.search(question) is not None


def sentinel_in(shape: QueryShape) -> str | None:
    """How the sentinel stands in a query: `alone`, `mixed` with a query that reads, or not at all (None)."""
    if not any(piece.kind == "text" and piece.text == OUT_OF_SCOPE for piece in shape.pieces):
        return None
    reads = any(piece.is_word("MATCH", "UNWIND", "CALL", "UNION") for piece in shape.pieces)
    return "mixed" if reads else "alone"


def _phrases(words: list[str]) -> Iterator[str]:
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])


def _is_telling(phrase: str) -> bool:
    """Whether a shortened name is one: 'ML' and 'payalka' are, 'it', 'is' and 'me' are words."""
    return (phrase.isupper() and len(phrase) >= 2) or len(phrase) >= 5


def _is_label(word: str, label: str) -> bool:
    name = label.casefold()
    plurals = {name, f"{name}s", f"{name}es", f"{name[:-1]}ies" if name.endswith("y") else name}
    return word in plurals
