"""Building real notebooks in real kernels: what is made, what is refused, and what stays when it fails."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from course_lib.classroom import build as builder
from course_lib.classroom.build import BuildReport, StaleNotebooksError, build, check
from course_lib.classroom.notebooks import JupytextDiffersError

LESSON = """\
# %% [markdown]
# # 02 · A small lesson
# Nothing but Python.

# %%
import os
from pathlib import Path

print("building:", os.environ["COURSE_BUILD"], "in", Path.cwd().name)

# %% tags=["measured"]
import time

print(time.perf_counter(), "that is 0.31 ms")

# %% exercise="02.1"
answer = None
### BEGIN SOLUTION
answer = 42
### END SOLUTION
print("not attempted" if answer is None else "right")

# %%
from IPython.display import HTML
import ipywidgets

display(ipywidgets.IntSlider(description="ignored"))
HTML("<b>bold</b>")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "a course"
    (folder / "solutions").mkdir(parents=True)
    (folder / "notebooks").mkdir()
    write(folder, LESSON)
    return folder


def write(root: Path, text: str, name: str = "02_small") -> None:
    (root / "solutions" / f"{name}.py").write_text(text, encoding="utf-8")


def load(root: Path, folder: str, name: str = "02_small") -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads((root / folder / f"{name}.ipynb").read_text(encoding="utf-8"))
    return notebook


