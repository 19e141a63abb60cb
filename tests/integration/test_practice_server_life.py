"""The server's life: loopback only, a start that is not felt, an end with the process, however it ends."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from course_lib.models.practice import server as server_module
from course_lib.models.practice.answering import LOG_ENTRIES
from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.server import (
    MAX_CONNECTIONS,
    PracticeServer,
    PracticeServerError,
    practice_server,
)
from course_lib.models.practice.threads import MAX_THREADS
from tests.conftest import wait_until
from tests.practice_help import raw_call, stand_in

CHAT = "/openai/v1/chat/completions"
BODY = {"model": "practice-1", "messages": [{"role": "user", "content": "hi"}]}


@pytest.fixture
def server() -> Iterator[PracticeServer]:
    with PracticeServer(stand_in) as running:
        yield running
        assert list(running.failures) == []


def is_open(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2):
        return True
    return False


def run_python(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def test_it_listens_on_loopback_alone(server: PracticeServer) -> None:
    assert server._listener.getsockname()[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.port}"
    assert "simulator" in repr(server)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("127.0.0.1", 403),
        ("127.0.0.1:1", 403),
        ("evil.example:{port}", 403),
        ("", 403),
    ],
)
def test_it_answers_under_its_own_name_alone(server: PracticeServer, host: str, status: int) -> None:
    got = raw_call(server, CHAT, BODY, headers={"host": host.format(port=server.port)})
    assert got.status == status


def test_a_body_too_large_gets_the_providers_413_and_is_not_read() -> None:
    with PracticeServer(stand_in, max_body=50_000) as server:
        for path, kind in (("/anthropic/v1/messages", "request_too_large"), (CHAT, "invalid_request_error")):
            got = raw_call(server, path, b"x" * 3_000_000)
            assert got.status == 413
            assert got.json["error"]["type"] == kind
        assert raw_call(server, "/nowhere", b"x" * 60_000).status == 413
        assert raw_call(server, CHAT, BODY).status == 200
        import anthropic

        with anthropic.Anthropic(base_url=server.anthropic_url, api_key="k", max_retries=0) as client:
            messages = [{"role": "user", "content": "x" * 3_000_000}]
            with pytest.raises(anthropic.APIStatusError) as caught:
                client.messages.create(model="practice-1", max_tokens=9, messages=messages)
            assert caught.value.status_code == 413


def test_a_client_that_asks_first_is_told_to_go_on(server: PracticeServer) -> None:
    data = json.dumps(BODY).encode()
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {len(data)}\r\n"
        connection.sendall(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.sendall(data)
        assert connection.recv(100).startswith(b"HTTP/1.1 200 ")


def test_a_connection_is_used_again_and_answers_come_at_once(server: PracticeServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.connect()
    local = connection.sock.getsockname()
    for stream in (False, True, False):
        for path in (CHAT, "/anthropic/v1/messages"):
            body = json.dumps({**BODY, "max_tokens": 9, "stream": stream})
            connection.request("POST", path, body)
            connection.getresponse().read()
            assert connection.sock is not None
            assert connection.sock.getsockname() == local
    connection.request("POST", CHAT, json.dumps(BODY), {"connection": "close"})
    response = connection.getresponse()
    assert response.getheader("connection") == "close"
    response.read()
    assert connection.sock is None


def test_requests_in_one_packet_are_all_answered(server: PracticeServer) -> None:
    data = json.dumps(BODY).encode()
    head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Length: {len(data)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall((head.encode() + data) * 3)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile("rb").read()
    assert answer.count(b"HTTP/1.1 200 OK") == 3


def test_an_idle_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "IDLE_S", 0.2)
    with (
        PracticeServer(stand_in) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection,
    ):
        assert connection.recv(1) == b""
        wait_until(lambda: not server._connections, "the server has let go of the connection")


def test_one_connection_too_many_is_closed(server: PracticeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_CONNECTIONS >= 100
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 3)
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
        wait_until(lambda: len(server._connections) == 3, "three connections are in")
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as surplus:
            assert surplus.recv(1) == b""
    wait_until(lambda: not server._connections, "the server has let go of all of them")
    assert raw_call(server, CHAT, BODY).status == 200


def test_closing_hangs_up_and_ends_its_threads() -> None:
    before = threading.active_count()
    inside = threading.Event()

    def slow(request: Request) -> Reply:
        inside.set()
        return stand_in(request)

    server = PracticeServer(slow)
    server.misbehave("slow_first_byte", seconds=30)
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(raw_call, server, CHAT, BODY)
        assert inside.wait(10)
        started = time.monotonic()
        server.close()
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            pending.result(timeout=10)
        assert time.monotonic() - started < 5  # not the half minute of the slow byte
    assert server.closed
    assert "closed" in repr(server)
    server.close()
    assert not is_open(server.port)
    wait_until(lambda: threading.active_count() <= before, "its threads have ended")


def test_many_servers_at_once_and_no_socket_left() -> None:
    def sockets() -> int:
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0  # noqa: PTH112, PTH208

    before = sockets()
    for _ in range(20):
        with PracticeServer(stand_in) as server:
            assert raw_call(server, CHAT, BODY).status == 200
    wait_until(lambda: sockets() <= before, "every socket is closed")


def test_the_process_has_one_and_gets_another_after_it_was_closed() -> None:
    with ThreadPoolExecutor(8) as pool:
        servers = set(pool.map(lambda _: practice_server(), range(16)))
    assert len(servers) == 1
    (first,) = servers
    assert raw_call(first, CHAT, BODY).status == 200  # with the real behaviour, whatever it says
    first.close()
    second = practice_server()
    assert second is not first
    assert raw_call(second, CHAT, BODY).status == 200
    second.close()


def test_it_cannot_start_where_nothing_may_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(PracticeServerError, match="loopback"):
        PracticeServer(stand_in)


def test_starting_is_not_felt() -> None:
    code = """
