"""Checks of lesson 15: a rule for the arrow, evidence that must be there, two figures, a message that is missed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from course_lib.classroom.checks.lesson_14 import practice
from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.registry import judges
from course_lib.crumb.extraction import Triple, extract
from course_lib.crumb.prompts import system_prompt

if TYPE_CHECKING:
    from course_lib.classroom.room import Room

# ------------------------------------------------------------------------------------ 15.1 a rule for the arrow

_FAMILIES = (
    ("Zubin, my brother, can't have sesame.", "Zubin"),
    ("Ira is my niece. She loves the brownies.", "Ira"),
    ("My aunt Freny is allergic to eggs.", "Freny"),
    ("Kavi (my son) reacts to milk.", "Kavi"),
)
_MOST_WORDS = 60


@judges("15.1")
def which_way_the_arrow_goes(answer: Any, room: Room) -> Outcome:
    """A rule for the prompt, tried on families that the learner has not seen."""
    if not isinstance(answer, str):
        return wrong(f"Hand in the rule as a text in quotation marks, and not a {type(answer).__name__}.")
    if len(answer.split()) > _MOST_WORDS:
        return nearly("That is a page, and a prompt is read again for every message. One sentence.")
    system = system_prompt(without=["direction"], extra=[answer.strip()])
    wrong_way: list[str] = []
    missing: list[str] = []
    for text, name in _FAMILIES:
        found = [
            (t.subject, t.object)
            for t in extract(text, practice, system=system).triples
            if t.relation == "FAMILY_OF"
        ]
        if ("me", name) not in found:
            (wrong_way if (name, "me") in found else missing).append(name)
    if missing:
        return wrong("With this rule some families do not come out at all.", missing)
    if wrong_way:
        if "FAMILY_OF" not in answer:
            return wrong(
                "It still goes the wrong way. Which of the three relations does your rule speak of? Name it.",
                wrong_way,
            )
        if not re.search(r"\bme\b|\bspeaker\b|\bcustomer\b", answer, re.I):
            return wrong(
                "It still goes the wrong way. Your rule has to say where it starts. How does the prompt call the one who writes?",
                wrong_way,
            )
        return wrong(
            "It still goes from the relative to me. Say both ends, in the order you want: from whom, to whom.",
            wrong_way,
        )
    return right("A habit ends when somebody says what was agreed. Until then the model had no way to know.")


# ------------------------------------------------------------------------------------ 15.2 evidence

_CHAT = "Hi!\nMy son  Aarav reacts to groundnuts. The Eggless cake was great (really)."

EVIDENCE = FunctionCheck(
    cases=(
        Case((_CHAT, "reacts to groundnuts"), True, says="These words stand in the message just so."),
        Case((_CHAT, "allergic to peanuts"), False, says="Nothing like it stands in the message."),
        Case((_CHAT, "my SON Aarav"), True, says="A capital or a second blank makes no other words of it."),
        Case((_CHAT, "hi! my son"), True, says="A line break is a blank like any other."),
        Case((_CHAT, "egg"), False, says="'egg' is only a part of 'Eggless'. Whole words.", near=True),
        Case((_CHAT, "react"), False, says="'react' is only a part of 'reacts'. Whole words.", near=True),
        Case((_CHAT, ""), False, says="No words at all are no evidence.", near=True),
        Case((_CHAT, "  \n "), False, says="Blanks alone are no evidence.", near=True),
        Case(
            (_CHAT, "great (really)"),
            True,
            says="Brackets in a message are no pattern: `re.escape` takes care of them.",
            near=True,
        ),
        Case(
            (_CHAT, "r.acts"),
            False,
            says="A dot is a dot here, and not 'any letter': `re.escape` takes care of it.",
            near=True,
        ),
        Case(("दूध से एलर्जी", "दूध से"), True, says="Other scripts have words too.", near=True),
    ),
    learnt="No understanding needed, and what was made up out of nothing is caught.",
    finished=("course_lib.crumb.evidence:is_in",),
)


@judges("15.2")
def evidence_is_there(answer: Any, room: Room) -> Outcome:
    """A function that looks for the evidence in the message."""
    return judge_function(answer, room, EVIDENCE)


# ------------------------------------------------------------------------------------ 15.3 two figures

_A, _B, _C, _D, _E = (Triple("me", "LIKES", thing) for thing in ("cake", "barfi", "chikki", "ladoo", "halwa"))


def _pair(precision: float, recall: float, says: str = "", near: bool = False, *sets: set[Triple]) -> Case:
    def judge(value: Any, args: tuple[Any, ...]) -> Outcome | str | None:
        if not isinstance(value, tuple | list) or len(value) != 2:
            return "Give back two numbers: `return precision, recall`."
        if not all(isinstance(n, int | float) for n in value):
            return "Both of them have to be numbers."
        one, two = (float(n) for n in value)
        if abs(one - precision) < 1e-6 and abs(two - recall) < 1e-6:
            return None
        if abs(two - precision) < 1e-6 and abs(one - recall) < 1e-6:
            return nearly("The right figures, the wrong way round: precision first.", value)
        if abs(one - 100 * precision) < 1e-4 and abs(two - 100 * recall) < 1e-4:
            return nearly("As numbers from 0 to 1, please, and not in percent.", value)
        return nearly(says, value) if near else wrong(says, value)

    return Case(sets, judge=judge)


FIGURES = FunctionCheck(
    cases=(
        _pair(
            0.5,
            1 / 3,
            "Two were said, one of them right; three there were. What divides by what?",
            False,
            {_A, _B, _C},
            {_A, _D},
        ),
        _pair(1.0, 0.25, "One of four was said, and it is right.", False, {_A, _B, _C, _D}, {_A}),
        _pair(0.0, 0.0, "Nothing was right here: both are 0.", False, {_A}, {_B}),
        _pair(1.0, 0.0, "Nothing was said, so nothing of it is wrong.", True, {_A}, set()),
        _pair(0.0, 1.0, "There was nothing to find, so nothing was missed.", True, set(), {_E}),
        _pair(1.0, 1.0, "Nothing to find, and nothing said: that is perfect.", True, set(), set()),
    ),
    learnt="One figure alone can be had for nothing: say everything, or say nothing. Always look at both.",
)


@judges("15.3")
def two_figures(answer: Any, room: Room) -> Outcome:
    """A function for precision and recall."""
    return judge_function(answer, room, FIGURES)


# ------------------------------------------------------------------------------------ 15.4 where it stops

_NO_STATEMENT = re.compile(
    r"\?|\b(?:not allergic|isn't|no longer|used to|outgrew|maybe|perhaps|might|heard|apparently|shayad|if)\b",
    re.I,
)


@judges("15.4")
def where_it_stops(answer: Any, room: Room) -> Outcome:
    """A message with an allergy in it that the extraction misses."""
    form = 'Hand in a dict with three texts: {"message": "…", "who": "…", "what": "…"}.'
    if not isinstance(answer, Mapping) or not all(
        isinstance(answer.get(k), str) for k in ("message", "who", "what")
    ):
        return wrong(form, answer)
    message, who, what = (answer[k].strip() for k in ("message", "who", "what"))
    if not message or not who or not what:
        return wrong(form, answer)
    for word in (who, what):
        if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message, re.I):
            return wrong(f"{word!r} does not stand in your message.", answer)
    if len(message.split()) < 6:
        return wrong("Too short for anybody to understand. Write as a customer would.", answer)
    if _NO_STATEMENT.search(message):
        return nearly(
            "A question, a doubt or a denial is missed on purpose. Let it be clearly stated.", answer
        )
    found = [
        t for t in extract(message, practice).triples if t.relation == "ALLERGIC_TO" and t.stance == "stated"
    ]
    hit = [
        t for t in found if what.casefold() in t.object.casefold() or t.object.casefold() in what.casefold()
    ]
    if hit:
        return wrong(
            "It was found: "
            + "; ".join(f"{t.subject} {t.relation} {t.object}" for t in hit)
            + ". Say it in another way.",
            answer,
        )
    return right("Missed. Any person would have seen it, and this is why the labels were made by people.")
