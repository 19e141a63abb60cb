"""The tray: what a person decides, with who and when, and how a fact ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from course_lib.crumb.errors import ReviewError
from course_lib.crumb.records import Customer
from course_lib.crumb.review import (
    approve,
    confirm_retraction,
    correct,
    find,
    link_customer,
    reject,
    request_retraction,
    waiting,
)
from course_lib.crumb.store import Store
from course_lib.crumb.tools import check_product, household_allergies
from course_lib.crumb.triples import Extraction, Problem
from course_lib.crumb.writer import write
from tests.support.small_bakery import DAY, FIRST, allergic, bakery, family, likes, said

AT = "2026-10-30T10:00:00"


@pytest.fixture
def store() -> Iterator[Store]:
    with bakery(Customer("C007", "Kavita Rao")) as opened:
        yield opened


def raised(store: Store, *triples: object, customer: str = "C002", message: str = "m1") -> str:
    """Writes a message and gives the key of the one item that it put into the tray."""
    lines = write(said(*triples), customer, store, message, date=DAY)  # type: ignore[arg-type]
    (item,) = {line.item for line in lines if line.item}
    return item


def allergies(store: Store, customer: str = "C002") -> list[tuple[str, str]]:
    return [(a.person, a.allergen) for a in household_allergies(customer, store).known]


def test_an_item_says_what_why_from_where_and_what_it_may_be(store: Store) -> None:
    key = raised(store, allergic("me", "nuts"))
    (item,) = waiting(store)
    assert item == find(store, key)
    assert (item.customer, item.subject, item.relation, item.object) == ("C002", "me", "ALLERGIC_TO", "nuts")
    assert (item.code, item.kind, item.status, item.asked_by) == ("ambiguous", "triple", "open", "chat")
    assert item.candidates == ("peanuts", "tree nuts")
    assert (item.message, item.date) == ("m1", DAY)
    assert "peanuts or tree nuts" in item.reason
    assert waiting(store, "C001") == []


# Approve


def test_an_untied_relative_is_tied_when_a_person_says_who_they_are(store: Store) -> None:
    key = raised(store, allergic("my son Aarav", "egg"))
    item = approve(store, key, "Lata", at=AT)

    assert allergies(store) == [("C002:aarav", "egg")]
    assert (item.status, item.decided_by, item.decided_at) == ("approved", "Lata", AT)
    assert item.outcome == "C002:aarav FAMILY_OF(son) C002; C002:aarav ALLERGIC_TO egg"
    assert find(store, key) == item
    assert waiting(store) == []
    assert waiting(store, status="approved") == [item]
    assert household_allergies("C002", store).in_doubt == ()


def test_without_a_role_nothing_is_tied(store: Store) -> None:
    key = raised(store, allergic("Aarav", "egg"))
    before = store.checksum()
    with pytest.raises(ReviewError, match="role"):
        approve(store, key, "Lata")
    assert store.checksum() == before
    correct(store, key, "Lata", role="nephew", at=AT)
    assert allergies(store) == [("C002:aarav", "egg")]


def test_hearsay_becomes_a_fact_when_the_customer_was_asked(store: Store) -> None:
    write(said(family("Om", "son")), "C002", store, "m0", date=DAY)
    approve(store, raised(store, allergic("Om", "egg", "hearsay")), "Lata")
    assert allergies(store) == [("C002:om", "egg")]


def test_what_has_several_meanings_is_not_approved_but_corrected(store: Store) -> None:
    key = raised(store, allergic("me", "nuts"))
    before = store.checksum()
    with pytest.raises(ReviewError, match="peanuts, tree nuts"):
        approve(store, key, "Lata")
    with pytest.raises(ReviewError, match="no allergen called"):
        correct(store, key, "Lata", target="nuts")
    assert store.checksum() == before
    correct(store, key, "Lata", target="tree nuts", at=AT)
    assert allergies(store) == [("C002", "tree nuts")]


def test_a_namesake_becomes_a_second_person(store: Store) -> None:
    lines = write(said(family("Rohan", "son"), allergic("Rohan", "egg")), "C002", store, "m1", date=DAY)
    tie, allergy = (line.item for line in lines)
    assert tie
    assert allergy
    assert approve(store, tie, "Lata").outcome == "C002:rohan FAMILY_OF(son) C002"
    with pytest.raises(ReviewError, match="who it is"):
        approve(store, allergy, "Lata")
    with pytest.raises(ReviewError, match="nobody in the household"):
        correct(store, allergy, "Lata", person="C001:aarav")
    correct(store, allergy, "Lata", person="C002:rohan")
    assert allergies(store) == [("C002:rohan", "egg")]
    # 'Rohan' may be either from now on.
    assert raised(store, allergic("Rohan", "milk"), message="m2")


def test_two_of_one_name_in_a_household(store: Store) -> None:
    write(said(family("Om", "son")), "C002", store, "m0", date=DAY)
    key = raised(store, family("Om", "nephew"))
    assert approve(store, key, "Lata").outcome == "C002:om-nephew FAMILY_OF(nephew) C002"
    rows = store.read(
        "MATCH (p:Person)-[:FAMILY_OF]->(:Person {id: 'C002'}) RETURN p.id, p.name ORDER BY p.id"
    )
    assert rows == [("C002:om", "Om"), ("C002:om-nephew", "Om")]


def test_an_unnamed_son_gets_a_name(store: Store) -> None:
    key = raised(store, allergic("my son", "egg"))
    with pytest.raises(ReviewError, match="who it is"):
        approve(store, key, "Lata")
    with pytest.raises(ReviewError, match="no name"):
        correct(store, key, "Lata", person="son no. 2")
    correct(store, key, "Lata", person="veer", at=AT)
    assert allergies(store) == [("C002:veer", "egg")]
    assert household_allergies("C002", store).known[0].name == "Veer"


def test_it_was_the_customer_after_all(store: Store) -> None:
    correct(store, raised(store, allergic("he", "egg")), "Lata", person="me")
    assert allergies(store) == [("C002", "egg")]


def test_an_unread_message_with_an_allergy_in_it(store: Store) -> None:
    write(Extraction(problems=(Problem("refused", ""),), message="eggs!!"), "C002", store, "m1", date=DAY)
    (item,) = waiting(store)
    correct(store, item.id, "Lata", person="me", relation="ALLERGIC_TO", target="egg")
    assert allergies(store) == [("C002", "egg")]
    write(Extraction(problems=(Problem("cut off", ""),), message="hello"), "C002", store, "m2", date=DAY)
    (item,) = waiting(store)
    assert approve(store, item.id, "Lata").outcome == "read by a person"
    assert household_allergies("C002", store).in_doubt == ()


# Aliases


def test_an_approved_word_becomes_an_alias(store: Store) -> None:
    approve(store, raised(store, allergic("me", "sesame")), "Lata", remember=True, at=AT)
    correct(
        store, raised(store, allergic("me", "bhuimug"), message="m2"), "Lata", target="peanuts", remember=True
    )

    assert allergies(store) == [("C002", "peanuts"), ("C002", "sesame")]
    (line,) = write(said(allergic("me", "Bhuimug")), "C007", store, "m3", date=DAY)
    assert str(line) == "C007 ALLERGIC_TO peanuts (from 'Bhuimug')"
    assert store.read("MATCH (a:Alias {word: 'sesame'}) RETURN a.meaning, a.approved_by, a.date") == [
        ("sesame", "Lata", "2026-10-30")
    ]


@pytest.mark.parametrize("word", ["nuts", "egg and milk"])
def test_words_that_cannot_become_aliases(store: Store, word: str) -> None:
    key = raised(store, allergic("me", word))
    before = store.checksum()
    with pytest.raises(ReviewError):
        correct(store, key, "Lata", target="peanuts", remember=True)
    assert store.checksum() == before, "the decision is whole or not there"


# Reject, and the rules of signing


def test_what_is_rejected_stays_with_who_rejected_it(store: Store) -> None:
    key = raised(store, allergic("me", "kiwi"))
    reject(store, key, "Lata", at=AT, note="a joke")
    assert allergies(store) == []
    assert household_allergies("C002", store).in_doubt == ()
    item = find(store, key)
    assert (item.status, item.decided_by, item.decided_at, item.outcome) == ("rejected", "Lata", AT, "a joke")
    # The same message again does not raise it again; another message does.
    write(said(allergic("me", "kiwi")), "C002", store, "m1", date=DAY)
    assert waiting(store) == []
    raised(store, allergic("me", "kiwi"), message="m2")
    assert len(waiting(store)) == 1


def test_decisions_are_signed_and_taken_once(store: Store) -> None:
    key = raised(store, allergic("me", "nuts"))
    for act in (approve, reject):
        with pytest.raises(ReviewError, match="signed"):
            act(store, key, " ")
    reject(store, key, "Lata", at=AT)
    for act in (approve, reject, correct):
        with pytest.raises(ReviewError, match="rejected by Lata on 2026-10-30"):
            act(store, key, "Arjun")
    with pytest.raises(ReviewError, match="no item"):
        approve(store, "R0", "Lata")


# Retraction


def test_forgetting_takes_a_second_signature_and_erases_nothing(store: Store) -> None:
    write(FIRST, "C001", store, "m1", date=DAY)
    key = raised(store, allergic("Aarav", "peanuts", "past"), customer="C001", message="m2")
    assert ("C001:aarav", "peanuts") in allergies(store, "C001"), "a chat only asks"
    with pytest.raises(ReviewError, match="confirm_retraction"):
        approve(store, key, "Lata")
    with pytest.raises(ReviewError, match="reason"):
        confirm_retraction(store, key, "Lata", " ")
    confirm_retraction(store, key, "Lata", "called Sunita: tested, outgrown", at=AT)

    assert ("C001:aarav", "peanuts") not in allergies(store, "C001")
    assert [c.name for c in check_product("C001", store, "Kaju Katli").conflicts] == ["Sunita Kulkarni"]
    rows = store.read(
        "MATCH (:Person {id: 'C001:aarav'})-[e:ALLERGIC_TO]->(a) "
        "RETURN a.name, e.ended, e.ended_by, e.ended_reason, size(e.sources)"
    )
    assert rows == [("peanuts", AT, "Lata", "called Sunita: tested, outgrown", 1)]
    assert find(store, key).status == "confirmed"


def test_a_later_mention_raises_a_question(store: Store) -> None:
    key = request_retraction(store, "C001", "C001", "peanuts", "Arjun", "she says so", at=AT).id
    with pytest.raises(ReviewError, match="second person"):
        confirm_retraction(store, key, "arjun", "sure")
    confirm_retraction(store, key, "Lata", "confirmed by phone", at=AT)
    assert allergies(store, "C001") == []

    again = raised(store, allergic("me", "groundnuts"), customer="C001", message="m5")
    assert allergies(store, "C001") == [], "it does not come back by itself"
    assert find(store, again).kind == "return"
    assert [d.may_mean for d in household_allergies("C001", store).in_doubt] == [("peanuts",)]
    approve(store, again, "Lata")
    assert allergies(store, "C001") == [("C001", "peanuts")]
    ((sources,),) = store.read("MATCH (:Person {id: 'C001'})-[e:ALLERGIC_TO]->() RETURN e.sources")
    assert [source["message"] for source in sources] == ["records", "m5"]


def test_only_a_fact_that_holds_can_end(store: Store) -> None:
    for person, target in (("C001", "egg"), ("C002", "peanuts"), ("C002:aarav", "egg")):
        with pytest.raises(ReviewError, match="not a fact"):
            request_retraction(store, "C001", person, target, "Arjun", "x")
    with pytest.raises(ReviewError):
        request_retraction(store, "C999", "C999", "egg", "Arjun", "x")
    first, second = (
        request_retraction(store, "C001", "C001", "peanuts", by, "x").id for by in ("Arjun", "Meena")
    )
    confirm_retraction(store, first, "Lata", "yes")
    with pytest.raises(ReviewError, match="ended already"):
        confirm_retraction(store, second, "Lata", "yes")
    with pytest.raises(ReviewError, match="does not ask"):
        confirm_retraction(store, raised(store, allergic("me", "nuts")), "Lata", "yes")


# A relative who became a customer


def test_a_relative_who_became_a_customer_is_linked_by_a_person(store: Store) -> None:
    write(FIRST, "C001", store, "m1", date=DAY)
    write(said(allergic("Kavita", "egg")), "C001", store, "m2", date=DAY)
    write(
        said(family("Om", "son"), allergic("Om", "milk"), allergic("me", "soy")),
        "C007",
        store,
        "m3",
        date=DAY,
    )
    assert allergies(store, "C007") == [("C007", "soybeans"), ("C007:om", "milk")], "a name links nobody"

    link_customer(store, "C001:kavita", "C007", "Lata", at=AT)

    assert allergies(store, "C007") == [("C007", "egg"), ("C007", "soybeans"), ("C007:om", "milk")]
    assert set(allergies(store, "C001")) == {
        ("C001", "peanuts"),
        ("C001:aarav", "peanuts"),
        ("C001:kavita", "egg"),
        ("C007", "egg"),
        ("C007", "soybeans"),
    }, "Kavita herself, and nobody else of her household"
    assert store.read("MATCH (r)-[s:SAME_AS]->(c) RETURN r.id, c.id, s.linked_by, s.date") == [
        ("C001:kavita", "C007", "Lata", AT)
    ]
    # What Sunita says of Kavita still stays with Sunita's own node of her.
    write(said(allergic("Kavita", "fish"), likes("Kavita", "chikki")), "C001", store, "m4", date=DAY)
    assert ("C001:kavita", "fish") in allergies(store, "C001")
    assert ("C007", "fish") not in allergies(store, "C007")


@pytest.mark.parametrize(
    ("relative", "customer"),
    [("C001:kavita", "C001"), ("C001", "C007"), ("C001:nobody", "C007"), ("C001:kavita", "C9")],
)
def test_links_that_cannot_be(store: Store, relative: str, customer: str) -> None:
    write(FIRST, "C001", store, "m1", date=DAY)
    before = store.checksum()
    with pytest.raises(ReviewError):
        link_customer(store, relative, customer, "Lata")
    assert store.checksum() == before


def test_a_relative_is_linked_once(store: Store) -> None:
    write(FIRST, "C001", store, "m1", date=DAY)
    link_customer(store, "C001:kavita", "C007", "Lata")
    with pytest.raises(ReviewError, match="already"):
        link_customer(store, "C001:kavita", "C002", "Lata")
