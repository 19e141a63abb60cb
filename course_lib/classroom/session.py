"""What the calls of `course_lib.lesson` do, and what a kernel remembers between them."""

from __future__ import annotations

import contextlib
import os
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.classroom import show
from course_lib.classroom.manifest import Exercise, Lesson, load_manifest
from course_lib.classroom.outcome import NotRightError, Outcome, not_attempted
from course_lib.classroom.overview import overview_card
from course_lib.classroom.progress import FILE_NAME, Entry, ProgressFile, ProgressNotSavedError
from course_lib.classroom.registry import find_check
from course_lib.classroom.room import LAYERS, Room, raise_if_ours, sweep
from course_lib.classroom.untouched import is_blank, is_untouched, one_answer
from course_lib.errors import CourseError
from course_lib.settings import Settings, load_settings

if TYPE_CHECKING:
    from course_lib.college.graph import Counts, Graph


HALF_EMPTY = "One part of the answer is still empty. Fill it in, then run the cell again."


class CheckBrokenError(CourseError):
    """A check failed for a reason that is no learner's fault."""


class NothingHandedInError(CourseError):
    """A check was asked for before there was an answer."""


class NoLessonStartedError(CourseError):
    """Something was asked about 'this lesson' before any was started."""


@dataclass
class _Memory:
    """What this kernel remembers."""

    lesson: Lesson | None = None
    exercise: Exercise | None = None
    answers: dict[str, Any] = field(default_factory=dict)
    """What was handed in last, by exercise id."""
    swept: bool = False


_RESTORE_WAIT_S = 60.0
"""How long to wait for another notebook that restores a lesson, in seconds; it takes a fraction of one."""

_memory = _Memory()
_books: dict[Path | None, ProgressFile] = {}


# ------------------------------------------------------------------------------------------- lessons


def start(lesson_id: str) -> Graph | None:
    """Starts a lesson. See `course_lib.lesson.start`."""
    lesson = load_manifest().lesson(lesson_id)
    settings = load_settings()
    graph: Graph | None = None
    line = f"Lesson {lesson.id} · {lesson.title}."
    if lesson.data != "none":
        graph, counts = _restored(lesson, settings)
        line += " Your own graph is ready: " + _size_text(counts) + "."
    _memory.lesson, _memory.exercise = lesson, None
    print(line)
    return graph


def _restored(lesson: Lesson, settings: Settings) -> tuple[Graph, Counts]:
    from filelock import FileLock

    from course_lib.college.dataset import restore_college
    from course_lib.college.errors import EngineError
    from course_lib.college.graph import open_graph

    graph = open_graph(name=_graph_name(lesson, settings))
    layers = LAYERS[lesson.data]
    # Two notebooks that start the same lesson at once must not restore into each other.
    with FileLock(settings.home / "lessons.lock", timeout=_RESTORE_WAIT_S):
        if layers:
            counts = restore_college(graph, layers=layers)
        else:
            graph.delete()
            counts = graph.size()
    if not _memory.swept:
        _memory.swept = True
        # What a killed kernel left behind may wait; it must not keep a lesson from starting.
        with contextlib.suppress(EngineError, OSError):
            sweep(settings.home)
    return graph, counts


def _size_text(counts: Counts) -> str:
    if counts.nodes == 0:
        return "nothing in it yet"
    return f"{counts.nodes} nodes, {counts.relationships} relationships"


def _graph_name(lesson: Lesson, settings: Settings) -> str:
    # Learners who share a server must not share a lesson's graph: one starts over, and another's is gone.
    if settings.falkordb_url is None:
        return f"lesson_{lesson.id}"
    return f"lesson_{lesson.id}_{_learner(settings.home)}"


def _learner(home: Path) -> str:
    path = home / "learner-id"
    home.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError), path.open("x", encoding="ascii") as file:
        file.write(secrets.token_hex(4))
    return path.read_text(encoding="ascii").strip() or "nobody"


# ------------------------------------------------------------------------------------------- answers


