"""Predictions, decisions, the manifest, untouched stubs, and how things look."""

from __future__ import annotations

import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from course_lib.classroom import show
from course_lib.classroom.decisions import DecideCheck, judge_decision
from course_lib.classroom.manifest import (
    Exercise,
    ManifestError,
    NoSuchExerciseError,
    NoSuchLessonError,
    load_manifest,
    read_manifest,
)
from course_lib.classroom.outcome import STATUSES, Outcome, better, nearly, right, wrong
from course_lib.classroom.predictions import Misconception, PredictCheck, judge_prediction, same_prediction
from course_lib.classroom.registry import CheckMissingError, CheckTwiceError, find_check, judges
from course_lib.classroom.room import Room
from course_lib.classroom.untouched import (
    NoCheckCallError,
    _stub_answer,
    handed_in_by,
    is_blank,
    is_untouched,
    same_answer,
)
from course_lib.college.rows import Rows
from course_lib.settings import load_settings


@pytest.fixture
def room() -> Room:
    return Room(load_settings())


# ------------------------------------------------------------------------------------------ predictions


def kind_of(value: Any) -> str:
    """The name of a case: some of these numbers are too large to be written."""
    return type(value).__name__


@pytest.mark.parametrize(
    ("answer", "actual"),
    [
        (4, 4),
        ("4", 4),
        (" 4.0 ", 4),
        ([4], 4),
        ("PAYAL", "Payal"),
        ("yes", True),
        (True, True),
        ({"b", "a"}, ["a", "b"]),
        (("A", "b"), ["a", "B"]),
        ("a", ["a"]),
        (None, None),
        ([["a", 1]], [("a", 1)]),
        (("1", "0", "1"), [0, 1, 1]),
        (["0", 1, "1.0"], [0, 1, 1]),
        (["yes", "no"], [True, False]),
    ],
)
def test_predictions_that_say_the_same(answer: Any, actual: Any) -> None:
    assert same_prediction(answer, actual)


@pytest.mark.parametrize(
    ("answer", "actual"),
    [
        (10**400, 4),
        (10**5000, 4),
        ([10**5000, 1, 1], [0, 1, 1]),
        (("0", "1"), [0, 1, 1]),
        (("0", "1", "x"), [0, 1, 1]),
        (float("nan"), 4),
        (5, 4),
        ("four", 4),
        (1, True),
        (True, 1),
        (["a"], ["a", "b"]),
        ("a b", "ab"),
        ([], 0),
    ],
    ids=kind_of,
)
def test_predictions_that_do_not(answer: Any, actual: Any) -> None:
    assert not same_prediction(answer, actual)


@pytest.mark.parametrize(
    "huge", [10**400, -(10**400), 10**5000, [10**400, 1, 1], float("inf"), "1e999"], ids=kind_of
)
def test_a_number_beyond_all_bounds_is_merely_wrong(huge: Any, room: Room) -> None:
    for actual in (4, [0, 1, 1]):
        check = PredictCheck(actual=lambda _room, actual=actual: actual, learnt="x", ordered=True)  # type: ignore[misc]
        assert judge_prediction(huge, room, check).status == "wrong"


def test_the_order_of_a_prediction_counts_when_asked() -> None:
    assert same_prediction(["a", "b"], ["b", "a"])
    assert not same_prediction(["a", "b"], ["b", "a"], ordered=True)


def test_a_prediction_is_held_against_what_the_engine_gives(room: Room) -> None:
    check = PredictCheck(
        actual=lambda _room: Rows(("grade",), [("B+",), ("B",), ("A+",), ("A",)]),
        learnt="Text.",
        misconceptions=(Misconception(["A+", "A", "B+", "B"], "That is by worth.", near=True),),
        ordered=True,
    )
    assert judge_prediction(["B+", "B", "A+", "A"], room, check).status == "right"
    near = judge_prediction(("A+", "A", "B+", "B"), room, check)
    assert (near.status, near.message) == ("nearly", "That is by worth.")
    assert judge_prediction(["A", "A+", "B", "B+"], room, check).status == "wrong"
    assert judge_prediction(7, room, check).message != near.message
    number = PredictCheck(actual=lambda _room: 3, learnt="x")
    assert judge_prediction("many", room, number).message == "Hand in a number."


