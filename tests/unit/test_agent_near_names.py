"""Names that nearly match: what people type, and what the graph has."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.college.near_names import Name, folded, near_names, stems

STUDENTS = ("Aarav", "Payal", "Rahul", "Sneha", "Karan")
SUBJECTS = ("DBMS", "DSA", "Operating Systems", "Computer Networks")
CLUBS = ("Coding Club", "Robotics Club", "Debate Society")
SKILLS = ("Python", "React", "SQL", "Machine Learning", "Docker")
PROJECTS = ("Library Management System", "Campus Chatbot", "Attendance Tracker")
CONCEPTS = (
    *("Normalization", "1NF", "2NF", "3NF", "BCNF", "Indexing", "Query Optimization", "Transactions"),
    *("Arrays", "Linked Lists", "Trees", "BST", "Graphs", "BFS", "DFS", "Dynamic Programming"),
    *("Processes", "Threads", "Scheduling", "Deadlocks", "Memory Management", "Paging", "Virtual Memory"),
    *("OSI Model", "TCP/IP", "HTTP", "DNS", "Routing", "Subnetting", "Firewalls"),
)
NAMES = tuple(
    Name(owner, "name", value)
    for owner, values in (
        ("Student", STUDENTS),
        ("Subject", SUBJECTS),
        ("Club", CLUBS),
        ("Skill", SKILLS),
        ("Project", PROJECTS),
        ("Concept", CONCEPTS),
    )
    for value in values
)


def values(typed: str, limit: int = 3) -> list[str]:
    return [near.value for near in near_names(typed, NAMES, limit)]


@pytest.mark.parametrize(
    ("typed", "meant", "how"),
    [
        ("payal", "Payal", "same"),
        ("  DBMS ", "DBMS", "same"),
        ("1nf", "1NF", "same"),
        ("debate-ye", "Debate Society", "ending"),
        ("debate wale", "Debate Society", "ending"),
        ("payalka", "Payal", "ending"),
        ("dbms-wale", "DBMS", "ending"),
        ("bcnf-tak", "BCNF", "ending"),
        ("snehaji", "Sneha", "ending"),
        ("Rahul's", "Rahul", "ending"),
        ("ML", "Machine Learning", "initials"),
        ("os", "Operating Systems", "initials"),
        ("C.N.", "Computer Networks", "initials"),
        ("lms", "Library Management System", "initials"),
        ("debate", "Debate Society", "word"),
        ("tcp", "TCP/IP", "word"),
        ("comp net", "Computer Networks", "start"),
        ("norm", "Normalization", "start"),
        ("robo", "Robotics Club", "start"),
        ("pyhton", "Python", "spelling"),
        ("coding clb", "Coding Club", "spelling"),
        ("attendence", "Attendance Tracker", "spelling"),
        ("raul", "Rahul", "spelling"),
        ("linkedlist", "Linked Lists", "spelling"),
    ],
)
def test_what_people_type(typed: str, meant: str, how: str) -> None:
    found = near_names(typed, NAMES)
    assert (found[0].value, found[0].how) == (meant, how)
    assert found[0].typed == typed


@pytest.mark.parametrize(
    "typed", ["java", "Vikram", "hai", "mein", "kaun", "masters", "", "   ", "'", "?", "it"]
)
def test_what_is_near_to_nothing(typed: str) -> None:
    assert values(typed) == []


def test_os_is_not_osi_model() -> None:
    assert values("os") == ["Operating Systems"]


def test_several_that_are_as_near_are_all_offered() -> None:
    assert values("club") == ["Coding Club", "Robotics Club"]
    assert values("memory") == ["Memory Management", "Virtual Memory"]
    assert values("club", limit=1) == ["Coding Club"]


def test_the_same_name_of_two_owners_is_offered_once() -> None:
    twice = (Name("Skill", "name", "Python"), Name("Concept", "name", "Python"))
    assert [near.value for near in near_names("python", twice)] == ["Python"]


def test_accents_and_spaces_make_no_difference() -> None:
    assert folded("  Café   Crème ") == "cafe creme"
    assert values("Pāyal") == ["Payal"]


def test_endings_leave_a_stem_that_could_be_a_name() -> None:
    assert "debate" in stems("debate-ye")
    assert "payal" in stems("payalka")
    assert stems("ke") == ()


@given(st.text(max_size=200))
def test_any_text_may_be_asked_for(typed: str) -> None:
    for near in near_names(typed, NAMES):
        assert near.name in NAMES
        assert 0 < near.score <= 100


def test_a_hundred_thousand_characters_are_no_name_and_take_no_time() -> None:
    began = time.perf_counter()
    assert values("payal " * 20_000) == []
    assert time.perf_counter() - began < 0.5