def evaluate(exercise_id: str, answer: Any, settings: Settings | None = None) -> Outcome:
    """Judges an answer. Nothing is shown and nothing is written down.

    Args:
        exercise_id: such as "02.1".
        answer: what is handed in.
        settings: the settings in force; read when None.

    Raises:
        NoSuchExerciseError: there is no such exercise.
        CheckBrokenError: the check itself failed.
        EngineError: the graph engine cannot be reached.
    """
    manifest = load_manifest()
    exercise = manifest.exercise(exercise_id)
    settings = settings or load_settings()
    function = find_check(exercise.id)
    try:
        if is_untouched(exercise, answer, settings.root):
            several = isinstance(answer, tuple) and not all(map(is_blank, answer))
            said = not_attempted(HALF_EMPTY) if several and is_blank(answer) else not_attempted()
            return replace(said, exercise=exercise.id)
        with Room(settings, manifest.lesson(exercise.lesson).data) as room:
            outcome = function(answer, room)
            if not isinstance(outcome, Outcome):
                raise TypeError(f"the check returned {type(outcome).__name__}")
    except Exception as error:
        raise_if_ours(error)
        raise CheckBrokenError(
            f"The check of exercise {exercise.id} broke: this is our fault, not yours "
            f"({type(error).__name__}: {error}).",
            "Your answer was not judged, and nothing was counted. Go on with the next exercise, and please "
            "report this line.",
        ) from error
    return replace(outcome, exercise=exercise.id)


def judge(exercise_id: str, answer: Any) -> tuple[Outcome, show.Card]:
    """Judges and counts an answer; gives the outcome and the card that shows it."""
    settings = load_settings()
    exercise = load_manifest().exercise(exercise_id)
    outcome = evaluate(exercise.id, answer, settings)
    _memory.exercise = exercise
    _memory.answers[exercise.id] = answer
    book = progress_book(settings)
    notes = []
    if outcome.status != "not attempted":
        try:
            book.record(exercise.id, outcome.status)
        except ProgressNotSavedError as error:
            notes.append(str(error))
    card = show.verdict_card(outcome, exercise, _offer(outcome, exercise, book), [*notes, *book.take_notes()])
    return outcome, card


def check(exercise_id: str, *answers: Any) -> Outcome:
    """Judges, counts and shows an answer. See `course_lib.lesson.check`."""
    outcome, card = judge(exercise_id, one_answer(answers))
    show.show(card, outcome)
    if must_be_right() and not outcome.right:
        raise NotRightError(
            f"Exercise {outcome.exercise} is {outcome.status}: {outcome.message}",
            "Here only a right answer may pass.",
        )
    return outcome


def last_answer(exercise_id: str) -> Any:
    """What was handed in last for an exercise in this notebook.

    Raises:
        NothingHandedInError: nothing was.
    """
    if exercise_id not in _memory.answers:
        raise NothingHandedInError(
            f"Nothing was handed in for {exercise_id} yet.", "Run the exercise's own cell first."
        )
    return _memory.answers[exercise_id]


def rehearse(exercise_id: str, *answers: Any) -> Outcome:
    """Judges and shows an answer without counting it. See `course_lib.lesson.rehearse`."""
    exercise = load_manifest().exercise(exercise_id)
    outcome = evaluate(exercise.id, one_answer(answers))
    show.show(show.verdict_card(outcome, exercise, "A rehearsal: nothing was counted."), outcome)
    return outcome


def must_be_right() -> bool:
    """Whether a check raises unless the answer is right: in solutions/, and under nbgrader."""
    return bool(os.environ.get("NBGRADER_EXECUTION")) or Path.cwd().name == "solutions"


# ---------------------------------------------------------------------------------- hints and progress


def hint(exercise_id: str | None = None) -> None:
    """Shows the next hint. See `course_lib.lesson.hint`."""
    show.show(next_hint(exercise_id))


def next_hint(exercise_id: str | None = None) -> show.Card:
    """Counts one more hint, and gives the card that shows it."""
    exercise = _meant(exercise_id)
    book = progress_book()
    seen = book.entry(exercise.id).hints
    notes = []
    try:
        book.see_hint(exercise.id, len(exercise.hints))
    except ProgressNotSavedError as error:
        notes.append(str(error))
    return hint_card(exercise, seen, [*notes, *book.take_notes()])


def hint_card(exercise: Exercise, seen: int, notes: list[str] | None = None) -> show.Card:
    """The next hint of an exercise.

    Args:
        exercise: the exercise.
        seen: how many hints were seen before this one.
        notes: further lines.
    """
    most = len(exercise.hints)
    number = min(seen + 1, most)
    after = ""
    if number == most:
        first = "That was the last one." if seen >= most else "This is the last one."
        after = f"{first}{_worked_answer(exercise, ' Still stuck?')}"
    return show.plain_card(
        f"Hint {number} of {most} · {exercise.id} {exercise.title}",
        exercise.hints[number - 1],
        after,
        *(notes or []),
    )


def reset(exercise_id: str | None = None) -> None:
    """Starts an exercise or the whole lesson over. See `course_lib.lesson.reset`."""
    show.show(start_over(exercise_id))


