"""`course test`: every test of the course, in stages."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.errors import CourseError

HELP = "run every test of the course"

CELL_TIMEOUT_S = 120
"""Seconds that one notebook cell may run under nbval, whose own limit is over half an hour."""
QUICK = ("style", "notebooks fit their sources", "unit tests")
"""The stages of `--quick`."""


class ToolsMissingError(CourseError):
    """The packages that the tests need are not installed."""


@dataclass(frozen=True)
class Stage:
    """One stage: a few commands, one after the other."""

    name: str
    commands: tuple[tuple[str, ...], ...]
    aside: bool = False
    """Whether it runs beside the other stages."""
    note: str = ""
    """What stands below its line."""


@dataclass
class Outcome:
    """What came of a stage."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    output: str = ""
    """What the failing commands printed."""
    reasons: list[str] = field(default_factory=list)
    """Why tests were skipped."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    parser.add_argument(
        "--quick", action="store_true", help="style, build check and unit tests: under a minute"
    )
    parser.add_argument(
        "--lessons", nargs="+", metavar="NN", default=[], help="only what tests these lessons"
    )
    parser.add_argument(
        "-k", dest="select", metavar="EXPRESSION", help="only tests that pytest selects by it"
    )


def run(args: argparse.Namespace) -> int:
    """Runs the stages; gives 0 when nothing failed."""
    from course_lib.settings import project_root

    need_test_tools()
    root = project_root()
    stages, notes = plan(root, args.quick, args.lessons, args.select)
    started = time.monotonic()
    total = Outcome()
    for outcome in run_stages(stages, root):
        total.passed += outcome.passed
        total.failed += outcome.failed
        total.skipped += outcome.skipped
    for note in notes:
        print(f"  skipped          {note}")
    minutes, seconds = divmod(round(time.monotonic() - started), 60)
    skipped = f", {total.skipped} skipped" if total.skipped else ""
    print(f"\nAll stages took {minutes} min {seconds} s{skipped}.")
    print(f"{total.passed} passed, {total.failed} failed", flush=True)
    return 1 if total.failed else 0


def need_test_tools() -> None:
    """Stops where the packages for the tests are not installed.

    Raises:
        ToolsMissingError: one of them is missing.
    """
    wanted = ("pytest", "xdist", "nbval", "ruff", "mypy")
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if missing:
        raise ToolsMissingError(
            f"The tests need packages that are not installed here ({', '.join(missing)}).",
            "Run `python3 course.py test`: that installs them first.",
        )


def plan(
    root: Path, quick: bool = False, lessons: Sequence[str] = (), select: str | None = None
) -> tuple[list[Stage], list[str]]:
    """The stages to run, and a line for each that cannot run here.

    Args:
        root: the course folder.
        quick: only the stages of `QUICK`.
        lessons: only what tests these lessons; all when empty.
        select: an expression for pytest's `-k`; leaves out the stages that are not pytest's.

    Raises:
        SourceError: there is no such lesson.
    """
    from course_lib.chromium import find_chromium, how_to_get_chromium
    from course_lib.classroom.source import lesson_paths

    numbers = [path.name[:2] for path in lesson_paths(root / "solutions", lessons)] if lessons else []
    python = sys.executable
    pytest = (python, "-m", "pytest", "-q", "--color=no")
    chosen = ("-k", select) if select else ()
    parallel = ("-n", "3", "--dist", "worksteal")
    course = "from course_lib.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    build_check = Stage(
        "notebooks fit their sources", ((python, "-c", course, "build", "--check", *numbers),)
    )
    style = Stage(
        "style",
        ((python, "-m", "ruff", "check", "--quiet"), (python, "-m", "ruff", "format", "--check", "--quiet")),
    )
    types = Stage("types", ((python, "-m", "mypy", "--no-error-summary"),), aside=True)
    stages = [style, build_check, types]
    notes: list[str] = []
    if numbers:
        of_lessons = " or ".join(f"[{number}. or [{number}_" for number in numbers)
        answers = (*pytest, "-n", "2", "tests/answers", "-k", of_lessons)
        return [build_check, Stage("answers", (answers,)), notebooks_stage(root, numbers)], notes
    if quick:
        stages = [style, build_check, Stage("unit tests", ((*pytest, *parallel, "tests/unit", *chosen),))]
        return ([s for s in stages if s.name == "unit tests"] if select else stages), notes
    # Answers go first: they are many and small, so that loading by test shares them out well.
    tests = ("tests/answers", "tests/unit", "tests/integration")
    stages += [
        Stage("tests", ((*pytest, *parallel, *tests, *chosen),)),
        notebooks_stage(root),
    ]
    if find_chromium() is None:
        notes.append(f"the browser tests: no Chromium here. To get one: {how_to_get_chromium()}.")
    else:
        looks = "what the browser showed: .course/screenshots/"
        stages.append(Stage("in the browser", ((*pytest, "tests/browser", *chosen),), aside=True, note=looks))
    if select:
        stages = [stage for stage in stages if stage.name in ("tests", "in the browser")]
    return stages, notes


def notebooks_stage(root: Path, numbers: Sequence[str] = ()) -> Stage:
    """nbval over both notebooks of the lessons."""
    files = [
        path.relative_to(root).as_posix()
        for folder in ("notebooks", "solutions")
        for path in sorted((root / folder).glob("[0-9][0-9]_*.ipynb"))
        if not numbers or path.name[:2] in numbers
    ]
    command = (sys.executable, "-m", "pytest", "-q", "--color=no", *nbval_arguments(root), *files)
    return Stage("notebooks", (command,) if files else (), aside=True)


def nbval_arguments(root: Path) -> list[str]:
    """What pytest is told so that it runs notebooks and compares what they print.

    Args:
        root: the course folder, which must be the working folder too.
    """
    return [
        "--nbval",
        "--nbval-current-env",
        f"--nbval-cell-timeout={CELL_TIMEOUT_S}",
        f"--nbval-sanitize-with={root / 'tests' / 'notebooks' / 'sanitize.cfg'}",
        f"--timeout={CELL_TIMEOUT_S + 60}",
        "-p",
        "tests.notebooks.hooks",
    ]


def run_stages(stages: Sequence[Stage], root: Path) -> Iterator[Outcome]:
    """Runs the stages and prints a line for each, with the output of what failed.

    Stages that run aside form a queue of their own beside the others: they wait a good deal (for a browser),
    and two processors have that time to give.
    """
    children = Children()
    with (
        tempfile.TemporaryDirectory(prefix="ct-", ignore_cleanup_errors=True) as folder,
        ThreadPoolExecutor(max_workers=1) as pool,
    ):
        environment = environment_for_tests(Path(folder))
        aside = {
            stage.name: pool.submit(run_stage, stage, root, environment, children)
            for stage in stages
            if stage.aside
        }
        try:
            # First those that the person sees come and go; then what is left of the others.
            for stage in sorted(stages, key=lambda stage: stage.aside):
                with showing(stage, children):
                    if stage.aside:
                        outcome = aside[stage.name].result()
                    else:
                        outcome = run_stage(stage, root, environment, children)
                report(stage, outcome)
                yield outcome
        except BaseException:
            print(f"\nStopped in: {', '.join(children.names()) or 'no stage'}", flush=True)
            pool.shutdown(wait=False, cancel_futures=True)
            print(children.end_all(), flush=True)
            raise


def run_stage(stage: Stage, root: Path, environment: Mapping[str, str], children: Children) -> Outcome:
    """Runs the commands of a stage and counts what passed."""
    started = time.monotonic()
    outcome = Outcome()
    for command in stage.commands:
        code, text = children.run(command, root, environment, stage.name)
        passed, failed, skipped = counts(text) if "pytest" in command else (int(code == 0), int(code != 0), 0)
        if code == 5 and "pytest" in command:  # nothing was selected
            code = 0
        if code != 0 and not failed:
            failed = 1  # it did not come so far as to count
        outcome.passed += passed
        outcome.failed += failed
        outcome.skipped += skipped
        if code != 0:
            outcome.output += text
        outcome.reasons += re.findall(r"^SKIPPED \[\d+\] (.+)$", text, flags=re.MULTILINE)
    outcome.seconds = time.monotonic() - started
    return outcome


def counts(text: str) -> tuple[int, int, int]:
    """What pytest's last line says: passed, failed (errors among them), skipped."""
    lines = [line for line in text.splitlines() if re.search(r"\d+ \w+.* in [\d.]+s", line)]
    found = {
        word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", lines[-1].split(" in ")[0])
    } if lines else {}  # fmt: skip
    failed = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
    return found.get("passed", 0) + found.get("xfailed", 0), failed, found.get("skipped", 0)


