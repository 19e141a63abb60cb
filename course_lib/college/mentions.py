"""Which things of the graph a question or a result speaks of.

Names come from the graph. They are looked for as whole words: 'os' is not in 'OSI Model', and 'Ann' not in
'planning'. What people do to names is understood (`near_names`): an ending glued on, initials, a slip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from course_lib.college.near_names import Name, folded, near_names

LONGEST_CELL = 80
"""Characters of the longest cell of a result that can be a name. Longer ones are notes."""
_WORD = re.compile(r"[\w+#/&]+(?:[.'’-][\w+#/&]+)*")
_SHORT = 2
_CERTAIN = ("same", "ending", "initials")


@dataclass(frozen=True)
class Mention:
    """A thing that was spoken of."""

    label: str
    name: str


def in_question(text: str, names: Sequence[Name]) -> tuple[Mention, ...]:
    """What a question speaks of, one thing a label: where it names two, the later one.

    Args:
        text: the question.
        names: the names that things are called by.
    """
    words = [(match.group(), folded(match.group())) for match in _WORD.finditer(text)]
    whole = _by_words(names)
    longest = max((len(key) for key in whole), default=1)
    found: dict[str, tuple[int, str]] = {}
    taken: set[int] = set()
    for length in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            span = range(start, start + length)
            if taken & set(span):
                continue
            hits = [n for n in whole.get(tuple(words[i][1] for i in span), ()) if _fits(words[start][0], n)]
            if hits:
                taken |= set(span)
                for hit in hits:
                    _later(found, hit, start)
    for start, (typed, plain) in enumerate(words):
        if start not in taken and len(plain) > _SHORT - 1:
            for hit in _near(typed, names):
                _later(found, hit, start)
    return tuple(Mention(label, name) for label, (_, name) in sorted(found.items(), key=lambda it: it[1][0]))


def in_rows(rows: Iterable[Sequence[Any]], names: Sequence[Name]) -> tuple[Mention, ...]:
    """What a result speaks of, one thing a label: the first row that names one decides."""
    called: dict[str, list[Name]] = {}
    for name in names:
        called.setdefault(folded(name.value), []).append(name)
    found: dict[str, str] = {}
    for row in rows:
        for cell in row:
            for text in _texts(cell):
                for name in called.get(folded(text), ()):
                    found.setdefault(name.owner, name.value)
    return tuple(Mention(label, name) for label, name in found.items())


def _by_words(names: Sequence[Name]) -> dict[tuple[str, ...], list[Name]]:
    found: dict[tuple[str, ...], list[Name]] = {}
    for name in names:
        key = tuple(folded(word) for word in _WORD.findall(name.value))
        if key:
            found.setdefault(key, []).append(name)
    return found


def _fits(typed: str, name: Name) -> bool:
    """Whether a match of a very short name is more than chance: `Go` is a language, `go` a verb."""
    return len(name.value) > _SHORT or typed == name.value


def _later(found: dict[str, tuple[int, str]], hit: Name, start: int) -> None:
    if hit.owner not in found or found[hit.owner][0] <= start:
        found[hit.owner] = (start, hit.value)


def _near(typed: str, names: Sequence[Name]) -> list[Name]:
    """The names that a single word stands for, where there is no doubt: one a label."""
    by_label: dict[str, list[Name]] = {}
    for near in near_names(typed, names, limit=4):
        first = near.how == "word" and folded(near.value).split(" ")[0] == folded(typed)
        slip = near.how == "spelling" and len(typed) > 4
        if (near.how in _CERTAIN or first or slip) and _fits(typed, near.name):
            by_label.setdefault(near.name.owner, []).append(near.name)
    return [listed[0] for listed in by_label.values() if len(listed) == 1]


def _texts(cell: Any) -> Iterable[str]:
    if isinstance(cell, str):
        if len(cell) <= LONGEST_CELL:
            yield cell
    elif isinstance(cell, list | tuple):
        for item in cell:
            yield from _texts(item)
    elif isinstance(cell, dict):
        for item in cell.values():
            yield from _texts(item)
