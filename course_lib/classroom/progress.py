"""What a learner has done, in one JSON file that survives a crash, a torn write and two kernels at once.

Every change reads the file, changes one entry and replaces the file in one step, under a lock. A file that
cannot be read is kept aside under another name and a fresh one begins: nothing a learner did is deleted.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeGuard

from course_lib.classroom.outcome import STATUSES, Status, better
from course_lib.errors import CourseError

VERSION = 1
FILE_NAME = "progress.json"
_LOCK_WAIT_S = 5.0
"""How long we wait for another kernel that is writing, in seconds; a write takes milliseconds."""


class ProgressNotSavedError(CourseError):
    """The progress file could not be written; what the learner did is known to this kernel only."""


@dataclass(frozen=True)
class Entry:
    """What is known about one exercise."""

    status: Status = "not attempted"
    """The best so far."""
    attempts: int = 0
    """Answers handed in; an untouched exercise does not count."""
    hints: int = 0
    """Hints seen, up to three."""
    first_right: str | None = None
    """When it was right for the first time: UTC, ISO 8601, to the second."""


@dataclass
class ProgressFile:
    """The learner's progress.

    Args:
        path: the file; None keeps everything in memory (in builds, tests and under nbgrader).
    """

    path: Path | None

    def __post_init__(self) -> None:
        self._memory: dict[str, Entry] = {}
        self._notes: list[str] = []

    def entries(self) -> dict[str, Entry]:
        """What is known, by exercise id. Only exercises that were touched stand in it."""
        if self.path is None or not self.path.exists():
            return dict(self._memory)
        try:
            # Under the lock, since Windows cannot replace a file that somebody is reading.
            with _locked(self.path):
                return {**self._read_or_set_aside(self.path), **self._memory}
        except ProgressNotSavedError:
            return dict(self._memory)

    def entry(self, exercise_id: str) -> Entry:
        """What is known about one exercise."""
        return self.entries().get(exercise_id, Entry())

    def record(self, exercise_id: str, status: Status) -> Entry:
        """Counts one answer and keeps the best status.

        Raises:
            ProgressNotSavedError: the file could not be written.
        """

        def change(entry: Entry) -> Entry:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            return replace(
                entry,
                status=better(entry.status, status),
                attempts=entry.attempts + 1,
                first_right=entry.first_right or (now if status == "right" else None),
            )

        return self._change(exercise_id, change)

    def see_hint(self, exercise_id: str, most: int) -> Entry:
        """Counts one more hint, up to `most`.

        Raises:
            ProgressNotSavedError: the file could not be written.
        """
        return self._change(exercise_id, lambda entry: replace(entry, hints=min(entry.hints + 1, most)))

    def forget(self, exercise_ids: Iterable[str]) -> None:
        """Starts exercises over: their status, attempts and hints are gone.

        Raises:
            ProgressNotSavedError: the file could not be written.
        """
        gone = set(exercise_ids)
        self._update(lambda entries: {i: e for i, e in entries.items() if i not in gone})

    def take_notes(self) -> list[str]:
        """What the learner should be told about the file, once."""
        notes, self._notes = self._notes, []
        return notes

    def _change(self, exercise_id: str, change: Callable[[Entry], Entry]) -> Entry:
        changed = Entry()

        def update(entries: dict[str, Entry]) -> dict[str, Entry]:
            nonlocal changed
            changed = change(entries.get(exercise_id, Entry()))
            return {**entries, exercise_id: changed}

        self._update(update)
        return changed

    def _update(self, update: Callable[[dict[str, Entry]], dict[str, Entry]]) -> None:
        if self.path is None:
            self._memory = update(self._memory)
            return
        known = dict(self._memory)
        try:
            with _locked(self.path):
                known = {**self._read_or_set_aside(self.path), **self._memory}
                _write(self.path, update(known))
            self._memory = {}
        except ProgressNotSavedError:
            # Kept here until a later change finds the disk in order again.
            self._memory = update(known)
            raise

    def _read_or_set_aside(self, path: Path) -> dict[str, Entry]:
        if not path.exists():
            return {}
        try:
            entries, fault = _read(path)
            if not fault:
                return entries
            aside = _free_name(path)
            path.replace(aside)
        except OSError as error:
            raise _not_saved(error) from error
        self._notes.append(
            f"Your progress file {fault}. It is kept as {aside.name}, and a fresh one was started."
        )
        return {}


def _read(path: Path) -> tuple[dict[str, Entry], str]:
    """The entries, and what is wrong with the file ("" when nothing is)."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, ""  # gone since we looked
    except (ValueError, RecursionError):
        return {}, "could not be read"
    if not isinstance(found, dict) or not isinstance(found.get("exercises"), dict):
        return {}, "could not be read"
    if found.get("version") != VERSION:
        return {}, "was written by another version of the course"
    entries = {}
    for exercise_id, raw in found["exercises"].items():
        entry = _entry(raw)
        if entry is None:
            return {}, "could not be read"
        entries[str(exercise_id)] = entry
    return entries, ""


def _entry(raw: Any) -> Entry | None:
    if not isinstance(raw, Mapping):
        return None
    status, attempts, hints = raw.get("status"), raw.get("attempts"), raw.get("hints")
    first_right = raw.get("first_right")
    if status not in STATUSES or not _is_count(attempts) or not _is_count(hints):
        return None
    if first_right is not None and not isinstance(first_right, str):
        return None
    return Entry(status, attempts, hints, first_right)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _write(path: Path, entries: Mapping[str, Entry]) -> None:
    """Writes beside the file, then puts it in its place in one step: a reader sees the old or the new one."""
    body = {"version": VERSION, "exercises": {key: asdict(entries[key]) for key in sorted(entries)}}
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".", suffix=".part")
        part = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json.dumps(body, indent=1) + "\n")
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _not_saved(error) from error


class _locked:  # noqa: N801 - used like a function
    """Holds the lock beside the file; the operating system gives it back when a process dies."""

    def __init__(self, path: Path) -> None:
        from filelock import FileLock

        self._folder = path.parent
        self._lock = FileLock(path.with_name(path.name + ".lock"), timeout=_LOCK_WAIT_S)

    def __enter__(self) -> None:
        from filelock import Timeout

        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except Timeout as error:
            raise ProgressNotSavedError(
                "Your progress could not be saved: another notebook has held the file for too long.",
                "Save your work and restart the other notebook's kernel.",
            ) from error
        except OSError as error:
            raise _not_saved(error) from error

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _not_saved(error: OSError) -> ProgressNotSavedError:
    return ProgressNotSavedError(
        f"Your progress could not be saved ({error.strerror or type(error).__name__}).",
        "This notebook remembers it until it is restarted. See that there is room on the disk and that you "
        "may write in the course folder.",
    )


def _free_name(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.stem}.unread-{number}{path.suffix}")).exists():
        number += 1
    return aside
