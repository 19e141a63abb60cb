"""A malformed request gets the provider's own error, in its own shape, and never a 500."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_lib.models.practice import anthropic_wire, openai_wire
from course_lib.models.practice.refusals import PROVIDERS
from course_lib.models.practice.server import PracticeServer
from tests.practice_help import WEATHER_SCHEMA, raw_call, stand_in

ANTHROPIC = "/anthropic/v1/messages"
OPENAI = "/openai/v1/chat/completions"
HI = [{"role": "user", "content": "hi"}]
ENDINGS = {"anthropic": "messages", "openai": "chat/completions"}
CHAT_PATHS = {p.name: f"{p.prefix}/{ENDINGS[p.dialect]}" for p in PROVIDERS.values()}


@pytest.fixture(scope="module")
def server() -> Iterator[PracticeServer]:
    with PracticeServer(stand_in) as running:
        yield running


@pytest.fixture(autouse=True)
def no_own_mistakes(server: PracticeServer) -> Iterator[None]:
    yield
    assert list(server.failures) == []


def message_of(name: str, body: Any) -> str:
    """The sentence of an error, after checking that the body has that provider's shape."""
    if name in ("anthropic", "practice"):
        assert body["type"] == "error"
        assert body["error"]["type"].endswith(("_error", "_large"))
        assert body["request_id"].startswith("req_")
        return body["error"]["message"]
    if name == "gemini":
        (only,) = body
        assert only["error"]["status"].isupper()
        return only["error"]["message"]
    if name == "mistral":
        if "detail" in body:
            detail = body["detail"]
            return detail if isinstance(detail, str) else detail[0]["msg"]
        assert body["object"] == "error"
        return body["message"]
    error = body["error"]
    if name == "openrouter":
        assert set(error) <= {"message", "code", "metadata"}
    elif name.startswith("groq"):
        assert {"message", "type"} <= set(error) <= {"message", "type", "code", "param"}
    else:
        assert set(error) == {"message", "type", "param", "code"}
    return error["message"]


@pytest.mark.parametrize("name", CHAT_PATHS)
@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"{not json", 400, "not valid JSON"),
        (b"", 400, "not valid JSON"),
        (b"[1, 2]", 400, "not a JSON object"),
        (b"[" * 100_000, 400, "not valid JSON"),
        (b'{"model": "\xff\xfe"}', 400, "not valid JSON"),
        ({}, 400, ""),
        ({"model": 7, "messages": HI, "max_tokens": 9}, 400, "model"),
        ({"model": "practice-1", "messages": "hi", "max_tokens": 9}, 400, "messages"),
        ({"model": "practice-1", "messages": [], "max_tokens": 9}, 400, "messages"),
        ({"model": "practice-1", "messages": ["hi"], "max_tokens": 9}, 400, "messages.0"),
        ({"model": "practice-1", "messages": [{"role": "user"}], "max_tokens": 9}, 400, "content"),
        (
            {"model": "practice-1", "messages": [{"role": "wizard", "content": "hi"}], "max_tokens": 9},
            400,
            "role",
        ),
        ({"model": "practice-1", "messages": HI, "max_tokens": 0}, 400, "max_tokens"),
        ({"model": "practice-1", "messages": HI, "max_tokens": "many"}, 400, "max_tokens"),
        ({"model": "practice-1", "messages": HI, "max_tokens": True}, 400, "max_tokens"),
        ({"model": "practice-1", "messages": HI, "max_tokens": 9, "stream": "yes"}, 400, "stream"),
        ({"model": "practice-1", "messages": HI, "max_tokens": 9, "temperature": 9}, 400, "temperature"),
        ({"model": "practice-1", "messages": HI, "max_tokens": 9, "tools": {}}, 400, "tools"),
        ({"model": "practice-1", "messages": HI, "max_tokens": 9, "tools": [{}]}, 400, "tools.0"),
    ],
)
def test_every_provider_has_its_own_words(
    server: PracticeServer, name: str, body: Any, status: int, says: str
) -> None:
    got = raw_call(server, CHAT_PATHS[name], body)
    assert got.status == (422 if name == "mistral" else status)
    assert says in message_of(name, got.json)
    assert got.headers["x-practice-model"] == "simulator"


