"""Checks of lesson 02: ranks, counts with their zeros, walks that come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_lib.classroom.queries import (
    Attempt,
    NearMiss,
    QueryCheck,
    differs_by,
    judge_query,
    same_rows_as,
    written,
)
from course_lib.classroom.registry import judges

if TYPE_CHECKING:
    from course_lib.classroom.outcome import Outcome
    from course_lib.classroom.room import Room

_LEVEL_RANK = (
    "CASE h.level WHEN 'Advanced' THEN 1 WHEN 'Intermediate' THEN 2 WHEN 'Beginner' THEN 3 ELSE 99 END"
)
_GRADE_RANK = "CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END"


# --------------------------------------------------------------------------------- 02.1 strongest first

STRONGEST_FIRST = QueryCheck(
    reference="MATCH (s:Student)-[h:HAS_SKILL]->(:Skill {name: 'Machine Learning'}) "
    f"RETURN s.name AS student, h.level AS level, {_LEVEL_RANK} AS _rank ORDER BY _rank",
    learnt="A level is worth what you say it is worth. Now the order holds on any college.",
    ordered=True,
    extra_columns=True,
    twists=(
        "MATCH (k:Skill {name: 'Machine Learning'}) "
        "CREATE (:Student {id: 'S06', name: 'Meera'})-[:HAS_SKILL {level: 'Beginner'}]->(k)",
        "MATCH (k:Skill {name: 'Machine Learning'}) CREATE (:Student {id: 'S06', name: 'Meera'})-[:HAS_SKILL]->(k)",
    ),
    near_misses=(
        NearMiss(
            lambda attempt: attempt.difference.rule == "order" and _has_null_first(attempt),
            "Right on this college. On another one somebody has no level yet, and comes out on top. Where should "
            "`null` go?",
            where="elsewhere",
        ),
        NearMiss(
            lambda attempt: (
                attempt.difference.rule == "order"
                and attempt.says(r"order\s+by\s+(h\.)?level\b(?!.*\bcase\b)")
                and not attempt.says(r"\bcase\b")
            ),
            "Right on this college, by luck: in the alphabet *Advanced* comes first. On another one a Beginner came "
            "out before an Intermediate.",
            where="elsewhere",
        ),
        NearMiss(
            differs_by("order"),
            "The right people, but a weaker one comes before a stronger one.",
        ),
        NearMiss(
            lambda attempt: attempt.difference.rule in ("rows missing") and attempt.says(r"\blimit\b"),
            "The first is right, but who is next? The question asks for everybody.",
        ),
        NearMiss(
            lambda attempt: attempt.difference.rule in ("rows missing"),
            "That drops somebody who has the skill. Rank people, don't filter them.",
        ),
    ),
)


def _has_null_first(attempt: Attempt) -> bool:
    return len(attempt.yours) > 0 and len(attempt.yours[0]) > 1 and attempt.yours[0][1] is None


@judges("02.1")
def strongest_first(answer: Any, room: Room) -> Outcome:
    """Mends a query that sorts levels as text."""
    return judge_query(answer, room, STRONGEST_FIRST)


# ------------------------------------------------------------------------------ 02.2 counts with zeros

_only_where_somebody_has_it = same_rows_as(
    "MATCH (s:Student)-[:HAS_SKILL]->(k:Skill) RETURN k.name AS a, count(*) AS b"
)
_counts_rows = same_rows_as(
    "MATCH (k:Skill) OPTIONAL MATCH (s:Student)-[:HAS_SKILL]->(k) RETURN k.name AS a, count(*) AS b"
)

STUDENTS_PER_SKILL = QueryCheck(
    reference="MATCH (k:Skill) OPTIONAL MATCH (s:Student)-[:HAS_SKILL]->(k) "
    "RETURN k.name AS skill, count(s) AS students",
    learnt="Begin with what must be in the table, hang the rest on with OPTIONAL MATCH, count what may be missing.",
    twists=(
        "CREATE (:Skill {name: 'Rust'})",
        "MATCH (s:Student {name: 'Sneha'}), (k:Skill {name: 'Docker'}) CREATE (s)-[:WANTS_TO_LEARN]->(k)",
    ),
    near_misses=(
        NearMiss(
            same_rows_as(
                "MATCH (s:Student) OPTIONAL MATCH (s)-[:HAS_SKILL]->(k:Skill) RETURN s.name AS a, count(k) AS b"
            ),
            "That is skills per student. The question is the other way round.",
            near=False,
        ),
        NearMiss(
            lambda attempt: attempt.says(r"^\s*match\s*\(\s*\w*\s*:\s*student[^)]*\)\s*optional"),
            "You keep every *student*. The table is to keep every *skill*: begin with those.",
        ),
        NearMiss(
            lambda attempt: _only_where_somebody_has_it(attempt) and not attempt.says(r"\boptional\b"),
            "A skill that nobody has is missing: the pattern fits nowhere with it. Which part is optional?",
        ),
        NearMiss(
            lambda attempt: _counts_rows(attempt) and attempt.says(r"count\s*\(\s*\*"),
            "Docker has 1 in your table, and nobody knows Docker. What did `count(*)` count there?",
            where="here",
        ),
        NearMiss(
            _counts_rows,
            "Docker has 1 in your table, and nobody knows Docker. Which of your names is missing there, and which is "
            "not? Count the one that is.",
            where="here",
        ),
        NearMiss(
            differs_by("rows missing"),
            "A skill that nobody has is missing: something in your query drops it after all.",
        ),
    ),
)


@judges("02.2")
def students_per_skill(answer: Any, room: Room) -> Outcome:
    """Counts per skill, with those that nobody has."""
    return judge_query(answer, room, STUDENTS_PER_SKILL)


# --------------------------------------------------------------------------- 02.3 people you may know


def _names_aarav(attempt: Attempt) -> bool:
    return any("Aarav" in row for row in attempt.yours)


PEOPLE_YOU_MAY_KNOW = QueryCheck(
    reference="MATCH (a:Student {name: 'Aarav'})-[:FRIENDS_WITH]-(:Student)-[:FRIENDS_WITH]-(x:Student) "
    "WHERE x <> a AND NOT (a)-[:FRIENDS_WITH]-(x) RETURN DISTINCT x.name AS student",
    learnt="A walk may come back, and it may reach by a long way whom you know by a short one. Say what you don't want.",
    seeds=(),
    twists=(
        "MATCH (p:Student {name: 'Payal'}), (r:Student {name: 'Rahul'}) CREATE (p)-[:FRIENDS_WITH]->(r)",
        "MATCH (r:Student {name: 'Rahul'}), (s:Student {name: 'Sneha'}) "
        "CREATE (:Student {id: 'S06', name: 'Meera'})-[:FRIENDS_WITH]->(r), (r)-[:FRIENDS_WITH]->(s)",
        "MATCH (s:Student {name: 'Sneha'}), (a:Student {name: 'Aarav'}) CREATE (s)-[:FRIENDS_WITH]->(a)",
        "MATCH (k:Student {name: 'Karan'}) CREATE (k)-[:FRIENDS_WITH]->(:Student {id: 'S07', name: 'Nisha'}), "
        "(:Student {id: 'S08', name: 'Isha'})",
        "MATCH (p:Student {name: 'Payal'}), (a:Student {name: 'Aarav'}) "
        "CREATE (p)-[:MENTORS]->(:Student {id: 'S09', name: 'Omar'}), (a)-[:MENTORS]->(:Student {id: 'S10', name: 'Zoya'})",
    ),
    near_misses=(
        NearMiss(_names_aarav, "Aarav is told that he may know Aarav. Which condition keeps him out?"),
        NearMiss(
            lambda attempt: any(name in row for row in attempt.yours for name in ("Nisha", "Isha")),
            "Right on this college. On another one it names somebody who is further away than two steps, or not "
            "connected at all.",
            where="elsewhere",
        ),
        NearMiss(
            lambda attempt: attempt.difference.rule in ("rows too many", "rows differ"),
            "Right on this college. On another one, two of his friends are friends with each other, and he is told "
            "that he may know one of them.",
            where="elsewhere",
        ),
        NearMiss(
            differs_by("duplicates"),
            "The right people, but one of them twice: there are two ways to reach them.",
        ),
        NearMiss(
            lambda attempt: attempt.difference.rule in ("no rows", "rows missing"),
            "Somebody two steps away is missing. Does your condition shut out more than his friends and himself?",
        ),
    ),
)


@judges("02.3")
def people_you_may_know(answer: Any, room: Room) -> Outcome:
    """Completes a walk of two steps that leaves out its start and its first step."""
    return judge_query(answer, room, PEOPLE_YOU_MAY_KNOW)


# ------------------------------------------------------------------------------------ 02.4 ties are fair

BEST_PER_SUBJECT = QueryCheck(
    reference=f"MATCH (:Student)-[r:STUDIES]->(x:Subject) WITH x, min({_GRADE_RANK}) AS best "
    f"MATCH (s:Student)-[r:STUDIES]->(x) WHERE {_GRADE_RANK} = best "
    "RETURN x.name AS subject, s.name AS student, r.grade AS grade",
    learnt="Find the best value first, then everybody who has it: nobody who is as good gets lost.",
    twists=(
        "MATCH (:Student {name: 'Aarav'})-[r:STUDIES]->(:Subject {name: 'DBMS'}) SET r.grade = 'A+'",
        "MATCH (:Student {name: 'Karan'})-[r:STUDIES]->(:Subject {name: 'Operating Systems'}) REMOVE r.grade",
    ),
    near_misses=(
        NearMiss(
            lambda attempt: attempt.difference.rule in ("rows missing"),
            "Right on this college. On another one two students share the best grade, and one of them is gone.",
            where="elsewhere",
        ),
        NearMiss(
            same_rows_as(
                "MATCH (:Student)-[r:STUDIES]->(x:Subject) WITH x, max(r.grade) AS best "
                "MATCH (s:Student)-[r:STUDIES]->(x) WHERE r.grade = best RETURN x.name AS a, s.name AS b, r.grade AS c"
            ),
            "Of two grades your query keeps the one that is last in the alphabet, or ranked last. The best has rank 1.",
        ),
        NearMiss(
            same_rows_as(
                "MATCH (:Student)-[r:STUDIES]->(x:Subject) WITH x, min(r.grade) AS best "
                "MATCH (s:Student)-[r:STUDIES]->(x) WHERE r.grade = best RETURN x.name AS a, s.name AS b, r.grade AS c"
            ),
            "`min` of a text is the first in the alphabet, and there A comes before A+. Find the best *rank*.",
        ),
        NearMiss(
            same_rows_as(
                "MATCH (s:Student)-[r:STUDIES]->(x:Subject) RETURN x.name AS a, s.name AS b, r.grade AS c"
            ),
            "That is everybody. Keep those whose rank is the best of their subject.",
            near=False,
        ),
        NearMiss(
            written(r"\blimit\b"),
            "A limit counts rows of the whole table. It can't take the best of each subject.",
            near=False,
        ),
    ),
)


@judges("02.4")
def best_per_subject(answer: Any, room: Room) -> Outcome:
    """Everybody with the best grade of a subject, ties included."""
    return judge_query(answer, room, BEST_PER_SUBJECT)
