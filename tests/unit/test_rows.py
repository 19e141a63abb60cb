"""Rows and values: easy to compare, easy to read, safe to show."""

from __future__ import annotations

import copy
import datetime
import pickle
from html.parser import HTMLParser
from typing import Any

import pytest

from course_lib.college.rows import Counts, EdgeValue, NodeValue, PathValue, Rows, Stats, show


def test_rows_are_equal_to_what_a_learner_writes_down() -> None:
    rows = Rows(["name", "grade"], [["Payal", "A+"], ["Aarav", "A"]])

    assert rows == [("Payal", "A+"), ("Aarav", "A")]
    assert rows == [["Payal", "A+"], ["Aarav", "A"]]
    assert rows == (("Payal", "A+"), ("Aarav", "A"))
    assert rows == Rows(["name", "grade"], rows)
    assert rows != [("Aarav", "A"), ("Payal", "A+")]
    assert rows != [("Payal", "A+")]
    assert rows != Rows(["student", "grade"], rows)
    assert rows != "Payal"
    assert Rows(["x"]) == []


def test_rows_are_a_sequence_that_does_not_change() -> None:
    rows = Rows(["n"], [[1], [2], [3]])

    assert (len(rows), rows[0], rows[-1], [1] in rows, (3,) in rows) == (3, (1,), (3,), False, True)
    assert rows[1:] == [(2,), (3,)]
    assert rows[1:].columns == ("n",)
    assert [n for (n,) in rows] == [1, 2, 3]
    with pytest.raises(AttributeError, match="do not change"):
        rows.columns = ("m",)
    with pytest.raises(TypeError):
        rows[0] = (9,)  # type: ignore[index]
    with pytest.raises(TypeError):
        hash(rows)


def test_dicts_columns_and_the_one_value() -> None:
    rows = Rows(["name", "year"], [["Payal", 2], ["Rahul", 3]])

    assert rows.to_dicts() == [{"name": "Payal", "year": 2}, {"name": "Rahul", "year": 3}]
    assert rows.column("year") == rows.column(1) == [2, 3]
    assert Rows(["n"], [[42]]).scalar() == 42
    with pytest.raises(ValueError, match="2 rows with 2 columns"):
        rows.scalar()
    with pytest.raises(ValueError, match="0 rows with 1 column"):
        Rows(["n"]).scalar()


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_rows_can_be_copied_and_pickled(copier: Any) -> None:
    rows = Rows(["n"], [[NodeValue(("Student",), {"name": "Payal"})]], Stats(nodes_created=1))
    again = copier(rows)
    assert again == rows
    assert again.stats == rows.stats


def test_nodes_and_edges_compare_by_what_they_hold() -> None:
    payal = NodeValue(("Student",), {"name": "Payal", "marks": [1, 2]}, id=1)

    assert payal == NodeValue(("Student",), {"marks": [1, 2], "name": "Payal"}, id=99)
    assert payal != NodeValue(("Student",), {"name": "Payal"})
    assert len({payal, NodeValue(("Student",), {"name": "Payal", "marks": [1, 2]}, id=7)}) == 1
    assert payal["name"] == "Payal"
    assert EdgeValue("KNOWS", {"since": 2020}, id=1) == EdgeValue("KNOWS", {"since": 2020}, id=2)
    assert len({EdgeValue("KNOWS", {}), EdgeValue("KNOWS", {}, source=3)}) == 1


