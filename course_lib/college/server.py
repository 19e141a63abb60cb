"""The way to a FalkorDB server: the embedded one that all processes share, or the one at `FALKORDB_URL`.

`ensure_server` starts the embedded server when nobody has yet, and makes this process one of its holders. It
stays a holder until it ends, in whatever way it ends; the server lives as long as its last holder. See
`supervisor` for the other end of that connection.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from course_lib.college import engine_check
from course_lib.college.engine_check import EngineReport
from course_lib.college.errors import (
    DataDamagedError,
    EngineUnavailableError,
    FolderUnusableError,
    ServerFullError,
)
from course_lib.settings import Secret, Settings, load_settings

START_SECONDS = 40.0
"""How long a server may take to start, when it has no data to read back."""
LOCK_SECONDS = 20.0
"""How long a new server waits for an earlier one to let go of the folder."""
LOADING_SECONDS = 900.0
"""How long a server may take to read its data back."""
MODULE_OPTIONS = {
    # One query at a time. With more threads the engine lets two MERGEs look before either writes: both
    # create. Tried with two loaders: doubled relationships in most rounds.
    "THREAD_COUNT": "1",
    # Writes down queries, not internal numbers, wherever it can: see `stored_log`.
    "EFFECTS_THRESHOLD": str((1 << 31) - 1),
    # A limit for queries that come without one; and with it set, the engine also stops a write that takes
    # longer than the limit it came with, and takes it back.
    "TIMEOUT_DEFAULT": "600000",
    # One query's memory: a product of two large matches ends in an error and not in a frozen laptop.
    "QUERY_MEM_CAPACITY": str(1 << 30),
}
"""How the engine is set up. `IMPORT_FOLDER`, the only place that `LOAD CSV FROM 'file://...'` can read, is
added to it: the folder `import` beside the data."""
SOCKET_PATH_BYTES = 100
"""The longest socket path to use: Linux takes 107 bytes, macOS 103."""


@dataclass(frozen=True)
class Endpoint:
    """Where a server is to be found: a socket of this machine (embedded), or an address."""

    socket: Path | None = None
    url: Secret | None = None
    secret: Path | None = None
    """The file with the secret that the embedded server's reader passwords come from."""
    pid: int | None = None
    """The embedded server's process."""
    note: str = ""
    """Where a copy of the stored files lies, when their end could not be read back and was cut off."""

    @property
    def embedded(self) -> bool:
        """Whether this is the course's own server."""
        return self.url is None


def can_run_embedded() -> EngineReport:
    """Whether the embedded server runs on this machine; it is really started, see `engine_check`."""
    return engine_check.can_run_embedded()


def ensure_server(settings: Settings | None = None) -> Endpoint:
    """Makes sure that a server is there, and that it stays while this process lives.

    Args:
        settings: the course's settings; read afresh when None.

    Returns:
        Where the server is. With `FALKORDB_URL` set that address is handed back untried: the first call to it
        finds out.

    Raises:
        EngineUnavailableError: the embedded server cannot run here, or did not start; the message names the
            reason and the remedy.
        FolderUnusableError: the course's folder cannot be written to, or cannot hold a socket.
        DataDamagedError: the stored graphs cannot be read back.
    """
    settings = settings or load_settings()
    if settings.falkordb_url is not None:
        return Endpoint(url=settings.falkordb_url)
    folder = data_folder(settings)
    with _guard:
        holder = _holders.get(folder)
        if holder is not None:
            endpoint = holder.endpoint()
            if endpoint is not None:
                return endpoint
            _holders.pop(folder).close()
        deadline = time.monotonic() + START_SECONDS
        while True:
            holder = _hold(folder)
            try:
                endpoint = holder.endpoint()
            except BaseException:
                holder.close()
                raise
            if endpoint is not None:
                _holders[folder] = holder
                return endpoint
            # It was just closing its door. The next try waits for it to be gone and starts another.
            holder.close()
            if time.monotonic() > deadline:
                raise EngineUnavailableError(
                    "The graph server keeps going away while it starts.",
                    f"Look at {folder / 'server.log'}, then run `course doctor`.",
                )


def release_server(settings: Settings | None = None) -> None:
    """Lets go of the embedded server; it ends when this process was its last holder."""
    folder = data_folder(settings or load_settings())
    with _guard:
        holder = _holders.pop(folder, None)
        if holder is not None:
            holder.close()


def data_folder(settings: Settings) -> Path:
    """The folder of the embedded server: its data, its lock, its log."""
    return settings.home / "falkordb"


