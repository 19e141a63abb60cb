"""Checks of lesson 07: two filters to break, a result to mend, two layers to keep."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from course_lib.classroom.decisions import DecideCheck, judge_decision
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.queries import NearMiss, QueryCheck, judge_query, same_rows_as
from course_lib.classroom.registry import judges
from course_lib.errors import CourseError

if TYPE_CHECKING:
    from course_lib.classroom.room import Room

WORDS = ("CREATE", "DELETE", "SET ", "MERGE", "REMOVE", "DROP")
"""The lesson's first filter: texts that may stand nowhere in a query."""
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_WORD = re.compile(r"\b(CREATE|DELETE|SET|MERGE|REMOVE|DROP)\b", re.I)


def substring_filter(cypher: str) -> bool:
    """The lesson's first filter: whether a query is let through."""
    return not any(word in cypher.upper() for word in WORDS)


def regex_filter(cypher: str) -> bool:
    """The lesson's second filter: comments are taken off, then whole words are looked for."""
    return not _WORD.search(_COMMENT.sub(" ", cypher))


def _judge_pair(answer: Any, room: Room, lets_through: Callable[[str], bool], learnt: str) -> Outcome:
    """A write that the filter lets through, and a read that it refuses."""
    if (
        not isinstance(answer, tuple | list)
        or len(answer) != 2
        or not all(isinstance(q, str) for q in answer)
    ):
        return wrong("Hand in two queries: a write that passes, and a read that is refused.", answer)
    write, read = answer
    said = _passing_write(write, room, lets_through)
    if said is not None:
        return wrong(said, answer)
    said = _refused_read(read, room, lets_through)
    if said is not None:
        return nearly(said, answer)
    return right(learnt)


def _passing_write(write: str, room: Room, lets_through: Callable[[str], bool]) -> str | None:
    if not lets_through(write):
        return (
            "The filter stops your write. How else can it be written, so that the engine reads it the same?"
        )
    with room.college() as graph:
        before = graph.checksum()
        try:
            graph.write(write)
        except CourseError as error:
            return f"The filter lets your write through, but the engine refuses it: {error.what}"
        if graph.checksum() == before:
            return "The filter lets your write through, but afterwards the graph is as it was. Does it match anybody?"
    return None


def _refused_read(read: str, room: Room, lets_through: Callable[[str], bool]) -> str | None:
    if lets_through(read):
        return (
            "The write is through. But the filter lets your read pass; it should be refused without a reason."
        )
    try:
        room.college_to_read().read(read)
    except CourseError as error:
        return f"The write is through. But your read is not a harmless one, or not a query: {error.what}"
    return None


@judges("07.1")
def break_the_substring_filter(answer: Any, room: Room) -> Outcome:
    """Both ways past a filter that looks for texts."""
    return _judge_pair(
        answer,
        room,
        substring_filter,
        "Looking for letters sees neither where a word ends nor that it stands in a string.",
    )


@judges("07.2")
def break_the_regex_filter(answer: Any, room: Room) -> Outcome:
    """Both ways past a filter that looks for words outside of comments."""
    return _judge_pair(
        answer,
        room,
        regex_filter,
        "What is a comment and what is a string can only be told by reading from the start, token by token.",
    )


# ------------------------------------------------------------------------------------ 07.3 a result to mend

_REFERENCE = "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name, r.grade"
MEND = QueryCheck(
    reference=_REFERENCE,
    learnt="Name what you hand out. What is not named today stays in when somebody adds a property tomorrow.",
    near_misses=(
        NearMiss(
            same_rows_as("MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name"),
            "The right students. The grade was asked for as well.",
        ),
        NearMiss(
            same_rows_as("MATCH (s:Student)-[r:STUDIES]->(:Subject) RETURN s.name, r.grade"),
            "These are the grades in every subject. Only DBMS was asked for.",
        ),
        NearMiss(
            same_rows_as(
                "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name, r.semester"
            ),
            "The right students, with their semester. The grade was asked for.",
        ),
    ),
)


@judges("07.3")
def values_only(answer: Any, room: Room) -> Outcome:
    """The same information, as values."""
    from course_lib.college.guard import check

    if isinstance(answer, str) and answer.strip():
        verdict = check(answer)
        if verdict.code in ("whole_node", "write_clause", "several_statements", "plan"):
            return wrong(f"The guard still refuses it: {verdict.reason}", answer)
    return judge_query(answer, room, MEND)


# -------------------------------------------------------------------------------------- 07.4 two layers to keep

ATTACKS = (
    "MATCH (n) DETACH DELETE n",
    "MATCH (s:Student)\nSET\ns.grade = 'A+'",
    "MATCH (s:Student) WHERE 'http://x' <> '' SET s.year = 9",
    "FOREACH (i IN [1] | CREATE (:Junk))",
    "LOAD CSV FROM 'file:///marks.csv' AS line RETURN line",
    "MATCH (s:Student) RETURN s",
)
"""The lesson's six attacks."""


def _stopped_by_the_reader(room: Room) -> float:
    from course_lib.college.errors import ReadOnlyError

    stopped = 0
    for attack in ATTACKS:
        try:
            room.college_to_read().read(attack)
        except ReadOnlyError:
            stopped += 1
        except CourseError:
            continue  # a file that is not there: it was looked for, so nobody stopped that
    return float(stopped)


LAYERS = DecideCheck(
    choices={
        "substring": "the filter that looks for texts",
        "regex": "the filter that looks for words",
        "permissions": "the read-only user",
        "guard": "the token-aware guard",
    },
    best="permissions",
    measure=_stopped_by_the_reader,
    learnt="It stops the four that change data, and it cannot be talked round. The guard is for the other two.",
    against={
        "guard": "It stops all six today. But which layer still holds when somebody finds a hole in its code?",
        "substring": "Count what it stops, and what it stops wrongly.",
        "regex": "Count what it stops, and what it stops wrongly.",
    },
    number="how many of the six attacks this layer alone stops",
    tolerance=0.0,
)


@judges("07.4")
def one_layer_to_keep(answer: Any, room: Room) -> Outcome:
    """A decision: the layer that one would never do without, and what it stops alone."""
    return judge_decision(answer, room, LAYERS)
