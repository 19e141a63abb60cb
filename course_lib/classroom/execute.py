"""Runs a notebook in a kernel of its own, in surroundings that are the same on every machine."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.errors import CourseError
from course_lib.settings import KEY_NAMES

if TYPE_CHECKING:
    from nbformat import NotebookNode

CELL_TIMEOUT_S = 120
"""Seconds that one cell may run."""


class CellFailedError(CourseError):
    """A cell did not run to its end."""

    def __init__(self, what: str, cell: int | None) -> None:
        self.cell = cell
        """Index of the cell, counted from 0; None when the kernel did not even start one."""
        super().__init__(what)


@dataclass
class Kernels:
    """The kernels that run now, so that an interrupt can end them."""

    running: set[Any] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    stopped: bool = False

    @contextlib.contextmanager
    def hold(self, manager: Any) -> Iterator[None]:
        """Counts a kernel as running until the block ends."""
        with self.lock:
            if self.stopped:
                raise KeyboardInterrupt
            self.running.add(manager)
        try:
            yield
        finally:
            with self.lock:
                self.running.discard(manager)

    def kill_all(self) -> None:
        """Ends the kernels that run, and lets no new one start."""
        with self.lock:
            self.stopped = True
            for manager in self.running:
                process = getattr(manager.provisioner, "process", None)
                if process is not None:
                    process.kill()


def kernel_environment(home: Path, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for notebooks that a machine runs.

    The practice model answers, whatever keys are set; the course's own files and Jupyter's lie in `home`.

    Args:
        home: a folder for this run alone.
        environ: where the rest comes from; `os.environ` when None.
    """
    hidden = {*KEY_NAMES.values(), "NBGRADER_EXECUTION", "JUPYTER_PATH", "PYTHONSTARTUP"}
    env = {k: v for k, v in (os.environ if environ is None else environ).items() if k not in hidden}
    return env | {
        "COURSE_BUILD": "1",
        "COURSE_MODEL": "practice",
        "COURSE_DIR": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(home / "jupyter" / "config"),
        "JUPYTER_DATA_DIR": str(home / "jupyter" / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "jupyter" / "runtime"),
        # Without it the debugger warns on stderr about modules that are frozen into Python.
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def execute(
    notebook: NotebookNode,
    cwd: Path,
    home: Path,
    kernels: Kernels,
    on_cell: Callable[[int], None] = lambda index: None,
) -> None:
    """Runs every cell in order; outputs and counts are put into the notebook.

    Args:
        notebook: what to run; changed in place.
        cwd: the folder the notebook believes to lie in.
        home: a folder for this run alone (its path short: a unix socket lies below it).
        kernels: where the kernel is entered while it runs.
        on_cell: called with the index of each cell that is done.

    Raises:
        CellFailedError: a cell raised, ran too long or took the kernel down.
    """
    import asyncio

    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    client = _client(notebook, cwd, home)
    started: list[int] = []
    client.on_cell_start = lambda cell, cell_index: started.append(cell_index)
    client.on_cell_complete = lambda cell, cell_index: on_cell(cell_index)
    try:
        with kernels.hold(client.km):
            asyncio.run(client.async_execute(env=kernel_environment(home), cleanup_kc=True))
    except CellExecutionError as error:
        raise CellFailedError(f"{error.ename}: {error.evalue}", started[-1]) from error
    except CellTimeoutError as error:
        raise CellFailedError(f"ran for more than {client.timeout} seconds", started[-1]) from error
    except DeadKernelError as error:
        raise CellFailedError("the kernel died", started[-1] if started else None) from error


def _client(notebook: NotebookNode, cwd: Path, home: Path) -> Any:
    from ipykernel import kernelspec
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient

    class ThisPython(KernelSpecManager):
        """Gives the kernel of the running Python, whatever is installed for the user."""

        def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
            return KernelSpec(resource_dir=kernelspec.RESOURCES, **kernelspec.get_kernel_dict())

    cwd.mkdir(parents=True, exist_ok=True)
    manager = AsyncKernelManager(
        kernel_name="python3",
        kernel_spec_manager=ThisPython(),
        connection_file=str(home / "kernel.json"),
    )
    return NotebookClient(
        notebook,
        km=manager,
        timeout=CELL_TIMEOUT_S,
        resources={"metadata": {"path": str(cwd)}},
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        allow_errors=False,
        # It warns of each connection that is not encrypted; these never leave the machine.
        extra_arguments=["--log-level=ERROR"],
    )