# -------------------------------------------------------------------------------------------- decisions

BATCHES = DecideCheck(
    choices={"a": "a query per row", "b": "batches"},
    best="b",
    measure=lambda _room: 8.0,
    learnt="Fewer trips.",
    against={"a": "Which of the two took longer?"},
    number="how many times faster batches are",
    accepts=lambda given, measured: 5 <= given <= 2 * measured,
)


@pytest.mark.parametrize(
    ("answer", "status", "says"),
    [
        (("b", 8), "right", "Fewer trips"),
        (("B", 6.5), "right", "Fewer trips"),
        (["b", 40], "nearly", "does not hold"),
        (("a", 8), "wrong", "Which of the two"),
        (("c", 8), "wrong", "'a' or 'b'"),
        (("b", "eight"), "wrong", "should be a number"),
        (("b", True), "wrong", "should be a number"),
        (("b", float("nan")), "wrong", "should be a number"),
        ("b", "wrong", "Hand in two things"),
    ],
)
def test_decisions(room: Room, answer: Any, status: str, says: str) -> None:
    outcome = judge_decision(answer, room, BATCHES)
    assert outcome.status == status
    assert says in outcome.message


# ------------------------------------------------------------------------------------------ the manifest

LESSON = {"id": "02", "topic": "ask_more", "title": "Ask more", "minutes": 40, "data": "college"}
EXERCISE = {
    "id": "02.1",
    "title": "Strongest first",
    "kind": "mend",
    "minutes": 5,
    "asked": "Everyone with the skill",
    "hints": ["a", "b", "c"],
}


def test_the_shipped_manifest_is_in_order() -> None:
    manifest = load_manifest()
    assert [lesson.id for lesson in manifest.lessons] == sorted(lesson.id for lesson in manifest.lessons)
    for lesson in manifest.lessons:
        exercises = manifest.of_lesson(lesson.id)
        assert [int(e.id[3:]) for e in exercises] == list(range(1, len(exercises) + 1))
        assert sum(e.minutes for e in exercises if e.core) < lesson.minutes
        if exercises:
            assert 2 <= sum(e.core for e in exercises) <= 3


def test_lessons_and_exercises_are_found_by_id() -> None:
    manifest = read_manifest([LESSON], [EXERCISE, {**EXERCISE, "id": "02.2"}])
    assert manifest.lesson("2").title == "Ask more"
    assert manifest.lesson("02_ask_more").file_stem == "02_ask_more"
    assert manifest.exercise("02.1").core
    following = manifest.after("02.1")
    assert following is not None
    assert following.id == "02.2"
    assert manifest.after("02.2") is None
    with pytest.raises(NoSuchLessonError, match="There are: 02"):
        manifest.lesson("7")
    with pytest.raises(NoSuchExerciseError, match=r"Did you mean 02\.1"):
        manifest.exercise("2.1")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"hints": ["a", "b"]}, "three different hints"),
        ({"hints": ["a", "a", "b"]}, "three different hints"),
        ({"kind": "quiz"}, "Choose from: predict"),
        ({"minutes": 0}, "whole number from 1"),
        ({"minutes": True}, "whole number"),
        ({"id": "2.1"}, "`id`"),
        ({"lesson": "03"}, "says lesson '03'"),
        ({"asked": " "}, "`asked`"),
        ({"core": "yes"}, "true or false"),
        ({"level": 3}, "says 'level'"),
        ({"id": "05.1"}, "lessons.toml does not list"),
    ],
)
def test_a_broken_entry_is_named(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ManifestError, match=says):
        read_manifest([LESSON], [{**EXERCISE, **change}])


def test_ids_stand_once_and_lessons_build_on_lessons() -> None:
    with pytest.raises(ManifestError, match=r"two entries for exercise 02\.1"):
        read_manifest([LESSON], [EXERCISE, EXERCISE])
    with pytest.raises(ManifestError, match="two entries for lesson 02"):
        read_manifest([LESSON, LESSON], [])
    with pytest.raises(ManifestError, match="builds on '01'"):
        read_manifest([{**LESSON, "before": ["01"]}], [])


