"""The practice model's HTTP server: on loopback, in daemon threads, gone with the process.

One thread accepts, one thread serves each connection; both are daemons, so neither an exit nor a SIGKILL
leaves anything behind. Nothing runs in the caller's own event loop, so it sits beside ipykernel's
undisturbed. A forked child closes its copies of the sockets and starts a server of its own when it needs
one.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping
from io import BufferedReader
from types import TracebackType
from typing import Any

from course_lib.errors import CourseError
from course_lib.models.practice.answering import MAX_BODY_BYTES, MODELS, Desk, LogEntry, Respond
from course_lib.models.practice.faults import Where
from course_lib.models.practice.http_wire import (
    BadHttpError,
    HttpResponse,
    json_bytes,
    read_head,
    response_bytes,
)
from course_lib.models.practice.mix import Mix, parse_mix
from course_lib.models.practice.refusals import PROVIDERS
from course_lib.models.practice.staging import Order, UnknownFaultError, When
from course_lib.models.practice.threads import ThreadStore

MAX_CONNECTIONS = 256
"""Connections served at once; one more is closed unanswered."""

IDLE_S = 75.0
"""How long a connection may be silent before it is closed, in seconds."""

DRAIN_S = 2.0
"""How long the rest of a refused body is read away, in seconds."""


class PracticeServerError(CourseError):
    """The practice model's server cannot start."""


