"""What happens between a request that is read and an answer that is written.

A `Desk` knows the virtual providers, asks the behaviour, stages faults, and writes whole answers or streams.
Sockets, threads and the server's life are `server`'s business. Headers are never kept: whatever key a client
sends is read by nobody.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from course_lib.models.practice import anthropic_wire, openai_wire
from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.fields import parse_body
from course_lib.models.practice.http_wire import (
    LAST_CHUNK,
    HttpRequest,
    HttpResponse,
    chunk,
    head_bytes,
    json_bytes,
    response_bytes,
    server_sent,
)
from course_lib.models.practice.mix import Mix
from course_lib.models.practice.refusals import (
    PROVIDERS,
    Dialect,
    Problem,
    Provider,
    RefusedError,
    error_event,
    refuse,
)
from course_lib.models.practice.shaping import Shaped, shape
from course_lib.models.practice.staging import Stage, Staged, UnknownFaultError
from course_lib.models.practice.threads import ThreadStore

MODELS = ("practice-1", "practice-1-mini")
"""The models there are. Every name says what it is."""

MAX_BODY_BYTES = 8 * 1024 * 1024
"""The largest body that is read; a larger one gets the provider's 413."""

LOG_ENTRIES = 1_000
"""How many calls the log holds; the oldest go first."""

MAX_PACE_S = 0.5

GROQ_SDK_PATH = "/practice/openai"
"""The groq SDK puts /openai/v1 behind its address: given `<url>/practice`, it finds the practice model."""

Respond = Callable[[Request], Reply]
AnyCall = anthropic_wire.Call | openai_wire.Call


@dataclass(frozen=True)
class LogEntry:
    """One call of a model, as the server saw it. No header and no text is kept."""

    provider: str
    path: str
    status: int
    """The HTTP status; 0 when the connection was dropped before any."""
    ms: float
    model: str = ""
    staged: str | None = None
    """The fault that was staged on it."""
    streamed: bool = False


@dataclass(frozen=True)
class Route:
    """Where a path leads."""

    provider: Provider
    dialect: Dialect
    what: str
    """`generate`, `count`, `models`, `model:<name>` or `nothing`."""
    method: str


@dataclass
class Exchange:
    """One request on one connection, and where its answer is written."""

    connection: socket.socket
    head: HttpRequest
    request_id: str
    keep_alive: bool
    started: float = field(default_factory=time.perf_counter)

    def headers(self, dialect: Dialect | None, staged: str | None = None) -> dict[str, str]:
        """The headers that every answer has: what this server is, and what it staged."""
        now = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime())
        found = {"x-practice-model": "simulator", "date": now}
        if dialect is not None:
            found["request-id" if dialect == "anthropic" else "x-request-id"] = self.request_id
        if staged is not None:
            found["x-practice-staged"] = staged
        return found

    def send(self, response: HttpResponse) -> None:
        """Writes a whole answer."""
        headers = {"content-type": "application/json", **response.headers}
        whole = HttpResponse(response.status, response.body, headers)
        self.connection.sendall(response_bytes(whole, self.keep_alive))


def route_of(head: HttpRequest) -> Route | None:
    """The provider and endpoint of a path; None outside of every provider.

    Args:
        head: the request. Only the root, which speaks both dialects, looks at a header.
    """
    path = head.path
    if path.startswith(GROQ_SDK_PATH + "/"):
        path = path.removeprefix(GROQ_SDK_PATH)
    for provider in PROVIDERS.values():
        if not path.startswith(provider.prefix + "/"):
            continue
        rest = path[len(provider.prefix) + 1 :]
        dialect = provider.dialect
        if provider.name == "practice" and not rest.startswith("messages"):
            dialect = "anthropic" if "anthropic-version" in head.headers else "openai"
        if rest == ("messages" if dialect == "anthropic" else "chat/completions"):
            return Route(provider, dialect, "generate", "POST")
        if rest == "messages/count_tokens" and dialect == "anthropic":
            return Route(provider, dialect, "count", "POST")
        if rest == "models":
            return Route(provider, dialect, "models", "GET")
        if rest.startswith("models/"):
            return Route(provider, dialect, f"model:{rest.removeprefix('models/')}", "GET")
        return Route(provider, dialect, "nothing", head.method)
    return None


