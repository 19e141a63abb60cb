"""Looks at a query before it runs: how many statements it holds, and which parameters it names.

Both engines run `a; b` as two statements, and answer a query whose parameter is missing with 0 rows. Neither
says anything. To notice, one has to know what is code and what is text: a `;` or a `$name` inside quotation
marks, backticks or a comment means nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<text>   '(?:\\.|[^'\\])*(?:'|\Z) | "(?:\\.|[^"\\])*(?:"|\Z) | `[^`]*(?:`|\Z) )
    | (?P<comment> //[^\r\n]* | /\*.*?(?:\*/|\Z) )
    | \$(?P<parameter> \w+ | `[^`]*` )
    | (?P<end> ; )
    | (?P<space> \s+ )
    | (?P<code> . )
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Statement:
    """What a query's text holds."""

    count: int
    """How many statements."""
    parameters: frozenset[str]
    """The names after `$`, wherever they are code."""


def look_at(query: str) -> Statement:
    """Counts the statements of a query and collects its parameters."""
    count, in_statement, parameters = 0, False, set()
    for token in _TOKEN.finditer(query):
        match token.lastgroup:
            case "end":
                in_statement = False
            case "space" | "comment":
                pass
            case kind:
                if not in_statement:
                    count, in_statement = count + 1, True
                if kind == "parameter":
                    parameters.add(token["parameter"].strip("`"))
    return Statement(count, frozenset(parameters))


def one_statement(query: str) -> str:
    """The query without a closing `;`, which the engines take for the start of an empty statement."""
    end = len(query)
    for token in _TOKEN.finditer(query):
        match token.lastgroup:
            case "end":
                end = min(end, token.start())
            case "space" | "comment":
                pass
            case _:
                end = len(query)
    return query[:end]