class PracticeServer:
    """A running practice model. Get this process's own with `practice_server()`, or make one for a test.

    Args:
        respond: what answers; the practice model's behaviour when None.
        mix: an everyday mix of faults; none when None.
        models: the model names that exist.
        max_body: the largest body that is read, in bytes.

    Raises:
        PracticeServerError: this machine lets nothing listen on loopback.
    """

    def __init__(
        self,
        respond: Respond | None = None,
        *,
        mix: Mix | None = None,
        models: tuple[str, ...] = MODELS,
        max_body: int = MAX_BODY_BYTES,
    ) -> None:
        self._stop = threading.Event()
        self._desk = Desk(respond, mix, models, max_body, self._stop)
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        try:
            self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        except OSError as error:
            raise PracticeServerError(
                f"The practice model cannot listen on 127.0.0.1: {error.strerror or error}.",
                "Check whether a firewall or sandbox forbids programs to listen on loopback.",
            ) from error
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._woken, self._wake = socket.socketpair()
        self._accepting = threading.Thread(target=self._accept, name="practice-model", daemon=True)
        self._accepting.start()
        _SERVERS.add(self)

    # -- addresses -----------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The server's address, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def base_url(self, provider: str) -> str:
        """What that provider's SDK takes as `base_url`.

        Args:
            provider: one of `refusals.PROVIDERS`.

        Raises:
            UnknownFaultError: no such provider is played.
        """
        if provider not in PROVIDERS:
            raise UnknownFaultError(f"The practice server plays no provider {provider!r}.", list(PROVIDERS))
        return self.url + PROVIDERS[provider].client_path

    @property
    def anthropic_url(self) -> str:
        """`base_url` for the anthropic SDK."""
        return self.base_url("anthropic")

    @property
    def openai_url(self) -> str:
        """`base_url` for the openai SDK."""
        return self.base_url("openai")

    @property
    def models(self) -> tuple[str, ...]:
        """The model names that exist."""
        return self._desk.models

    # -- misbehaving ---------------------------------------------------------------------------------------

    def misbehave(
        self,
        kind: str,
        *,
        provider: str | None = None,
        times: int | None = 1,
        where: Where = "before_headers",
        when: When | None = None,
        seed: int = 0,
        seconds: float | None = None,
        variant: str | None = None,
        habit: bool = False,
    ) -> Order:
        """Stages a fault on the next calls that it has a place in.

        Args:
            kind: one of `faults.KINDS`.
            provider: only calls of this provider; any when None.
            times: how many calls, or None for every call until the order is cancelled.
            where: for a dropped connection and for errors: before the headers, or in the middle of a stream.
            when: only requests for which this says True.
            seed: chooses among the forms of a fault.
            seconds: how long a slow first byte takes, or how long a limit asks to wait.
            variant: the form of a fault in so many words: a Neo4j habit, or the name a made-up fact praises.
            habit: not on a call that tells the model about it: a hint that names the fault ends it there.

        Returns:
            The order: cancel it, or use it as a context manager.

        Raises:
            UnknownFaultError: there is no such fault, provider or variant.
        """
        order = Order(
            kind,
            provider=provider,
            times=times,
            where=where,
            when=when,
            seed=seed,
            seconds=seconds,
            variant=variant,
            habit=habit,
        )
        return self._desk.stage.add(order)

    def mix(
        self, rates: Mapping[str, float], seed: int = 0, *, habits: Mapping[str, float] | None = None
    ) -> None:
        """Turns an everyday mix of faults on (`mix.EVERYDAY`, say), or off with `{}`.

        Args:
            rates: chance by fault.
            seed: where the draws start. A draw depends on it, the provider, the question and the attempt
            alone.
            habits: chance by fault that the model has it with a question, until a hint names it.

        Raises:
            SettingError: an unknown fault, or chances that are none.
        """
        self._desk.stage.set_mix(Mix(dict(rates), seed, dict(habits or {})))

    def behave(self) -> None:
        """Takes back every order and the mix."""
        self._desk.stage.clear()

    # -- what happened -------------------------------------------------------------------------------------

    @property
    def log(self) -> deque[LogEntry]:
        """The last calls of a model, refused and dropped ones included, oldest first."""
        return self._desk.log

    @property
    def calls(self) -> dict[str, int]:
        """How many model calls each provider got since the start."""
        return self._desk.calls

    @property
    def last_body(self) -> Mapping[str, Any] | None:
        """The body of the last call of a model, as it came in. Headers, and so keys, are never kept."""
        return self._desk.last_body

    @property
    def failures(self) -> deque[str]:
        """Tracebacks of this server's own mistakes. Always empty, or there is a bug."""
        return self._desk.failures

    @property
    def threads(self) -> ThreadStore:
        """The conversations that are held for clients that continue them."""
        return self._desk.threads

    @property
    def pace_s(self) -> float:
        """Seconds between two pieces of a stream (at most half a second): 0, or more to watch one come in."""
        return self._desk.pace_s

    @pace_s.setter
    def pace_s(self, seconds: float) -> None:
        self._desk.pace_s = seconds

    # -- living and ending ---------------------------------------------------------------------------------

    @property
    def closed(self) -> bool:
        """Whether it was closed, here or (in a forked child) by the fork."""
        return self._stop.is_set()

    def close(self) -> None:
        """Stops listening and hangs up every connection. Closing twice is fine."""
        if self._stop.is_set():
            return
        self._stop.set()
        with contextlib.suppress(OSError):
            self._wake.send(b"x")
        if threading.current_thread() is not self._accepting:
            self._accepting.join(timeout=5)
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._woken.close()
        self._wake.close()

    def __enter__(self) -> PracticeServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"at {self.url}"
        return f"<practice model {state}: a simulator for teaching, not a language model>"

    def abandon(self) -> None:
        """In a forked child: lets go of the parent's sockets without a word to those at their other end."""
        # A new event: the copied one may be locked by a thread that the fork left behind.
        self._stop = threading.Event()
        self._stop.set()
        for held in (self._listener, self._woken, self._wake, *self._connections):
            with contextlib.suppress(OSError):
                # detach, since a reader left over from a thread would keep close() from closing
                os.close(held.detach())
        self._connections.clear()

    # -- connections ---------------------------------------------------------------------------------------

    def _accept(self) -> None:
        with selectors.DefaultSelector() as selector, self._listener:
            selector.register(self._listener, selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._stop.is_set():
                selector.select()
                if self._stop.is_set():
                    return
                try:
                    connection, _ = self._listener.accept()
                except BlockingIOError:
                    continue  # the client was gone before it was let in
                except OSError:
                    self._stop.wait(0.05)  # out of file descriptors, say: let others close some
                    continue
                self._welcome(connection)

    def _welcome(self, connection: socket.socket) -> None:
        with self._lock:
            full = len(self._connections) >= MAX_CONNECTIONS
            if not full:
                self._connections.add(connection)
        if full:
            connection.close()
            return
        try:
            connection.settimeout(IDLE_S)
            # Without this, a small answer waits for the acknowledgement of the one before it: 40 ms each.
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(
                target=self._serve, args=(connection,), name="practice-call", daemon=True
            ).start()
        except (OSError, RuntimeError):  # RuntimeError: no new threads while the interpreter ends
            self._forget(connection)

    def _forget(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.discard(connection)
        with contextlib.suppress(OSError):
            connection.close()

    def _serve(self, connection: socket.socket) -> None:
        """Serves one connection until either side has had enough."""
        try:
            with connection.makefile("rb") as stream:
                while not self._stop.is_set() and self._exchange(connection, stream):
                    continue
        except (OSError, ValueError):
            return  # the client hung up, or was silent for too long: there is nobody left to tell
        finally:
            self._forget(connection)

    def _exchange(self, connection: socket.socket, stream: BufferedReader) -> bool:
        """Reads one request and answers it. False when the connection is over."""
        try:
            head = read_head(stream)
        except BadHttpError as error:
            body = json_bytes({"error": {"message": error.what}})
            response = HttpResponse(error.status, body, {"content-type": "application/json"})
            connection.sendall(response_bytes(response, keep_alive=False))
            _drain(connection, stream)
            return False
        if head is None:
            return False
        exchange = self._desk.open(connection, head)
        if head.length > self._desk.max_body:
            exchange.keep_alive = False
            self._desk.refuse_body(exchange)
            _drain(connection, stream)
            return False
        if head.headers.get("expect", "").lower() == "100-continue":
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = stream.read(head.length)
        if len(body) < head.length:
            return False
        self._desk.answer(exchange, body, self.port)
        return exchange.keep_alive


def _drain(connection: socket.socket, stream: BufferedReader) -> None:
    """After an early no: ends our side, then reads what still comes, else a reset would overtake the no."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(DRAIN_S)
    until = time.monotonic() + DRAIN_S
    while time.monotonic() < until and stream.read1(65_536):
        continue


_SERVERS: weakref.WeakSet[PracticeServer] = weakref.WeakSet()
_singleton: PracticeServer | None = None
_singleton_lock = threading.Lock()


def _after_fork_in_child() -> None:
    global _singleton, _singleton_lock
    _singleton_lock = threading.Lock()
    _singleton = None
    for server in list(_SERVERS):
        server.abandon()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_after_fork_in_child)


def practice_server() -> PracticeServer:
    """This process's practice model, started when it is first asked for and again after it was closed.

    `COURSE_PRACTICE_FAULTS` turns a mix of faults on for processes that have no handle on the server.

    Raises:
        PracticeServerError: this machine lets nothing listen on loopback.
        SettingError: `COURSE_PRACTICE_FAULTS` cannot be read.
    """
    global _singleton
    with _singleton_lock:
        if _singleton is None or _singleton.closed:
            from course_lib.settings import load_settings

            faults = load_settings().practice_faults
            _singleton = PracticeServer(mix=parse_mix(faults) if faults else None)
        return _singleton
