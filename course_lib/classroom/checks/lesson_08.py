"""Checks of lesson 08: what the engine refuses, a hint that mends, how many attempts, a slip past the loop, near names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from course_lib.classroom.compare import plain
from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction
from course_lib.classroom.registry import judges

if TYPE_CHECKING:
    from course_lib.classroom.room import Room
    from course_lib.college.graph import Graph
    from course_lib.evaluation.ablation import Line

# ------------------------------------------------------------------------------ 08.1 what the engine refuses

_QUERIES: Mapping[str, str] = {
    "a": "MATCH (s)-[:STUDIES]->(x) RETURN s.name",
    "b": "MATCH (s:Student) WHERE s.name =~ 'P.*' RETURN s.name",
    "c": "MATCH (s:Student) WHERE (s)-[:MEMBER_OF]->(:Club) RETURN s.name",
    "d": "MATCH (s:Student) WHERE EXISTS { (s)-[:MEMBER_OF]->(:Club) } RETURN s.name",
    "e": "MATCH (s:Person) RETURN s.name",
    "f": "MATCH (s:Student) RETURN s.shoe_size",
}


def _refused(room: Room) -> list[str]:
    from course_lib.college.errors import QueryError

    college = room.college_to_read()
    refused = []
    for letter, query in _QUERIES.items():
        try:
            college.read(query)
        except QueryError:
            refused.append(letter)
    return refused


def _holds(letter: str, *, also: str = "") -> Any:
    def recognise(answer: Any) -> bool:
        given = {str(item).strip().lower() for item in answer} if isinstance(answer, list | str) else set()
        return letter in given and (not also or also in given)

    return recognise


REFUSED = PredictCheck(
    actual=_refused,
    learnt="It refuses what it cannot read. What it can read it runs, also when the graph has nothing of the kind.",
    misconceptions=(
        Misconception([], "It does refuse some. Which of these are habits from Neo4j?"),
        Misconception(
            _holds("a"), "Without labels it has to look at every node. Slow, perhaps, but is that a refusal?"
        ),
        Misconception(
            _holds("e"), "Nobody has the label Person. You have met that in lesson 01: what came of it there?"
        ),
        Misconception(_holds("f"), "Nobody has a shoe size here. Does the engine mind, or does it say null?"),
        Misconception(
            _holds("c"),
            "A pattern in WHERE is allowed here. It is the way to write what one of the others tries to say.",
            near=True,
        ),
        Misconception(["b"], "One of them, yes. Another one wraps a pattern into something.", near=True),
        Misconception(["d"], "One of them, yes. Another one uses a sign.", near=True),
    ),
    otherwise="For each: can the engine not read it, or can it read it and find nothing?",
)


@judges("08.1")
def what_the_engine_refuses(answer: Any, room: Room) -> Outcome:
    """A prediction: the queries that the engine refuses."""
    if isinstance(answer, str):
        answer = [letter for letter in answer.lower() if letter.isalpha()]
    elif isinstance(answer, tuple | set | frozenset | list):
        answer = sorted(str(item).strip().lower() for item in answer)
    return judge_prediction(answer, room, REFUSED)


# ------------------------------------------------------------------------------------- 08.2 a hint that mends


@dataclass(frozen=True)
class _Failure:
    """A question, what is wrong with the first query, and what is said when the hint does not mend it."""

    question: str
    fault: str
    variant: str | None
    says: str
    near: bool = False


_FAILURES: tuple[_Failure, ...] = (
    _Failure(
        "Which clubs is {someone} in?",
        "neo4j_syntax",
        "regex_match",
        "The engine had refused the query, and the model wrote the same again. `message` holds what the engine said: "
        "does your hint pass it on?",
    ),
    _Failure(
        "dbms and {club}-ye dono ke students kaun hain?",
        "",
        None,
        "0 rows, since one name was glued to '-ye', and the model wrote the same again. Does your hint speak of the "
        "spelling, or of the names that there are?",
    ),
    _Failure(
        "Which clubs is {someone} in?",
        "neo4j_syntax",
        "where_in_node",
        "One refusal of the engine is mended, another is not. Does your hint pass on whatever the message says?",
        near=True,
    ),
    _Failure(
        "Which clubs is {someone} in?",
        "literal_names",
        None,
        "0 rows, since a name stood there in small letters and was compared letter by letter. Your hint should say "
        "something about the spelling, or about matching loosely.",
        near=True,
    ),
    _Failure(
        "Which clubs is {someone} in?",
        "wrong_direction",
        None,
        "0 rows again, and this time every name was right: the arrow pointed the wrong way. A hint may name more "
        "than one thing to look at.",
        near=True,
    ),
)


@judges("08.2")
def a_hint_that_mends(answer: Any, room: Room) -> Outcome:
    """A hint for five failures; the practice model mends what the hint names, and its rows are compared."""
    cases = tuple(
        _case(failure, graph)
        for graph in (room.college_to_read(), room.other_college_to_read(3))
        for failure in _FAILURES
    )
    check = FunctionCheck(
        cases=cases,
        learnt="Loud failures bring their hint along. For quiet ones you name what to look at: the spelling, the arrow.",
        finished=("course_lib.college.hints:empty", "course_lib.college.hints:engine_error"),
    )
    return judge_function(answer, room, check)


def _case(failure: _Failure, graph: Graph) -> Case:
    from course_lib.college.agent import listed_names
    from course_lib.college.schema import read_schema

    schema = read_schema(graph)
    system = schema.to_prompt()
    question = failure.question.format(**_people(graph))
    first = _asked(failure, system, question)
    message, rows = _run(graph, first)
    wanted = _run(graph, _asked(_Failure(question, "", None, ""), system, _spelled(question)))[1]
    names = [name.value for name in listed_names(schema) if name.property == "name"]

    def judge(value: Any, _: tuple[Any, ...]) -> Outcome | str | None:
        if not isinstance(value, str):
            return wrong(
                "A hint is a text. Give it back with `return`.", value if value is not None else None
            )
        second = _asked(failure, system, question, first, value)
        mended = _run(graph, second)
        return None if wanted and mended == ("", wanted) else failure.says

    assert message or not rows
    return Case((first, message, names), judge=judge, near=failure.near)


def _spelled(question: str) -> str:
    """The question as somebody asks it who spells well: its rows are the wanted ones."""
    return question.replace("-ye", "")


@cache
def _people(graph: Graph) -> dict[str, str]:
    """Somebody who is in a club, and the first word of a club in which somebody studies DBMS."""
    someone = graph.read("MATCH (s:Student)-[:MEMBER_OF]->(:Club) RETURN s.name ORDER BY s.name").column(
        "s.name"
    )[0]
    clubs = graph.read(
        "MATCH (:Subject {name: 'DBMS'})<-[:STUDIES]-(:Student)-[:MEMBER_OF]->(c:Club) RETURN DISTINCT c.name AS name "
        "ORDER BY name DESC"
    ).column("name")
    return {"someone": someone, "club": clubs[0].split()[0].lower()}


def _asked(failure: _Failure, system: str, question: str, cypher: str = "", hint: str = "") -> str:
    """The practice model's query, with the failure's habit on it unless the hint names it."""
    from course_lib.college.reply import extract_cypher
    from course_lib.models.practice.behaviour import respond
    from course_lib.models.practice.conversation import Request, Turn
    from course_lib.models.practice.staging import Order, Stage

    said = (
        f"# Previous attempt\nQuery:\n{cypher}\nWhat went wrong: {' '.join(hint.split())}\n\n"
        if cypher
        else ""
    )
    request = Request((Turn("user", f"{said}# Question\n{question}"),), system)
    stage = Stage()
    if failure.fault:
        stage.add(Order(failure.fault, variant=failure.variant, times=None, habit=True))
    reply = stage.put(
        respond(request), request, provider="practice", dialect="openai", headers={}, tokens=0
    ).reply
    query: str = extract_cypher(reply.text)
    return query


def _run(graph: Graph, cypher: str) -> tuple[str, list[Any]]:
    """The engine's message, or nothing; and the rows, in some order that does not matter."""
    from course_lib.college.errors import QueryError

    try:
        return "", sorted(str(tuple(row)) for row in graph.read(cypher))
    except QueryError as error:
        return error.engine_message, []


