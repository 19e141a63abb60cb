"""The one list of lessons and exercises: `lessons.toml` and `exercises.toml`, read, checked and typed."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from course_lib.errors import CourseError

Data = Literal["people", "college", "empty", "none"]
"""What a lesson starts from: the people layer, both layers, an empty graph, or no graph at all."""
Kind = Literal["predict", "complete", "mend", "write", "break", "decide"]

_HERE = Path(__file__).parent
_HINTS = 3


class ManifestError(CourseError):
    """`lessons.toml` or `exercises.toml` cannot be used; the message names the entry."""


class NoSuchLessonError(CourseError):
    """No lesson has this number."""


class NoSuchExerciseError(CourseError):
    """No exercise has this id."""


@dataclass(frozen=True)
class Lesson:
    """One lesson, as `lessons.toml` lists it."""

    id: str
    """Two digits: "02"."""
    topic: str
    """The second half of the file names: "ask_more" in `02_ask_more.ipynb`."""
    title: str
    minutes: int
    """How long a learner takes, exercises included."""
    data: Data
    before: tuple[str, ...] = ()
    """Ids of the lessons that it builds on."""

    @property
    def file_stem(self) -> str:
        """File name without its ending: "02_ask_more"."""
        return f"{self.id}_{self.topic}"


@dataclass(frozen=True)
class Exercise:
    """One exercise, as `exercises.toml` lists it."""

    id: str
    """Lesson, dot, number: "02.1"."""
    lesson: str
    title: str
    kind: Kind
    core: bool
    """Whether it belongs to the lesson's core; the others are extra."""
    minutes: int
    asked: str
    """What is asked, in one line. It stands beside the learner's own rows; it must not hold the answer."""
    hints: tuple[str, ...]
    """Three, from a nudge to almost the answer."""


@dataclass(frozen=True)
class Manifest:
    """All lessons and exercises, in order."""

    lessons: tuple[Lesson, ...]
    exercises: tuple[Exercise, ...]

    def lesson(self, lesson_id: str) -> Lesson:
        """The lesson with this number ("2" and "02_ask_more" are understood too).

        Raises:
            NoSuchLessonError: there is none; the message lists those there are.
        """
        wanted = str(lesson_id).strip().split("_")[0].zfill(2)
        for lesson in self.lessons:
            if lesson.id == wanted:
                return lesson
        known = ", ".join(lesson.id for lesson in self.lessons)
        raise NoSuchLessonError(f"There is no lesson {str(lesson_id)!r}.", f"There are: {known}.")

    def exercise(self, exercise_id: str) -> Exercise:
        """The exercise with this id.

        Raises:
            NoSuchExerciseError: there is none; the message names the nearest.
        """
        wanted = str(exercise_id).strip()
        for exercise in self.exercises:
            if exercise.id == wanted:
                return exercise
        ids = [exercise.id for exercise in self.exercises]
        near = difflib.get_close_matches(wanted, ids, n=3, cutoff=0.4) or ids[:3]
        raise NoSuchExerciseError(
            f"There is no exercise {str(exercise_id)!r}.", f"Did you mean {' or '.join(near)}?"
        )

    def of_lesson(self, lesson_id: str) -> tuple[Exercise, ...]:
        """The exercises of one lesson, in order."""
        return tuple(exercise for exercise in self.exercises if exercise.lesson == lesson_id)

    def after(self, exercise_id: str) -> Exercise | None:
        """The next exercise of the same lesson, or None."""
        mine = self.of_lesson(self.exercise(exercise_id).lesson)
        following = mine[[e.id for e in mine].index(exercise_id) + 1 :]
        return following[0] if following else None

    def lesson_after(self, lesson_id: str) -> Lesson | None:
        """The next lesson, or None after the last."""
        later = [lesson for lesson in self.lessons if lesson.id > lesson_id]
        return later[0] if later else None


@cache
def load_manifest(folder: Path = _HERE) -> Manifest:
    """Reads both files once per process.

    Raises:
        ManifestError: an entry cannot be used; the message names it and says what to write.
    """
    return read_manifest(_entries(folder / "lessons.toml"), _entries(folder / "exercises.toml"))


