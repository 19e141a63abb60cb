"""The bake-off: three ways to look up, one set of questions, one rule for what counts.

Each way hands over facts: a text search its first ten, a query those in its rows. A question counts as
answered when all the facts that prove the answer are among them, whoever brought them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course_lib.college.rows import Rows
from course_lib.college.search.facts import written_facts
from course_lib.college.search.meaning import index_meanings, search_meaning
from course_lib.college.search.questions import Question, read_questions
from course_lib.college.search.words import search_words

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

K = 10
"""Facts that a text search may hand over. No question of the bake-off needs more than ten."""
WAYS = ("words", "meaning", "graph")


@dataclass(frozen=True)
class Result:
    """What one way came to on one question."""

    question: Question
    way: str
    answered: bool
    handed: frozenset[str]
    """The ids of the facts that it handed over."""
    needed: frozenset[str]
    """The ids of those that prove the answer."""


def holds_proof(handed: Collection[str], needed: Collection[str]) -> bool:
    """Whether every fact that is needed is among those handed over."""
    return set(needed) <= set(handed)


def bake_off(graph: Graph, questions: Sequence[Question] | None = None, k: int = K) -> list[Result]:
    """Asks every question in three ways.

    The vectors are put into the same graph, as nodes of their own.

    Args:
        graph: the college, both layers.
        questions: those of the course when None.
        k: facts that a text search may hand over.

    Raises:
        NoVectorError: a text has no vector and the embedding model is not installed.
        QueryError: a hand-written query does not run.
    """
    questions = read_questions() if questions is None else questions
    facts = written_facts(graph)
    index = index_meanings(graph, facts)
    ways: Mapping[str, Callable[[Question], frozenset[str]]] = {
        "words": lambda question: frozenset(f.id for f in search_words(facts, question.text, k)),
        "meaning": lambda question: frozenset(f.id for f in search_meaning(index, question.text, k)),
        "graph": lambda question: question.shown_by(graph),
    }
    results = []
    for question in questions:
        needed = question.proof(graph)
        for way in WAYS:
            handed = ways[way](question)
            results.append(Result(question, way, holds_proof(handed, needed), handed, needed))
    return results


def by_hops(results: Sequence[Result]) -> Rows:
    """How many questions each way answered, for each number of hops, and in all."""
    hops = sorted({result.question.hops for result in results})
    rows = [_line(str(number), [r for r in results if r.question.hops == number]) for number in hops]
    return Rows(("hops", "questions", *WAYS), [*rows, _line("all", results)])


def _line(name: str, results: Sequence[Result]) -> tuple[str | int, ...]:
    answered = [sum(r.answered for r in results if r.way == way) for way in WAYS]
    return (name, len({r.question.id for r in results}), *answered)
