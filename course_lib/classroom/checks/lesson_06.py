"""Checks of lesson 06: thoughts taken off, what the usual way takes, prose told from Cypher, a query damaged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction
from course_lib.classroom.registry import judges
from course_lib.errors import CourseError

if TYPE_CHECKING:
    from course_lib.classroom.room import Room

Q = "MATCH (s:Student) RETURN s.name"

# ------------------------------------------------------------------------------------ 06.1 thoughts taken off

THINKING = FunctionCheck(
    cases=(
        Case(
            (f"<think>hm</think>\n{Q}",), Q, says="The thought itself is still there, or a space at the ends."
        ),
        Case((f"<think>\none\ntwo\n</think>\n\n{Q}",), Q, says="Thoughts over several lines stay in it."),
        Case((f"<THINK>hm</Think>{Q}",), Q, says="A tag in capitals stays in it."),
        Case(
            (f"<think>a</think>{Q}<think>b</think>",),
            Q,
            says="With two thoughts in a reply, what stands between them has to stay: take as little as possible.",
        ),
        Case((Q,), Q, says="A reply without thoughts should come back as it is."),
    ),
    learnt="A little pattern, and it holds as long as every tag is closed.",
    finished=("course_lib.college.reply:extract_cypher",),
)


@judges("06.1")
def without_thinking(answer: Any, room: Room) -> Outcome:
    """A function that takes closed reasoning off."""
    return judge_function(answer, room, THINKING)


# ------------------------------------------------------------------------------- 06.2 what the usual way takes

REPLIES = {
    "a": f"<think>hm</think>\n{Q}",
    "b": f"<think>\nhm\n</think>\n```cypher\n{Q}\n```",
    "c": f"<think>\n```cypher\nMATCH (n) RETURN n.x\n```\n</think>\n{Q}",
    "d": f"Matching students are found like this:\n\n{Q}",
    "e": f"<think>\nhm, hm\n\n```cypher\n{Q}\n```",
}
"""The lesson's five replies."""


def cleaned(reply: str) -> str:
    """The lesson's own usual way: closed thoughts off, then the first fence, or everything."""
    bare = re.sub(r"<think>.*?</think>", "", reply, flags=re.S | re.I)
    fence = re.search(r"```(?:\w+)?\n(.*?)```", bare, flags=re.S)
    return fence.group(1).strip() if fence else bare.strip()


def _is(*letters: str) -> Any:
    def recognise(answer: Any) -> bool:
        return isinstance(answer, list) and {str(one).strip().lower() for one in answer} == set(letters)

    return recognise


USUAL = PredictCheck(
    actual=lambda _room: [letter for letter, reply in REPLIES.items() if cleaned(reply) != Q],
    learnt="Four of five by skill or luck. The fifth is the friendly one: prose, and no mark to go by.",
    misconceptions=(
        Misconception(
            [], "One of them goes wrong. In which is there neither a tag nor a fence round the query?"
        ),
        Misconception(
            _is("d", "e"), "One of these. In e there is a single fence, and what is in it?", near=True
        ),
        Misconception(
            _is("c", "d"), "One of these. In c, what goes away together with the thinking?", near=True
        ),
        Misconception(
            _is("c", "d", "e"),
            "One of these. In c the draft goes together with the thinking; in e there is only one fence.",
            near=True,
        ),
        Misconception(
            _is("e"), "The tag is never closed, so nothing is taken off. But what is in the only fence?"
        ),
        Misconception(
            _is("c"), "The draft stands inside of a closed tag. What happens to it in the first step?"
        ),
    ),
    otherwise="Play both steps for each: first closed thoughts go, then the first fence is taken, or everything.",
)


@judges("06.2")
def the_usual_way(answer: Any, room: Room) -> Outcome:
    """A prediction: which replies the usual way gets wrong."""
    if isinstance(answer, str):
        answer = list(answer.replace(",", " ").replace(" ", ""))
    return judge_prediction(answer, room, USUAL)


# ------------------------------------------------------------------------------ 06.3 prose told from Cypher


def _line(line: str, expected: bool, says: str) -> Case:
    def compare(value: Any, _args: tuple[Any, ...]) -> str | None:
        return None if bool(value) == expected else says

    return Case((line,), judge=compare)


BEGINS = FunctionCheck(
    cases=(
        _line("MATCH (s:Student) RETURN s.name", True, "A plain `MATCH (s:Student)` is a query."),
        _line("Matching students are found like this:", False, "'Matching students' is prose."),
        _line(
            "Match the students who study DBMS:",
            False,
            "'Match the students' begins with the word, and is prose.",
        ),
        _line("match (s:Student)", True, "Small letters are Cypher as well."),
        _line("MATCH p = (a)-->(b)", True, "A path may have a name: `MATCH p = (a)-->(b)`."),
        _line("MATCH(s:Student)", True, "Cypher needs no space before the bracket."),
        _line("   MATCH (s:Student)", True, "A query may be indented."),
        _line("MATCH p=(a)-->(b)", True, "Round the `=` no space is needed."),
        _line(
            "Matches (all of them) are listed:", False, "'Matches (all of them)' is another word, and prose."
        ),
        _line("I use MATCH (s:Student) here.", False, "The line has to *begin* with it."),
        _line("Rematch (s)", False, "'Rematch' is another word."),
        _line("", False, "An empty line begins nothing."),
    ),
    learnt="The word alone says nothing. What follows it does.",
)


@judges("06.3")
def begins_a_query(answer: Any, room: Room) -> Outcome:
    """A function that tells a MATCH from prose."""
    return judge_function(answer, room, BEGINS)


# -------------------------------------------------------------------------------------- 06.4 a query damaged


@judges("06.4")
def damaged(answer: Any, room: Room) -> Outcome:
    """A good query that the usual way damages."""
    from course_lib.college.reply import NoCypherError, extract_cypher

    if not isinstance(answer, str):
        return wrong("Hand in the query as a text.", answer)
    query = answer.strip()
    try:
        room.college_to_read().read(query)
    except CourseError as error:
        return wrong(f"It has to run on the college, and it doesn't: {error.what}", answer)
    if cleaned(query) == query:
        return wrong(
            "`cleaned` leaves it as it is. What would its pattern take for a tag, or for a fence?", answer
        )
    try:
        same = " ".join(extract_cypher(query).split()) == " ".join(query.rstrip("; ").split())
    except NoCypherError:
        same = False
    if not same:
        return nearly(
            "`cleaned` damages it. But `extract_cypher` changes it as well; find one that it leaves.", answer
        )
    return right(
        "In a string, a tag is text. Who cleans without reading the query cannot know where a string is."
    )
