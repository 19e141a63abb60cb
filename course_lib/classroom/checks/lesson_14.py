"""Checks of lesson 14: one allergen's many nodes, loose matching, nodes of one's own, words respelt."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from course_lib.classroom.compare import compare_results
from course_lib.classroom.deadline import call, explain_error
from course_lib.classroom.functions import Case, FunctionCheck, judge_function, refuse_non_function
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction
from course_lib.classroom.queries import refuse_non_query
from course_lib.classroom.registry import judges
from course_lib.crumb.clients import Ask, Said
from course_lib.crumb.dataset import Chat, read_chats
from course_lib.crumb.free_form import FreeTriple, free_triples

if TYPE_CHECKING:
    from course_lib.classroom.room import Room
    from course_lib.rows import Rows


def practice(ask: Ask) -> Said:
    """The practice model, asked without HTTP: a check reads all 140 messages."""
    from course_lib.models.practice.behaviour import respond
    from course_lib.models.practice.conversation import Request, Turn

    return Said(respond(Request((Turn("user", ask.user),), ask.system, output_schema=ask.schema)).text)


@cache
def _triples(text: str) -> tuple[FreeTriple, ...]:
    return free_triples(text, practice)


# --------------------------------------------------------------------------------- 14.1 what went wrong

_ELSEWHERE: dict[str, tuple[FreeTriple, ...]] = {
    "M1": (FreeTriple("Asha", "REACTS_TO", "Hazelnut"), FreeTriple("Asha", "LIKES", "toast")),
    "M2": (FreeTriple("Bo", "REACTS_TO", "hazelnut"), FreeTriple("hazelnut", "HARMS", "Bo")),
    "M3": (FreeTriple("Chand", "EATS", "MOONG DAL"), FreeTriple("Nutan", "LIKES", "toast")),
    "M4": (FreeTriple("Dev", "AVOIDS", "hazelnut"), FreeTriple("Asha", "EATS", "hazelnut")),
    "M5": (FreeTriple("Eka", "LIKES", "Nut Bar"), FreeTriple("Fay", "LIKES", "nutmeg")),
    "M6": (FreeTriple("Eka", "AVOIDS", "Nut Bar"), FreeTriple("Fay", "AVOIDS", "MOONG DAL")),
}
"""Another bakery's week, small and odd: capitals everywhere, a person called Nutan, an arrow the other way."""


def _stored(chats: list[Chat], triples_of: Callable[[str], tuple[FreeTriple, ...]], query: str) -> Rows:
    from course_lib.crumb.raw import load_raw, raw_store

    with raw_store() as store:
        load_raw(chats, store, triples_of)
        return store.read(query)