# ---------------------------------------------------------------------------------- 08.3 how many attempts

_ENOUGH = 0.9


_CHEAPEST = 3
"""The line that answers enough for the fewest tokens: two attempts with real hints. A test counts them all."""


@cache
def _line(place: int) -> Line:
    """A line of the lesson's table, measured again once a process, in a room of its own."""
    from course_lib.classroom.room import Room
    from course_lib.evaluation.ablation import ATTEMPTS, ablate, practice_model, stumbling
    from course_lib.evaluation.questions import read_questions, spread
    from course_lib.settings import load_settings

    with Room(load_settings(), "college") as room, stumbling():
        questions = spread(read_questions(), 42)
        return ablate(room.college(), practice_model(), questions, ATTEMPTS[place : place + 1])[0]


@judges("08.3")
def how_many_attempts(answer: Any, room: Room) -> Outcome:
    """The cheapest way that answers nine of ten, and what a right answer costs in tokens."""
    from course_lib.evaluation.ablation import ATTEMPTS

    form = 'Hand in two things, such as ("1 attempt", 800): the name of a line, and tokens for each right answer.'
    if not isinstance(answer, tuple | list) or len(answer) != 2 or not isinstance(answer[0], str):
        return wrong(form, answer)
    name, number = answer
    places = {step.name.lower(): place for place, step in enumerate(ATTEMPTS)}
    place = places.get(name.strip().lower())
    if place is None:
        return wrong(f"There is no line '{name}'. The names are those in the first column.", answer)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return wrong(form, answer)
    chosen = _line(place)
    if chosen.share < _ENOUGH:
        return wrong(
            f"'{chosen.step.name}' answers {chosen.right} of {chosen.asked}. Nine of ten was asked.", answer
        )
    if _line(_CHEAPEST).tokens < chosen.tokens:
        return wrong(
            f"'{chosen.step.name}' answers enough, but another line that does spends fewer tokens in all.",
            answer,
        )
    cost = chosen.tokens / chosen.right
    if abs(number - cost) > 0.05 * cost:
        return nearly(
            "A good choice. But the number is not what a right answer costs when it is counted again: all tokens of "
            "that line, divided by the answers that were right.",
            answer,
        )
    return right(
        "A better hint is cheaper than another attempt: it raises what is right, and hardly what is spent."
    )


