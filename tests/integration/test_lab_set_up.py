"""What a learner does first: a fresh clone, an empty home folder, one command. Packages are downloaded."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from course_lib.settings import project_root

PATIENCE_SECONDS = 400.0
"""On an idle machine with a fast network: 8 seconds of set-up, 12 until JupyterLab has compiled itself."""

pytestmark = [
    pytest.mark.engine,
    pytest.mark.timeout(900),
    pytest.mark.skipif(os.name != "posix", reason="signals of POSIX systems"),
]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a clone would hold if everything here were committed now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=project_root(), capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this copy of the course is no git clone")
    root = tmp_path / "clone"
    for name in filter(None, listed.stdout.split("\0")):
        if (project_root() / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(project_root() / name, root / name)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "--message", "clone")
    return root


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout


def sources(notebook: Path) -> list[object]:
    """What a notebook's cells say. What they gave is not in a learner's copy."""
    return [cell["source"] for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]]


def open_and_end(clone: Path, home: Path) -> tuple[str, str, float]:
    """Runs the lab until its first lesson is served, then presses Ctrl-C.

    Returns:
        What was said, the lesson's page, and the seconds until it was there.
    """
    variables = {n: v for n, v in os.environ.items() if not n.startswith(("COURSE_", "JUPYTER", "FALKORDB"))}
    python = getattr(sys, "_base_executable", sys.executable)
    started = time.monotonic()
    said_path = home.parent / "said.txt"
    with said_path.open("wb") as said_file:
        process = subprocess.Popen(
            [python, "course.py", "lab", "--no-browser"],
            cwd=clone,
            env={**variables, "HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=said_file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        while not (
            found := re.search(r"^ +(http://\S+)\n", said_path.read_text(encoding="utf-8"), re.MULTILINE)
        ):
            said = said_path.read_text(encoding="utf-8")
            if process.poll() is not None:
                if "could not be fetched" in said:
                    pytest.skip("no network to download packages from")
                raise AssertionError(said)
            assert time.monotonic() - started < PATIENCE_SECONDS, said
            time.sleep(0.1)
        with urllib.request.urlopen(found.group(1), timeout=60) as reply:
            page = reply.read().decode("utf-8")
        took = time.monotonic() - started
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(60) == 0
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return said_path.read_text(encoding="utf-8"), page, took


def test_from_a_fresh_clone_to_the_first_lesson(clone: Path, tmp_path: Path) -> None:
    home = tmp_path / "person"
    home.mkdir()

    first, page, _ = open_and_end(clone, home)
    second, _, _ = open_and_end(clone, home)

    assert "Ready after" in first
    assert "jupyter-config-data" in page
    assert sources(clone / "work" / "00_start_here.ipynb") == sources(
        clone / "notebooks" / "00_start_here.ipynb"
    )
    assert "Setting up" not in second
    assert "/lab/tree/00_start_here.ipynb?token=" in second
    assert git(clone, "status", "--porcelain") == ""
    assert {path.name for path in home.iterdir()} <= {".cache", ".rustup"}, "only caches outside the clone"
