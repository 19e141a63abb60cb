"""A look into a conversation's memory: the turns that it holds, and who and what was spoken of last."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course_lib.college.memory import Memory


@dataclass(frozen=True)
class MemoryWindow:
    """What a memory held at the moment of looking."""

    turns: tuple[tuple[int, str, str], ...]
    """Number, question, result."""
    things: tuple[tuple[str, str, int, bool], ...]
    """Label, name, turn, and whether that turn has left the window."""

    def __repr__(self) -> str:
        lines = [f"turn {number}: {question} -> {result}" for number, question, result in self.turns]
        lines += [
            f"{'left the window' if stale else 'remembered'}: {label} = {name} (turn {turn})"
            for label, name, turn, stale in self.things
        ]
        return "\n".join(lines) or "nothing yet"

    def _repr_html_(self) -> str:
        def row(cells: tuple[object, ...]) -> str:
            return "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>"

        turns = "".join(row(turn) for turn in self.turns)
        things = "".join(
            row((label, name, turn, "✗ left the window" if stale else "✓ in the prompt"))
            for label, name, turn, stale in self.things
        )
        return (
            "<table><thead><tr><th>turn</th><th>question</th><th>result</th></tr></thead>"
            f"<tbody>{turns}</tbody></table>"
            "<table><thead><tr><th>kind</th><th>last mentioned</th><th>in turn</th><th></th></tr></thead>"
            f"<tbody>{things}</tbody></table>"
        )


def look_into(memory: Memory) -> MemoryWindow:
    """What a memory holds now, as two tables (as text where there is no HTML)."""
    return MemoryWindow(
        tuple((turn.number, turn.question, turn.result) for turn in memory.turns),
        tuple((one.label, one.name, one.turn, one.stale) for one in memory.entities),
    )
