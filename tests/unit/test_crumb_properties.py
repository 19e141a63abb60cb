"""Promises about any household and any log of chats, on generated ones."""

from __future__ import annotations

import random

import pytest

from course_lib.crumb.records import Customer, HouseholdMember
from course_lib.crumb.resolution import resolve_allergen
from course_lib.crumb.review import waiting
from course_lib.crumb.store import MEMORY, Store, open_store
from course_lib.crumb.tools import check_product, household_allergies
from course_lib.crumb.triples import Triple
from course_lib.crumb.writer import Incoming, write, write_batch
from tests.support.small_bakery import DAY, PRODUCTS, said

SEEDS = range(3)
FIRST_NAMES = ["Aarav", "Meher", "Rohan", "Sunita", "Om", "Kavita", "आरव", "Zoë", "Amy"]
LAST_NAMES = ["Mehta", "Rao", "Kulkarni", "D'Souza"]
ROLES = ["son", "daughter", "sister", "wife", "beta", "", "friend", "mother-in-law"]
WORDS = [
    "peanuts",
    "moongphali",
    "badam",
    "nuts",
    "sesame",
    "egg",
    "maida",
    "kiwi",
    "milk and egg",
    "Kaju Katli",
]
MENTIONS = ["me", "my son", "we", "C001", "C000:aarav", "my wife", "he", "User"]


def customers(rng: random.Random) -> list[Customer]:
    made = []
    for number in range(6):
        key = f"C{number:03}"
        around = {name: rng.choice(ROLES[:4]) for name in rng.sample(FIRST_NAMES, rng.randint(0, 2))}
        household = tuple(HouseholdMember(f"{key}:{n.lower()}", n, role) for n, role in around.items())
        name = f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"
        made.append(Customer(key, name, tuple(rng.sample(["egg", "peanuts"], rng.randint(0, 1))), household))
    return made


def somebody(rng: random.Random) -> str:
    name = rng.choice(FIRST_NAMES)
    forms = [
        name,
        f"my {rng.choice(['son', 'sister', 'beta'])} {name}",
        f"{name} {rng.choice(LAST_NAMES)}",
        f"{name}'s",
    ]
    return rng.choice([*forms, rng.choice(MENTIONS)])


def log(rng: random.Random, people: list[Customer], length: int = 20) -> list[Incoming]:
    messages = []
    for number in range(length):
        triples = []
        for _ in range(rng.randint(0, 4)):
            stance = rng.choice(["stated"] * 8 + ["negated", "hearsay", "past", "question"])
            match rng.choice(["tie", "tie", "allergy", "allergy", "like", "any"]):
                case "tie":
                    triple = Triple(
                        "me", "FAMILY_OF", rng.choice(FIRST_NAMES), rng.choice(ROLES), stance=stance
                    )
                case "allergy":
                    triple = Triple(somebody(rng), "ALLERGIC_TO", rng.choice(WORDS), stance=stance)
                case "like":
                    what = rng.choice(["chikki", "walnut brownies", "choco brownie", "kaju barfi"])
                    triple = Triple(somebody(rng), "LIKES", what, stance=stance)
                case _:
                    relation = rng.choice(["FAMILY_OF", "ALLERGIC_TO"])
                    triple = Triple(somebody(rng), relation, somebody(rng), rng.choice(ROLES), stance=stance)
            triples.append(triple)
        message = f"message {number}"
        messages.append(Incoming(rng.choice(people).id, said(*triples, message=message), f"m{number}", DAY))
    return messages


def filled(people: list[Customer]) -> Store:
    store = open_store(MEMORY)
    store.add_customers(people)
    store.add_products(PRODUCTS)
    return store


def owner(key: str) -> str:
    return key.partition(":")[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_fact_lands_on_another_customer_s_person(seed: int) -> None:
    rng = random.Random(seed)
    people = customers(rng)
    with filled(people) as store:
        for message in log(rng, people):
            mine = message.customer_id
            before = {c.id: household_allergies(c.id, store) for c in people if c.id != mine}
            others = store.read(
                "MATCH (p:Person)-[e]->(x) WHERE NOT p.id STARTS WITH $me RETURN count(*)", {"me": mine}
            )
            write(message.extraction, mine, store, message.message_id, date=DAY)
            after = {c.id: household_allergies(c.id, store) for c in people if c.id != mine}
            assert before == after
            assert others == store.read(
                "MATCH (p:Person)-[e]->(x) WHERE NOT p.id STARTS WITH $me RETURN count(*)", {"me": mine}
            )
        for person, customer in store.read("MATCH (p:Person)-[:FAMILY_OF]->(c:Person) RETURN p.id, c.id"):
            assert owner(person) == customer
        keys = {c.id for c in people}
        for (person,) in store.read("MATCH (p:Person) RETURN p.id"):
            assert owner(person) in keys


@pytest.mark.parametrize("seed", SEEDS)
def test_every_allergy_that_is_written_is_found_by_that_household_s_check(seed: int) -> None:
    rng = random.Random(100 + seed)
    people = customers(rng)
    with filled(people) as store:
        for message in log(rng, people):
            for line in write(message.extraction, message.customer_id, store, message.message_id, date=DAY):
                triple = line.triple
                if triple is None or triple.relation != "ALLERGIC_TO":
                    continue
                found = household_allergies(message.customer_id, store)
                if line.outcome in ("written", "known"):
                    person, _, rest = str(line).partition(" ALLERGIC_TO ")
                    allergen = rest.split(" (from")[0]
                    assert any((a.person, a.allergen) == (person, allergen) for a in found.known), str(line)
                    for product in PRODUCTS:
                        if allergen in product.contains:
                            check = check_product(message.customer_id, store, product.name)
                            assert check.status == "conflict"
                            assert any(c.person == person and c.allergen == allergen for c in check.conflicts)
                elif triple.stance == "stated":
                    assert line.outcome == "review", f"a stated allergy is never dropped: {line}"
                    item = next(item for item in waiting(store, message.customer_id) if item.id == line.item)
                    if item.kind == "triple":
                        assert found.in_doubt, "what is in the tray is seen by the tools"
        # Everything that is in the store is in somebody's household read, and nothing else.
        written = set(store.read("MATCH (p:Person)-[e:ALLERGIC_TO]->(a:Allergen) RETURN p.id, a.name"))
        read = {(a.person, a.allergen) for c in people for a in household_allergies(c.id, store).known}
        assert written == read
        assert all(resolve_allergen(allergen).value == allergen for _, allergen in written)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_log_twice_and_in_any_order_of_customers_gives_the_same_graph(seed: int) -> None:
    rng = random.Random(200 + seed)
    people = customers(rng)
    messages = log(rng, people)
    with filled(people) as store, filled(people) as other:
        for message in messages:
            write(message.extraction, message.customer_id, store, message.message_id, date=DAY)
        once = store.checksum()
        for message in messages:
            write(message.extraction, message.customer_id, store, message.message_id, date=DAY)
        assert store.checksum() == once
        # Another order of customers; each customer's own messages stay in theirs.
        order = [c.id for c in people]
        rng.shuffle(order)
        shuffled = sorted(messages, key=lambda message: order.index(message.customer_id))
        write_batch(shuffled, other, batch_size=rng.choice([1, 7, 500]))
        assert other.checksum() == once
        write_batch(shuffled, other)
        assert other.checksum() == once
