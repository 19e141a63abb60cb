"""Turns the engine's refusals into named errors, in words for somebody who learns.

The engine's own words are always kept, in the message and whole in `engine_message`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from course_lib.college.errors import (
    BadGraphNameError,
    EmptyQueryError,
    EngineError,
    MissingParameterError,
    QueryError,
    QueryTimeoutError,
    QueryTooLargeError,
    ReadOnlyError,
    ServerBusyError,
    ServerFullError,
    ServerUnreachableError,
    SeveralStatementsError,
)
from course_lib.college.slips import name_slip

EMPTY_KEY = "Invalid graph operation on empty key"
"""What the engine says to a read of a graph that does not exist."""
ABOVE_TIMEOUT_MAX = "cannot exceed the TIMEOUT_MAX"
"""What the engine says to a time limit longer than its own."""

_SYNTAX = re.compile(
    r"errMsg: (?P<message>.*?) line: (?P<line>\d+), column: (?P<column>\d+), offset: (?P<offset>\d+)",
    re.DOTALL,
)
NEAR_THERE = "The slip is there or just before it."
"""What is said of a query that could not be read, when its text does not show why."""
MOST_EXPECTED = 4
"""A longer list of what the engine expected helps nobody."""
_NEAR = 24
"""How many characters of the query are quoted where the engine stopped."""


def refusal(message: str, cypher: str, timeout_ms: int) -> EngineError:
    """The named error for what the engine said.

    Args:
        message: the engine's words.
        cypher: the query that was sent, without its parameters.
        timeout_ms: the time that it was given.
    """
    said = message.strip()
    for sign, make in _KNOWN:
        if sign.lower() in said.lower():
            return make(said, timeout_ms)
    syntax = _SYNTAX.search(said)
    if syntax is not None:
        return _syntax_error(said, syntax, cypher)
    slip = name_slip(cypher, said)
    if slip:
        return QueryError(f"The engine refused the query: {_sentence(said)}", slip, engine_message=said)
    for sign, advice in _ADVICE:
        if sign in said:
            return QueryError(f"The engine refused the query: {_sentence(said)}", advice, engine_message=said)
    return QueryError(f"The engine refused the query: {_sentence(said)}", engine_message=said)


def disk_full(message: str) -> ServerFullError:
    """A write was carried out in the server's memory and could not be written to its disk."""
    return ServerFullError(
        "The disk is full: this change is in the server's memory and not on the disk yet.",
        f"Make room; it is written as soon as there is some. Reads go on. ({_first_line(message)})",
        may_have_been_applied=True,
    )


def _syntax_error(said: str, found: re.Match[str], cypher: str) -> QueryError:
    # The engine counts bytes; people and Python count characters.
    offset = len(cypher.encode()[: int(found["offset"])].decode("utf-8", "ignore"))
    before = cypher[:offset]
    line = before.count("\n") + 1
    column = offset - (before.rfind("\n") + 1) + 1
    rest = cypher[offset:].split("\n")[0].strip()
    near = f"before `{rest[:_NEAR]}{'…' if len(rest) > _NEAR else ''}`" if rest else "at the end"
    says, _, expected = " ".join(found["message"].split()).partition(": expected ")
    if expected and len(re.split(r", | or ", expected)) <= MOST_EXPECTED:
        says += f", expected {expected}"
    return QueryError(
        f"The engine could not read the query at line {line}, column {column}, {near}: {_sentence(says)}",
        name_slip(cypher, said, offset) or NEAR_THERE,
        engine_message=said,
        offset=offset,
    )


def _sentence(text: str) -> str:
    flat = " ".join(text.split())
    return flat if flat.endswith((".", "!", "?")) else flat + "."


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0][:160] if text.strip() else ""


def _timed_out(said: str, timeout_ms: int) -> EngineError:
    return QueryTimeoutError(
        f"The query was stopped after {timeout_ms} ms at most: {_sentence(said)}",
        "Ask for less (start from a label and a property, fewer hops, a LIMIT), or give it more time with "
        "timeout_ms=...",
        engine_message=said,
    )


_KNOWN: tuple[tuple[str, Callable[[str, int], EngineError]], ...] = (
    ("Query timed out", _timed_out),
    (
        "only on read-only queries",
        lambda said, _: ReadOnlyError(
            "read() only reads, and this query would change the graph.",
            f"If it should, use write(). The engine says: {_sentence(said)}",
            engine_message=said,
        ),
    ),
    (
        "mem consumption exceeded",
        lambda said, _: QueryTooLargeError(
            f"The query needed more memory than one query may have: {_sentence(said)}",
            "Ask for less at a time: a LIMIT, a smaller range, batches.",
            engine_message=said,
        ),
    ),
    (
        "empty query",
        lambda said, _: EmptyQueryError(
            "There is no query in this text.", "Write one, such as MATCH (n) RETURN n.", engine_message=said
        ),
    ),
    (
        "more than one statement",
        lambda said, _: SeveralStatementsError(
            "The text holds more than one statement, and the engine takes one at a time.",
            "Send them one after the other.",
            engine_message=said,
        ),
    ),
    (
        "Missing parameters",
        lambda said, _: MissingParameterError(
            "The query asks for a parameter that was not handed in.",
            "Hand it in: params={...}.",
            engine_message=said,
        ),
    ),
    (
        "MISCONF",
        lambda said, _: ServerFullError(
            "The server cannot write to its disk, so it takes no changes; reads go on.",
            f"Make room on the disk, then run it again: nothing was changed. ({_first_line(said)})",
        ),
    ),
    (
        "used memory > 'maxmemory'",
        lambda said, _: ServerFullError(
            "The server's memory is full, so it takes no changes; reads go on.",
            f"Delete graphs that are no longer needed, then run it again. ({_first_line(said)})",
        ),
    ),
    (
        "Max pending queries exceeded",
        lambda said, _: ServerBusyError("The server has too many queries waiting.", "Try again in a moment."),
    ),
    (
        "unknown command",
        lambda said, _: ServerUnreachableError(
            "What answers at FALKORDB_URL is a Redis server without FalkorDB.",
            "Point FALKORDB_URL to a FalkorDB server, or unset it to use the embedded one.",
        ),
    ),
    (
        "read only replica",
        lambda said, _: ServerUnreachableError(
            "What answers at FALKORDB_URL is a replica, which takes no changes.",
            "Point FALKORDB_URL to the primary, or to a sentinel.",
        ),
    ),
    (
        "WRONGTYPE",
        lambda said, _: BadGraphNameError(
            "The server keeps something under this name that is not a graph.", "Use another graph name."
        ),
    ),
)

_ADVICE = (
    (
        "not defined",
        "Name it in the MATCH first, or carry it on through the WITH.",
    ),
    ("Unknown function", "Check its spelling: CALL dbms.functions() lists what this engine has."),
    ("is not registered", "Check its spelling: CALL dbms.procedures() lists what this engine has."),
    ("cannot conclude with", "Add a RETURN that says what you want to see."),
)
