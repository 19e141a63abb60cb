"""The questions of the college, in the form that `course eval --set college` runs: asked through the
agent."""

from __future__ import annotations

import atexit
import secrets
from contextlib import suppress
from functools import cache

from course_lib.college.agent import StudyAgent
from course_lib.college.dataset import load_college
from course_lib.college.errors import EngineError
from course_lib.college.graph import Graph, open_graph
from course_lib.college.memory import Memory
from course_lib.evaluation.questions import Question, read_questions
from course_lib.evaluation.scoring import is_right, reference_rows
from course_lib.models.errors import AllProvidersFailedError
from course_lib.models.evaluation.cases import Case, Model, QuestionSet, Verdict


def question_set() -> QuestionSet:
    """The set. Its college is a scratch graph, made with the first question and deleted at the program's
    end."""
    questions = {question.id: question for question in read_questions()}

    def answer(case: Case, model: Model) -> Verdict:
        return _asked(questions[case.id], model, _college())

    cases = tuple(Case(one.id, one.category, one.question) for one in questions.values())
    return QuestionSet("college", "The college, through the agent", cases, answer)


@cache
def _college() -> Graph:
    graph = open_graph(name=f"evaluation_{secrets.token_hex(4)}")
    load_college(graph)
    atexit.register(_forget, graph)
    return graph


def _forget(graph: Graph) -> None:
    # At the end of a program the server may be gone already, and with it the graph.
    with suppress(EngineError):
        graph.delete()


def _asked(question: Question, model: Model, graph: Graph) -> Verdict:
    memory = Memory.of(graph) if question.before else None
    agent = StudyAgent(graph, model, memory, worded=False)
    for earlier in question.before:
        agent.ask(earlier)
    found = agent.ask(question.question)
    last = found.attempts[-1] if found.attempts else None
    if last is not None and last.outcome == "model_down":
        # Nobody was there to be judged: the frame counts that apart, and gives up when it goes on.
        raise AllProvidersFailedError(found.problem)
    note = found.status if last is None else f"{found.status} ({last.outcome})"
    return Verdict(is_right(question, found, reference_rows(question, graph)), note, len(found.attempts))
