"""The learner's copies of the lessons: made once, never overwritten."""

from __future__ import annotations

import datetime
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from course_lib.lab.copies import (
    Copies,
    NoSuchLessonError,
    copy_lessons,
    fresh_copy,
    lesson_to_open,
)
from course_lib.lab.files import FolderUnusableError
from course_lib.settings import Settings, load_settings

TODAY = datetime.date(2026, 11, 30)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A course with two lessons."""
    plain = replace(
        load_settings(environ={}), root=tmp_path, home=tmp_path / ".course", work=tmp_path / "work"
    )
    (tmp_path / "notebooks").mkdir()
    for name in ("00_start_here", "01_first_graph"):
        ship(plain, name, "as first shipped")
    (tmp_path / "notebooks" / "notes.ipynb").write_text("no lesson")
    return plain


def ship(settings: Settings, name: str, text: str) -> None:
    (settings.root / "notebooks" / f"{name}.ipynb").write_text(text)


def copy_of(settings: Settings, name: str) -> Path:
    return settings.work / f"{name}.ipynb"


def test_every_lesson_is_copied_once(settings: Settings) -> None:
    first, second = copy_lessons(settings), copy_lessons(settings)

    assert first == Copies(made=("00_start_here.ipynb", "01_first_graph.ipynb"), newer=())
    assert second == Copies(made=(), newer=())
    assert sorted(path.name for path in settings.work.iterdir()) == list(first.made)


def notebook_of(*cells: dict[str, object]) -> str:
    return json.dumps({"cells": cells, "metadata": {"x": "é"}, "nbformat": 4, "nbformat_minor": 5})


RUN = {
    "cell_type": "code",
    "id": "a",
    "metadata": {"exercise": "00.1"},
    "source": ["1 + 1"],
    "execution_count": 7,
    "outputs": [{"output_type": "execute_result", "data": {"text/plain": ["2"]}, "execution_count": 7}],
}
TEXT = {"cell_type": "markdown", "id": "b", "metadata": {}, "source": ["What do you expect?"]}


def test_a_copy_does_not_hold_what_the_cells_gave(settings: Settings) -> None:
    ship(settings, "01_first_graph", notebook_of(TEXT, RUN))

    copy_lessons(settings)

    blank = {**RUN, "execution_count": None, "outputs": []}
    for copy in (copy_of(settings, "01_first_graph"), fresh_copy(settings, "01", TODAY)):
        assert json.loads(copy.read_text(encoding="utf-8")) == json.loads(notebook_of(TEXT, blank))
    shipped = settings.root / "notebooks" / "01_first_graph.ipynb"
    assert json.loads(shipped.read_text())["cells"][1]["outputs"], "the lesson as shipped keeps them"


def test_outputs_that_changed_make_no_newer_lesson(settings: Settings) -> None:
    ship(settings, "01_first_graph", notebook_of(RUN))
    copy_lessons(settings)
    ship(settings, "01_first_graph", notebook_of({**RUN, "outputs": []}))

    assert copy_lessons(settings) == Copies((), ())


def test_a_copy_that_only_jupyterlab_saved_is_the_learners_all_the_same(settings: Settings) -> None:
    ship(settings, "01_first_graph", notebook_of(TEXT, RUN))
    copy_lessons(settings)
    copy = copy_of(settings, "01_first_graph")
    # JupyterLab writes the keys in an order and with an indent of its own, and adds to the metadata.
    saved = json.loads(copy.read_text(encoding="utf-8"))
    saved["metadata"]["language_info"] = {"name": "python"}
    copy.write_text(json.dumps(saved, sort_keys=True, indent=1), encoding="utf-8")
    before = copy.read_bytes()
    ship(settings, "01_first_graph", notebook_of(TEXT, RUN, {**RUN, "id": "c"}))

    assert copy_lessons(settings).newer == ("01_first_graph.ipynb",)
    assert copy.read_bytes() == before
    assert lesson_to_open(settings) == "01_first_graph.ipynb"


def test_what_the_learner_wrote_stays(settings: Settings) -> None:
    copy_lessons(settings)
    copy_of(settings, "01_first_graph").write_text("mine")
    ship(settings, "01_first_graph", "changed")

    copy_lessons(settings)

    assert copy_of(settings, "01_first_graph").read_text() == "mine"


def test_a_changed_lesson_is_told_of_once(settings: Settings) -> None:
    copy_lessons(settings)
    ship(settings, "01_first_graph", "changed")

    assert copy_lessons(settings).newer == ("01_first_graph.ipynb",)
    assert copy_lessons(settings).newer == ()
    ship(settings, "01_first_graph", "changed again")
    assert copy_lessons(settings).newer == ("01_first_graph.ipynb",)


def test_a_new_lesson_comes_with_the_next_start(settings: Settings) -> None:
    copy_lessons(settings)
    ship(settings, "02_ask_more", "new")

    assert copy_lessons(settings).made == ("02_ask_more.ipynb",)


def test_a_copy_that_was_deleted_comes_back(settings: Settings) -> None:
    copy_lessons(settings)
    copy_of(settings, "00_start_here").unlink()

    assert copy_lessons(settings).made == ("00_start_here.ipynb",)


@pytest.mark.parametrize("record", ["", "torn {", "[]", '{"seen": 1}'])
def test_a_lost_record_loses_no_work(settings: Settings, record: str) -> None:
    copy_lessons(settings)
    copy_of(settings, "01_first_graph").write_text("mine")
    (settings.home / "lessons.json").write_text(record)

    assert copy_lessons(settings) == Copies((), ())
    assert copy_of(settings, "01_first_graph").read_text() == "mine"
    assert json.loads((settings.home / "lessons.json").read_text())["seen"]


@pytest.mark.parametrize("number", ["01", "1", "01_first_graph", "01_first_graph.ipynb"])
def test_a_fresh_copy_stands_beside_the_old_one_with_the_date(settings: Settings, number: str) -> None:
    copy_lessons(settings)
    copy_of(settings, "01_first_graph").write_text("mine")
    ship(settings, "01_first_graph", "changed")

    fresh = fresh_copy(settings, number, TODAY)
    again = fresh_copy(settings, number, TODAY)

    assert fresh.name == "01_first_graph-2026-11-30.ipynb"
    assert again.name == "01_first_graph-2026-11-30-2.ipynb"
    assert fresh.read_text() == "changed"
    assert copy_of(settings, "01_first_graph").read_text() == "mine"


def test_a_fresh_copy_of_a_lesson_that_is_not_there(settings: Settings) -> None:
    with pytest.raises(NoSuchLessonError, match=r"The lessons are: 00, 01\."):
        fresh_copy(settings, "77")


def test_a_folder_that_cannot_be_used_leaves_nothing_half_written(settings: Settings) -> None:
    settings.work.write_text("a file where the folder should be")

    with pytest.raises(FolderUnusableError, match="COURSE_WORK"):
        copy_lessons(settings)

    assert settings.work.read_text() == "a file where the folder should be"


class TestWhatOpens:
    def test_the_first_lesson_at_first(self, settings: Settings) -> None:
        copy_lessons(settings)

        assert lesson_to_open(settings) == "00_start_here.ipynb"

    def test_what_was_worked_on_last(self, settings: Settings) -> None:
        copy_lessons(settings)
        for age, name in ((50, "01_first_graph"), (500, "00_start_here")):
            copy_of(settings, name).write_text("mine")
            then = copy_of(settings, name).stat().st_mtime - age
            os.utime(copy_of(settings, name), (then, then))

        assert lesson_to_open(settings) == "01_first_graph.ipynb"

    def test_a_new_lesson_does_not_push_itself_forward(self, settings: Settings) -> None:
        copy_lessons(settings)
        copy_of(settings, "01_first_graph").write_text("mine")
        ship(settings, "02_ask_more", "new")
        copy_lessons(settings)

        assert lesson_to_open(settings) == "01_first_graph.ipynb"

    def test_nothing_where_there_are_no_lessons(self, settings: Settings) -> None:
        settings.work.mkdir()

        assert lesson_to_open(settings) is None
