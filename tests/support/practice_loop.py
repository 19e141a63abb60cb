"""The least of a loop around the practice model: ask, run, compare; a second attempt with a hint if
wanted.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_lib.college.errors import QueryError
from course_lib.college.graph import Graph
from course_lib.college.rows import NodeValue
from course_lib.errors import CourseError
from course_lib.models.practice.behaviour import respond
from course_lib.models.practice.conversation import Request, Turn

LABELS = ("Student", "Subject", "Club", "Skill", "Project", "Concept")
Hinter = Callable[["Attempt"], str]


@dataclass(frozen=True)
class Asked:
    """A question of a set, with its reference."""

    id: str
    lang: str
    category: str
    hops: int
    question: str
    reference: str
    compare: str = "rows"
    before: tuple[str, ...] = ()
    attempts: int = 1


@dataclass(frozen=True)
class Attempt:
    """What one attempt came to."""

    query: str
    rows: list[tuple[Any, ...]] | None
    error: str = ""
    refused: bool = False


@dataclass
class Score:
    """How a set of questions went."""

    right: int = 0
    total: int = 0
    failed: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of right answers, 0 to 1."""
        return self.right / self.total if self.total else 0.0


def read_questions(path: Path) -> list[Asked]:
    """A question set from a TOML file."""
    with path.open("rb") as file:
        listed = tomllib.load(file)["question"]
    return [Asked(**{**item, "before": tuple(item.get("before", ()))}) for item in listed]


def query_in(text: str) -> str:
    """The query in a reply: what stands in a fence, else all of it."""
    if "```" in text:
        inner = text.split("```")[1]
        return inner.removeprefix("cypher").strip()
    return text.strip()


def ask(system: str, question: str, attempt: tuple[str, str] | None = None) -> str:
    """One call to the practice model."""
    body = f"# Question\n{question}"
    if attempt is not None:
        body = f"# Previous attempt\nQuery:\n{attempt[0]}\nWhat went wrong: {attempt[1]}\n\n{body}"
    return respond(Request((Turn("user", body),), system)).text


def run(graph: Graph, query: str) -> Attempt:
    """Runs a query as the reader, who can write nothing."""
    try:
        rows = graph.read(query)
    except QueryError as error:
        return Attempt(query, None, error=error.engine_message)
    except CourseError as error:
        return Attempt(query, None, error=str(error), refused=True)
    return Attempt(query, [tuple(row) for row in rows])


def is_right(asked: Asked, attempt: Attempt, reference: Sequence[tuple[Any, ...]]) -> bool:
    """Whether an attempt's rows are those of the reference, by the way of comparing that the question
    names.
    """
    if asked.compare == "sentinel":
        return attempt.rows == [("OUT_OF_SCOPE",)]
    if asked.compare == "refused":
        return attempt.rows is None or attempt.rows == [("OUT_OF_SCOPE",)]
    if attempt.rows is None:
        return False
    rows = [tuple(_plain(cell) for cell in row) for row in attempt.rows]
    wanted = [tuple(_plain(cell) for cell in row) for row in reference]
    if asked.compare == "first":
        return bool(rows) and any(_covers(rows[0], row) for row in wanted)
    if len(rows) != len(wanted):
        return False
    if not wanted:
        return True
    columns = _matching_columns(rows, wanted, asked.compare == "ordered")
    return columns is not None


def _plain(cell: Any) -> Any:
    if isinstance(cell, NodeValue):
        return ("a whole node", str(cell))  # equal to nothing that a reference returns
    if isinstance(cell, list):
        return tuple(_plain(item) for item in cell)
    return cell


def _covers(row: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return not Counter(wanted) - Counter(row)


def _matching_columns(
    rows: list[tuple[Any, ...]], wanted: list[tuple[Any, ...]], ordered: bool
) -> tuple[int, ...] | None:
    """Which columns of the rows hold the wanted ones, if any choice of columns does."""

    def fits(chosen: tuple[int, ...]) -> bool:
        mine = [tuple(row[i] for i in chosen) for row in rows]
        theirs = [row[: len(chosen)] for row in wanted]
        return mine == theirs if ordered else Counter(mine) == Counter(theirs)

    def search(chosen: tuple[int, ...]) -> tuple[int, ...] | None:
        if len(chosen) == len(wanted[0]):
            return chosen
        for i in range(len(rows[0])):
            if i not in chosen and fits((*chosen, i)):
                found = search((*chosen, i))
                if found is not None:
                    return found
        return None

    return search(())


def remembered(asked: Asked, system: str, graph: Graph, things: dict[str, tuple[str, str]]) -> str:
    """The memory after the earlier questions: whom they name, else whom the first row of their result names.

    Args:
        asked: the question whose earlier questions are played first.
        system: the prompt to play them under.
        graph: the graph to run them on.
        things: lower-case name of a thing -> its label and its name as spelled.
    """
    newest: dict[str, str] = {}
    lines: list[str] = []
    for earlier in asked.before:
        query = query_in(ask(system, earlier))
        attempt = run(graph, query)
        first = attempt.rows[0] if attempt.rows else ()
        lines += [f"Question: {earlier}", f"Cypher: {' '.join(query.split())}", f"Result: {first}"]
        for lower, (label, name) in things.items():
            if lower in earlier.lower() or any(lower == str(cell).lower() for cell in first):
                newest[label] = name
    stated = "; ".join(f"{label} = {name}" for label, name in newest.items())
    return "\n".join([*lines, f"Last mentioned: {stated}"])


def things_of(graph: Graph, labels: Sequence[str], name: str) -> dict[str, tuple[str, str]]:
    """Lower-case name of every thing of these labels -> its label and its name as spelled."""
    found = {}
    for label in labels:
        for (spelled,) in graph.read(f"MATCH (n:{label}) RETURN n.{name}"):
            found[str(spelled).lower()] = (label, str(spelled))
    return found


def score(
    graph: Graph,
    questions: Sequence[Asked],
    system: str,
    *,
    labels: Sequence[str] = LABELS,
    name: str = "name",
    hinter: Hinter | None = None,
) -> Score:
    """Asks every question once (twice where a hinter is given and the first attempt fails) and scores the
    rows.
    """
    result = Score()
    things = things_of(graph, labels, name) if any(q.before for q in questions) else {}
    for asked in questions:
        prompt = system
        if asked.before:
            memory = remembered(asked, system, graph, things)
            prompt = f"{system}\n\n# Memory\n{memory}"
        reference = [tuple(row) for row in graph.read(asked.reference)] if asked.reference else []
        text = ask(prompt, asked.question)
        attempt = run(graph, query_in(text))
        right = is_right(asked, attempt, reference)
        if not right and hinter is not None:
            text = ask(prompt, asked.question, (attempt.query, hinter(attempt)))
            attempt = run(graph, query_in(text))
            right = is_right(asked, attempt, reference)
        result.total += 1
        result.right += right
        if not right:
            result.failed.append(
                f"{asked.id}: {asked.question}\n{attempt.query}\n-> {attempt.rows} {attempt.error}"
            )
    return result
