"""Reads a lesson's one source, `solutions/NN_topic.py`, and cuts the answers out of its exercises.

The file is in jupytext's percent format. A cell line may carry metadata:

    # %% exercise="02.1"            the cell is exercise 02.1 and holds its answer between the markers
    # %% tags=["measured"]          the output is a measured figure: nobody compares it
    # %% name="the-trap"            an id of one's own for the cell, for when another part refers to it

Between `### BEGIN SOLUTION` and `### END SOLUTION` (nbgrader's convention) stands what a learner writes. The
*stub* is the cell without those lines. What stands before a block stays, so a lesson can give a broken query
first and the mended one inside the block.

Checks read a stub while a learner waits, and importing jupytext takes seconds. So the few rules of the format
that lessons use are read here; the build reads every source with jupytext as well, and refuses one on which
the two differ (`course_lib.classroom.build`).
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from course_lib.errors import CourseError

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
PLACEHOLDER = "...  # your code here"
"""Put where a cut would leave a function or a block with no body."""

MEASURED = "measured"
"""Tag of a cell whose output is a measured figure: it is stored, and never compared."""

_LESSON_FILE = re.compile(r"(?P<number>\d\d)_[a-z0-9]+(?:_[a-z0-9]+)*\.py")
_CELL_LINE = re.compile(r"#\s*%%(?P<options>(?:\s.*)?)$")
_OPTION = re.compile(
    r'\s*(?:\[(?P<kind>markdown|raw)\]|(?P<key>\w+)=(?P<value>"[^"]*"|\[[^\]]*\]|[^\s"\[]+))'
)
_KNOWN_METADATA = {"exercise", "tags", "name"}
_CUT_NAME = "__course_cut_{}__"


class SourceError(CourseError):
    """A lesson's source cannot be used; the message names file and line."""


class LessonFileNameError(SourceError):
    """The file is not called `NN_topic.py`."""


class UnbalancedSolutionError(SourceError):
    """A `### BEGIN SOLUTION` has no `### END SOLUTION` in its cell, or the other way round."""


class SolutionOutsideExerciseError(SourceError):
    """A solution block stands in a cell that is no exercise."""


class ExerciseWithoutSolutionError(SourceError):
    """An exercise cell has no solution block, so its stub would be its answer."""


class ExerciseIdError(SourceError):
    """An exercise id does not fit its lesson, or is used twice."""


class CellNameError(SourceError):
    """A cell name cannot serve as an id, or is used twice."""


class CellMetadataError(SourceError):
    """A cell line carries metadata that the build does not know."""


class StubSyntaxError(SourceError):
    """An exercise is no valid Python once its answer is cut out."""


class UnknownExerciseError(CourseError):
    """No cell of the lesson has this exercise id."""


@dataclass(frozen=True)
class Cell:
    """One cell of a lesson as written."""

    id: str
    """Stable id: the exercise, the name given to the cell, or a digest of lesson and content."""
    kind: Literal["markdown", "code", "raw"]
    source: str
    """The cell as written, answers and their markers included."""
    stub: str
    """The cell without its answers; the same as `source` where there are none."""
    line: int
    """Line of the file on which the cell begins (1-based)."""
    exercise: str | None = None
    """The exercise id, such as "02.1", or None."""
    tags: tuple[str, ...] = ()

    @property
    def measured(self) -> bool:
        """Whether the output is a measured figure that nobody compares."""
        return MEASURED in self.tags


@dataclass(frozen=True)
class LessonSource:
    """A lesson's source, parsed."""

    path: Path
    cells: tuple[Cell, ...]

    @property
    def number(self) -> str:
        """The lesson's number as two digits, such as "02"."""
        return self.path.stem[:2]

    @property
    def name(self) -> str:
        """The name that source and notebooks share, such as "02_ask_more"."""
        return self.path.stem

    @property
    def exercises(self) -> tuple[Cell, ...]:
        """The exercise cells in the order of the lesson."""
        return tuple(cell for cell in self.cells if cell.exercise is not None)

    def exercise(self, exercise_id: str) -> Cell:
        """The cell of one exercise.

        Raises:
            UnknownExerciseError: the lesson has no such exercise.
        """
        for cell in self.exercises:
            if cell.exercise == exercise_id:
                return cell
        known = ", ".join(str(cell.exercise) for cell in self.exercises) or "none"
        raise UnknownExerciseError(
            f"Lesson {self.number} has no exercise {exercise_id!r}.", f"It has: {known}."
        )


def lesson_paths(solutions: Path, numbers: Sequence[str] = ()) -> list[Path]:
    """The lesson sources in a folder, in order.

    Args:
        solutions: the folder that holds `NN_topic.py`.
        numbers: only these lessons ("2", "02" or "02_ask_more"); all when empty.

    Raises:
        SourceError: a number that no file has, or two files with one number.
    """
    found: dict[str, Path] = {}
    for path in sorted(solutions.glob("[0-9][0-9]_*.py")):
        if path.name[:2] in found:
            raise SourceError(
                f"{found[path.name[:2]].name} and {path.name} have the same lesson number.",
                "Rename one of them.",
            )
        found[path.name[:2]] = path
    if not numbers:
        return list(found.values())
    chosen = []
    for wanted in numbers:
        number = wanted.strip().split("_")[0].zfill(2)
        if number not in found:
            raise SourceError(
                f"There is no lesson {wanted!r}.", f"There are: {', '.join(found) or 'none yet'}."
            )
        chosen.append(found[number])
    return sorted(set(chosen))


