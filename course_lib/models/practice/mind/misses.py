"""Wordings that the practice model does not know: said plainly, as itself, and kept in a list.

A miss is never dressed up as the sentinel for what a graph cannot answer: another model might know the
wording.
"""

from __future__ import annotations

from collections import deque
from threading import Lock

from course_lib.models.practice.mind.lexicon import lexicon
from course_lib.models.practice.mind.scope import examples
from course_lib.models.practice.mind.text import tokens
from course_lib.models.practice.mind.world import World

_MOST_KEPT = 500
_kept: deque[str] = deque(maxlen=_MOST_KEPT)
_lock = Lock()


def miss_reply(question: str, world: World) -> str:
    """What the practice model says to a wording that it does not know; the question joins the list."""
    with _lock:
        if question not in _kept:
            _kept.append(question)
    near = nearest(question, world)
    known = f" Nearest it knows: “{near}”;" if near else ""
    return f"The practice model does not know this wording.{known} a real model may."


def known_misses() -> tuple[str, ...]:
    """The questions of this process that the practice model did not know, oldest first, at most 500."""
    with _lock:
        return tuple(_kept)


def forget_misses() -> None:
    """Empties the list."""
    with _lock:
        _kept.clear()


def nearest(question: str, world: World) -> str | None:
    """The known question that shares the most words with this one."""
    lex = lexicon()
    words = {token.stem for token in tokens(question) if token.lower not in lex.function}
    best, most = None, -1.0
    for example in examples(world):
        other = {token.stem for token in tokens(example) if token.lower not in lex.function}
        score = len(words & other) / (1 + len(words | other))
        if score > most:
            best, most = example, score
    return best