def report(stage: Stage, outcome: Outcome) -> None:
    """Prints a stage's line, and after it what a failing command printed."""
    word = "FAILED" if outcome.failed else "ok"
    numbers = f"{outcome.passed} passed" + (f", {outcome.failed} failed" if outcome.failed else "")
    numbers += f", {outcome.skipped} skipped" if outcome.skipped else ""
    print(f"  {word:<7}{outcome.seconds:7.1f} s  {stage.name}: {numbers}", flush=True)
    if stage.note:
        print(f"                   {stage.note}")
    for reason in dict.fromkeys(outcome.reasons):
        print(f"                   skipped: {reason}")
    if outcome.output:
        print("\n" + outcome.output.rstrip() + "\n", flush=True)


def environment_for_tests(home: Path) -> dict[str, str]:
    """The environment of the tests: without keys and without the learner's own settings.

    Args:
        home: where Jupyter and IPython put their files, so that none land in the person's home folder.
    """
    from course_lib.lab.jupyter import jupyter_variables
    from course_lib.settings import KEY_NAMES

    hidden = {*KEY_NAMES.values(), "NBGRADER_EXECUTION", "PYTEST_ADDOPTS", "COURSE_BUILD"}
    kept = ("COURSE_TYPED",)
    return {
        name: value
        for name, value in os.environ.items()
        if name not in hidden and (not name.startswith("COURSE_") or name in kept)
    } | {"COURSE_MODEL": "practice", **jupyter_variables(home)}