def test_an_exercise_without_a_check_is_our_fault() -> None:
    with pytest.raises(CheckMissingError, match="our fault"):
        find_check("98.1")


def test_two_checks_for_one_exercise_are_refused() -> None:
    def one(_answer: Any, _room: Room) -> Outcome:
        return right("")

    def two(_answer: Any, _room: Room) -> Outcome:
        return right("")

    judges("97.1")(one)
    judges("97.1")(one)
    with pytest.raises(CheckTwiceError):
        judges("97.1")(two)


# -------------------------------------------------------------------------------------- untouched stubs


@pytest.mark.parametrize("blank", [None, ..., "", "  \n", (), ("a", None), (..., 3), ("", "x")])
def test_blank_answers(blank: Any) -> None:
    assert is_blank(blank)


@pytest.mark.parametrize("answer", [0, False, [], "x", ("y", "x"), {}])
def test_answers_that_are_not_blank(answer: Any) -> None:
    assert not is_blank(answer)


STUB = '''
def merge(rows):
    """Doc."""
    for row in rows:
        ...  # your code here
query = """
    MATCH (n)   RETURN n
"""
size = college.size()
lesson.check("02.9", merge, query)
'''


def test_a_stub_is_run_by_itself_and_compared_by_value() -> None:
    one, other = handed_in_by(STUB, "02.9"), handed_in_by(STUB.replace("# your code", "# my code"), "02.9")
    assert same_answer(one, other)
    assert same_answer(
        one, handed_in_by(STUB.replace("    MATCH (n)   RETURN n", "MATCH (n) RETURN n"), "02.9")
    )
    for change in (("...  #", "print(row)  #"), ("RETURN n", "RETURN n.name"), ("rows)", "rows, x=1)")):
        assert not same_answer(one, handed_in_by(STUB.replace(*change), "02.9"))


def test_a_cell_that_never_hands_in_is_named() -> None:
    with pytest.raises(NoCheckCallError, match=r"02\.8"):
        handed_in_by(STUB, "02.8")


def test_values_of_two_kinds_are_not_the_same() -> None:
    assert not same_answer(1, True)
    assert not same_answer([1], (1,))
    assert same_answer({"a": [1, None]}, {"a": [1, None]})

    class Model:
        size: int

    first = Model

    class Model:  # type: ignore[no-redef]
        size: str

    assert not same_answer(first, Model)
    assert same_answer(first, first)


def test_a_stub_in_a_source_counts_as_untouched_and_a_missing_source_does_not_matter(tmp_path: Path) -> None:
    exercise = load_manifest().exercise("00.2")
    query = "MATCH (n) RETURN n"
    assert not is_untouched(exercise, query, tmp_path)
    assert is_untouched(exercise, "", tmp_path)
    cell = "query = 'MATCH  (n) RETURN n'\n### BEGIN SOLUTION\nquery = 'x'\n### END SOLUTION\n"
    source = f'# %% exercise="00.2"\n{cell}lesson.check("00.2", query)\n'
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "00_start_here.py").write_text(source, encoding="utf-8")
    assert is_untouched(exercise, query, tmp_path)
    assert not is_untouched(exercise, query + ".name", tmp_path)


def test_without_the_solutions_the_stub_comes_from_the_shipped_lesson(tmp_path: Path) -> None:
    root = load_settings().root
    (tmp_path / "notebooks").mkdir()
    for path in (root / "notebooks").glob("[0-9][0-9]_*.ipynb"):
        shutil.copy(path, tmp_path / "notebooks")
    exercise = load_manifest().exercise("01.2")
    stub = _stub_answer(root / "solutions" / "01_first_graph.py", "01.2", 0)
    assert isinstance(stub, str)
    assert stub.strip(), "this stub is more than an empty text"
    assert is_untouched(exercise, stub, tmp_path)
    assert not is_untouched(exercise, stub + " LIMIT 9", tmp_path)
    for torn in ("", "[]", '{"cells": [{}]}', '{"cells": []}'):
        (tmp_path / "notebooks" / "01_first_graph.ipynb").write_text(torn, encoding="utf-8")
        assert not is_untouched(exercise, stub, tmp_path)


