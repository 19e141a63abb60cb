"""Reading a lesson's source: cells, stubs, ids, and what is refused with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from course_lib.classroom import source
from course_lib.classroom.source import lesson_paths, parse_lesson

LESSON = '''\
# %% [markdown]
# # 02 · Ask more
# A line of text.

# %%
from course_lib import lesson
college = lesson.start("02")

# %% tags=["measured"]
print(3.25)

# %% exercise="02.1"
query = "first try"
### BEGIN SOLUTION
query = "mended"
### END SOLUTION
lesson.check("02.1", query)

# %% exercise="02.2"
def rank(grade):
    """Best first."""
    ### BEGIN SOLUTION
    return ["A+", "A"].index(grade)
    ### END SOLUTION

lesson.check("02.2", rank)
'''


def write(folder: Path, text: str, name: str = "02_ask_more.py") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def stub_of(folder: Path, code: str) -> str:
    return parse_lesson(write(folder, f'# %% exercise="02.1"\n{code}')).exercise("02.1").stub


def test_a_lesson_is_its_cells_in_order(tmp_path: Path) -> None:
    lesson = parse_lesson(write(tmp_path, LESSON))
    assert (lesson.number, lesson.name) == ("02", "02_ask_more")
    assert [cell.kind for cell in lesson.cells] == ["markdown", "code", "code", "code", "code"]
    assert [cell.line for cell in lesson.cells] == [1, 5, 9, 12, 19]
    assert lesson.cells[0].source == "# 02 · Ask more\nA line of text."
    assert [cell.measured for cell in lesson.cells] == [False, False, True, False, False]
    assert [cell.exercise for cell in lesson.exercises] == ["02.1", "02.2"]


def test_the_stub_keeps_what_stands_before_and_after_the_answer(tmp_path: Path) -> None:
    exercise = parse_lesson(write(tmp_path, LESSON)).exercise("02.1")
    assert exercise.stub == 'query = "first try"\nlesson.check("02.1", query)'
    assert '"mended"' in exercise.source
    assert source.BEGIN in exercise.source


def test_a_function_left_with_a_docstring_alone_gets_a_placeholder(tmp_path: Path) -> None:
    exercise = parse_lesson(write(tmp_path, LESSON)).exercise("02.2")
    assert exercise.stub == (
        'def rank(grade):\n    """Best first."""\n    ...  # your code here\n\nlesson.check("02.2", rank)'
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param(
            "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n",
            "def f(x):\n    ...  # your code here",
            id="empty body",
        ),
        pytest.param(
            "def f(x):\n    y = 1\n    ### BEGIN SOLUTION\n    y = x\n    ### END SOLUTION\n    return y\n",
            "def f(x):\n    y = 1\n    return y",
            id="body with something left",
        ),
        pytest.param(
            "def f(x):\n    if x:\n### BEGIN SOLUTION\n        return 1\n### END SOLUTION\n"
            "    else:\n        ### BEGIN SOLUTION\n        return 2\n        ### END SOLUTION\n",
            "def f(x):\n    if x:\n        ...  # your code here\n    else:\n        ...  # your code here",
            id="two blocks, one marker in the margin",
        ),
        pytest.param(
            "def f(x):\n    ### BEGIN SOLUTION\n    a = 1\n    ### END SOLUTION\n    # and then\n"
            "    ### BEGIN SOLUTION\n    return a\n    ### END SOLUTION\n",
            "def f(x):\n    ...  # your code here\n    # and then",
            id="two blocks in one body need one placeholder",
        ),
        pytest.param(
            "a = ...\n### BEGIN SOLUTION\na = 1\n### END SOLUTION\nb = ...\n### BEGIN SOLUTION\nb = 2\n"
            "### END SOLUTION\n",
            "a = ...\nb = ...",
            id="several blocks at the top",
        ),
        pytest.param(
            "%matplotlib inline\nx = ...\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n",
            "%matplotlib inline\nx = ...",
            id="IPython lines",
        ),
    ],
)
def test_stub(tmp_path: Path, code: str, expected: str) -> None:
    stub = stub_of(tmp_path, code)
    assert stub == expected
    if "%" not in stub:
        compile(stub, "stub", "exec")


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        pytest.param(
            '# %% exercise="02.1"\nx = 1\n### BEGIN SOLUTION\ny = 2\n\n# %%\nz = 1\n',
            source.UnbalancedSolutionError,
            "line 3",
            id="no end in the cell",
        ),
        pytest.param(
            '# %% exercise="02.1"\nx = 1\n### END SOLUTION\n',
            source.UnbalancedSolutionError,
            "line 3",
            id="no begin",
        ),
        pytest.param(
            '# %% exercise="02.1"\n### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION\n',
            source.UnbalancedSolutionError,
            "line 3",
            id="begun twice",
        ),
        pytest.param(
            '# %% exercise="02.1"\n## BEGIN SOLUTION\nx = 1\n### END SOLUTION\n',
            source.UnbalancedSolutionError,
            "line 2",
            id="a marker written otherwise",
        ),
        pytest.param(
            "# %%\nx = 0\n\n# %%\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n",
            source.SolutionOutsideExerciseError,
            "line 4",
            id="an answer outside exercises",
        ),
        pytest.param(
            '# %% exercise="02.1"\nx = 1\n',
            source.ExerciseWithoutSolutionError,
            "02.1",
            id="no answer",
        ),
        pytest.param(
            '# %% exercise="03.1"\nx = 1\n', source.ExerciseIdError, "lesson 02", id="another lesson's id"
        ),
        pytest.param("# %% exercise=2.1\nx = 1\n", source.ExerciseIdError, "quotes", id="id not a text"),
        pytest.param(
            2 * '# %% exercise="02.1"\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION\n\n',
            source.ExerciseIdError,
            "line 6",
            id="an id twice",
        ),
        pytest.param('# %% exercice="02.1"\n', source.CellMetadataError, "exercice", id="a slip of the pen"),
        pytest.param('# %% tags="measured"\n', source.CellMetadataError, "tags", id="tags not a list"),
        pytest.param('# %% name="Not good"\n', source.CellNameError, "Not good", id="a bad name"),
        pytest.param(
            '# %% name="ab"\n1\n\n# %% name="ab"\n2\n', source.CellNameError, "line 1", id="name twice"
        ),
        pytest.param("import os\n\n# %%\nx = 1\n", source.SourceError, "line 1", id="text before"),
        pytest.param(
            '# %% exercise="02.1"\nx = (\n### BEGIN SOLUTION\n1)\n### END SOLUTION\n',
            source.StubSyntaxError,
            "02.1",
            id="a stub that is no Python",
        ),
    ],
)
def test_a_faulty_source_is_refused_with_its_place(
    tmp_path: Path, text: str, error: type[source.SourceError], says: str
) -> None:
    with pytest.raises(error) as caught:
        parse_lesson(write(tmp_path, text))
    assert "02_ask_more.py" in str(caught.value)
    assert says in str(caught.value)
    assert caught.value.next_step


def test_a_file_must_be_called_like_a_lesson(tmp_path: Path) -> None:
    with pytest.raises(source.LessonFileNameError, match="two digits"):
        parse_lesson(write(tmp_path, LESSON, name="intro.py"))


def test_an_unknown_exercise_is_named(tmp_path: Path) -> None:
    with pytest.raises(source.UnknownExerciseError, match=r"02\.1, 02\.2"):
        parse_lesson(write(tmp_path, LESSON)).exercise("02.9")


def test_ids_are_stable_and_an_edit_changes_one(tmp_path: Path) -> None:
    first = parse_lesson(write(tmp_path, LESSON))
    again = parse_lesson(write(tmp_path, LESSON))
    edited = parse_lesson(write(tmp_path, LESSON.replace("A line of text.", "Another line.")))
    inserted = parse_lesson(write(tmp_path, LESSON.replace("# %% tags", "# %%\nprint(1)\n\n# %% tags")))
    ids = [cell.id for cell in first.cells]
    assert ids == [cell.id for cell in again.cells]
    assert [a == b.id for a, b in zip(ids, edited.cells, strict=True)] == [False, True, True, True, True]
    assert [cell.id for cell in inserted.cells if cell.id in ids] == ids
    assert ids[3:] == ["exercise-02-1", "exercise-02-2"]
    assert len(set(ids)) == len(ids)


def test_equal_cells_get_ids_of_their_own_and_names_are_kept(tmp_path: Path) -> None:
    text = '# %%\nx\n\n# %%\nx\n\n# %% name="the-trap"\nx\n'
    first, second, named = parse_lesson(write(tmp_path, text)).cells
    assert second.id == f"{first.id}-2"
    assert named.id == "the-trap"


def test_lessons_are_found_by_number(tmp_path: Path) -> None:
    for name in ("00_start_here.py", "02_ask_more.py", "notes.py"):
        write(tmp_path, "# %%\n", name=name)
    assert [p.name for p in lesson_paths(tmp_path)] == ["00_start_here.py", "02_ask_more.py"]
    for asked in ("2", "02", "02_ask_more"):
        assert [p.name for p in lesson_paths(tmp_path, [asked])] == ["02_ask_more.py"]
    with pytest.raises(source.SourceError, match="no lesson '07'"):
        lesson_paths(tmp_path, ["07"])
    write(tmp_path, "# %%\n", name="02_other.py")
    with pytest.raises(source.SourceError, match="same lesson number"):
        lesson_paths(tmp_path)