class Desk:
    """Answers requests, and keeps the books: a bounded log, counts by provider, held threads.

    Args:
        respond: what answers; the practice model's behaviour, imported at the first call, when None.
        mix: an everyday mix of faults; none when None.
        models: the model names that exist.
        max_body: the largest body that is read, in bytes.
        stop: set when the server ends; cuts short whatever waits.
    """

    def __init__(
        self,
        respond: Respond | None,
        mix: Mix | None,
        models: tuple[str, ...],
        max_body: int,
        stop: threading.Event,
    ) -> None:
        self.models = models
        self.max_body = max_body
        self.stage = Stage(mix)
        self.threads = ThreadStore()
        self.log: deque[LogEntry] = deque(maxlen=LOG_ENTRIES)
        self.failures: deque[str] = deque(maxlen=20)
        self.last_body: Mapping[str, Any] | None = None
        self.pace_s = 0.0
        self._respond = respond
        self._stop = stop
        self._lock = threading.Lock()
        self._calls: Counter[str] = Counter()
        self._ids = itertools.count(1)
        self._token = os.urandom(4).hex()

    @property
    def calls(self) -> dict[str, int]:
        """How many model calls each provider got."""
        with self._lock:
            return dict(self._calls)

    def new_id(self, prefix: str) -> str:
        """An id that no other reply of any server has."""
        return f"{prefix}_practice_{self._token}{next(self._ids):08d}"

    def open(self, connection: socket.socket, head: HttpRequest) -> Exchange:
        """Begins an exchange."""
        return Exchange(connection, head, self.new_id("req"), head.keep_alive)

    # -- the whole of an answer ----------------------------------------------------------------------------

    def answer(self, exchange: Exchange, body: bytes, port: int) -> None:
        """Answers a request whose body is read. A mistake of this server's own becomes the provider's 500.

        Args:
            exchange: the request and its connection.
            body: the whole body.
            port: the server's own port, for the check of the Host header.

        Raises:
            OSError: the client is gone.
        """
        if exchange.head.headers.get("host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            # A web page can point a name of its own at 127.0.0.1, but its browser then sends that name here.
            text = {"error": {"message": "This server answers as 127.0.0.1 or localhost only."}}
            exchange.keep_alive = False
            exchange.send(HttpResponse(403, json_bytes(text), exchange.headers(None)))
            return
        route = route_of(exchange.head)
        if route is None:
            self._greet(exchange)
            return
        try:
            self._dispatch(exchange, route, body)
        except RefusedError as refused:
            self._refuse(exchange, route, refused.problem)
        except UnknownFaultError as error:
            self._refuse(exchange, route, Problem("invalid", str(error)))
        except OSError:
            raise
        except Exception:  # whatever it was, a client must get the provider's 500 and never a traceback
            import traceback

            self.failures.append(traceback.format_exc())
            self._refuse(exchange, route, Problem("server_error", model=self.models[0]))

    def refuse_body(self, exchange: Exchange) -> None:
        """Says that the body is too large, unread."""
        route = route_of(exchange.head)
        if route is None:
            body = json_bytes({"error": {"message": f"The body is larger than {self.max_body} bytes."}})
            exchange.send(HttpResponse(413, body, exchange.headers(None)))
            return
        self._refuse(exchange, route, Problem("too_large", model=self.models[0]))

    def _greet(self, exchange: Exchange) -> None:
        head = exchange.head
        about: dict[str, Any] = {
            "name": "practice model",
            "what": "a simulator made for teaching, not a language model",
            "models": list(self.models),
            "providers": {provider.name: provider.client_path for provider in PROVIDERS.values()},
        }
        status = 200 if head.path == "/" and head.method in ("GET", "HEAD") else 404
        body = json_bytes(about if status == 200 else {"error": {"message": "Not found. See /."}})
        headers = {"content-type": "application/json", **exchange.headers(None)}
        if head.method == "HEAD":
            exchange.keep_alive = False
            exchange.connection.sendall(head_bytes(status, {**headers, "connection": "close"}))
            return
        exchange.send(HttpResponse(status, body, headers))

    def _refuse(self, exchange: Exchange, route: Route, problem: Problem, staged: str | None = None) -> None:
        made = refuse(route.provider, route.dialect, problem, exchange.request_id)
        if route.what == "generate":
            self._record(exchange, route, made.status, problem.model, staged)
        headers = {**exchange.headers(route.dialect, staged), **made.headers}
        exchange.send(HttpResponse(made.status, made.body, headers))

    def _dispatch(self, exchange: Exchange, route: Route, body: bytes) -> None:
        if route.what == "nothing":
            raise RefusedError(Problem("unknown_path"))
        if exchange.head.method != route.method:
            raise RefusedError(Problem("wrong_method"))
        if route.what == "generate":
            self.last_body = read = parse_body(body)
            if route.dialect == "anthropic":
                self._message(exchange, route, read)
            else:
                self._completion(exchange, route, read)
            return
        wire = anthropic_wire if route.dialect == "anthropic" else openai_wire
        if route.what == "count":
            answer: Any = {"input_tokens": anthropic_wire.count_tokens(parse_body(body), self.models)}
        elif route.what == "models":
            answer = wire.model_list(self.models)
        else:
            name = route.what.removeprefix("model:")
            if name not in self.models:
                raise RefusedError(Problem("unknown_model", model=name))
            answer = wire.model_info(name)
        exchange.send(HttpResponse(200, json_bytes(answer), exchange.headers(route.dialect)))

    # -- calls of a model ----------------------------------------------------------------------------------

    def _message(self, exchange: Exchange, route: Route, body: Mapping[str, Any]) -> None:
        call = anthropic_wire.read_call(body, self.threads, self.models)
        taken = call.continues
        try:
            staged, shaped = self._reply(exchange, route, call)
            if not _ends_early(staged, call.stream):
                message_id = self.new_id("msg")
                if taken is not None:
                    self.threads.finish(taken)
                    taken = None
                if call.holds_thread:
                    self.threads.keep(message_id, anthropic_wire.held_thread(call, shaped))
        finally:
            if (
                taken is not None
            ):  # refused, dropped or failed: the client may continue from the same reply again
                self.threads.put_back(taken)
        if _ends_early(staged, call.stream):
            self._fail(exchange, route, call, staged)
        elif call.stream:
            named = anthropic_wire.events(call, shaped, message_id)
            self._stream(exchange, route, call, staged, [server_sent(data, name) for name, data in named])
        else:
            self._whole(exchange, route, call, staged, anthropic_wire.message(call, shaped, message_id))

    def _completion(self, exchange: Exchange, route: Route, body: Mapping[str, Any]) -> None:
        call = openai_wire.read_call(body, route.provider.name, self.models)
        staged, shaped = self._reply(exchange, route, call)
        if _ends_early(staged, call.stream):
            self._fail(exchange, route, call, staged)
            return
        arguments = (call, shaped, self.new_id("chatcmpl"), int(time.time()), route.provider.name)
        if call.stream:
            events = [server_sent(data) for data in openai_wire.chunks(*arguments)]
            self._stream(exchange, route, call, staged, [*events, server_sent("[DONE]")])
        else:
            self._whole(exchange, route, call, staged, openai_wire.completion(*arguments))

    def _reply(self, exchange: Exchange, route: Route, call: AnyCall) -> tuple[Staged, Shaped]:
        """Asks the behaviour, stages what is to be staged, and cuts the reply to the request's limits."""
        if self._respond is None:
            from course_lib.models.practice.behaviour import respond

            self._respond = respond
        staged = self.stage.put(
            self._respond(call.request),
            call.request,
            provider=route.provider.name,
            dialect=route.dialect,
            headers=exchange.head.headers,
            tokens=call.input_tokens,
        )
        prefix = "toolu" if route.dialect == "anthropic" else "call"
        shaped = shape(
            staged.reply,
            max_tokens=call.request.max_tokens,
            stops=call.stops,
            parallel=call.parallel,
            new_id=lambda: self.new_id(prefix),
        )
        if staged.slow_s and self._stop.wait(staged.slow_s):
            raise ConnectionAbortedError("the server was closed while this reply was waiting")
        return staged, shaped

    # -- writing -------------------------------------------------------------------------------------------

    def _record(
        self,
        exchange: Exchange,
        route: Route,
        status: int,
        model: str,
        staged: str | None,
        streamed: bool = False,
    ) -> None:
        """Logs a call, before its last byte is out: whoever has the answer finds it in the log."""
        ms = (time.perf_counter() - exchange.started) * 1000
        entry = LogEntry(route.provider.name, exchange.head.path, status, ms, model, staged, streamed)
        with self._lock:
            self.log.append(entry)
            self._calls[entry.provider] += 1

    def _fail(self, exchange: Exchange, route: Route, call: AnyCall, staged: Staged) -> None:
        """A provider's no, or a connection that ends without a word."""
        if staged.problem is not None:
            self._refuse(exchange, route, staged.problem, staged.kind)
            return
        self._record(exchange, route, 0, call.request.model, staged.kind, call.stream)
        exchange.keep_alive = False

    def _whole(
        self, exchange: Exchange, route: Route, call: AnyCall, staged: Staged, answer: Mapping[str, Any]
    ) -> None:
        body = b"<html><body>Bad gateway</body></html>" if staged.broken_body else json_bytes(answer)
        headers = {"content-type": "application/json", **exchange.headers(route.dialect, staged.kind)}
        self._record(exchange, route, 200, call.request.model, staged.kind)
        if staged.dropped:
            exchange.keep_alive = False
            whole = response_bytes(HttpResponse(200, body, headers), keep_alive=False)
            exchange.connection.sendall(whole[: len(whole) - len(body) // 2 - 1])
            return
        exchange.send(HttpResponse(200, body, headers))

    def _stream(
        self, exchange: Exchange, route: Route, call: AnyCall, staged: Staged, events: list[bytes]
    ) -> None:
        headers = {
            "content-type": "text/event-stream; charset=utf-8",
            "cache-control": "no-cache",
            "transfer-encoding": "chunked",
            "connection": "keep-alive" if exchange.keep_alive else "close",
            **exchange.headers(route.dialect, staged.kind),
        }
        if staged.dropped or staged.broken_body or staged.problem is not None:
            events = events[: max(len(events) // 2, 1)]
        if staged.broken_body:
            name = "content_block_delta" if route.dialect == "anthropic" else None
            events.append(server_sent('{"type": "content_block_delta", "index', name))
        if staged.problem is not None:
            name, data = error_event(route.dialect, staged.problem, exchange.request_id)
            events.append(server_sent(data, name))
        send = exchange.connection.sendall
        send(head_bytes(200, headers))
        for event in self._paced(events[:-1]):
            send(chunk(event))
        self._record(exchange, route, 200, call.request.model, staged.kind, True)
        send(chunk(events[-1]))
        if staged.dropped:
            exchange.keep_alive = False
            return
        send(LAST_CHUNK)

    def _paced(self, events: Iterable[bytes]) -> Iterator[bytes]:
        for event in events:
            yield event
            if self.pace_s > 0:
                self._stop.wait(min(self.pace_s, MAX_PACE_S))


def _ends_early(staged: Staged, stream: bool) -> bool:
    """Whether a call is refused or dropped before any of its answer is out."""
    if staged.problem is not None:
        return not (stream and staged.where == "mid_stream")
    return staged.dropped and staged.where == "before_headers"
