"""Which names a graph may have: nothing in one can reach another tenant's graph."""

from __future__ import annotations

from typing import Any

import pytest

from course_lib.college.errors import BadGraphNameError
from course_lib.college.names import graph_key


def test_the_three_kinds_of_key() -> None:
    assert graph_key() == "college"
    assert graph_key("42") == "user_42_graph"
    assert graph_key(name="lesson_02") == "lesson_02"


@pytest.mark.parametrize("good", ["a", "7", "Aarav", "user-1", "a_b-c", "x" * 64])
def test_plain_identifiers_are_taken(good: str) -> None:
    assert graph_key(good) == f"user_{good}_graph"
    assert graph_key(name=good) == good


@pytest.mark.parametrize(
    "bad",
    [
        *("", " ", "a b", "a*", "*", "a?", "[a]", "a/b", "../a", "a:b", "{a}", "a\n", "a\x00", "é", "a" * 65),
        *("_a", "a_", "-a", "a-", "~a", "%p", 7, b"a", True),
    ],
)
def test_everything_else_is_refused(bad: Any) -> None:
    with pytest.raises(BadGraphNameError):
        graph_key(bad)
    with pytest.raises(BadGraphNameError):
        graph_key(name=bad)


def test_a_name_cannot_pass_for_a_tenant() -> None:
    for name in ("user_1_graph", "USER_1_graph", "user__graph"):
        with pytest.raises(BadGraphNameError, match="tenant"):
            graph_key(name=name)
    with pytest.raises(BadGraphNameError, match="not both"):
        graph_key("1", "x")


def test_a_long_name_is_not_repeated_whole() -> None:
    with pytest.raises(BadGraphNameError) as caught:
        graph_key("x" * 10_000)
    assert len(str(caught.value)) < 300
