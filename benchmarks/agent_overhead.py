"""What the agent itself costs a question: everything but the model.

    python benchmarks/agent_overhead.py

A stand-in for a model answers at once, so what is left is ours: looking whether the graph has changed, the
prompt, taking the query out of the reply, the guard, the pattern check, the engine, the grounding. Other work
on the machine lengthens it, by the clock and in processor time too, so the limit is for the quickest batch.
"""

from __future__ import annotations

import secrets
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from course_lib.college.agent import StudyAgent
from course_lib.college.dataset import load_college
from course_lib.college.graph import Graph, open_graph
from course_lib.college.memory import Memory

LIMIT_MS = 5.0
QUESTIONS = 600
BATCH = 10
"""Questions in a row: the quickest such batch is what it takes when nothing else gets in the way."""
FIRST = (
    "MATCH (s:Student)-[r:STUDIES]->(c:Subject)\nWHERE toLower(c.name) CONTAINS 'dbms'\n"
    "RETURN s.name AS student, r.grade AS grade"
)
NEARLY = FIRST.replace("'dbms'", "'dbms-ye'")
WORDS = "Payal, Aarav and Sneha study DBMS."


@dataclass(frozen=True)
class Usage:
    """Nothing is counted here."""

    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True)
class Reply:
    """A reply that was ready beforehand."""

    text: str
    provider: str = "stand-in"
    model: str = "stand-in"
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True)
class Stream:
    """A reply in one piece."""

    reply: Reply

    def __iter__(self) -> Iterator[str]:
        yield self.reply.text

    def close(self) -> None:
        """There is nothing to end."""


class StandIn:
    """Says what it was given, in turn, and takes no time over it."""

    def __init__(self, replies: Sequence[str]) -> None:
        self._replies = tuple(replies)
        self._next = 0

    def generate(self, prompt: str, system: str | None = None, **more: Any) -> Reply:
        """The next reply."""
        text = self._replies[self._next % len(self._replies)]
        self._next += 1
        return Reply(text)

    def stream(self, prompt: str, system: str | None = None, **more: Any) -> Stream:
        """The next reply, in one piece."""
        return Stream(self.generate(prompt, system))


def measured(graph: Graph, replies: Sequence[str], memory: Memory | None) -> tuple[list[float], list[float]]:
    """Milliseconds for each question: by the clock, and of this process's own work."""
    agent = StudyAgent(graph, StandIn(replies), memory)
    agent.ask("Who studies DBMS?")
    whole, ours = [], []
    for _ in range(QUESTIONS):
        began, worked = time.perf_counter(), time.process_time()
        for _event in agent.stream("Who studies DBMS?"):
            pass
        whole.append((time.perf_counter() - began) * 1000)
        ours.append((time.process_time() - worked) * 1000)
    return whole, ours


def main() -> int:
    """Prints the table; 1 when the limit is broken."""
    graph = open_graph(name=f"bench_{secrets.token_hex(4)}")
    try:
        load_college(graph)
        broken = False
        print(f"{QUESTIONS} questions each, in milliseconds, without the model; the limit is {LIMIT_MS}\n")
        print(f"{'':30}{'quietest ' + str(BATCH):>16}{'median':>10}{'95 %':>10}{'own work':>12}")
        for title, replies, memory in (
            ("one attempt", (FIRST, WORDS), None),
            ("one attempt, with a memory", (FIRST, WORDS), Memory.of(graph)),
            ("two attempts, and a hint", (NEARLY, FIRST, WORDS), None),
        ):
            whole, ours = measured(graph, replies, memory)
            quiet = min(statistics.mean(whole[at : at + BATCH]) for at in range(0, QUESTIONS, BATCH))
            broken |= quiet >= LIMIT_MS
            figures = (quiet, statistics.median(whole), _high(whole), statistics.median(ours))
            print(f"{title:30}{figures[0]:16.2f}{figures[1]:10.2f}{figures[2]:10.2f}{figures[3]:12.2f}")
        return 1 if broken else 0
    finally:
        graph.delete()
        graph.close()


def _high(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


if __name__ == "__main__":
    sys.exit(main())
