"""What the tests of the models share: a clock that waits for nobody, and providers that follow a script."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Generator, Sequence

from course_lib.models.calls import CallRequest, Reply, Usage
from course_lib.models.errors import ModelError
from course_lib.models.wire import TimeLimit

NOON = 1_796_040_000.0
"""2026-11-30 12:00 UTC."""


class FakeClock:
    """Time that passes only when somebody waits for it."""

    def __init__(self, start: float = NOON) -> None:
        self.time = start
        self.waits: list[float] = []
        self._lock = threading.Lock()

    def now(self) -> float:
        return self.time

    def steady(self) -> float:
        return self.time - NOON

    def wait(self, seconds: float, called_off: threading.Event) -> None:
        with self._lock:
            self.waits.append(seconds)
            self.time += seconds

    def pass_time(self, seconds: float) -> None:
        with self._lock:
            self.time += seconds


Step = str | ModelError | Callable[[], "str | ModelError"]


class Scripted:
    """A provider that does what its script says, one step a call; after the last step it answers `ok`."""

    def __init__(self, name: str, script: Sequence[Step] = (), model: str = "some-model") -> None:
        self._name = name
        self._model = model
        self.script = list(script)
        self.asked: list[CallRequest] = []
        self.limits: list[TimeLimit] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def model(self) -> str:
        return self._model

    def _next(self, request: CallRequest, limit: TimeLimit) -> str:
        self.asked.append(request)
        self.limits.append(limit)
        step = self.script.pop(0) if self.script else "ok"
        if callable(step):
            step = step()
        if isinstance(step, ModelError):
            raise step
        return step

    def complete(self, request: CallRequest, limit: TimeLimit) -> Reply:
        return self._reply(self._next(request, limit))

    def stream(self, request: CallRequest, limit: TimeLimit) -> Generator[str, None, Reply]:
        text = self._next(request, limit)
        yield from text.split(" ")
        return self._reply(text)

    def _reply(self, text: str) -> Reply:
        return Reply(text, self.name, self.model, Usage(3, 2, 0.0))


Handler = Callable[[bytes, socket.socket], None]


class RawServer:
    """An HTTP server that does with each request whatever its handler does, down to the bytes.

    Args:
        handler: gets the whole request (head and body) and the connection; the connection closes afterwards.
    """

    def __init__(self, handler: Handler) -> None:
        self.requests: list[bytes] = []
        self._handler = handler
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        # shutdown first: it wakes the thread that accepts, which close alone does not.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def __enter__(self) -> RawServer:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            data = b""
            while b"\r\n\r\n" not in data:
                if not (more := connection.recv(65_536)):
                    return
                data += more
            head, _, body = data.partition(b"\r\n\r\n")
            length = next(
                (
                    int(line[15:])
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"content-length:")
                ),
                0,
            )
            while len(body) < length:
                if not (more := connection.recv(65_536)):
                    return
                body += more
            self.requests.append(head + b"\r\n\r\n" + body)
            self._handler(self.requests[-1], connection)


def answer(status: int, body: object, *headers: str, kind: str = "application/json") -> bytes:
    """A whole HTTP response."""
    payload = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    lines = [
        f"HTTP/1.1 {status} Whatever",
        f"content-type: {kind}",
        f"content-length: {len(payload)}",
        *headers,
    ]
    return ("\r\n".join([*lines, "connection: close"]) + "\r\n\r\n").encode() + payload
