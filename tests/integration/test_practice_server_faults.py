"""Faults on cue over HTTP: each provider's own words, the log, and a mix that no order of calls changes."""

from __future__ import annotations

import http.client
import json
import math
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from course_lib.errors import SettingError
from course_lib.models.practice.answering import LOG_ENTRIES
from course_lib.models.practice.faults import KINDS
from course_lib.models.practice.mix import EVERYDAY, Mix
from course_lib.models.practice.refusals import PROVIDERS, RATE_DAY_S, wait_text
from course_lib.models.practice.server import PracticeServer
from course_lib.models.practice.staging import UnknownFaultError
from tests.practice_help import QUERY, Raw, events_of, raw_call, stand_in

NAMES = [name for name in PROVIDERS if name != "practice"]


@pytest.fixture
def server() -> Iterator[PracticeServer]:
    with PracticeServer(stand_in) as running:
        yield running
        assert list(running.failures) == []


def ask(server: PracticeServer, name: str = "openai", text: str = "a query", **more: Any) -> Raw:
    headers = more.pop("headers", None)
    provider = PROVIDERS[name]
    path = f"{provider.prefix}/{'messages' if provider.dialect == 'anthropic' else 'chat/completions'}"
    body = {"model": "practice-1", "max_tokens": 500, "messages": [{"role": "user", "content": text}]} | more
    return raw_call(server, path, body, headers=headers)


def text_of(raw: Raw) -> str:
    body = raw.json
    if "choices" in body:
        return body["choices"][0]["message"]["content"]
    return "".join(block["text"] for block in body["content"])


# -- limits, in each provider's words ----------------------------------------------------------------------


def said(raw: Raw) -> str:
    """Everything that a refusal says, as one text."""
    return f"{json.dumps(dict(raw.headers))} {raw.body.decode()}"


@pytest.mark.parametrize("name", NAMES)
def test_a_limit_by_the_minute_and_one_by_the_day_can_be_told_apart(
    server: PracticeServer, name: str
) -> None:
    server.misbehave("rate_minute")
    server.misbehave("rate_day")
    minute, day = ask(server, name), ask(server, name)
    assert minute.status == day.status == 429
    assert minute.headers["x-practice-staged"] == "rate_minute"
    assert day.headers["x-practice-staged"] == "rate_day"
    if name == "mistral":  # whose bodies are the same: only the wait tells
        assert minute.body == day.body
        assert int(minute.headers["retry-after"]) < 60 < int(day.headers["retry-after"])
        return
    by_day = re.compile(r"per day|PerDay|daily|per-day")
    assert by_day.search(said(day))
    assert not by_day.search(said(minute))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("kind", "seconds"), [("rate_minute", 12.5), ("rate_day", 3723.25)])
def test_the_wait_is_said_somewhere(server: PracticeServer, name: str, kind: str, seconds: float) -> None:
    server.misbehave(kind, seconds=seconds)
    got = ask(server, name)
    if name == "gemini":
        assert "retry-after" not in got.headers
        assert f"Please retry in {seconds}s." in got.json[0]["error"]["message"]
        details = got.json[0]["error"]["details"]
        assert details[1]["retryDelay"] == f"{int(seconds)}s"
        return
    if name == "openrouter":
        reset = got.json["error"]["metadata"]["headers"]["X-RateLimit-Reset"]
        assert reset.isdigit()
        assert len(reset) == 13  # milliseconds of Unix time
        return
    assert got.headers["retry-after"] == str(math.ceil(seconds))
    if name in ("openai", "groq", "groq-small", "local"):
        assert f"Please try again in {wait_text(seconds)}." in got.json["error"]["message"]


def test_waits_are_written_as_groq_writes_them() -> None:
    assert wait_text(RATE_DAY_S) == "9m38.016s"
    assert wait_text(7.645) == "7.645s"
    assert wait_text(60) == "1m0s"
    assert wait_text(3723.25) == "1h2m3.25s"
    assert wait_text(59.9996) == "1m0s"


def test_groqs_413_is_about_tokens_a_minute(server: PracticeServer) -> None:
    server.misbehave("too_large")
    got = ask(server, "groq", text="x" * 40_000)
    assert got.status == 413
    error = got.json["error"]
    assert error["code"] == "rate_limit_exceeded"
    assert "Requested 10004" in error["message"]  # 40,000 bytes at 4 a token, and 4 for the turn


def test_a_decommissioned_model_is_a_400_at_groq(server: PracticeServer) -> None:
    server.misbehave("decommissioned", times=2)
    got = ask(server, "groq")
    assert got.status == 400
    assert got.json["error"]["code"] == "model_decommissioned"
    assert ask(server, "anthropic").status == 404


# -- orders over HTTP --------------------------------------------------------------------------------------


