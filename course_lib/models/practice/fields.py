"""Reading a JSON body field by field, with an error that names the field.

The sentences follow those of the providers (they come from pydantic there too), so a learner who searches the
web for one finds the real thing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from course_lib.models.practice.refusals import Problem, RefusedError

JsonObject = Mapping[str, Any]


def invalid(where: str, what: str, code: str | None = None) -> NoReturn:
    """Refuses the request, naming the field.

    Args:
        where: the path of the field, dots between the steps; empty for the body as a whole.
        what: what is wrong with it.
        code: the provider's machine-readable word, where it has one.
    """
    raise RefusedError(
        Problem("invalid", f"{where}: {what}" if where else what, param=where or None, code=code)
    )


def parse_body(raw: bytes) -> JsonObject:
    """The body as a JSON object."""
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        invalid("", "The request body is not valid JSON.")
    if not isinstance(value, dict):
        invalid("", "The request body is not a JSON object.")
    return value


def text_of(body: JsonObject, key: str, where: str) -> str:
    """A string that has to be there."""
    value = body.get(key)
    if value is None:
        invalid(where, "Field required")
    if not isinstance(value, str):
        invalid(where, "Input should be a valid string")
    return value


def list_of(body: JsonObject, key: str, where: str, *, required: bool = True) -> list[Any]:
    """A list; an empty one when it is not there and need not be."""
    value = body.get(key)
    if value is None:
        if required:
            invalid(where, "Field required")
        return []
    if not isinstance(value, list):
        invalid(where, "Input should be a valid list")
    return value


def object_at(value: Any, where: str) -> JsonObject:
    """A JSON object."""
    if not isinstance(value, dict):
        invalid(where, "Input should be a valid dictionary")
    return value


def flag_of(body: JsonObject, key: str, default: bool = False) -> bool:
    """True or false, or the default when it is not there."""
    value = body.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        invalid(key, "Input should be a valid boolean")
    return value


def count_of(body: JsonObject, key: str, *, least: int = 1) -> int | None:
    """A whole number, or None when it is not there."""
    value = body.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        invalid(key, "Input should be a valid integer")
    if value < least:
        invalid(key, f"Input should be greater than or equal to {least}")
    return value


def number_within(body: JsonObject, key: str, low: float, high: float) -> None:
    """Checks a number that the practice model reads no further: it has no chance to turn up or down."""
    value = body.get(key)
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        invalid(key, "Input should be a valid number")
    if not low <= value <= high:
        invalid(key, f"Input should be between {low:g} and {high:g}")


def strings_of(body: JsonObject, key: str) -> tuple[str, ...]:
    """A list of strings, or one string, or nothing."""
    value = body.get(key)
    if value is None:
        return ()
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(item, str) and item for item in values):
        invalid(key, "Input should be a list of non-empty strings")
    return tuple(values)


def only_known(body: JsonObject, known: frozenset[str]) -> None:
    """Refuses a field that the API does not have: a typing mistake, mostly."""
    for key in body:
        if key not in known:
            invalid(key, "Extra inputs are not permitted")


def json_schema(value: Any, where: str) -> JsonObject:
    """A JSON schema: an object, nothing more is checked here."""
    schema = object_at(value, where)
    if not schema:
        invalid(where, "The schema is empty")
    return schema