class _Holder:
    """This process's connection to a supervisor."""

    def __init__(
        self, line: socket.socket, folder: Path, process: subprocess.Popen[bytes] | None = None
    ) -> None:
        self.line = line
        self.folder = folder
        self.process = process
        """The supervisor, where it was us who started it: kept so that it is no zombie after it has ended."""
        self.rest = b""

    def close(self) -> None:
        self.line.close()
        if self.process is not None:
            _ending.append(self.process)
        _ending[:] = [process for process in _ending if process.poll() is None]

    def endpoint(self) -> Endpoint | None:
        """Asks how the server does, and waits until it does well. None when the supervisor is gone."""
        try:
            with contextlib.suppress(OSError):
                # One that has given up has closed its end, and its last word is still to be read.
                self.line.sendall(b"?\n")
            limit = START_SECONDS
            while True:
                said = self._hear(limit)
                if said is None:
                    return None
                state = said.get("state")
                if state == "ready":
                    return Endpoint(
                        socket=Path(said["socket"]),
                        secret=self.folder / "reader.secret",
                        pid=said.get("pid"),
                        note=said.get("note", ""),
                    )
                if state == "failed":
                    raise _failure(said, self.folder)
                limit = LOADING_SECONDS if state == "loading" else START_SECONDS
        except TimeoutError:
            raise EngineUnavailableError(
                "The graph server did not get ready in time.",
                f"Look at {self.folder / 'server.log'}, then run `course doctor`.",
            ) from None
        except OSError:
            return None

    def wait_until_listening(self) -> None:
        """Waits for the first word of a supervisor that was just started.

        Raises:
            EngineUnavailableError: it says why it cannot start.
        """
        try:
            said = self._hear(START_SECONDS)
        except TimeoutError:
            said = None
        if said is None:
            raise EngineUnavailableError(
                "The process that looks after the graph server did not start.",
                f"Look at {self.folder / 'supervisor.log'}, then run `course doctor`.",
            )
        if said.get("state") == "failed":
            raise _failure(said, self.folder)

    def _hear(self, limit: float) -> dict[str, Any] | None:
        deadline = time.monotonic() + limit
        while b"\n" not in self.rest:
            self.line.settimeout(max(0.001, deadline - time.monotonic()))
            piece = self.line.recv(65536)
            if not piece:
                return None
            self.rest += piece
        line, _, self.rest = self.rest.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        return said


_guard = threading.RLock()
_holders: dict[Path, _Holder] = {}
_ending: list[subprocess.Popen[bytes]] = []


def _forget_in_child() -> None:
    """A forked child is a process of its own: it lets go of the copy that it got and holds by itself if it
    has to. The parent's connection stays."""
    global _guard
    _guard = threading.RLock()
    for holder in _holders.values():
        holder.line.close()
    _holders.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)


def _hold(folder: Path) -> _Holder:
    """Connects to the folder's supervisor, starting one where there is none."""
    server, module = engine_check.engine_files()
    _make_folder(folder)
    _make_secret(folder)
    sockets = _sockets_folder(folder)
    line = _knock(sockets)
    if line is not None:
        return _Holder(line, folder)
    with _start_lock(folder):
        line = _knock(sockets)
        return _spawn(folder, sockets, server, module) if line is None else _Holder(line, folder)


def _knock(sockets: Path) -> socket.socket | None:
    line = socket.socket(socket.AF_UNIX)
    try:
        line.settimeout(5)
        line.connect(str(sockets / "control.sock"))
    except OSError:
        line.close()
        return None
    return line


