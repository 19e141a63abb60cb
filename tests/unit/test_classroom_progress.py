"""The progress file: nothing that a learner did is lost, whatever happens to the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from course_lib.classroom import progress as progress_module
from course_lib.classroom.manifest import read_manifest
from course_lib.classroom.overview import overview_card, overview_data
from course_lib.classroom.progress import Entry, ProgressFile, ProgressNotSavedError
from course_lib.commands import progress as command


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "progress.json"


def test_the_best_status_is_kept_and_everything_is_counted(path: Path) -> None:
    book = ProgressFile(path)
    assert book.entries() == {}
    for status in ("wrong", "nearly", "wrong", "right", "wrong"):
        book.record("00.1", status)  # type: ignore[arg-type]
    for _ in range(5):
        book.see_hint("00.1", 3)
    entry = ProgressFile(path).entry("00.1")
    assert (entry.status, entry.attempts, entry.hints) == ("right", 5, 3)
    assert entry.first_right is not None
    first = entry.first_right
    book.record("00.1", "right")
    assert book.entry("00.1").first_right == first
    assert json.loads(path.read_text())["version"] == 1


def test_one_exercise_or_several_start_over(path: Path) -> None:
    book = ProgressFile(path)
    for exercise in ("00.1", "00.2", "01.1"):
        book.record(exercise, "right")
    book.forget(["00.1", "00.2", "00.9"])
    assert set(book.entries()) == {"01.1"}
    assert book.entry("00.1") == Entry()


@pytest.mark.parametrize(
    "torn",
    [
        b"",
        b'{"version": 1, "exercises": {"00.1": {"sta',
        b"\xff\xfe\x00",
        b"[]",
        b'{"version": 1}',
        b'{"version": 1, "exercises": {"00.1": {"status": "great", "attempts": 1, "hints": 0}}}',
        b'{"version": 1, "exercises": {"00.1": {"status": "right", "attempts": -1, "hints": 0}}}',
        b'{"version": 1, "exercises": {"00.1": 3}}',
    ],
)
def test_a_torn_file_is_kept_aside_and_said_once(path: Path, torn: bytes) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(torn)
    book = ProgressFile(path)
    assert book.entries() == {}
    notes = book.take_notes()
    assert len(notes) == 1
    assert "progress.unread-1.json" in notes[0]
    assert path.with_name("progress.unread-1.json").read_bytes() == torn
    book.record("00.1", "right")
    assert book.take_notes() == []
    path.write_bytes(torn)
    book.record("00.2", "wrong")
    assert path.with_name("progress.unread-2.json").exists()
    assert set(book.entries()) == {"00.2"}


def test_a_file_of_another_version_is_kept_too(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text('{"version": 2, "exercises": {}}')
    book = ProgressFile(path)
    book.record("00.1", "right")
    assert "another version of the course" in book.take_notes()[0]
    assert json.loads(path.with_name("progress.unread-1.json").read_text())["version"] == 2


def test_exercises_that_no_longer_exist_stay_in_the_file(path: Path) -> None:
    ProgressFile(path).record("77.7", "right")
    ProgressFile(path).record("00.1", "right")
    assert set(ProgressFile(path).entries()) == {"00.1", "77.7"}


def test_a_write_that_fails_leaves_the_old_file_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = ProgressFile(path)
    book.record("00.1", "right")
    before = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(progress_module.os, "fsync", full)
    with pytest.raises(ProgressNotSavedError, match="No space left on device"):
        book.record("00.2", "right")
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir() if p.suffix == ".part"] == []
    assert set(book.entries()) == {"00.1", "00.2"}, "this kernel remembers it"
    monkeypatch.undo()
    book.record("00.3", "wrong")
    assert set(ProgressFile(path).entries()) == {"00.1", "00.2", "00.3"}


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, where a folder should be")
    book = ProgressFile(tmp_path / "home" / "progress.json")
    with pytest.raises(ProgressNotSavedError, match="could not be saved"):
        book.record("00.1", "right")
    assert book.entry("00.1").status == "right"


WRITER = """
import sys
from pathlib import Path
from course_lib.classroom.progress import ProgressFile
book = ProgressFile(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(25):
    book.record("00.1", "wrong")
    book.see_hint(f"{sys.argv[2]}.{number + 1}", 3)
"""


def test_two_kernels_lose_nothing(path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), number],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in ("01", "02")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.communicate("go\n", timeout=60)
        assert writer.returncode == 0
    entries = ProgressFile(path).entries()
    assert entries["00.1"].attempts == 50
    assert len(entries) == 51


def test_a_killed_kernel_does_not_keep_the_lock(path: Path) -> None:
    holder = "from course_lib.classroom.progress import _locked\nfrom pathlib import Path\nimport sys\n"
    holder += "with _locked(Path(sys.argv[1])):\n    print('held', flush=True)\n    sys.stdin.readline()\n"
    process = subprocess.Popen(
        [sys.executable, "-c", holder, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    process.kill()
    process.communicate()
    assert ProgressFile(path).record("00.1", "right").status == "right"


def test_a_lock_that_is_never_given_back_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress_module, "_LOCK_WAIT_S", 0.05)
    with progress_module._locked(path), pytest.raises(ProgressNotSavedError, match="another notebook"):
        ProgressFile(path).record("00.1", "right")


def test_without_a_file_everything_stays_in_memory(tmp_path: Path) -> None:
    book = ProgressFile(None)
    book.record("00.1", "nearly")
    assert book.entry("00.1").status == "nearly"
    assert list(tmp_path.iterdir()) == []


# --------------------------------------------------------------------------------------- as one sees it

LESSONS = [
    {"id": "00", "topic": "a", "title": "Start", "minutes": 20, "data": "none"},
    {"id": "01", "topic": "b", "title": "Longer title", "minutes": 20, "data": "none"},
    {"id": "02", "topic": "c", "title": "Not written yet", "minutes": 20, "data": "none"},
]
EXERCISES: list[dict[str, Any]] = [
    {
        "id": i,
        "title": f"Title {i}",
        "kind": "write",
        "minutes": 3,
        "asked": "x",
        "hints": ["a", "b", "c"],
        "core": c,
    }
    for i, c in (("00.1", True), ("00.2", True), ("00.3", False), ("01.1", True))
]


def test_the_overview_shows_bars_words_and_counts() -> None:
    manifest = read_manifest(LESSONS, EXERCISES)
    entries = {"00.1": Entry("right", 2, 1, "2026-01-01T00:00:00+00:00"), "00.3": Entry("wrong", 1, 0)}
    card = overview_card(manifest, entries, manifest.lesson("00"))
    assert card.text.splitlines() == [
        "00 Start  █████░░░░░  1 of 2",
        "   ✓ 00.1 Title 00.1 (2 tries, 1 hint)",
        "   ○ 00.2 Title 00.2",
        "   ✗ 00.3 Title 00.3 (extra, 1 try)",
        "○ not attempted · ✗ wrong · ≈ nearly · ✓ right",
    ]
    whole = overview_card(manifest, {**entries, "01.1": Entry("nearly", 1, 0)})
    assert "01 Longer title  ░░░░░░░░░░  0 of 1\n   ≈ 01.1 Title 01.1 (1 try)" in whole.text
    assert "Not written yet" not in whole.text
    assert "✓ 00.1 Title 00.1 (2 tries, 1 hint)" in card.html
    data = overview_data(manifest, entries)
    assert data["lessons"][0]["core_right"] == 1
    assert data["lessons"][0]["exercises"][0]["status"] == "right"


def run_command(home: Path, *options: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    code = (
        "import argparse, sys\nfrom course_lib.commands import progress as c\np = argparse.ArgumentParser()\n"
        "c.configure(p)\nsys.exit(c.run(p.parse_args(sys.argv[1:])))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *options],
        env={**os.environ, "COURSE_DIR": str(home), **environ},
        capture_output=True,
        check=True,
        timeout=60,
    )


def test_the_command_prints_it_and_gives_it_as_json(path: Path) -> None:
    ProgressFile(path).record("00.1", "right")
    out = run_command(path.parent).stdout.decode("utf-8")
    assert "✓ 00.1" in out
    found = json.loads(run_command(path.parent, "--json", PYTHONIOENCODING="ascii").stdout)
    assert found["lessons"][0]["exercises"][0]["status"] == "right"


def test_the_command_prints_on_a_console_without_the_symbols(path: Path) -> None:
    done = run_command(path.parent, "--lesson", "0", PYTHONIOENCODING="cp1252")
    assert b"00.1" in done.stdout
    assert done.stderr == b""
    assert command.HELP
