"""Checks of lesson 05: the patterns of a graph, what flips without values, a rule of one's own, what to keep."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from course_lib.classroom.decisions import DecideCheck, judge_decision
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction
from course_lib.classroom.queries import NearMiss, QueryCheck, judge_query, same_rows_as
from course_lib.classroom.registry import judges

if TYPE_CHECKING:
    from course_lib.classroom.room import Room
    from course_lib.college.graph import Graph

QUESTIONS = {
    "a": "How many credits does DBMS have?",
    "b": "Which clubs is Payal in?",
    "c": "Who should I learn ML from?",
    "d": "Who is the best person to teach me DBMS?",
    "e": "What is common in all the clubs?",
    "f": "Aarav ke next topics kya hain?",
    "g": "Should I do a Masters in CSE or Electronics?",
    "h": "1NF se BCNF tak ka learning path batao",
    "i": "os kaun padhta hai?",
    "j": "who knows python",
}
"""The lesson's ten questions."""


def _query(question: str, system: str) -> str:
    """What the practice model writes. A check never asks a real model."""
    from course_lib.models.practice.behaviour import respond
    from course_lib.models.practice.conversation import Request, Turn

    return respond(Request((Turn("user", f"# Question\n{question}"),), system)).text


def _rows(graph: Graph, question: str, system: str) -> str:
    from course_lib.college.errors import QueryError

    try:
        return str([tuple(row) for row in graph.read(_query(question, system))])
    except QueryError:
        return "refused"


@cache
def _flips(**parts: Any) -> tuple[str, ...]:
    """The letters that flip on the course's own college without a part; the same on every machine."""
    from course_lib.classroom.room import Room
    from course_lib.college.schema import read_schema
    from course_lib.settings import load_settings

    with Room(load_settings(), "college") as room:
        graph = room.college_to_read()
        schema = read_schema(graph)
        full, less = schema.to_prompt(), schema.to_prompt(**parts)
        return tuple(
            letter
            for letter, question in QUESTIONS.items()
            if _rows(graph, question, full) != _rows(graph, question, less)
        )


# -------------------------------------------------------------------------------- 05.1 the patterns of a graph

PATTERNS = QueryCheck(
    reference="MATCH (a)-[r]->(b) RETURN DISTINCT labels(a)[0], type(r), labels(b)[0]",
    learnt="Eleven lines say how 132 relationships run: what a model needs is the kinds, not the facts.",
    near_misses=(
        NearMiss(
            same_rows_as("MATCH (a)-[r]->(b) RETURN labels(a)[0], type(r), labels(b)[0]"),
            "A row for every single relationship. Each kind is wanted once.",
        ),
        NearMiss(
            same_rows_as("MATCH (a)-[r]-(b) RETURN DISTINCT labels(a)[0], type(r), labels(b)[0]"),
            "Each kind is there in both directions. Which way does the arrow point?",
        ),
        NearMiss(
            same_rows_as("MATCH (a)-[r]->(b) RETURN DISTINCT labels(b)[0], type(r), labels(a)[0]"),
            "Start and end have changed places.",
        ),
        NearMiss(
            same_rows_as("MATCH ()-[r]->() RETURN DISTINCT type(r)"),
            "The types are right. From which label to which does each go?",
        ),
        NearMiss(
            same_rows_as("MATCH (a)-[r]->(b) RETURN DISTINCT labels(a), type(r), labels(b)"),
            "Right kinds, but each label comes in a list. `labels(a)[0]` is its first item.",
        ),
    ),
)


@judges("05.1")
def patterns(answer: Any, room: Room) -> Outcome:
    """A query for the kinds of relationships."""
    return judge_query(answer, room, PATTERNS)


# --------------------------------------------------------------------------------- 05.2 what flips without values


def _is(*letters: str) -> Any:
    def recognise(answer: Any) -> bool:
        if isinstance(answer, str):
            answer = list(answer.replace(",", " ").replace(" ", ""))
        return isinstance(answer, list) and {str(one).strip().lower() for one in answer} == set(letters)

    return recognise


NO_VALUES = PredictCheck(
    actual=lambda _room: list(_flips(values=False)),
    learnt="Only what cannot be found by matching loosely: an abbreviation has to be known. 'python' needs no list.",
    misconceptions=(
        Misconception(
            [], "Some do. Which words of the questions stand in no name, not even as a part of one?"
        ),
        Misconception(_is("c"), "That one, and another. Who else uses a short form?", near=True),
        Misconception(_is("i"), "That one, and another. Who else uses a short form?", near=True),
        Misconception(
            _is("c", "i", "j"),
            "Two of these. The rule `loose` is still in the prompt: what does `toLower … CONTAINS` make of 'python'?",
            near=True,
        ),
        Misconception(
            _is("j"), "The rule `loose` is still in the prompt: it finds 'python' in Python without any list."
        ),
        Misconception(
            lambda answer: isinstance(answer, list) and len(answer) > 5,
            "So many? The rules are all still there. Only what has to be *known* gets lost.",
        ),
    ),
    otherwise="Look for the words that are in no name of the graph, not even as a part of one.",
)


