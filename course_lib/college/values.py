"""Values of properties that have too many to list, looked up by the words of a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from course_lib.college.errors import QueryTimeoutError
from course_lib.college.quoting import quoted

if TYPE_CHECKING:
    from course_lib.college.graph import Graph
    from course_lib.college.schema import Schema, Values

_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
SHORTEST = 3
"""Letters of the shortest word that is looked up."""
WORDS = 24
"""Words of a question that are looked up at most, the longest first."""
CANDIDATES = 200
"""Values that are weighed at most."""
NEAR = 0.75
"""How alike a word of the question and a word of a value must be (difflib's ratio, 0 to 1)."""
TIMEOUT_MS = 1_000


@dataclass(frozen=True)
class Found:
    """A value that a word of the question is near to."""

    owner: str
    property: str
    value: str


def find_values(graph: Graph, schema: Schema, question: str, limit: int = 8) -> tuple[Found, ...]:
    """The values nearest to a question's words, among those that the schema does not list.

    One scan of each such property, whatever the number of words. A property whose scan takes longer than a
    second is left out: the prompt is then poorer, and the answer not later.

    Args:
        graph: the graph.
        schema: what was read off it.
        question: any text.
        limit: how many values come back at most.

    Returns:
        The nearest first. Empty where everything is listed.
    """
    searched = [one for one in schema.values if one.searched and not one.long]
    words = _words(question, schema)
    if not searched or not words:
        return ()
    weighed: list[tuple[float, Found]] = []
    for one in searched:
        for text in _candidates(graph, schema, one, words):
            score = _score(text, words)
            if score >= NEAR:
                weighed.append((score, Found(one.owner, one.property, text)))
    weighed.sort(key=lambda pair: (-pair[0], pair[1].owner, pair[1].value))
    return tuple(found for _, found in weighed[:limit])


def _words(question: str, schema: Schema) -> list[str]:
    own = {node.label.lower() for node in schema.labels} | {p.type.lower() for p in schema.patterns}
    found = {word.lower() for word in _WORD.findall(question)}
    kept = [w for w in found if len(w) >= SHORTEST and w not in own and w.rstrip("s") not in own]
    return sorted(kept, key=lambda word: (-len(word), word))[:WORDS]


def _candidates(graph: Graph, schema: Schema, one: Values, words: list[str]) -> list[str]:
    # The beginning of a word finds its value in spite of a slip near its end.
    starts = sorted({word[:4] if len(word) > 4 else word for word in words})
    at = f"n:{quoted(one.owner)}" if schema.label(one.owner) else ""
    match = f"MATCH ({at})" if at else f"MATCH ()-[n:{quoted(one.owner)}]->()"
    query = (
        f"{match} WITH DISTINCT n.{quoted(one.property)} AS v"
        " WHERE v IS NOT NULL AND any(w IN $starts WHERE toLower(v) CONTAINS w)"
        f" RETURN v ORDER BY size(v) LIMIT {CANDIDATES}"
    )
    try:
        return [str(row[0]) for row in graph.read(query, {"starts": starts}, timeout_ms=TIMEOUT_MS)]
    except QueryTimeoutError:
        return []


def _score(text: str, words: list[str]) -> float:
    """The share of the value's words that the question holds, each by its nearest word."""
    parts = [part.lower() for part in _WORD.findall(text)]
    if not parts:
        return 0.0
    best = [max(SequenceMatcher(None, part, word).ratio() for word in words) for part in parts]
    # A first name alone is enough to be offered; a full name comes before it.
    return max(best) * 0.9 + 0.1 * (sum(best) / len(best))
