"""From a lesson's source to a notebook, and back to the question whether a built one still fits its source.

Making a notebook is jupytext's and nbformat's work. Comparing one needs neither (importing them takes
seconds), so that `course build --check` can answer at once.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.classroom.outputs import complaints
from course_lib.classroom.source import Cell, LessonSource, SourceError

if TYPE_CHECKING:
    from nbformat import NotebookNode

NBVAL_IGNORE = "nbval-ignore-output"
"""The tag by which nbval runs a cell without comparing what it prints."""


class Edition(enum.Enum):
    """The two notebooks that one source makes. The value is the folder that each lies in."""

    STUB = "notebooks"
    """What a learner opens: the answers cut out."""
    SOLUTION = "solutions"
    """The lesson as written, answers included."""

    def source_of(self, cell: Cell) -> str:
        """The text of a cell in this edition."""
        return cell.stub if self is Edition.STUB else cell.source

    def path(self, root: Path, lesson: LessonSource) -> Path:
        """Where this edition of a lesson lies in the course folder."""
        return root / self.value / f"{lesson.name}.ipynb"


class JupytextDiffersError(SourceError):
    """Jupytext splits the source into other cells than the course's own reader does."""


@dataclass(frozen=True)
class Difference:
    """One way in which a built notebook is not what its source gives."""

    file: str
    """The built notebook, from the course folder."""
    what: str
    cell: int | None = None
    """Index of the cell in the notebook, counted from 1; None for the file as a whole."""
    line: int | None = None
    """Line of the source on which that cell begins."""

    def __str__(self) -> str:
        place = self.file
        if self.cell is not None:
            place += f", cell {self.cell}"
            place += f" (source line {self.line})" if self.line is not None else ""
        return f"{place}: {self.what}"


def bare_notebook(lesson: LessonSource, edition: Edition) -> NotebookNode:
    """The notebook of a lesson before it is run.

    Raises:
        JupytextDiffersError: jupytext reads other cells out of the source than `parse_lesson` did.
    """
    import jupytext

    notebook: NotebookNode = jupytext.read(lesson.path, fmt="py:percent")
    theirs = [(cell.cell_type, cell.source) for cell in notebook.cells]
    ours: list[tuple[str, str]] = [(cell.kind, cell.source) for cell in lesson.cells]
    if theirs != ours:
        at = next((i for i, (a, b) in enumerate(zip(theirs, ours, strict=False)) if a != b), len(theirs))
        line = lesson.cells[min(at, len(lesson.cells) - 1)].line if lesson.cells else 1
        raise JupytextDiffersError(
            f"{lesson.path.name}, line {line}: jupytext reads other cells here than the course does.",
            "Look for a `# %%` inside a text, an unclosed quote or a magic behind a comment sign.",
        )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata.clear()
    notebook.metadata.update(notebook_metadata(lesson, edition))
    for made, cell in zip(notebook.cells, lesson.cells, strict=True):
        made.id = cell.id
        made.source = edition.source_of(cell)
        made.metadata.clear()
        made.metadata.update(cell_metadata(cell))
    return notebook


def notebook_metadata(lesson: LessonSource, edition: Edition) -> dict[str, Any]:
    """The metadata of a built notebook: the kernel that every machine has, and where the file comes from."""
    return {
        "course": {
            "edition": "exercises" if edition is Edition.STUB else "solutions",
            "lesson": lesson.number,
            "made_from": f"solutions/{lesson.path.name}",
            "note": "Made by `course build`. Edit the source, not this file.",
        },
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
    }


def cell_metadata(cell: Cell) -> dict[str, Any]:
    """The metadata of a built cell: its exercise and its tags."""
    metadata: dict[str, Any] = {}
    if cell.exercise is not None:
        metadata["exercise"] = cell.exercise
    tags = list(cell.tags)
    if cell.measured and NBVAL_IGNORE not in tags:
        tags.append(NBVAL_IGNORE)
    if tags:
        metadata["tags"] = tags
    return metadata


def notebook_text(notebook: NotebookNode) -> str:
    """The file's text, as Jupyter writes it."""
    import nbformat

    nbformat.validate(notebook)
    text: str = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    return text + "\n"


def differences(lesson: LessonSource, edition: Edition, root: Path) -> list[Difference]:
    """How the built notebook differs from what the source gives. Nothing is run.

    Compared are cells, ids, metadata and the file's form; every code cell must have been run, in order, and
    its outputs must be fit to store. What the outputs say is for nbval, which runs the notebooks.

    Args:
        lesson: the source.
        edition: which of the two notebooks.
        root: the course folder.
    """
    path = edition.path(root, lesson)
    name = f"{edition.value}/{path.name}"
    if not path.is_file():
        return [Difference(name, "is not there yet")]
    text = path.read_text(encoding="utf-8")
    try:
        notebook = json.loads(text)
        built = list(notebook["cells"])
    except (ValueError, KeyError, TypeError) as error:
        return [Difference(name, f"is not a notebook ({type(error).__name__}: {error})")]
    found = list(_file_differences(name, notebook, text, lesson, edition))
    wanted = [cell.id for cell in lesson.cells]
    ids = [cell.get("id") for cell in built]
    if ids != wanted:
        return [*found, _first_other_cell(name, ids, lesson)]
    count = 0
    for index, (cell, made) in enumerate(zip(lesson.cells, built, strict=True), start=1):
        count += cell.kind == "code"
        found += [
            Difference(name, what, index, cell.line) for what in _cell_differences(cell, made, edition, count)
        ]
    return found


def orphans(root: Path) -> list[Difference]:
    """Built notebooks that no source stands behind."""
    return [
        Difference(f"{edition.value}/{path.name}", f"has no source solutions/{path.stem}.py: delete it")
        for edition in Edition
        for path in sorted((root / edition.value).glob("*.ipynb"))
        if not (root / "solutions" / f"{path.stem}.py").is_file()
    ]


def _file_differences(
    name: str, notebook: dict[str, Any], text: str, lesson: LessonSource, edition: Edition
) -> Iterator[Difference]:
    if (notebook.get("nbformat"), notebook.get("nbformat_minor")) != (4, 5):
        yield Difference(name, "is not in notebook format 4.5")
    if notebook.get("metadata") != notebook_metadata(lesson, edition):
        yield Difference(name, "has other metadata than the build writes (was it opened and saved?)")
    # nbformat writes JSON in exactly this form; an editor that saves the file usually does not.
    form = json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True, separators=(",", ": ")) + "\n"
    if text != form:
        yield Difference(name, "is not in the form that the build writes (was it saved by an editor?)")


def _first_other_cell(name: str, ids: list[Any], lesson: LessonSource) -> Difference:
    for index, cell in enumerate(lesson.cells):
        if index >= len(ids) or ids[index] != cell.id:
            return Difference(name, "is not the cell that the source has here", index + 1, cell.line)
    return Difference(name, "is not in the source", len(lesson.cells) + 1)


def _cell_differences(cell: Cell, made: dict[str, Any], edition: Edition, count: int) -> Iterator[str]:
    source = made.get("source", "")
    if made.get("cell_type") != cell.kind:
        yield f"is a {made.get('cell_type')} cell, the source has a {cell.kind} cell"
    if ("".join(source) if isinstance(source, list) else source) != edition.source_of(cell):
        yield "has another text than the source"
    if made.get("metadata") != cell_metadata(cell):
        yield "has other metadata than the source"
    if cell.kind == "code":
        if made.get("execution_count") != count:
            yield f"was not run in order (its number is {made.get('execution_count')}, not {count})"
        yield from complaints(made.get("outputs", []), cell.measured)
