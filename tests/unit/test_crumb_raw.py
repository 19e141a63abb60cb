"""The raw pipeline on the week's chats: the story's figures, and that they are no lookup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import pytest

from course_lib.crumb.dataset import Chat, read_chats, read_truth
from course_lib.crumb.free_form import FreeTriple, free_triples, read_free
from course_lib.crumb.raw import (
    Fate,
    RawEdge,
    all_edges,
    customers_of_node,
    fates,
    load_raw,
    raw_store,
    recall,
    spellings,
    type_name,
)
from tests.crumb_help import practice

WORDS = ("peanut", "peanuts", "groundnut", "groundnuts", "moongphali")


def free(message: str) -> Sequence[FreeTriple]:
    return free_triples(message, practice)


def through(chats: Sequence[Chat]) -> tuple[RawEdge, ...]:
    with raw_store() as store:
        load_raw(chats, store, free)
        return all_edges(store)


@lru_cache(maxsize=1)
def edges() -> tuple[RawEdge, ...]:
    return through(read_chats())


def peanut_fates(of: Sequence[RawEdge]) -> tuple[Fate, ...]:
    truth = [row for row in read_truth() if row.allergen == "peanuts"]
    return fates(of, truth, "peanuts", spellings(of, WORDS, ["nuts"]))


# ---- the figures of the story -----------------------------------------------


def test_six_nodes_for_one_allergen() -> None:
    assert spellings(edges(), WORDS, ["nuts"]) == {
        "peanuts": 58,
        "Peanut": 31,
        "groundnuts": 22,
        "groundnut": 9,
        "moongphali": 4,
        "nuts (peanut)": 3,
    }


def test_twenty_three_types_that_all_mean_the_same() -> None:
    same = spellings(edges(), WORDS, ["nuts"])
    assert len({edge.type for edge in edges() if edge.object in same}) == 23


def test_the_recall_finds_58_of_141_people() -> None:
    found = peanut_fates(edges())
    assert len({fate.fact.person for fate in found}) == len(found) == 141
    assert Counter(fate.kind for fate in found) == {
        "found": 58,
        "another spelling": 69,
        "turned round": 3,
        "another thing": 8,
        "left out": 3,
    }
    assert round(100 * 58 / 141) == 41


def test_people_nodes_and_edges_are_the_same_count() -> None:
    with raw_store() as store:
        load_raw(read_chats(), store, free)
        rows = recall(store, "peanuts")
    assert len(rows) == len({person for person, _, _ in rows}) == 58
    for name in spellings(edges(), WORDS, ["nuts"]):
        subjects = [edge.subject for edge in edges() if edge.object == name]
        assert len(subjects) == len(set(subjects))


def test_of_the_other_fourteen_five_are_only_hinted_at() -> None:
    lost = [f for f in peanut_fates(edges()) if f.kind in ("turned round", "another thing", "left out")]
    assert Counter(fate.fact.how for fate in lost) == {"stated": 9, "hinted": 5}
    hinted = [node for fate in lost if fate.fact.how == "hinted" for node in fate.nodes]
    assert sorted(hinted) == ["nut-free ghar", "nut-free household", "nuts", "nuts", "nuts"]


def test_the_58_flatters() -> None:
    used = customers_of_node(edges(), read_chats())
    alone = [f for f in peanut_fates(edges()) if f.kind == "found" and len(used[f.person]) == 1]
    assert 0 < len(alone) < 58 / 2


def test_sunita_is_four_nodes() -> None:
    mine = {chat.id for chat in read_chats() if chat.customer == "C001"}
    names = {edge.subject for edge in edges() if edge.message in mine}
    assert {"Sunita Kulkarni", "Sunita", "User", "me"} <= names


def test_one_node_is_every_customers_son_and_one_is_two_rohans() -> None:
    used = customers_of_node(edges(), read_chats())
    assert len(used["my son"]) >= 4
    assert len(used["Rohan"]) == 2
    nuts = [edge for edge in edges() if edge.subject == "Rohan" and edge.object == "cashews"]
    chats = {chat.id: chat.customer for chat in read_chats()}
    assert [chats[edge.message] for edge in nuts] == sorted(used["Rohan"] - {"C002"})


# ---- no lookup --------------------------------------------------------------


def test_respelling_ten_chats_moves_the_counts_by_ten() -> None:
    found = {f.fact.message for f in peanut_fates(edges()) if f.nodes == ("groundnuts",) and f.person}
    moved = sorted(found)[:10]
    chats = [
        replace(chat, text=chat.text.replace("groundnuts", "peanuts", 1)) if chat.id in moved else chat
        for chat in read_chats()
    ]
    one_each = [
        id_ for id_ in moved if sum(e.message == id_ and e.object == "groundnuts" for e in edges()) == 1
    ]
    before, after = spellings(edges(), WORDS, ["nuts"]), spellings(through(chats), WORDS, ["nuts"])
    lost = before["groundnuts"] - after["groundnuts"]
    assert lost == after["peanuts"] - before["peanuts"]
    assert lost >= len(one_each)
    assert {k: v for k, v in before.items() if k not in ("peanuts", "groundnuts")} == {
        k: v for k, v in after.items() if k not in ("peanuts", "groundnuts")
    }


def test_ten_peanuts_respelt_are_ten_fewer_found() -> None:
    found = [f for f in peanut_fates(edges()) if f.kind == "found"]
    single = [f.fact.message for f in found if [g.fact.message for g in found].count(f.fact.message) == 1]
    moved = set(sorted(single)[:10])
    chats = [
        replace(chat, text=chat.text.replace("peanuts", "moongphali")) if chat.id in moved else chat
        for chat in read_chats()
    ]
    after = Counter(f.kind for f in peanut_fates(through(chats)))
    assert after["found"] == 48
    assert spellings(through(chats), WORDS, ["nuts"])["moongphali"] == 14


def test_another_name_is_another_node() -> None:
    chats = [replace(chat, text=chat.text.replace("Tara", "Yamuna")) for chat in read_chats()]
    assert "Yamuna" in {edge.subject for edge in through(chats)}


# ---- its parts --------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "name"),
    [
        ("ALLERGIC_TO", "ALLERGIC_TO"),
        ("is allergic to", "IS_ALLERGIC_TO"),
        ("x`](a) DETACH DELETE a //", "X_A_DETACH_DELETE_A"),
        ("", "R"),
        ("2nd", "R_2ND"),
        ("एलर्जी", "R"),
    ],
)
def test_a_relation_becomes_a_name_that_a_type_can_have(relation: str, name: str) -> None:
    assert type_name(relation) == name


def test_an_odd_triple_is_stored_as_it_is() -> None:
    chats = [Chat("M1", "2026-10-26T09:00", "C001", "x")]
    odd = FreeTriple('O\'Neil "x"', "`; DROP", "a'b\\c")
    with raw_store() as store:
        load_raw(chats, store, lambda _: [odd])
        assert all_edges(store) == (RawEdge('O\'Neil "x"', "DROP", "a'b\\c", "M1"),)


def test_nothing_comes_of_nothing() -> None:
    with raw_store() as store:
        assert load_raw([], store, free) == ()
        assert all_edges(store) == ()
    assert free_triples("  ", practice) == ()


@pytest.mark.parametrize(
    "text",
    [
        '[{"subject": "A", "relation": "LIKES", "object": "b"}]',
        'Sure:\n```json\n[{"subject": "A", "relation": "LIKES", "object": "b"}]\n```',
        "(A, LIKES, b)",
        "- ( A , LIKES , b )\nand more",
        '[{"subject": "A", "relation": "LIKES", "object": "b"}, {"subject": "A", "rel',
    ],
)
def test_free_replies_are_read_in_the_usual_forms(text: str) -> None:
    assert read_free(text) == (FreeTriple("A", "LIKES", "b"),)


@pytest.mark.parametrize("text", ["", "no facts", "[1, 2]", '[{"subject": "A"}]', "[" * 9_000])
def test_a_free_reply_without_triples_gives_none(text: str) -> None:
    assert read_free(text) == ()
