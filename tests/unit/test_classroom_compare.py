"""Two results side by side: what counts as the same, and how a difference is put into words."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.classroom.compare import compare_results
from course_lib.college.rows import NodeValue, Rows

ASKED = Rows(("student", "level"), [("Rahul", "Advanced"), ("Karan", "Intermediate")])


def rows(*cells: tuple[Any, ...], columns: tuple[str, ...] | None = None) -> Rows:
    return Rows(columns or tuple("abcdefgh"[: len(cells[0])] if cells else ("a",)), cells)


def test_the_same_rows_in_another_order_under_other_names_are_the_same() -> None:
    assert compare_results(rows(("Karan", "Intermediate"), ("Rahul", "Advanced")), ASKED).same


def test_an_order_that_was_asked_for_counts() -> None:
    difference = compare_results(rows(("Karan", "Intermediate"), ("Rahul", "Advanced")), ASKED, ordered=True)
    assert (difference.rule, difference.near) == ("order", True)
    assert "wrong order" in difference.summary


TIES = Rows(("student", "_rank"), [("Payal", 0), ("Aarav", 1), ("Sneha", 1), ("Karan", 2)])


@pytest.mark.parametrize(
    ("names", "same"),
    [
        (["Payal", "Aarav", "Sneha", "Karan"], True),
        (["Payal", "Sneha", "Aarav", "Karan"], True),
        (["Aarav", "Payal", "Sneha", "Karan"], False),
        (["Payal", "Sneha", "Karan", "Aarav"], False),
    ],
)
def test_rows_that_tie_may_come_in_any_order(names: list[str], same: bool) -> None:
    assert compare_results(rows(*[(n,) for n in names]), TIES, ordered=True).same is same


@pytest.mark.parametrize(
    ("names", "ordered", "same"),
    [
        (["Payal", "Aarav"], True, True),
        (["Payal", "Sneha"], True, True),
        (["Sneha", "Payal"], True, False),
        (["Sneha", "Payal"], False, True),
        (["Aarav", "Sneha"], False, False),
        (["Payal", "Karan"], False, False),
        (["Payal"], True, False),
        (["Payal", "Aarav", "Sneha"], True, False),
    ],
)
def test_a_limit_leaves_the_tie_at_its_edge_open(names: list[str], ordered: bool, same: bool) -> None:
    assert compare_results(rows(*[(n,) for n in names]), TIES, ordered=ordered, limit=2).same is same


def test_duplicates_count() -> None:
    asked = rows(("DBMS",), ("DBMS",), ("DSA",))
    assert compare_results(rows(("DSA",), ("DBMS",), ("DBMS",)), asked).same
    assert compare_results(rows(("DBMS",), ("DSA",)), asked).rule == "duplicates lost"
    assert compare_results(rows(("DBMS",), ("DBMS",), ("DBMS",), ("DSA",)), asked).rule == "duplicates"
    assert compare_results(rows(("DSA",), ("DSA",), ("DBMS",)), asked).rule != "same"


@pytest.mark.parametrize(("mine", "asked"), [(0.1 + 0.2, 0.3), (2.0, 2), (3.3333333, 10 / 3)])
def test_numbers_may_differ_by_rounding(mine: float, asked: float) -> None:
    assert compare_results(rows(("x", mine)), rows(("x", asked))).same


@pytest.mark.parametrize(
    ("mine", "asked", "rule"),
    [
        (True, 1, "one column wrong"),
        ("2", 2, "text for number"),
        ("payal", "Payal", "case"),
        (2.01, 2, "one column wrong"),
    ],
)
def test_values_that_look_alike_are_told_apart(mine: Any, asked: Any, rule: str) -> None:
    assert compare_results(rows(("x", mine)), rows(("x", asked))).rule == rule


def test_case_may_be_said_not_to_matter() -> None:
    assert compare_results(rows(("payal ",)), rows(("Payal",)), ignore_case=True).same


@pytest.mark.parametrize(
    ("mine", "rule", "says"),
    [
        (rows(), "no rows", "no rows"),
        (rows(("Rahul", "Advanced")), "rows missing", "one row is missing"),
        (rows(*ASKED, ("Aarav", "Beginner"), ("Payal", "Beginner")), "rows too many", "Two rows too many"),
        (rows(("Advanced", "Rahul"), ("Intermediate", "Karan")), "columns swapped", "came swapped"),
        (rows(("Rahul",), ("Karan",)), "too few columns", "two columns were asked for, and yours has 1"),
        (
            rows(("Rahul", "Advanced", 3), ("Karan", "Intermediate", 4)),
            "too many columns",
            "The right values are in there",
        ),
        (rows(("Rahul", 1), ("Karan", 2)), "one column wrong", "column 2: asked was level"),
        (rows(("Aarav", "Beginner"), ("Payal", "Beginner")), "all differ", "None of your rows"),
        (rows(("Rahul", "Advanced"), ("Payal", "Beginner")), "rows differ", "One row right, one row missing"),
        (rows(*ASKED, ("Sneha", None)), "nulls", "with null"),
    ],
)
def test_a_difference_is_named(mine: Rows, rule: str, says: str) -> None:
    difference = compare_results(mine, ASKED)
    assert difference.rule == rule
    assert says in difference.summary


def test_a_row_of_null_that_was_asked_for_and_is_missing() -> None:
    asked = rows(("Payal", "Coding Club"), ("Sneha", None))
    difference = compare_results(rows(("Payal", "Coding Club")), asked)
    assert difference.rule == "nulls"
    assert "in which something is null is missing" in difference.summary
    assert compare_results(rows(("Sneha", None), ("Payal", "Coding Club")), asked).same


def test_extra_columns_are_welcome_when_the_check_says_so() -> None:
    wider = rows(("Rahul", "Advanced", 3), ("Karan", "Intermediate", 4))
    assert compare_results(wider, ASKED, extra_columns=True).same
    assert not compare_results(wider, ASKED).same


def test_whole_nodes_in_place_of_their_names() -> None:
    nodes = rows((NodeValue(("Student",), {"name": "Rahul"}),), (NodeValue(("Student",), {"name": "Karan"}),))
    assert compare_results(nodes, rows(("Rahul",), ("Karan",))).rule == "whole nodes"
    same = rows(
        (NodeValue(("Student",), {"name": "Karan"}, 7),), (NodeValue(("Student",), {"name": "Rahul"}, 9),)
    )
    assert compare_results(same, nodes).same


def test_lists_and_maps_in_cells_are_compared_by_content() -> None:
    asked = rows((["a", 1.0], {"x": 1, "y": None}))
    assert compare_results(rows((["a", 1], {"y": None, "x": 1.0})), asked).same
    assert not compare_results(rows(([1, "a"], {"x": 1, "y": None})), asked).same


def test_no_rows_where_none_were_asked_for() -> None:
    nothing = Rows(("a",), [])
    assert compare_results(Rows(("b",), []), nothing).same
    assert compare_results(rows(("x",)), nothing).rule == "no rows asked"


CELLS = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["a", "A", "b", ""]))
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=6)
)


@given(TABLES, st.randoms(use_true_random=False))
def test_shuffled_rows_are_the_same_and_one_row_less_is_not(table: list[Any], chance: random.Random) -> None:
    shuffled = table.copy()
    chance.shuffle(shuffled)
    assert compare_results(rows(*shuffled), rows(*table)).same
    assert not compare_results(rows(*table), rows(*table, table[0])).same


@given(TABLES, TABLES)
def test_a_difference_never_spells_out_a_missing_row(mine: list[Any], asked: list[Any]) -> None:
    marked = [tuple(f"secret-{cell}" for cell in row) for row in asked]
    difference = compare_results(rows(*mine), rows(*marked))
    assert "secret" not in difference.summary
    assert difference.summary


@dataclass
class NotARow:
    columns: tuple[str, ...] = ("x",)

    def __iter__(self) -> Any:
        return iter([1, 2])


def test_plain_sequences_can_be_compared_too() -> None:
    assert compare_results([["a", 1]], rows(("a", 1))).same
    assert compare_results([{"name": "a", "n": 1}], rows(("a", 1))).same
    assert compare_results(NotARow(), rows((2,), (1,))).same


def test_each_summary_is_a_sentence_that_holds_on_any_college() -> None:
    asked = Rows(("a",), [(1,)])
    for mine, reference in (
        (Rows(("a", "b"), [(2, 3)]), asked),
        (Rows(("a", "b"), [(1, 3)]), asked),
        (Rows(("a",), [(1,), (4,)]), Rows(("a", "b"), [(2, 3)])),
        (Rows(("a",), [(2,)]), Rows(("a", "b"), [(2, 3)])),
        (asked, Rows(("a",), [])),
        (Rows(("a",), []), asked),
        (Rows(("a",), [(10**400,)]), asked),
    ):
        summary = compare_results(mine, reference).summary
        assert summary[0].isupper(), summary
        assert summary.endswith(".")
        assert " here" not in summary
