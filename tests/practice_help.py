"""What the tests of the practice server share: a stand-in for the behaviour, and each SDK behind one face."""

from __future__ import annotations

import http.client
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from course_lib.models.practice.conversation import Reply, Request, ToolCall
from course_lib.models.practice.server import PracticeServer

QUERY = "MATCH (s:Student)-[r:STUDIES]->(c:Subject {name: 'DBMS'}) RETURN s.name AS student, r.grade AS grade"
FACT = '{"name": "Payal", "year": 2}'


def stand_in(request: Request) -> Reply:
    """Answers by what the last turn says, so that a test can see what arrived."""
    results = []
    for turn in reversed(request.turns):
        if turn.role != "tool":
            break
        results.insert(0, turn.text)
    if results:
        return Reply(f"The tools said: {' and '.join(results)}.")
    said = request.turns[-1].text
    if request.tools and (request.must_call or "weather" in said):
        cities = ["Pune", "Delhi"] if "both" in said else ["Pune"]
        return Reply("", tuple(ToolCall("", request.tools[0].name, {"city": city}) for city in cities))
    if request.output_schema is not None:
        return Reply(FACT)
    if "query" in said:
        return Reply(QUERY)
    if "refuse" in said:
        return Reply("I would rather not.", stop="refusal")
    return Reply(
        f"You said: {said} (after {len(request.turns) - 1} turns, told: {request.system or 'nothing'})"
    )


@dataclass(frozen=True)
class Said:
    """What came back, whichever SDK brought it."""

    text: str
    stop: str
    model: str
    tokens_in: int
    tokens_out: int
    headers: dict[str, str] = field(default_factory=dict)


class Sdk(ABC):
    """One unmodified SDK, pointed at a practice server."""

    name: str
    provider: str
    stops: Mapping[str, str]
    """The course's word for why a reply ended -> the SDK's."""

    @property
    @abstractmethod
    def errors(self) -> Any:
        """The SDK's module, for its exception classes."""

    @abstractmethod
    def client(self, server: PracticeServer, asynchronous: bool = False) -> Any:
        """A client without retries of its own."""

    @abstractmethod
    def say(self, client: Any, text: str, **more: Any) -> Said:
        """One plain call."""

    @abstractmethod
    async def say_async(self, client: Any, text: str, **more: Any) -> Said:
        """One plain call of an asynchronous client."""

    @abstractmethod
    def stream(self, client: Any, text: str, **more: Any) -> tuple[list[str], Said]:
        """One streamed call: its pieces, and the whole."""

    @abstractmethod
    async def stream_async(self, client: Any, text: str) -> list[str]:
        """The pieces of one streamed call of an asynchronous client."""

    @abstractmethod
    def as_json(self, client: Any, text: str, schema: dict[str, Any]) -> Said:
        """One call for a reply by JSON schema."""

    @abstractmethod
    def loop(self, client: Any, text: str, run: Callable[[str], str]) -> str:
        """A tool loop to its end, with one tool `weather(city)`."""


WEATHER_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


class AnthropicSdk(Sdk):
    name = "anthropic"
    provider = "anthropic"
    stops: Mapping[str, str] = {
        "end": "end_turn",
        "max_tokens": "max_tokens",
        "tool_use": "tool_use",
        "refusal": "refusal",
    }

    @property
    def errors(self) -> Any:
        import anthropic

        return anthropic

    def client(self, server: PracticeServer, asynchronous: bool = False) -> Any:
        make = self.errors.AsyncAnthropic if asynchronous else self.errors.Anthropic
        return make(base_url=server.anthropic_url, api_key="a-key", max_retries=0, timeout=20)

    def _body(self, text: str, **more: Any) -> dict[str, Any]:
        messages = [{"role": "user", "content": text}]
        return {"model": "practice-1", "max_tokens": 500, "messages": messages} | more

    def _said(self, message: Any, headers: Any = None) -> Said:
        text = "".join(block.text for block in message.content if block.type == "text")
        usage = message.usage
        return Said(
            text,
            message.stop_reason,
            message.model,
            usage.input_tokens,
            usage.output_tokens,
            dict(headers or {}),
        )

    def say(self, client: Any, text: str, **more: Any) -> Said:
        raw = client.messages.with_raw_response.create(**self._body(text, **more))
        return self._said(raw.parse(), raw.headers)

    async def say_async(self, client: Any, text: str, **more: Any) -> Said:
        return self._said(await client.messages.create(**self._body(text, **more)))

    def stream(self, client: Any, text: str, **more: Any) -> tuple[list[str], Said]:
        with client.messages.stream(**self._body(text, **more)) as stream:
            pieces = list(stream.text_stream)
            return pieces, self._said(stream.get_final_message())

    async def stream_async(self, client: Any, text: str) -> list[str]:
        async with client.messages.stream(**self._body(text)) as stream:
            return [piece async for piece in stream.text_stream]

    def as_json(self, client: Any, text: str, schema: dict[str, Any]) -> Said:
        wanted = {"format": {"type": "json_schema", "schema": schema}}
        return self.say(client, text, output_config=wanted)

    def loop(self, client: Any, text: str, run: Callable[[str], str]) -> str:
        from anthropic import beta_tool

        @beta_tool
        def weather(city: str) -> str:
            """The weather in a city.

            Args:
                city: its name.
            """
            return run(city)

        runner = client.beta.messages.tool_runner(**self._body(text), tools=[weather])
        return self._said(runner.until_done()).text