def test_an_order_for_one_provider_leaves_the_others_alone(server: PracticeServer) -> None:
    order = server.misbehave("error_500", provider="groq", times=None)
    assert ask(server, "groq").status == 500
    assert ask(server, "gemini").status == 200
    assert ask(server, "groq").status == 500
    order.cancel()
    assert ask(server, "groq").status == 200
    assert order.hits == 2


def test_times_are_exact_under_threads(server: PracticeServer) -> None:
    server.misbehave("error_500", times=7)
    with ThreadPoolExecutor(8) as pool:
        statuses = Counter(pool.map(lambda n: ask(server, text=f"query {n}").status, range(40)))
    assert statuses == {500: 7, 200: 33}


def test_a_variant_and_a_seed(server: PracticeServer) -> None:
    server.misbehave("neo4j_syntax", variant="where_in_node")
    assert "(c:Subject WHERE c.name = 'DBMS')" in text_of(ask(server))
    seen = set()
    for seed in range(12):
        server.misbehave("neo4j_syntax", seed=seed)
        seen.add(text_of(ask(server)))
    assert len(seen) > 2
    assert QUERY not in seen


def test_the_header_orders_for_one_call_and_refuses_what_it_does_not_know(server: PracticeServer) -> None:
    got = ask(server, headers={"x-practice-misbehave": "fences"})
    assert got.headers["x-practice-staged"] == "fences"
    assert "```" in text_of(got)
    assert text_of(ask(server)) == QUERY
    wrong = ask(server, headers={"x-practice-misbehave": "grumpy"})
    assert wrong.status == 400
    assert "grumpy" in wrong.json["error"]["message"]


def test_what_cannot_be_ordered_is_said_at_once(server: PracticeServer) -> None:
    with pytest.raises(UnknownFaultError, match="think_decoy"):
        server.misbehave("grumpy")
    with pytest.raises(SettingError):
        server.mix({"grumpy": 1.0})
    with pytest.raises(UnknownFaultError, match="anthropic"):
        server.base_url("nobody")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_every_kind_is_announced_on_a_whole_answer_and_on_a_stream(
    server: PracticeServer, name: str, kind: str
) -> None:
    text = "prose" if kind == "made_up_fact" else "a query"
    form = {}
    if kind == "invalid_json":
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        form = (
            {"output_config": {"format": {"type": "json_schema", "schema": schema}}}
            if name == "anthropic"
            else {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}
        )
    for stream in (False, True):
        server.misbehave(kind, seconds=0.01)
        try:
            got = ask(server, name, text=f"{text} please", stream=stream, **form)
        except (ConnectionError, http.client.HTTPException):
            assert kind == "dropped"
        else:
            assert got.headers["x-practice-staged"] == kind
        assert server.log[-1].staged == kind
        assert server.log[-1].streamed is (stream and server.log[-1].status in (0, 200))


def test_a_dropped_stream_ends_without_its_last_chunk(server: PracticeServer) -> None:
    server.misbehave("dropped", where="mid_stream")
    with pytest.raises(http.client.IncompleteRead):
        ask(server, stream=True)


def test_an_error_event_in_the_middle_of_a_stream(server: PracticeServer) -> None:
    server.misbehave("overloaded", where="mid_stream", times=2)
    events = events_of(ask(server, "anthropic", stream=True).body)
    name, data = events[-1]
    assert name == "error"
    assert json.loads(data)["error"]["type"] == "overloaded_error"
    assert events[0][0] == "message_start"
    _, last = events_of(ask(server, "openai", stream=True).body)[-1]
    assert "overloaded" in json.loads(last)["error"]["message"]


def test_a_pace_slows_a_stream_down(server: PracticeServer) -> None:
    server.pace_s = 0.05
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    body = {"model": "practice-1", "messages": [{"role": "user", "content": "a query"}], "stream": True}
    connection.request("POST", "/openai/v1/chat/completions", json.dumps(body))
    response = connection.getresponse()
    first = response.readline()
    assert first.startswith(b"data: ")
    # The rest is not there yet: the answer was not written in one piece.
    assert not response.fp.peek().endswith(b"data: [DONE]\n\n")  # type: ignore[union-attr]
    assert response.read().endswith(b"data: [DONE]\n\n")
    connection.close()


# -- the log -----------------------------------------------------------------------------------------------


def test_the_log_counts_and_keeps_no_key_and_no_text(server: PracticeServer) -> None:
    secret = "sk-made-up-0123456789"
    for headers in ({"authorization": f"Bearer {secret}"}, {"x-api-key": secret}):
        ask(server, "groq", text="tell nobody", headers=headers)
    ask(server, "gemini", model="gpt-9")
    raw_call(server, "/groq/openai/v1/models", method="GET")
    assert server.calls == {"groq": 2, "gemini": 1}
    assert [(entry.provider, entry.status) for entry in server.log] == [
        ("groq", 200),
        ("groq", 200),
        ("gemini", 404),
    ]
    assert all(entry.ms >= 0 and entry.path.endswith("/chat/completions") for entry in server.log)
    everything = f"{list(server.log)} {server.last_body} {vars(server)} {vars(server._desk)}"
    assert secret not in everything
    assert "tell nobody" not in repr(list(server.log))


