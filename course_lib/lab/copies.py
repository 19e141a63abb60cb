"""The learner's own copies of the lessons.

Opening a notebook and leaving it rewrites it. So learners work in `work/`, which git does not look at, and
the lessons as shipped stay as they are. A copy is made once and never written to again: it is theirs, also
when nobody but JupyterLab has saved it.

The shipped lessons hold what their cells gave, to be read without running anything. A copy holds none of it:
a lesson asks *before you run it: what do you expect?*, and the answer must not stand below the question.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.lab.files import write_whole
from course_lib.settings import Settings

PATTERN = "[0-9][0-9]_*.ipynb"
"""Lessons are called NN_topic.ipynb."""


class NoSuchLessonError(CourseError):
    """There is no lesson of that number."""


@dataclass(frozen=True)
class Copies:
    """What `copy_lessons` did."""

    made: tuple[str, ...]
    """Names of the copies that were not there before."""
    newer: tuple[str, ...]
    """Names of lessons that have changed since the copy was made, told of here for the first time."""


def copy_lessons(settings: Settings) -> Copies:
    """Copies every lesson that has no copy yet.

    Raises:
        FolderUnusableError: the folder for the copies cannot be written to.
    """
    record = _Record(settings.home / "lessons.json")
    made, newer = [], []
    for lesson in shipped_lessons(settings):
        content = without_outputs(lesson.read_bytes())
        checksum = hashlib.sha256(content).hexdigest()
        copy = settings.work / lesson.name
        if not copy.exists():
            write_whole(copy, content)
            record.seen[lesson.name] = checksum
            record.copied[lesson.name] = checksum
            made.append(lesson.name)
        elif record.seen.setdefault(lesson.name, checksum) != checksum:
            record.seen[lesson.name] = checksum
            newer.append(lesson.name)
    record.save()
    return Copies(tuple(made), tuple(newer))


def fresh_copy(settings: Settings, number: str, today: datetime.date | None = None) -> Path:
    """Puts the lesson as it is shipped now beside the learner's copy, under a name with the date.

    Args:
        settings: where the course and the copies are.
        number: the lesson's number, such as '02' or '2', or its file name.
        today: the date for the name; today's when None.

    Raises:
        NoSuchLessonError: no lesson has that number.
        FolderUnusableError: the folder for the copies cannot be written to.
    """
    lesson = find_lesson(shipped_lessons(settings), number)
    stem = f"{lesson.stem}-{(today or datetime.date.today()).isoformat()}"
    copy = settings.work / f"{stem}.ipynb"
    again = 2
    while copy.exists():
        copy = settings.work / f"{stem}-{again}.ipynb"
        again += 1
    write_whole(copy, without_outputs(lesson.read_bytes()))
    return copy


def without_outputs(notebook: bytes) -> bytes:
    """A notebook as nobody has run it yet; what is no notebook is given back as it is.

    Args:
        notebook: what its file holds.
    """
    try:
        content = json.loads(notebook)
        for cell in content["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
    except (ValueError, KeyError, TypeError):
        return notebook
    return (json.dumps(content, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


def lesson_to_open(settings: Settings) -> str | None:
    """The copy that the learner changed last; the first lesson where none is begun; None without lessons."""
    copied = _Record(settings.home / "lessons.json").copied
    copies = sorted(settings.work.glob(PATTERN))
    begun = [
        copy
        for copy in copies
        if hashlib.sha256(copy.read_bytes()).hexdigest() != copied.get(copy.name, "nothing is known of it")
    ]
    if begun:
        return max(begun, key=lambda copy: copy.stat().st_mtime).name
    return copies[0].name if copies else None


def shipped_lessons(settings: Settings) -> list[Path]:
    """The lessons as they come with the course, in order."""
    return sorted((settings.root / "notebooks").glob(PATTERN))


def find_lesson(lessons: Sequence[Path], number: str) -> Path:
    """The lesson that somebody means by a number or a name.

    Raises:
        NoSuchLessonError: none fits; the message lists the numbers.
    """
    wanted = Path(number).stem
    wanted = wanted.zfill(2) if wanted.isdigit() else wanted
    for lesson in lessons:
        if wanted in (lesson.name[:2], lesson.stem):
            return lesson
    known = ", ".join(lesson.name[:2] for lesson in lessons) or "none yet"
    raise NoSuchLessonError(f"There is no lesson {number!r}.", f"The lessons are: {known}.")


class _Record:
    """`.course/lessons.json`: which version of each lesson was copied, and which the learner has heard of.

    Losing it loses no work: lessons then count as heard of, and as begun.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            self.seen: dict[str, str] = dict(found["seen"])
            self.copied: dict[str, str] = dict(found["copied"])
        except (OSError, ValueError, KeyError, TypeError):
            self.seen, self.copied = {}, {}

    def save(self) -> None:
        content = json.dumps({"seen": self.seen, "copied": self.copied}, indent=1) + "\n"
        write_whole(self.path, content.encode("utf-8"))
