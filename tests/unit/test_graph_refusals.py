"""The engine's real words (FalkorDB 4.16) and the named error that each becomes."""

from __future__ import annotations

import pytest

from course_lib.college.errors import (
    EmptyQueryError,
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
from course_lib.college.refusals import refusal


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Query timed out", QueryTimeoutError),
        ("graph.RO_QUERY is to be executed only on read-only queries", ReadOnlyError),
        ("Query's mem consumption exceeded capacity", QueryTooLargeError),
        ("Error: empty query.", EmptyQueryError),
        ("Error: query with more than one statement is not supported.", SeveralStatementsError),
        ("Missing parameters", MissingParameterError),
        ("MISCONF Errors writing to the AOF file: No space left on device", ServerFullError),
        ("command not allowed when used memory > 'maxmemory'.", ServerFullError),
        ("Max pending queries exceeded", ServerBusyError),
        ("unknown command 'GRAPH.QUERY', with args beginning with: 'g' 'RETURN 1' ", ServerUnreachableError),
        ("You can't write against a read only replica.", ServerUnreachableError),
    ],
)
def test_what_the_engine_says_becomes_a_named_error(said: str, kind: type[Exception]) -> None:
    found = refusal(said, "RETURN 1", 5000)
    assert type(found) is kind
    assert found.next_step
    if isinstance(found, QueryError):
        assert found.engine_message == said


def test_an_unknown_refusal_keeps_the_engines_words() -> None:
    found = refusal("Division by zero", "RETURN 1/0", 5000)
    assert type(found) is QueryError
    assert str(found) == "The engine refused the query: Division by zero."


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("'m' not defined", "WITH"),
        ("Unknown function 'nosuch'", "dbms.functions"),
        ("Procedure `no.such` is not registered", "dbms.procedures"),
        ("Query cannot conclude with MATCH (must be a RETURN clause, ...)", "RETURN"),
    ],
)
def test_common_slips_come_with_advice(said: str, advice: str) -> None:
    assert advice in refusal(said, "x", 5000).next_step


def test_a_syntax_error_says_where_in_characters() -> None:
    said = (
        "errMsg: Invalid input 'R': expected a label, '{', a parameter or ')' line: 2, column: 1, offset: 9 "
        "errCtx: RETURN n errCtxOffset: 0"
    )
    found = refusal(said, "MATCH (n\nRETURN n", 5000)
    assert isinstance(found, QueryError)
    assert found.offset == 9
    assert found.engine_message == said
    assert "line 2, column 1, before `RETURN n`: Invalid input 'R'" in str(found)
    assert "\n" not in str(found)


def test_an_offset_in_bytes_becomes_one_in_characters() -> None:
    cypher = "RETURN 'ééé' + (n"
    said = "errMsg: Invalid input at end of input: expected ')' line: 1, column: 21, offset: 20 errCtx: ..."
    found = refusal(said, cypher, 5000)
    assert isinstance(found, QueryError)
    assert found.offset == len(cypher)
    assert "line 1, column 18, at the end" in str(found)


def test_the_time_that_was_given_is_named() -> None:
    assert "250 ms" in str(refusal("Query timed out", "MATCH (n) RETURN n", 250))