@pytest.mark.parametrize("name", CHAT_PATHS)
def test_an_unknown_model(server: PracticeServer, name: str) -> None:
    got = raw_call(server, CHAT_PATHS[name], {"model": "gpt-9", "messages": HI, "max_tokens": 9})
    assert got.status == (400 if name in ("mistral", "openrouter") else 404)
    assert "gpt-9" in message_of(name, got.json)


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda provider: provider.name)
def test_unknown_paths_and_wrong_methods(server: PracticeServer, provider: Any) -> None:
    lost = raw_call(server, f"{provider.prefix}/embeddings", {"model": "practice-1"})
    assert lost.status == 404
    name = "openai" if provider.name == "practice" else provider.name
    message_of(name, lost.json)
    assert raw_call(server, CHAT_PATHS[provider.name], method="GET").status == 405
    assert raw_call(server, f"{provider.prefix}/models", method="DELETE").status == 405


def test_outside_of_every_provider(server: PracticeServer) -> None:
    assert raw_call(server, "/nowhere", {}).status == 404
    about = raw_call(server, "/", method="GET")
    assert about.status == 200
    assert about.json["what"] == "a simulator made for teaching, not a language model"
    assert raw_call(server, "/", method="HEAD").status == 200


# -- what is particular to Anthropic ------------------------------------------------------------------------


def messages(server: PracticeServer, **body: Any) -> tuple[int, str]:
    got = raw_call(server, ANTHROPIC, {"model": "practice-1", "max_tokens": 9, "messages": HI} | body)
    return got.status, "" if got.status == 200 else message_of("anthropic", got.json)