# ----------------------------------------------------------------------------------------- how it looks


class Checker(HTMLParser):
    """Notes the tags that are open, and every tag and attribute that occurs."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, _attrs: Any) -> None:
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags_of(text: str) -> set[str]:
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    return checker.tags


EXERCISE_SHOWN = Exercise("02.1", "02", "A <b> title", "mend", True, 5, "Rows & <things>", ("a", "b", "c"))


@pytest.mark.parametrize("status", STATUSES)
def test_a_verdict_is_a_word_and_a_symbol_in_both_faces(status: Any) -> None:
    card = show.verdict_card(Outcome(status, "A `word` <script>."), EXERCISE_SHOWN, "An offer.")
    symbol = show.SYMBOLS[status]
    assert card.text.splitlines()[0] == f"{symbol} {status} · 02.1 A <b> title"
    assert f"{symbol} {status}" in card.html
    assert "<code>word</code> &lt;script&gt;" in card.html
    assert "script" not in tags_of(card.html)
    assert card._repr_mimebundle_() == {"text/plain": card.text, "text/html": card.html}


def test_the_learners_rows_stand_beside_what_was_asked_escaped_and_small() -> None:
    mine = Rows(
        ("<i>",), [("<img src=x onerror=alert(1)>" * 9,), *[(f"line\nbreak {n}",) for n in range(40)]]
    )
    card = show.verdict_card(wrong("No.", mine), EXERCISE_SHOWN, "")
    assert "Asked: Rows & <things>" in card.text
    assert "Your rows (41):" in card.text
    assert "… and 36 more rows" in card.text
    assert "img" not in tags_of(card.html)
    assert len(card.html) < 4_000
    assert max(map(len, card.text.splitlines())) <= 100


def test_no_rows_and_other_values_are_shown_too() -> None:
    assert "(0 rows)" in show.verdict_card(nearly("x", Rows(("a",), [])), EXERCISE_SHOWN, "").text

    class Nasty:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert "a value of type Nasty" in show.verdict_card(wrong("x", Nasty()), EXERCISE_SHOWN, "").text
    assert "0x" not in show.verdict_card(wrong("x", object()), EXERCISE_SHOWN, "").text
    assert "the function len" in show.verdict_card(wrong("x", len), EXERCISE_SHOWN, "").text


def test_a_right_answer_shows_its_rows_and_not_once_more_what_was_asked() -> None:
    outcome = Outcome("right", "Learnt.", Rows(("a",), [(1,), (2,)]), heading="Your rows, on this college")
    card = show.verdict_card(outcome, EXERCISE_SHOWN, "Next: 02.2.")
    assert "Your rows, on this college (2):" in card.text
    assert "Your rows, on this college (2):" in card.html
    assert "Asked" not in card.text + card.html
    assert card.text.endswith("Next: 02.2.")
    one = show.verdict_card(right("Learnt.", Rows(("a",), [(1,)])), EXERCISE_SHOWN, "")
    assert "Your row:" in one.text
    assert "Your" not in show.verdict_card(right("Learnt.", 4), EXERCISE_SHOWN, "").text


def test_indented_lines_keep_their_columns_in_both_faces() -> None:
    said = "It says: no.\n    WHERE  a != `b` <\n           ^\nWrite `<>`."
    card = show.verdict_card(wrong(said), EXERCISE_SHOWN, "")
    assert "    WHERE  a != `b` <\n           ^\n" in card.text
    assert "WHERE  a != `b` &lt;\n       ^</pre>Write <code>&lt;&gt;</code>." in card.html
    assert "pre" in tags_of(card.html)


def test_badges_can_be_read() -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour in show.COLOURS.values():
        assert 1.05 / (luminance(colour) + 0.05) >= 5


def test_a_bar_is_full_only_at_the_end() -> None:
    assert show.bar(0, 3) == "░" * 10
    assert show.bar(29, 30) == "█" * 9 + "░"
    assert show.bar(3, 3) == "█" * 10
    assert show.bar(0, 0) == "░" * 10


def test_the_better_status_wins() -> None:
    assert better("nearly", "wrong") == "nearly"
    assert better("not attempted", "right") == "right"
