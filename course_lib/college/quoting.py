"""Names and values as text that can stand in a query or in a prompt, whatever is in them."""

from __future__ import annotations

import re

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PLAIN_VALUE = re.compile(r"[\w+][\w +.&/-]*\Z")
_SPACE = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\u0085]+")


def quoted(name: str) -> str:
    """A label, type or property name for a query: always in backticks, since it may be a word of Cypher.

    Names cannot be parameters. A backtick in a name cannot be written in this engine's Cypher, so that such a
    name finds nothing.
    """
    return "`" + name.replace("`", "") + "`"


def shown_name(name: str) -> str:
    """A name as it stands in a prompt: as it is where a query can hold it so, else in backticks."""
    return name if _PLAIN_NAME.match(name) else quoted(one_line(name))


def shown_value(value: str) -> str:
    """A value as it stands in a list of a prompt, on one line, in quotes where it holds signs of its own.

    A value is somebody's data. On one line and behind its property it can open no heading and be no rule.
    """
    text = one_line(value)
    if _PLAIN_VALUE.match(text):
        return text
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def one_line(text: str) -> str:
    """A text with each run of spaces, line breaks and control characters as one space."""
    return _SPACE.sub(" ", text).strip()
