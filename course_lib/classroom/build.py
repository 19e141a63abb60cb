"""Builds the notebooks: makes both from a lesson's source, runs them, stores what they print.

A lesson is written only when both its notebooks ran to the end with outputs that are fit to store; else the
old ones stay as they were. Each notebook runs in a kernel of its own with a course folder of its own, so that
several can be built at a time and nothing of the learner's is touched.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from course_lib.classroom.execute import CellFailedError, Kernels, execute
from course_lib.classroom.notebooks import (
    Difference,
    Edition,
    bare_notebook,
    cell_metadata,
    differences,
    notebook_metadata,
    notebook_text,
    orphans,
)
from course_lib.classroom.outputs import Machine, clean_outputs, complaints, this_machine
from course_lib.classroom.source import LessonSource, lesson_paths, parse_lesson
from course_lib.errors import CourseError

if TYPE_CHECKING:
    from nbformat import NotebookNode


class StaleNotebooksError(CourseError):
    """Built notebooks are not what their sources give; the message lists where."""


UNTOUCHED = "not attempted"
"""What the check of an untouched exercise says."""


@dataclass(frozen=True)
class Fault:
    """Why a notebook could not be built."""

    edition: Edition
    lesson: LessonSource
    what: str
    cell: int | None = None
    """Index of the cell, counted from 0; None when no cell is to blame."""

    def __str__(self) -> str:
        place = f"{self.edition.value}/{self.lesson.name}.ipynb"
        if self.cell is not None:
            at = self.lesson.cells[self.cell]
            exercise = f", exercise {at.exercise}" if at.exercise else ""
            place += f", cell {self.cell + 1} (source line {at.line}{exercise})"
        return f"{place}: {self.what}"


@dataclass
class Progress:
    """What a build tells whoever watches it. Every function may be called from any thread."""

    cell_done: Callable[[LessonSource, Edition], None] = lambda lesson, edition: None
    lesson_done: Callable[[LessonSource, Sequence[Fault]], None] = lambda lesson, faults: None


@dataclass(frozen=True)
class BuildReport:
    """What a build did."""

    built: tuple[LessonSource, ...] = ()
    unchanged: tuple[LessonSource, ...] = ()
    faults: tuple[Fault, ...] = ()


def find_lessons(root: Path, numbers: Sequence[str] = ()) -> list[LessonSource]:
    """The parsed sources of the lessons, in order.

    Raises:
        SourceError: a source cannot be used, or a number belongs to no lesson.
    """
    return [parse_lesson(path) for path in lesson_paths(root / "solutions", numbers)]


def stale(root: Path, lessons: Sequence[LessonSource]) -> dict[str, list[Difference]]:
    """Lesson name -> how its built notebooks differ from the source; lessons that fit are left out."""
    found = {
        lesson.name: [d for edition in Edition for d in differences(lesson, edition, root)]
        for lesson in lessons
    }
    return {name: faults for name, faults in found.items() if faults}


def check(root: Path, numbers: Sequence[str] = ()) -> list[LessonSource]:
    """Says whether the built notebooks fit their sources, without running anything.

    Returns:
        The lessons looked at.

    Raises:
        StaleNotebooksError: something differs; the message names file, cell and the command that mends it.
        SourceError: a source cannot be used.
    """
    lessons = find_lessons(root, numbers)
    by_lesson = stale(root, lessons)
    found = [difference for faults in by_lesson.values() for difference in faults]
    strays = [] if numbers else orphans(root)
    if found or strays:
        listed = "\n".join(f"  {difference}" for difference in [*found, *strays])
        numbers_to_build = " ".join(name[:2] for name in by_lesson)
        step = f"Run: course build {numbers_to_build}" if by_lesson else "Delete what has no source."
        raise StaleNotebooksError(f"Built notebooks differ from their sources:\n{listed}\n", step)
    return lessons


def build(
    root: Path,
    numbers: Sequence[str] = (),
    everything: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> BuildReport:
    """Builds the lessons whose notebooks differ from their sources.

    What the course library prints is no part of that comparison: after a change there, build with
    `everything`.

    Args:
        root: the course folder.
        numbers: only these lessons; all when empty.
        everything: build those that have not changed, too.
        jobs: notebooks that run at a time; the number of processors, at most four, when None.
        progress: who is told what goes on.

    Raises:
        SourceError: a source cannot be used; nothing was built.
    """
    progress = progress or Progress()
    lessons = find_lessons(root, numbers)
    changed = stale(root, lessons)
    todo = [lesson for lesson in lessons if everything or lesson.name in changed]
    kernels = Kernels()
    made: dict[tuple[str, Edition], NotebookNode] = {}
    faults: dict[str, list[Fault]] = {lesson.name: [] for lesson in todo}
    waiting = {lesson.name: len(Edition) for lesson in todo}
    built: list[LessonSource] = []
    pool = ThreadPoolExecutor(max_workers=jobs or max(1, min(4, os.cpu_count() or 1)))
    try:
        futures = {
            pool.submit(_run, root, lesson, edition, kernels, progress): (lesson, edition)
            for lesson in todo
            for edition in Edition
        }
        for future in as_completed(futures):
            lesson, edition = futures[future]
            result = future.result()
            if isinstance(result, list):
                faults[lesson.name] += result
            else:
                made[lesson.name, edition] = result
            waiting[lesson.name] -= 1
            if waiting[lesson.name]:
                continue
            if not faults[lesson.name]:
                for each in Edition:
                    _replace(each.path(root, lesson), notebook_text(made.pop((lesson.name, each))))
                built.append(lesson)
            progress.lesson_done(lesson, faults[lesson.name])
    except BaseException:
        # Also Ctrl-C: kernels have sessions of their own, the terminal's signal does not reach them.
        pool.shutdown(wait=False, cancel_futures=True)
        kernels.kill_all()
        raise
    finally:
        pool.shutdown(wait=True)
    return BuildReport(
        built=tuple(sorted(built, key=lambda lesson: lesson.name)),
        unchanged=tuple(lesson for lesson in lessons if lesson not in todo),
        faults=tuple(fault for lesson in todo for fault in faults[lesson.name]),
    )


def _run(
    root: Path, lesson: LessonSource, edition: Edition, kernels: Kernels, progress: Progress
) -> NotebookNode | list[Fault]:
    """Runs one notebook; gives it back finished, or what is wrong with it."""
    notebook = bare_notebook(lesson, edition)
    # The name is short: a unix socket's path, somewhere below, may have 107 characters.
    with tempfile.TemporaryDirectory(prefix="cb-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        try:
            execute(
                notebook,
                cwd=edition.path(root, lesson).parent,
                home=home,
                kernels=kernels,
                on_cell=lambda index: progress.cell_done(lesson, edition),
            )
        except CellFailedError as error:
            return [Fault(edition, lesson, error.what, error.cell)]
        return _finish(notebook, lesson, edition, this_machine(root, home))


def _finish(
    notebook: NotebookNode, lesson: LessonSource, edition: Edition, machine: Machine
) -> NotebookNode | list[Fault]:
    """Cleans what was run; gives the notebook, or its faults."""
    from nbformat import from_dict

    faults = []
    for index, (made, cell) in enumerate(zip(notebook.cells, lesson.cells, strict=True)):
        made.metadata = cell_metadata(cell)
        if cell.kind == "code":
            made.outputs = from_dict(clean_outputs(made.outputs))  # type: ignore[no-untyped-call]
            faults += [
                Fault(edition, lesson, what, index)
                for what in complaints(made.outputs, cell.measured, machine)
            ]
            if edition is Edition.STUB and cell.exercise and UNTOUCHED not in str(made.outputs):
                faults.append(Fault(edition, lesson, f"the untouched exercise is not {UNTOUCHED!r}", index))
    notebook.metadata = notebook_metadata(lesson, edition)
    return faults or notebook


def _replace(path: Path, text: str) -> None:
    """Writes a file as a whole or not at all, also when another build writes it at the same moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w",
        encoding="utf-8",
        newline="\n",
        dir=path.parent,
        prefix=f".{path.stem}-",
        suffix=".tmp",
        delete=False,
    ) as file:
        temporary = Path(file.name)
        try:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            file.close()
            temporary.unlink()
            raise
    # A temporary file is private to its user; a notebook is as readable as its neighbours.
    temporary.chmod(0o644)
    temporary.replace(path)