# --------------------------------------------------------------------------------- 08.4 past every check

_RIGHT = "MATCH (c:Concept)-[:PREREQUISITE_FOR]->(:Concept {name: 'BCNF'}) RETURN c.name"


@judges("08.4")
def past_every_check(answer: Any, room: Room) -> Outcome:
    """A query that runs, gives rows, fits the schema, and is wrong."""
    from course_lib.college.errors import EngineError
    from course_lib.college.guard import check
    from course_lib.college.pattern_check import misfits
    from course_lib.college.schema import read_schema

    if not isinstance(answer, str):
        return wrong("Hand in the query as a text.", answer)
    verdict = check(answer)
    if not verdict.ok:
        return wrong(f"The guard stops it: {verdict.reason} So the model would be told.")
    college = room.college_to_read()
    found = misfits(answer, read_schema(college))
    if found:
        return wrong(f"It is noticed before it runs: {found[0].reason}")
    try:
        rows = college.read(answer)
    except EngineError as error:
        return wrong(f"The engine stops it, and so the model would be told: {error.what}")
    if not rows:
        return wrong("It gives 0 rows, and that is noticed: a hint would come.", rows)
    if "MATCH" not in answer.upper():
        return nearly(
            "It gets past, true. But it does not look at the graph. Write one that a model could.", rows
        )
    wanted = {str(plain(row[0])) for row in college.read(_RIGHT)}
    if any({str(plain(row[place])) for row in rows} == wanted for place in range(len(rows.columns))):
        return nearly("It gets past, and it is right. Now one that isn't.", rows)
    return right(
        "No error, rows, names that exist: nothing to notice. Only a known answer can tell, and so tests must."
    )


# ------------------------------------------------------------------------------------------ 08.5 near names

_CLUBS = ("Coding Club", "Robotics Club", "Debate Society")
_OTHERS = ("Chess Circle", "Drama Society", "Music Club", "1NF", "BCNF")


def _gives(*wanted: str) -> Any:
    def judge(value: Any, args: tuple[Any, ...]) -> str | None:
        typed = args[0]
        if value is None:
            return f"For '{typed}' nothing came back. Give back a list, an empty one when nothing is near."
        if isinstance(value, str) or not isinstance(value, list | tuple | set | frozenset):
            return f"For '{typed}' give back a list of names."
        if set(map(str, value)) == set(wanted):
            return None
        if not wanted:
            return (
                f"'{typed}' is near none of these names, and you offer one. A wrong offer is worse than none."
            )
        if not value:
            return f"'{typed}' is near one of these names, and you found none."
        return f"For '{typed}' you offer something else than what is near."

    return judge


NEAR = FunctionCheck(
    cases=(
        Case(("debate-ye", _CLUBS), judge=_gives("Debate Society")),
        Case(("robo", _CLUBS), judge=_gives("Robotics Club")),
        Case(("Vikram", _CLUBS), judge=_gives()),
        Case(("coding-wale", _CLUBS), judge=_gives("Coding Club")),
        Case(("DRAMA-ka", _OTHERS), judge=_gives("Drama Society"), near=True),
        Case(("bcnf-tak", _OTHERS), judge=_gives("BCNF"), near=True),
        Case(("chess", _OTHERS), judge=_gives("Chess Circle"), near=True),
        Case(("hai", _OTHERS), judge=_gives(), near=True),
        Case(("society", (*_CLUBS, *_OTHERS)), judge=_gives("Debate Society", "Drama Society"), near=True),
    ),
    learnt="What people leave out or glue on stands at the end. The library also knows initials and misspellings.",
    finished=("course_lib.college.near_names:near_names",),
)


@judges("08.5")
def near_one_of_them(answer: Any, room: Room) -> Outcome:
    """Names that were meant by a typed one with something glued on, or with letters missing at its end."""
    return judge_function(answer, room, NEAR)
