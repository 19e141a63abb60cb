"""Opens database files with Kuzu or Ladybug, and says in plain words why one does not open.

Importing both engines in one process crashes it, so the first one that is used stays for the process's life.
A second `Database` on the same file in the same process *would* open and overwrite the first one's work, so
there is one a file, and stores share it.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_lib.crumb.errors import (
    EngineMissingError,
    NotAStoreError,
    OtherEngineError,
    StoreError,
    StoreHeldError,
    StoreMissingError,
)

MEMORY = ":memory:"
"""In place of a path: a database that lives in this process and is gone with it."""
BUFFER_BYTES = 256 * 1024 * 1024
"""The engines take up to four fifths of the machine's memory when they are not told; this is enough for
200,000 customers."""
MAX_DATABASE_BYTES = 1 << 34
"""The engines reserve addresses for 8 TB when they are not told, which some containers refuse."""

_MAGIC = {"kuzu": b"KUZU", "ladybug": b"LBUG"}


@dataclass
class Database:
    """One open file, shared by every store of this process that asked for it."""

    engine: str
    path: Path
    read_only: bool
    handle: Any
    module: Any
    writing: threading.RLock = field(default_factory=threading.RLock)
    """Held by the one thread that writes."""
    users: int = 0

    def connect(self) -> Any:
        """A new connection of the engine's own."""
        return self.module.Connection(self.handle)


_open: dict[Path, Database] = {}
_guard = threading.Lock()


def load_engine(engine: str) -> Any:
    """The engine's module.

    Raises:
        EngineMissingError: it is not installed, or the other engine is loaded in this process.
    """
    other = "ladybug" if engine == "kuzu" else "kuzu"
    if other in sys.modules:
        raise EngineMissingError(
            f"{other} is already loaded here, and both engines in one process crash it.",
            f"Start Python again with COURSE_GRAPH_STORE={engine}.",
        )
    if importlib.util.find_spec(engine) is None:
        raise EngineMissingError(
            f"{engine} is not installed.",
            "Run `python course.py` to mend the installation."
            if engine == "kuzu"
            else "Install it (`pip install -r locks/ladybug.lock`), or unset COURSE_GRAPH_STORE to use kuzu.",
        )
    return importlib.import_module(engine)


def open_database(path: Path, engine: str, read_only: bool) -> Database:
    """Opens a file, or joins the one that this process has open.

    Raises:
        StoreError: it does not open; the subclass and the message say why.
    """
    module = load_engine(engine)
    if str(path) == MEMORY:
        return Database(engine, path, False, _make(module, MEMORY, engine, False), module, users=1)
    path = path.expanduser().resolve()
    with _guard:
        known = _open.get(path)
        if known is not None and not (known.read_only and not read_only):
            known.users += 1
            return known
        if known is not None:
            raise StoreError(
                f"{path} is open for reading only in this process.",
                "Close that store before you open it to write.",
            )
        if read_only and not path.exists():
            raise StoreMissingError(path)
        _refuse_foreign(path, engine)
        path.parent.mkdir(parents=True, exist_ok=True)
        opened = Database(
            engine, path, read_only, _make(module, str(path), engine, read_only), module, users=1
        )
        _open[path] = opened
        return opened


def close_database(database: Database) -> None:
    """Leaves a database; the last one to leave closes the file."""
    with _guard:
        database.users -= 1
        if database.users > 0:
            return
        if _open.get(database.path) is database:
            del _open[database.path]
        database.handle.close()


def _refuse_foreign(path: Path, engine: str) -> None:
    if path.is_dir():
        raise NotAStoreError(path, "it is a folder")
    if not path.exists() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        start = file.read(4)
    if start == _MAGIC[engine]:
        return
    for name, magic in _MAGIC.items():
        if start == magic:
            raise OtherEngineError(path, name, engine)
    raise NotAStoreError(path, "it is a file of another kind")


def _make(module: Any, path: str, engine: str, read_only: bool) -> Any:
    try:
        return module.Database(
            path, buffer_pool_size=BUFFER_BYTES, max_db_size=MAX_DATABASE_BYTES, read_only=read_only
        )
    except RuntimeError as error:
        text = str(error).splitlines()[0]
        if "lock" in text.lower():
            holder = re.search(r"PID \d+", text)
            raise StoreHeldError(Path(path), holder[0] if holder else "") from error
        if "valid" in text or "version" in text.lower():
            raise NotAStoreError(Path(path), text) from error
        raise StoreError(
            f"{engine} could not open {path}: {text}",
            "Check that the folder can be written to, or give another path.",
        ) from error