class Children:
    """The programs that run now, and how far each has come."""

    def __init__(self) -> None:
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._printed: dict[str, list[bytes]] = {}
        self._lock = threading.Lock()
        self.percent: dict[str, str] = {}
        """Stage -> the share of its tests that pytest has done, such as "42%"."""

    def run(
        self, command: Sequence[str], root: Path, environment: Mapping[str, str], stage: str
    ) -> tuple[int, str]:
        """Runs a command to its end; gives its exit code and all it printed."""
        with subprocess.Popen(
            command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process:
            parts: list[bytes] = []
            with self._lock:
                self._running[stage] = process
                self._printed[stage] = parts
            assert process.stdout is not None
            while part := os.read(process.stdout.fileno(), 65536):
                parts.append(part)
                if found := re.findall(rb"\[\s*(\d+%)\]", part):
                    self.percent[stage] = found[-1].decode()
            code = process.wait()
        with self._lock:
            del self._running[stage]
        return code, b"".join(parts).decode("utf-8", errors="replace")

    def names(self) -> list[str]:
        """The stages that run now."""
        with self._lock:
            return list(self._running)

    def end_all(self) -> str:
        """Ends what runs, waits until it has ended, and gives the last that it printed."""
        with self._lock:
            running = list(self._running.values())
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
        said = b"".join(part for parts in self._printed.values() for part in parts[-20:])
        return "\n".join(said.decode("utf-8", errors="replace").splitlines()[-25:])


@contextmanager
def showing(stage: Stage, children: Children) -> Iterator[None]:
    """While a stage runs, shows on a terminal how far it is."""
    if not sys.stdout.isatty():
        yield
        return
    over = threading.Event()
    started = time.monotonic()

    def show() -> None:
        while not over.wait(0.5):
            seconds = time.monotonic() - started
            percent = children.percent.get(stage.name, "")
            print(f"\r  ...    {seconds:7.1f} s  {stage.name} {percent}\033[K", end="", flush=True)
        print("\r\033[K", end="", flush=True)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