def parse_lesson(path: Path) -> LessonSource:
    """Reads a lesson's source and cuts a stub out of each exercise.

    Args:
        path: a file `NN_topic.py` in percent format.

    Raises:
        SourceError: the source cannot be used; the subclass says how, the message where.
    """
    if not _LESSON_FILE.fullmatch(path.name):
        raise LessonFileNameError(
            f"{path.name} is not a lesson's file name.",
            "Call it NN_topic.py: two digits, then small letters, digits and single underscores.",
        )
    number = path.name[:2]
    cells = []
    seen: dict[str, int] = {}
    digests: Counter[str] = Counter()
    for raw in _raw_cells(path.read_text(encoding="utf-8"), path.name):
        where = f"{path.name}, line {raw.line}"
        exercise = _exercise_id(raw.metadata, number, where)
        name = _cell_name(raw.metadata, where)
        stub = _stub(raw.source, raw.kind, exercise, path.name, raw.line)
        if exercise is not None:
            cell_id = "exercise-" + exercise.replace(".", "-")
        elif name is not None:
            cell_id = name
        else:
            digest = hashlib.sha256(f"{number}\n{raw.kind}\n{raw.source}".encode()).hexdigest()[:10]
            digests[digest] += 1
            cell_id = digest if digests[digest] == 1 else f"{digest}-{digests[digest]}"
        if cell_id in seen:
            kind = ExerciseIdError if exercise is not None else CellNameError
            raise kind(
                f"{where}: {exercise or cell_id!r} is used in line {seen[cell_id]} already.",
                "Give each cell an id of its own.",
            )
        seen[cell_id] = raw.line
        cells.append(
            Cell(
                id=cell_id,
                kind=raw.kind,
                source=raw.source,
                stub=stub,
                line=raw.line,
                exercise=exercise,
                tags=_tags(raw.metadata, where),
            )
        )
    return LessonSource(path=path, cells=tuple(cells))


@dataclass(frozen=True)
class _RawCell:
    line: int
    kind: Literal["markdown", "code", "raw"]
    metadata: dict[str, Any]
    source: str


def _raw_cells(text: str, file: str) -> Iterator[_RawCell]:
    """Splits a file at its cell lines, as jupytext does."""
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if _CELL_LINE.match(line)]
    if any(line.strip() for line in lines[: starts[0] if starts else None]):
        raise SourceError(
            f"{file}, line 1: there is text before the first cell.",
            "Begin the file with a cell line: `# %% [markdown]` or `# %%`.",
        )
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        kind, metadata = _options(lines[start], f"{file}, line {start + 1}")
        content = lines[start + 1 : end]
        if kind != "code":
            content = [re.sub(r"^# ?", "", line) for line in content]
        while content and not content[-1].strip():
            content.pop()
        yield _RawCell(start + 1, kind, metadata, "\n".join(content))


def _options(line: str, where: str) -> tuple[Literal["markdown", "code", "raw"], dict[str, Any]]:
    """What a cell line says: the kind of cell and its metadata."""
    found = _CELL_LINE.match(line)
    rest = found["options"].rstrip() if found else ""
    kind: Literal["markdown", "code", "raw"] = "code"
    metadata: dict[str, Any] = {}
    while rest.strip():
        option = _OPTION.match(rest)
        key = option["key"] if option else None
        if option is None or (key is not None and key not in _KNOWN_METADATA):
            raise CellMetadataError(
                f"{where}: the cell line says {(key or rest.strip())!r}, which means nothing here.",
                f"Known are: [markdown], {', '.join(sorted(_KNOWN_METADATA))}.",
            )
        if key is None:
            kind = "markdown" if option["kind"] == "markdown" else "raw"
        else:
            try:
                metadata[key] = json.loads(option["value"])
            except ValueError:
                metadata[key] = None
        rest = rest[option.end() :]
    return kind, metadata


def _exercise_id(metadata: dict[str, Any], number: str, where: str) -> str | None:
    if "exercise" not in metadata:
        return None
    value = metadata["exercise"]
    if not isinstance(value, str) or not re.fullmatch(rf"{number}\.[1-9][0-9]?", value):
        raise ExerciseIdError(
            f"{where}: {value!r} is no exercise of lesson {number}.",
            f'Write exercise="{number}.1" (in quotes), counting up.',
        )
    return value


def _cell_name(metadata: dict[str, Any], where: str) -> str | None:
    if "name" not in metadata:
        return None
    value = metadata["name"]
    if not isinstance(value, str) or not re.fullmatch(r"[a-z][a-z0-9-]{1,60}", value):
        raise CellNameError(
            f"{where}: {value!r} cannot be a cell's name.", "Use small letters, digits and hyphens."
        )
    return value


