"""`course build`: makes and runs the notebooks from their sources."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Sequence

HELP = "make and run the notebooks from solutions/NN_topic.py"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument("lessons", nargs="*", metavar="NN", help="lessons to build (all when none is given)")
    parser.add_argument(
        "--check",
        action="store_true",
        help="run nothing: say whether the built notebooks fit their sources (exit code 1 when not)",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        dest="everything",
        help="build unchanged lessons too (after a change of what the course library prints)",
    )
    parser.add_argument("--jobs", type=_jobs, metavar="N", help="notebooks that run at a time")


def run(args: argparse.Namespace) -> int:
    """Builds or checks; gives the exit code."""
    from course_lib.classroom.build import check
    from course_lib.settings import project_root

    if args.check:
        lessons = check(project_root(), args.lessons)
        print(f"{len(lessons)} lessons, both notebooks of each are what the source gives.")
        return 0
    return _build(args.lessons, args.everything, args.jobs)


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _build(numbers: Sequence[str], everything: bool, jobs: int | None) -> int:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from course_lib.classroom import build as builder
    from course_lib.classroom.notebooks import Edition
    from course_lib.classroom.source import LessonSource
    from course_lib.settings import project_root

    root = project_root()
    console = Console(highlight=False, markup=False)
    bars: dict[str, object] = {}
    lock = threading.Lock()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cells"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not sys.stdout.isatty(),
    ) as view:

        def cell_done(lesson: LessonSource, edition: Edition) -> None:
            with lock:
                if lesson.name not in bars:
                    cells = len(Edition) * len(lesson.cells)
                    bars[lesson.name] = view.add_task(lesson.name, total=cells)
                view.advance(bars[lesson.name])  # type: ignore[arg-type]

        def lesson_done(lesson: LessonSource, faults: Sequence[builder.Fault]) -> None:
            with lock:
                if lesson.name in bars:
                    view.remove_task(bars.pop(lesson.name))  # type: ignore[arg-type]
            if faults:
                console.print(f"{lesson.name}: not built, the old notebooks stay")
                for fault in faults:
                    console.print(f"  {fault}", soft_wrap=True)
            else:
                console.print(f"{lesson.name}: built ({len(lesson.cells)} cells, two notebooks)")

        report = builder.build(
            root, numbers, everything=everything, jobs=jobs, progress=builder.Progress(cell_done, lesson_done)
        )
    if report.unchanged:
        names = ", ".join(lesson.number for lesson in report.unchanged)
        console.print(f"unchanged: {names} (--all builds them too)")
    failed = len({fault.lesson.name for fault in report.faults})
    console.print(f"{len(report.built)} built, {len(report.unchanged)} unchanged, {failed} failed")
    return 1 if failed else 0
