"""Checks of lesson 03: MERGE on keys, parameters, a label that is no label, batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.queries import ChangeCheck, Probe, engine_words, judge_change
from course_lib.classroom.recording import recording, still_in_the_query
from course_lib.classroom.registry import judges

if TYPE_CHECKING:
    from course_lib.classroom.deadline import Call
    from course_lib.classroom.room import Room

# ----------------------------------------------------------------------------- 03.1 one grade a subject

ONE_GRADE = ChangeCheck(
    reference="MATCH (s:Student {id: $student}), (x:Subject {code: $subject}) "
    "MERGE (s)-[r:STUDIES]->(x) SET r.grade = $grade",
    learnt="Both ends found by their keys, the relationship made sure of, what may change set afterwards.",
    layers=("people",),
    params=(
        {"student": "S04", "subject": "CS201", "grade": "A"},
        {"student": "S04", "subject": "CS201", "grade": "A"},
        {"student": "S04", "subject": "CS201", "grade": "A+"},
        {"student": "S01", "subject": "CS302", "grade": "B"},
    ),
    probes=(
        Probe(
            "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS nodes",
            "There are nodes now that were not there before. Find both ends with MATCH, by their keys.",
        ),
        Probe(
            "MATCH (a)-[r]->(b) RETURN DISTINCT labels(a)[0] AS from, type(r) AS type, labels(b)[0] AS to",
            "There is a relationship now of a kind that was not there: another type, or the arrow the other way round.",
        ),
        Probe(
            "MATCH (s:Student) WHERE s.grade IS NOT NULL RETURN s.name AS student, s.grade AS grade",
            "The grade stands on the student now. It belongs to the relationship: what is `r`, and what is `s`?",
        ),
        Probe(
            "MATCH (x:Subject) WHERE x.grade IS NOT NULL RETURN x.name AS subject, x.grade AS grade",
            "The grade stands on the subject now. It belongs to the relationship: what is `r`, and what is `x`?",
        ),
        Probe(
            "MATCH (:Student)-[r:STUDIES]->(:Subject) UNWIND keys(r) AS property RETURN DISTINCT property",
            "STUDIES has a property now that was not there before. Compare the spelling with `grade`.",
            near=True,
        ),
        Probe(
            "MATCH (s:Student)-[:STUDIES]->(x:Subject) RETURN DISTINCT s.name AS student, x.name AS subject",
            "Somebody who had no grade in that subject before should have one now. MATCH finds only what is there; "
            "which word makes sure of it?",
        ),
        Probe(
            "MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN s.name AS student, x.name AS subject, count(r) AS grades",
            "Somebody has two grades in one subject now. Is the grade a part of what your query looks for?",
        ),
        Probe(
            "MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN s.name AS student, x.name AS subject, r.grade AS grade",
            "One relationship, as it should be, but the latest grade is not on it. When does your SET run?",
            near=True,
        ),
        Probe(
            "MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN s.name AS student, x.name AS subject, r.semester AS semester",
            "The grade is right, and the semester has gone: `SET r = {…}` replaces everything. Set one property.",
            near=True,
        ),
    ),
)


@judges("03.1")
def one_grade(answer: Any, room: Room) -> Outcome:
    """Mends a MERGE that makes a second relationship whenever a grade changes."""
    return judge_change(answer, room, ONE_GRADE)


# --------------------------------------------------------------------------------- 03.2 any text at all

_MARKERS = ("braces", "N'42")
"""Words of the notes below that stand in no query unless the note was glued into it."""
_EVIL = "Nice!'}) WITH n MATCH (s:Student) DETACH DELETE s //"
_EVIL_ESCAPED = "Nice!\\'}) WITH n MATCH (s:Student) DETACH DELETE s //"


def _note(text: str, before: str | None = None, key: str = "N42") -> Callable[[Room], tuple[Any, ...]]:
    def make(room: Room) -> tuple[Any, ...]:
        graph = room.graph()
        graph.write("CREATE (:Student {id: 'S01', name: 'Aarav'})")
        if before is not None:
            graph.write("CREATE (:Note {id: 'N42', text: $text})", {"text": before})
        return recording(graph), {"id": key, "text": text}

    return make


def _broken(called: Call, args: tuple[Any, ...]) -> Outcome | None:
    """What to say when a note broke the query; None when the fault is another one."""
    from course_lib.college.errors import QueryError

    if not isinstance(called.error, QueryError):
        return None
    _, note = args
    text = note["text"] if note["id"] == "N42" else note["id"]
    said = wrong(
        "Your query broke on a note: what is in it was read as Cypher. Let the values travel beside the query.",
        text,
    )
    return replace(said, heading="The text that broke it")


def _look(trouble: str) -> Callable[[Any, tuple[Any, ...]], Outcome | str | None]:
    def judge(_value: Any, args: tuple[Any, ...]) -> Outcome | str | None:
        graph, note = args
        if not len(graph.read("MATCH (s:Student) RETURN s.id")):
            return wrong(
                "A note has just deleted the students. Its text must never become part of the query."
            )
        found = graph.read("MATCH (n:Note) RETURN n.id AS id, n.text AS text")
        if list(found) == [(note["id"], note["text"])]:
            return still_in_the_query(graph, *_MARKERS)
        if len(found) > 1:
            said = nearly("The note is there twice: one id must leave one note, with the latest text.", found)
        elif not len(found):
            said = wrong("The note did not arrive in the graph.", found)
        else:
            said = nearly(trouble, found)
        return replace(said, heading="The notes that are in the graph now")

    return judge


def _case(make: Callable[[Room], tuple[Any, ...]], trouble: str) -> Case:
    return Case(make, judge=_look(trouble), when_it_raises=_broken)


ANY_TEXT = FunctionCheck(
    cases=(
        _case(_note("An index is a sorted copy."), "The note that arrived is not the one sent."),
        _case(
            _note("It's all in the student's hands."),
            "An apostrophe did not arrive as it was.",
        ),
        _case(_note(_EVIL), "The text that arrived is not, letter by letter, the one sent."),
        _case(
            _note(_EVIL_ESCAPED),
            "Apostrophes arrive, but a backslash does not: mending quotation marks by hand never ends. Let "
            "the text travel beside the query.",
        ),
        _case(
            _note('She said "B+ trees\\".\nNew line, tab\t, percent %s, $text, {braces}, ज्ञान.'),
            "Most texts arrive. This one has a backslash, a line break and more, and arrived changed.",
        ),
        _case(
            _note("A note from a club with an odd numbering.", key="N'42"),
            "An id with an apostrophe did not arrive as it was.",
        ),
        _case(
            _note("The new text", before="The old text"),
            "Running it again for the same id must leave the latest text.",
        ),
    ),
    learnt="The text travels beside the query, so whatever is in it stays text. MERGE on the id does the rest.",
    finished=("course_lib.college.dataset:load_college", "course_lib.college.dataset:load_tables"),
)


@judges("03.2")
def any_text(answer: Any, room: Room) -> Outcome:
    """Mends a loader that glues a text into its query."""
    return judge_function(answer, room, ANY_TEXT)


# ------------------------------------------------------------------------- 03.3 a label that is no label


@judges("03.3")
def no_label(answer: Any, room: Room) -> Outcome:
    """Breaks a check that looks at the beginning of a label only."""
    from course_lib.college.errors import QueryError

    if not isinstance(answer, str):
        return wrong("Hand in the label itself, as a text in quotation marks.", answer)
    if not answer.startswith(("Student", "Subject", "Club")):
        return wrong("The function refuses this one. How must a label begin to get past its check?", answer)
    graph = room.college()
    before = len(graph.read("MATCH (s:Student) RETURN s.id"))
    try:
        graph.write(f"MATCH (n:{answer}) RETURN count(n) AS nodes")
    except QueryError as error:
        rest = (
            "The rest of the line is a comment, as you meant it; look at your own clauses."
            if "//" in answer
            else "What stands behind your text is still there: `) RETURN count(n) AS nodes`."
        )
        return nearly(
            f"It gets past the check, but the query that comes out is not Cypher. {rest} {engine_words(error)}",
            answer,
        )
    left = graph.read("MATCH (s:Student) RETURN s.name AS student")
    if not len(left):
        return right(
            "A label that is only half checked is a door. Compare it whole, with a list of your own."
        )
    if len(left) < before:
        return nearly("Some students are gone, not all of them.", left)
    return wrong("It gets past the check and runs, and all the students are still there.", left)


# ------------------------------------------------------------------------------------ 03.4 in one query

_FRIENDS: tuple[Mapping[str, Any], ...] = (
    {"student": "S02", "friend": "S05"},
    {"student": "S04", "friend": "S05"},
    {"student": "S01", "friend": "S02"},
    {"student": "S01", "friend": "S04"},
)

IN_ONE_QUERY = ChangeCheck(
    reference="UNWIND $rows AS row MATCH (a:Student {id: row.student}), (b:Student {id: row.friend}) "
    "MERGE (a)-[:FRIENDS_WITH]->(b)",
    learnt="One trip for all the rows: UNWIND, find both ends, MERGE what is between them.",
    layers=("people",),
    params=({"rows": _FRIENDS[:2]}, {"rows": _FRIENDS}, {"rows": _FRIENDS}, {"rows": []}),
    probes=(
        Probe(
            "MATCH (s:Student) RETURN s.id AS id, s.name AS name",
            "There are students now who have no name: MERGE made them. Find both ends with MATCH first.",
        ),
        Probe(
            "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS nodes",
            "There are nodes now that were not there before.",
        ),
        Probe(
            "MATCH ()-[r]->() RETURN DISTINCT type(r) AS type",
            "There is a new type of relationship now. Compare the spelling: FRIENDS_WITH.",
            near=True,
        ),
        Probe(
            "MATCH (a)-[f:FRIENDS_WITH]->(b) RETURN DISTINCT a.id AS student, b.id AS friend",
            "The friendships are not those of the rows: are some missing, or some the wrong way round?",
        ),
        Probe(
            "MATCH (a)-[f:FRIENDS_WITH]->(b) RETURN a.id AS student, b.id AS friend, count(f) AS times",
            "Run twice, some friendships are there twice. Which word makes *sure that there is one*?",
            near=True,
        ),
    ),
)


@judges("03.4")
def in_one_query(answer: Any, room: Room) -> Outcome:
    """Completes a batch: friendships from a list of rows."""
    return judge_change(answer, room, IN_ONE_QUERY)
