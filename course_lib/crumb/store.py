"""The graph store: a file on the disk, queries with parameters, and transactions that are whole or not there.

store = open_store()
store.add_customers([Customer("C001", "Sunita Kulkarni")])
store.read("MATCH (p:Person {id: $id}) RETURN p.name", {"id": "C001"})
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from course_lib.crumb import bulk, contents, decode
from course_lib.crumb.engines import MEMORY, Database, close_database, open_database
from course_lib.crumb.errors import (
    MissingParameterError,
    QueryError,
    SeveralStatementsError,
    StoreBusyError,
    StoreClosedError,
    StoreReadOnlyError,
    SurplusParameterError,
    TransactionClosedError,
    TransactionOpenError,
)
from course_lib.crumb.records import Customer, Product
from course_lib.crumb.statement import look_at, one_statement
from course_lib.crumb.tables import EDGE_TABLES, NODE_TABLES, declarations
from course_lib.rows import Counts, Rows
from course_lib.settings import load_settings

__all__ = ["MEMORY", "Customer", "Product", "Store", "open_store"]

WRITE_WAIT_SECONDS = 30.0
"""How long a write waits for another thread's transaction."""

_CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "CHECKPOINT")
_READ_ONLY_WORDS = ("read-only transaction", "read-only database")


def open_store(
    path: str | Path | None = None, read_only: bool = False, *, tables: bool = True, engine: str | None = None
) -> Store:
    """Opens a store, and makes it when it is not there yet.

    Stores of one process that ask for the same file share it. Only one process at a time can write to a file.

    Args:
        path: the database file; a bare name lies in the course's own folder, `":memory:"` is a store that is
            gone with the process. By default `<home>/crumb/memory.<engine>`.
        read_only: whether the engine refuses every write through this store.
        tables: whether to declare the memory's tables; without, the store starts empty.
        engine: `kuzu` or `ladybug`; the setting COURSE_GRAPH_STORE when None.

    Raises:
        StoreError: it does not open; the subclass and the message say why, and the way out.
    """
    settings = load_settings()
    engine = engine or settings.graph_store
    folder = settings.home / "crumb"
    if path is None:
        path = folder / f"memory.{engine}"
    elif str(path) != MEMORY and len(Path(path).parts) == 1:
        path = folder / (str(path) if Path(path).suffix else f"{path}.{engine}")
    store = Store(open_database(Path(path), engine, read_only), read_only)
    if tables and not read_only:
        try:
            store._declare()
        except BaseException:
            store.close()
            raise
    return store


