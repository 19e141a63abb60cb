"""Several at once on one graph: nothing is doubled, and the server can read back what was written."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from course_lib.college.tables import read_tables

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(
        "FALKORDB_URL" in os.environ, reason="another server's threads are its owner's choice"
    ),
]

ROUNDS = 4
"""With the engine's usual four threads, more than half of the rounds went wrong."""


def at_once(do: Callable[[str], None], name: str) -> list[BaseException]:
    """Runs the same thing in two threads that start together; what they raised."""
    start = threading.Barrier(2)
    raised: list[BaseException] = []

    def run() -> None:
        start.wait()
        try:
            do(name)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return raised


def load(name: str) -> None:
    from course_lib.college.dataset import load_college
    from course_lib.college.graph import open_graph

    load_college(open_graph(name=name))


def restore(name: str) -> None:
    from course_lib.college.dataset import restore_college
    from course_lib.college.graph import open_graph

    restore_college(open_graph(name=name))


def test_two_loaders_of_one_graph_double_nothing() -> None:
    from course_lib.college.dataset import differs
    from course_lib.college.graph import open_graph

    graph = open_graph(name="two_loaders")
    try:
        for _ in range(ROUNDS):
            graph.delete()
            assert at_once(load, graph.name) == []
            assert not differs(graph, read_tables())
    finally:
        graph.delete()


def test_two_restores_of_one_graph_at_once() -> None:
    from course_lib.college.dataset import differs
    from course_lib.college.graph import open_graph

    graph = open_graph(name="two_restores")
    try:
        for _ in range(ROUNDS):
            graph.write("CREATE (:Mine)")
            assert at_once(restore, graph.name) == []
            assert not differs(graph, read_tables())
    finally:
        graph.delete()


@pytest.mark.skipif(sys.platform == "win32", reason="the embedded engine does not run on Windows")
def test_what_two_loaders_wrote_is_there_after_a_kill(course_dir: Path) -> None:
    from course_lib.college.errors import EngineError
    from course_lib.college.graph import open_graph

    graph = open_graph(name="two_loaders_killed")
    for _ in range(ROUNDS // 2):
        graph.delete()
        assert at_once(load, graph.name) == []
    before = graph.checksum()
    record = json.loads((course_dir / "falkordb" / "server.json").read_text(encoding="utf-8"))
    os.kill(record["pid"], signal.SIGKILL)
    deadline = time.monotonic() + 30
    while True:
        try:
            after = open_graph(name=graph.name).checksum()
            break
        except EngineError:
            assert time.monotonic() < deadline, "no server came back"
    assert after == before
    graph.delete()
