"""Cuts a query into tokens, in one pass, without ever failing: what is wrong with them is for others to say.

Strings, backticks and comments are the places where a word of Cypher is no word of Cypher. What was tried on
the engine: a backslash escapes the next sign in a string, a doubled quotation mark does not; a backtick in a
name cannot be escaped; a block comment ends at the first `*/`; only space, tab, line feed and carriage return
separate words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)
    |(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<quoted>`[^`]*`)
    |(?P<open>/\*|['"`])
    |(?P<name>[^\W\d]\w*)
    |(?P<parameter>\$(?:\w+|`[^`]*`))
    |(?P<number>0[xX][0-9a-fA-F]+|\d+(?:\.(?!\.)\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)
    |(?P<sign><>|<=|>=|=~|\+=|\.\.|.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query."""

    kind: str
    """`name`, `quoted` (a name in backticks), `string`, `number`, `parameter`, `sign`, or `open`: a string, a
    name or a comment that never ends, with all that follows it."""
    text: str
    """As it stands in the query."""
    start: int
    end: int

    @property
    def word(self) -> str:
        """A bare name in capitals; empty for anything else, so that it can be compared with a keyword."""
        return self.text.upper() if self.kind == "name" else ""

    @property
    def name(self) -> str:
        """What a bare name or one in backticks calls; empty for anything else."""
        return self.text if self.kind == "name" else self.text[1:-1] if self.kind == "quoted" else ""


def read_tokens(cypher: str) -> Iterator[Token]:
    """All tokens of a query but spaces and comments."""
    for found in _TOKEN.finditer(cypher):
        kind = found.lastgroup or "sign"
        if kind == "open":
            yield Token("open", cypher[found.start() :], found.start(), len(cypher))
            return
        if kind not in ("space", "comment"):
            yield Token(kind, found.group(), found.start(), found.end())


def tokens(cypher: str) -> list[Token]:
    """All tokens of a query but spaces and comments, as a list."""
    return list(read_tokens(cypher))