class Store:
    """One graph store. Made by `open_store`; several threads may use it, one at a time writes."""

    def __init__(self, database: Database, read_only: bool = False) -> None:
        self._database = database
        self._read_only = read_only
        self._mine = threading.local()
        self._connections: list[Any] = []
        self._closed = False

    @property
    def path(self) -> Path:
        """Where the database lies; `:memory:` for one that lies nowhere."""
        return self._database.path

    @property
    def engine(self) -> str:
        """`kuzu` or `ladybug`."""
        return self._database.engine

    @property
    def read_only(self) -> bool:
        """Whether every write is refused."""
        return self._read_only

    def __repr__(self) -> str:
        return f"Store({self.engine}, {str(self.path)!r}{', read only' if self._read_only else ''})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Reading and writing

    def read(self, query: str, params: Mapping[str, Any] | None = None) -> Rows:
        """Runs a query that may not write; the engine itself refuses one that does.

        Raises:
            StoreReadOnlyError: the query would have written.
            MissingParameterError: the query names a parameter without a value; nothing ran.
            SurplusParameterError: a value was given that the query does not use; nothing ran.
            SeveralStatementsError: the text holds no statement or several; nothing ran.
            QueryError: the engine refused the query.
        """
        query, values = self._checked(query, params)
        if self._in_transaction():
            return self._run(query, values)
        connection = self._connection()
        connection.execute("BEGIN TRANSACTION READ ONLY").close()
        try:
            return self._execute(connection, query, values)
        finally:
            self._end(connection, "ROLLBACK")

    def write(self, query: str, params: Mapping[str, Any] | None = None) -> Rows:
        """Runs a query that may write: by itself, or as a part of the open transaction.

        Raises:
            StoreReadOnlyError: the store was opened for reading only.
            StoreBusyError: another thread's transaction did not end in time.
            MissingParameterError, SurplusParameterError, SeveralStatementsError, QueryError: see `read`.
        """
        query, values = self._checked(query, params)
        if self._read_only:
            raise StoreReadOnlyError("the store was opened with read_only=True")
        if self._in_transaction():
            return self._run(query, values)
        with self._writing():
            return self._execute(self._connection(), query, values)

    @contextmanager
    def transaction(self) -> Iterator[Store]:
        """Everything that is written inside is kept whole at the end, or not at all.

        An error inside takes all of it back. The engines close a transaction at the first error and say
        nothing; here, whatever is sent after that raises `TransactionClosedError`, and so does the end.
        """
        if self._read_only:
            raise StoreReadOnlyError("the store was opened with read_only=True")
        if self._in_transaction():
            raise TransactionOpenError("the engines know only one at a time")
        with self._writing():
            connection = self._connection()
            connection.execute("BEGIN TRANSACTION").close()
            self._mine.open, self._mine.broken = True, False
            try:
                yield self
                if self._mine.broken:
                    raise TransactionClosedError
                self._execute(connection, "COMMIT", {})
            except BaseException:
                if not self._mine.broken:
                    self._end(connection, "ROLLBACK")
                raise
            finally:
                self._mine.open = False

    def add_customers(self, customers: Iterable[Customer]) -> int:
        """Takes customers in from the shop's own records, all of them or none.

        A key that is known keeps its node, and its name follows the records. An allergy that the records hold
        becomes an edge with the source `records`.

        Returns:
            How many customers were given.

        Raises:
            RecordError: a record cannot be used; nothing was written.
        """
        return bulk.add_customers(self, customers)

    def add_products(self, products: Iterable[Product]) -> int:
        """Takes products in from the shop's own records, all of them or none.

        What a known product contains becomes exactly what the record says.

        Returns:
            How many products were given.

        Raises:
            RecordError: a record cannot be used; nothing was written.
        """
        return bulk.add_products(self, products)

    # Looking at the whole

    def size(self) -> Counts:
        """How many nodes and relationships the store holds."""
        tables = self.read("CALL show_tables() RETURN name, type")
        nodes = relationships = 0
        for name, kind in tables:
            pattern = f"(:`{name}`)" if kind == "NODE" else f"()-[:`{name}`]->()"
            count = int(self.read(f"MATCH {pattern} RETURN count(*)").scalar())
            if kind == "NODE":
                nodes += count
            else:
                relationships += count
        return Counts(nodes, relationships)

    def checksum(self, *, only: Iterable[str] | None = None) -> str:
        """A hash of what the store holds. Two stores with the same contents have the same one.

        It does not depend on the engine, on its internal ids, or on the order in which things were written.

        Args:
            only: the tables to look at; all of them when None.
        """
        return contents.checksum(self, only)

    def close(self) -> None:
        """Lets go of the file. A store that is closed stays closed; closing it twice is fine."""
        if self._closed:
            return
        self._closed = True
        for connection in self._connections:
            connection.close()
        self._connections.clear()
        close_database(self._database)

    # Inside

    def _declare(self) -> None:
        known = {name for (name,) in self.read("CALL show_tables() RETURN name")}
        if known >= {*NODE_TABLES, *EDGE_TABLES}:
            return
        with self.transaction():
            for statement in declarations():
                self.write(statement)

    def _connection(self) -> Any:
        if self._closed:
            raise StoreClosedError(self.path)
        connection = getattr(self._mine, "connection", None)
        if connection is None:
            connection = self._mine.connection = self._database.connect()
            self._connections.append(connection)
        return connection

    def _in_transaction(self) -> bool:
        return getattr(self._mine, "open", False)

    def _checked(self, query: str, params: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
        if self._closed:
            raise StoreClosedError(self.path)
        seen, values = look_at(query), dict(params or {})
        if seen.count != 1:
            raise SeveralStatementsError(seen.count)
        if missing := sorted(seen.parameters - values.keys()):
            raise MissingParameterError(missing)
        if surplus := sorted(values.keys() - seen.parameters):
            raise SurplusParameterError(surplus)
        query = one_statement(query)
        if query.lstrip().upper().startswith(_CONTROL):
            raise QueryError(
                f"{query.split()[0]} is not sent by hand here.",
                "Use `with store.transaction():`, which notices when an error has ended it.",
            )
        return query, values

    def _run(self, query: str, values: dict[str, Any]) -> Rows:
        """Runs a statement as a part of the open transaction."""
        if self._mine.broken:
            raise TransactionClosedError
        try:
            return self._execute(self._connection(), query, values)
        except BaseException:
            # Whether the engine closes the transaction depends on the kind of error. Here every one ends it.
            self._mine.broken = True
            self._end(self._connection(), "ROLLBACK")
            raise

    def _execute(self, connection: Any, query: str, values: dict[str, Any]) -> Rows:
        try:
            result = connection.execute(query, values)
        except RuntimeError as error:
            text = str(error).strip()
            if any(words in text for words in _READ_ONLY_WORDS):
                raise StoreReadOnlyError("the query would have written") from error
            if "ANY type" in text:
                raise QueryError(
                    text, "An empty list has no type: leave the query out when a list is empty."
                ) from error
            raise QueryError(text) from error
        return decode.to_rows(result)

    @staticmethod
    def _end(connection: Any, how: str) -> None:
        try:
            connection.execute(how).close()
        except RuntimeError as error:
            if "No active transaction" not in str(error):  # the engine had ended it already
                raise

    @contextmanager
    def _writing(self) -> Iterator[None]:
        lock = self._database.writing
        if not lock.acquire(timeout=WRITE_WAIT_SECONDS):
            raise StoreBusyError(WRITE_WAIT_SECONDS)
        try:
            yield
        finally:
            lock.release()