def printed(cell: dict[str, Any]) -> str:
    return "".join("".join(o["text"]) for o in cell["outputs"] if o["output_type"] == "stream")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lesson built once, for the tests that only look (or work on a copy)."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "solutions").mkdir()
    write(folder, LESSON)
    cells: list[str] = []
    lessons: list[str] = []
    report = build(
        folder,
        progress=builder.Progress(
            lambda lesson, edition: cells.append(edition.value),
            lambda lesson, faults: lessons.append(lesson.name),
        ),
    )
    assert sorted(cells) == ["notebooks"] * 4 + ["solutions"] * 4, "progress hears of every code cell"
    assert lessons == ["02_small"]
    assert [str(fault) for fault in report.faults] == []
    return folder


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    for folder in ("solutions", "notebooks"):
        (tmp_path / folder).mkdir()
        for path in (built / folder).iterdir():
            (tmp_path / folder / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_both_notebooks_come_from_one_source(built: Path) -> None:
    import nbformat

    for folder, says in (("notebooks", "not attempted\n"), ("solutions", "right\n")):
        path = built / folder / "02_small.ipynb"
        nbformat.validate(nbformat.read(path, as_version=4))
        notebook = load(built, folder)
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert [cell["execution_count"] for cell in code] == [1, 2, 3, 4]
        assert printed(code[0]) == f"building: 1 in {folder}\n"
        assert printed(code[2]) == says
        assert code[2]["metadata"] == {"exercise": "02.1"}
        assert code[2]["id"] == "exercise-02-1"
        assert ("answer = 42" in "".join(code[2]["source"])) == (folder == "solutions")


def test_metadata_holds_nothing_but_what_every_machine_has(built: Path) -> None:
    notebook = load(built, "notebooks")
    assert notebook["metadata"]["kernelspec"] == {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    assert "version" not in notebook["metadata"]["language_info"]
    assert notebook["metadata"]["course"]["made_from"] == "solutions/02_small.py"
    assert set(notebook["metadata"]) == {"course", "kernelspec", "language_info"}
    assert [cell["metadata"] for cell in notebook["cells"]] == [
        {},
        {},
        {"tags": ["measured", "nbval-ignore-output"]},
        {"exercise": "02.1"},
        {},
    ]


def test_a_widget_leaves_its_text_and_no_view(built: Path) -> None:
    outputs = load(built, "notebooks")["cells"][4]["outputs"]
    assert [sorted(output["data"]) for output in outputs] == [["text/plain"], ["text/html", "text/plain"]]
    assert "widget" not in json.dumps(load(built, "notebooks")["metadata"])


def test_a_second_build_of_all_gives_the_same_files_but_for_measured_cells(copy: Path) -> None:
    def without_measured(folder: str) -> list[Any]:
        return [cell for cell in load(copy, folder)["cells"] if "tags" not in cell["metadata"]]

    before = {folder: without_measured(folder) for folder in ("notebooks", "solutions")}
    assert build(copy).unchanged != ()
    report = build(copy, everything=True)
    assert [lesson.name for lesson in report.built] == ["02_small"]
    assert {folder: without_measured(folder) for folder in before} == before


def test_check_is_content_with_what_was_just_built(built: Path) -> None:
    assert [lesson.name for lesson in check(built)] == ["02_small"]


@pytest.mark.parametrize(
    ("find", "put", "says"),
    [
        pytest.param('"Python 3"', '"Python 3 (ipykernel)"', "other metadata", id="opened and saved"),
        pytest.param('"execution_count": 3', '"execution_count": 9', "cell 4 .*not run in order", id="order"),
        pytest.param('"execution_count": 3', '"execution_count": null', "not run in order", id="not run"),
        pytest.param("answer = None", "answer = 0", "cell 4 .*another text", id="edited"),
        pytest.param("exercise-02-1", "something-else", "cell 4 .*not the cell", id="another id"),
        pytest.param('"exercise": "02.1"', '"exercise": "02.2"', "cell 4 .*other metadata", id="metadata"),
        pytest.param("not attempted\\\\n", "/home/someone/x\\\\n", "cell 4 .*path of one", id="output"),
        pytest.param("\\Z", "\\n", "not in the form", id="another editor"),
        pytest.param("\\A", "x", "not a notebook", id="not JSON"),
    ],
)
def test_check_names_file_cell_and_command(copy: Path, find: str, put: str, says: str) -> None:
    path = copy / "notebooks" / "02_small.ipynb"
    text = path.read_text(encoding="utf-8")
    changed = re.sub(find, put, text, count=1)
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    with pytest.raises(StaleNotebooksError, match=says) as caught:
        check(copy)
    assert "notebooks/02_small.ipynb" in str(caught.value)
    assert "course build 02" in caught.value.next_step


def test_check_sees_a_changed_answer_in_the_solution_only(copy: Path) -> None:
    write(copy, LESSON.replace("answer = 42", "answer = 43"))
    with pytest.raises(StaleNotebooksError) as caught:
        check(copy)
    assert "solutions/02_small.ipynb, cell 4 (source line 16)" in str(caught.value)
    assert "notebooks/02_small.ipynb, cell" not in str(caught.value)


def test_check_sees_missing_and_left_over_notebooks(copy: Path) -> None:
    (copy / "notebooks" / "02_small.ipynb").rename(copy / "notebooks" / "07_gone.ipynb")
    with pytest.raises(StaleNotebooksError) as caught:
        check(copy)
    assert "notebooks/02_small.ipynb: is not there yet" in str(caught.value)
    assert "notebooks/07_gone.ipynb: has no source" in str(caught.value)


EXERCISE = LESSON[LESSON.index("# %% exercise") : LESSON.index("# %%\nfrom IPython")]
FAULTS = {
    # name of the lesson -> its second cell, and what must be said of which notebook's cell
    "03_raises": ("# %%\nraise ValueError('on purpose')\n", "ValueError: on purpose", "both"),
    "05_differs": (
        "# %%\nimport getpass, sys\nprint('oh', file=sys.stderr)\nprint(object(), getpass.getuser())\n",
        "writes to stderr|a memory address|holds the user name of this machine",
        "both",
    ),
    "06_dies": ("# %%\nimport os; os._exit(1)\n", "the kernel died", "both"),
    "08_wrong": (
        EXERCISE.replace("02.1", "08.1").replace("answer = 42", "answer = 42 / 0"),
        "exercise 08.1): ZeroDivisionError",
        "solutions",
    ),
    "09_given": (
        EXERCISE.replace("02.1", "09.1").replace("answer = None", "answer = 42"),
        "exercise 09.1): the untouched exercise is not 'not attempted'",
        "notebooks",
    ),
}


@pytest.fixture(scope="module")
def faulty(built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BuildReport]:
    """A course in which every lesson but the first two has a fault, built once."""
    folder = tmp_path_factory.mktemp("faulty")
    for name in ("solutions/02_small.py", "solutions/02_small.ipynb", "notebooks/02_small.ipynb"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes((built / name).read_bytes())
    write(folder, "# %%\nprint(1)\n", name="01_fine")
    for name, (cell, _, _) in FAULTS.items():
        write(folder, f"# %% [markdown]\n# # A lesson\n\n{cell}", name=name)
    (folder / "notebooks" / "03_raises.ipynb").write_text("an older build", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOGNAME", "meera_k")
        return folder, build(folder)


@pytest.mark.parametrize("name", FAULTS)
def test_a_cell_that_fails_is_named(name: str, faulty: tuple[Path, BuildReport]) -> None:
    _, says, where = FAULTS[name]
    faults = sorted(str(fault) for fault in faulty[1].faults if fault.lesson.name == name)
    folders = ["notebooks", "solutions"] if where == "both" else [where]
    assert sorted({fault.split(" (source line 4")[0] for fault in faults}) == [
        f"{folder}/{name}.ipynb, cell 2" for folder in folders
    ]
    for each in says.split("|"):
        assert sum(each in fault for fault in faults) == len(folders), faults


def test_failing_lessons_stop_no_other_and_their_old_notebooks_stay(faulty: tuple[Path, BuildReport]) -> None:
    folder, report = faulty
    assert [lesson.name for lesson in report.built] == ["01_fine"]
    assert [lesson.name for lesson in report.unchanged] == ["02_small"]
    assert {fault.lesson.name for fault in report.faults} == set(FAULTS)
    assert (folder / "notebooks" / "03_raises.ipynb").read_text(encoding="utf-8") == "an older build"
    assert sorted(p.name for p in (folder / "notebooks").iterdir()) == [
        "01_fine.ipynb",
        "02_small.ipynb",
        "03_raises.ipynb",
    ]


def test_a_source_that_jupytext_reads_otherwise_is_refused(root: Path) -> None:
    write(root, '# %%\ntext = """\n# %%\n"""\n')
    with pytest.raises(JupytextDiffersError, match="line"):
        build(root)


def test_two_builds_at_once_leave_whole_notebooks(root: Path) -> None:
    write(root, "# %%\nprint(1)\n")
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(build, root, everything=True, jobs=1) for _ in range(2)]
        assert [str(fault) for each in both for fault in each.result().faults] == []
    assert [lesson.name for lesson in check(root)] == ["02_small"]
    assert sorted(p.name for p in (root / "notebooks").iterdir()) == ["02_small.ipynb"]


def test_an_interrupt_ends_the_kernels_and_writes_nothing(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "kernel.pid"
    write(root, f"# %%\nimport os, time, pathlib\npathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\n"
                "time.sleep(100)\n")  # fmt: skip
    script = (
        "import sys, pathlib; from course_lib.classroom.build import build; build(pathlib.Path(sys.argv[1]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(root)], stderr=subprocess.DEVNULL, start_new_session=True
    )
    wait_for(lambda: mark.exists() and mark.read_text() != "")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) != 0
    wait_for(lambda: not alive(int(mark.read_text())))
    assert list(root.rglob("*.ipynb")) == []


def wait_for(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A process that has ended but was not collected yet runs no more.
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")
