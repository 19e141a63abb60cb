"""Varied colleges: every case in each of them, the same for the same seed, valid as files."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_lib.college.generator import vary_college
from course_lib.college.spec import COLLEGE
from course_lib.college.tables import CollegeTables, read_tables, write_tables
from course_lib.college.variation import CASES, _View

SEEDS = range(25)


def content(tables: CollegeTables) -> dict[str, list[object]]:
    return {t.name: [dict(row) for row in tables[t.name]] for t in COLLEGE.tables}


def names(tables: CollegeTables) -> list[str]:
    return [str(row["name"]) for row in tables["Student"]]


@pytest.mark.parametrize("seed", SEEDS)
def test_each_college_has_every_case_and_holds_up_to_every_check(tmp_path: Path, seed: int) -> None:
    tables = vary_college(seed)
    view = _View(tables.rows)  # type: ignore[arg-type]
    assert [case for case, (_, holds) in CASES.items() if not holds(view)] == []
    assert content(read_tables(write_tables(tables, tmp_path))) == content(tables)


def test_the_same_seed_gives_the_same_college_and_each_seed_another() -> None:
    assert content(vary_college(5)) == content(vary_college(5))
    every = [content(vary_college(seed)) for seed in SEEDS]
    for table in ("Student", "Student_STUDIES_Subject", "Student_MEMBER_OF_Club", "Subject_COVERS_Concept"):
        assert len({repr(college[table]) for college in every}) == len(every)


def test_values_that_queries_name_are_the_same_and_people_are_others() -> None:
    shipped = read_tables()
    for seed in SEEDS:
        tables = vary_college(seed)
        for table in ("Subject", "Club", "Skill", "Concept"):
            assert {r["name"] for r in shipped[table]} <= {r["name"] for r in tables[table]}
        assert not {r["name"] for r in shipped["Student"]} & set(names(tables))
        assert len(set(names(tables))) == len(names(tables))


@pytest.mark.parametrize("keep", [("Payal",), ("Payal", "Aarav"), ("Rahul", "Aarav", "Payal")])
@pytest.mark.parametrize("seed", range(8))
def test_students_that_a_query_names_can_be_kept(seed: int, keep: tuple[str, ...]) -> None:
    tables = vary_college(seed, keep=keep)
    view = _View(tables.rows)  # type: ignore[arg-type]
    for name in keep:
        (student,) = [s for s, n in view.names().items() if n == name]
        subjects = view.subjects_of()
        assert student in view.dbms()
        assert len(subjects[student]) > 1
        assert list(subjects.values()).count(subjects[student]) > 1
        assert view.clubs_of()[student]
        assert view.next_topics(student)
    assert all(holds(view) for _, holds in CASES.values())


def test_kept_students_do_other_things_than_in_the_shipped_college() -> None:
    """A typed-in answer about Payal must fail on some seed, for each kind of question."""
    shipped = _View({t.name: list(read_tables()[t.name]) for t in COLLEGE.tables})
    payal = "S02"
    grades, clubs, topics, subjects = set(), set(), set(), set()
    for seed in range(12):
        view = _View(vary_college(seed, keep=("Payal",)).rows)  # type: ignore[arg-type]
        (student,) = [s for s, n in view.names().items() if n == "Payal"]
        grades.add(view.dbms()[student])
        clubs.add(frozenset(view.clubs_of()[student]))
        topics.add(frozenset(view.next_topics(student)))
        subjects.add(view.subjects_of()[student])
    assert grades - {shipped.dbms()[payal]}
    assert clubs - {frozenset(shipped.clubs_of()[payal])}
    assert topics - {frozenset(shipped.next_topics(payal))}
    assert subjects - {shipped.subjects_of()[payal]}


@pytest.mark.parametrize("keep", [("A", "B", "C", "D"), ("Payal", "Payal"), "Payal"])
def test_what_cannot_be_kept_is_refused(keep: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="keep takes"):
        vary_college(1, keep=keep)


def test_the_view_sees_what_the_engine_sees_on_the_shipped_college() -> None:
    """The figures are those that the queries of test_college_facts give."""
    view = _View({t.name: list(read_tables()[t.name]) for t in COLLEGE.tables})
    assert view.next_topics("S01") == {"C06", "C07", "C08"}
    assert view.shortest_ways("C02", "C05", directed=False) == [("C02", "C03", "C04", "C05")]
    assert view.dbms() == {"S01": "A", "S02": "A+", "S04": "B+"}
    assert view.machine_learning() == {"S03": "Advanced", "S05": "Intermediate"}
