"""How far the practice model reads a customer's message, and where it stops."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.models.practice.behaviour import respond
from course_lib.models.practice.conversation import Request, Turn
from course_lib.models.practice.mind.facts import free_form, read_facts, typed
from course_lib.models.practice.mind.facts_people import speaker_name


def facts(message: str, stance: str = "stated") -> set[tuple[str, str, str]]:
    return {(f.subject, f.relation, f.object) for f in read_facts(message) if f.stance == stance}


def schema(*fields: str, stances: bool = False) -> dict[str, Any]:
    properties: dict[str, Any] = {name: {"type": "string"} for name in ("subject", "object", *fields)}
    properties["relation"] = {"enum": ["ALLERGIC_TO", "FAMILY_OF", "LIKES"]}
    if stances:
        properties["stance"] = {"enum": ["stated", "negated", "hearsay", "past", "question"]}
    item = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "object", "properties": {"triples": {"type": "array", "items": item}}}


def replied(message: str, shape: dict[str, Any], system: str) -> list[dict[str, Any]]:
    listed = (typed(message, shape, system) or {})["triples"]
    assert isinstance(listed, list)
    return listed


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        # who
        (
            "My son Kabir is allergic to milk.",
            {("me", "FAMILY_OF", "Kabir"), ("Kabir", "ALLERGIC_TO", "milk")},
        ),
        (
            "my son kabir is allergic to milk",
            {("me", "FAMILY_OF", "kabir"), ("kabir", "ALLERGIC_TO", "milk")},
        ),
        (
            "Kabir is my son. He's allergic to milk.",
            {("me", "FAMILY_OF", "Kabir"), ("Kabir", "ALLERGIC_TO", "milk")},
        ),
        ("Kabir (my son) can't have milk", {("me", "FAMILY_OF", "Kabir"), ("Kabir", "ALLERGIC_TO", "milk")}),
        (
            "Asha, my sister, loves the kaju katli.",
            {("me", "FAMILY_OF", "Asha"), ("Asha", "LIKES", "kaju katli")},
        ),
        ("My son can't have milk.", {("me", "FAMILY_OF", "my son"), ("my son", "ALLERGIC_TO", "milk")}),
        ("My friend Tina can't have milk.", {("Tina", "ALLERGIC_TO", "milk")}),
        ("His son is allergic to eggs.", {("his son", "ALLERGIC_TO", "eggs")}),
        (
            "My mother is diabetic and my father Mohan is allergic to til.",
            {("me", "FAMILY_OF", "my mother"), ("me", "FAMILY_OF", "Mohan"), ("Mohan", "ALLERGIC_TO", "til")},
        ),
        (
            "My son Om and my daughter Ria are allergic to eggs.",
            {
                ("me", "FAMILY_OF", "Om"),
                ("me", "FAMILY_OF", "Ria"),
                ("Om", "ALLERGIC_TO", "eggs"),
                ("Ria", "ALLERGIC_TO", "eggs"),
            },
        ),
        (
            "My son Om likes cake. My wife Ria reacts to soy. He can't have milk, she can't have eggs.",
            {
                ("me", "FAMILY_OF", "Om"),
                ("Om", "LIKES", "cake"),
                ("me", "FAMILY_OF", "Ria"),
                ("Ria", "ALLERGIC_TO", "soy"),
                ("Om", "ALLERGIC_TO", "milk"),
                ("Ria", "ALLERGIC_TO", "eggs"),
            },
        ),
        # what
        (
            "I'm allergic to peanuts, cashews and sesame.",
            {("me", "ALLERGIC_TO", x) for x in ("peanuts", "cashews", "sesame")},
        ),
        ("I have a severe walnut allergy", {("me", "ALLERGIC_TO", "walnut")}),
        ("I am lactose intolerant", {("me", "ALLERGIC_TO", "lactose")}),
        ("I'm allergic to peanuts, please pack it apart", {("me", "ALLERGIC_TO", "peanuts")}),
        ("I'm allergic to anything with sesame", {("me", "ALLERGIC_TO", "sesame")}),
        # Hinglish
        ("mujhe badam se allergy hai", {("me", "ALLERGIC_TO", "badam")}),
        ("meri beti Anu maida nahi kha sakti", {("me", "FAMILY_OF", "Anu"), ("Anu", "ALLERGIC_TO", "maida")}),
        (
            "papa ko kaju katli bahut pasand hai",
            {("me", "FAMILY_OF", "my papa"), ("my papa", "LIKES", "kaju katli")},
        ),
        # a question may hold a statement
        (
            "Is the barfi safe for my niece Zara who is allergic to walnuts?",
            {("me", "FAMILY_OF", "Zara"), ("Zara", "ALLERGIC_TO", "walnuts")},
        ),
        ("I'm allergic to eggs, is the cake ok?", {("me", "ALLERGIC_TO", "eggs")}),
    ],
)
def test_what_is_stated(message: str, wanted: set[tuple[str, str, str]]) -> None:
    assert facts(message) == wanted


@pytest.mark.parametrize(
    ("message", "stance", "who", "what"),
    [
        ("I'm not allergic to nuts.", "negated", "me", "nuts"),
        ("My son Om never had a peanut allergy.", "negated", "Om", "peanut"),
        ("mere bete Om ko badam se allergy nahi hai", "negated", "Om", "badam"),
        ("I think my son Om is allergic to milk.", "hearsay", "Om", "milk"),
        ("Apparently my aunt Asha can't have gluten.", "hearsay", "Asha", "gluten"),
        ("My son Om used to be allergic to milk.", "past", "Om", "milk"),
        ("My son Om is no longer allergic to milk.", "past", "Om", "milk"),
        ("My son Om outgrew his milk allergy!", "past", "Om", "milk"),
        ("Could my son Om be allergic to milk?", "question", "Om", "milk"),
        ("Is the cake okay for a nut allergy?", "question", "me", "nut"),
    ],
)
def test_what_is_no_statement(message: str, stance: str, who: str, what: str) -> None:
    assert (who, "ALLERGIC_TO", what) in facts(message, stance)
    assert not {fact for fact in facts(message) if fact[1] == "ALLERGIC_TO"}


@pytest.mark.parametrize(
    "message",
    [
        "Neither my son nor my daughter is allergic to anything.",
        "My son doesn't have any allergies.",
        "She is allergic to peanuts.",
        "Do you use peanut oil?",
        "Please keep peanuts away from my box.",
        "The cake was great, we loved it!",
    ],
)
def test_nobody_known_is_made_allergic(message: str) -> None:
    assert not {
        f for f in facts(message) if f[1] == "ALLERGIC_TO" and (f[0] == "me" or f[0].startswith("my "))
    }


@pytest.mark.parametrize(
    "message",
    [
        "मेरे बेटे निशांत को दूध से एलर्जी है",
        "My daughter Ishani is allergic to peanuts. Same goes for Ivaan.",
        "Aman milk, Bela egg, in that order.",
        "Milk doesn't agree with my father-in-law.",
    ],
)
def test_here_it_stops(message: str) -> None:
    found = {fact for fact in facts(message) if fact[1] == "ALLERGIC_TO"}
    assert found <= {("Ishani", "ALLERGIC_TO", "peanuts")}


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Hi, it's Sunita. Two boxes.", "Sunita"),
        ("Rohan here!", "Rohan"),
        ("Neha this side, order 5", "Neha"),
        ("I'm Amy Rao and I bake", "Amy Rao"),
        ("Two boxes please. Thanks, Priya", "Priya"),
        ("It's Diwali and I'm allergic to nuts", None),
        ("I am Jain", "Jain"),
        ("this is fine", None),
    ],
)
def test_the_writers_own_name(message: str, name: str | None) -> None:
    assert speaker_name(message) == name


def test_the_relative_comes_first_where_the_message_names_them_first_until_the_rule_says_otherwise() -> None:
    def family(message: str, system: str) -> tuple[str, str]:
        first = next(t for t in replied(message, schema(), system) if t["relation"] == "FAMILY_OF")
        return first["subject"], first["object"]

    rule = "FAMILY_OF goes from me to the relative."
    assert family("Om is my son.", "Extract triples.") == ("Om", "me")
    assert family("Om is my son.", rule) == ("me", "Om")
    assert family("My son Om is six.", "Extract triples.") == ("me", "Om")


def test_a_negation_is_lost_without_a_rule_and_without_a_place_for_it() -> None:
    message = "I am not allergic to nuts."
    assert replied(message, schema(), "Extract triples.")  # valid, and wrong
    assert not replied(message, schema(), "Extract triples. Only what was clearly stated.")
    (kept,) = replied(message, schema(stances=True), "Extract triples.")
    assert kept["stance"] == "negated"


def test_typed_replies_name_what_is_reacted_to_and_free_ones_the_sweet() -> None:
    for message, free, substance in (
        ("I'm allergic to peanut chikki", "peanut chikki", "peanut"),
        ("I'm allergic to nuts (peanut).", "nuts (peanut)", "peanut"),
        ("We're a nut-free household.", "nut-free household", "nuts"),
    ):
        assert json.loads(free_form(message, "JSON"))[0]["object"] == free
        assert replied(message, schema(), "")[0]["object"] == substance


def test_a_free_reply_follows_the_words_and_misses_what_stands_aside() -> None:
    def free(message: str) -> list[str]:
        return [" ".join(t.values()) for t in json.loads(free_form(message, "as JSON"))]

    assert "peanuts MAKES_ILL Om" in free("I know that peanuts make my son Om ill.")
    assert free("Lovely cake. (My son Om is allergic to eggs.)") == []
    assert free("Lovely cake. PS my son Om is allergic to eggs") == []
    assert free("I'm allergic to peanut") == ["User ALLERGIC_TO Peanut"]
    assert free("I'm not allergic to milk.") == ["User NOT_ALLERGIC_TO milk"]
    assert free("Is it ok for a nut allergy?") == []


def test_a_diet_is_read_when_a_type_asks_for_it() -> None:
    shape = schema()
    shape["properties"]["triples"]["items"]["properties"]["relation"]["enum"].append("FOLLOWS_DIET")
    (found,) = [t for t in replied("My wife Ria is vegan.", shape, "") if t["relation"] == "FOLLOWS_DIET"]
    assert (found["subject"], found["object"]) == ("Ria", "vegan")
    assert "vegan" not in json.dumps(replied("My wife Ria is vegan.", schema(), ""))


def test_evidence_is_a_piece_of_the_message() -> None:
    message = "Hi!  My son Om, who is 6,  is allergic to milk – and he loves “Kaju Katli”."
    for triple in replied(message, schema("evidence"), ""):
        assert triple["evidence"]
        assert triple["evidence"] in message


_NAMES = st.sampled_from(["Yamuna", "Zubeda", "Otis", "Harleen", "Bo", "Xavier"])
_ROLES = st.sampled_from(["son", "daughter", "wife", "cousin", "mother-in-law", "nephew"])
_FOODS = st.sampled_from(["peanuts", "kaju", "sesame", "lupin", "mango", "egg"])
_WAYS = st.sampled_from(
    [
        "My {role} {name} is allergic to {food}.",
        "Two boxes please, my {role} {name} can't eat {food}.",
        "My {role} {name} breaks out in hives from {food}. Thanks!",
        "{name} is my {role} and reacts badly to {food}.",
        "Is there a safe one? My {role} {name} has to avoid {food}.",
        "meri {role} {name} ko {food} se allergy hai",
    ]
)


@settings(max_examples=80, deadline=None)
@given(_WAYS, _ROLES, _NAMES, _FOODS)
def test_it_reads_people_and_foods_that_no_list_of_chats_holds(
    way: str, role: str, name: str, food: str
) -> None:
    message = way.format(role=role, name=name, food=food)
    assert facts(message) == {("me", "FAMILY_OF", name), (name, "ALLERGIC_TO", food)}


@settings(max_examples=80, deadline=None)
@given(st.text(st.sampled_from("aAbk ,.?!()'’\n-:नs"), max_size=200))
def test_no_text_raises(text: str) -> None:
    for fact in read_facts(text):
        assert fact.subject
        assert fact.object
    assert respond(Request((Turn("user", text or "x"),), "Extract the facts as triples.")).text


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("FAMILY_OF goes from me to the relative.", True),
        ("FAMILY_OF: me -> relative", True),
        ("For FAMILY_OF the subject is me and the object is the relative.", True),
        ("(me, FAMILY_OF, Aarav)", True),
        ("FAMILY_OF starts at me.", True),
        ("FAMILY_OF goes from the relative to me.", False),
        ("FAMILY_OF is for relatives. The one who writes is called me.", False),
        ("Get the direction right.", False),
    ],
)
def test_the_rule_about_the_direction_is_known_by_its_idea(rule: str, holds: bool) -> None:
    (first, *_) = replied("Om is my son.", schema(), f"Extract triples.\n- {rule}")
    assert ((first["subject"], first["object"]) == ("me", "Om")) is holds