def test_values_read_like_cypher() -> None:
    a = NodeValue(("Student", "Tutor"), {"name": "O'Hara"}, id=0)
    b = NodeValue((), {}, id=1)
    edge = EdgeValue("STUDIES", {"grade": "A+", "on": None}, source=0, target=1)

    assert repr(a) == """(:Student:Tutor {name: "O'Hara"})"""
    assert repr(b) == "()"
    assert repr(edge) == "[:STUDIES {grade: 'A+', on: null}]"
    assert repr(PathValue((a, b), (edge,))) == f"{a!r}-{edge!r}->{b!r}"
    assert repr(PathValue((b, a), (edge,))) == f"{b!r}<-{edge!r}-{a!r}"
    assert len(PathValue((b,), ())) == 0
    assert PathValue((b,), ())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (1.0, "1.0"),
        (0.1 + 0.2, "0.3"),
        (100 / 3, "33.3333"),
        (123456.789, "123456.789"),
        (1e-7, "1e-07"),
        (2.5e20, "2.5e+20"),
        (-0.5, "-0.5"),
        (0.0, "0.0"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        ("it's", "it's"),
        (["a", 1, None, [True]], "['a', 1, null, [true]]"),
        ({"a": "b", "c": 1.5}, "{a: 'b', c: 1.5}"),
        (datetime.date(2026, 11, 30), "2026-11-30"),
        (datetime.datetime(2026, 11, 30, 9, 5), "2026-11-30T09:05:00"),
        (datetime.timedelta(days=1), "1 day, 0:00:00"),
    ],
)
def test_cells_are_shown_sensibly(value: Any, text: str) -> None:
    assert show(value) == text


def test_plain_text_is_a_table_with_numbers_to_the_right() -> None:
    rows = Rows(["student", "credits"], [["Payal", 4], ["Aarav Kumar", 12]])
    assert repr(rows).splitlines() == [
        "student     | credits",
        "------------+--------",
        "Payal       |       4",
        "Aarav Kumar |      12",
        "2 rows",
    ]


def test_plain_text_of_nothing_of_changes_and_of_much() -> None:
    assert repr(Rows(["name", "grade"])) == "0 rows (columns: name, grade)"
    assert repr(Rows(stats=Stats(nodes_created=2, properties_set=3))) == "2 nodes created, 3 properties set"
    assert repr(Rows()) == "nothing changed"
    assert repr(Rows(["n"], [[1]])).endswith("\n1 row")
    many = repr(Rows(["n"], [[i] for i in range(25)])).splitlines()
    assert len(many) == 2 + 20 + 1
    assert many[-1] == "25 rows, the first 20 of them shown"


def test_plain_text_keeps_its_lines_whatever_the_cells_hold() -> None:
    rows = Rows(["text"], [["line\nbreak\ttab\x00"], ["日本語"], ["x" * 500]])
    lines = repr(rows).splitlines()
    assert len(lines) == 6
    assert r"line\nbreak\ttab\x00" in lines[2]
    assert len(lines[4]) == 72
    assert lines[4].endswith("…")


class _Reader(HTMLParser):
    """Collects the tags and the text of cells, and refuses what is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read_html(rows: Rows) -> _Reader:
    reader = _Reader()
    reader.feed(rows._repr_html_())
    reader.close()
    assert reader.open == []
    return reader


def test_html_is_a_table_that_escapes_everything() -> None:
    nasty = "<script>alert('x')</script> & \"quotes\""
    found = read_html(Rows([nasty], [[nasty], [[nasty]], [NodeValue(("A",), {"x": nasty})], [None]]))

    assert "script" not in found.tags
    assert found.texts[:2] == [nasty, nasty]
    assert "null" in found.texts
    assert found.texts[-1] == "4 rows"
    assert {"table", "thead", "tbody", "tr", "th", "td"} <= set(found.tags)


def test_html_shows_at_most_twenty_rows_and_says_so() -> None:
    found = read_html(Rows(["n"], [[i] for i in range(1000)]))
    assert found.tags.count("td") == 20
    assert found.texts[-1] == "1000 rows, the first 20 of them shown"


def test_html_of_nothing_and_of_changes() -> None:
    assert read_html(Rows(["name"])).texts == ["name", "0 rows"]
    assert read_html(Rows(stats=Stats(relationships_created=1))).texts == ["1 relationship created"]


def test_html_brings_no_style_sheet_and_stays_small() -> None:
    page = Rows([f"c{i}" for i in range(5)], [["x" * 10_000] * 5] * 50)._repr_html_()
    assert "<style" not in page
    assert "http" not in page
    assert len(page) < 60_000


def test_counts_and_stats_read_like_a_sentence() -> None:
    assert str(Counts(20, 39)) == "20 nodes, 39 relationships"
    assert str(Stats(nodes_created=1, labels_added=1)) == "1 node created, 1 label added"
    assert Stats(milliseconds=1.0) == Stats(milliseconds=2.0)
