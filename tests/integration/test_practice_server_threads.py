"""Conversations that the server holds: bounded, continued once, lost without harm."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from course_lib.models.practice.conversation import Reply, Request, Turn
from course_lib.models.practice.server import PracticeServer
from course_lib.models.practice.threads import Thread, ThreadStore, ThreadUnavailableError
from tests.practice_help import WEATHER_SCHEMA, raw_call, stand_in

PATH = "/anthropic/v1/messages"
TOOL = {"name": "weather", "input_schema": WEATHER_SCHEMA}


@pytest.fixture
def server() -> Iterator[PracticeServer]:
    with PracticeServer(stand_in) as running:
        yield running
        assert list(running.failures) == []


def send(server: PracticeServer, text: str, thread: Any, **more: Any) -> Any:
    body = {"model": "practice-1", "max_tokens": 100, "messages": [{"role": "user", "content": text}]}
    return raw_call(server, PATH, body | {"thread": thread} | more)


def go_on(server: PracticeServer, text: str, previous: str, **more: Any) -> Any:
    return send(server, text, {"type": "continue", "previous_message_id": previous}, **more)


def test_the_whole_conversation_and_the_system_prompt_are_held(server: PracticeServer) -> None:
    first = send(server, "one", {"type": "create"}, system="be kind").json
    second = go_on(server, "two", first["id"]).json
    third = go_on(server, "three", second["id"]).json
    assert third["content"][0]["text"] == "You said: three (after 4 turns, told: be kind)"
    assert third["usage"]["input_tokens"] > second["usage"]["input_tokens"] > first["usage"]["input_tokens"]
    assert len(server.threads) == 1


def test_without_a_thread_nothing_is_held(server: PracticeServer) -> None:
    send(server, "one", None)
    assert len(server.threads) == 0


@pytest.mark.parametrize("previous", ["msg_nobody", ""])
def test_an_unknown_thread(server: PracticeServer, previous: str) -> None:
    got = go_on(server, "two", previous)
    assert got.status == 404
    assert got.json["error"]["type"] == "not_found_error"
    assert got.json["error"]["details"] == {"error_code": "thread_not_found"}


def test_a_thread_is_continued_once(server: PracticeServer) -> None:
    first = send(server, "one", {"type": "create"}).json["id"]
    assert go_on(server, "two", first).status == 200
    again = go_on(server, "two", first)
    assert again.status == 400
    assert again.json["error"]["details"] == {"error_code": "thread_already_continued"}


@pytest.mark.parametrize("kind", ["rate_minute", "error_500", "dropped"])
def test_a_refused_call_leaves_the_thread_where_it_was(server: PracticeServer, kind: str) -> None:
    first = send(server, "one", {"type": "create"}).json["id"]
    server.misbehave(kind)
    if kind == "dropped":
        with pytest.raises(ConnectionError):
            go_on(server, "two", first)
    else:
        assert go_on(server, "two", first).status in (429, 500)
    assert go_on(server, "two", first).json["content"][0]["text"].startswith("You said: two (after 2 turns")


def test_a_malformed_call_leaves_the_thread_where_it_was(server: PracticeServer) -> None:
    first = send(server, "one", {"type": "create"}).json["id"]
    assert go_on(server, "two", first, messages=[]).status == 400
    assert go_on(server, "two", first, tools=[TOOL]).status == 400
    assert go_on(server, "two", first).status == 200


def test_a_behaviour_that_fails_leaves_the_thread_where_it_was() -> None:
    def moody(request: Request) -> Reply:
        if request.turns[-1].text == "boom":
            raise RuntimeError("a bug")
        return stand_in(request)

    with PracticeServer(moody) as server:
        first = send(server, "one", {"type": "create"}).json["id"]
        got = go_on(server, "boom", first)
        assert got.status == 500
        assert got.json["error"] == {"type": "api_error", "message": "Internal server error"}
        assert "a bug" in server.failures[0]
        assert go_on(server, "two", first).status == 200


def test_a_thread_in_flight_is_not_continued_twice() -> None:
    inside, go = threading.Event(), threading.Event()

    def slow(request: Request) -> Reply:
        if request.turns[-1].text == "slow":
            inside.set()
            assert go.wait(10)
        return stand_in(request)

    with PracticeServer(slow) as server, ThreadPoolExecutor(1) as pool:
        first = send(server, "one", {"type": "create"}).json["id"]
        pending = pool.submit(go_on, server, "slow", first)
        assert inside.wait(10)
        meanwhile = go_on(server, "two", first)
        go.set()
        assert pending.result(timeout=10).status == 200
    assert meanwhile.status == 400
    assert meanwhile.json["error"]["details"] == {"error_code": "thread_continue_in_flight"}


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_the_tool_runner_goes_on_when_its_thread_is_lost(server: PracticeServer, lost: int) -> None:
    import anthropic

    calls = 0

    def forgetful(request: Request) -> Reply:
        nonlocal calls
        calls += 1
        if calls == lost:
            server.threads.clear()  # as if it had been pushed out by others
        return stand_in(request)

    with (
        PracticeServer(forgetful) as server,
        anthropic.Anthropic(base_url=server.anthropic_url, api_key="k", max_retries=0) as client,
    ):

        @anthropic.beta_tool
        def weather(city: str) -> str:
            """The weather.

            Args:
                city: where.
            """
            return f"sunny in {city}"

        runner = client.beta.messages.tool_runner(
            model="practice-1",
            max_tokens=100,
            messages=[{"role": "user", "content": "weather?"}],
            tools=[weather],
        )
        assert runner.until_done().content[0].text == "The tools said: sunny in Pune."


def test_the_asynchronous_and_the_streaming_tool_runner(server: PracticeServer) -> None:
    import asyncio

    import anthropic

    async def run() -> str:
        @anthropic.beta_async_tool
        async def weather(city: str) -> str:
            """The weather.

            Args:
                city: where.
            """
            return f"sunny in {city}"

        async with anthropic.AsyncAnthropic(base_url=server.anthropic_url, api_key="k") as client:
            runner = client.beta.messages.tool_runner(
                model="practice-1",
                max_tokens=100,
                messages=[{"role": "user", "content": "weather in both?"}],
                tools=[weather],
                stream=True,
            )
            last = None
            async for stream in runner:
                last = await stream.get_final_message()
            assert last is not None
            return last.content[0].text

    assert asyncio.run(run()) == "The tools said: sunny in Pune and sunny in Delhi."
    assert server.last_body is not None
    assert server.last_body["thread"]["type"] == "continue"
    assert len(server.last_body["messages"]) == 1


# -- the store ---------------------------------------------------------------------------------------------


def thread_of(size: int) -> Thread:
    return Thread("", (), (Turn("user", "x" * size),))


def test_the_store_is_bounded_by_count() -> None:
    store = ThreadStore(max_threads=10)
    for n in range(1000):
        store.keep(f"m{n}", thread_of(10))
    assert len(store) == 10
    with pytest.raises(ThreadUnavailableError, match="thread_not_found"):
        store.take("m989")
    assert store.take("m990")


def test_the_store_is_bounded_by_bytes() -> None:
    store = ThreadStore(max_threads=1000, max_bytes=100_000)
    for n in range(500):
        store.keep(f"m{n}", thread_of(5_000))
    assert store.bytes_held <= 100_000
    assert 10 < len(store) < 20
    store.keep("huge", thread_of(200_000))
    assert len(store) == 0
    assert store.bytes_held == 0


def test_the_store_does_not_grow_with_continued_threads() -> None:
    store = ThreadStore(max_threads=10)
    store.keep("m0", thread_of(10))
    for n in range(1000):
        store.take(f"m{n}")
        store.finish(f"m{n}")
        store.keep(f"m{n + 1}", thread_of(10))
    assert len(store) == 1
    assert store.bytes_held == thread_of(10).size
    assert len(store._continued) <= 40


def test_the_store_under_threads() -> None:
    store = ThreadStore(max_threads=50)

    def work(worker: int) -> None:
        for n in range(200):
            store.keep(f"{worker}-{n}", thread_of(100))
            try:
                store.take(f"{worker}-{n}")
            except ThreadUnavailableError:
                continue
            (store.put_back if n % 2 else store.finish)(f"{worker}-{n}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(store) <= 50
    assert store.bytes_held == len(store) * thread_of(100).size
