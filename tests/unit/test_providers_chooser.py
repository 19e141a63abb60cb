"""Choosing a model: the list, the saved choice, the widget, and the commands."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from course_lib import cli
from course_lib.errors import SettingError
from course_lib.models import choosing
from course_lib.models.errors import AllProvidersFailedError, ModelChoiceError
from course_lib.models.tables import Table
from course_lib.settings import KEY_NAMES, load_settings
from course_lib.views.chooser import model_chooser

KEY = "a-key-that-nobody-made-0123456789"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty course folder of its own, and no key or choice from outside."""
    monkeypatch.setenv("COURSE_DIR", str(tmp_path))
    for name in (
        "COURSE_MODEL",
        "COURSE_BUILD",
        "COURSE_LOCAL_URL",
        "COURSE_LOCAL_MODEL",
        *KEY_NAMES.values(),
    ):
        monkeypatch.setenv(name, "")
    return tmp_path


def test_the_list_begins_with_practice_and_ends_with_auto() -> None:
    options = choosing.options()
    assert options[0].name == "practice"
    assert options[-1].name == "auto"
    assert [option.name for option in options if option.chosen] == ["practice"]
    assert [option.name for option in options if option.ready] == ["practice"]
    by_name = {option.name: option for option in options}
    assert by_name["groq"].state == "no GROQ_API_KEY"
    assert by_name["local"].state == "no COURSE_LOCAL_URL"
    assert by_name["practice"].state == "no key needed"


def test_a_key_makes_its_providers_ready_and_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    options = choosing.options()
    assert [option.name for option in options if option.ready] == ["practice", "groq", "groq-small", "auto"]
    assert options[-1].model == "groq, groq-small"
    table = choosing.options_table()
    assert KEY not in repr(options) + repr(table) + table._repr_html_()


def test_a_choice_is_saved_beside_other_choices_and_holds(home: Path) -> None:
    path = home / "choices.json"
    path.write_text('{"COURSE_QUERY_TIMEOUT_MS": "900"}', encoding="utf-8")
    assert (
        choosing.use_model(" Practice:practice-1-mini ")
        == "From now on the lessons ask practice (practice-1-mini)."
    )
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "COURSE_QUERY_TIMEOUT_MS": "900",
        "COURSE_MODEL": "practice:practice-1-mini",
    }
    assert load_settings().model == "practice:practice-1-mini"
    assert [option.name for option in choosing.options() if option.chosen] == ["practice"]
    assert list(home.glob("*.part")) == []


@pytest.mark.parametrize("choice", ["gorq", "groq", "auto", "", "replay", "replay:nowhere.jsonl"])
def test_a_choice_that_cannot_work_is_not_saved(choice: str, home: Path) -> None:
    with pytest.raises(ModelChoiceError):
        choosing.use_model(choice)
    assert not (home / "choices.json").exists()


def test_a_choice_that_the_environment_overrules_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_MODEL", "practice")
    assert "COURSE_MODEL=practice in the environment" in choosing.use_model("practice:practice-1-mini")


def test_a_folder_that_cannot_be_written_is_told(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    blocked = home / "a-file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("COURSE_DIR", str(blocked))
    with pytest.raises(SettingError, match=r"choices\.json"):
        choosing.use_model("practice")


def test_trying_a_model_tells_who_answered() -> None:
    sentence = choosing.described(choosing.try_model())
    assert sentence.startswith("practice (practice-1) answered in ")
    assert "tokens in" in sentence
    assert sentence.endswith("cost $0.")


def test_the_widget_tries_and_keeps_what_is_picked(home: Path) -> None:
    box = model_chooser()
    picker, test, keep = box.children[0].children
    said = box.children[1]
    assert "groq (no GROQ_API_KEY)" in said.value
    assert picker.value == "practice"
    test.click()
    assert "practice (practice-1) answered" in said.value
    keep.click()
    assert "From now on the lessons ask practice" in said.value
    assert json.loads((home / "choices.json").read_text(encoding="utf-8")) == {"COURSE_MODEL": "practice"}


def test_the_widget_shows_a_failure_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    monkeypatch.setenv("COURSE_GROQ_URL", "http://127.0.0.1:9")
    box = model_chooser()
    picker, test, _ = box.children[0].children
    picker.value = "groq"
    test.click()
    assert "There is no connection to groq" in box.children[1].value
    assert KEY not in box.children[1].value


def test_a_built_notebook_gets_the_table_and_no_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_BUILD", "1")
    assert isinstance(model_chooser(), Table)


def test_the_command_lists_chooses_and_tests(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert cli.main(["model"]) == 0
    listed = capsys.readouterr().out
    for word in (
        "practice",
        "groq-small",
        "no GROQ_API_KEY",
        "2026-11-30",
        "0.15 / 0.60",
        "200,000 tokens a day",
    ):
        assert word in listed
    assert cli.main(["model", "use", "practice:practice-1-mini"]) == 0
    assert "practice-1-mini" in capsys.readouterr().out
    assert cli.main(["model", "test"]) == 0
    assert "practice (practice-1-mini) answered" in capsys.readouterr().out
    assert cli.main(["model", "use", "groq"]) == 1
    assert "GROQ_API_KEY is not set" in capsys.readouterr().err


def test_a_model_that_does_not_answer_fails_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    monkeypatch.setenv("COURSE_GROQ_URL", "http://127.0.0.1:9")
    assert cli.main(["model", "test", "groq"]) == 1
    seen = capsys.readouterr()
    assert "no connection to groq" in seen.err
    assert KEY not in seen.out + seen.err
    with pytest.raises(AllProvidersFailedError):
        choosing.try_model("groq")


def test_the_command_line_has_help_for_each_action() -> None:
    from course_lib.commands import model

    parser = argparse.ArgumentParser()
    model.configure(parser)
    assert parser.parse_args([]).action is None
    assert parser.parse_args(["use", "groq"]).name == "groq"
    assert parser.parse_args(["test"]).name is None
