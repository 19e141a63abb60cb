"""What every test stands on: a course folder of its own for each worker, and scratch graphs in it."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

# Set before any test module is imported, so that nothing can look into the developer's own `.course/`. A
# short path: it holds sockets. One a process, so that parallel workers never share a server.
_FOLDER = Path(tempfile.mkdtemp(prefix="course-test-"))
os.environ["COURSE_DIR"] = str(_FOLDER)


def wait_until(condition: Callable[[], object], what: str, seconds: float = 20.0) -> None:
    """Waits until a condition holds; fails with its name when it does not within the seconds."""
    deadline = time.monotonic() + seconds
    tick = threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {seconds} s: {what}")
        tick.wait(0.01)


def processes_of(folder: Path) -> list[str]:
    """The running processes that have a folder's path in their command line: pid and command."""
    own = str(os.getpid())
    if Path("/proc/self/cmdline").exists():
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and entry.name != own:
                try:
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                except OSError:
                    continue  # it has just ended
                if str(folder) in command:
                    found.append(f"{entry.name} {command}")
        return found
    listing = subprocess.run(
        ["ps", "-axww", "-o", "pid=,command="], capture_output=True, text=True, check=True
    )
    return [line.strip() for line in listing.stdout.splitlines() if str(folder) in line]


@pytest.fixture(scope="session", autouse=True)
def course_dir() -> Iterator[Path]:
    """This worker's course folder. After the run it is gone, and so is every process that worked in it."""
    yield _FOLDER
    from course_lib.college.server import release_server

    release_server()
    wait_until(lambda: not processes_of(_FOLDER), f"every process of {_FOLDER} has ended")
    shutil.rmtree(_FOLDER, ignore_errors=True)


@pytest.fixture
def graph() -> Iterator[Graph]:
    """A fresh, empty graph that is deleted after the test."""
    from course_lib.college.graph import open_graph

    scratch = open_graph(name=f"scratch_{secrets.token_hex(4)}")
    yield scratch
    scratch.delete()
    scratch.close()
