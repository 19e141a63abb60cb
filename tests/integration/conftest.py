"""For tests of the server itself: a course folder of their own, and other processes that hold its server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from course_lib.college.server import release_server
from course_lib.settings import Settings, load_settings
from tests.conftest import processes_of, wait_until

HOLDER = """
import json, sys
from course_lib.college.server import ensure_server
found = ensure_server()
print(json.dumps({"pid": found.pid, "socket": str(found.socket)}), flush=True)
for line in sys.stdin:
    print(json.dumps(eval(line)), flush=True)
"""
"""A process that holds the server, says which one, and then answers expressions until its input ends."""


@dataclass
class Home:
    """A course folder with a server of its own, and the processes that were started in it."""

    path: Path
    settings: Settings
    children: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def server_folder(self) -> Path:
        return self.path / "falkordb"

    def start(self, code: str = HOLDER, **more: Any) -> subprocess.Popen[str]:
        """Starts a Python process in this course folder, with pipes to talk through."""
        child = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "COURSE_DIR": str(self.path), "FALKORDB_URL": ""},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **more,
        )
        self.children.append(child)
        return child

    def holder(self, **more: Any) -> tuple[subprocess.Popen[str], dict[str, Any]]:
        """Starts a process that holds the server; returns it with what it found."""
        child = self.start(**more)
        return child, hear(child)

    def recorded(self) -> dict[str, Any]:
        """What the supervisor has written down about the running server."""
        found: dict[str, Any] = json.loads((self.server_folder / "server.json").read_text())
        return found

    def is_quiet(self) -> bool:
        """Whether no process works in this folder any more."""
        return not processes_of(self.path)


def hear(child: subprocess.Popen[str]) -> Any:
    """The next line of JSON that a child says."""
    assert child.stdout is not None
    line = child.stdout.readline()
    assert line, "the child ended without a word"
    return json.loads(line)


def ask(child: subprocess.Popen[str], expression: str) -> Any:
    """Has a holder evaluate an expression."""
    assert child.stdin is not None
    child.stdin.write(expression + "\n")
    child.stdin.flush()
    return hear(child)


@pytest.fixture
def make_home() -> Iterator[Callable[..., Home]]:
    """Makes course folders with servers of their own. After the test nothing of them is left."""
    made: list[Home] = []

    def make(path: Path | None = None) -> Home:
        folder = path or Path(tempfile.mkdtemp(prefix="course-home-"))
        home = Home(folder, replace(load_settings(), home=folder, falkordb_url=None))
        made.append(home)
        return home

    yield make
    for home in made:
        release_server(home.settings)
        for child in home.children:
            if child.poll() is None:
                child.kill()
            child.communicate()
        wait_until(home.is_quiet, f"no process is left: {processes_of(home.path)}")
        shutil.rmtree(home.path, ignore_errors=True)


@pytest.fixture
def home(make_home: Callable[..., Home]) -> Home:
    """A course folder with a server of its own."""
    return make_home()
