"""Tells whether an exercise is still as the learner found it.

The stub is the exercise's cell in the lesson's source with the answer cut out. It is run by itself, in a
namespace where `lesson.check` only notes down what it is given; that is compared with what the learner hands
in. Nothing looks at what was typed before.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import io
import json
import types
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from course_lib.classroom.manifest import Exercise, load_manifest
from course_lib.errors import CourseError


class NoCheckCallError(CourseError):
    """An exercise's cell does not call `lesson.check` with its own id, so nobody knows what it hands in."""


class _Blank:
    """Stands for whatever a stub finds in the notebook round it: a graph, a result of an earlier cell."""

    def __getattr__(self, name: str) -> _Blank:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> _Blank:
        return self


class _Names(dict[str, Any]):
    """A namespace in which every name means something."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name) if hasattr(builtins, name) else _Blank()


class _Recorder:
    """Takes the place of `lesson`, and notes down what a cell hands in."""

    def __init__(self) -> None:
        self.handed_in: dict[str, tuple[Any, ...]] = {}

    def check(self, exercise_id: str, *answers: Any) -> None:
        self.handed_in[exercise_id] = answers

    def __getattr__(self, name: str) -> _Blank:
        return _Blank()


def handed_in_by(code: str, exercise_id: str, names: Mapping[str, Any] | None = None) -> Any:
    """Runs an exercise's cell and gives back what it hands in to its check; nothing is judged.

    Args:
        code: the cell's text: a stub or a solution.
        exercise_id: the exercise that the cell belongs to.
        names: the names that the cell may use; when None, every name it does not define means nothing much.

    Raises:
        NoCheckCallError: the cell does not call `lesson.check` with this id.
    """
    recorder = _Recorder()
    namespace: dict[str, Any] = _Names() if names is None else dict(names)
    namespace["__name__"] = "__main__"
    namespace["lesson"] = recorder
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, f"<exercise {exercise_id}>", "exec"), namespace)  # noqa: S102 - the course's own text
    if exercise_id not in recorder.handed_in:
        raise NoCheckCallError(
            f"The cell of exercise {exercise_id} never calls `lesson.check({exercise_id!r}, …)`.",
            "Put the call below the answer, outside the solution block.",
        )
    return one_answer(recorder.handed_in[exercise_id])


def one_answer(answers: tuple[Any, ...]) -> Any:
    """What a check gets: the one thing that was handed in, or all of them as a tuple."""
    return answers[0] if len(answers) == 1 else answers


def is_untouched(exercise: Exercise, answer: Any, root: Path) -> bool:
    """Whether an answer is empty, or just what the exercise's stub hands in.

    Args:
        exercise: the exercise.
        answer: what the learner handed in.
        root: the course's folder. The stub comes from the lesson's source in solutions/; where a class has
            the course without its solutions, from the lesson in notebooks/.
    """
    if is_blank(answer):
        return True
    stem = load_manifest().lesson(exercise.lesson).file_stem
    for path in (root / "solutions" / f"{stem}.py", root / "notebooks" / f"{stem}.ipynb"):
        if path.is_file():
            return same_answer(_stub_answer(path, exercise.id, path.stat().st_mtime_ns), answer)
    return False


@cache
def _stub_answer(path: Path, exercise_id: str, _changed_ns: int) -> Any:
    if path.suffix == ".ipynb":
        stub = _stub_in_notebook(path, exercise_id)
        # A notebook without the exercise's cell says nothing about its stub.
        return _Blank() if stub is None else handed_in_by(stub, exercise_id)
    from course_lib.classroom.source import parse_lesson

    return handed_in_by(parse_lesson(path).exercise(exercise_id).stub, exercise_id)


def _stub_in_notebook(path: Path, exercise_id: str) -> str | None:
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for cell in cells:
            if cell["metadata"].get("exercise") == exercise_id:
                return "".join(cell["source"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    return None


def is_blank(answer: Any) -> bool:
    """Whether an answer is None, `...`, an empty text, or several of which one is so."""
    if isinstance(answer, tuple):
        return not answer or any(_is_empty(part) for part in answer)
    return _is_empty(answer)


def _is_empty(answer: Any) -> bool:
    return answer is None or answer is ... or (isinstance(answer, str) and not answer.strip())


def same_answer(one: Any, other: Any) -> bool:
    """Whether two answers are the same: texts but for white space, functions by their code."""
    if isinstance(one, _Blank) or isinstance(other, _Blank):
        return False
    if isinstance(one, str) and isinstance(other, str):
        return one.split() == other.split()
    if isinstance(one, types.FunctionType) and isinstance(other, types.FunctionType):
        return same_code(one.__code__, other.__code__) and same_answer(one.__defaults__, other.__defaults__)
    if type(one) is not type(other):
        return False
    if isinstance(one, type):
        return _class_parts(one) == _class_parts(other)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same_answer, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same_answer, one.values(), other.values()))
    if one is None or isinstance(one, bool | int | float | bytes | set | frozenset | types.EllipsisType):
        return bool(one == other)
    if dataclasses.is_dataclass(one):
        names = [field.name for field in dataclasses.fields(one)]
        return all(same_answer(getattr(one, name), getattr(other, name)) for name in names)
    return False


def same_code(one: types.CodeType, other: types.CodeType) -> bool:
    """Whether two pieces of code do the same, step by step; file and line do not count."""
    return (
        one.co_code == other.co_code
        and one.co_names == other.co_names
        and one.co_varnames == other.co_varnames
        and one.co_freevars == other.co_freevars
        and len(one.co_consts) == len(other.co_consts)
        and all(map(_same_constant, one.co_consts, other.co_consts))
    )


def _same_constant(one: Any, other: Any) -> bool:
    if isinstance(one, types.CodeType) and isinstance(other, types.CodeType):
        return same_code(one, other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same_constant, one, other))
    return type(one) is type(other) and bool(one == other)


def _class_parts(kind: Any) -> tuple[Any, ...]:
    """What a class says, as text: its fields with their types and limits, and the code of its functions."""
    functions = {
        name: (
            value.__code__.co_code,
            repr([c for c in value.__code__.co_consts if not hasattr(c, "co_code")]),
        )
        for name, value in vars(kind).items()
        if isinstance(value, types.FunctionType)
    }
    fields = {name: repr(value) for name, value in getattr(kind, "model_fields", {}).items()}
    return (
        kind.__name__,
        [base.__name__ for base in kind.__mro__],
        {name: str(value) for name, value in getattr(kind, "__annotations__", {}).items()},
        fields,
        functions,
    )
