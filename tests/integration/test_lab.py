"""`course lab` as a learner meets it: a real JupyterLab, a real kernel, and every way to end them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from course_lib.settings import project_root

if TYPE_CHECKING:
    from jupyter_client import BlockingKernelClient

pytestmark = pytest.mark.engine

PATIENCE_SECONDS = 60.0
"""For a busy machine: starting takes 3 to 5 seconds on an idle one."""
POSIX = os.name == "posix"


def wait_until(met: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> Any:
    """Waits for a condition, and gives what it gave."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = met()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds:.0f} s: {what}")


def is_ready(client: BlockingKernelClient) -> bool:
    try:
        client.wait_for_ready(timeout=5)
    except RuntimeError:  # a kernel that is slow to begin counts as dead there
        return False
    return True


class Lab:
    """A running `course lab`, in folders of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.home = folder / "person"
        self.home.mkdir(exist_ok=True)
        self.said = folder / "said.txt"
        variables = {
            **os.environ,
            "HOME": str(self.home),
            "COURSE_DIR": str(folder / "course"),
            "COURSE_WORK": str(folder / "work"),
            "COURSE_TYPED": "python3 course.py",
        }
        for name in (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "IPYTHONDIR",
            "FALKORDB_URL",
        ):
            variables.pop(name, None)
        with self.said.open("wb") as said:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "course_lib.cli", "lab", "--no-browser", *options],
                cwd=folder,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # as in a terminal of its own: Ctrl-C reaches the whole group
            )
        self.address = ""
        self.token = ""

    def wait_until_open(self) -> None:
        def address() -> str | None:
            assert self.process.poll() is None, self.output()
            found = re.search(r"^ +(http://\S+)\n", self.output(), re.MULTILINE)
            return found.group(1) if found else None

        whole = wait_until(address, "the lab says where it is")
        self.address, self.token = re.match(r"(http://[^/]+)/.*token=(\w+)", whole).groups()  # type: ignore[union-attr]

    def output(self) -> str:
        return self.said.read_text(encoding="utf-8", errors="replace")

    def ask(self, path: str, body: object = None) -> Any:
        """One call of Jupyter's REST interface."""
        request = urllib.request.Request(
            self.address + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as reply:
            text = reply.read().decode("utf-8")
        return json.loads(text) if "json" in reply.headers["Content-Type"] else text

    def start_kernel(self) -> psutil.Process:
        """A kernel that has answered."""
        kernel = self.ask("/api/kernels", {"name": "python3", "path": "00_start_here.ipynb"})
        self.connection = self.folder / "course" / "jupyter" / "runtime" / f"kernel-{kernel['id']}.json"
        self.in_kernel("1 + 1")
        mine = [p for p in self.processes() if "ipykernel_launcher" in " ".join(p.cmdline())]
        assert len(mine) == 1
        return mine[0]

    def in_kernel(self, code: str) -> str:
        """Runs code in the kernel and gives what it printed."""
        from jupyter_client import BlockingKernelClient

        client = BlockingKernelClient(connection_file=str(self.connection))
        client.load_connection_file()
        client.start_channels()
        try:
            wait_until(lambda: is_ready(client), "the kernel answers")
            printed: list[str] = []

            def keep(message: dict[str, Any]) -> None:
                if message["msg_type"] == "stream":
                    printed.append(message["content"]["text"])

            reply = client.execute_interactive(code, timeout=PATIENCE_SECONDS, output_hook=keep)
            assert reply["content"]["status"] == "ok", reply["content"]
            return "".join(printed)
        finally:
            client.stop_channels()

    def processes(self) -> list[psutil.Process]:
        """All that the lab started and that still runs, whoever its parent is now."""
        marks = (str(self.folder),)
        found = []
        for process in psutil.process_iter():
            try:
                if process.pid != os.getpid() and any(mark in " ".join(process.cmdline()) for mark in marks):
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def end(self, number: int = signal.SIGINT) -> int:
        os.killpg(self.process.pid, number)
        return self.process.wait(PATIENCE_SECONDS)

    def leave_nothing(self) -> None:
        wait_until(lambda: not self.processes(), f"all processes have ended, but for {self.processes()}")


@pytest.fixture
def lab_folder(tmp_path: Path) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    lesson = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (work / "00_start_here.ipynb").write_text(json.dumps(lesson), encoding="utf-8")
    return tmp_path


@pytest.fixture
def lab(lab_folder: Path) -> Iterator[Lab]:
    running = Lab(lab_folder)
    try:
        running.wait_until_open()
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
            running.process.wait(PATIENCE_SECONDS)
        running.leave_nothing()


@pytest.mark.skipif(not POSIX, reason="signals and sockets of POSIX systems")
def test_a_day_at_the_lab(lab: Lab) -> None:
    page = lab.ask("/lab/tree/00_start_here.ipynb")
    assert lab.ask("/api/contents/00_start_here.ipynb")["type"] == "notebook"
    kernel = lab.start_kernel()
    prefix, folder, read = lab.in_kernel(
        "import sys, os\n"
        "from course_lib.college.graph import open_graph\n"
        "g = open_graph(name='lab_test')\n"
        "g.write('CREATE (:Note {text: $t})', {'t': 'hello'})\n"
        "print(sys.prefix, os.getcwd(), g.read('MATCH (n) RETURN n.text').scalar())"
    ).split()

    configuration = json.loads(re.search(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.S)[1])  # type: ignore[index]
    assert configuration["buildCheck"] is False
    assert configuration["news"] == {"disabled": True}
    extensions = [extension["name"] for extension in configuration["federated_extensions"]]
    assert "@jupyter-widgets/jupyterlab-manager" in extensions
    assert prefix == sys.prefix, "the kernel runs in the course's environment"
    assert Path(folder) == lab.folder / "work", "and beside the lesson"
    assert read == "hello"
    engines = [p for p in lab.processes() if p.name() == "redis-server"]
    assert len(engines) == 1, "the kernel uses the lab's server"
    assert kernel.ppid() == lab.process.pid

    code = lab.end(signal.SIGINT)

    assert code == 0
    lab.leave_nothing()
    assert list(lab.home.iterdir()) == [], "nothing is written to the home folder"
    lines = [line for line in lab.output().splitlines() if line.strip()]
    assert lines[-1] == "The lab has ended."
    assert len(lines) <= 7, lab.output()
    assert "trusted" not in lab.output(), "opening a new copy of a lesson is no cause for a warning"
    assert "?" not in lab.output().replace("?token", ""), "no question is asked"


@pytest.mark.skipif(not POSIX, reason="signals and sockets of POSIX systems")
def test_a_killed_lab_leaves_nothing_running_and_loses_nothing(lab: Lab) -> None:
    lab.start_kernel()
    lab.in_kernel(
        "from course_lib.college.graph import open_graph\n"
        "open_graph(name='kept').write('CREATE (:Note {text: $t})', {'t': 'kept'})"
    )

    os.kill(lab.process.pid, signal.SIGKILL)
    lab.process.wait(PATIENCE_SECONDS)
    lab.leave_nothing()

    again = Lab(lab.folder)
    try:
        again.wait_until_open()
        again.start_kernel()
        kept = again.in_kernel(
            "from course_lib.college.graph import open_graph\n"
            "print(open_graph(name='kept').read('MATCH (n) RETURN n.text').scalar())"
        )
        assert kept == "kept\n"
    finally:
        again.end()


@pytest.mark.skipif(not POSIX, reason="signals and sockets of POSIX systems")
def test_a_port_in_use_is_passed_over_and_a_closed_terminal_ends_the_lab(lab_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        lab = Lab(lab_folder, "--port", str(port))
        try:
            lab.wait_until_open()
            assert f"Port {port} is in use" in lab.output()
            assert int(lab.address.rpartition(":")[2]) > port
            lab.start_kernel()
        finally:
            code = lab.end(signal.SIGHUP)
    assert code == 0
    lab.leave_nothing()


def test_the_shipped_lessons_stay_as_git_has_them() -> None:
    """The other tests of this file ran JupyterLab on copies: what git tracks must not have moved."""
    done = subprocess.run(
        ["git", "ls-files", "--error-unmatch", "course.py"],
        cwd=project_root(),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.skip("this copy of the course is no git clone")
    ignored = subprocess.run(
        ["git", "check-ignore", "work/x.ipynb", ".course/x", ".venv/x", "uv.lock"],
        cwd=project_root(),
        capture_output=True,
        text=True,
    )
    assert ignored.stdout.split() == ["work/x.ipynb", ".course/x", ".venv/x", "uv.lock"]