import time
from course_lib.models.practice.server import PracticeServer
from course_lib.models.practice.conversation import Reply
times = []
for _ in range(20):
    started = time.perf_counter()
    server = PracticeServer(lambda request: Reply("hi"))
    times.append(time.perf_counter() - started)
    server.close()
print(sorted(times)[10] * 1000)
"""
    assert float(run_python(code).stdout) < 50


def test_no_sdk_is_imported_for_it() -> None:
    code = """
import sys
import course_lib.models.practice.server
heavy = {"anthropic", "openai", "groq", "pydantic", "httpx", "asyncio", "IPython", "http.server"}
print(sorted(heavy & set(sys.modules)))
"""
    assert run_python(code).stdout.strip() == "[]"


SERVE = """
import sys, threading
from course_lib.models.practice.server import PracticeServer
from course_lib.models.practice.conversation import Reply
server = PracticeServer(lambda request: Reply("hi"))
print(server.port, flush=True)
"""


@pytest.mark.parametrize("how", ["exit", "kill", "terminate", "interrupt"])
def test_it_ends_with_the_process(how: str) -> None:
    # In short waits: a signal that comes just before a long one would not end it.
    wait = "import select\nwhile not select.select([sys.stdin], [], [], 0.1)[0]: pass"
    child = subprocess.Popen(
        [sys.executable, "-c", SERVE + wait],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    port = int(child.stdout.readline())
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        if how == "exit":
            child.stdin.close()
        elif how == "kill":
            child.kill()
        elif how == "terminate":
            child.terminate()
        else:
            child.send_signal(signal.SIGINT)
        # A connection that was not accepted yet is reset, the others end politely.
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1) == b""
    child.wait(timeout=20)
    child.stdin.close()
    child.stdout.close()
    wait_until(lambda: not is_open(port), "nothing listens any more")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_holds_nothing_and_has_a_server_of_its_own() -> None:
    code = """
import http.client, json, os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
from course_lib.models.practice.server import practice_server
BODY = json.dumps({"model": "practice-1", "messages": [{"role": "user", "content": "hi"}]})
def call(connection):
    connection.request("POST", "/v1/chat/completions", BODY)
    response = connection.getresponse()
    response.read()
    return response.status
