"""The memory of a conversation: its last turns, and who and what was spoken of last.

'uska year kya hai?' means nothing alone. The memory goes into the next prompt, so that a model can see who
'uska' is. It holds at most `WINDOW` turns, within a budget of tokens, and it is data: line breaks and
headings in a question, a result or an answer are flattened, so that none can open a part of the prompt.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course_lib.college.estimate import count_tokens
from course_lib.college.mentions import Mention, in_question, in_rows
from course_lib.college.near_names import Name
from course_lib.college.quoting import one_line
from course_lib.college.values import find_values
from course_lib.errors import CourseError

if TYPE_CHECKING:
    from course_lib.college.graph import Graph
    from course_lib.college.schema import Schema

WINDOW = 5
"""Turns that are kept."""
BUDGET = 400
"""Tokens that the memory takes of a prompt at most."""
RESULT_CHARACTERS = 300
"""Characters of a result that are kept."""
_QUESTION_CHARACTERS = 300
_CYPHER_CHARACTERS = 600
_ROWS_LOOKED_AT = 50


class MemorySizeError(CourseError):
    """A window or a budget that cannot be."""


@dataclass(frozen=True)
class Turn:
    """One turn of the conversation, cut to what is kept of it."""

    number: int
    """From 1, over the whole conversation."""
    question: str
    cypher: str
    result: str
    mentions: tuple[Mention, ...]
    """What was spoken of in the question and then in the result: the later ones count."""


@dataclass(frozen=True)
class Remembered:
    """The newest thing of a label."""

    label: str
    name: str
    turn: int
    """In which turn it was spoken of last."""
    stale: bool
    """That turn has left the window: the prompt no longer holds it."""


class Memory:
    """A conversation's memory. Safe under threads, though a conversation has one speaker at a time.

    Args:
        graph: where names are taken from; a change of the graph is noticed.
        window: how many turns are kept, at least 1.
        budget: tokens that `to_prompt` takes at most; the oldest turns are left out first.

    Raises:
        MemorySizeError: the window or the budget is not positive.
    """

    def __init__(self, graph: Graph, window: int = WINDOW, budget: int = BUDGET) -> None:
        if window < 1 or budget < 1:
            raise MemorySizeError(
                f"A memory of {window} turns and {budget} tokens holds nothing.",
                "Give both a size of at least 1.",
            )
        from course_lib.college.schema_watch import SchemaWatch

        self._graph = graph
        self._schema = SchemaWatch(graph)
        self._turns: deque[Turn] = deque(maxlen=window)
        self._newest: dict[str, tuple[str, int]] = {}
        self._count = 0
        self.budget = budget
        self._lock = threading.Lock()

    @classmethod
    def of(cls, graph: Graph, window: int = WINDOW, budget: int = BUDGET) -> Memory:
        """A memory with the names of a graph."""
        return cls(graph, window, budget)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that are kept, oldest first."""
        with self._lock:
            return tuple(self._turns)

    @property
    def entities(self) -> tuple[Remembered, ...]:
        """The newest thing of each label, newest first, stale ones included."""
        with self._lock:
            first = self._turns[0].number if self._turns else self._count + 1
            found = [
                Remembered(label, name, turn, turn < first) for label, (name, turn) in self._newest.items()
            ]
        return tuple(sorted(found, key=lambda one: -one.turn))

    def remember(
        self, question: str, cypher: str = "", rows: Iterable[Sequence[Any]] = (), answer: str = ""
    ) -> Turn:
        """Takes in one more turn; the oldest one leaves when the window is full.

        Args:
            question: what was asked.
            cypher: the query that was run.
            rows: its result.
            answer: what was answered. It is not kept: it may hold what a model made up, the rows do not.

        Returns:
            The turn as it is kept.
        """
        del answer
        listed = [tuple(row) for row in rows]
        schema, _ = self._schema.current()
        asked = in_question(question, self._names(schema, question))
        cells = " ".join(str(cell) for row in listed[:_ROWS_LOOKED_AT] for cell in row)
        told = in_rows(listed[:_ROWS_LOOKED_AT], self._names(schema, cells[:2_000]))
        with self._lock:
            self._count += 1
            turn = Turn(
                self._count,
                _cut(one_line(question), _QUESTION_CHARACTERS),
                _cut(one_line(cypher), _CYPHER_CHARACTERS),
                _cut(_shown(listed), RESULT_CHARACTERS),
                (*asked, *told),
            )
            self._turns.append(turn)
            for mention in turn.mentions:
                self._newest.pop(mention.label, None)
                self._newest[mention.label] = (mention.name, turn.number)
        return turn

    def to_prompt(self, question: str = "") -> str:
        """What the next prompt holds under `# Memory`; empty at the start of a conversation.

        Args:
            question: the question that comes next. A thing of the same label that it names itself is left out
            of what was spoken of last, so that nobody is taken for somebody else.
        """
        turns = self.turns
        if not turns:
            return ""
        named: set[str] = set()
        if question:
            schema, _ = self._schema.current()
            named = {one.label for one in in_question(question, self._names(schema, question))}
        fresh = [one for one in self.entities if not one.stale and one.label not in named]
        last = "; ".join(f"{one.label} = {one_line(one.name)}" for one in fresh)
        ending = f"Last mentioned: {last}" if last else ""
        kept: list[str] = []
        left = self.budget - count_tokens(ending)
        for place, turn in enumerate(reversed(turns)):
            text = _told(turn, len(turns) - place)
            left -= count_tokens(text) + 1
            if left < 0 and kept:
                break
            kept.insert(0, text if left >= 0 else _told(turn, len(turns) - place, brief=True))
        return "\n".join(filter(None, (*kept, ending)))

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._turns.clear()
            self._newest.clear()
            self._count = 0

    def _names(self, schema: Schema, text: str) -> list[Name]:
        """The names that things are called by; of those too many to list, the ones near the text."""
        called = {node.label: node.name for node in schema.labels if node.name}
        names = [
            Name(one.owner, one.property, value)
            for one in schema.values
            if called.get(one.owner) == one.property
            for value in one.listed
        ]
        if any(one.searched and called.get(one.owner) == one.property for one in schema.values):
            names += [
                Name(found.owner, found.property, found.value)
                for found in find_values(self._graph, schema, text, limit=30)
                if called.get(found.owner) == found.property
            ]
        return names


def _told(turn: Turn, number: int, brief: bool = False) -> str:
    lines = [f"Turn {number}", f"Question: {turn.question}"]
    if not brief:
        lines += [f"Cypher: {turn.cypher}"] if turn.cypher else []
        lines.append(f"Result: {turn.result}")
    return "\n".join(lines)


def _shown(rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return "nothing"
    return "; ".join(one_line(", ".join(str(cell) for cell in row)) for row in rows)


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1].rstrip() + "…"
