"""One conversation suite, over HTTP, with the three unmodified SDKs against the practice server."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from course_lib.models.practice.server import PracticeServer
from tests.practice_help import FACT, QUERY, SDKS, WEATHER_SCHEMA, AnthropicSdk, OpenAiSdk, Sdk, stand_in

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "year": {"type": "integer"}},
    "required": ["name", "year"],
    "additionalProperties": False,
}


class Fact(BaseModel):
    name: str
    year: int


@pytest.fixture(scope="module")
def server() -> Iterator[PracticeServer]:
    with PracticeServer(stand_in) as running:
        yield running


@pytest.fixture(autouse=True)
def no_own_mistakes(server: PracticeServer) -> Iterator[None]:
    yield
    server.behave()
    assert list(server.failures) == []


@pytest.fixture(params=SDKS, ids=lambda sdk: sdk.name)
def sdk(request: pytest.FixtureRequest) -> Sdk:
    return request.param


@pytest.fixture(scope="module")
def clients(server: PracticeServer) -> Iterator[dict[str, Any]]:
    """One client for each SDK: making one takes longer than most of these tests."""
    with contextlib.ExitStack() as stack:
        yield {sdk.name: stack.enter_context(sdk.client(server)) for sdk in SDKS}


@pytest.fixture
def client(sdk: Sdk, clients: dict[str, Any]) -> Any:
    return clients[sdk.name]


def test_plain(sdk: Sdk, client: Any) -> None:
    said = sdk.say(client, "namaste")
    assert said.text == "You said: namaste (after 0 turns, told: nothing)"
    assert said.stop == sdk.stops["end"]
    assert said.model == "practice-1"
    assert said.tokens_in > 0
    assert said.tokens_out > 0


def test_it_says_what_it_is(sdk: Sdk, client: Any) -> None:
    said = sdk.say(client, "namaste", model="practice-1-mini")
    assert said.model == "practice-1-mini"
    assert said.headers["x-practice-model"] == "simulator"
    assert "x-practice-staged" not in said.headers


def test_stream_gives_the_same_in_pieces(sdk: Sdk, client: Any) -> None:
    text = "a question that is long enough to come in several pieces, with ünïcödé and नमस्ते in it"
    pieces, said = sdk.stream(client, text)
    assert len(pieces) > 3
    assert said == replace(sdk.say(client, text), headers={})


def test_reply_by_schema(sdk: Sdk, client: Any) -> None:
    assert json.loads(sdk.as_json(client, "Who is Payal?", SCHEMA).text) == {"name": "Payal", "year": 2}


def test_tool_loop_to_its_end(sdk: Sdk, client: Any) -> None:
    asked: list[str] = []

    def run(city: str) -> str:
        asked.append(city)
        return f"sunny in {city}"

    assert sdk.loop(client, "weather in both", run) == "The tools said: sunny in Pune and sunny in Delhi."
    assert asked == ["Pune", "Delhi"]


def test_cut_at_max_tokens(sdk: Sdk, client: Any) -> None:
    said = sdk.say(client, "a rather long question about nothing in particular", max_tokens=3)
    assert said.stop == sdk.stops["max_tokens"]
    assert said.text == "You said: a "  # three tokens of four bytes
    assert said.tokens_out == 3


STATUSES = {
    "bad_key": ("AuthenticationError", 401),
    "retired": ("NotFoundError", 404),
    "rate_minute": ("RateLimitError", 429),
    "rate_day": ("RateLimitError", 429),
    "error_500": ("InternalServerError", 500),
}


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("kind", STATUSES)
def test_each_status_is_the_sdks_own_exception(
    sdk: Sdk, client: Any, server: PracticeServer, kind: str, stream: bool
) -> None:
    name, status = STATUSES[kind]
    server.misbehave(kind)
    ask = sdk.stream if stream else sdk.say
    with pytest.raises(getattr(sdk.errors, name)) as caught:
        ask(client, "namaste")
    assert caught.value.status_code == status
    assert caught.value.response.headers["x-practice-staged"] == kind
    assert ask(client, "namaste")  # the order was for one call


def test_too_large_and_overloaded(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    server.misbehave("too_large")
    with pytest.raises(sdk.errors.APIStatusError) as caught:
        sdk.say(client, "namaste")
    assert caught.value.status_code == 413
    server.misbehave("overloaded")
    with pytest.raises(sdk.errors.InternalServerError) as busy:
        sdk.say(client, "namaste")
    assert busy.value.status_code == (529 if sdk.name == "anthropic" else 503)


def test_anthropics_own_classes_for_413_and_529(server: PracticeServer, clients: dict[str, Any]) -> None:
    sdk = AnthropicSdk()
    client = clients[sdk.name]
    server.misbehave("too_large")
    with pytest.raises(sdk.errors.APIStatusError) as large:
        sdk.say(client, "namaste")
    assert type(large.value).__name__ == "ContentTooLargeError"
    server.misbehave("overloaded")
    with pytest.raises(sdk.errors.APIStatusError) as busy:
        sdk.say(client, "namaste")
    assert type(busy.value).__name__ == "OverloadedError"
    assert busy.value.type == "overloaded_error"
    assert busy.value.request_id == busy.value.body["request_id"]


def test_the_wait_of_a_limit_can_be_read(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    server.misbehave("rate_minute", seconds=12.3)
    with pytest.raises(sdk.errors.RateLimitError) as caught:
        sdk.say(client, "namaste")
    assert caught.value.response.headers["retry-after"] == "13"


def test_unknown_model(sdk: Sdk, client: Any) -> None:
    with pytest.raises(sdk.errors.NotFoundError) as caught:
        sdk.say(client, "namaste", model="gpt-9")
    assert "gpt-9" in str(caught.value)


def test_a_request_without_messages(sdk: Sdk, client: Any) -> None:
    with pytest.raises(sdk.errors.BadRequestError, match="messages"):
        sdk.say(client, "namaste", messages=[])


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_connection_dropped_before_the_headers(
    sdk: Sdk, client: Any, server: PracticeServer, stream: bool
) -> None:
    server.misbehave("dropped")
    with pytest.raises(sdk.errors.APIConnectionError):
        (sdk.stream if stream else sdk.say)(client, "namaste")
    assert sdk.say(client, "namaste").text


def test_a_stream_cut_in_the_middle(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    import httpx
    import httpx2

    server.misbehave("dropped", where="mid_stream")
    expected = (sdk.errors.APIConnectionError, httpx.RemoteProtocolError, httpx2.RemoteProtocolError)
    with pytest.raises(expected):
        sdk.stream(client, "a question that is long enough to come in several pieces")
    assert server.log[-1].staged == "dropped"


def test_an_error_in_the_middle_of_a_stream(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    server.misbehave("overloaded", where="mid_stream")
    with pytest.raises(sdk.errors.APIError, match=r"[Oo]verloaded"):
        sdk.stream(client, "a question that is long enough to come in several pieces")


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_body_that_is_not_json(sdk: Sdk, client: Any, server: PracticeServer, stream: bool) -> None:
    server.misbehave("broken_body")
    with pytest.raises((sdk.errors.APIError, json.JSONDecodeError)):
        (sdk.stream if stream else sdk.say)(client, "namaste")


def test_json_that_does_not_parse(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    server.misbehave("invalid_json")
    with pytest.raises(json.JSONDecodeError):
        json.loads(sdk.as_json(client, "Who is Payal?", SCHEMA).text)


def test_an_empty_reply(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    server.misbehave("empty")
    said = sdk.say(client, "namaste")
    assert said.text == ""
    assert said.stop == sdk.stops["end"]
    server.misbehave("empty")
    assert sdk.stream(client, "namaste")[0] == []


def test_text_faults_come_through_whole_and_streamed(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    server.misbehave("think_closed", times=2)
    whole = sdk.say(client, "a query please")
    pieces, _ = sdk.stream(client, "a query please")
    assert whole.text.startswith("<think>\n")
    assert whole.text.endswith(f"</think>\n\n{QUERY}")
    assert "".join(pieces) == whole.text
    assert whole.headers["x-practice-staged"] == "think_closed"


def test_a_late_first_byte(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    server.misbehave("slow_first_byte", seconds=5)
    with pytest.raises(sdk.errors.APITimeoutError):
        sdk.say(client.with_options(timeout=0.2), "namaste")


def test_the_sdk_retries_by_itself_when_it_may(sdk: Sdk, client: Any, server: PracticeServer) -> None:
    server.misbehave("overloaded")
    before = server.calls.get(sdk.provider, 0)
    assert sdk.say(client.with_options(max_retries=1), "namaste").text
    assert server.calls[sdk.provider] == before + 2


def test_models_are_listed(sdk: Sdk, client: Any) -> None:
    assert [model.id for model in client.models.list().data] == ["practice-1", "practice-1-mini"]
    with pytest.raises(sdk.errors.NotFoundError):
        client.models.retrieve("gpt-9")
    assert client.models.retrieve("practice-1").id == "practice-1"


def test_asynchronous_clients_at_once(sdk: Sdk, server: PracticeServer) -> None:
    async def run() -> tuple[list[str], list[str]]:
        async with sdk.client(server, asynchronous=True) as client:
            said = await asyncio.gather(*(sdk.say_async(client, f"number {n}") for n in range(20)))
            return [one.text for one in said], await sdk.stream_async(client, "the last question of the day")

    texts, pieces = asyncio.run(run())
    assert texts == [f"You said: number {n} (after 0 turns, told: nothing)" for n in range(20)]
    assert "".join(pieces) == "You said: the last question of the day (after 0 turns, told: nothing)"


def test_an_asynchronous_client_sees_faults_too(sdk: Sdk, server: PracticeServer) -> None:
    async def run() -> None:
        async with sdk.client(server, asynchronous=True) as client:
            await sdk.say_async(client, "namaste")

    server.misbehave("rate_day")
    with pytest.raises(sdk.errors.RateLimitError):
        asyncio.run(run())


# -- what only some SDKs have ------------------------------------------------------------------------------


def test_anthropic_parses_into_a_class(server: PracticeServer, clients: dict[str, Any]) -> None:
    client = clients["anthropic"]
    body = {
        "model": "practice-1",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "Who is Payal?"}],
    }
    assert client.messages.parse(**body, output_format=Fact).parsed_output == Fact(name="Payal", year=2)
    assert server.last_body is not None
    assert server.last_body["output_config"]["format"]["type"] == "json_schema"
    server.misbehave("invalid_json")
    with pytest.raises(ValidationError):
        client.messages.parse(**body, output_format=Fact)


def test_openai_parses_into_a_class(server: PracticeServer, clients: dict[str, Any]) -> None:
    client = clients["openai"]
    body = {"model": "practice-1", "messages": [{"role": "user", "content": "Who is Payal?"}]}
    made = client.chat.completions.parse(**body, response_format=Fact)
    assert made.choices[0].message.parsed == Fact(name="Payal", year=2)
    server.misbehave("cut_off")
    with pytest.raises(Exception, match="length limit"):
        client.chat.completions.parse(**body, response_format=Fact)


def test_anthropic_reads_system_as_text_and_as_blocks(
    server: PracticeServer, clients: dict[str, Any]
) -> None:
    sdk = AnthropicSdk()
    client = clients[sdk.name]
    assert sdk.say(client, "hi", system="be kind").text.endswith("told: be kind)")
    blocks = [
        {"type": "text", "text": "be kind"},
        {"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}},
    ]
    assert sdk.say(client, "hi", system=blocks).text.endswith("told: be kind\nbe brief)")


def test_anthropic_counts_tokens(server: PracticeServer, clients: dict[str, Any]) -> None:
    sdk = AnthropicSdk()
    client = clients[sdk.name]
    messages = [{"role": "user", "content": "x" * 400}]
    counted = client.messages.count_tokens(model="practice-1", messages=messages, system="y" * 40)
    assert counted.input_tokens == 400 // 4 + 40 // 4 + 4
    assert sdk.say(client, "x" * 400, system="y" * 40).tokens_in == counted.input_tokens


def test_anthropic_streams_every_event_and_the_tool_input(
    server: PracticeServer, clients: dict[str, Any]
) -> None:
    tool = {"name": "weather", "description": "The weather.", "input_schema": WEATHER_SCHEMA}
    client = clients["anthropic"]
    body = {
        "model": "practice-1",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "weather"}],
    }
    with client.messages.stream(**body, tools=[tool]) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_message()
    raw = [kind for kind in kinds if kind not in ("input_json", "text")]
    assert raw == [
        "message_start",
        "content_block_start",
        *["content_block_delta"] * raw.count("content_block_delta"),
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert final.stop_reason == "tool_use"
    assert final.content[0].input == {"city": "Pune"}


def test_anthropic_tool_choice(server: PracticeServer, clients: dict[str, Any]) -> None:
    sdk = AnthropicSdk()
    tools = [
        {"name": "weather", "input_schema": WEATHER_SCHEMA},
        {"name": "climate", "input_schema": WEATHER_SCHEMA},
    ]
    client = clients[sdk.name]
    assert sdk.say(client, "weather", tools=tools, tool_choice={"type": "none"}).stop == "end_turn"
    assert sdk.say(client, "hi", tools=tools, tool_choice={"type": "auto"}).stop == "end_turn"
    assert sdk.say(client, "hi", tools=tools, tool_choice={"type": "any"}).stop == "tool_use"
    body = {
        "model": "practice-1",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "both"}],
        "tools": tools,
    }
    named = client.messages.create(**body, tool_choice={"type": "tool", "name": "climate"})
    assert [block.name for block in named.content] == ["climate", "climate"]
    one = {"type": "any", "disable_parallel_tool_use": True}
    assert len(client.messages.create(**body, tool_choice=one).content) == 1


def test_anthropic_stop_sequences_and_refusals(server: PracticeServer, clients: dict[str, Any]) -> None:
    client = clients["anthropic"]
    body = {"model": "practice-1", "max_tokens": 100}
    hi = [{"role": "user", "content": "one two three"}]
    stopped = client.messages.create(**body, messages=hi, stop_sequences=["three", "two"])
    assert stopped.stop_reason == "stop_sequence"
    assert stopped.stop_sequence == "two"
    assert stopped.content[0].text == "You said: one "
    refused = client.messages.create(**body, messages=[{"role": "user", "content": "refuse"}])
    assert refused.stop_reason == "refusal"


@pytest.mark.parametrize("sdk", [OpenAiSdk(), SDKS[2]], ids=["openai", "groq"])
def test_openai_streams_the_deltas_of_parallel_tool_calls(
    sdk: OpenAiSdk, server: PracticeServer, clients: dict[str, Any]
) -> None:
    tool = {"type": "function", "function": {"name": "weather", "parameters": WEATHER_SCHEMA}}
    client = clients[sdk.name]
    body = {"model": "practice-1", "messages": [{"role": "user", "content": "weather in both"}]}
    gathered: dict[int, dict[str, str]] = {}
    finish = None
    for chunk in client.chat.completions.create(**body, tools=[tool], stream=True):
        choice = chunk.choices[0]
        finish = choice.finish_reason or finish
        for delta in choice.delta.tool_calls or []:
            call = gathered.setdefault(delta.index, {"id": "", "name": "", "arguments": ""})
            call["id"] += delta.id or ""
            call["name"] += delta.function.name or ""
            call["arguments"] += delta.function.arguments or ""
    assert finish == "tool_calls"
    cities = [json.loads(call["arguments"])["city"] for call in gathered.values()]
    assert cities == ["Pune", "Delhi"]
    assert len({call["id"] for call in gathered.values()}) == 2
    single = client.chat.completions.create(**body, tools=[tool], parallel_tool_calls=False)
    assert len(single.choices[0].message.tool_calls) == 1


def test_openai_tool_choice_and_json_mode(server: PracticeServer, clients: dict[str, Any]) -> None:
    sdk = OpenAiSdk()
    tool = {"type": "function", "function": {"name": "weather", "parameters": WEATHER_SCHEMA}}
    client = clients[sdk.name]
    assert sdk.say(client, "weather", tools=[tool], tool_choice="none").stop == "stop"
    assert sdk.say(client, "hi", tools=[tool], tool_choice="required").stop == "tool_calls"
    named = {"type": "function", "function": {"name": "weather"}}
    assert sdk.say(client, "hi", tools=[tool], tool_choice=named).stop == "tool_calls"
    mode = {"type": "json_object"}
    assert sdk.say(client, "as JSON, please", response_format=mode).text == FACT
    with pytest.raises(sdk.errors.BadRequestError, match="'json'"):
        sdk.say(client, "as you like", response_format=mode)


def test_openai_broken_tool_arguments(server: PracticeServer, clients: dict[str, Any]) -> None:
    tool = {"type": "function", "function": {"name": "weather", "parameters": WEATHER_SCHEMA}}
    server.misbehave("invalid_json")
    client = clients["openai"]
    made = client.chat.completions.create(
        model="practice-1", messages=[{"role": "user", "content": "weather"}], tools=[tool]
    )
    with pytest.raises(json.JSONDecodeError):
        json.loads(made.choices[0].message.tool_calls[0].function.arguments)


def test_openai_refusal(server: PracticeServer, clients: dict[str, Any]) -> None:
    client = clients["openai"]
    made = client.chat.completions.create(
        model="practice-1", messages=[{"role": "user", "content": "refuse"}]
    )
    assert made.choices[0].message.refusal == "I would rather not."
    assert made.choices[0].message.content is None


@pytest.mark.parametrize("provider", ["gemini", "mistral", "openrouter", "local", "groq-small", "practice"])
def test_openais_sdk_at_every_provider(provider: str, server: PracticeServer) -> None:
    sdk = OpenAiSdk(provider)
    with sdk.errors.OpenAI(
        base_url=server.base_url(provider)
        + {"practice": "/v1", "groq-small": "/openai/v1"}.get(provider, ""),
        api_key="a-key",
        max_retries=0,
    ) as client:
        before = server.calls.get(provider, 0)
        assert sdk.say(client, "namaste").text.startswith("You said: namaste")
        assert server.calls[provider] == before + 1
        server.misbehave("rate_minute", provider=provider)
        with pytest.raises(sdk.errors.RateLimitError):
            sdk.say(client, "namaste")


def test_both_dialects_at_the_root(server: PracticeServer) -> None:
    anthropic = AnthropicSdk()
    with anthropic.errors.Anthropic(base_url=server.url, api_key="k", max_retries=0) as client:
        assert anthropic.say(client, "namaste").text.startswith("You said")
        assert client.models.list().data[0].type == "model"
        server.misbehave("retired", provider="practice")
        with pytest.raises(anthropic.errors.NotFoundError, match="model: practice-1"):
            anthropic.say(client, "namaste")
