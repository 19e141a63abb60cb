"""The start-up file of the lab's kernels, in a real kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from course_lib.lab.kernel_start import STARTUP, STOPPED, WRITING, interrupted

Heard = list[dict[str, Any]]
Run = Callable[[str], Heard]
SLOW = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*)"
"""A query that would run for hours."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a cell in a kernel of the lab's, and gives what it said. One that prints `go` is interrupted."""
    from jupyter_client.manager import start_new_kernel

    startup = tmp_path / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-course.py").write_text(STARTUP, encoding="utf-8")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=60)

    def execute(code: str) -> Heard:
        heard: Heard = []

        def hear(message: dict[str, Any]) -> None:
            heard.append(message)
            if "go" in str(message["content"].get("text", "")):
                manager.interrupt_kernel()

        client.execute_interactive(code, timeout=60, output_hook=hear)
        return heard

    yield execute
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def the_error(heard: Heard) -> tuple[str, str]:
    """The name of the one error, and all that is shown of it."""
    (error,) = [one["content"] for one in heard if one["msg_type"] == "error"]
    return error["ename"], "\n".join(error["traceback"])


def test_a_name_that_nothing_is_called_by_gets_a_line_that_says_what_to_do(run: Run) -> None:
    name, said = the_error(run("college.size()"))
    assert name == "NameError"
    assert "Nothing is called 'college' here yet." in said
    assert "Run All Above Selected Cell" in said
    assert not [one for one in run("1 + 1") if one["msg_type"] == "error"]


@pytest.mark.engine
def test_an_interrupted_query_says_so_in_a_line_and_the_next_one_works(run: Run) -> None:
    run("from course_lib.college.graph import open_graph\ngraph = open_graph(name='interrupted')")
    name, said = the_error(run(f"print('go', flush=True)\ngraph.read({SLOW!r}, timeout_ms=4000)"))
    assert name == "KeyboardInterrupt"
    assert said.startswith("Interrupted: the cell was stopped in line ")
    assert len(said.splitlines()) == 1
    assert "redis" not in said
    (shown,) = [one for one in run("graph.read('RETURN 1').scalar()") if one["msg_type"] == "execute_result"]
    assert shown["content"]["data"]["text/plain"] == "1"
    run("graph.delete()")


class Graph:
    """Stands for the real one: what counts is what its method is called."""

    def write(self) -> None:
        raise KeyboardInterrupt


def test_an_interrupted_write_says_that_it_may_have_been_carried_out() -> None:
    with pytest.raises(KeyboardInterrupt) as caught:
        Graph().write()
    assert interrupted(caught.tb) == [f"{STOPPED.format(where='')} {WRITING}"]
    assert interrupted(None) == [STOPPED.format(where="")]