def test_the_log_is_bounded(server: PracticeServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for _ in range(LOG_ENTRIES + 50):
        connection.request("POST", "/local/v1/chat/completions", b"{}")
        connection.getresponse().read()
    connection.close()
    assert len(server.log) == LOG_ENTRIES
    assert server.calls == {"local": LOG_ENTRIES + 50}


# -- mixes -------------------------------------------------------------------------------------------------

QUIET = {kind: rate for kind, rate in EVERYDAY.items() if kind not in ("dropped", "slow_first_byte")}


def outcome(server: PracticeServer, name: str, n: int) -> tuple[int, str | None, str]:
    got = ask(server, name, text=f"Question: a query about subject {n}?")
    staged = got.headers.get("x-practice-staged")
    return got.status, staged, text_of(got) if got.status == 200 else ""


def test_a_mix_is_the_same_on_another_server_in_another_order_and_at_once() -> None:
    def run(order: list[int], workers: int) -> dict[int, Any]:
        with PracticeServer(stand_in, mix=Mix(QUIET, seed=42)) as server, ThreadPoolExecutor(workers) as pool:
            made = dict(zip(order, pool.map(lambda n: outcome(server, "groq", n), order), strict=True))
            assert list(server.failures) == []
            return made

    numbers = list(range(120))
    forwards = run(numbers, 1)
    assert run(numbers[::-1], 1) == forwards
    assert run(numbers, 8) == forwards
    assert len({staged for _, staged, _ in forwards.values()}) > 4


def test_a_mix_draws_again_at_the_next_attempt(server: PracticeServer) -> None:
    server.mix({"error_500": 0.5}, seed=1)
    stuck = 0
    for n in range(60):
        text = f"Question: a query about subject {n}?"
        tries = [
            ask(server, "groq", text=text, headers={"x-stainless-retry-count": str(i)}).status
            for i in range(6)
        ]
        stuck += 200 not in tries
    # Six misses in a row happen once in 64 questions on average; five times as often would be a bug.
    assert stuck <= 5


def test_a_mix_can_be_turned_off(server: PracticeServer) -> None:
    server.mix({"error_500": 1.0})
    assert ask(server).status == 500
    server.mix({})
    assert ask(server).status == 200
    server.mix({"error_500": 1.0})
    server.behave()
    assert ask(server).status == 200


def test_the_setting_turns_a_mix_on_for_another_process() -> None:
    code = """
import http.client, json
from course_lib.models.practice.server import practice_server
server = practice_server()
connection = http.client.HTTPConnection("127.0.0.1", server.port)
body = {"model": "practice-1", "messages": [{"role": "user", "content": "hi"}]}
connection.request("POST", "/openai/v1/chat/completions", json.dumps(body))
print(connection.getresponse().status)
"""
    env = {**os.environ, "COURSE_PRACTICE_FAULTS": "overloaded, seed=3"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("503", "")
    env["COURSE_PRACTICE_FAULTS"] = "grumpy"
    failed = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert "no fault called grumpy" in failed.stderr


def test_a_soak_with_faults_at_random_answers_or_refuses_every_call(server: PracticeServer) -> None:
    """Every kind of fault, from eight threads, on connections that are used again."""
    kinds = [kind for kind in KINDS if kind != "slow_first_byte"]
    server.mix(dict.fromkeys(kinds, 0.9 / len(kinds)), seed=9)
    hung_up = threading.Lock()
    seen: Counter[str] = Counter()

    def work(worker: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        for n in range(75):
            name = NAMES[(worker + n) % len(NAMES)]
            provider = PROVIDERS[name]
            tail = "messages" if provider.dialect == "anthropic" else "chat/completions"
            text = f"a query by {worker} about {n}" if n % 3 else f"prose by {worker} about {n}"
            body = {
                "model": "practice-1",
                "max_tokens": 400,
                "messages": [{"role": "user", "content": text}],
                "stream": n % 2 == 0,
            }
            try:
                connection.request("POST", f"{provider.prefix}/{tail}", json.dumps(body))
                response = connection.getresponse()
                response.read()
                outcome = str(response.status)
            except (ConnectionError, http.client.HTTPException):
                outcome = "dropped"
                connection.close()
            with hung_up:
                seen[outcome] += 1
        connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert sum(seen.values()) == sum(server.calls.values()) == 600
    assert {"200", "429", "500", "404", "413", "dropped"} <= set(seen)
