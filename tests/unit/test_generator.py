"""Generated colleges: the same everywhere, valid, of the right shape, and never held in memory."""

from __future__ import annotations

import hashlib
import itertools
import tracemalloc
from pathlib import Path

import pytest

from course_lib.college.dice import Dice
from course_lib.college.generator import generate_college
from course_lib.college.spec import COLLEGE, GRADES
from course_lib.college.tables import CollegeTables, read_tables, write_tables


def digest(tables: CollegeTables) -> str:
    text = "".join(f"{t.name}{[dict(row) for row in tables[t.name]]!r}" for t in COLLEGE.tables)
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_seed_gives_the_same_college_on_every_machine_and_python() -> None:
    # Noted on Python 3.11, 3.12 and 3.13. It changes when the generator or the shipped tables do: then check
    # on all three that it is the same again, and write the new one here.
    assert digest(generate_college(50, seed=7)) == (
        "7cd430c00ba04a080197e613f448f230a3698b09b3f86b6f117454c8ff263d21"
    )


def test_a_table_can_be_walked_twice_and_alone() -> None:
    tables = generate_college(40, seed=1)
    other = generate_college(40, seed=1)
    list(other["Student"])
    for table in reversed(COLLEGE.tables):
        assert list(tables[table.name]) == list(tables[table.name]) == list(other[table.name])


def test_another_seed_gives_another_college() -> None:
    assert digest(generate_college(50, seed=1)) != digest(generate_college(50, seed=2))


@pytest.mark.parametrize("students", [1, 2, 3, 17, 100, 523])
def test_generated_tables_hold_up_to_every_check(tmp_path: Path, students: int) -> None:
    tables = generate_college(students, seed=students)
    back = read_tables(write_tables(tables, tmp_path))  # keys, ends, grades, doubles: all checked here
    assert digest(back) == digest(tables)
    assert len(list(back["Student"])) == students


def test_sizes_can_be_chosen() -> None:
    tables = generate_college(10, seed=1, subjects=7, clubs=30, skills=40, projects=2)
    sizes = {name: len(list(tables[name])) for name in ("Subject", "Club", "Skill", "Project", "Concept")}
    assert sizes == {"Subject": 7, "Club": 30, "Skill": 40, "Project": 2, "Concept": 30 + 3 * 8}


@pytest.mark.parametrize(
    "how",
    [
        {"students": 0},
        {"students": 5, "subjects": 3},
        {"students": 5, "clubs": 2},
        {"students": 5, "skills": 4},
        {"students": 5, "projects": 0},
        {"students": 5, "ungraded": 1.5},
    ],
)
def test_sizes_out_of_range_are_refused(how: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        generate_college(seed=1, **how)  # type: ignore[arg-type]


def test_the_names_that_queries_use_are_there() -> None:
    tables = generate_college(500, seed=4)
    shipped = read_tables()
    for table in ("Subject", "Club", "Skill", "Concept"):
        assert {r["name"] for r in shipped[table]} <= {r["name"] for r in tables[table]}
    for table in ("Subject_PREREQUISITE_FOR_Subject", "Subject_COVERS_Concept"):
        first = list(itertools.islice(iter(tables[table]), 3))
        assert all(row["before" if "PRE" in table else "subject"] for row in first)
    studied = [r["grade"] for r in tables["Student_STUDIES_Subject"]]
    assert set(studied) == {*GRADES, None}
    assert 0.02 < studied.count(None) / len(studied) < 0.10


def test_every_grade_can_be_there() -> None:
    assert None not in {r["grade"] for r in generate_college(200, 1, ungraded=0)["Student_STUDIES_Subject"]}


@pytest.mark.parametrize("table", ["Concept_PREREQUISITE_FOR_Concept", "Subject_PREREQUISITE_FOR_Subject"])
def test_prerequisites_have_no_circle(table: str) -> None:
    tables = generate_college(3_000, seed=2)
    after: dict[str, list[str]] = {}
    waiting: dict[str, int] = {}
    for row in tables[table]:
        after.setdefault(str(row["before"]), []).append(str(row["after"]))
        waiting[str(row["after"])] = waiting.get(str(row["after"]), 0) + 1
    free = [key for key in after if key not in waiting]
    while free:  # take away what waits for nothing, again and again: a circle would be left over
        for key in after.pop(free.pop(), []):
            waiting[key] -= 1
            if waiting[key] == 0:
                del waiting[key]
                free.append(key)
    assert waiting == {}


def test_students_are_walked_and_never_held() -> None:
    tables = generate_college(5_000, seed=1)
    tracemalloc.start()
    try:
        count = sum(1 for _ in tables["Student_STUDIES_Subject"])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count > 10_000
    assert peak < 500_000  # bytes; held as dicts they would take some millions


# ------------------------------------------------------------------------------------------------------- dice


def test_dice_fall_the_same_for_good() -> None:
    # `Random.random` promises this sequence for this seed; everything else is arithmetic on it.
    dice = Dice(1, "test")
    assert [dice.below(6) for _ in range(12)] == [4, 3, 0, 4, 1, 3, 0, 2, 4, 2, 5, 0]


def test_dice_keep_their_promises() -> None:
    dice = Dice(3)
    assert all(0 <= dice.below(4) < 4 for _ in range(200))
    assert {dice.between(2, 4) for _ in range(200)} == {2, 3, 4}
    assert {dice.pick("abc") for _ in range(200)} == set("abc")
    assert sorted(dice.mixed(range(20))) == list(range(20))
    assert {dice.weighted((1, 0, 2)) for _ in range(200)} == {0, 2}
    for n, k in ((0, 3), (5, 0), (5, 2), (5, 5), (5, 9), (1_000, 4)):
        drawn = dice.some(n, k)
        assert len(drawn) == len(set(drawn)) == min(n, k)
        assert all(0 <= number < n for number in drawn)
    assert not any(dice.chance(0) for _ in range(100))
    assert all(dice.chance(1) for _ in range(100))
