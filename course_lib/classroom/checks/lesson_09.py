"""Checks of lesson 09: more than the row says, made-up names, pairs of one row, a slip past the names, plain words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction
from course_lib.classroom.registry import judges
from course_lib.college.rows import Rows, show

if TYPE_CHECKING:
    from course_lib.classroom.room import Room

QUESTION = "Who is the best person to teach me DBMS?"
_BEST = """
    MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'})
    RETURN s.name AS student, r.grade AS grade
    ORDER BY CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END
    LIMIT """

# ---------------------------------------------------------------------------------- 09.1 more than the row

_ANSWERS = {
    "a": "Payal would be the best person to ask: she has an A+.",
    "b": "Payal, or Sneha.",
    "c": "Payal has an A in DBMS.",
    "d": "One student comes first in DBMS, and that is Payal.",
    "e": "Payal is the only student with an A+ in DBMS.",
}


def _beyond(room: Room) -> list[str]:
    from course_lib.college.grounding import check_grounding

    rows = room.college_to_read().read(_BEST + "1")
    return [
        letter
        for letter, answer in _ANSWERS.items()
        if not check_grounding(answer, QUESTION, rows, cypher=_BEST + "1").ok
    ]


def _given(answer: Any) -> set[str]:
    return {str(item).strip().lower() for item in answer} if isinstance(answer, list | str) else set()


def _with(letter: str) -> Callable[[Any], bool]:
    return lambda answer: letter in _given(answer)


def _without(letter: str) -> Callable[[Any], bool]:
    return lambda answer: bool(_given(answer)) and letter not in _given(answer)


MORE = PredictCheck(
    actual=_beyond,
    learnt="Somebody else, another grade, and a claim about everybody whom LIMIT had cut off. Each sounds right.",
    misconceptions=(
        Misconception([], "Some of them do. Lay each answer beside the row, word by word."),
        Misconception(
            _with("a"),
            "Payal and her A+ are in the row, and 'best person' is in the question. What else does a say?",
        ),
        Misconception(
            _with("d"),
            "The query sorts and takes the first. That one student comes first is just what the row says.",
        ),
        Misconception(
            _without("b"),
            "Is everybody in b in the row? Knowing her from another lesson is no ground.",
            near=False,
        ),
        Misconception(_without("c"), "Read the grade in c once more, sign by sign."),
        Misconception(
            _without("e"),
            "Close. With LIMIT 1 there is one row, whoever else has an A+. What can e not know?",
            near=True,
        ),
    ),
    otherwise="For each answer: can you put a finger on the place in the row, or in the question, that it rests on?",
)


@judges("09.1")
def more_than_the_row(answer: Any, room: Room) -> Outcome:
    """A prediction: the answers that say more than the row."""
    if isinstance(answer, str):
        answer = [letter for letter in answer.lower() if letter.isalpha()]
    elif isinstance(answer, tuple | set | frozenset | list):
        answer = sorted(str(item).strip().lower() for item in answer)
    return judge_prediction(answer, room, MORE)


# ------------------------------------------------------------------------------------ 09.2 made-up names

_ROWS = Rows(["student", "grade"], [["Payal", "A+"]])
_NAMES = ["Aarav", "Payal", "Sneha", "SQL", "DBMS", "Machine Learning", "Coding Club"]


def _are(*expected: str) -> Callable[[Any, tuple[Any, ...]], str | None]:
    """Takes the names in any order, as a list, tuple or set, and says which are missing or too many."""

    def judge(value: Any, args: tuple[Any, ...]) -> str | None:
        if not isinstance(value, list | tuple | set | frozenset) or not all(
            isinstance(v, str) for v in value
        ):
            return "Give back a list of names, the ones that were made up. An empty list when there are none."
        given, wanted = {v.casefold() for v in value}, {v.casefold() for v in expected}
        answer = args[0]
        if missing := sorted(wanted - given):
            return f"In “{answer}” somebody was made up, and your list does not have them: '{missing[0]}'."
        extra = sorted(given - wanted)
        if extra and re.search(rf"(?<!\w){re.escape(extra[0])}(?!\w)", answer, re.I) is None:
            return f"'{extra[0]}' does not stand in “{answer}” as a word of its own."
        if extra and extra[0] in args[1].casefold():
            return f"'{extra[0]}' stands in the question, so the answer may say it."
        return f"'{extra[0]}' stands in a row, so it was not made up." if extra else None

    return judge


MADE_UP = FunctionCheck(
    cases=(
        Case(("Payal, with an A+. Aarav is good, too.", QUESTION, _ROWS, _NAMES), judge=_are("Aarav")),
        Case(("Payal is the best choice in DBMS.", QUESTION, _ROWS, _NAMES), judge=_are()),
        Case(
            ("Payal is best, and sneha helps in the coding club.", QUESTION, _ROWS, _NAMES),
            judge=_are("Sneha", "Coding Club"),
            near=True,
        ),
        Case(
            ("payal knows NoSQL.", "What does Payal know?", Rows(["s"], [["Payal"]]), _NAMES),
            judge=_are(),
            near=True,
        ),
        Case(
            ("Karan, in year 4.", "Who is Karan?", Rows(["name", "year"], [["KARAN", 4]]), ["Karan", "Ana"]),
            judge=_are(),
            near=True,
        ),
        Case(
            ("Ana and Mia.", "Who likes bananas?", Rows(["name", "friend"], [["Mia", None]]), ["Ana", "Mia"]),
            judge=_are("Ana"),
            near=True,
        ),
        Case(
            ("Lia Ming.", "Who?", Rows(["a", "b"], [["Mia", "Lia"], ["Ming", 1]]), ["Lia Ming", "Mia"]),
            judge=_are("Lia Ming"),
            says="Two cells that stand side by side are not one name. Put something between them.",
            near=True,
        ),
    ),
    learnt="What may be said is what somebody asked for or what the graph gave back. Being true somewhere else is not enough.",
    finished=("course_lib.college.grounding:check_grounding", "course_lib.college.grounding:sources"),
)


@judges("09.2")
def made_up_names(answer: Any, room: Room) -> Outcome:
    """Writes the check of names."""
    return judge_function(answer, room, MADE_UP)


# --------------------------------------------------------------------------------------- 09.3 one row for both

_TWO = Rows(["student", "grade"], [["Payal", "A+"], ["Aarav", "A"]])
_CLUBS = Rows(
    ["student", "club", "role"],
    [["Mia", "Chess", "Head"], ["Mia", "Choir", "Guest"], ["Leo", "Choir", "Head"]],
)


def _pairs(*expected: tuple[Any, Any]) -> Callable[[Any, tuple[Any, ...]], str | None]:
    def judge(value: Any, args: tuple[Any, ...]) -> str | None:
        if not isinstance(value, list | tuple | set | frozenset):
            return "Give back a list of pairs, the ones that no row holds."
        given = [tuple(v) if isinstance(v, list | tuple) else v for v in value]
        for pair in expected:
            if pair not in given:
                return (
                    f"{pair} came through, and no single row holds both. Each is there, in rows of their own."
                )
        extra = [pair for pair in given if pair not in expected]
        return f"{extra[0]} is in your list, and a row does hold both." if extra else None

    return judge


JOINED = FunctionCheck(
    cases=(
        Case(([("Payal", "A+"), ("Aarav", "A")], _TWO), judge=_pairs()),
        Case(
            ([("Aarav", "A+"), ("Payal", "A")], _TWO),
            judge=_pairs(("Aarav", "A+"), ("Payal", "A")),
        ),
        Case(([("Vikram", "A+")], _TWO), judge=_pairs(("Vikram", "A+"))),
        Case(
            ([("A+", "Payal"), ("Head", "Leo")], Rows(["a", "b"], [["Payal", "A+"], ["Leo", "Head"]])),
            judge=_pairs(),
            near=True,
        ),
        Case(
            ([("Mia", "Choir"), ("Chess", "Guest"), ("Leo", "Chess"), ("Mia", "Head")], _CLUBS),
            judge=_pairs(("Chess", "Guest"), ("Leo", "Chess")),
            near=True,
        ),
        Case(
            ([("Karan", 4), ("Karan", 3)], Rows(["name", "year"], [["Karan", 4], ["Rahul", 3]])),
            judge=_pairs(("Karan", 3)),
            near=True,
        ),
        Case(([], _TWO), judge=_pairs(), near=True),
    ),
    learnt="A claim is a pair, and a pair needs one row. That is the whole difference between right names and a right answer.",
)


@judges("09.3")
def one_row_for_both(answer: Any, room: Room) -> Outcome:
    """Mends the check of pairs."""
    return judge_function(answer, room, JOINED)


# --------------------------------------------------------------------------------------- 09.4 past the names


@judges("09.4")
def past_the_names(answer: Any, room: Room) -> Outcome:
    """An answer that a check of names lets pass, and the whole check refuses."""
    from course_lib.college.grounding import check_grounding, sources
    from course_lib.college.schema import read_schema

    if not isinstance(answer, str):
        return wrong("Hand in the answer as a text, in quotation marks.", answer)
    if len(answer.split()) < 3:
        return wrong("That is hardly an answer yet. Write a sentence.", answer)
    if re.search(
        r"\d|\b(?:not|no|never|none|nobody|one|two|three|four|five|nahi|nahin)\b|n't\b", answer, re.I
    ):
        return wrong("Without numbers, 'not' and 'no', please: those are the easy ones.", answer)
    college = room.college_to_read()
    rows, schema = college.read(_BEST + "2"), read_schema(college)
    known = " | ".join([QUESTION, *(str(cell) for row in rows for cell in row)]).casefold()
    for values in schema.values:
        for name in values.listed:
            inside = re.search(rf"(?<![\w+]){re.escape(name)}(?![\w+])", answer, re.I if len(name) > 2 else 0)
            if inside and not re.search(rf"(?<![\w+]){re.escape(name.casefold())}(?![\w+])", known):
                return wrong(
                    f"`made_up` would find '{name}': it is neither in the rows nor in the question.", answer
                )
    strange = [s.text for s in sources(answer, QUESTION, rows, cypher=_BEST + "2") if s.where == "nowhere"]
    if strange:
        return nearly(
            f"It passes the names, but '{strange[0]}' stands nowhere in the rows. Do it with their words alone.",
            answer,
        )
    verdict = check_grounding(answer, QUESTION, rows, cypher=_BEST + "2")
    if verdict.ok:
        return wrong(
            "The check lets it pass, too: either it is true, or you have found a gap in it. Say something plainer.",
            answer,
        )
    if "nothing of what the rows hold" in verdict.problems[0]:
        return wrong(
            "It says nothing about the rows at all. Say something about Payal or Aarav that is wrong.", answer
        )
    return right(f"Every word is in the rows, and still: {verdict.problems[0]}")


# ----------------------------------------------------------------------------------------- 09.5 plain words

_KINDS = (
    Rows(["student", "grade"], [["Payal", "A+"], ["Aarav", "A"]]),
    Rows(["students"], [[5]]),
    Rows(["club"], [["Coding Club"], ["Debate Society"], ["Robotics Club"]]),
    Rows(["name", "year", "branch"], [["Karan", 4, "CSE"], ["Rahul", 3, "IT"]]),
)


def _worded(value: Any, args: tuple[Any, ...]) -> Outcome | str | None:
    from course_lib.college.grounding import check_grounding

    rows: Rows = args[0]
    if not isinstance(value, str):
        return "Give back a text."
    for row in rows:
        for cell in row:
            if show(cell) not in value:
                return f"Not every value is in your text: '{show(cell)}' is missing."
    verdict = check_grounding(value, "", rows)
    if not verdict.ok:
        return nearly(f"All the values are there, and more than that. The check says: {verdict.problems[0]}")
    return None


PLAIN = FunctionCheck(
    cases=tuple(Case((rows,), judge=_worded) for rows in _KINDS),
    learnt="No charm, and no mistakes. With this to fall back on, a check can afford to be strict.",
    finished=("course_lib.college.wording:plain_wording",),
)


@judges("09.5")
def plain_words(answer: Any, room: Room) -> Outcome:
    """Words rows without a model."""
    return judge_function(answer, room, PLAIN)
