"""The little of HTTP/1.1 that the practice server needs: reading a request, writing a response.

`http.server` would do, but it parses headers with the mail parser (a fifth of a millisecond each time) and
its import alone takes longer than the whole server may take to start. Clients here are HTTP libraries on the
same machine, so a strict reader is enough: whatever it does not understand is refused, never guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

MAX_HEADER_BYTES = 64 * 1024
"""Request line and headers together; more is refused with 431."""

REASONS: Mapping[int, str] = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    411: "Length Required",
    413: "Payload Too Large",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    503: "Service Unavailable",
    529: "Site is overloaded",
}


class BadHttpError(Exception):
    """The bytes that came in are not a request this server takes. Answer with `status`, then hang up.

    Args:
        status: the HTTP status to answer with.
        what: one sentence for the body.
    """

    def __init__(self, status: int, what: str) -> None:
        self.status = status
        self.what = what
        super().__init__(what)


@dataclass(frozen=True)
class HttpRequest:
    """A request's first line and headers. The body is read later, once its length is known to be fine."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    keep_alive: bool
    length: int
    """Bytes of body to come."""


@dataclass(frozen=True)
class HttpResponse:
    """A whole response."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def read_head(stream: BinaryIO) -> HttpRequest | None:
    """Reads the first line and the headers of the next request on a connection.

    Args:
        stream: the connection, buffered.

    Returns:
        The request, or None when the client has closed the connection.

    Raises:
        BadHttpError: not HTTP/1.x, too large, or a body whose length is not given.
    """
    budget = MAX_HEADER_BYTES
    line = stream.readline(budget + 1)
    while line in (b"\r\n", b"\n"):  # a stray newline after the last body is allowed by the standard
        line = stream.readline(budget + 1)
    if not line:
        return None
    budget -= len(line)
    parts = line.decode("latin-1").split()
    if not line.endswith(b"\n") or len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise BadHttpError(431 if budget < 0 else 400, "This is not an HTTP/1.1 request.")
    method, target, version = parts
    headers: dict[str, str] = {}
    while True:
        line = stream.readline(max(budget, 0) + 1)
        budget -= len(line)
        if budget < 0:
            raise BadHttpError(431, f"The headers are larger than {MAX_HEADER_BYTES} bytes.")
        if not line:
            return None
        if line in (b"\r\n", b"\n"):
            break
        name, colon, value = line.decode("latin-1").partition(":")
        if not colon or not name.strip() or name != name.strip():
            raise BadHttpError(400, "A header line has no name.")
        key = name.lower()
        if key in headers and key in ("content-length", "host"):
            raise BadHttpError(400, f"The header {key} is there twice.")
        headers[key] = value.strip()
    if "transfer-encoding" in headers:
        raise BadHttpError(411, "Send the body with a Content-Length; chunked requests are not taken.")
    declared = headers.get("content-length", "0")
    if not (declared.isascii() and declared.isdigit()):
        raise BadHttpError(400, "Content-Length is not a whole number.")
    connection = headers.get("connection", "").lower()
    keep_alive = "close" not in connection and (version != "HTTP/1.0" or "keep-alive" in connection)
    return HttpRequest(method, target.partition("?")[0], headers, keep_alive, int(declared))


def head_bytes(status: int, headers: Mapping[str, str]) -> bytes:
    """Status line and headers as they go onto the wire."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def response_bytes(response: HttpResponse, keep_alive: bool) -> bytes:
    """A whole response as bytes, for one write."""
    headers = {
        **response.headers,
        "content-length": str(len(response.body)),
        "connection": "keep-alive" if keep_alive else "close",
    }
    return head_bytes(response.status, headers) + response.body


def chunk(data: bytes) -> bytes:
    """One piece of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"
"""Ends a chunked body. A connection that closes without it was cut."""


def json_bytes(value: Any) -> bytes:
    """A JSON body."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def server_sent(data: Any, event: str | None = None) -> bytes:
    """One server-sent event. Strings go as they are, everything else as JSON."""
    payload = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {payload}\n\n".encode()


def pieces(text: str, size: int) -> Iterable[str]:
    """A text in pieces of about `size` characters, cut before spaces where there is one, as tokens come."""
    start = 0
    while start < len(text):
        end = min(start + size, len(text))
        if end < len(text):
            space = text.rfind(" ", start + 1, end + 1)
            end = space if space > start else end
        yield text[start:end]
        start = end
