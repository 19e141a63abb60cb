"""nbval, as `course test` starts it, really fails where it must, and only there."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from course_lib.commands.test import nbval_arguments
from course_lib.settings import project_root

PICTURE = (
    'from IPython.display import HTML\nHTML(\'<img alt="{alt}" src="data:image/svg+xml;base64,{code}">\')'
)
PRINTS = {"output_type": "stream", "name": "stdout", "text": "2\n"}


def html(alt: str, code: str) -> dict[str, object]:
    return {
        "output_type": "execute_result",
        "execution_count": 1,
        "metadata": {},
        "data": {
            "text/plain": "<IPython.core.display.HTML object>",
            "text/html": f'<img alt="{alt}" src="data:image/svg+xml;base64,{code}">',
        },
    }


# name of the cell -> source, stored outputs, stored count, tags, whether the cell must fail
CELLS: dict[str, tuple[str, list[dict[str, object]], int | None, list[str], bool]] = {
    "same": ("print(1 + 1)", [PRINTS], 1, [], False),
    "changed_output": ("print(1 + 2)", [PRINTS], 1, [], True),
    "missing_output": ("None", [PRINTS], 1, [], True),
    "more_output": ("print(1 + 1)", [], 1, [], True),
    "changed_assert": ("assert 1 + 1 == 3", [], 1, [], True),
    "stderr": ("import sys\nprint('careful', file=sys.stderr)\nprint(2)", [PRINTS], 1, [], False),
    "measured": ("print(3)", [PRINTS], 1, ["measured", "nbval-ignore-output"], False),
    "measured_assert": ("assert False", [PRINTS], 1, ["measured", "nbval-ignore-output"], True),
    "never_run": ("print(2)", [], None, [], True),
    "other_digits": (PICTURE.format(alt="a", code="QQ=="), [html("a", "Qg==")], 1, [], False),
    "other_alt": (PICTURE.format(alt="b", code="QQ=="), [html("a", "QQ==")], 1, [], True),
    "surroundings": (
        "import os, sys\nfrom pathlib import Path\n"
        "assert os.environ['COURSE_BUILD'] == '1' and os.environ['COURSE_MODEL'] == 'practice'\n"
        "assert 'GROQ_API_KEY' not in os.environ\n"
        f"assert sys.executable == {sys.executable!r}\n"
        "assert os.environ['IPYTHONDIR'].startswith(os.environ['COURSE_DIR'])\n"
        "print(2 if Path.cwd().name == 'solutions' else Path.cwd())",
        [PRINTS],
        1,
        [],
        False,
    ),
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Name of the cell -> "passed" or what nbval said, from one run over one notebook."""
    import nbformat
    from nbformat import v4

    folder = tmp_path_factory.mktemp("nbval") / "solutions"
    folder.mkdir()
    cells = [
        v4.new_code_cell(
            source,
            outputs=nbformat.from_dict(outputs),
            execution_count=count,
            metadata={"tags": tags} if tags else {},
        )
        for source, outputs, count, tags, _ in CELLS.values()
    ]
    nbformat.write(v4.new_notebook(cells=cells), folder / "02_cells.ipynb")
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *nbval_arguments(project_root()), str(folder)],
        cwd=project_root(),
        env=os.environ | {"GROQ_API_KEY": "a key that kernels must not see"},
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert report.exists(), done.stdout + done.stderr
    found = {}
    for case in ET.parse(report).iter("testcase"):
        number = int(case.get("name", "").removeprefix("Cell "))
        faults = [*case.iter("failure"), *case.iter("error")]
        found[list(CELLS)[number]] = (faults[0].text or "") if faults else "passed"
    return found


@pytest.mark.parametrize("name", CELLS)
def test_nbval_fails_where_it_must_and_nowhere_else(name: str, verdicts: dict[str, str]) -> None:
    must_fail = CELLS[name][-1]
    assert (verdicts[name] != "passed") == must_fail, verdicts[name]


def test_a_cell_that_was_never_run_is_told_what_to_do(verdicts: dict[str, str]) -> None:
    assert "course build" in verdicts["never_run"]


def test_a_changed_output_shows_both(verdicts: dict[str, str]) -> None:
    assert "Cell outputs differ" in verdicts["changed_output"]
    assert "2" in verdicts["changed_output"]
    assert "3" in verdicts["changed_output"]
