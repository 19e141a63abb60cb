"""Checks of lesson 04: what a call costs, what a search misses, luck that counts, a choice, a win for text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction
from course_lib.classroom.registry import judges
from course_lib.college.search.facts import Fact

if TYPE_CHECKING:
    from course_lib.classroom.room import Room
    from course_lib.college.search import Question, Result

# --------------------------------------------------------------------------------- 04.1 what a call costs

COST = FunctionCheck(
    cases=(
        Case((1_000_000, 0, (0.15, 0.60)), 0.15, says="A million tokens in cost the first price, no more."),
        Case(
            (0, 1_000_000, (0.15, 0.60)), 0.60, says="What comes out has a price of its own, the second one."
        ),
        Case((1200, 80, (0.75, 3.75)), 0.0012, says="Prices are for a million tokens. Is that in your sum?"),
        Case((0, 0, (5.0, 25.0)), 0.0),
    ),
    learnt="Out is several times dearer than in, but in is what grows: the schema, the memory, the ten texts.",
    finished=("course_lib.models.prices:cost_usd",),
)


@judges("04.1")
def what_a_call_costs(answer: Any, room: Room) -> Outcome:
    """A function for the price of a call."""
    return judge_function(answer, room, COST)


# ------------------------------------------------------------------------------ 04.2 what words will miss

_ASKED = {"a": "deadlock", "b": "ml-p", "c": "clubs", "d": "teach-p"}


def _missed(room: Room) -> list[str]:
    from course_lib.college.search import read_questions, search_words, written_facts

    college = room.college_to_read()
    facts = written_facts(college)
    questions = {question.id: question for question in read_questions()}
    missed = []
    for letter, name in _ASKED.items():
        question = questions[name]
        found = {fact.id for fact in search_words(facts, question.text, 10)}
        if not found & question.proof(college):
            missed.append(letter)
    return missed


def _holds(*letters: str) -> Callable[[Any], bool]:
    def recognise(answer: Any) -> bool:
        given = {str(item).strip().lower() for item in answer} if isinstance(answer, list | str) else set()
        return given == set(letters)

    return recognise


MISSED = PredictCheck(
    actual=_missed,
    learnt="An abbreviation and a synonym are other words. To search by words they are strangers.",
    misconceptions=(
        Misconception(
            [], "It misses some. Which words of each question stand in the texts, letter by letter?"
        ),
        Misconception(
            _holds("b"), "One of them, yes. Another question uses no word of the texts.", near=True
        ),
        Misconception(
            _holds("d"), "One of them, yes. Another question uses no word of the texts.", near=True
        ),
        Misconception(
            _holds("a", "b", "d"),
            "Two of the three. The note says 'A deadlock needs': upper and lower case are one, so a rare word is shared.",
            near=True,
        ),
        Misconception(
            _holds("b", "c", "d"),
            "Two of the three. 'Payal' and 'member' both stand in the texts that are needed.",
            near=True,
        ),
        Misconception(
            _holds("a", "c"), "The other way round: these two share rare words with what is needed."
        ),
    ),
    otherwise="For each question: which of its words stands, letter by letter, in a text that is needed?",
)


@judges("04.2")
def what_words_miss(answer: Any, room: Room) -> Outcome:
    """A prediction: the questions for which search by words brings nothing that is needed."""
    if isinstance(answer, str):
        answer = [letter for letter in answer.lower() if letter.isalpha()]
    return judge_prediction(answer, room, MISSED)


# ----------------------------------------------------------------------------------- 04.3 luck that counts

_FRIEND = Fact("S01-FRIENDS_WITH-S02", "Aarav is friends with Payal.")
_WORKS = Fact("S01-WORKS_ON-P01", "Aarav works on the project Library Management System, as Developer.")
_NEEDS = Fact("P01-REQUIRES-SQL", "The project Library Management System requires the skill SQL.")
_KNOWS = Fact("S02-HAS_SKILL-SQL", "Payal has the skill SQL, level Advanced.")
_YEAR = Fact("S02", "Payal is a student in year 2, branch CSE.")
_OTHER = Fact("S04-STUDIES-CS201", "Sneha studies DBMS in semester 4, grade B+.")
_PROOF = {_WORKS.id, _NEEDS.id, _KNOWS.id}

LUCK = FunctionCheck(
    cases=(
        Case(
            ([_FRIEND, _OTHER], ["Payal"], _PROOF),
            False,
            says="A lucky hit still counts: 'Aarav is friends with Payal.' holds the name, and nothing of the proof.",
        ),
        Case(
            ([_OTHER, _KNOWS, _WORKS, _NEEDS], ["Payal"], _PROOF),
            True,
            says="All of the proof was found, and one text more. More than is needed does no harm, in any order.",
        ),
        Case(
            ([_WORKS, _KNOWS], ["Payal"], _PROOF),
            False,
            says="Two facts of three are no proof: one link of the chain is missing, and you let it pass.",
            near=True,
        ),
        Case(
            ([], ["Payal"], _PROOF),
            False,
            says="Nothing was found at all, and you call it answered.",
            near=True,
        ),
        Case(
            ([_YEAR], ["sophomore"], {"S02"}),
            True,
            says="The proof is there, in other words than the answer's. Does the name still count in your rule?",
            near=True,
        ),
        Case(([_OTHER, _YEAR], ["2"], ["S02"]), True, near=True),
    ),
    learnt="Names can be there by luck. Proof can't: every fact that the answer rests on, and it may be more.",
    finished=("course_lib.college.search.contest:holds_proof",),
)


@judges("04.3")
def luck_that_counts(answer: Any, room: Room) -> Outcome:
    """Mends a rule that counts a name found by luck."""
    return judge_function(answer, room, LUCK)


# ---------------------------------------------------------------------------------- 04.4 which way for what

_WAYS = ("words", "meaning", "graph")
_KINDS: Mapping[str, tuple[str, Callable[[Question], bool]]] = {
    "explain": ("paraphrased questions about a note", lambda q: q.kind == "note" and bool(q.paraphrase_of)),
    "connect": ("questions of two or more hops", lambda q: q.hops >= 2),
}


@cache
def _results() -> tuple[Result, ...]:
    """The bake-off, once a process: in a room of its own, since the vectors are written into the graph."""
    from course_lib.classroom.room import Room
    from course_lib.college.search import bake_off
    from course_lib.settings import load_settings

    with Room(load_settings(), "college") as room:
        return tuple(bake_off(room.college()))


@judges("04.4")
def which_way(answer: Any, room: Room) -> Outcome:
    """A choice for each of two kinds of questions, and the number that speaks for it."""
    form = (
        'Hand in a dict such as {"explain": ("words", 3), "connect": ("words", 3)}: a way and a number each.'
    )
    if not isinstance(answer, Mapping) or set(answer) != set(_KINDS):
        return wrong(form, answer)
    said: dict[str, tuple[str, float]] = {}
    for kind, pair in answer.items():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            return wrong(form, answer)
        way, number = pair
        if not isinstance(way, str) or way.strip().lower() not in _WAYS:
            return wrong(f"For `{kind}` choose one of {', '.join(_WAYS)}.", answer)
        if isinstance(number, bool) or not isinstance(number, int | float):
            return wrong(f"For `{kind}` the second thing should be a number: how many were answered.", answer)
        said[kind] = way.strip().lower(), number
    counts = {
        kind: {
            way: sum(r.answered for r in _results() if r.way == way and wanted(r.question)) for way in _WAYS
        }
        for kind, (_, wanted) in _KINDS.items()
    }
    for kind, (way, _) in said.items():
        if counts[kind][way] < max(counts[kind].values()):
            return wrong(
                f"For {_KINDS[kind][0]} another way answers more than {way}. Count all three in `results`.",
                answer,
            )
    for kind, (way, number) in said.items():
        if number != counts[kind][way]:
            return nearly(
                f"A good choice for {_KINDS[kind][0]}, but your number is not what {way} comes to when it is "
                "counted again: answered ones only, of that kind only, of that way only.",
                answer,
            )
    return right("Two kinds of questions, two ways. What a question asks for decides, not the fashion.")


# ------------------------------------------------------------------------------------ 04.5 a win for text

_COPIED = 6
"""So many words in a row, just as in the note, are a copy and no question."""


@judges("04.5")
def a_win_for_text(answer: Any, room: Room) -> Outcome:
    """A question that search by words answers, without a name that the graph knows."""
    from course_lib.college.search import search_words, written_facts

    if not isinstance(answer, Mapping) or not all(
        isinstance(answer.get(k), str) for k in ("question", "note")
    ):
        return wrong('Hand in a dict with two texts: {"question": "…", "note": "N01"}.', answer)
    question, note = answer["question"].strip(), answer["note"].strip().upper()
    college = room.college_to_read()
    facts = written_facts(college)
    texts = {fact.id: fact.text for fact in facts if re.fullmatch(r"N\d+", fact.id)}
    if note not in texts:
        return wrong("There is no note with that id. They run from N01 to N25.", answer)
    words = _words(question)
    if len(words) < 4:
        return wrong("That is hardly a question yet. Write one as a person would ask it.", answer)
    names = college.read("MATCH (n) WHERE n.name IS NOT NULL RETURN DISTINCT n.name AS name").column("name")
    used = [name for name in names if _inside(_words(name), words)]
    if used:
        return nearly(
            f"'{used[0]}' is a name in the graph, so a query could start there. Say it without the name.",
            answer,
        )
    if any(_inside(words[i : i + _COPIED], _words(texts[note])) for i in range(len(words) - _COPIED + 1)):
        return wrong("That is the note's own sentence. Nobody asks with the answer in hand.", answer)
    found = [fact.id for fact in search_words(facts, question, 10)]
    if note in found[:3]:
        return right("A rare word or two in common is all that search needs, and no name is needed at all.")
    if note in found:
        return nearly(
            f"It is found, in place {found.index(note) + 1}. Use a word that few other texts have.", answer
        )
    return wrong(
        "Search by words does not find that note. Which rare word do the two have in common?", answer
    )


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _inside(part: list[str], whole: list[str]) -> bool:
    return bool(part) and any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))
