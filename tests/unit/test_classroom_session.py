"""What the calls of a notebook do: show, count, remember, and raise only where only right will do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from course_lib import lesson
from course_lib.classroom import registry, session
from course_lib.classroom.manifest import NoSuchExerciseError
from course_lib.classroom.outcome import NotRightError, Outcome, right
from course_lib.classroom.room import Room
from course_lib.college.errors import ServerLostError
from course_lib.settings import load_settings


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A learner's folder of its own, and a kernel that remembers nothing."""
    monkeypatch.setenv("COURSE_DIR", str(tmp_path / "home"))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delenv("COURSE_BUILD", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(session, "_memory", session._Memory())
    monkeypatch.setattr(session, "_books", {})
    return tmp_path / "home"


def entry(home: Path, exercise_id: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((home / "progress.json").read_text())["exercises"][exercise_id]
    return found


def test_four_words_and_what_is_counted(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = [lesson.check("00.1", answer).status for answer in (..., 7, 3, 4)]
    assert words == ["not attempted", "wrong", "nearly", "right"]
    out, err = capfd.readouterr()
    assert err == ""
    for text in ("○ not attempted", "✗ wrong", "≈ nearly", "✓ right", 'lesson.hint("00.1")', "Next: 00.2"):
        assert text in out
    found = entry(home, "00.1")
    assert (found["status"], found["attempts"]) == ("right", 3)


def test_what_is_right_already_is_not_offered_next(capfd: pytest.CaptureFixture[str]) -> None:
    session.progress_book().record("00.2", "right")
    lesson.check("00.1", 4)
    assert "Next: 00.3" in capfd.readouterr().out
    session.progress_book().record("00.3", "right")
    lesson.check("00.1", 4)
    assert "Next: lesson 01" in capfd.readouterr().out


def test_hints_come_one_by_one_and_the_last_stays(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(4):
        lesson.hint("00.1")
    shown = capfd.readouterr().out.split("Hint ")[1:]
    assert [text[:6] for text in shown] == ["1 of 3", "2 of 3", "3 of 3", "3 of 3"]
    assert "This is the last one" in shown[2]
    assert "That was the last one" in shown[3]
    assert "solutions/00_start_here.ipynb" in shown[3]
    assert "last one" not in shown[0] + shown[1]
    assert entry(home, "00.1")["hints"] == 3
    lesson.check("00.1", 7)
    assert "shows the last hint again" in capfd.readouterr().out


def test_no_worked_answer_is_promised_where_a_class_has_none(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    without = replace(load_settings(), root=tmp_path / "class")
    monkeypatch.setattr(session, "load_settings", lambda: without)
    for _ in range(4):
        lesson.hint("00.1")
    lesson.check("00.1", 7)
    said = capfd.readouterr().out
    assert "That was the last one." in said
    assert "shows the last hint again." in said
    assert "worked answer" not in said
    assert "solutions" not in said


def test_a_hint_without_an_id_is_for_the_last_exercise(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(session.NoLessonStartedError, match=r"lesson\.start"):
        lesson.hint()
    lesson.check("00.1", 7)
    lesson.hint()
    assert "Hint 1 of 3 · 00.1" in capfd.readouterr().out


def test_an_exercise_starts_over(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lesson.check("00.1", 4)
    lesson.hint("00.1")
    lesson.reset("00.1")
    assert "00.1 Run it again starts over" in capfd.readouterr().out
    assert json.loads((home / "progress.json").read_text())["exercises"] == {}
    with pytest.raises(session.NoLessonStartedError):
        lesson.reset()


def test_a_rehearsal_counts_nothing_and_never_raises(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert lesson.rehearse("00.1", 7).status == "wrong"
    assert "nothing was counted" in capfd.readouterr().out
    assert not home.exists()


@pytest.mark.parametrize("where", ["solutions", "nbgrader"])
def test_only_a_right_answer_passes_where_it_must(
    where: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if where == "solutions":
        (tmp_path / "solutions").mkdir()
        monkeypatch.chdir(tmp_path / "solutions")
    else:
        monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    for answer in (..., 7, 3):
        with pytest.raises(NotRightError, match=r"00\.1"):
            lesson.check("00.1", answer)
    assert lesson.check("00.1", 4).right
    lesson.hint("00.1")
    lesson.reset("00.1")
    lesson.progress()
    assert capfd.readouterr().err == ""
    assert not home.exists(), "nothing is written to the learner's file"


def test_a_build_writes_nothing_to_the_learners_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_BUILD", "1")
    assert lesson.check("00.1", 7).status == "wrong"
    lesson.hint("00.1")
    assert not home.exists()


def test_an_unknown_exercise_is_named() -> None:
    for call in (lesson.check, lesson.hint, lesson.reset, lesson.rehearse):
        with pytest.raises(NoSuchExerciseError, match="Did you mean"):
            call("00.11", 3) if call in (lesson.check, lesson.rehearse) else call("00.11")  # type: ignore[call-arg]


def broken(_answer: Any, _room: Room) -> Outcome:
    return {}["missing"]  # type: ignore[no-any-return]


def forgets(_answer: Any, _room: Room) -> Outcome:
    return None  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("function", "says"), [(broken, "KeyError: 'missing'"), (forgets, "returned NoneType")]
)
def test_a_check_that_breaks_is_our_fault(
    function: Any, says: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry._CHECKS, "00.1", function)
    with pytest.raises(session.CheckBrokenError, match="our fault, not yours") as caught:
        lesson.check("00.1", 4)
    assert says in str(caught.value)
    assert not (home / "progress.json").exists()


def test_an_engine_that_is_gone_keeps_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def unlucky(_answer: Any, _room: Room) -> Outcome:
        raise ServerLostError("The server went away.", "Run the cell again.")

    monkeypatch.setitem(registry._CHECKS, "00.1", unlucky)
    with pytest.raises(ServerLostError):
        lesson.check("00.1", 4)


def test_progress_that_cannot_be_saved_does_not_hide_the_verdict(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home.write_text("a file, where the folder should be")
    assert lesson.check("00.1", 4).right
    out, err = capfd.readouterr()
    assert "✓ right" in out
    assert "Your progress could not be saved" in out
    assert err == ""


def test_several_answers_arrive_as_a_tuple(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def look(answer: Any, _room: Room) -> Outcome:
        seen.append(answer)
        return right("x")

    monkeypatch.setitem(registry._CHECKS, "00.1", look)
    lesson.check("00.1", "a", 8)
    lesson.check("00.1", ("b", 9))
    assert seen == [("a", 8), ("b", 9)]
    assert lesson.check("00.1").status == "not attempted"
    half = lesson.check("00.1", "a", ...)
    assert (half.status, half.message) == ("not attempted", session.HALF_EMPTY)
    assert lesson.check("00.1", ..., ...).message != session.HALF_EMPTY


# ------------------------------------------------------------------------------------------- the panel


def click(panel: Any, label: str) -> str:
    (button,) = [b for b in panel.children[1].children if b.description == label]
    button.click()
    return str(panel.children[2].value)


def test_the_buttons_do_what_the_calls_do(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    answers = iter([7, 4])
    panel = lesson.panel("00.1", lambda: next(answers))
    assert "✗ wrong" in click(panel, "Check")
    assert "Hint 1 of 3" in click(panel, "Hint")
    assert "✓ right" in click(panel, "Check")
    assert entry(home, "00.1")["attempts"] == 2
    assert "Really start over?" in click(panel, "Start over")
    assert entry(home, "00.1")["attempts"] == 2
    assert "starts over" in click(panel, "Start over")
    assert json.loads((home / "progress.json").read_text())["exercises"] == {}
    assert 'role="status"' in panel.children[2].value
    assert all(b.description and "00.1" in b.tooltip for b in panel.children[1].children)
    assert capfd.readouterr().err == ""


def test_a_panel_without_an_answer_checks_what_was_handed_in_last() -> None:
    panel = lesson.panel("00.1")
    assert "Nothing was handed in for 00.1 yet" in click(panel, "Check")
    lesson.check("00.1", 3)
    assert "≈ nearly" in click(panel, "Check")


def test_a_build_stores_a_card_in_place_of_the_buttons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_BUILD", "1")
    assert "Run this cell" in lesson.panel("00.1").text


def test_the_machine_is_looked_at_and_a_build_stores_nothing_about_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "Python" in repr(lesson.machine())
    monkeypatch.setenv("COURSE_BUILD", "1")
    assert "Run this cell" in lesson.machine().text
