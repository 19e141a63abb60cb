"""What can go wrong between a lesson and its graph, one named error for each.

Every message says what happened and then what to do. No message ever holds a password.
"""

from __future__ import annotations

from course_lib.errors import CourseError


class EngineError(CourseError):
    """The root of everything that the graph engine, or the way to it, can do wrong."""


class EngineUnavailableError(EngineError):
    """There is no graph engine here: it cannot run on this machine, or it did not start."""


class FolderUnusableError(EngineUnavailableError):
    """The folder that the embedded server keeps its files in cannot be used."""


class DataDamagedError(EngineUnavailableError):
    """The stored graphs cannot be read back. Nothing is deleted: the files stay where they are."""


class ServerUnreachableError(EngineError):
    """Nobody answers at `FALKORDB_URL`, or what answers is no FalkorDB."""


class BadServerUrlError(EngineError):
    """`FALKORDB_URL` is not an address that the course can use."""


class WrongPasswordError(EngineError):
    """The server at `FALKORDB_URL` refused the user or the password."""


class ReaderNotAllowedError(EngineError):
    """The user in `FALKORDB_URL` may not make the read-only user that reads go through."""


class NotAllowedError(EngineError):
    """The server's own rules forbid this to the user that was used."""


class ServerLostError(EngineError):
    """The server went away in the middle of a call.

    Attributes:
        may_have_been_applied: whether the call was a write that the server may have carried out.
    """

    def __init__(self, what: str, next_step: str = "", *, may_have_been_applied: bool = False) -> None:
        self.may_have_been_applied = may_have_been_applied
        super().__init__(what, next_step)


class ServerFullError(EngineError):
    """The disk or the memory of the server is full: writes are refused, reads go on.

    Attributes:
        may_have_been_applied: whether the call was a write that is in the server's memory, not yet on disk.
    """

    def __init__(self, what: str, next_step: str = "", *, may_have_been_applied: bool = False) -> None:
        self.may_have_been_applied = may_have_been_applied
        super().__init__(what, next_step)


class ServerBusyError(EngineError):
    """The server takes no more work for the moment."""


class BadGraphNameError(EngineError):
    """A name that no graph may have."""


class GraphClosedError(EngineError):
    """The graph was closed, and then used."""


class QueryError(EngineError):
    """The engine refused the query, or stopped in the middle of it.

    Attributes:
        engine_message: the engine's own words, whole.
        offset: where in the query the engine stopped reading, counted in characters from 0; None when the
            engine does not say.
    """

    def __init__(
        self, what: str, next_step: str = "", *, engine_message: str = "", offset: int | None = None
    ) -> None:
        self.engine_message = engine_message
        self.offset = offset
        super().__init__(what, next_step)


class EmptyQueryError(QueryError):
    """There is no query in the text: it is empty, or nothing but comments."""


class BadQueryTextError(QueryError):
    """What was handed in as a query is no text, or holds a character that the engine cannot read."""


class BadTimeoutError(QueryError):
    """A time limit that is no whole number of milliseconds above 0."""


class SeveralStatementsError(QueryError):
    """The text holds more than one statement; the engine takes one at a time."""


class QueryTimeoutError(QueryError):
    """The query took longer than it was given."""


class ReadOnlyError(QueryError):
    """A query that writes was sent through `Graph.read`."""


class MissingParameterError(QueryError):
    """The query names a parameter that was not handed in."""


class SurplusParameterError(QueryError):
    """A parameter was handed in that the query does not name."""


class BadParameterError(QueryError):
    """A parameter has a name or a value that the engine cannot take as it is."""


class QueryTooLargeError(QueryError):
    """The query needed more memory than one query may have."""


class TooManyRowsError(QueryError):
    """The query gave more rows than the caller said it would take."""
