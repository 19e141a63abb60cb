"""What every test stands on: a course folder of its own for each worker, and scratch graphs in it."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

# Set before any test module is imported, so that nothing can look into the developer's own `.course/`. A short
# path: it holds sockets. One a process, so that parallel workers never share a server.
_FOLDER = Path(tempfile.mkdtemp(prefix="course-test-"))
os.environ["COURSE_DIR"] = str(_FOLDER)


@pytest.fixture(scope="session", autouse=True)
def course_dir() -> Iterator[Path]:
    """This worker's course folder, which is gone after the run."""
    yield _FOLDER
    from course_lib.college.server import release_server

    release_server()
    shutil.rmtree(_FOLDER, ignore_errors=True)


@pytest.fixture
def graph() -> Iterator[Graph]:
    """A fresh, empty graph that is deleted after the test."""
    from course_lib.college.graph import open_graph

    scratch = open_graph(name=f"scratch_{secrets.token_hex(4)}")
    yield scratch
    scratch.delete()
    scratch.close()
