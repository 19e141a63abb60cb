"""What each part of the prompt, and each part of the loop, is worth: taken away one by one, and measured.

    from course_lib.evaluation.ablation import STEPS, ablate, stumbling

    with stumbling():
        lines = ablate(graph, connect(), read_questions())
    as_table(lines)

A real model errs now and then under the best of prompts. The practice model does so only when it is told to,
so the measuring goes on under a mix of faults (`stumbling`), chosen so that one attempt with the whole prompt
answers about 60 of 100 questions, which is what people report of real models. That figure is set. What the
second attempt adds is not: on all 118 questions, with the draws of the seeds 0 to 10, one attempt answered 52
to 67 of 100, two with vague hints 52 to 69, two with real hints 94 to 99 (97 on average).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from course_lib.college.agent import StudyAgent
from course_lib.college.asking import ConversationMemory, Model
from course_lib.college.graph import Graph
from course_lib.college.rows import Rows
from course_lib.evaluation.questions import Question
from course_lib.evaluation.scoring import is_right, reference_rows

SEED = 7
"""Where the draws of the stumbling mix start, unless told otherwise."""


@dataclass(frozen=True)
class Step:
    """One way of asking: its name, and how the agent is set up for it."""

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)


def _step(name: str, **settings: Any) -> Step:
    return Step(name, MappingProxyType(settings))


STEPS: tuple[Step, ...] = (
    _step("no schema", schema=False, values=False, rules=(), attempts=1),
    _step("schema", values=False, rules=(), attempts=1),
    _step("+ values", rules=(), attempts=1),
    _step("+ rules", attempts=1),
    _step("+ second attempt, vague hints", hints="vague"),
    _step("+ second attempt, real hints"),
)
"""From nothing to everything, a part at a time."""

ATTEMPTS: tuple[Step, ...] = (
    _step("1 attempt", attempts=1),
    _step("2 attempts, nothing said", hints="none"),
    _step("2 attempts, vague hints", hints="vague"),
    _step("2 attempts, real hints"),
    _step("3 attempts, vague hints", attempts=3, hints="vague"),
    _step("3 attempts, real hints", attempts=3),
)
"""The whole prompt, and more and more attempts."""


@dataclass(frozen=True)
class Line:
    """What one step came to."""

    step: Step
    asked: int
    right: int
    right_hinglish: int
    asked_hinglish: int
    attempts: int
    """All attempts together."""
    tokens: int
    """All tokens together, in and out."""
    missed: tuple[str, ...]
    """The ids of the questions that were not right."""

    @property
    def share(self) -> float:
        """The share of right answers, 0 to 1."""
        return self.right / self.asked if self.asked else 0.0


def ablate(
    graph: Graph,
    model: Model,
    questions: Sequence[Question],
    steps: Sequence[Step] = STEPS,
    *,
    memory: Callable[[Graph], ConversationMemory] | None = None,
) -> tuple[Line, ...]:
    """Puts every question to the agent, once for each step.

    Args:
        graph: the college.
        model: who is asked.
        questions: the questions.
        steps: how the agent is set up.
        memory: makes a memory for a question that follows on others; the course's own when None.
    """
    references = {question.id: reference_rows(question, graph) for question in questions}
    return tuple(_line(step, graph, model, questions, references, memory or _memory) for step in steps)


def as_table(lines: Sequence[Line]) -> Rows:
    """The lines as a table."""
    return Rows(
        ("step", "right", "of", "percent", "Hinglish", "attempts a question", "tokens a question"),
        [
            (
                line.step.name,
                line.right,
                line.asked,
                round(100 * line.share),
                f"{line.right_hinglish} of {line.asked_hinglish}",
                round(line.attempts / max(line.asked, 1), 2),
                round(line.tokens / max(line.asked, 1)),
            )
            for line in lines
        ],
    )


@contextmanager
def stumbling(seed: int = SEED) -> Iterator[None]:
    """While it lasts, this process's practice model stumbles as `models.practice.mix` says."""
    from course_lib.models.practice.mix import STUMBLING, STUMBLING_HABITS
    from course_lib.models.practice.server import practice_server

    practice_server().mix(STUMBLING, seed, habits=STUMBLING_HABITS)
    try:
        yield
    finally:
        practice_server().mix({})


def practice_model() -> Model:
    """The practice model, whatever model the settings name: a fault on cue is put on its replies alone."""
    from course_lib.models.connect import practice_provider
    from course_lib.models.router import ModelRouter

    return ModelRouter([practice_provider()])


def _line(
    step: Step,
    graph: Graph,
    model: Model,
    questions: Sequence[Question],
    references: Mapping[str, list[tuple[Any, ...]]],
    memory: Callable[[Graph], ConversationMemory],
) -> Line:
    alone = StudyAgent(graph, model, worded=False, **step.settings)
    right: list[Question] = []
    attempts = tokens = 0
    for question in questions:
        agent = alone
        if question.before:
            agent = StudyAgent(graph, model, memory(graph), worded=False, **step.settings)
            for earlier in question.before:
                agent.ask(earlier)
        answer = agent.ask(question.question)
        attempts += len(answer.attempts)
        tokens += answer.usage.total
        if is_right(question, answer, references[question.id]):
            right.append(question)
    return Line(
        step,
        len(questions),
        len(right),
        sum(question.lang == "hi" for question in right),
        sum(question.lang == "hi" for question in questions),
        attempts,
        tokens,
        tuple(question.id for question in questions if question not in right),
    )


def _memory(graph: Graph) -> ConversationMemory:
    from course_lib.college.memory import Memory

    return Memory.of(graph)
