"""`course test`: which stages there are, and how their results are counted and shown."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from course_lib import chromium
from course_lib.classroom.source import SourceError
from course_lib.commands import test as command
from course_lib.commands.test import Stage


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("solutions/01_first.py", "solutions/02_more.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("# %%\n", encoding="utf-8")
    for folder in ("notebooks", "solutions"):
        (tmp_path / folder).mkdir(exist_ok=True)
        for name in ("01_first", "02_more"):
            (tmp_path / folder / f"{name}.ipynb").write_text("{}", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("43 passed in 54.70s", (43, 0, 0)),
        ("1 failed, 43 passed, 2 skipped, 1 warning in 4.70s", (43, 1, 2)),
        ("=== 2 failed, 3 errors in 1.00s ===", (0, 5, 0)),
        ("1 error in 0.31s", (0, 1, 0)),
        ("5 deselected in 0.02s", (0, 0, 0)),
        ("12 passed, 3 xfailed in 70.12s (0:01:10)", (15, 0, 0)),
        ("Traceback (most recent call last):", (0, 0, 0)),
    ],
)
def test_counts_are_read_off_the_last_line(line: str, expected: tuple[int, int, int]) -> None:
    assert command.counts(f"....F [100%]\n3 passed in the text\n{line}\n") == expected


def names(stages: list[Stage]) -> list[str]:
    return [stage.name for stage in stages]


def test_everything_is_tested_and_the_browser_where_there_is_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "find_chromium", lambda: Path("/usr/bin/chromium"))
    stages, notes = command.plan(root)
    assert names(stages) == [
        "style",
        "notebooks fit their sources",
        "types",
        "tests",
        "notebooks",
        "in the browser",
    ]
    assert notes == []
    monkeypatch.setattr(chromium, "find_chromium", lambda: None)
    stages, notes = command.plan(root)
    assert "in the browser" not in names(stages)
    assert "no Chromium" in notes[0]
    assert "install" in notes[0]


def test_quick_leaves_out_what_is_slow(root: Path) -> None:
    stages, _ = command.plan(root, quick=True)
    assert tuple(names(stages)) == command.QUICK
    assert "tests/integration" not in stages[-1].commands[0]


def test_lessons_select_answers_and_notebooks(root: Path) -> None:
    stages, _ = command.plan(root, lessons=["2"])
    check, answers, notebooks = stages
    assert check.commands[0][-1] == "02"
    assert "[02. or [02_" in answers.commands[0]
    assert notebooks.commands[0][-2:] == ("notebooks/02_more.ipynb", "solutions/02_more.ipynb")
    with pytest.raises(SourceError, match="no lesson '09'"):
        command.plan(root, lessons=["09"])


def test_an_expression_goes_to_pytest_alone(root: Path) -> None:
    stages, _ = command.plan(root, select="graph")
    assert set(names(stages)) <= {"tests", "in the browser"}
    assert stages[0].commands[0][-2:] == ("-k", "graph")


def test_both_notebooks_of_each_lesson_are_run(root: Path) -> None:
    assert command.notebooks_stage(root).commands[0][-4:] == (
        "notebooks/01_first.ipynb",
        "notebooks/02_more.ipynb",
        "solutions/01_first.ipynb",
        "solutions/02_more.ipynb",
    )


def test_keys_settings_and_the_home_folder_stay_out_of_the_tests(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("GROQ_API_KEY", "COURSE_BUILD", "COURSE_WORK", "COURSE_TYPED", "FALKORDB_URL"):
        monkeypatch.setenv(name, "set")
    monkeypatch.setenv("COURSE_MODEL", "groq")
    environment = command.environment_for_tests(tmp_path)
    assert {"GROQ_API_KEY", "COURSE_BUILD", "COURSE_WORK"}.isdisjoint(environment)
    assert environment["COURSE_MODEL"] == "practice"
    assert {"COURSE_TYPED", "FALKORDB_URL"} <= set(environment)
    assert environment["IPYTHONDIR"].startswith(str(tmp_path))


def code(text: str) -> tuple[str, ...]:
    return (sys.executable, "-c", text)


def test_stages_are_reported_with_the_output_of_what_failed_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages = [
        Stage("good", (code("print('not shown')"),)),
        Stage("aside", (code("print('from aside'); raise SystemExit(1)"),), aside=True),
        Stage("bad", (code("print('what went wrong')"), code("import sys; sys.exit('the fault')"))),
    ]
    outcomes = list(command.run_stages(stages, tmp_path))
    assert [(o.passed, o.failed) for o in outcomes] == [(1, 0), (1, 1), (0, 1)]  # what ran aside comes last
    printed = capsys.readouterr().out
    assert "not shown" not in printed
    assert "the fault" in printed
    assert "from aside" in printed
    assert [line.split()[0] for line in printed.splitlines() if " s  " in line] == ["ok", "FAILED", "FAILED"]


def test_a_pytest_that_breaks_down_counts_as_a_failure(tmp_path: Path) -> None:
    # As pytest ends when it cannot read its own command line: code 4, and no line with counts.
    stage = Stage("tests", ((*code("print('usage: ...'); raise SystemExit(4)"), "pytest"),))
    (outcome,) = command.run_stages([stage], tmp_path)
    assert (outcome.passed, outcome.failed) == (0, 1)


def test_skipped_tests_are_counted_with_their_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_a(): pass\ndef test_b(): pytest.skip('no engine here')\n", encoding="utf-8"
    )
    command_line = (sys.executable, "-m", "pytest", "-q", "-ra", "-p", "no:cacheprovider", "test_it.py")
    (outcome,) = command.run_stages([Stage("tests", (command_line,))], tmp_path)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (1, 0, 1)
    assert "no engine here" in capsys.readouterr().out


def test_the_last_line_counts_everything(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = [Stage("one", (code(""),)), Stage("two", (code("raise SystemExit(3)"),))]
    monkeypatch.setattr(command, "plan", lambda *_: (stages, ["the browser tests: no Chromium here."]))
    arguments = argparse.Namespace(quick=False, lessons=[], select=None)
    assert command.run(arguments) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "1 passed, 1 failed"
    assert any("no Chromium" in line for line in lines)


def test_missing_tools_are_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "nbval" else object())
    with pytest.raises(command.ToolsMissingError, match=r"nbval.*course\.py test"):
        command.need_test_tools()