def _spawn(folder: Path, sockets: Path, server: Path, module: Path) -> _Holder:
    """Starts a supervisor, and waits until it has opened its door or said why not."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py"))]
    command += ["--folder", str(folder), "--sockets", str(sockets)]
    command += ["--server", str(server), "--module", str(module), "--holder", str(theirs.fileno())]
    command += ["--lock-seconds", str(LOCK_SECONDS)]
    try:
        imports = folder / "import"
        imports.mkdir(mode=0o700, exist_ok=True)
        for name, value in (*MODULE_OPTIONS.items(), ("IMPORT_FOLDER", f"{imports}/")):
            command += ["--module-arg", name, "--module-arg", value]
        with (folder / "supervisor.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={name: value for name, value in os.environ.items() if _is_for_server(name)},
            )
    except OSError as error:
        ours.close()
        raise _folder_error(folder, error) from error
    finally:
        theirs.close()
    holder = _Holder(ours, folder, process)
    try:
        holder.wait_until_listening()
    except BaseException:
        holder.close()
        raise
    return holder


def _is_for_server(name: str) -> bool:
    """Which of our environment the server gets: what it runs by, and no key or password."""
    return name in ("PATH", "HOME", "TMPDIR", "TZ", "LANG") or name.startswith(
        ("LC_", "LD_", "DYLD_", "OMP_")
    )


@contextlib.contextmanager
def _start_lock(folder: Path) -> Iterator[None]:
    """One process at a time starts a supervisor; the others wait here and then find it running."""
    import fcntl

    try:
        fd = os.open(folder / "start.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _folder_error(folder, error) from error
    deadline = time.monotonic() + START_SECONDS
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise EngineUnavailableError(
                        "Another process has been starting the graph server for a long time.",
                        "Close the other notebooks, or look for a process that hangs.",
                    ) from None
                time.sleep(0.01)
            except OSError as error:
                raise _folder_error(folder, error) from error
        yield
    finally:
        os.close(fd)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if stat.S_IMODE(folder.stat().st_mode) != 0o700:
            folder.chmod(0o700)
    except OSError as error:
        raise _folder_error(folder, error) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _folder_error(folder, PermissionError(13, "Permission denied"))


def _folder_error(folder: Path, error: OSError) -> FolderUnusableError:
    return FolderUnusableError(
        f"The graph server cannot keep its files in {folder}: {error.strerror or error}.",
        "Make that folder writable, or set COURSE_DIR to a folder of yours on this machine's own disk.",
    )


def _make_secret(folder: Path) -> None:
    """The secret that reader passwords are derived from: random, once a folder, for this user only."""
    path = folder / "reader.secret"
    if path.exists():
        return
    draft = folder / f"reader.secret.{os.getpid()}"
    try:
        fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(os.urandom(32).hex())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    except OSError as error:
        raise _folder_error(folder, error) from error
    finally:
        draft.unlink(missing_ok=True)


def _sockets_folder(folder: Path) -> Path:
    """Where the sockets go: into the data folder, or where its path is too long for a socket, into a short
    folder of this user's own under the system's temporary folder."""
    longest = folder / "server-00000000.sock"
    if len(os.fsencode(longest)) <= SOCKET_PATH_BYTES:
        return folder
    name = f"course-{os.getuid()}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
    short = Path(tempfile.gettempdir()) / name
    try:
        with contextlib.suppress(FileExistsError):
            short.mkdir(mode=0o700)
        found = short.lstat()
    except OSError as error:
        raise _folder_error(short, error) from error
    if len(os.fsencode(short / longest.name)) > SOCKET_PATH_BYTES:
        raise FolderUnusableError(
            f"The path of the course's folder is too long for a socket: {folder}.",
            "Set COURSE_DIR to a folder with a shorter path.",
        )
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) != 0o700:
        raise FolderUnusableError(
            f"{short} belongs to somebody else, or others may look into it.",
            "Remove it, or set COURSE_DIR to a folder with a shorter path.",
        )
    return short


_DAMAGE = re.compile(
    r"append only file|AOF manifest|AOF .*doesn't exist|RDB reading|RDB CRC|RDB signature|Checking RDB file",
    re.IGNORECASE,
)
"""What a server says when it ends because it cannot read back what it has stored."""


def _failure(said: dict[str, Any], folder: Path) -> EngineUnavailableError | ServerFullError:
    """The named error for what a supervisor reported."""
    kind, detail, code = said.get("kind"), str(said.get("detail", "")), said.get("code")
    log = folder / "server.log"
    if kind == "busy":
        return EngineUnavailableError(
            f"Another graph server still uses {folder} ({detail}).",
            "Close the other notebooks and JupyterLab, or end that process, and try again.",
        )
    if kind == "folder":
        return FolderUnusableError(
            f"The graph server cannot use its folder: {detail}.",
            "Make room or make it writable, or set COURSE_DIR to another folder.",
        )
    if kind == "crashing":
        return EngineUnavailableError(
            "The graph server died several times within a minute and was not started again.",
            f"The reason is at the end of {log}. Your data is untouched; run it again to try once more.",
        )
    if _DAMAGE.search(detail):
        return DataDamagedError(
            f"The graphs stored in {folder / 'data'} cannot be read back.",
            f"Move that folder aside to start empty; nothing was deleted. The reason is at the end of {log}.",
        )
    found = engine_check.diagnose(detail, code)
    if found.kind == "disk" and "No space" in detail:
        return ServerFullError(found.what, found.remedy)
    return EngineUnavailableError(found.what, found.remedy)