def _asked(chats: list[Chat], triples_of: Callable[[str], tuple[FreeTriple, ...]]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for chat in chats:
        for triple in triples_of(chat.text):
            if re.search("nut|moong", triple.object.lower()):
                counts[triple.object] = counts.get(triple.object, 0) + 1
    return sorted(counts.items(), key=lambda item: -item[1])


@judges("14.1")
def what_went_wrong(answer: Any, room: Room) -> Outcome:
    """A query for the nodes that look like one allergen, with how many arrows point to each."""
    from course_lib.crumb.errors import StoreError
    from course_lib.rows import Rows as Result

    refused = refuse_non_query(answer)
    if refused is not None:
        return refused
    elsewhere = [Chat(id_, "", "C1", id_) for id_ in _ELSEWHERE]
    first: Rows | None = None
    for here, chats, triples_of in (
        (True, list(read_chats()), _triples),
        (False, elsewhere, lambda text: _ELSEWHERE[text]),
    ):
        try:
            rows = _stored(chats, triples_of, answer)
        except StoreError as error:
            return wrong(f"The engine would not run it: {getattr(error, 'engine_message', error)}")
        first = rows if here else first
        asked = _asked(chats, triples_of)
        # The count as a hidden sort key: nodes with as many arrows may come in any order.
        full = Result(["name", "arrows", "_key"], [[name, count, count] for name, count in asked])
        said = _fault(rows, full, asked)
        if said is not None:
            where = "" if here else "Right on this week. On another bakery's: "
            return replace(said, message=where + said.message, yours=first)
    return right(
        "One allergen, and a graph full of strangers. Nothing in a graph says that two names mean one thing.",
        first,
    )


def _fault(rows: Rows, full: Rows, asked: list[tuple[str, int]]) -> Outcome | None:
    difference = compare_results(rows, full, ordered=True, extra_columns=True)
    if difference.same:
        return None
    names = {str(row[0]) for row in rows if len(row)}
    wanted = {name for name, _ in asked}
    if difference.rule == "order":
        return nearly("The right rows. The node with the most arrows should come first.")
    if names and names < wanted and {n.lower() for n in wanted - names} != wanted - names:
        return nearly("Names with a capital are missing. Upper and lower case are different letters here.")
    if names and names < wanted and all("moong" in name.lower() for name in wanted - names):
        return nearly("The nuts are there. What about the other word that was asked for?")
    if wanted < names:
        return wrong(
            "Some of these nodes have no such name, or nothing points to them. Which end of the arrow do you look at?"
        )
    return (nearly if difference.near else wrong)(difference.summary)


# --------------------------------------------------------------------------------- 14.2 loose matching

_NODES = {
    "a": "groundnut",
    "b": "walnut brownies",
    "c": "moongphali",
    "d": "nut-free household",
    "e": "Peanut",
}


def _brought(room: Room) -> list[str]:
    names = {triple.object for chat in read_chats() for triple in _triples(chat.text)}
    return [letter for letter, name in _NODES.items() if name in names and "nut" in name.lower()]


def _letters(*wanted: str) -> Callable[[Any], bool]:
    return lambda answer: isinstance(answer, list) and {str(a).strip().lower() for a in answer} == set(wanted)


LOOSE = PredictCheck(
    actual=_brought,
    learnt="It brings walnuts and a household that has no nuts at all, and it misses moongphali: too much and too little in one.",
    misconceptions=(
        Misconception(
            _letters("a", "e"), "That is what your colleague hopes for. CONTAINS knows letters, not meanings."
        ),
        Misconception(
            _letters("a", "c", "e"),
            "Those are the peanuts. But which names have the letters n, u, t in a row?",
        ),
        Misconception(_letters("a", "b", "d"), "Almost. `lower(…)` was there for a reason.", near=True),
        Misconception(
            _letters("a", "b", "e"), "Almost. Read the names with a hyphen in them too.", near=True
        ),
        Misconception(
            _letters("a", "b", "c", "d", "e"), "All but one. Look for the three letters in each.", near=True
        ),
    ),
    otherwise="Go through the names one by one and look for the letters n, u, t in a row.",
)


@judges("14.2")
def loose_matching(answer: Any, room: Room) -> Outcome:
    """A prediction: which nodes a loose match brings."""
    if isinstance(answer, str):
        answer = [letter for letter in answer.lower() if letter.isalpha()]
    return judge_prediction(sorted(answer) if isinstance(answer, set) else answer, room, LOOSE)


# --------------------------------------------------------------------------------- 14.3 a node of one's own

_USES = {"Tara": {"C003"}, "Om": {"C004", "C009"}, "User": {"C001", "C002", "C003"}, "Asha": {"C010"}}

ALONE = FunctionCheck(
    cases=(
        Case(
            (["Tara", "Om", "User"], _USES),
            1,
            says="Of Tara, Om and User only Tara's node belongs to one customer.",
        ),
        Case(
            (["Tara", "Asha"], _USES),
            2,
            says="Tara and Asha both have a node of their own. Did you count both?",
        ),
        Case(([], _USES), 0, says="Nobody was found, so nobody is alone.", near=True),
        Case((["User", "Om"], _USES), 0, says="Both of these nodes are shared: that makes none.", near=True),
        Case(
            (["Asha", "Asha", "Om"], {"Asha": ["C1"], "Om": ["C1", "C2"]}),
            2,
            says="Asha's node was found twice, for two people. Each of them counts.",
            near=True,
        ),
    ),
    learnt="A name that several families share is no answer to *who*. The 58 was flattering.",
)


@judges("14.3")
def a_node_of_ones_own(answer: Any, room: Room) -> Outcome:
    """A function that counts the nodes which one customer alone uses."""
    return judge_function(answer, room, ALONE)


# --------------------------------------------------------------------------------- 14.4 respelt

_ENOUGH = 120
_UNTOUCHED = (
    "My son is allergic to walnuts and coconut.",
    "Two boxes to Nutan, and a doughnut.",
    "We're a nut-free household.",
)


@judges("14.4")
def respelt(answer: Any, room: Room) -> Outcome:
    """A function that respells messages until the recall finds enough people."""
    refused = refuse_non_function(answer)
    if refused is not None:
        return refused
    for text in _UNTOUCHED:
        done = call(answer, text)
        if done.late:
            return wrong("Your function takes too long over one message.")
        if done.error is not None:
            return wrong(explain_error(answer, done.error))
        if done.value is None:
            return wrong("Your function gives nothing back. Does it return the text?")
        if done.value != text:
            return wrong(
                f"A message without a word for peanuts should stay as it is. This one came back as {str(done.value)[:80]!r}."
            )
    found: set[tuple[str, str]] = set()
    for chat in read_chats():
        done = call(answer, chat.text)
        if done.error is not None:
            return wrong(explain_error(answer, done.error))
        if not isinstance(done.value, str):
            return wrong("For some messages your function gives back no text.")
        if "peanutss" in done.value:
            return nearly("Some messages say 'peanutss' now. Replace whole words.")
        found |= {(chat.id, t.subject) for t in _triples(done.value) if t.object == "peanuts"}
    if len(found) >= _ENOUGH:
        return right(
            f"{len(found)} people. A list of words that people made did it, and no model had to get better."
        )
    if len(found) > 58:
        return nearly(f"The recall finds {len(found)} now. Which spellings are still out there?")
    return wrong(f"The recall finds {len(found)}. Look at the six names again, and make them one.")
