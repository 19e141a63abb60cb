"""The conversation memory in the prompt: who and what was mentioned last.

Only entities are taken from it. Whatever else stands in an earlier question or answer is data, not an
instruction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from course_lib.models.practice.mind.reading_schema import ListedValue
from course_lib.models.practice.mind.text import stem, tokens
from course_lib.models.practice.mind.world import World

_ENTITY_LINE = re.compile(
    r"^\s*(?:[-*]\s*)?(?:last )?(?:mentioned(?: entities)?|entities|mentions"
    r"|last mentioned)\b[^:=]*[:=]?\s*(.*)$",
    re.I,
)
_TURN_TEXT = re.compile(
    r"^\s*(?:[-*]|\d+[.)])?\s*(?:question|q|user|result|rows?|answer|a|assistant)\s*:\s*(.*)$", re.I
)


@dataclass(frozen=True)
class Remembered:
    """The newest thing of each kind that the memory names, newest first."""

    things: tuple[tuple[str, str], ...] = ()
    """(label, name) pairs."""

    def newest(self, label: str) -> str | None:
        """The newest thing of a label."""
        return next((name for found, name in self.things if found == label), None)


def read_memory(text: str, world: World) -> Remembered:
    """What a memory part remembers. Stated entities count; without them, values found in the turns do."""
    if not text.strip():
        return Remembered()
    labels = {label.lower(): label for label in world.labels}
    labels.update({stem(label.lower()): label for label in world.labels})
    stated: list[tuple[str, str]] = []
    block: list[str] = []
    inside = False
    for line in text.splitlines():
        match = _ENTITY_LINE.match(line)
        if match:
            inside = True
            block.append(match.group(1))
        elif (
            inside
            and line.strip()
            and re.match(r"^\s*[-*]?\s*`?\w[\w ]*`?\s*[:=]", line)
            and not _TURN_TEXT.match(line)
        ):
            block.append(line)
        else:
            inside = False
    for name, value in _pairs("\n".join(block)):
        label = labels.get(name.strip().lower()) or labels.get(stem(name.strip().lower()))
        if label is not None and value.strip():
            stated.append((label, value.strip()))
    if stated:
        return Remembered(tuple(stated))
    return Remembered(tuple(_from_turns(text, world)))


def _pairs(text: str) -> list[tuple[str, str]]:
    found = []
    for piece in re.split(r"[;\n]|,\s*(?=[A-Za-z_]+\s*[=:])", text):
        name, sep, value = piece.strip().lstrip("-*( ").partition("=")
        if not sep:
            name, sep, value = piece.strip().lstrip("-*( ").partition(":")
        if sep:
            found.append((name.strip().strip("`"), value.strip().strip(")'\"` ")))
    return found


@lru_cache(maxsize=512)
def _words(text: str) -> tuple[str, ...]:
    return tuple(token.lower for token in tokens(text))


def _from_turns(text: str, world: World) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in reversed(text.splitlines()):
        match = _TURN_TEXT.match(line)
        content = match.group(1) if match else line
        if re.match(r"^\s*(?:cypher|query)\s*:", line, re.I):
            continue
        for value in _values_in(_words(content), world):
            if not any(label == value.owner for label, _ in found):
                found.append((value.owner, value.text))
    return found


def _values_in(words: tuple[str, ...], world: World) -> list[ListedValue]:
    found: list[ListedValue] = []
    for length in range(min(world.longest_value, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            for value in world.by_lower.get(" ".join(words[start : start + length]), ()):
                if world.is_name(value) and value not in found:
                    found.append(value)
    order = " ".join(words)
    return sorted(found, key=lambda value: order.find(" ".join(_words(value.text))))
