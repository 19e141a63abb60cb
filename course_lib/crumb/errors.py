"""What can go wrong between the course and a graph memory, each with a name and a way out."""

from __future__ import annotations

from pathlib import Path

from course_lib.errors import CourseError


class StoreError(CourseError):
    """Something about the graph store went wrong."""


class StoreHeldError(StoreError):
    """Another process holds the database for writing."""

    def __init__(self, path: Path, holder: str = "") -> None:
        who = f"Another process{f' ({holder})' if holder else ''}"
        super().__init__(
            f"{who} holds the database {path}, and only one at a time may write to it.",
            "Usually it is a notebook that is still open: shut its kernel down (Kernel, Shut Down), or give "
            "this one a file of its own with open_store('another-name').",
        )


class OtherEngineError(StoreError):
    """The database file was made by the other engine."""

    def __init__(self, path: Path, made_by: str, engine: str) -> None:
        super().__init__(
            f"{path} was made by {made_by}, and {engine} cannot read its files.",
            f"Set COURSE_GRAPH_STORE={made_by} and start Python again, or give {engine} another file.",
        )


class NotAStoreError(StoreError):
    """The path is no database file of either engine, or a damaged one."""

    def __init__(self, path: Path, engine_message: str) -> None:
        super().__init__(
            f"{path} is not a database that this engine can open ({engine_message}).",
            "Give another path. A database of this course can be made again: move the file and its .wal "
            "away, and load the data anew.",
        )


class StoreMissingError(StoreError):
    """A database that does not exist was opened for reading only."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"There is no database at {path}, and opening it for reading only makes none.",
            "Open it once without read_only=True and fill it.",
        )


class StoreReadOnlyError(StoreError):
    """A write was sent to a store, or by a method, that only reads."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"This can only read ({why}).",
            "To change something, use Store.write on a store that was opened without read_only=True.",
        )


class StoreClosedError(StoreError):
    """The store was closed."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"The store {path} is closed.", "Open it again with open_store.")


class StoreBusyError(StoreError):
    """Another thread of this process has a write open, and did not end it in time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"Another thread is writing, and did not end within {seconds:g} s.",
            "Keep transactions short: decide first, then write. Never wait for a model inside one.",
        )


class EngineMissingError(StoreError):
    """The chosen engine cannot be imported, or the other one is already loaded."""


class QueryError(StoreError):
    """The engine refused a query. Its own words are in `engine_message`."""

    def __init__(self, engine_message: str, next_step: str = "Mend the query; nothing was changed.") -> None:
        self.engine_message = engine_message
        super().__init__(f"The engine refused the query: {engine_message}", next_step)


class MissingParameterError(StoreError):
    """A query names a parameter that was not given: the engine would quietly find nothing."""

    def __init__(self, names: list[str]) -> None:
        said = ", ".join(f"${name}" for name in names)
        given = ", ".join(f'"{name}": …' for name in names)
        super().__init__(
            f"The query uses {said}, and no value was given. The engine would have found 0 rows, silently.",
            f"Pass it: {{{given}}}.",
        )


class SurplusParameterError(StoreError):
    """A value was given that the query does not use: often a misspelt name, or one inside quotation marks."""

    def __init__(self, names: list[str]) -> None:
        said = ", ".join(f"${name}" for name in names)
        super().__init__(
            f"A value was given for {said}, and the query does not use it.",
            "Look for a misspelt name, or for a parameter inside quotation marks, where it is only text.",
        )


class SeveralStatementsError(StoreError):
    """A call holds no statement, or more than one."""

    def __init__(self, count: int) -> None:
        what = "no statement" if count == 0 else f"{count} statements"
        super().__init__(
            f"The query holds {what}.",
            "Send one statement a call. Several that belong together go into `with store.transaction():`.",
        )


class TransactionClosedError(StoreError):
    """An error has ended the transaction: all of it was taken back, and what follows would not be in it."""

    def __init__(self) -> None:
        super().__init__(
            "An error has ended this transaction, and everything in it was taken back.",
            "Let the error leave the `with` block, mend the cause, and run the whole block again.",
        )


class TransactionOpenError(StoreError):
    """Something cannot happen inside an open transaction."""

    def __init__(self, what: str) -> None:
        super().__init__(f"A transaction is open, and {what}.", "End the `with store.transaction():` first.")


class RecordError(StoreError):
    """A customer or product record cannot be taken in. Nothing of the load was written."""


class UnknownCustomerError(StoreError):
    """No customer has this key."""

    def __init__(self, customer_id: str) -> None:
        super().__init__(
            f"No customer has the key {customer_id!r}.",
            "Customers come from the shop's own systems: add them with Store.add_customers first.",
        )


class ReviewError(CourseError):
    """A decision about an item of the tray cannot be carried out. Nothing was changed."""


class ListError(CourseError):
    """A word list (allergens, relatives) holds something that cannot be used."""
