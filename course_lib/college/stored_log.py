"""The files that the embedded server keeps its graphs in: a base, and a log of what was written since.

Standard library only: the supervisor uses it.

Only a part of what the engine writes into the log can be trusted. Most writes are there as the query that
was run; played back, they do the same again (where a query leaves something open, as a LIMIT without an
order does, they may choose otherwise). But a query with a date, a clock or chance in it (`date()`,
`localtime()`, `localdatetime()`, `timestamp()`, `rand()`, `randomUUID()`) is there as what it changed, by
the engine's internal numbers for properties, labels and nodes; and a write that fails or changes nothing
can use up such numbers without a trace. Played back, the numbers then mean another property or another
node, or nothing, and the server crashes whenever it starts. And `LOAD CSV` is there as the query, and reads
its file again, or no longer. Tried with random writes and a kill on FalkorDB 4.16: of 25 graphs 9 came back
different. A base holds the whole state and always came back the same. So

- `Graph.write` has a base written after a query of these kinds, before it answers (`needs_base`);
- the supervisor has one written after each burst of writes, and before the server ends;
- changes by number that are still in the log when a server starts belong to a write that was not answered;
  they are left out (`leave_out_changes`).
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

_NEEDS_BASE = re.compile(
    r"\b(?:date|localdatetime|localtime|timestamp|rand|randomuuid)(?:\s*\.\s*\w+)?\s*\(|\bload\s+csv\b",
    re.IGNORECASE,
)
CHANGES = b"GRAPH.EFFECT"
"""The command in the log that holds changes by number."""


def needs_base(cypher: str) -> bool:
    """Whether a query, when it writes, cannot be played back from the log. Says yes once too often."""
    return _NEEDS_BASE.search(cypher) is not None


class StoredLog:
    """The append-only files in one data folder."""

    def __init__(self, data: Path) -> None:
        self.folder = data / "appendonlydir"
        self._synced: tuple[str, int] = ("", 0)

    def newest(self) -> tuple[str, int]:
        """Name and size in bytes of the log that is being written to; no name where there is none."""
        with contextlib.suppress(OSError):
            for path in sorted(self.folder.glob("*.incr.aof"), key=_number, reverse=True):
                return path.name, path.stat().st_size
        return "", 0

    def base(self) -> str:
        """The name of the newest base; empty where there is none."""
        with contextlib.suppress(OSError):
            for path in sorted(self.folder.glob("*.base.*"), key=_number, reverse=True):
                return path.name
        return ""

    def has_grown(self) -> bool:
        """Whether a log would have to be played back, if the server started now."""
        with contextlib.suppress(OSError):
            # While a base is being written there are two logs, and the older one still counts.
            return any(path.stat().st_size > 0 for path in self.folder.glob("*.incr.aof"))
        return False

    def sync(self) -> None:
        """Pushes what the server has written on to the disk, so that a power cut costs a second at most.

        The server writes to the file before it answers, so killing it loses nothing. Leaving the pushing to
        the server would: while it does that in the background it holds new writes in memory, answered.
        """
        now = self.newest()
        if now in (self._synced, ("", 0)):
            return
        with contextlib.suppress(OSError):
            fd = os.open(self.folder / now[0], os.O_RDONLY)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
            self._synced = now

    def put_aside(self, folder: Path) -> Path:
        """Copies everything into a new folder beside the data.

        Raises:
            OSError: there is no room for the copy.
        """
        aside = folder / time.strftime("damaged-%Y%m%d-%H%M%S")
        number = 1
        while aside.exists():
            number += 1
            aside = aside.with_name(f"{aside.name.partition('.')[0]}.{number}")
        shutil.copytree(self.folder, aside)
        return aside

    def cut_tail(self, server: str) -> bool:
        """Cuts off the end of the log from where it cannot be read. True when it can be read now."""
        manifest = self.folder / "appendonly.aof.manifest"
        if not manifest.exists():
            return False
        try:
            # The server is its own checker when it is called by this name.
            done = subprocess.run(
                ["redis-check-aof", "--fix", str(manifest)],
                executable=server,
                input=b"y\ny\n",
                capture_output=True,
                timeout=600,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return False
        return done.returncode == 0

    def leave_out_changes(self, folder: Path) -> Path | None:
        """Takes changes by number out of the log, after a copy of all was put into `folder`.

        Returns:
            The copy; None when there was nothing to take out.

        Raises:
            OSError: there is no room for it.
        """
        aside = None
        for path in self.folder.glob("*.incr.aof"):
            whole = path.read_bytes()
            if CHANGES not in whole:
                continue
            kept = b"".join(command for command in _commands(whole) if CHANGES not in command[:64])
            if kept != whole:
                aside = aside or self.put_aside(folder)
                draft = path.with_suffix(".draft")
                draft.write_bytes(kept)
                draft.replace(path)
        return aside

    def empty(self) -> bool:
        """Empties the log and keeps the base. True when there was something in it."""
        emptied = False
        for path in self.folder.glob("*.incr.aof"):
            emptied = emptied or path.stat().st_size > 0
            os.truncate(path, 0)
        return emptied


def _number(path: Path) -> int:
    """The number in a file's name: `appendonly.aof.12.incr.aof`."""
    return max((int(part) for part in path.name.split(".") if part.isdigit()), default=0)


def _commands(log: bytes) -> Iterator[bytes]:
    """The commands of a log, each as it is written there; what cannot be read comes last, as it is."""
    at = 0
    while at < len(log):
        end = _end_of_command(log, at)
        if end is None:
            yield log[at:]
            return
        yield log[at:end]
        at = end


def _end_of_command(log: bytes, at: int) -> int | None:
    """Where the command that begins at a position ends; None when it is cut off or is none."""
    try:
        head_end = log.index(b"\r\n", at)
        if log[at : at + 1] == b"#":  # a time stamp
            return head_end + 2
        if log[at : at + 1] != b"*":
            return None
        parts = int(log[at + 1 : head_end])
        at = head_end + 2
        for _ in range(parts):
            head_end = log.index(b"\r\n", at)
            if log[at : at + 1] != b"$":
                return None
            at = head_end + 2 + int(log[at + 1 : head_end]) + 2
    except ValueError:
        return None
    return at if at <= len(log) else None
