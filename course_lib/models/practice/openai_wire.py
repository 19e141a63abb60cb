"""OpenAI's chat completions, as OpenAI, Groq, Gemini, Mistral, OpenRouter and local servers answer them.

A body in, a `Request` out; a `Reply` in, a completion or its chunks out. Shapes were read off the openai SDK
3.57 and the groq SDK 1.7 and their types.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from course_lib.models.practice.conversation import Request, Tool, ToolCall, Turn
from course_lib.models.practice.faults import Unparsable
from course_lib.models.practice.fields import (
    JsonObject,
    count_of,
    flag_of,
    invalid,
    json_schema,
    list_of,
    number_within,
    object_at,
    only_known,
    strings_of,
    text_of,
)
from course_lib.models.practice.http_wire import pieces
from course_lib.models.practice.refusals import Problem, RefusedError
from course_lib.models.practice.shaping import Shaped
from course_lib.models.practice.tokens import ESTIMATE_NOTE, input_tokens

KNOWN_FIELDS = frozenset(
    [
        "audio",
        "citation_options",
        "compound_custom",
        "disable_tool_validation",
        "documents",
        "exclude_domains",
        "frequency_penalty",
        "function_call",
        "functions",
        "include_domains",
        "include_reasoning",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "metadata",
        "modalities",
        "model",
        "moderation",
        "n",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "random_seed",
        "reasoning_effort",
        "reasoning_format",
        "response_format",
        "safe_prompt",
        "safety_identifier",
        "search_settings",
        "seed",
        "service_tier",
        "stop",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
        "web_search_options",
    ]
)
"""Every field that the openai and groq SDKs can send, and two of Mistral's."""

STRICT = frozenset({"openai", "groq", "groq-small", "mistral"})
"""Providers that refuse a field they do not know. The others let it pass."""

FINISH_REASONS = {
    "end": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "stop",
    "stop_sequence": "stop",
}

PIECE = 24
"""Characters of text in one streamed chunk, about."""


@dataclass(frozen=True)
class Call:
    """A request to `/chat/completions`, read."""

    request: Request
    stream: bool
    stream_usage: bool
    stops: tuple[str, ...]
    parallel: bool
    input_tokens: int


