"""The writer: what becomes of a message's triples, and what is never written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from course_lib.crumb.errors import QueryError, UnknownCustomerError
from course_lib.crumb.relations import RELATIONS, Relation
from course_lib.crumb.resolution import Resolution
from course_lib.crumb.review import waiting
from course_lib.crumb.store import Store, open_store
from course_lib.crumb.tools import household_allergies
from course_lib.crumb.triples import Doubt, Extraction, Problem, Triple
from course_lib.crumb.writer import Incoming, write, write_batch
from tests.support.small_bakery import DAY, FIRST, SECOND, allergic, bakery, family, likes, said

ROOT = Path(__file__).parents[2]


@pytest.fixture
def store() -> Iterator[Store]:
    with bakery() as opened:
        yield opened


def texts(*lines: object) -> list[str]:
    return [str(line) for line in lines]


def facts(store: Store, relation: str = "ALLERGIC_TO") -> set[tuple[str, str]]:
    rows = store.read(f"MATCH (p:Person)-[e:{relation}]->(t) WHERE e.ended IS NULL RETURN p.id, t.name")
    return {(person, target) for person, target in rows}


def people(store: Store) -> set[str]:
    return {key for (key,) in store.read("MATCH (p:Person) RETURN p.id")}


# The worked examples


def test_the_first_worked_example(store: Store) -> None:
    lines = write(FIRST, "C001", store, "m1", date=DAY)

    assert texts(*lines) == [
        "REVIEW 'my son Aarav' FAMILY_OF(son) 'Aarav' (a person cannot be their own relative)",
        "C001:aarav FAMILY_OF(son) C001",
        "C001:aarav ALLERGIC_TO peanuts (from 'groundnuts')",
        "C001:kavita FAMILY_OF(sister) C001",
        "C001:kavita LIKES Walnut Brownie (from 'walnut brownies')",
        "C001 ALLERGIC_TO peanuts (from 'peanut')",
    ]
    assert [line.outcome for line in lines] == ["review", *["written"] * 4, "known"]
    assert facts(store) == {("C001", "peanuts"), ("C001:aarav", "peanuts")}
    assert [item.code for item in waiting(store)] == ["own relative"]


def test_the_second_worked_example(store: Store) -> None:
    lines = write(SECOND, "C002", store, "m2", date=DAY)

    assert texts(*lines) == [
        "C002:meher FAMILY_OF(daughter) C002",
        "C002:meher ALLERGIC_TO tree nuts (from 'badam')",
        "C002:meher ALLERGIC_TO gluten (from 'wheat')",
        "SKIP unknown product 'choco brownie'",
    ]
    assert facts(store, "LIKES") == set()
    assert waiting(store) == []


# Once, and with all sources


def test_the_same_message_again_changes_nothing(store: Store) -> None:
    first = write(FIRST, "C001", store, "m1", date=DAY)
    before = store.checksum()
    for _ in range(2):
        again = write(FIRST, "C001", store, "m1", date="2027-01-01")
        assert texts(*again) == texts(*first)
        assert {line.outcome for line in again} == {"repeated"}
    assert store.checksum() == before


def test_a_message_without_an_id_is_known_by_its_text(store: Store) -> None:
    write(FIRST, "C001", store, date=DAY)
    before = store.checksum()
    write(FIRST, "C001", store, date=DAY)
    assert store.checksum() == before


def test_the_same_fact_from_another_message_is_one_edge_that_knows_both(store: Store) -> None:
    write(
        said(family("Aarav", "son"), allergic("Aarav", "groundnuts"), message="first"),
        "C001",
        store,
        "m1",
        date=DAY,
    )
    lines = write(
        said(allergic("my son Aarav", "moongphali"), message="second"), "C001", store, "m2", date="2026-10-28"
    )

    assert texts(*lines) == ["C001:aarav ALLERGIC_TO peanuts (from 'moongphali')"]
    assert lines[0].outcome == "known"
    ((sources,),) = store.read("MATCH (:Person {id: 'C001:aarav'})-[e:ALLERGIC_TO]->() RETURN e.sources")
    assert sources == [
        {"message": "m1", "date": DAY, "evidence": "first"},
        {"message": "m2", "date": "2026-10-28", "evidence": "second"},
    ]


def test_what_the_records_knew_keeps_its_source(store: Store) -> None:
    write(said(allergic("me", "peanuts")), "C001", store, "m1", date=DAY)
    ((sources,),) = store.read("MATCH (:Person {id: 'C001'})-[e:ALLERGIC_TO]->() RETURN e.sources")
    assert [source["message"] for source in sources] == ["records", "m1"]


def test_a_tie_and_a_name_are_set_once(store: Store) -> None:
    write(said(family("aarav", "beta")), "C001", store, "m1", date=DAY)
    lines = write(said(family("Aarav Kulkarni", "kid")), "C001", store, "m2", date=DAY)

    assert texts(*lines) == ["C001:aarav FAMILY_OF(son) C001"]
    rows = store.read(
        "MATCH (p:Person)-[e:FAMILY_OF]->(:Person {id: 'C001'}) RETURN p.name, e.role, size(e.sources)"
    )
    assert rows == [("Aarav", "son", 2)]


def test_another_reading_of_the_same_message_adds_to_it(store: Store) -> None:
    write(said(family("Aarav", "son")), "C001", store, "m1", date=DAY)
    write(said(family("Aarav", "son"), allergic("Aarav", "egg")), "C001", store, "m1", date=DAY)

    assert ("C001:aarav", "egg") in facts(store)
    ((sources,),) = store.read("MATCH (:Person {id: 'C001:aarav'})-[e:FAMILY_OF]->() RETURN e.sources")
    assert len(sources) == 1
    assert store.read("MATCH (m:Message) RETURN count(*)").scalar() == 1


# What is never written


def test_an_allergy_of_somebody_whom_nothing_ties_to_the_customer(store: Store) -> None:
    lines = write(
        said(allergic("Aarav", "groundnuts"), likes("Aarav", "Kaju Katli")), "C001", store, "m1", date=DAY
    )

    assert [line.outcome for line in lines] == ["review", "review"]
    assert people(store) == {"C001", "C002"}, "nothing of a rejected triple is left behind"
    assert [doubt.said for doubt in household_allergies("C001", store).in_doubt] == ["groundnuts"]


def test_the_order_of_a_message_s_triples_does_not_matter(store: Store) -> None:
    lines = write(
        said(allergic("Aarav", "groundnuts"), family("Aarav", "son")), "C001", store, "m1", date=DAY
    )
    assert texts(*lines) == [
        "C001:aarav ALLERGIC_TO peanuts (from 'groundnuts')",
        "C001:aarav FAMILY_OF(son) C001",
    ]


def test_a_tie_that_runs_the_wrong_way(store: Store) -> None:
    lines = write(
        said(Triple("Aarav", "FAMILY_OF", "me", "son"), allergic("Aarav", "egg")), "C001", store, "m1"
    )

    assert [line.outcome for line in lines] == ["review", "review"]
    assert people(store) == {"C001", "C002"}


@pytest.mark.parametrize(
    "triple", [family("me", "son"), family("Sunita", "daughter"), family("C002", "brother")]
)
def test_ties_that_no_code_can_know(store: Store, triple: Triple) -> None:
    (line,) = write(said(triple), "C001", store, "m1", date=DAY)
    assert line.outcome == "review"
    assert people(store) == {"C001", "C002"}


def test_a_relative_with_the_customer_s_first_name(store: Store) -> None:
    lines = write(said(family("Rohan", "son"), allergic("Rohan", "egg")), "C002", store, "m1", date=DAY)
    assert [line.outcome for line in lines] == ["review", "review"]
    # As long as nobody has decided it, the name alone is not the customer either.
    (line,) = write(said(allergic("Rohan", "milk")), "C002", store, "m2", date=DAY)
    assert line.outcome == "review"
    assert facts(store) == {("C001", "peanuts")}
    (line,) = write(said(allergic("me", "milk")), "C002", store, "m3", date=DAY)
    assert str(line) == "C002 ALLERGIC_TO milk"


def test_two_relatives_of_one_name_in_one_message(store: Store) -> None:
    lines = write(
        said(family("Om", "son"), family("Om", "nephew"), allergic("Om", "egg")),
        "C002",
        store,
        "m1",
        date=DAY,
    )
    assert [line.outcome for line in lines] == ["written", "review", "review"]


def test_two_unnamed_sons_are_not_merged(store: Store) -> None:
    lines = write(
        said(family("my son", "son"), allergic("my son", "egg"), allergic("my son", "milk")),
        "C002",
        store,
        "m1",
    )
    assert [line.outcome for line in lines] == ["skipped", "review", "review"]
    assert people(store) == {"C001", "C002"}


@pytest.mark.parametrize(
    ("stance", "outcome"),
    [("negated", "skipped"), ("past", "skipped"), ("question", "skipped"), ("hearsay", "review")],
)
def test_what_is_no_statement_is_no_fact(store: Store, stance: str, outcome: str) -> None:
    triples = allergic("me", "egg", stance), likes("me", "Kaju Katli", stance)  # type: ignore[arg-type]
    lines = write(said(*triples, family("Om", "son")), "C002", store, "m1", date=DAY)

    assert [line.outcome for line in lines] == [outcome, "skipped", "written"]
    assert facts(store) == {("C001", "peanuts")}
    assert facts(store, "LIKES") == set()


@pytest.mark.parametrize("word", ["nuts", "sesame", "eggs and milk", "kiwi", "Kaju Katli", "peannut"])
def test_a_word_that_is_not_on_the_list(store: Store, word: str) -> None:
    (line,) = write(said(allergic("me", word)), "C002", store, "m1", date=DAY)
    assert line.outcome == "review"
    assert facts(store) == {("C001", "peanuts")}
    assert len(household_allergies("C002", store).in_doubt) == 1


def test_products_in_the_grey_zone_go_to_the_tray(store: Store) -> None:
    lines = write(said(likes("me", "kaju barfi"), likes("me", "plum cake")), "C002", store, "m1", date=DAY)
    assert [line.outcome for line in lines] == ["review", "skipped"]
    assert household_allergies("C002", store).in_doubt == ()


def test_a_chat_cannot_end_an_allergy(store: Store) -> None:
    for number, stance in enumerate(("negated", "past")):
        (line,) = write(said(allergic("me", "peanuts", stance)), "C001", store, f"m{number}", date=DAY)  # type: ignore[arg-type]
        assert line.outcome == "review"
    assert facts(store) == {("C001", "peanuts")}
    assert [item.kind for item in waiting(store)] == ["retraction", "retraction"]
    (line,) = write(said(allergic("me", "nuts", "negated")), "C001", store, "m9", date=DAY)
    assert line.outcome == "review", "'not allergic to nuts' may mean the peanuts that are known"


def test_doubts_and_broken_replies_are_not_lost(store: Store) -> None:
    extraction = Extraction(
        (),
        (Doubt(allergic("me", "egg"), "its evidence is not in the message"),),
        (Problem("cut off", "…"), Problem("empty message", "")),
        "a long message",
    )
    lines = write(extraction, "C002", store, "m1", date=DAY)

    assert [line.outcome for line in lines] == ["review", "review", "skipped"]
    assert len(household_allergies("C002", store).in_doubt) == 2


def test_an_unknown_customer_or_relation(store: Store) -> None:
    before = store.checksum()
    for key in ("C999", "C001:aarav", ""):
        with pytest.raises(UnknownCustomerError):
            write(FIRST, key, store, "m1", date=DAY)
    assert store.checksum() == before
    (line,) = write(said(Triple("me", "OWES", "money")), "C001", store, "m1", date=DAY)
    assert line.outcome == "review"


def test_an_error_in_the_middle_takes_the_whole_message_back(store: Store) -> None:
    diet = Relation("FOLLOWS_DIET", "Diet", lambda mention, known: Resolution("vegan", "test"))
    before = store.checksum()
    extraction = said(
        family("Aarav", "son"), allergic("Aarav", "egg"), Triple("Aarav", "FOLLOWS_DIET", "vegan")
    )
    with pytest.raises(QueryError):
        write(extraction, "C001", store, "m1", date=DAY, relations={**RELATIONS, "FOLLOWS_DIET": diet})
    assert store.checksum() == before


def test_a_new_relation_is_a_table_and_an_entry(store: Store) -> None:
    store.write("CREATE NODE TABLE Diet(name STRING PRIMARY KEY)")
    store.write(
        "CREATE REL TABLE FOLLOWS_DIET(FROM Person TO Diet, "
        "sources STRUCT(message STRING, date STRING, evidence STRING)[], ended STRING)"
    )
    diet = Relation("FOLLOWS_DIET", "Diet", lambda mention, known: Resolution(mention.lower(), "as it is"))
    relations = {**RELATIONS, "FOLLOWS_DIET": diet}
    extraction = said(family("Aarav", "son"), Triple("Aarav", "FOLLOWS_DIET", "Vegan"))

    for _ in range(2):
        lines = write(extraction, "C001", store, "m1", date=DAY, relations=relations)
        assert texts(*lines)[1] == "C001:aarav FOLLOWS_DIET vegan (from 'Vegan')"
    assert facts(store, "FOLLOWS_DIET") == {("C001:aarav", "vegan")}


# Batches


def backlog() -> list[Incoming]:
    return [
        Incoming("C001", FIRST, "m1", DAY),
        Incoming("C002", SECOND, "m2", DAY),
        Incoming(
            "C001", said(allergic("Aarav", "moongphali"), allergic("Aarav", "egg"), message="x"), "m3", DAY
        ),
        Incoming("C002", said(family("Rohan", "son"), allergic("Rohan", "milk")), "m4", DAY),
        Incoming("C002", said(allergic("Rohan", "fish")), "m5", DAY),
        Incoming("C001", FIRST, "m1", DAY),
        Incoming("C001", said(allergic("me", "nuts"), family("Aarav", "son")), "m6", DAY),
        Incoming("C002", said(allergic("Meher", "kaju", "past")), "m7", DAY),
        Incoming("C002", said(), "m8", DAY),
    ]


@pytest.mark.parametrize("size", [1, 2, 500])
def test_batches_write_what_single_messages_write(store: Store, size: int) -> None:
    single = [write(m.extraction, m.customer_id, store, m.message_id, date=m.date) for m in backlog()]
    with bakery() as other:
        batched = write_batch(backlog(), other, batch_size=size)
        assert [texts(*lines) for lines in batched] == [texts(*lines) for lines in single]
        assert [[line.outcome for line in lines] for lines in batched] == [
            [line.outcome for line in lines] for lines in single
        ]
        assert other.checksum() == store.checksum()
        write_batch(backlog(), other, batch_size=size)
        assert other.checksum() == store.checksum()


def test_a_batch_with_a_stranger_in_it_writes_nothing(store: Store) -> None:
    before = store.checksum()
    with pytest.raises(UnknownCustomerError):
        write_batch([*backlog(), Incoming("C999", FIRST, "m9", DAY)], store)
    assert store.checksum() == before
    assert write_batch([], store) == []


# Killed in the middle

WRITE_ON = """
import sys
from course_lib.crumb.store import open_store
from course_lib.crumb.writer import write
from tests.support.small_bakery import PRODUCTS, SUNITA, allergic, family, said
store = open_store(sys.argv[1])
store.add_customers([SUNITA]); store.add_products(PRODUCTS)
letters = "abcdefghij"
for number in range(int(sys.argv[2]), 100_000):
    name = "Om" + "".join(letters[int(d)] for d in str(number))
    message = said(family(name, "son"), allergic(name, "egg"), allergic(name, "milk"))
    write(message, "C001", store, f"m{number}")
    print(number, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_a_kill_in_the_middle_of_a_message_leaves_no_half_of_it(tmp_path: Path) -> None:
    file = tmp_path / "crumb.db"
    for round_, kill_after in enumerate((1, 3, 6)):
        with subprocess.Popen(
            [sys.executable, "-c", WRITE_ON, str(file), str(1000 * round_)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ) as writer:
            assert writer.stdout is not None
            for _ in range(kill_after):
                assert writer.stdout.readline()
            writer.kill()
        with open_store(file) as store:
            messages = store.read("MATCH (m:Message)-[:FROM_CUSTOMER]->(:Person) RETURN count(*)").scalar()
            relatives = store.read("MATCH (:Person)-[:FAMILY_OF]->(:Person) RETURN count(*)").scalar()
            allergies = store.read("MATCH (:Person)-[:FAMILY_OF]->() RETURN count(*)").scalar()
            found = household_allergies("C001", store).known
            assert messages >= kill_after
            assert relatives == allergies == messages
            assert len(found) == 1 + 2 * messages, (
                "each relative's two allergies, and the one from the records"
            )
            assert store.read("MATCH (p:Person) RETURN count(*)").scalar() == 1 + messages
