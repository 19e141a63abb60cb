"""Query parameters: what a query asks for, and how a value travels to the engine.

The engine takes parameters as a header of text before the query (`CYPHER name=value ...`). This module writes
that header so that each value arrives as exactly what was handed in, or is refused here with its name.
"""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Mapping
from typing import Any

from course_lib.college.errors import BadParameterError, MissingParameterError, SurplusParameterError

MAX_DEPTH = 32
"""How deep lists and maps may be nested in a value."""

_TOKEN = re.compile(
    r"""
      '(?:[^'\\]|\\.)*(?:'|\Z)          # text in single quotes, or its unclosed beginning
    | "(?:[^"\\]|\\.)*(?:"|\Z)
    | //[^\n]*
    | /\*.*?(?:\*/|\Z)
    | \$`(?P<quoted>[^`]*)`
    | `[^`]*(?:`|\Z)
    | \$(?P<plain>\w+)
    """,
    re.VERBOSE | re.DOTALL,
)


def names_in(cypher: str) -> list[str]:
    """The parameters that a query names, in order of appearance; text, comments and quoted names aside."""
    found = (m["quoted"] if m["quoted"] is not None else m["plain"] for m in _TOKEN.finditer(cypher))
    return list(dict.fromkeys(name for name in found if name))


def is_empty(cypher: str) -> bool:
    """Whether the text holds nothing but space, comments and semicolons."""
    left = _TOKEN.sub(lambda m: " " if m[0].startswith(("//", "/*")) else "x", cypher)
    return not left.strip(" \t\r\n\f\v;")


def has_header(cypher: str) -> bool:
    """Whether the text brings a parameter header of its own."""
    return re.match(r"\s*CYPHER\b", cypher, re.IGNORECASE) is not None


def check_names(cypher: str, params: Mapping[str, Any]) -> None:
    """Sees to it that the query and its parameters fit each other.

    Raises:
        MissingParameterError: the query names one that is not there. The engine would say so too, but without
            its name; other engines quietly return no rows.
        SurplusParameterError: one is there that the query does not name: most often a slip in a name.
    """
    if has_header(cypher):
        return
    wanted = names_in(cypher)
    missing = [name for name in wanted if name not in params]
    if missing:
        raise MissingParameterError(
            f"The query asks for {_list(missing)}, which was not handed in.",
            f"Give it as a parameter: params={{{', '.join(f'{n!r}: ...' for n in missing)}}}.",
        )
    surplus = [name for name in params if name not in wanted]
    if surplus:
        raise SurplusParameterError(
            f"The parameter {_list(surplus)} is not used by the query."
            if len(surplus) == 1
            else f"The parameters {_list(surplus)} are not used by the query.",
            "Write each into the query where its value belongs, or leave it out.",
        )


def _list(names: list[str]) -> str:
    return ", ".join(f"${name}" for name in names)


def header(params: Mapping[str, Any]) -> str:
    """The text that goes before a query, with a space at its end; empty without parameters.

    Raises:
        BadParameterError: a name or a value cannot travel; the message says which and what to do.
    """
    if not params:
        return ""
    parts = [
        f"`{_name(name, f'parameter {name!r}')}`={_literal(value, f'${name}')}"
        for name, value in params.items()
    ]
    return f"CYPHER {' '.join(parts)} "


def _name(name: object, where: str) -> str:
    if not isinstance(name, str) or not name or "`" in name:
        raise BadParameterError(
            f"A name in {where} cannot be used: {name!r}.", "Names are text, not empty, without a backtick."
        )
    return _checked(name, where)


def _checked(text: str, where: str) -> str:
    if "\x00" in text:
        raise BadParameterError(
            f"{where} holds a NUL character (\\x00), where the engine would stop reading.",
            "Take it out: value.replace('\\x00', '').",
        )
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadParameterError(
            f"{where} holds half a character (a lone surrogate at position {error.start}): no UTF-8.",
            "Read the text again with the right encoding, or clean it: "
            "value.encode('utf-8', 'replace').decode('utf-8').",
        ) from None
    return text


def _literal(value: Any, where: str, depth: int = 0) -> str:
    if depth > MAX_DEPTH:
        raise BadParameterError(
            f"{where} is nested more than {MAX_DEPTH} levels deep.", "Hand in a flatter value."
        )
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            if not -(2**63) <= value < 2**63:
                raise BadParameterError(
                    f"{where} is {value:.3e}, more than the engine's whole numbers hold (64 bits)."
                    if abs(value) < 10**300
                    else f"{where} is a whole number of more than 300 digits; the engine holds 64 bits.",
                    "Hand it in as text: str(value).",
                )
            return str(int(value))
        case float():
            return _float(value, where)
        case str():
            text = _checked(str(value), where).replace("\\", "\\\\").replace('"', '\\"')
            return f'"{text}"'
        case list() | tuple():
            return "[" + ",".join(_literal(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value)) + "]"
        case Mapping():
            return (
                "{"
                + ",".join(
                    f"`{_name(k, where)}`:{_literal(v, f'{where}.{k}', depth + 1)}" for k, v in value.items()
                )
                + "}"
            )
    raise BadParameterError(
        f"{where} is a {type(value).__name__}, which the engine cannot take.", _advice(value)
    )


def _float(value: float, where: str) -> str:
    if value != value:
        raise BadParameterError(
            f"{where} is not a number (NaN), which the engine cannot take.", "Hand in None for 'not known'."
        )
    if value in (float("inf"), float("-inf")):
        return "1e999" if value > 0 else "-1e999"
    text = repr(float(value))
    return text if "." in text or "e" in text else text + ".0"


def _advice(value: object) -> str:
    match value:
        case bytes() | bytearray() | memoryview():
            return "Decode it to text first: value.decode('utf-8')."
        case datetime.datetime():
            return "Hand in value.isoformat() and write localdatetime($name) in the query."
        case datetime.date():
            return "Hand in value.isoformat() and write date($name) in the query."
        case datetime.time():
            return "Hand in value.isoformat() and write localtime($name) in the query."
        case decimal.Decimal():
            return "Hand in float(value), or str(value) to keep every digit."
        case set() | frozenset():
            return "Hand in sorted(value): a list has an order."
    return "Hand in text, a number, True or False, None, a list or a dict of these."