@judges("05.2")
def without_values(answer: Any, room: Room) -> Outcome:
    """A prediction: the questions that come out differently without the values."""
    if isinstance(answer, str):
        answer = list(answer.replace(",", " ").replace(" ", ""))
    return judge_prediction(answer, room, NO_VALUES)


# ------------------------------------------------------------------------------------- 05.3 a rule of one's own

_SEED = 505


@judges("05.3")
def own_rule(answer: Any, room: Room) -> Outcome:
    """A rule about ranks, in the learner's own words, tried on a college that they have not seen."""
    from course_lib.college.prompt_rules import ALL, RULES
    from course_lib.college.schema import read_schema

    if not isinstance(answer, str):
        return wrong("Hand in the rule as a text: one or two sentences in quotation marks.", answer)
    text = " ".join(answer.split())
    own = next(rule for rule in RULES if rule.name == "ranks")
    if own.text in text or own.line() in text:
        return wrong("These are the course's own words. Say it in yours.", answer)
    if len(text) > 600:
        return wrong("One or two sentences will do: every word of it is paid for at every question.", answer)
    others = [name for name in ALL if name != "ranks"]
    fine: list[str] = []
    for graph in (room.college_to_read(), room.other_college_to_read(_SEED)):
        base = read_schema(graph).to_prompt(rules=others)
        for kind, question, best in _tests_of(graph):
            rows = _read(graph, question, f"{base}\n13. {text}")
            if not rows or rows[0][0] != best:
                if fine and fine[-1] != kind:
                    return nearly(
                        f"With your rule the model orders {fine[-1]} as people mean them, but not {kind}.",
                        answer,
                    )
                return wrong(f"With your rule in the prompt the model still sorts {kind} as text.", answer)
            fine.append(kind)
    return right("A rule is a sentence that changes queries. You can test it like code: ask, run, compare.")


def _tests_of(graph: Graph) -> list[tuple[str, str, str]]:
    """Questions on which sorting as text gives another first row than sorting by rank, and who is best."""
    tests = []
    grade = "CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END"
    level = (
        "CASE r.level WHEN 'Advanced' THEN 1 WHEN 'Intermediate' THEN 2 WHEN 'Beginner' THEN 3 ELSE 99 END"
    )
    for kind, label, edge, prop, rank, ask in (
        ("grades", "Subject", "STUDIES", "grade", grade, "Who is the best person to teach me {}?"),
        ("levels", "Skill", "HAS_SKILL", "level", level, "Who is best at {}?"),
    ):
        for (name,) in graph.read(f"MATCH (x:{label}) RETURN x.name ORDER BY x.name"):
            match = f"MATCH (s:Student)-[r:{edge}]->(:{label} {{name: $name}})"
            of = {"name": name}
            ranked = [
                tuple(row)
                for row in graph.read(f"{match} RETURN s.name, r.{prop}, {rank} AS place ORDER BY place", of)
            ]
            as_text = [row[0] for row in graph.read(f"{match} RETURN r.{prop} AS v ORDER BY v DESC", of)]
            if len(ranked) > 1 and ranked[0][2] != ranked[1][2] and as_text[0] != ranked[0][1]:
                tests.append((kind, ask.format(name), str(ranked[0][0])))
                break
    return tests


def _read(graph: Graph, question: str, system: str) -> Any:
    from course_lib.college.errors import QueryError

    try:
        return graph.read(_query(question, system))
    except QueryError:
        return None


# ---------------------------------------------------------------------------------------------- 05.4 what to keep

KEEP = DecideCheck(
    choices={"values": "the values of names", "rules": "the rules"},
    best="rules",
    measure=lambda _room: float(len(_flips(rules=()))),
    learnt="A number decides, for this model and this graph. With another model, count again.",
    against={"values": "Count both: how many flip without the values, and how many without the rules?"},
    number="how many of the ten questions flip without the part that you keep",
    tolerance=0.0,
)


@judges("05.4")
def what_to_keep(answer: Any, room: Room) -> Outcome:
    """A decision between two parts of the prompt, with the number that speaks for it."""
    return judge_decision(answer, room, KEEP)
