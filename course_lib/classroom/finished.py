"""Notices when the library's own finished part is handed in where one's own work was asked for."""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Iterator
from typing import Any

from course_lib.classroom.untouched import same_code


def finished_part(answer: Any, finished: tuple[str, ...]) -> str | None:
    """The name of the library's part that an answer is, wraps or copies; None for one's own work.

    Args:
        answer: what the learner handed in.
        finished: the parts that count as the answer, as "module:name". A function that comes from the library
            is noticed whatever it is; these are noticed inside a learner's own function too.
    """
    function = _innermost(answer)
    if not isinstance(function, types.FunctionType):
        return None
    if _from_library(function):
        return function.__name__
    for part in finished:
        module, _, name = part.partition(":")
        original = _innermost(getattr(importlib.import_module(module), name))
        if isinstance(original, types.FunctionType) and same_code(function.__code__, original.__code__):
            return name
        if any(found is original for found in _reached(function)) or _imports(
            function.__code__, module, name
        ):
            return name
    return None


def _innermost(answer: Any) -> Any:
    """The function inside partials, bound methods and decorated functions."""
    seen = 0
    while seen < 20:
        seen += 1
        if isinstance(answer, functools.partial):
            answer = answer.func
        elif isinstance(answer, types.MethodType):
            answer = answer.__func__
        elif hasattr(answer, "__wrapped__"):
            answer = answer.__wrapped__
        else:
            return answer
    return answer


def _from_library(function: types.FunctionType) -> bool:
    package = __name__.partition(".")[0]
    return (function.__module__ or "").partition(".")[0] == package


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _reached(function: types.FunctionType) -> Iterator[Any]:
    """What the function's names lead to: globals, attributes of modules, captured variables, defaults."""
    for cell in function.__closure__ or ():
        try:
            yield _innermost(cell.cell_contents)
        except ValueError:
            continue  # a variable that was captured and never set
    for default in function.__defaults__ or ():
        yield _innermost(default)
    for code in _codes(function.__code__):
        for name in code.co_names:
            found = function.__globals__.get(name)
            yield _innermost(found)
            if isinstance(found, types.ModuleType):
                for attribute in code.co_names:
                    yield _innermost(vars(found).get(attribute))


def _imports(code: types.CodeType, module: str, name: str) -> bool:
    """Whether the function imports the part inside its own body."""
    last = module.rpartition(".")[2]
    return any(
        name in piece.co_names and (module in piece.co_names or last in piece.co_names)
        for piece in _codes(code)
    )
