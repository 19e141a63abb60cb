"""Search by words: BM25, by the library bm25s. A text scores when it shares words with the question."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from course_lib.college.search.facts import Fact

DECIMALS = 5
"""Decimals that count when scores are compared: beyond them machines may differ, and then the id decides."""


def search_words(facts: Sequence[Fact], question: str, k: int = 10) -> list[Fact]:
    """The texts that share the rarest words with a question, best first.

    Only whole words count, capitals or not; *the*, *is*, *which* and the like are left out. A text that
    shares no word is no find, so there may be fewer than `k`.

    Args:
        facts: what to search.
        question: what is looked for.
        k: how many at most.
    """
    index = _index(tuple(facts))
    if index is None:
        return []
    retriever, known = index
    words = [word for word in _words([question])[0] if word in known]
    if not words:
        return []
    scores = retriever.get_scores(words)
    found = [
        (round(float(score), DECIMALS), fact) for score, fact in zip(scores, facts, strict=True) if score > 0
    ]
    found.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [fact for _, fact in found[:k]]


@lru_cache(maxsize=4)
def _index(facts: tuple[Fact, ...]) -> tuple[Any, frozenset[str]] | None:
    words = _words([fact.text for fact in facts])
    known = frozenset(word for text in words for word in text)
    if not known:
        return None
    import bm25s

    retriever = bm25s.BM25()
    retriever.index(words, show_progress=False)
    return retriever, known


def _words(texts: Sequence[str]) -> list[list[str]]:
    import bm25s

    return list(bm25s.tokenize(list(texts), stopwords="en_plus", return_ids=False, show_progress=False))