def _tags(metadata: dict[str, Any], where: str) -> tuple[str, ...]:
    value = metadata.get("tags", [])
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        raise CellMetadataError(f"{where}: tags are {value!r}.", 'Write tags=["measured"].')
    return tuple(value)


def _stub(source: str, kind: str, exercise: str | None, file: str, line: int) -> str:
    """The cell without its answers; see the module's text for the rules."""
    where = f"{file}, line {line}"
    parts = list(_split(source, file, line))
    has_block = any(part.solution for part in parts)
    if exercise is None:
        if has_block:
            raise SolutionOutsideExerciseError(
                f"{where}: a solution block in a cell that is no exercise.",
                'Give the cell line an id, as in `# %% exercise="02.1"`, or drop the markers.',
            )
        return source
    if kind != "code":
        raise ExerciseIdError(f"{where}: exercise {exercise} is not a code cell.", "Drop [markdown].")
    if not has_block:
        raise ExerciseWithoutSolutionError(
            f"{where}: exercise {exercise} has no answer.",
            f"Put it between `{BEGIN}` and `{END}`.",
        )
    needed = _needed_placeholders(parts, exercise, where)
    kept: list[str] = []
    for index, part in enumerate(parts):
        if not part.solution:
            kept.extend(part.lines)
        elif index in needed:
            kept.append(part.indent + PLACEHOLDER)
    return "\n".join(kept).strip("\n")


@dataclass(frozen=True)
class _Part:
    lines: tuple[str, ...]
    solution: bool

    @property
    def indent(self) -> str:
        """The indentation of the part's first line that holds something."""
        for text in self.lines:
            if text.strip():
                return text[: len(text) - len(text.lstrip())]
        return ""


def _split(source: str, file: str, cell_line: int) -> Iterator[_Part]:
    """Yields the stretches of a cell in order, marker lines left out."""
    current: list[str] = []
    begun: int | None = None
    # The first line of a cell's source is the line after its `# %%` line.
    for number, text in enumerate(source.splitlines(), start=cell_line + 1):
        mark = text.strip()
        if mark == BEGIN:
            if begun is not None:
                raise UnbalancedSolutionError(
                    f"{file}, line {number}: `{BEGIN}` again, before the one in line {begun} has ended.",
                    f"Put `{END}` between them.",
                )
            yield _Part(tuple(current), solution=False)
            # An answer that holds comments alone still tells how deep it is indented: by its marker.
            current, begun = [], number
        elif mark == END:
            if begun is None:
                raise UnbalancedSolutionError(
                    f"{file}, line {number}: `{END}` without a `{BEGIN}` before it in the cell.",
                    f"Put `{BEGIN}` before the answer, or drop this line.",
                )
            yield _Part(tuple(current or [text]), solution=True)
            current, begun = [], None
        elif mark.replace("#", "").strip().upper() in {"BEGIN SOLUTION", "END SOLUTION"} and "#" in mark:
            raise UnbalancedSolutionError(
                f"{file}, line {number}: {mark!r} looks like a marker, but is not one.",
                f"Write exactly `{BEGIN}` or `{END}`.",
            )
        else:
            current.append(text)
    if begun is not None:
        raise UnbalancedSolutionError(
            f"{file}, line {begun}: `{BEGIN}` has no `{END}` in its cell.",
            f"Put `{END}` after the answer, with the same indentation.",
        )
    yield _Part(tuple(current), solution=False)


def _needed_placeholders(parts: Sequence[_Part], exercise: str, where: str) -> set[int]:
    """Which cuts need a placeholder: those that leave a body with nothing but a docstring.

    Every cut gets a name in its place; where that name stands in the syntax tree tells what is left round it.
    """
    lines: list[str] = []
    for index, part in enumerate(parts):
        if part.solution:
            lines.append(part.indent + _CUT_NAME.format(index))
        else:
            lines.extend(_without_magic(text) for text in part.lines)
    try:
        tree = ast.parse("\n".join(lines))
    except SyntaxError as error:
        raise StubSyntaxError(
            f"{where}: exercise {exercise} is not valid Python without its answer ({error.msg}).",
            "Move the markers so that whole statements stand between them.",
        ) from error
    needed: set[int] = set()
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(node, ast.Module) or not isinstance(body, list) or not body:
                continue
            cuts = [cut for statement in body if (cut := _cut_index(statement)) is not None]
            rest = [s for s in body if _cut_index(s) is None]
            docstring_only = len(rest) == 1 and isinstance(rest[0], ast.Expr) and _is_text(rest[0].value)
            if cuts and (not rest or (docstring_only and field == "body")):
                needed.add(cuts[0])
    return needed


def _without_magic(text: str) -> str:
    """An IPython line (`%time`, `!ls`) stands for a statement, so that the tree can be read."""
    stripped = text.lstrip()
    return text[: len(text) - len(stripped)] + "pass" if stripped.startswith(("%", "!")) else text


def _cut_index(statement: ast.AST) -> int | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name):
        found = re.fullmatch(_CUT_NAME.format(r"(\d+)"), statement.value.id)
        return int(found[1]) if found else None
    return None


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
