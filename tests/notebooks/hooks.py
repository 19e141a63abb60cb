"""How nbval runs the course's notebooks: `pytest -p tests.notebooks.hooks --nbval notebooks solutions`.

`course test` gives the rest of the arguments (see `course_lib.commands.test`). Compared is what a notebook
stores with what it prints now; a cell tagged `measured` is run and not compared.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from course_lib.classroom.execute import kernel_environment

_home: Path | None = None


def pytest_configure(config: pytest.Config) -> None:
    """Gives the kernels of this process surroundings of their own, as the build does."""
    global _home
    _home = Path(tempfile.mkdtemp(prefix="cn-"))
    environment = kernel_environment(_home)
    for name in set(os.environ) - set(environment):
        del os.environ[name]
    os.environ.update(environment)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes what the kernels left."""
    if _home is not None:
        shutil.rmtree(_home, ignore_errors=True)


def pytest_collectstart(collector: Any) -> None:
    """A warning that a library begins to write on stderr is no fault of a notebook."""
    if getattr(getattr(collector, "path", None), "suffix", "") == ".ipynb":
        collector.skip_compare = (*collector.skip_compare, "stderr")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuses a cell that was never run: nbval would compare nothing and call it passed."""
    cell = getattr(item, "cell", None)
    if cell is not None and cell.get("execution_count") is None:
        pytest.fail(
            "This cell was never run, so there is nothing to compare. Run: course build", pytrace=False
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Puts the end of the graph server's log, which goes away with the run, beside a failure that speaks of it."""
    report = yield
    if report.failed and _home is not None and "server.log" in str(report.longrepr):
        log = _home / "falkordb" / "server.log"
        if log.is_file():
            said = log.read_text(encoding="utf-8", errors="replace").splitlines()[-30:]
            report.sections.append(("the graph server's log", "\n".join(said)))
    return report