parent = practice_server()
kept = http.client.HTTPConnection("127.0.0.1", parent.port, timeout=20)
print(call(kept))
read, write = os.pipe()
pid = os.fork()
if pid == 0:
    own = practice_server()
    fresh = http.client.HTTPConnection("127.0.0.1", own.port, timeout=20)
    print(own is not parent, parent.closed, call(fresh), flush=True)
    os.close(write)
    os.read(read, 1)      # stays until the parent has closed its own server
    os._exit(0)
os.close(read)
print(call(kept))
parent.close()
connection = http.client.HTTPConnection("127.0.0.1", parent.port, timeout=5)
try:
    connection.request("GET", "/")
    print("still open")
except ConnectionRefusedError:
    print("closed")
os.close(write)
os.waitpid(pid, 0)
"""
    lines = sorted(run_python(code).stdout.split("\n"))
    assert lines == sorted(["200", "200", "True True 200", "closed", ""])


def test_a_fork_while_calls_are_running_does_not_hang() -> None:
    code = """
import http.client, json, os, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from course_lib.models.practice.server import practice_server
BODY = json.dumps({"model": "practice-1", "messages": [{"role": "user", "content": "hi"}]})
def call(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", "/v1/chat/completions", BODY)
    status = connection.getresponse().status
    connection.close()
    return status
server, stop = practice_server(), threading.Event()
# CPython: a fork in the middle of an import leaves the child a lock that nobody opens. So import first.
call(server.port)
def busy():
    while not stop.is_set():
        call(server.port)
threads = [threading.Thread(target=busy) for _ in range(4)]
for thread in threads: thread.start()
for _ in range(15):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if call(practice_server().port) == 200 else 1)
    assert os.waitpid(pid, 0)[1] == 0
stop.set()
for thread in threads: thread.join()
print("fine", list(server.failures))
"""
    if not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    assert run_python(code).stdout.strip() == "fine []"


def test_it_runs_beside_an_event_loop_of_the_callers() -> None:
    import asyncio

    import openai

    async def run() -> list[str]:
        with PracticeServer(stand_in) as server:
            async with openai.AsyncOpenAI(base_url=server.openai_url, api_key="k") as client:
                made = await asyncio.gather(
                    *(client.chat.completions.create(**BODY, user=str(n)) for n in range(10))  # type: ignore[call-overload]
                )
                return [one.choices[0].message.content or "" for one in made]

    assert all(text.startswith("You said: hi") for text in asyncio.run(run()))


def test_nothing_is_written_to_stderr() -> None:
    code = """
import http.client, json, socket, struct
from course_lib.models.practice.server import PracticeServer
from course_lib.models.practice.conversation import Reply
def respond(request):
    if request.turns[-1].text == "boom":
        raise RuntimeError("a bug")
    return Reply("hi " * 100_000)
server = PracticeServer(respond)
for text in ("boom", "hi"):
    messages = [{"role": "user", "content": text}]
    body = json.dumps({"model": "practice-1", "messages": messages, "stream": True})
    head = f"POST /v1/chat/completions HTTP/1.1\\r\\nHost: localhost:{server.port}\\r\\n"
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(f"{head}Content-Length: {len(body)}\\r\\n\\r\\n{body}".encode())
        connection.recv(20)
        # a reset in the middle of the answer
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
print(len(server.failures))
"""
    done = run_python(code)
    assert done.stdout.strip() == "1"
    assert done.stderr == ""


def test_nothing_piles_up(server: PracticeServer) -> None:
    """With log and threads full, a thousand calls more leave as many objects alive as there were."""
    import gc

    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)

    def call(count: int) -> int:
        previous = None
        for n in range(count):
            body = {**BODY, "max_tokens": 50, "stream": n % 3 == 1, "thread": {"type": "create"}}
            if n % 3 == 2 and previous is not None:
                body["thread"] = {"type": "continue", "previous_message_id": previous}
            connection.request("POST", "/anthropic/v1/messages", json.dumps(body))
            answer = connection.getresponse().read()
            previous = json.loads(answer)["id"] if n % 3 == 0 else None
        gc.collect()
        return len(gc.get_objects())

    full = call(LOG_ENTRIES + 200)
    assert len(server.log) == LOG_ENTRIES
    assert len(server.threads) == MAX_THREADS
    again = call(LOG_ENTRIES + 200)
    assert abs(again - full) < 200
    connection.close()
