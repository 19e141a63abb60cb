"""`course lock`: renews the lock files from pyproject.toml, and tries them for every system that counts."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.settings import project_root

HELP = "renew the lock files from pyproject.toml, or try them for every system"

PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = (
    "x86_64-pc-windows-msvc",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
)
"""What the locks have to install on, in uv's words."""
CONSTRAINTS = "locks/constraints.txt"


class LockError(CourseError):
    """A lock could not be made, or does not install somewhere."""


@dataclass(frozen=True)
class Lock:
    """A lock file and what it is made from."""

    path: str
    group: str | None = None
    """A dependency group of pyproject.toml."""
    project: bool = True
    """Whether the packages that the course itself needs are in it."""

    def sources(self) -> list[str]:
        """uv's arguments that say what to lock. Extra locks take the lessons' versions over."""
        arguments = ["pyproject.toml"] if self.project else []
        if self.group:
            arguments += ["--group", self.group]
        if self.project and self.path != LESSONS.path:
            arguments += ["--constraints", LESSONS.path]
        return arguments


LESSONS = Lock("requirements.lock")
LOCKS = (
    LESSONS,
    Lock("locks/bootstrap.lock", group="bootstrap", project=False),
    Lock("locks/test.lock", group="test"),
    Lock("locks/app.lock", group="app"),
    Lock("locks/instructors.lock", group="instructors"),
    Lock("locks/embeddings.lock", group="embeddings"),
    Lock("locks/ladybug.lock", group="ladybug"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the command's options."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--upgrade", action="store_true", help="take the newest versions that pyproject.toml allows"
    )
    how.add_argument(
        "--check", action="store_true", help="change nothing: say whether the locks fit pyproject.toml"
    )
    how.add_argument(
        "--try",
        action="store_true",
        dest="dry_run",
        help=f"change nothing: have uv find every package of every lock for {len(PLATFORMS)} systems",
    )


def run(args: argparse.Namespace) -> int:
    """Renews, checks or tries the locks; gives the exit code."""
    root = project_root()
    uv = find_uv()
    if args.dry_run:
        return _try(uv, root)
    if args.check:
        return _check(uv, root)
    for lock in LOCKS:
        if args.upgrade:
            (root / lock.path).unlink(missing_ok=True)
        compile_lock(uv, root, lock, root / lock.path)
        print(f"{lock.path}: {count(root / lock.path)} packages")
    return 0


def find_uv() -> str:
    """The uv of this environment, else the one on the path.

    Raises:
        LockError: there is none.
    """
    beside = Path(sys.executable).with_name("uv.exe" if sys.platform == "win32" else "uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise LockError("There is no uv here.", "Use `python3 course.py lock`: course.py installs it.")
    return found


def compile_lock(uv: str, root: Path, lock: Lock, output: Path) -> None:
    """Writes a lock. Versions that `output` holds already are kept where they still fit.

    Raises:
        LockError: uv finds no set of versions; its words are in the message.
    """
    command = [
        uv,
        "pip",
        "compile",
        *lock.sources(),
        "--constraints",
        CONSTRAINTS,
        "--output-file",
        str(output),
    ]
    command += ["--universal", "--python-version", PYTHONS[0], "--generate-hashes", "--quiet"]
    # One version for all Pythons: what a lesson prints must not depend on which one a learner has.
    command += ["--fork-strategy", "fewest"]
    command += ["--no-emit-index-url", "--custom-compile-command", "course lock"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise LockError(
            f"{lock.path} could not be made: {done.stderr.strip()}", "Mend pyproject.toml and try again."
        )
    hosts = re.findall(r"\w+://[^\s]+", output.read_text(encoding="utf-8"))
    if hosts:
        raise LockError(
            f"{lock.path} names a host ({hosts[0]}).", "Require packages by name and version only."
        )


def count(path: Path) -> int:
    """How many packages a lock names."""
    return len(re.findall(r"^[^\s#]+==", path.read_text(encoding="utf-8"), re.MULTILINE))


def _check(uv: str, root: Path) -> int:
    stale = []
    with tempfile.TemporaryDirectory() as folder:
        for lock in LOCKS:
            fresh = Path(folder) / Path(lock.path).name
            shutil.copyfile(root / lock.path, fresh)
            compile_lock(uv, root, lock, fresh)
            if fresh.read_bytes() != (root / lock.path).read_bytes():
                stale.append(lock.path)
    for path in stale:
        print(f"{path} does not fit pyproject.toml any more. Run `course lock`.")
    if not stale:
        print(f"All {len(LOCKS)} locks fit pyproject.toml.")
    return 1 if stale else 0


def trials(locks: Sequence[Lock] = LOCKS) -> Iterator[tuple[Lock, str, str]]:
    """Every lock with every platform and Python that it has to install on."""
    return ((lock, platform, python) for lock in locks for platform in PLATFORMS for python in PYTHONS)


def dry_run(uv: str, root: Path, lock: Lock, platform: str, python: str) -> str | None:
    """Has uv find every package of a lock, ready built, for a system that need not be this one.

    Returns:
        What is wrong, in uv's words; None when all is there.
    """
    with tempfile.TemporaryDirectory() as nowhere:
        command = [uv, "pip", "install", "--dry-run", "--target", nowhere, "--require-hashes", "--no-build"]
        command += ["--no-deps", "--python-platform", platform, "--python-version", python, "-r", lock.path]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return done.stderr.strip() if done.returncode else None


def _try(uv: str, root: Path) -> int:
    failed = 0
    for lock, platform, python in trials():
        wrong = dry_run(uv, root, lock, platform, python)
        failed += wrong is not None
        print(f"{'FAILS' if wrong else 'ok':<6}{lock.path:<24}{platform:<28}Python {python}", flush=True)
        if wrong:
            print(f"      {wrong}", file=sys.stderr)
    print(f"{sum(1 for _ in trials()) - failed} of {sum(1 for _ in trials())} install.")
    return 1 if failed else 0
