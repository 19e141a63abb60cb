"""Checks of lesson 01: arrows, patterns that go on, and one that folds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction
from course_lib.classroom.queries import (
    Attempt,
    NearMiss,
    QueryCheck,
    differs_by,
    judge_query,
    same_rows_as,
)
from course_lib.classroom.registry import judges

if TYPE_CHECKING:
    from course_lib.classroom.outcome import Outcome
    from course_lib.classroom.room import Room


# ----------------------------------------------------------------------------------- 01.1 three arrows

_FRIENDS_OF_KARAN = (
    "MATCH (k:Student {name: 'Karan'})-[:FRIENDS_WITH]->(x:Student) RETURN x.name",
    "MATCH (k:Student {name: 'Karan'})<-[:FRIENDS_WITH]-(x:Student) RETURN x.name",
    "MATCH (k:Student {name: 'Karan'})-[:FRIENDS_WITH]-(x:Student) RETURN x.name",
)


def _rows_per_arrow(room: Room) -> list[int]:
    college = room.college()
    return [len(college.read(query)) for query in _FRIENDS_OF_KARAN]


THREE_ARROWS = PredictCheck(
    actual=_rows_per_arrow,
    learnt="An arrow asks for one direction; a line without a head takes both. For a friendship you want both.",
    misconceptions=(
        Misconception(
            [1, 1, 1],
            "That would be so if the engine took no notice of arrowheads. It does: look at the first.",
        ),
        Misconception(
            [1, 0, 1],
            "You have read the arrows the other way round. In `(k)-[…]->(x)` the arrow leaves Karan.",
            near=True,
        ),
        Misconception(
            [0, 1, 0],
            "The first two are right. A line without an arrowhead does not mean *no arrow*, it means *either*.",
            near=True,
        ),
        Misconception(
            [0, 1, 2], "The first two are right. Either way: how many friends can he find in all?", near=True
        ),
        Misconception(
            [0, 0, 0],
            "Karan is in the picture, at the end of an arrow. One of the three patterns fits there.",
        ),
    ),
    otherwise="Put a finger on Karan in the picture. Which arrows leave him, and which arrive?",
    ordered=True,
)


@judges("01.1")
def three_arrows(answer: Any, room: Room) -> Outcome:
    """A prediction: rows for an arrow that leaves, one that arrives, and a line without a head."""
    return judge_prediction(answer, room, THREE_ARROWS)


# ------------------------------------------------------------------------------ 01.2 friends, either way

FRIENDS_OF_SNEHA = QueryCheck(
    reference="MATCH (s:Student {name: 'Sneha'})-[:FRIENDS_WITH]-(x:Student) RETURN x.name AS friend",
    learnt="Who was written down first is an accident of the data. Without an arrowhead it makes no difference.",
    seeds=(),
    twists=(
        "MATCH (s:Student {name: 'Sneha'}), (k:Student {name: 'Karan'}) CREATE (s)-[:MENTORS]->(k)",
        "MATCH (s:Student {name: 'Sneha'}), (k:Student {name: 'Karan'}) CREATE (s)-[:FRIENDS_WITH]->(k)",
        "MATCH (s:Student {name: 'Sneha'})-[f:FRIENDS_WITH]-() DELETE f "
        "WITH DISTINCT s MATCH (r:Student {name: 'Rahul'}) CREATE (r)-[:FRIENDS_WITH]->(s)",
    ),
    near_misses=(
        NearMiss(
            lambda attempt: not len(attempt.yours),
            "Still no friends. On which side of the line does Sneha stand in the picture?",
            near=False,
            where="here",
        ),
        NearMiss(
            lambda attempt: attempt.says(r"<-|->") and attempt.difference.rule != "rows too many",
            "Right on this college, by luck. On another one Sneha was written down first, and that friend is lost.",
            where="elsewhere",
        ),
        NearMiss(
            lambda attempt: attempt.difference.rule in ("rows too many", "rows differ"),
            "Right on this college. On another one Sneha mentors somebody who is no friend of hers, and your pattern "
            "takes any relationship there is.",
            where="elsewhere",
        ),
        NearMiss(
            differs_by("rows too many", "rows differ", "all differ"),
            "There are people in your table who are not her friends. Is the type still in the pattern?",
            near=False,
        ),
    ),
)


@judges("01.2")
def friends_either_way(answer: Any, room: Room) -> Outcome:
    """Mends a query that loses a friendship written down the other way round."""
    return judge_query(answer, room, FRIENDS_OF_SNEHA)


# --------------------------------------------------------------------------------- 01.3 a pattern goes on

PROJECTS_WITH_SQL = QueryCheck(
    reference="MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(:Skill {name: 'SQL'}) "
    "RETURN s.name AS student, p.name AS project",
    learnt="Two arrows, one pattern: each student who works on such a project is one fit, and one row.",
    twists=(
        "MATCH (p:Project {name: 'Attendance Tracker'}) CREATE (p)-[:REQUIRES]->(:Skill {name: 'NoSQL'}), "
        "(p)-[:REQUIRES]->(:Skill {name: 'Sass'}), (p)-[:REQUIRES]->(:Skill {name: 'Git'})",
        "MATCH (p:Project {name: 'Attendance Tracker'}), (k:Skill {name: 'SQL'}) CREATE (p)-[:TEACHES]->(k)",
    ),
    near_misses=(
        NearMiss(
            same_rows_as(
                "MATCH (s:Student)-[:HAS_SKILL]->(:Skill {name: 'SQL'}) RETURN s.name AS a, s.name AS b"
            ),
            "These people *have* the skill. The question is who works on a project that *requires* it.",
            near=False,
        ),
        NearMiss(
            same_rows_as("MATCH (s:Student)-[:HAS_SKILL]->(:Skill {name: 'SQL'}) RETURN s.name"),
            "These people *have* the skill. The question is who works on a project that *requires* it.",
            near=False,
        ),
        NearMiss(
            same_rows_as(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(k:Skill {name: 'SQL'}) "
                "WHERE (s)-[:HAS_SKILL]->(k) RETURN s.name AS a, p.name AS b"
            ),
            "You ask for people who have the skill as well. Somebody works on such a project without it.",
        ),
        NearMiss(
            same_rows_as("MATCH (s:Student)-[:WORKS_ON]->(p:Project) RETURN s.name AS a, p.name AS b"),
            "Everybody with a project. Where does your pattern say what the project requires?",
            near=False,
        ),
        NearMiss(
            same_rows_as(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project)-[:REQUIRES]->(:Skill) RETURN s.name AS a, p.name AS b"
            ),
            "Any skill will do in your pattern. Which one was asked for?",
        ),
        NearMiss(
            lambda attempt: (
                attempt.difference.rule == "no rows" and attempt.says(r"requires\]\s*-\s*\([^)]*project")
            ),
            "No rows. Which end of REQUIRES has the arrowhead: the project or the skill?",
        ),
        NearMiss(
            differs_by("no rows"),
            "No rows. Check each arrow, and how types, labels and the name are spelt in the graph.",
            near=False,
        ),
    ),
)


@judges("01.3")
def projects_with_sql(answer: Any, room: Room) -> Outcome:
    """Writes a pattern of two arrows: who works on a project that requires SQL."""
    return judge_query(answer, room, PROJECTS_WITH_SQL)


# -------------------------------------------------------------------------------- 01.4 a pattern that folds


def _names_aarav(attempt: Attempt) -> bool:
    return any("Aarav" in row for row in attempt.yours)


SHARES_A_PROJECT = QueryCheck(
    reference="MATCH (a:Student {name: 'Aarav'})-[:WORKS_ON]->(p:Project)<-[:WORKS_ON]-(other:Student) "
    "WHERE other <> a RETURN other.name AS student, p.name AS project",
    learnt="A V has two ends, and nothing but your own `<>` keeps them apart.",
    seeds=(),
    twists=(
        "MATCH (a:Student {name: 'Aarav'}), (k:Student {name: 'Karan'}), (p:Project {name: 'Campus Chatbot'}) "
        "CREATE (a)-[:WORKS_ON]->(p), (k)-[:WORKS_ON]->(p)",
        "MATCH (k:Student {name: 'Karan'}), (p:Project {name: 'Library Management System'}) CREATE (k)-[:REVIEWS]->(p)",
    ),
    near_misses=(
        NearMiss(
            _names_aarav, "Aarav shares a project with himself here. Say that the other one is somebody else."
        ),
        NearMiss(
            differs_by("rows too many"),
            "Right on this college. On another one somebody reviews the project and does not work on it: is there a "
            "type on both arrows?",
            where="elsewhere",
        ),
        NearMiss(
            same_rows_as(
                "MATCH (s:Student)-[:WORKS_ON]->(p:Project) WHERE s.name <> 'Aarav' RETURN s.name AS a, p.name AS b"
            ),
            "That is everybody with a project. Where is Aarav in your pattern?",
            near=False,
        ),
        NearMiss(
            lambda attempt: (
                attempt.difference.rule == "no rows"
                and attempt.says(r"\)\s*-\s*\[[^\]]*\]\s*->\s*\([^)]*\)\s*-")
            ),
            "No rows. In a V both arrows point at the project in the middle.",
            near=False,
        ),
    ),
)


@judges("01.4")
def shares_a_project(answer: Any, room: Room) -> Outcome:
    """Writes a V that does not fold: who shares a project with Aarav."""
    return judge_query(answer, room, SHARES_A_PROJECT)
