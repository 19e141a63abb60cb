"""Checks of lesson 00: what a notebook remembers, a first query, and a check that is fooled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from course_lib.classroom.compare import compare_results
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction
from course_lib.classroom.queries import (
    NearMiss,
    QueryCheck,
    differs_by,
    judge_query,
    refuse_non_query,
    run_query,
    same_rows_as,
)
from course_lib.classroom.registry import judges

if TYPE_CHECKING:
    from course_lib.classroom.room import Room


# ------------------------------------------------------------------- 00.1 a cell that runs again and again


def _visits_after_three_more_runs(_room: Room) -> int:
    """Does what the learner does: the first cell once, the second once and then three times more."""
    memory: dict[str, Any] = {}
    exec("visits = 0", memory)  # noqa: S102 - the lesson's own two cells
    for _run in range(1 + 3):
        exec("visits = visits + 1", memory)  # noqa: S102
    return int(memory["visits"])


RUN_IT_AGAIN = PredictCheck(
    actual=_visits_after_three_more_runs,
    learnt="A notebook remembers: what a cell gives depends on what ran before it, and how often.",
    misconceptions=(
        Misconception(
            1, "That would be so if each run began from nothing. What does the cell find in memory?"
        ),
        Misconception(3, "Three more runs. How much was it before them?", near=True),
        Misconception(0, "Zero is where it began. The cell that adds has run since.", near=False),
    ),
    otherwise="Count the runs of the second cell, one by one. The first cell runs only once.",
)


@judges("00.1")
def run_it_again(answer: Any, room: Room) -> Outcome:
    """A prediction: the value of a counter after three more runs of its cell."""
    return judge_prediction(answer, room, RUN_IT_AGAIN)


# ------------------------------------------------------------------------------- 00.2 a query, by analogy

_STUDENT = r":\s*student\b"

CLUBS = QueryCheck(
    reference="MATCH (c:Club) RETURN c.name AS club, c.founded AS founded",
    learnt="Change the label and you ask about other things; what stands behind RETURN becomes the columns.",
    near_misses=(
        NearMiss(
            lambda attempt: attempt.says(_STUDENT) and not attempt.says(r":\s*club\b"),
            "These are students. Which word of the query says what kind of thing to look for?",
            near=False,
        ),
        NearMiss(
            same_rows_as("MATCH (c:Club) RETURN c.name"),
            "The right clubs. But two columns were asked for, and the year is not among yours.",
        ),
        NearMiss(
            same_rows_as("MATCH (c:Club) RETURN c.founded"),
            "The right years. But two columns were asked for, and the names are not among yours.",
        ),
        NearMiss(
            same_rows_as("MATCH (c:Club) RETURN c"),
            "The right clubs, each as a whole. Two columns were asked for: put a dot and a name behind `c`.",
        ),
        NearMiss(
            lambda attempt: attempt.says(_STUDENT) and attempt.difference.rule == "duplicates",
            "The right clubs, each once for every member. Every club was asked for: leave the students out.",
        ),
        NearMiss(
            lambda attempt: (
                attempt.says(_STUDENT) and attempt.difference.rule in ("rows missing", "rows differ")
            ),
            "Right on this college. On another one a club has no members, and you lose it: leave the students out.",
            where="elsewhere",
        ),
        NearMiss(
            lambda attempt: any(None in row for row in attempt.yours),
            "A column with nothing in it: no club has a property of that name. Look at how it is spelt.",
        ),
        NearMiss(
            differs_by("rows missing", "no rows"),
            "Some clubs are missing. Is there a condition or a limit in your query that nobody asked for?",
        ),
    ),
)


@judges("00.2")
def ask_for_the_clubs(answer: Any, room: Room) -> Outcome:
    """A first query of one's own: every club with the year it was founded."""
    return judge_query(answer, room, CLUBS)


# ----------------------------------------------------------------------------------- 00.3 fooling a check

COUNT = "MATCH (s:Student) RETURN count(s) AS students"


@judges("00.3")
def fool_a_check(answer: Any, room: Room) -> Outcome:
    """Breaks a defence: right rows on this college, without a look at the graph."""
    refused = refuse_non_query(answer)
    if refused is not None:
        return refused
    here = room.college()
    rows = run_query(answer, here)
    if isinstance(rows, Outcome):
        return rows
    difference = compare_results(rows, here.read(COUNT))
    if not difference.same:
        say = nearly if difference.rule in ("too many columns", "text for number") else wrong
        return say(f"A check that looks once would not be fooled by this. {difference.summary}", rows)
    # Looked at one that holds nothing, an honest count is 0.
    empty = run_query(answer, room.graph())
    if isinstance(empty, Outcome) or not compare_results(empty, rows).same:
        return nearly(
            "The right number, but by honest work: this query looks at the graph. Get there without a look.",
            rows,
        )
    return right(
        "A check that looks once is fooled. So the checks here run your query on a second college too, "
        "where a number that was typed in is wrong.",
        rows,
    )
