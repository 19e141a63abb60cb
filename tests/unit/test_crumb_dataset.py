"""The bakery's tables: what must be true in them, and what is said of tables that cannot be used."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from course_lib.crumb.dataset import (
    BakeryDataError,
    crumb_folder,
    read_bakery,
    read_chats,
    read_labelled,
    read_truth,
)


def test_the_bakery_sells_what_the_course_says() -> None:
    bakery = read_bakery()
    assert set(bakery.products) == {
        "Classic Diwali Hamper",
        "Peanut Chikki",
        "Walnut Brownie",
        "Millet Ladoo Box",
        "Kaju Katli",
        "Eggless Chocolate Cake",
    }
    held = {(row.product, row.allergen): row.certainty for row in bakery.contains}
    assert held["Kaju Katli", "peanuts"] == "may"
    assert held["Peanut Chikki", "peanuts"] == "contains"
    assert ("Millet Ladoo Box", "peanuts") not in held
    assert ("Eggless Chocolate Cake", "egg") not in held


def test_the_first_two_customers_are_sunita_and_rohan_and_only_her_peanuts_were_known() -> None:
    bakery = read_bakery()
    names = {row.id: row.name for row in bakery.customers}
    assert (names["C001"], names["C002"]) == ("Sunita Kulkarni", "Rohan Mehta")
    assert [row.person for row in bakery.known if row.allergen == "peanuts"] == ["C001"]


def test_the_week_is_a_week_of_chats_by_customers() -> None:
    chats, customers = read_chats(), {row.id for row in read_bakery().customers}
    assert len(chats) == 140
    assert {chat.customer for chat in chats} <= customers
    assert len({chat.date[:10] for chat in chats}) == 7
    assert [chat.date for chat in chats] == sorted(chat.date for chat in chats)
    assert len({chat.text for chat in chats}) == len(chats)


def test_every_truth_is_of_the_customer_who_wrote_and_named_in_the_message() -> None:
    chats = {chat.id: chat for chat in read_chats()}
    for row in read_truth():
        chat = chats[row.message]
        assert row.person.split(":")[0] == chat.customer, row
        assert re.search(rf"\b{re.escape(row.words)}\b", chat.text, re.I), row


def test_no_fact_is_stated_twice() -> None:
    facts = Counter((row.person, row.allergen) for row in read_truth())
    assert [fact for fact, count in facts.items() if count > 1] == []


def test_the_chats_hold_what_makes_them_hard() -> None:
    texts = [chat.text for chat in read_chats()]
    rohans = [row.name for row in read_bakery().customers if row.name.startswith("Rohan ")]
    assert len(rohans) == 2
    for pattern, least in (
        (r"\?", 30),  # questions
        (r"\b(?:mere|meri|mera|hai|nahi)\b", 15),  # Hinglish
        (r"\bnut-free (?:household|ghar)\b", 2),
        (r"\boutgrew\b", 1),
        (r"\bnot allergic\b", 1),
        (r"\bI heard\b", 1),
        (r"\bused to be allergic\b", 1),
        (r"\bdoughter\b|\balergic\b", 1),
    ):
        found = [text for text in texts if re.search(pattern, text)]
        assert len(found) >= least, pattern


def test_openings_vary() -> None:
    openings = Counter(" ".join(chat.text.split()[:2]) for chat in read_chats())
    assert len(openings) >= 70


def test_fifty_messages_are_labelled_and_none_is_a_chat() -> None:
    labelled = read_labelled()
    assert len(labelled) == 50
    assert sum(len(message.triples) for message in labelled) >= 88
    assert not {message.text for message in labelled} & {chat.text for chat in read_chats()}


def test_labels_use_the_messages_own_words() -> None:
    for message in read_labelled():
        for triple in message.triples:
            for name in (triple.subject, triple.object):
                words = name.removeprefix("my ").removesuffix("s")  # 'nut-free' is labelled nuts
                assert name == "me" or words.casefold() in message.text.casefold(), (message.text, name)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "crumb"
    shutil.copytree(crumb_folder(), folder)
    return folder


def test_a_copy_reads_the_same(copied: Path) -> None:
    assert read_chats(copied) == read_chats()
    assert read_bakery(copied) == read_bakery()


@pytest.mark.parametrize(
    ("file", "change", "says"),
    [
        ("customers.csv", lambda t: t.replace("id,name", "name,id"), "customers.csv, line 1"),
        ("customers.csv", lambda t: t + "C001,Somebody Else\n", "C001 stands in line 2 already"),
        ("contains.csv", lambda t: t + "Plum Cake,egg,contains\n", "no such product: 'Plum Cake'"),
        ("contains.csv", lambda t: t.replace(",may", ",perhaps", 1), "no such certainty"),
        ("known.csv", lambda t: t + "C999,milk\n", "no such person"),
        ("products.csv", lambda t: t + '"a","b"\n', "2 values for 1 columns"),
        ("households.csv", lambda t: t + "C888,C888:x,X,son\n", "no such customer"),
        ("customers.csv", lambda t: t + ",No Id\n", "id is empty"),
    ],
)
def test_a_table_that_cannot_be_used_is_named_with_its_line(
    copied: Path, file: str, change: object, says: str
) -> None:
    assert callable(change)
    path = copied / file
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(BakeryDataError, match=re.escape(says)):
        read_bakery(copied)


def test_a_missing_table_is_named(copied: Path) -> None:
    (copied / "chats.csv").unlink()
    with pytest.raises(BakeryDataError, match=r"chats\.csv cannot be read"):
        read_chats(copied)


def test_a_truth_without_its_message_is_named(copied: Path) -> None:
    path = copied / "truth.csv"
    path.write_text(path.read_text(encoding="utf-8") + "C001,milk,M999,me,stated\n", encoding="utf-8")
    with pytest.raises(BakeryDataError, match="no such message: 'M999'"):
        read_truth(copied)