TOOL = {"name": "weather", "input_schema": WEATHER_SCHEMA}
USES = {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "weather", "input": {}}]}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "sunny"}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"max_tokens": None}, "max_tokens: Field required"),
        ({"max_token": 9}, "max_token: Extra inputs are not permitted"),
        ({"messages": [*HI, {"role": "assistant", "content": "The"}]}, "prefill"),
        ({"messages": [{"role": "user", "content": ""}]}, "non-empty"),
        ({"messages": [{"role": "user", "content": []}]}, "non-empty"),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]}, "non-empty"),
        ({"messages": [{"role": "user", "content": [{"type": "image", "source": {}}]}]}, "text"),
        ({"messages": [*HI, USES, *HI]}, "without `tool_result` blocks immediately after: t1"),
        ({"messages": [{"role": "user", "content": [RESULT]}]}, "unexpected `tool_use_id`"),
        ({"messages": [*HI, USES, USES, *HI]}, "without `tool_result`"),
        ({"system": 7}, "system"),
        ({"system": [{"type": "image"}]}, "text only"),
        ({"stop_sequences": [""]}, "stop_sequences"),
        ({"tools": [TOOL, TOOL]}, "unique"),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "custom tools only"),
        ({"tools": [{"name": "x"}]}, "input_schema: Field required"),
        ({"tool_choice": {"type": "any"}}, "while providing tools"),
        ({"tools": [TOOL], "tool_choice": {"type": "maybe"}}, "tool_choice.type"),
        ({"tools": [TOOL], "tool_choice": {"type": "tool", "name": "x"}}, "'x' not found"),
        ({"output_config": {"format": {"type": "xml"}}}, "json_schema"),
        ({"output_config": {"format": {"type": "json_schema"}}}, "schema: Field required"),
        ({"output_config": {"format": {"type": "json_schema", "schema": {}}}}, "empty"),
        ({"thread": {"type": "fork"}}, "thread.type"),
        ({"thread": {"type": "continue"}}, "previous_message_id"),
        (
            {"thread": {"type": "continue", "previous_message_id": "m"}, "system": "x"},
            "the thread keeps its own",
        ),
    ],
)
def test_anthropic_refuses(server: PracticeServer, body: dict[str, Any], says: str) -> None:
    status, message = messages(server, **body)
    assert status == 400
    assert says in message


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [*HI, USES, {"role": "user", "content": [RESULT]}], "tools": [TOOL]},
        {"messages": [*HI, USES, {"role": "user", "content": [{**RESULT, "is_error": True}]}]},
        {
            "messages": [
                *HI,
                USES,
                {"role": "user", "content": [{**RESULT, "content": [{"type": "text", "text": "a"}]}]},
            ]
        },
        {"messages": [*HI, *HI]},
        {"messages": [{"role": "system", "content": "be kind"}, *HI]},
        {"messages": [*HI, {"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}, *HI]},
        {"thinking": {"type": "adaptive"}, "metadata": {"user_id": "x"}, "temperature": 1, "top_k": 3},
        {"output_format": {"type": "json_schema", "schema": {"type": "object"}}},
    ],
)
def test_anthropic_takes(server: PracticeServer, body: dict[str, Any]) -> None:
    assert messages(server, **body) == (200, "")


def test_the_known_fields_are_those_of_the_installed_sdk() -> None:
    from anthropic.types import message_create_params
    from anthropic.types.beta import message_create_params as beta

    sent = set(message_create_params.MessageCreateParamsBase.__annotations__)
    sent |= set(beta.MessageCreateParamsBase.__annotations__) - {"betas"}  # betas go into a header
    assert sent <= anthropic_wire.KNOWN_FIELDS


def test_the_known_fields_of_chat_completions_are_those_of_the_installed_sdks() -> None:
    from groq.types.chat import completion_create_params as groq
    from openai.types.chat import completion_create_params as openai

    sent = set(openai.CompletionCreateParamsBase.__annotations__)
    sent |= set(groq.CompletionCreateParams.__annotations__)
    assert sent <= openai_wire.KNOWN_FIELDS


# -- what is particular to OpenAI ---------------------------------------------------------------------------


def complete(server: PracticeServer, path: str = OPENAI, **body: Any) -> tuple[int, Any]:
    got = raw_call(server, path, {"model": "practice-1", "messages": HI} | body)
    return got.status, got.json


FUNCTION = {"type": "function", "function": {"name": "weather", "parameters": WEATHER_SCHEMA}}
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}],
}
BROKEN_CALLS = {
    "role": "assistant",
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{"}}],
}
ANSWERED = {"role": "tool", "tool_call_id": "c1", "content": "sunny"}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"messages": None}, "Missing required parameter: 'messages'."),
        ({"max_token": 9}, "max_token: Extra inputs are not permitted"),
        ({"messages": [{"role": "system", "content": "x"}]}, "at least one user message"),
        ({"messages": [*HI, CALLS, *HI]}, "did not have response messages: c1"),
        ({"messages": [*HI, CALLS]}, "did not have response messages: c1"),
        ({"messages": [*HI, ANSWERED]}, "must be a response to a preceding message"),
        ({"messages": [*HI, {"role": "assistant"}]}, "content"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "text only"),
        ({"n": 2}, "one choice"),
        ({"stream_options": True}, "stream_options"),
        ({"tools": [{"type": "custom"}]}, "'function' only"),
        ({"tool_choice": "required"}, "only allowed when 'tools' are specified"),
        (
            {"tools": [FUNCTION], "tool_choice": {"type": "function", "function": {"name": "x"}}},
            "'x' not found",
        ),
        ({"tools": [FUNCTION], "tool_choice": "maybe"}, "tool_choice"),
        ({"response_format": {"type": "xml"}}, "response_format.type"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}}, "schema"),
        ({"response_format": {"type": "json_schema"}}, "json_schema"),
    ],
)
def test_openai_refuses(server: PracticeServer, body: dict[str, Any], says: str) -> None:
    status, answer = complete(server, **body)
    assert status == 400
    assert says in message_of("openai", answer) or says in str(answer["error"]["param"])
    assert answer["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [*HI, CALLS, ANSWERED], "tools": [FUNCTION]},
        {
            "messages": [
                {"role": "developer", "content": "be kind"},
                *HI,
                {"role": "assistant", "content": "x"},
            ]
        },
        {"messages": [*HI, BROKEN_CALLS, ANSWERED]},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]},
        {"max_completion_tokens": 9, "seed": 1, "user": "x", "stop": "zzz", "n": 1},
        {"response_format": {"type": "text"}, "tools": None, "stop": None, "stream_options": None},
    ],
)
def test_openai_takes(server: PracticeServer, body: dict[str, Any]) -> None:
    assert complete(server, **body)[0] == 200


