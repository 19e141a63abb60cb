"""Time limits on the wire, which the HTTP timeouts of the SDKs alone do not give.

A read timeout is counted anew with every byte that arrives: a server that sends one byte every few seconds
keeps a call going for ever. So each call has a `TimeLimit`, and when that is up the connection is cut.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from ipaddress import ip_address
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

CONNECT_TIMEOUT_S = 10.0
"""Seconds to wait for a connection, TLS included."""

_current: ContextVar[TimeLimit | None] = ContextVar("course_time_limit", default=None)


class TimeLimit:
    """The time that one attempt may take, from entering the `with` block.

    Args:
        seconds: how long; at least a tenth of a second.
        silence_s: how long the provider may send nothing at all; None for as long as there is time.
    """

    def __init__(self, seconds: float, silence_s: float | None = None) -> None:
        self.seconds = max(seconds, 0.1)
        self._silence_s = silence_s
        self._ends = time.monotonic() + self.seconds
        self._timer: threading.Timer | None = None
        self._socket: socket.socket | None = None
        self._lock = threading.Lock()
        self._cut = False

    @property
    def was_cut(self) -> bool:
        """Whether the connection was cut because the time was up, or because `cut` was called."""
        return self._cut

    def left(self) -> float:
        """Seconds left, never less than a tenth."""
        return max(self._ends - time.monotonic(), 0.1)

    def silence(self) -> float:
        """Seconds that the provider may now send nothing."""
        return self.left() if self._silence_s is None else min(self._silence_s, self.left())

    def cut(self) -> None:
        """Ends the attempt now: the thread that reads from the connection wakes up with an error."""
        with self._lock:
            self._cut = True
            sock = self._socket
        if sock is not None:
            _shut(sock)

    def watch(self, response: Any) -> None:
        """Remembers the connection of a response (httpx or httpx2) whose body is about to be read."""
        stream = response.extensions.get("network_stream")
        sock = stream.get_extra_info("socket") if stream is not None else None
        with self._lock:
            self._socket = sock
            too_late = self._cut
        if too_late and sock is not None:
            _shut(sock)

    def __enter__(self) -> TimeLimit:
        self._ends = time.monotonic() + self.seconds
        self._timer = threading.Timer(self.seconds, self.cut)
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            # The connection goes back to the pool: a late cut must not hit the next call that uses it.
            self._socket = None


def _shut(sock: socket.socket) -> None:
    try:
        # The plain socket's method, for TLS too: SSLSocket.shutdown takes the session away from the reader.
        socket.socket.shutdown(sock, socket.SHUT_RDWR)
    except OSError:
        return  # it was closed already, which is what was wanted


@contextmanager
def limited_by(limit: TimeLimit) -> Iterator[None]:
    """Within the block, a response that begins is watched by `limit`."""
    token = _current.set(limit)
    try:
        yield
    finally:
        _current.reset(token)


def _on_response(response: Any) -> None:
    limit = _current.get()
    if limit is not None:
        limit.watch(response)


def is_loopback(url: str) -> bool:
    """Whether an address points to this very machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def client_options(url: str) -> dict[str, Any]:
    """Options for an SDK's HTTP client.

    No redirects: an SDK would send its key on to wherever the redirect points. No proxy for this machine: a
    proxy set in the environment could not reach it.
    """
    hooks: dict[str, list[Callable[[Any], None]]] = {"response": [_on_response]}
    return {"event_hooks": hooks, "follow_redirects": False, "trust_env": not is_loopback(url)}
