"""Replies to a JSON schema that is no list of facts: a valid instance, filled from the text as far as that
goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from course_lib.models.practice.mind.facts import resolve

_QUERY_NAMES = ("cypher", "query", "cypher_query", "statement")
_TEXT_NAMES = (
    "answer",
    "text",
    "summary",
    "reply",
    "message",
    "response",
    "explanation",
    "reason",
    "content",
    "output",
)


def instance_of(
    schema: Mapping[str, Any],
    text: str,
    query: Callable[[], str] | None = None,
    answer: Callable[[], str] | None = None,
) -> Any:
    """A valid instance of a JSON schema.

    Args:
        schema: the JSON schema; `$ref` into its own `$defs` is followed.
        text: what the values are taken from.
        query: makes a Cypher query, for a property that is named like one.
        answer: makes an answer in words, for a property that is named like one.
    """
    return _Maker(schema, text, query, answer).make(schema, "")


class _Maker:
    def __init__(
        self,
        root: Mapping[str, Any],
        text: str,
        query: Callable[[], str] | None,
        answer: Callable[[], str] | None,
    ) -> None:
        self._root = root
        self._text = text
        self._query = query
        self._answer = answer
        self._names = re.findall(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)*\b", text)
        self._numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", text)]
        self._depth = 0

    def make(self, part: Mapping[str, Any], name: str) -> Any:
        """The value for one part of the schema."""
        part = resolve(self._root, part)
        if "const" in part:
            return part["const"]
        if part.get("enum"):
            return self._chosen(part["enum"])
        for union in ("anyOf", "oneOf"):
            if part.get(union):
                options = [o for o in part[union] if resolve(self._root, o).get("type") != "null"]
                return self.make(options[0], name) if options else None
        if part.get("allOf"):
            merged: dict[str, Any] = {}
            for piece in part["allOf"]:
                merged.update(resolve(self._root, piece))
            return self.make(merged, name)
        kind = part.get("type")
        if isinstance(kind, list):
            kind = next((k for k in kind if k != "null"), "null")
        if kind == "object" or "properties" in part:
            return self._object(part)
        if kind == "array":
            return self._array(part, name)
        if kind in ("integer", "number"):
            return self._number(part, kind)
        if kind == "boolean":
            return not re.search(r"\b(?:no|not|never|nahi|isn't|don't)\b", self._text, re.I)
        if kind == "null":
            return None
        return self._string(part, name)

    def _object(self, part: Mapping[str, Any]) -> dict[str, Any]:
        self._depth += 1
        try:
            if self._depth > 12:
                return {}
            required = set(part.get("required", ()))
            shown = part.get("properties", {})
            # A schema that holds itself ends where it may: only what is required goes on beyond four levels.
            names = [n for n in shown if self._depth <= 4 or n in required]
            return {name: self.make(shown[name], name) for name in names}
        finally:
            self._depth -= 1

    def _array(self, part: Mapping[str, Any], name: str) -> list[Any]:
        least = int(part.get("minItems", 0))
        most = part.get("maxItems")
        items = resolve(self._root, part.get("items", {}))
        count = least
        if items.get("type") == "string" and not items.get("enum") and self._names:
            found = list(dict.fromkeys(self._names))[: most if most is not None else 8]
            return found if len(found) >= least else found + [found[0]] * (least - len(found))
        if (
            count == 0
            and items.get("type") in ("object", "string")
            and (most is None or most > 0)
            and self._depth < 4
        ):
            count = 1
        return [self.make(items, name) for _ in range(count)]

    def _number(self, part: Mapping[str, Any], kind: str) -> float | int:
        low = part.get("minimum", part.get("exclusiveMinimum"))
        high = part.get("maximum", part.get("exclusiveMaximum"))
        value = next(
            (n for n in self._numbers if (low is None or n >= low) and (high is None or n <= high)),
            low if low is not None else (min(high, 0) if high is not None else 0),
        )
        if "exclusiveMinimum" in part and value <= part["exclusiveMinimum"]:
            value = part["exclusiveMinimum"] + 1
        step = part.get("multipleOf")
        if step:
            value = round(value / step) * step
        return int(value) if kind == "integer" else float(value)

    def _chosen(self, options: list[Any]) -> Any:
        lower = self._text.lower()
        said = [o for o in options if isinstance(o, str) and o.lower().replace("_", " ") in lower]
        return (said or options)[0]

    def _string(self, part: Mapping[str, Any], name: str) -> str:
        lower = name.lower()
        if lower in _QUERY_NAMES and self._query is not None:
            return self._query()
        if lower in _TEXT_NAMES and self._answer is not None:
            return self._answer()
        value = self._formatted(part) or ((self._names or [""])[0] if "name" in lower else self._text.strip())
        least, most = int(part.get("minLength", 0)), part.get("maxLength")
        value = value.ljust(least, ".") if len(value) < least else value
        return value[:most] if most is not None else value

    def _formatted(self, part: Mapping[str, Any]) -> str | None:
        kind = part.get("format")
        if kind in ("date", "date-time"):
            match = re.search(r"\d{4}-\d{2}-\d{2}", self._text)
            day = match.group() if match else "2026-01-01"
            return day if kind == "date" else f"{day}T00:00:00Z"
        if kind == "email":
            match = re.search(r"[\w.]+@[\w.]+\w", self._text)
            return match.group() if match else "nobody@example.org"
        if kind in ("uri", "url"):
            return "https://example.org"
        if kind == "uuid":
            return "00000000-0000-0000-0000-000000000000"
        return None