def test_some_providers_let_unknown_fields_pass(server: PracticeServer) -> None:
    assert complete(server, CHAT_PATHS["openrouter"], provider={"sort": "price"})[0] == 200
    assert complete(server, CHAT_PATHS["local"], keep_alive="5m")[0] == 200
    assert complete(server, CHAT_PATHS["groq"], keep_alive="5m")[0] == 400


def test_groq_says_that_a_property_is_missing(server: PracticeServer) -> None:
    _, answer = complete(server, CHAT_PATHS["groq"], messages=None)
    assert answer["error"]["message"] == "'messages' : property 'messages' is missing"


# -- anything at all ---------------------------------------------------------------------------------------

_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
_KEYS = st.sampled_from(
    [
        "role",
        "content",
        "type",
        "text",
        "id",
        "name",
        "input",
        "tool_use_id",
        "tool_calls",
        "function",
        "arguments",
        "tool_call_id",
    ]
)
_MESSAGES = st.lists(
    st.dictionaries(
        _KEYS,
        _ANY
        | st.sampled_from(["user", "assistant", "tool", "system", "text", "tool_use", "tool_result"])
        | st.lists(st.dictionaries(_KEYS, _ANY | st.sampled_from(["text", "tool_use", "tool_result"]))),
    ),
    max_size=4,
)
_FIELDS = st.sampled_from(
    [
        "stream",
        "system",
        "tools",
        "tool_choice",
        "output_config",
        "thread",
        "stop",
        "stop_sequences",
        "response_format",
        "n",
        "metadata",
        "stream_options",
        "temperature",
        "max_tokens",
        "parallel_tool_calls",
    ]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(fields=st.dictionaries(_FIELDS, _ANY), messages=_MESSAGES | _ANY)
@pytest.mark.parametrize("name", ["anthropic", "openai", "gemini", "practice"])
def test_no_body_is_a_500(server: PracticeServer, name: str, fields: dict[str, Any], messages: Any) -> None:
    body = {"model": "practice-1", "max_tokens": 9, **fields, "messages": messages}
    got = raw_call(server, CHAT_PATHS[name], body)
    assert got.status in (200, 400, 404)
    assert list(server.failures) == []


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"POST / FTP/1.1\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"X-A: " + b"y" * 70_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + b"X-A: y\r\n" * 20_000 + b"\r\n", 431),
    ],
)
def test_what_is_not_http(server: PracticeServer, data: bytes, status: int) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(data)
        answer = connection.makefile("rb").read()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert json.loads(body)["error"]["message"]


def test_a_client_that_leaves_in_the_middle_harms_nobody(server: PracticeServer) -> None:
    for data in (b"", b"POST", b"POST /v1/messages HTTP/1.1\r\nContent-Length: 500\r\n\r\n{half"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(data)
    assert raw_call(server, "/", method="GET").status == 200
