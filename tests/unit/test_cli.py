"""The `course` command: its table, its help, its exit codes."""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib import cli
from course_lib.errors import CourseError
from course_lib.settings import project_root


def written() -> list[str]:
    """The commands that have a module."""
    folder = Path(cli.__file__).parent / "commands"
    return sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")


def test_every_command_that_is_written_is_in_the_table() -> None:
    assert set(written()) <= set(cli.COMMANDS)


@pytest.mark.parametrize("name", written())
def test_a_command_keeps_the_contract(name: str) -> None:
    module = importlib.import_module(f"course_lib.commands.{name}")
    parser = argparse.ArgumentParser(prog=name)

    module.configure(parser)

    assert isinstance(module.HELP, str)
    assert callable(module.run)
    parser.format_help()  # a stray % in a help text would raise here


def test_alone_it_says_what_to_type_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[2].strip().endswith("lab")
    assert len(lines) < 25


def test_words_are_those_that_the_learner_typed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_TYPED", "py course.py")

    cli.main(["help"])

    assert "    py course.py lab\n" in capsys.readouterr().out


def test_an_unknown_command_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doktor"]) == 2

    said = capsys.readouterr()
    assert "doctor" in said.err
    assert said.out == ""


def test_a_course_error_is_one_line_and_exit_code_1(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from course_lib.commands import lock

    def fail(args: argparse.Namespace) -> int:
        raise CourseError("It is broken.", "Mend it.")

    monkeypatch.setattr(lock, "run", fail)

    assert cli.main(["lock"]) == 1
    assert capsys.readouterr().err == "It is broken. Mend it.\n"


def test_options_that_cannot_be_read_are_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["lab", "--port", "none"])

    assert left.value.code == 2
    assert "a port is a number from 1 to 65535" in capsys.readouterr().err


def test_a_package_that_is_not_installed_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jupyterlab", None)
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", None)
    from course_lib.commands import lab

    def run(args: argparse.Namespace) -> int:
        import jupyterlab  # noqa: F401

        return 0

    monkeypatch.setattr(lab, "run", run)

    assert cli.main(["lab"]) == 1
    said = capsys.readouterr().err
    assert "needs the package jupyterlab" in said
    assert "python3 course.py lab" in said


def test_a_command_that_this_copy_lacks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "COMMANDS", {**cli.COMMANDS, "dance": "dance"})

    assert cli.main(["dance"]) == 1
    assert "no `dance` yet" in capsys.readouterr().err


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, json; from course_lib.cli import main; main([]); "
        "print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=project_root()
    )
    loaded = set(json.loads(done.stdout.splitlines()[-1]))

    assert not loaded & {
        "jupyterlab",
        "IPython",
        "falkordb",
        "redis",
        "kuzu",
        "anthropic",
        "pydantic",
        "rich",
    }


def test_it_can_be_piped_into_head() -> None:
    done = subprocess.run(
        f"{sys.executable} -m course_lib.cli help | head -1",
        shell=True,
        capture_output=True,
        text=True,
        cwd=project_root(),
    )

    assert done.stdout == "The graph course. To begin, type\n"
    assert done.stderr == ""
