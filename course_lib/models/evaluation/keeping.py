"""Runs kept in `<home>/eval/`, one JSON file each."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from course_lib.models.evaluation.running import Result, Run

FOLDER = "eval"
REPLIES_FOLDER = "replies"


def file_stem(run_set: str, choice: str, started: str) -> str:
    """A file name that sorts by time and says what it is of."""
    return "--".join([_plain(started), _plain(run_set), _plain(choice)])


def save_run(home: Path, run: Run) -> Path:
    """Keeps a run; the file is whole or it is not there."""
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file_stem(run.set_name, run.choice, run.started)}.json"
    handle, part = tempfile.mkstemp(dir=folder, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(run), file, indent=1, ensure_ascii=False)
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    return path


def replies_path(home: Path, run_set: str, choice: str, started: str) -> Path:
    """Where `--save` keeps the replies of a run."""
    return home / FOLDER / REPLIES_FOLDER / f"{file_stem(run_set, choice, started)}.jsonl"


def last_of_another(home: Path, run: Run) -> Run | None:
    """The latest whole run of the same set with another choice of model, or None."""
    others = (
        other
        for other in _runs(home)
        if other.set_name == run.set_name and other.choice != run.choice and not other.ended_early
    )
    return max(others, key=lambda other: other.started, default=None)


def _runs(home: Path) -> Iterator[Run]:
    for path in sorted((home / FOLDER).glob("*.json")):
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            results = tuple(Result(**result) for result in kept.pop("results"))
            yield Run(**{**kept, "models": tuple(kept["models"])}, results=results)
        except (OSError, ValueError, TypeError, KeyError):
            continue  # a torn or older file: it only means one comparison less


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")[:60]
