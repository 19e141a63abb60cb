"""Which parameters a query names, and how values are written so that nothing in them is read as a query."""

from __future__ import annotations

import datetime
import decimal
import enum
from typing import Any

import pytest

from course_lib.college.errors import BadParameterError, MissingParameterError, SurplusParameterError
from course_lib.college.parameters import check_names, header, is_empty, names_in


@pytest.mark.parametrize(
    ("cypher", "names"),
    [
        ("RETURN 1", []),
        ("MATCH (n {id: $id}) WHERE n.x = $x RETURN $id", ["id", "x"]),
        ("RETURN $a+$b-$a", ["a", "b"]),
        ("RETURN $`a b`, $`$c`", ["a b", "$c"]),
        ("RETURN '$no', \"$no\", $yes", ["yes"]),
        (r"RETURN 'it\'s $no', $yes", ["yes"]),
        (r"RETURN '\\', $yes", ["yes"]),
        ("MATCH (n:`$no`) RETURN n.`$no`, $yes", ["yes"]),
        ("RETURN 1 // $no\n, $yes", ["yes"]),
        ("RETURN 1 /* $no\n */ , $yes // $no", ["yes"]),
        ("RETURN '// not a comment', $yes", ["yes"]),
        ("RETURN '/*', $yes, '*/'", ["yes"]),
        ("RETURN $größe, $_x, $x9", ["größe", "_x", "x9"]),
        ("RETURN '$unclosed", []),
        ("RETURN /* $unclosed", []),
        ("RETURN $", []),
        ("RETURN 5 / 2 / $yes", ["yes"]),
    ],
)
def test_names_are_found_where_they_count(cypher: str, names: list[str]) -> None:
    assert names_in(cypher) == names


def test_missing_and_surplus_parameters_are_named() -> None:
    with pytest.raises(MissingParameterError, match=r"\$year, \$name") as missing:
        check_names("MATCH (s {year: $year, name: $name, id: $id}) RETURN s", {"id": 1})
    assert "'year': ..., 'name': ..." in missing.value.next_step
    with pytest.raises(SurplusParameterError, match=r"\$nmae"):
        check_names("RETURN $name", {"name": 1, "nmae": 2})
    check_names("RETURN $name", {"name": None})
    check_names("CYPHER name='x' RETURN $name", {})  # it brings its own: the engine judges


@pytest.mark.parametrize("text", ["", "  \n\t", ";", " ; ;", "// only a comment", "/* a */ // b\n;"])
def test_empty_texts(text: str) -> None:
    assert is_empty(text)


@pytest.mark.parametrize("text", ["RETURN 1", "'x'", "// a\nRETURN 1", "/* a */ RETURN 1;"])
def test_texts_that_are_not_empty(text: str) -> None:
    assert not is_empty(text)


class Level(enum.StrEnum):
    """A text with a name."""

    HIGH = "Advanced"


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        (-(2**63), "-9223372036854775808"),
        (2**63 - 1, "9223372036854775807"),
        (1.0, "1.0"),
        (1e16, "1e+16"),
        (0.1, "0.1"),
        (float("inf"), "1e999"),
        (float("-inf"), "-1e999"),
        ("", '""'),
        ('say "hi" \\ it\'s', '"say \\"hi\\" \\\\ it\'s"'),
        ("two\nlines", '"two\nlines"'),
        (Level.HIGH, '"Advanced"'),
        ([1, "a", None], '[1,"a",null]'),
        ((1, (2,)), "[1,[2]]"),
        ({"a": 1, "b c": [True]}, "{`a`:1,`b c`:[true]}"),
        ({}, "{}"),
    ],
)
def test_values_are_written_for_the_engine(value: Any, literal: str) -> None:
    assert header({"v": value}) == f"CYPHER `v`={literal} "


def test_no_parameters_no_header() -> None:
    assert header({}) == ""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a\x00b", "NUL"),
        ("half \ud83d", "surrogate"),
        (b"bytes", "Decode it"),
        (2**63, "64 bits"),
        (-(2**63) - 1, "64 bits"),
        (10**400, "64 bits"),
        (float("nan"), "None"),
        (datetime.date(2026, 11, 30), r"date\(\$name\)"),
        (datetime.datetime(2026, 11, 30), r"localdatetime\(\$name\)"),
        (datetime.time(9), r"localtime\(\$name\)"),
        (decimal.Decimal("1.10"), "float"),
        ({1, 2}, "sorted"),
        (object(), "object"),
        ({1: "a"}, "Names are text"),
        ({"": 1}, "not empty"),
        ({"a`b": 1}, "backtick"),
        ([1, ["x", {"k": b"y"}]], r"\$v\[1\]\[1\]\.k"),
    ],
)
def test_values_that_cannot_travel_are_refused_with_advice(value: Any, said: str) -> None:
    with pytest.raises(BadParameterError, match=said):
        header({"v": value})


@pytest.mark.parametrize("name", ["", "a`b", "a\x00b", 7])
def test_names_that_cannot_travel_are_refused(name: Any) -> None:
    with pytest.raises(BadParameterError):
        header({name: 1})


def test_endless_nesting_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(BadParameterError, match="nested"):
        header({"v": loop})
