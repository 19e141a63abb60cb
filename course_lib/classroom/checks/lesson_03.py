"""Checks of lesson 03: MERGE on keys, parameters, a label that is no label, batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.queries import ChangeCheck, Probe, engine_words, judge_change
from course_lib.classroom.recording import recording, still_in_the_query
from course_lib.classroom.registry import judges

if TYPE_CHECKING:
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
            "MATCH (n) RETURN labels(n)[0], count(*)",
            "There are nodes now that were not there before. Find both ends with MATCH, by their keys.",
        ),
        Probe(
            "MATCH (a)-[r]->(b) RETURN DISTINCT labels(a)[0], type(r), labels(b)[0]",
            "There is a relationship now of a kind that was not there: another type, or the arrow the other way round.",
        ),
        Probe(
            "MATCH (s:Student) RETURN s.id, s.grade",
            "The grade stands on the student now. It belongs to the relationship: what is `r`, and what is `s`?",
        ),
        Probe(
            "MATCH (s:Student)-[:STUDIES]->(x:Subject) RETURN DISTINCT s.id, x.code",
            "Somebody who had no grade in that subject before should have one now. MATCH finds only what is there; "
            "which word makes sure of it?",
        ),
        Probe(
            "MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN s.id, x.code, count(r)",
            "Somebody has two grades in one subject now. Is the grade a part of what your query looks for?",
        ),
        Probe(
            "MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN s.id, x.code, r.grade",
            "One relationship, as it should be, but the latest grade is not on it. When does your SET run?",
            near=True,
        ),
        Probe(
            "MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN s.id, x.code, r.semester",
            "The grade is right, and the semester has gone: `SET r = {…}` replaces everything. Set one property.",
            near=True,
        ),
        Probe(
            "MATCH (a)-[r]->(b) RETURN labels(a)[0], type(r), labels(b)[0], count(*)",
            "Something else in the graph has changed too.",
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
            return nearly("The note is there twice: one id must leave one note, with the latest text.", found)
        if not len(found):
            return wrong("The note did not arrive in the graph.", found)
        return nearly(trouble, found)

    return judge


ANY_TEXT = FunctionCheck(
    cases=(
        Case(_note("An index is a sorted copy."), judge=_look("The note that arrived is not the one sent.")),
        Case(
            _note("It's all in the student's hands."),
            judge=_look("An apostrophe did not arrive as it was."),
        ),
        Case(_note(_EVIL), judge=_look("The text that arrived is not, letter by letter, the one sent.")),
        Case(
            _note(_EVIL_ESCAPED),
            judge=_look(
                "Apostrophes arrive, but a backslash does not: mending quotation marks by hand never ends. Let "
                "the text travel beside the query."
            ),
        ),
        Case(
            _note('She said "B+ trees\\".\nNew line, tab\t, percent %s, $text, {braces}, ज्ञान.'),
            judge=_look(
                "Most texts arrive. This one has a backslash, a line break and more, and arrived changed."
            ),
        ),
        Case(
            _note("A note from a club with an odd numbering.", key="N'42"),
            judge=_look("An id with an apostrophe did not arrive as it was."),
        ),
        Case(
            _note("The new text", before="The old text"),
            judge=_look("Running it again for the same id must leave the latest text."),
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
            "MATCH (s:Student) RETURN s.id, s.name",
            "There are students now who have no name: MERGE made them. Find both ends with MATCH first.",
        ),
        Probe("MATCH (n) RETURN labels(n)[0], count(*)", "There are nodes now that were not there before."),
        Probe(
            "MATCH ()-[r]->() RETURN DISTINCT type(r)",
            "There is a new type of relationship now. Compare the spelling: FRIENDS_WITH.",
            near=True,
        ),
        Probe(
            "MATCH (a)-[f:FRIENDS_WITH]->(b) RETURN DISTINCT a.id, b.id",
            "The friendships are not those of the rows: are some missing, or some the wrong way round?",
        ),
        Probe(
            "MATCH (a)-[f:FRIENDS_WITH]->(b) RETURN a.id, b.id, count(f)",
            "Run twice, some friendships are there twice. Which word makes *sure that there is one*?",
            near=True,
        ),
    ),
)


@judges("03.4")
def in_one_query(answer: Any, room: Room) -> Outcome:
    """Completes a batch: friendships from a list of rows."""
    return judge_change(answer, room, IN_ONE_QUERY)
