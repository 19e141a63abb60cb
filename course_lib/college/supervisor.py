"""The process that starts the embedded FalkorDB, watches over it, and ends it with its last user.

It stands apart on purpose. A notebook's kernel that runs a server as its own child takes it along when it is
interrupted, and leaves it behind when it is killed. This process lives in a session of its own, so that an
interrupt does not reach it. Everybody who needs the server keeps a connection to it, which the operating
system closes however the holder ends. When the last one is gone, the server is ended in good order and this
process goes too.

Standard library only, and run by its path without the site packages: it has to start in a few hundredths of a
second. What it says to its holders are lines of JSON, see `Supervisor._report`.

One server per data folder: the lock file is locked for as long as this process *or* the server lives (the
server inherits the open file), so that a second one cannot write to the same files, whichever of the two was
killed.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import fcntl
import json
import os
import secrets
import selectors
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

if __name__ == "__main__":
    # Run by its path, isolated and without the site packages: its own package is all it needs.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from course_lib.college.base_writer import BaseWriter
from course_lib.college.stored_log import StoredLog

PROBE_SECONDS = 0.005
"""How often a starting server is asked whether it is ready."""
PING_SECONDS = 1.0
"""How long a server may take to answer whether it is there."""
TICK_SECONDS = 1.0
"""How often the stored log and the folder are looked after."""
STOP_SECONDS = 15.0
"""How long a server may take to end in good order before it is killed."""
SHOWN_LOG = 4000
"""How much of the end of the log goes into a report, in characters."""
RESTARTS = 5
RESTART_WINDOW_SECONDS = 60.0
"""A server that dies more often than this within the window is not started again."""
LOG_BYTES = 1_000_000
"""A log larger than this is put aside when a server starts."""

CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE)
BASE_LOADED = "DB loaded from base file"
"""What a server says when it has read the base, before it plays back the log."""
DAMAGED = ("reading the append only file",)
"""What a server says when it ends because its file cannot be read back."""


class FolderBusyError(Exception):
    """Another process keeps the data folder locked."""


def _parse(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs the course's graph server.")
    parser.add_argument("--folder", type=Path, required=True, help="where the data, the lock and the log are")
    parser.add_argument("--sockets", type=Path, required=True, help="where the sockets go; a short path")
    parser.add_argument("--server", required=True, help="the redis-server to run")
    parser.add_argument("--module", required=True, help="the FalkorDB module to load")
    parser.add_argument("--module-arg", action="append", default=[], help="an argument for the module")
    parser.add_argument(
        "--lock-seconds", type=float, default=20.0, help="how long to wait for an earlier server to let go"
    )
    parser.add_argument("--holder", type=int, help="the descriptor of the first holder's connection")
    return parser.parse_args(argv)


class Supervisor:
    """One server, its holders, and what to do when either goes away."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.folder: Path = options.folder
        self.sockets: Path = options.sockets
        self.lock_seconds: float = options.lock_seconds
        self.command: list[str] = [options.server]
        self.module: list[str] = [options.module, *options.module_arg]
        self.selector = selectors.DefaultSelector()
        self.holders: set[socket.socket] = set()
        self.asking: set[socket.socket] = set()
        self.listener: socket.socket | None = None
        self.server: subprocess.Popen[bytes] | None = None
        self.server_socket = self.sockets / "none"
        self.state = "starting"
        self.note = ""
        self.log = self.folder / "server.log"
        self.log_start = 0
        self.restarts: list[float] = []
        self.repairs: set[str] = set()
        self.stopping = False
        self.stored = StoredLog(self.folder / "data")
        self.bases = BaseWriter(self.stored, lambda: self._say(b"BGREWRITEAOF\r\n"))
        self.lock_fd = -1
        self.lock_id = (0, 0)
        self.wake = self._wake_pipe()
        if options.holder is not None:
            first = socket.socket(fileno=options.holder)
            self._add_holder(first)
            self.asking.add(first)

    # -- life ---------------------------------------------------------------------------------------------

    def run(self) -> int:
        """Runs until the last holder is gone, or the server cannot be kept alive. Returns an exit code."""
        try:
            self._lock()
            self._listen()
            self._tell({"state": "listening"})
            self._start_server()
            while self.holders and not self.stopping:
                self._turn()
        except FolderBusyError as error:
            self._fail("busy", str(error))
        except OSError as error:
            self._fail("folder", f"{error.strerror}: {error.filename or self.folder}")
        finally:
            self._close_listener()
            self._stop_server()
            for holder in self.holders:
                holder.close()
            self._tidy()
        return 1 if self.state == "failed" else 0

    def _turn(self) -> None:
        timeout = TICK_SECONDS if self.state == "ready" and not self.asking else PROBE_SECONDS
        for key, _ in self.selector.select(timeout):
            handle: Callable[[], None] = key.data
            handle()
        self._reap()
        if self.state in ("starting", "loading"):
            self._probe()
        else:
            self.stored.sync()
            self.bases.tend()
            self._check_folder()
            if self.asking:
                self._report()
        if not self.holders:
            # Somebody may have knocked in the same instant: let them in rather than close the door on them.
            self._accept()

    def _wake_pipe(self) -> int:
        """A pipe that becomes readable at every signal, so that `select` returns."""
        read_end, write_end = os.pipe()
        for fd in (read_end, write_end):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._on_term)
        for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(ignored, signal.SIG_IGN)

        def drain() -> None:
            with contextlib.suppress(BlockingIOError):
                while os.read(read_end, 512):
                    pass

        self.selector.register(read_end, selectors.EVENT_READ, drain)
        return write_end

    def _on_term(self, *_: object) -> None:
        self.stopping = True

    # -- the folder ---------------------------------------------------------------------------------------

    def _lock(self) -> None:
        self.lock_fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + self.lock_seconds
        asked = False
        while True:
            try:
                fcntl.flock(self.lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not asked:
                    asked = self._end_leftover()
                if time.monotonic() > deadline:
                    raise FolderBusyError(self._who_holds()) from None
                time.sleep(0.01)
        found = os.fstat(self.lock_fd)
        self.lock_id = (found.st_dev, found.st_ino)

    def _leftover(self) -> dict[str, Any]:
        try:
            found = json.loads((self.folder / "server.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _who_holds(self) -> str:
        found = self._leftover()
        return f"process {found['pid']}" if "pid" in found else "an unknown process"

    def _end_leftover(self) -> bool:
        """Asks a server whose supervisor was killed to end. True when there is one."""
        found = self._leftover()
        if not found or _alive(int(found.get("supervisor", 0))):
            return False
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as line:
            line.settimeout(1)
            line.connect(str(found.get("socket", "")))
            line.sendall(b"SHUTDOWN\r\n")
            line.recv(64)
        return True

    def _listen(self) -> None:
        # An earlier supervisor may have taken the sockets' own folder away while we waited for the lock.
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        found = self.sockets.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise PermissionError(errno.EPERM, "others may look into it", str(self.sockets))
        for stale in self.sockets.glob("*.sock"):
            stale.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.sockets / "control.sock"))
        listener.listen(128)
        listener.setblocking(False)
        self.listener = listener
        self.selector.register(listener, selectors.EVENT_READ, self._accept)

    def _close_listener(self) -> None:
        if self.listener is not None:
            # First the name, then the door: who comes now finds nothing and starts a supervisor of their own,
            # which waits for the lock.
            with contextlib.suppress(OSError):
                (self.sockets / "control.sock").unlink(missing_ok=True)
            self.listener.close()
            self.listener = None

    def _tidy(self) -> None:
        for left in (*self.sockets.glob("server-*.sock"), self.folder / "server.json"):
            with contextlib.suppress(OSError):
                left.unlink(missing_ok=True)
        if self.sockets != self.folder:
            with contextlib.suppress(OSError):
                self.sockets.rmdir()

    def _check_folder(self) -> None:
        """Ends the server when its folder was deleted under it: what it writes then would reach nobody."""
        self.stopping = self.stopping or not self._lock_is_ours()

    def _lock_is_ours(self) -> bool:
        try:
            found = (self.folder / "lock").stat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self.lock_id

    # -- the server ---------------------------------------------------------------------------------------

    def _start_server(self) -> None:
        self.state = "starting"
        self.bases.forget()
        data = self.folder / "data"
        data.mkdir(mode=0o700, exist_ok=True)
        aside = self.stored.leave_out_changes(self.folder)
        if aside is not None:
            self.note = str(aside)
        if self.log.exists() and self.log.stat().st_size > LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        with contextlib.suppress(OSError):
            self.server_socket.unlink(missing_ok=True)
        # A name of its own for each server: an old one that is still ending removes its socket by name.
        self.server_socket = self.sockets / f"server-{secrets.token_hex(4)}.sock"
        options = {
            "port": "0",
            "unixsocket": str(self.server_socket),
            "unixsocketperm": "700",
            "appendonly": "yes",
            "appendfsync": "no",
            "auto-aof-rewrite-min-size": "16mb",
            "save": "",
            "enable-module-command": "no",
            "shutdown-timeout": "0",
        }
        command = [*self.command]
        for name, value in options.items():
            command += [f"--{name}", value]
        command += ["--loadmodule", *self.module]
        with self.log.open("ab") as log:
            self.log_start = log.tell()
            self.server = subprocess.Popen(
                command,
                cwd=data,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[self.lock_fd],
                preexec_fn=_die_with_parent,
            )
        record = {"pid": self.server.pid, "supervisor": os.getpid(), "socket": str(self.server_socket)}
        (self.folder / "server.json").write_text(json.dumps(record), encoding="utf-8")

    def _probe(self) -> None:
        answer = self._ping()
        # With a full disk it answers MISCONF: it takes no changes, but it is up and reads go on.
        if answer.startswith((b"+PONG", b"-MISCONF")):
            self.state = "ready"
            self._report()
        elif answer.startswith(b"-LOADING") and self.state != "loading":
            self.state = "loading"
            self._report()

    def _ping(self) -> bytes:
        return self._say(b"PING\r\n")

    def _say(self, command: bytes) -> bytes:
        """What the server answers to a command: nothing when it is not there, or dying."""
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(PING_SECONDS)
                line.connect(str(self.server_socket))
                line.sendall(command)
                return line.recv(64)
        except TimeoutError:
            return b"too busy to answer"
        except OSError:
            return b""

    def _reap(self) -> None:
        if self.server is None or self.server.poll() is None:
            return
        code = self.server.returncode
        self.server = None
        now = time.monotonic()
        if self.state == "ready" or code in (-signal.SIGKILL, -signal.SIGTERM):
            self.restarts = [t for t in self.restarts if now - t < RESTART_WINDOW_SECONDS]
            self.restarts.append(now)
            if len(self.restarts) <= RESTARTS:
                self._start_server()
                return
            self._fail("crashing", self._log_tail(), code)
        elif self._repair(code):
            self._start_server()
        else:
            self._fail("start", self._log_tail(), code)

    def _repair(self, code: int) -> bool:
        """Makes stored files that the server stumbled over readable again, after a copy was put aside.

        First the unreadable end of the log is cut off. When the server crashed while it played back the log,
        or the first did not help, the log goes and the base stays: that costs seconds of writes, see
        `stored_log`.
        """
        said = self._log_since(self.log_start)
        damaged = any(sign in said for sign in DAMAGED)
        crashed = -code in CRASHES and BASE_LOADED in said
        if not (damaged or crashed):
            return False
        try:
            if not self.note:
                self.note = str(self.stored.put_aside(self.folder))
            if damaged and "tail" not in self.repairs:
                self.repairs.add("tail")
                if self.stored.cut_tail(self.command[0]):
                    return True
            if BASE_LOADED in said and "log" not in self.repairs:
                self.repairs.add("log")
                return self.stored.empty()
        except OSError as error:
            self.note = f"the damaged files could not be copied: {error}"
        return False

    def _stop_server(self) -> None:
        if self.state == "ready" and self._lock_is_ours():
            server = self.server
            self.bases.finish(lambda: server is not None and server.poll() is None, STOP_SECONDS)
        if self.server is None:
            return
        self.server.terminate()
        try:
            self.server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.server = None

    def _log_tail(self) -> str:
        return self._log_since(self.log_start)[-SHOWN_LOG:]

    def _log_since(self, start: int) -> str:
        try:
            with self.log.open("rb") as log:
                log.seek(start)
                said: bytes = log.read(LOG_BYTES)
        except OSError:
            return ""
        return said.decode("utf-8", "replace")

    # -- the holders --------------------------------------------------------------------------------------

    def _accept(self) -> None:
        if self.listener is None:
            return
        with contextlib.suppress(BlockingIOError):
            while True:
                self._add_holder(self.listener.accept()[0])

    def _add_holder(self, holder: socket.socket) -> None:
        holder.setblocking(False)
        self.holders.add(holder)
        self.selector.register(holder, selectors.EVENT_READ, lambda: self._hear(holder))

    def _hear(self, holder: socket.socket) -> None:
        try:
            said = holder.recv(256)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        if not said:
            self._drop(holder)
            return
        # Any byte is the one question there is: how does the server do?
        self.asking.add(holder)
        self._report()

    def _drop(self, holder: socket.socket) -> None:
        self.asking.discard(holder)
        if holder in self.holders:
            self.holders.discard(holder)
            self.selector.unregister(holder)
            holder.close()

    def _report(self, **more: object) -> None:
        """Answers everybody who asked, when there is something to say.

        `{"state": "ready", "socket": ..., "pid": ..., "note": ...}` ends the question; `listening` (to the
        first holder only) and `loading` say to wait on; `failed` comes with `kind`, `detail` (the server's
        own words) and `code`, and is the last word.
        """
        if self.state == "starting":
            return
        if self.state == "ready" and not self._ping():
            return  # it is dying, and a later turn will notice
        line = {"state": self.state, "socket": str(self.server_socket), "note": self.note, **more}
        if self.server is not None:
            line["pid"] = self.server.pid
        self._tell(line)
        if self.state != "loading":
            self.asking.clear()

    def _tell(self, line: dict[str, object]) -> None:
        message = (json.dumps(line) + "\n").encode()
        for holder in list(self.asking):
            try:
                holder.sendall(message)
            except OSError:
                self._drop(holder)

    def _fail(self, kind: str, detail: str, code: int | None = None) -> None:
        self.state = "failed"
        self.asking = set(self.holders)
        self._report(kind=kind, detail=detail, code=code)
        self.stopping = True


def _alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _die_with_parent() -> None:
    """Runs in the new server before it becomes one: asks Linux to end it when the supervisor is killed.

    Elsewhere the lock file and the next start's `_end_leftover` do that work.
    """
    if sys.platform == "linux" and _libc is not None:
        _libc.prctl(1, int(signal.SIGTERM))


_libc: Any = None
if sys.platform == "linux":
    import ctypes

    _libc = ctypes.CDLL(None)


def main() -> NoReturn:
    """Runs the supervisor with the arguments of the command line."""
    os.umask(0o077)
    sys.exit(Supervisor(_parse(sys.argv[1:])).run())


if __name__ == "__main__":
    main()