def _content(value: Any, where: str) -> str:
    """A string, or a list of text parts, as one text."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        invalid(where, "Input should be a valid string or a list of content parts")
    parts = []
    for index, item in enumerate(value):
        part = object_at(item, f"{where}.{index}")
        if part.get("type") != "text":
            invalid(f"{where}.{index}.type", "the practice model reads text only")
        parts.append(text_of(part, "text", f"{where}.{index}.text"))
    return "\n".join(parts)


def _tool_calls(message: JsonObject, where: str) -> tuple[ToolCall, ...]:
    calls = []
    for index, item in enumerate(list_of(message, "tool_calls", f"{where}.tool_calls", required=False)):
        at = f"{where}.tool_calls.{index}"
        call = object_at(item, at)
        function = object_at(call.get("function"), f"{at}.function")
        written = text_of(function, "arguments", f"{at}.function.arguments")
        try:
            arguments = json.loads(written)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            # A model's own broken arguments, handed back: the API takes them, so they are kept as they are.
            arguments = {"not_json": written}
        name = text_of(function, "name", f"{at}.function.name")
        calls.append(ToolCall(text_of(call, "id", f"{at}.id"), name, arguments))
    return tuple(calls)


def _turns(messages: list[Any]) -> tuple[tuple[Turn, ...], str]:
    """The messages as turns, and the system prompt."""
    turns: list[Turn] = []
    systems: list[str] = []
    pending: set[str] = set()
    for index, item in enumerate(messages):
        where = f"messages.{index}"
        message = object_at(item, where)
        role = text_of(message, "role", f"{where}.role")
        if pending and role != "tool":
            invalid(
                where,
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                "'tool_call_id'. The following tool_call_ids did not have response messages: "
                + ", ".join(sorted(pending)),
            )
        if role == "assistant":
            content = message.get("content")
            calls = _tool_calls(message, where)
            if content is None and not calls and message.get("refusal") is None:
                invalid(f"{where}.content", "Field required")
            pending = {call.id for call in calls}
            turns.append(
                Turn("assistant", "" if content is None else _content(content, f"{where}.content"), calls)
            )
            continue
        if role not in ("system", "developer", "user", "tool"):
            invalid(f"{where}.role", "Input should be 'system', 'developer', 'user', 'assistant' or 'tool'")
        if message.get("content") is None:
            invalid(f"{where}.content", "Field required")
        text = _content(message["content"], f"{where}.content")
        if role == "tool":
            call_id = text_of(message, "tool_call_id", f"{where}.tool_call_id")
            if call_id not in pending:
                invalid(
                    where,
                    "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
                )
            pending.discard(call_id)
            turns.append(Turn("tool", text, tool_call_id=call_id))
        elif role == "user":
            turns.append(Turn("user", text))
        else:
            systems.append(text)
    if pending:
        invalid("messages", f"tool_call_ids did not have response messages: {', '.join(sorted(pending))}")
    if not turns:
        invalid("messages", "at least one user message is required")
    return tuple(turns), "\n".join(systems)


def _tools(body: JsonObject) -> tuple[Tool, ...]:
    tools = []
    for index, item in enumerate(list_of(body, "tools", "tools", required=False)):
        where = f"tools.{index}"
        tool = object_at(item, where)
        if tool.get("type") != "function":
            invalid(f"{where}.type", "the practice model takes tools of type 'function' only")
        function = object_at(tool.get("function"), f"{where}.function")
        name = text_of(function, "name", f"{where}.function.name")
        parameters = function.get("parameters")
        schema = (
            {"type": "object"}
            if parameters is None
            else object_at(parameters, f"{where}.function.parameters")
        )
        tools.append(Tool(name, function.get("description") or "", schema))
    return tuple(tools)


def _choice(body: JsonObject, tools: tuple[Tool, ...]) -> tuple[tuple[Tool, ...], bool]:
    """The tools that may be used, and whether one must be."""
    choice = body.get("tool_choice")
    if choice is None:
        return tools, False
    if not tools and choice != "none":
        invalid("tool_choice", "'tool_choice' is only allowed when 'tools' are specified.")
    if choice == "none":
        return (), False
    if choice in ("auto", "required", "any"):  # "any" is Mistral's word for required
        return tools, choice != "auto"
    named = object_at(choice, "tool_choice")
    name = text_of(
        object_at(named.get("function"), "tool_choice.function"), "name", "tool_choice.function.name"
    )
    wanted = tuple(tool for tool in tools if tool.name == name)
    if not wanted:
        invalid("tool_choice", f"Tool choice {name!r} not found in 'tools' parameter.")
    return wanted, True


def _output_schema(body: JsonObject, all_text: str) -> JsonObject | None:
    if body.get("response_format") is None:
        return None
    wanted = object_at(body["response_format"], "response_format")
    kind = wanted.get("type")
    if kind == "text":
        return None
    if kind == "json_object":
        if "json" not in all_text.lower():
            invalid(
                "messages",
                "'messages' must contain the word 'json' in some form, to use 'response_format' of type "
                "'json_object'.",
            )
        return {"type": "object"}
    if kind != "json_schema":
        invalid("response_format.type", "Input should be 'text', 'json_object' or 'json_schema'")
    at = "response_format.json_schema"
    named = object_at(wanted.get("json_schema"), at)
    text_of(named, "name", f"{at}.name")
    if named.get("schema") is None:
        invalid(f"{at}.schema", "Field required")
    return json_schema(named["schema"], f"{at}.schema")


def read_call(body: JsonObject, provider: str, models: tuple[str, ...]) -> Call:
    """Reads the body of `POST …/chat/completions`.

    Args:
        body: the JSON object that was sent.
        provider: who is played; some refuse fields they do not know.
        models: the model names that exist.

    Raises:
        RefusedError: the API would refuse this.
    """
    if provider in STRICT:
        only_known(body, KNOWN_FIELDS)
    model = text_of(body, "model", "model")
    messages = list_of(body, "messages", "messages")
    if not messages:
        invalid("messages", "at least one message is required")
    number_within(body, "temperature", 0, 2)
    number_within(body, "top_p", 0, 1)
    stream = flag_of(body, "stream")
    stops = strings_of(body, "stop")
    if (count_of(body, "n") or 1) > 1:
        invalid("n", "the practice model gives one choice")
    limit = count_of(body, "max_completion_tokens") or count_of(body, "max_tokens")
    options = body.get("stream_options")
    stream_usage = options is not None and flag_of(object_at(options, "stream_options"), "include_usage")
    if model not in models:
        raise RefusedError(Problem("unknown_model", model=model))
    tools = _tools(body)
    usable, must_call = _choice(body, tools)
    turns, system = _turns(messages)
    all_text = "\n".join([system, *(turn.text for turn in turns)])
    request = Request(
        turns=turns,
        system=system,
        output_schema=_output_schema(body, all_text),
        tools=usable,
        max_tokens=limit,
        model=model,
        must_call=must_call,
    )
    tokens = input_tokens(request, json.dumps(body["tools"]) if tools else "")
    parallel = flag_of(body, "parallel_tool_calls", True)
    return Call(request, stream, stream_usage, stops, parallel, tokens)


def _arguments(arguments: Mapping[str, Any]) -> str:
    if isinstance(arguments, Unparsable):
        return arguments.text
    return json.dumps(dict(arguments), ensure_ascii=False)


def _usage(call: Call, shaped: Shaped) -> dict[str, Any]:
    return {
        "prompt_tokens": call.input_tokens,
        "completion_tokens": shaped.tokens,
        "total_tokens": call.input_tokens + shaped.tokens,
        "note": ESTIMATE_NOTE,
    }


def _is_groq(provider: str) -> bool:
    return provider.startswith("groq")


def completion(call: Call, shaped: Shaped, completion_id: str, created: int, provider: str) -> dict[str, Any]:
    """The whole completion, for a request that does not stream."""
    reply = shaped.reply
    refused = shaped.stop == "refusal"
    said: dict[str, Any] = {"role": "assistant", "content": None if refused else reply.text}
    if refused:
        said["refusal"] = reply.text
    if reply.tool_calls:
        said["content"] = reply.text or None
        said["tool_calls"] = [
            {
                "id": tool_call.id,
                "type": "function",
                "function": {"name": tool_call.name, "arguments": _arguments(tool_call.arguments)},
            }
            for tool_call in reply.tool_calls
        ]
    body = {
        "id": completion_id,
        "object": "chat.completion",
        "created": created,
        "model": call.request.model,
        "choices": [
            {"index": 0, "message": said, "logprobs": None, "finish_reason": FINISH_REASONS[shaped.stop]}
        ],
        "usage": _usage(call, shaped),
        "system_fingerprint": "fp_practice",
    }
    if _is_groq(provider):
        body["x_groq"] = {"id": f"req_{completion_id}"}
    return body


def chunks(
    call: Call, shaped: Shaped, completion_id: str, created: int, provider: str
) -> Iterator[dict[str, Any]]:
    """The same completion in chunks. The caller ends the stream with `[DONE]`."""
    frame = {
        "id": completion_id,
        "object": "chat.completion.chunk",
        "created": created,
        "model": call.request.model,
        "system_fingerprint": "fp_practice",
    }
    if call.stream_usage:
        frame["usage"] = None

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**frame, "choices": [choice]}

    reply = shaped.reply
    first = chunk({"role": "assistant", "content": None if reply.tool_calls else ""})
    if _is_groq(provider):
        first["x_groq"] = {"id": f"req_{completion_id}"}
    yield first
    field = "refusal" if shaped.stop == "refusal" else "content"
    for piece in pieces(reply.text, PIECE):
        yield chunk({field: piece})
    for index, tool_call in enumerate(reply.tool_calls):
        opening = {
            "index": index,
            "id": tool_call.id,
            "type": "function",
            "function": {"name": tool_call.name, "arguments": ""},
        }
        yield chunk({"tool_calls": [opening]})
        for piece in pieces(_arguments(tool_call.arguments), PIECE):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    last = chunk({}, FINISH_REASONS[shaped.stop])
    if _is_groq(provider):
        last["x_groq"] = {"id": f"req_{completion_id}", "usage": _usage(call, shaped)}
    yield last
    if call.stream_usage:
        yield {**frame, "choices": [], "usage": _usage(call, shaped)}


def model_info(name: str) -> dict[str, Any]:
    """One entry of `GET /models`."""
    return {"id": name, "object": "model", "created": 1_796_000_000, "owned_by": "course practice simulator"}


def model_list(models: tuple[str, ...]) -> dict[str, Any]:
    """The body of `GET /models`."""
    return {"object": "list", "data": [model_info(name) for name in models]}
