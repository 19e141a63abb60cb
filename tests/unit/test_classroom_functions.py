"""A learner's function: called safely, judged on cases, and told from the library's own part."""

from __future__ import annotations

import functools
import importlib
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from course_lib.classroom.deadline import call, explain_error
from course_lib.classroom.finished import finished_part
from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import right
from course_lib.classroom.room import Room
from course_lib.college.dataset import load_college
from course_lib.college.errors import ServerLostError
from course_lib.settings import load_settings


@pytest.fixture
def room() -> Room:
    return Room(load_settings())


# ------------------------------------------------------------------------------------------ calling it


def test_a_value_comes_back_with_what_was_printed(capfd: pytest.CaptureFixture[str]) -> None:
    import sys

    def greet(name: str) -> str:
        print("hello")
        print("oh", file=sys.stderr)
        return f"hi {name}"

    result = call(greet, "Payal")
    assert (result.value, result.error, result.late) == ("hi Payal", None, False)
    assert result.printed == "hello\noh\n"
    assert capfd.readouterr() == ("", "")


def test_a_loop_without_end_is_stopped_and_leaves_no_thread() -> None:
    def forever() -> None:
        while True:
            try:
                sum(range(100))
            except Exception:
                continue

    before = set(threading.enumerate())
    began = time.monotonic()
    result = call(forever, seconds=0.2)
    assert result.late
    assert not result.still_running
    assert not result.ok
    assert time.monotonic() - began < 3
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
    assert set(threading.enumerate()) <= before


def test_a_wait_that_cannot_be_stopped_is_said_so() -> None:
    end = threading.Event()

    def waits() -> None:
        end.wait(20)

    result = call(waits, seconds=0.1)
    end.set()
    assert result.late
    assert result.still_running


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), ValueError("x"), RecursionError("deep")]
)
def test_whatever_a_function_raises_is_caught(error: BaseException) -> None:
    def raises() -> None:
        raise error

    assert call(raises).error is error


def test_an_error_is_told_by_its_own_line() -> None:
    def divide(a: int, b: int) -> float:
        total = a
        return total / b

    error = call(divide, 1, 0).error
    assert error is not None
    said = explain_error(divide, error)
    assert said.startswith("Line 3 of your `divide` raised ZeroDivisionError: division by zero")
    assert said.endswith("the line is `return total / b`")


def test_an_error_deep_inside_the_library_points_to_the_learners_line() -> None:
    def load(graph: Any) -> Any:
        return load_college(graph)

    error = call(load, None).error
    assert error is not None
    said = explain_error(load, error)
    assert said.startswith("Line 2 of your `load` raised ")
    assert "dataset.py" not in said
    assert "\n" not in said


# ------------------------------------------------------------------------------------------- judging it

DOUBLE = FunctionCheck(
    cases=(Case((2,), 4), Case(("ab",), "abab", says="Texts can be doubled too.", near=True)),
    learnt="Doubling works for more than numbers.",
    seconds=0.3,
)


def test_a_right_function(room: Room) -> None:
    assert judge_function(lambda x: x * 2, room, DOUBLE).status == "right"
    assert judge_function(lambda x: x + x, room, DOUBLE).message == DOUBLE.learnt


def prints(x: int) -> None:
    print(x * 2)


def no_return(x: int) -> None:
    x * 2


def loops(x: int) -> None:
    while True:
        x += 1


@pytest.mark.parametrize(
    ("answer", "status", "says"),
    [
        (lambda _x: 4, "nearly", "Texts can be doubled too"),
        (lambda x: 3, "wrong", "did not give what it should"),
        (prints, "nearly", "`return`"),
        (no_return, "wrong", "gave nothing back"),
        (loops, "wrong", "was stopped"),
        (lambda: 4, "wrong", "called with 1 argument"),
        (lambda x: x.double, "wrong", "raised AttributeError"),
        (4, "wrong", "an int, not a function"),
        ("double", "wrong", "You handed in a text"),
        (len, "wrong", "raised TypeError"),
    ],
)
def test_wrong_functions(room: Room, answer: Any, status: str, says: str) -> None:
    check = DOUBLE
    if answer is no_return:
        check = FunctionCheck(cases=(Case((2,), 4),), learnt="x")
    outcome = judge_function(answer, room, check)
    assert says in outcome.message
    assert outcome.status == status


def test_a_case_may_look_at_the_outcome_itself_and_expect_an_error(room: Room) -> None:
    def judge(value: Any, args: tuple[Any, ...]) -> str | None:
        return None if value is args[0] else "Hand back the list you were given."

    check = FunctionCheck((Case(lambda _room: ([1],), judge=judge), Case(([],), raises=ValueError)), "Good.")

    def same(items: list[int]) -> list[int]:
        if not items:
            raise ValueError("empty")
        return items

    assert judge_function(same, room, check).status == "right"
    assert judge_function(lambda items: items[:], room, check).message == "Hand back the list you were given."
    assert "should raise ValueError" in judge_function(lambda items: items, room, check).message
    whole = FunctionCheck((Case(([],), judge=lambda _v, _a: right("whole")),), "other")
    assert judge_function(lambda items: items, room, whole).message == "whole"


def test_a_lost_server_is_not_the_learners_fault(room: Room) -> None:
    def unlucky(_x: int) -> None:
        raise ServerLostError("The server went away.", "Try again.")

    with pytest.raises(ServerLostError):
        judge_function(unlucky, room, DOUBLE)


# ------------------------------------------------------------------------------ the library's own part

PART = ("course_lib.college.dataset:load_college",)


def alias(graph: Any) -> Any:
    return load_college(graph)


def by_import(graph: Any) -> Any:
    from course_lib.college.dataset import load_college as theirs

    return theirs(graph)


def by_module(graph: Any) -> Any:
    return importlib.import_module("course_lib.college.dataset").load_college(graph)


def inside(graph: Any) -> Any:
    return [load_college(g) for g in [graph]]


def own(graph: Any) -> Any:
    for name in ("Payal",):
        graph.write("MERGE (:Student {name: $name})", {"name": name})
    return graph.size()


def mentions_it_only(graph: Any) -> Any:
    """Not load_college: my own."""
    return ("load_college", graph)


@pytest.mark.parametrize(
    "answer",
    [
        load_college,
        functools.partial(load_college, layers=("people",)),
        functools.wraps(load_college)(lambda graph: load_college(graph)),
        alias,
        by_import,
        inside,
        lambda graph: load_college(graph),
        lambda graph, do=load_college: do(graph),
    ],
)
def test_the_librarys_part_is_noticed(answer: Any) -> None:
    assert finished_part(answer, PART) == "load_college"


def test_a_copy_of_the_librarys_source_is_noticed() -> None:
    source = Path(finished_part.__code__.co_filename).with_name("finished.py").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(compile(source.replace("def finished_part", "def mine"), "<cell>", "exec"), names)
    assert finished_part(names["mine"], ("course_lib.classroom.finished:finished_part",)) == "finished_part"


@pytest.mark.parametrize("answer", [own, mentions_it_only, len, str, 3, None, lambda graph: graph.size()])
def test_ones_own_work_is_not_taken_for_it(answer: Any) -> None:
    assert finished_part(answer, PART) is None


def test_it_is_said_kindly(room: Room) -> None:
    outcome = judge_function(alias, room, FunctionCheck((Case((1,), 1),), "x", finished=PART))
    assert outcome.status == "wrong"
    assert "the library's own `load_college`" in outcome.message
