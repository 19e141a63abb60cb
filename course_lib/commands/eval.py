"""`course eval`: puts a set of questions to a model and counts the right answers."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from course_lib.errors import CourseError

if TYPE_CHECKING:
    from course_lib.models.evaluation.cases import QuestionSet
    from course_lib.models.evaluation.running import Run

HELP = "put questions to a model and count the right answers"

SETS: Mapping[str, str] = {
    "smoke": "course_lib.models.evaluation.smoke:question_set",
    "college": "course_lib.evaluation.college_set:question_set",
}
"""Set -> `module:function` that makes it. A set of another part joins with one line here."""


class NoSuchSetError(CourseError):
    """A question set was asked for that the course does not have."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="practice, auto, a provider, or provider:model; the one in use when left out",
    )
    parser.add_argument(
        "--set", metavar="NAME", default="smoke", dest="set_name", help=f"which questions: {', '.join(SETS)}"
    )
    parser.add_argument("--save", action="store_true", help="keep the replies, to be replayed without a key")
    parser.add_argument(
        "--faults",
        nargs="?",
        const="everyday",
        metavar="MIX",
        help="practice model only: with a mix of faults, everyday (the default) or stumbling",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="where the draw of faults begins")


def run(args: argparse.Namespace) -> int:
    """Runs a set and prints the table. 0 when every question got an answer to judge, else 1."""
    from course_lib.models.choosing import normalised
    from course_lib.models.connect import connect
    from course_lib.models.evaluation.keeping import last_of_another, replies_path, save_run
    from course_lib.models.replay import Recorder
    from course_lib.settings import load_settings

    question_set = load_set(args.set_name)
    settings = load_settings()
    choice = normalised(args.model or settings.model)
    model = connect(replace(settings, model=choice))
    model.warm_up()
    recorder = None
    if args.save:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        recorder = Recorder(replies_path(settings.home, question_set.name, choice, now))
        model = model.listening(recorder.keep)
    label = f"{choice} with {args.faults} faults" if args.faults else choice
    with _faults(args.faults, args.seed) if args.faults else nullcontext():
        finished = _run_with_bar(question_set, model, label)
    other = last_of_another(settings.home, finished)
    if not finished.ended_early:
        save_run(settings.home, finished)
    _show(finished, other)
    if recorder is not None and recorder.kept:
        _show_replay(recorder.path, settings.root)
    return 0 if not finished.ended_early and all(r.outcome != "failed" for r in finished.results) else 1


def load_set(name: str) -> QuestionSet:
    """Makes a question set by name.

    Raises:
        NoSuchSetError: there is none of that name.
    """
    if name not in SETS:
        raise NoSuchSetError(f"There is no question set {name!r}.", f"Choose from {', '.join(SETS)}.")
    module_name, _, function = SETS[name].partition(":")
    made: QuestionSet = getattr(importlib.import_module(module_name), function)()
    return made


def _run_with_bar(question_set: QuestionSet, model: object, choice: str) -> Run:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from course_lib.models.evaluation.running import Result, run_set

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[right]} right"),
        TimeElapsedColumn(),
    )
    right = 0
    with Progress(*columns, console=Console(), transient=True) as progress:
        task = progress.add_task(question_set.title, total=len(question_set.cases), right=0)

        def step(result: Result) -> None:
            nonlocal right
            right += result.outcome == "right"
            progress.update(task, advance=1, right=right)

        return run_set(question_set, model, choice, on_result=step)  # type: ignore[arg-type]


@contextmanager
def _faults(name: str, seed: int) -> Iterator[None]:
    from course_lib.models.practice.mix import parse_mix
    from course_lib.models.practice.server import practice_server

    mix = parse_mix(name)
    practice_server().mix(mix.rates, seed, habits=mix.habits)
    try:
        yield
    finally:
        practice_server().mix({})


def _show(finished: Run, other: Run | None) -> None:
    from course_lib.models.evaluation.report import comparison, misses, summary

    print(comparison(finished, other))
    print()
    print(summary(finished, other))
    if lines := misses(finished):
        print("\nNot right:")
        for line in lines:
            print(f"  {line}")


def _show_replay(path: Path, root: Path) -> None:
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    print(f"\nThe replies are kept in {shown}\nTo replay them without a key: COURSE_MODEL=replay:{shown}")