def start_over(exercise_id: str | None = None) -> show.Card:
    """Starts an exercise or the whole lesson over, and gives the card that says so."""
    manifest, book = load_manifest(), progress_book()
    if exercise_id is not None:
        exercise = manifest.exercise(exercise_id)
        head = f"{exercise.id} {exercise.title} starts over"
        said = "Its attempts and hints are forgotten. Your cell keeps what you wrote."
        ids = [exercise.id]
    else:
        lesson = _current_lesson()
        head = f"Lesson {lesson.id} · {lesson.title} starts over"
        said = "Its exercises count as not attempted. Your cells keep what you wrote."
        if lesson.data != "none":
            graph, counts = _restored(lesson, load_settings())
            graph.close()
            said = f"Its graph is as it was at the start: {_size_text(counts)}. {said}"
        ids = [exercise.id for exercise in manifest.of_lesson(lesson.id)]
    notes = []
    try:
        book.forget(ids)
    except ProgressNotSavedError as error:
        notes.append(str(error))
    return show.plain_card(head, said, *notes, *book.take_notes())


def progress() -> None:
    """Shows how far the learner has come. See `course_lib.lesson.progress`."""
    book = progress_book()
    entries = book.entries()
    show.show(overview_card(load_manifest(), entries, _memory.lesson, book.take_notes()))


def progress_book(settings: Settings | None = None) -> ProgressFile:
    """The learner's progress: their file, or this process's memory where nothing may be written."""
    settings = settings or load_settings()
    path = None if settings.building or must_be_right() else settings.home / FILE_NAME
    return _books.setdefault(path, ProgressFile(path))


def _offer(outcome: Outcome, exercise: Exercise, book: ProgressFile) -> str:
    entries = book.entries()
    if outcome.right:
        return _what_next(exercise, entries)
    seen, most = entries.get(exercise.id, Entry()).hints, len(exercise.hints)
    call = f'`lesson.hint("{exercise.id}")`'
    if seen == 0:
        return f"Stuck? {call} gives the first of {most} hints."
    if seen < most:
        return f"Still stuck? {call} gives the next hint ({most - seen} left)."
    return f"{call} shows the last hint again.{_worked_answer(exercise)}"


def _what_next(exercise: Exercise, entries: dict[str, Entry]) -> str:
    manifest = load_manifest()
    following = manifest.after(exercise.id)
    while following is not None and entries.get(following.id, Entry()).status == "right":
        following = manifest.after(following.id)
    if following is not None:
        extra = "" if following.core else "extra, "
        return f"Next: {following.id} {following.title} ({extra}{_minutes(following.minutes)})."
    open_ones = [
        f"{one.id} {one.title}"
        for one in manifest.of_lesson(exercise.lesson)
        if one.core and one.id != exercise.id and entries.get(one.id, Entry()).status != "right"
    ]
    if open_ones:
        return f"Still open in this lesson: {', '.join(open_ones)}."
    lesson = manifest.lesson_after(exercise.lesson)
    if lesson is None:
        return "That was the last exercise."
    return (
        f"That was the last exercise of this lesson. Next: lesson {lesson.id} · {lesson.title} "
        f"({_minutes(lesson.minutes)})."
    )


def _minutes(number: int) -> str:
    return f"{number} minute{'' if number == 1 else 's'}"


def _worked_answer(exercise: Exercise, before: str = "") -> str:
    """Where a worked answer is; nothing where a class has the course without its solutions."""
    stem = load_manifest().lesson(exercise.lesson).file_stem
    file = f"solutions/{stem}.ipynb"
    return f"{before} A worked answer is in {file}." if (load_settings().root / file).is_file() else ""


def _meant(exercise_id: str | None) -> Exercise:
    """The exercise that a call without an id means: the last one checked, else the lesson's next."""
    manifest = load_manifest()
    if exercise_id is not None:
        return manifest.exercise(exercise_id)
    if _memory.exercise is not None:
        return _memory.exercise
    entries = progress_book().entries()
    mine = manifest.of_lesson(_current_lesson().id)
    for exercise in mine:
        if entries.get(exercise.id, Entry()).status != "right":
            return exercise
    if not mine:
        raise NoLessonStartedError(
            "This lesson has no exercises.", 'Say which you mean: lesson.hint("01.1").'
        )
    return mine[-1]


def _current_lesson() -> Lesson:
    if _memory.lesson is None:
        raise NoLessonStartedError(
            "No lesson was started in this notebook yet.",
            'Run its first cell, the one with lesson.start(…), or say which exercise: lesson.hint("01.1").',
        )
    return _memory.lesson