def read_manifest(lessons: Iterable[Mapping[str, Any]], exercises: Iterable[Mapping[str, Any]]) -> Manifest:
    """Builds the manifest from the raw entries of both files.

    Raises:
        ManifestError: an entry cannot be used.
    """
    read_lessons = tuple(_lesson(entry) for entry in lessons)
    read_exercises = tuple(_exercise(entry) for entry in exercises)
    _refuse_twice("lesson", [lesson.id for lesson in read_lessons])
    _refuse_twice("exercise", [exercise.id for exercise in read_exercises])
    known = {lesson.id for lesson in read_lessons}
    for lesson in read_lessons:
        if missing := sorted(set(lesson.before) - known):
            raise ManifestError(
                f"Lesson {lesson.id} builds on {missing[0]!r}, which is no lesson.", "Mend it."
            )
    for exercise in read_exercises:
        if exercise.lesson not in known:
            raise ManifestError(
                f"Exercise {exercise.id} belongs to a lesson that lessons.toml does not list.",
                f"Add lesson {exercise.lesson!r} there.",
            )
    return Manifest(
        lessons=tuple(sorted(read_lessons, key=lambda lesson: lesson.id)),
        exercises=tuple(sorted(read_exercises, key=lambda e: (e.lesson, int(e.id.split(".")[1])))),
    )


def _entries(path: Path) -> list[Mapping[str, Any]]:
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"{path.name} is not valid TOML: {error}.", "Mend that line.") from error
    key = path.stem.removesuffix("s")
    entries = found.get(key, [])
    if set(found) - {key} or not isinstance(entries, list):
        raise ManifestError(f"{path.name} may hold [[{key}]] entries and nothing else.", "Mend it.")
    return entries


def _lesson(entry: Mapping[str, Any]) -> Lesson:
    where = f"Lesson {entry.get('id', '(no id)')} in lessons.toml"
    _refuse_unknown(entry, Lesson, where)
    return Lesson(
        id=_text(entry, "id", where, r"\d\d"),
        topic=_text(entry, "topic", where, r"[a-z0-9]+(_[a-z0-9]+)*"),
        title=_text(entry, "title", where),
        minutes=_minutes(entry, where, 120),
        data=_one_of(entry, "data", get_args(Data), where),
        before=tuple(_texts(entry, "before", where)) if "before" in entry else (),
    )


def _exercise(entry: Mapping[str, Any]) -> Exercise:
    where = f"Exercise {entry.get('id', '(no id)')} in exercises.toml"
    _refuse_unknown(entry, Exercise, where)
    exercise_id = _text(entry, "id", where, r"\d\d\.[1-9]\d?")
    lesson = _text(entry, "lesson", where) if "lesson" in entry else exercise_id[:2]
    if lesson != exercise_id[:2]:
        raise ManifestError(
            f"{where} says lesson {lesson!r}.", f"Write {exercise_id[:2]!r}, or leave it out."
        )
    core = entry.get("core", True)
    if not isinstance(core, bool):
        raise ManifestError(f"{where}: `core` is {core!r}.", "Write true or false.")
    hints = _texts(entry, "hints", where)
    if len(hints) != _HINTS or len(set(hints)) != _HINTS:
        raise ManifestError(f"{where} needs three different hints.", "From a nudge to almost the answer.")
    return Exercise(
        id=exercise_id,
        lesson=lesson,
        title=_text(entry, "title", where),
        kind=_one_of(entry, "kind", get_args(Kind), where),
        core=core,
        minutes=_minutes(entry, where, 15),
        asked=_text(entry, "asked", where),
        hints=tuple(hints),
    )


def _refuse_unknown(entry: Mapping[str, Any], kind: type[Lesson] | type[Exercise], where: str) -> None:
    known = {field.name for field in fields(kind)}
    if unknown := sorted(set(entry) - known):
        raise ManifestError(f"{where} says {unknown[0]!r}.", f"Known are: {', '.join(sorted(known))}.")


def _refuse_twice(what: str, ids: list[str]) -> None:
    if twice := sorted({i for i in ids if ids.count(i) > 1}):
        raise ManifestError(f"There are two entries for {what} {twice[0]}.", "Each id may stand once.")


def _text(entry: Mapping[str, Any], key: str, where: str, pattern: str = r"(?s).*\S.*") -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise ManifestError(f"{where}: `{key}` is {value!r}.", "Give it a fitting text, in quotes.")
    return value.strip()


def _texts(entry: Mapping[str, Any], key: str, where: str) -> list[str]:
    value = entry.get(key)
    if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
        raise ManifestError(f"{where}: `{key}` is {value!r}.", "Give it a list of texts.")
    return [text.strip() for text in value]


def _minutes(entry: Mapping[str, Any], where: str, most: int) -> int:
    value = entry.get("minutes")
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise ManifestError(f"{where}: `minutes` is {value!r}.", f"Give it a whole number from 1 to {most}.")
    return value


def _one_of(entry: Mapping[str, Any], key: str, choices: tuple[Any, ...], where: str) -> Any:
    value = entry.get(key)
    if value not in choices:
        raise ManifestError(f"{where}: `{key}` is {value!r}.", f"Choose from: {', '.join(choices)}.")
    return value