class OpenAiSdk(Sdk):
    name = "openai"
    stops: Mapping[str, str] = {
        "end": "stop",
        "max_tokens": "length",
        "tool_use": "tool_calls",
        "refusal": "stop",
    }

    def __init__(self, provider: str = "openai") -> None:
        self.provider = provider

    @property
    def errors(self) -> Any:
        import openai

        return openai

    def client(self, server: PracticeServer, asynchronous: bool = False) -> Any:
        make = self.errors.AsyncOpenAI if asynchronous else self.errors.OpenAI
        url = server.base_url(self.provider)
        if self.provider.startswith("groq"):
            url += "/openai/v1"  # Groq's own SDK adds this part itself
        return make(base_url=url, api_key="a-key", max_retries=0, timeout=20)

    def _body(self, text: str, **more: Any) -> dict[str, Any]:
        return {"model": "practice-1", "messages": [{"role": "user", "content": text}]} | more

    def _said(self, completion: Any, headers: Any = None) -> Said:
        choice, usage = completion.choices[0], completion.usage
        return Said(
            choice.message.content or "",
            choice.finish_reason,
            completion.model,
            usage.prompt_tokens,
            usage.completion_tokens,
            dict(headers or {}),
        )

    def say(self, client: Any, text: str, **more: Any) -> Said:
        raw = client.chat.completions.with_raw_response.create(**self._body(text, **more))
        return self._said(raw.parse(), raw.headers)

    async def say_async(self, client: Any, text: str, **more: Any) -> Said:
        return self._said(await client.chat.completions.create(**self._body(text, **more)))

    def stream(self, client: Any, text: str, **more: Any) -> tuple[list[str], Said]:
        options = {"stream_options": {"include_usage": True}}
        chunks = list(client.chat.completions.create(**self._body(text, **more), **options, stream=True))
        pieces = [c.choices[0].delta.content for c in chunks if c.choices and c.choices[0].delta.content]
        stop = next(c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason)
        usage = next(c.usage for c in chunks if c.usage)
        said = Said("".join(pieces), stop, chunks[0].model, usage.prompt_tokens, usage.completion_tokens)
        return pieces, said

    async def stream_async(self, client: Any, text: str) -> list[str]:
        chunks = await client.chat.completions.create(**self._body(text), stream=True)
        return [c.choices[0].delta.content or "" async for c in chunks if c.choices]

    def as_json(self, client: Any, text: str, schema: dict[str, Any]) -> Said:
        wanted = {"type": "json_schema", "json_schema": {"name": "fact", "schema": schema}}
        return self.say(client, text, response_format=wanted)

    def loop(self, client: Any, text: str, run: Callable[[str], str]) -> str:
        function = {"name": "weather", "description": "The weather in a city.", "parameters": WEATHER_SCHEMA}
        messages: list[Any] = [{"role": "user", "content": text}]
        for _ in range(5):
            message = (
                client.chat.completions.create(
                    model="practice-1", messages=messages, tools=[{"type": "function", "function": function}]
                )
                .choices[0]
                .message
            )
            if not message.tool_calls:
                return message.content
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                city = json.loads(call.function.arguments)["city"]
                messages.append({"role": "tool", "tool_call_id": call.id, "content": run(city)})
        raise AssertionError("The loop did not end.")


class GroqSdk(OpenAiSdk):
    name = "groq"

    def __init__(self) -> None:
        super().__init__("groq")

    @property
    def errors(self) -> Any:
        import groq

        return groq

    def client(self, server: PracticeServer, asynchronous: bool = False) -> Any:
        make = self.errors.AsyncGroq if asynchronous else self.errors.Groq
        return make(base_url=server.base_url("groq"), api_key="a-key", max_retries=0, timeout=20)

    def stream(self, client: Any, text: str, **more: Any) -> tuple[list[str], Said]:
        # Groq's SDK has no stream_options: the usage comes with the last chunk, under `x_groq`.
        chunks = list(client.chat.completions.create(**self._body(text, **more), stream=True))
        pieces = [c.choices[0].delta.content for c in chunks if c.choices and c.choices[0].delta.content]
        last = chunks[-1]
        usage = last.x_groq.usage
        stop = last.choices[0].finish_reason
        return pieces, Said("".join(pieces), stop, last.model, usage.prompt_tokens, usage.completion_tokens)


SDKS: tuple[Sdk, ...] = (AnthropicSdk(), OpenAiSdk(), GroqSdk())


@dataclass(frozen=True)
class Raw:
    """A response as it came over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def raw_call(
    server: PracticeServer,
    path: str,
    body: Any = None,
    *,
    method: str = "POST",
    headers: dict[str, str] | None = None,
) -> Raw:
    """One request by a bare HTTP client. A body that is not bytes goes as JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, {"content-type": "application/json", **(headers or {})})
        response = connection.getresponse()
        return Raw(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


def events_of(body: bytes) -> list[tuple[str | None, str]]:
    """The server-sent events of a body: name and data of each."""
    found = []
    for block in body.decode().split("\n\n"):
        lines = block.splitlines()
        name = next((line[7:] for line in lines if line.startswith("event: ")), None)
        data = [line[6:] for line in lines if line.startswith("data: ")]
        if data:
            found.append((name, "\n".join(data)))
    return found
