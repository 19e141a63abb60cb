"""The Anthropic Messages API: a body in, a `Request` out; a `Reply` in, a message or its events out.

Shapes were read off the anthropic SDK 2.14 and its types. What the practice model cannot do (images, files,
server tools) is refused with the API's own error, never silently dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from course_lib.models.practice.conversation import Request, Tool, ToolCall, Turn
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
from course_lib.models.practice.threads import Thread, ThreadStore, ThreadUnavailableError
from course_lib.models.practice.tokens import ESTIMATE_NOTE, input_tokens

KNOWN_FIELDS = frozenset(
    [
        "billing_policy",
        "cache_control",
        "compaction",
        "container",
        "context_management",
        "diagnostics",
        "fallback_credit_token",
        "fallbacks",
        "inference_geo",
        "max_tokens",
        "mcp_servers",
        "messages",
        "metadata",
        "model",
        "output_config",
        "output_format",
        "service_tier",
        "speed",
        "stop_sequences",
        "stream",
        "system",
        "temperature",
        "thinking",
        "thread",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
        "user_profile_id",
        "workspace_id",
    ]
)
"""Every field that the SDK can send, and the sampling fields that its older versions sent."""

STOP_REASONS = {
    "end": "end_turn",
    "max_tokens": "max_tokens",
    "tool_use": "tool_use",
    "refusal": "refusal",
    "stop_sequence": "stop_sequence",
}

THREAD_SENTENCES = {
    "thread_not_found": "No usable Thread state was found for `previous_message_id`.",
    "thread_already_continued": "The response that `previous_message_id` names has already been continued.",
    "thread_continue_in_flight": "Another request is still continuing from the same `previous_message_id`.",
}

PIECE = 24
"""Characters of text in one streamed delta, about."""


@dataclass(frozen=True)
class Call:
    """A request to `/v1/messages`, read."""

    request: Request
    stream: bool
    stops: tuple[str, ...]
    parallel: bool
    input_tokens: int
    tools: tuple[Tool, ...]
    """Every tool that was offered; `request.tools` holds those that `tool_choice` leaves."""
    tools_json: str
    holds_thread: bool
    """Whether the conversation is held under the reply's id."""
    continues: str | None
    """The id of the reply that this request continues from. The thread is out of the store meanwhile."""


def _text_blocks(value: Any, where: str) -> str:
    """A string, or a list of text blocks, as one text."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        invalid(where, "Input should be a valid string or a list of content blocks")
    parts = []
    for index, item in enumerate(value):
        at = f"{where}.{index}"
        block = object_at(item, at)
        if block.get("type") != "text":
            invalid(f"{at}.type", "the practice model reads text only")
        parts.append(text_of(block, "text", f"{at}.text"))
    return "\n".join(parts)


def _assistant_turn(content: Any, where: str) -> Turn:
    if isinstance(content, str):
        return Turn("assistant", content)
    if not isinstance(content, list):
        invalid(where, "Input should be a valid string or a list of content blocks")
    texts: list[str] = []
    calls: list[ToolCall] = []
    for index, item in enumerate(content):
        at = f"{where}.{index}"
        block = object_at(item, at)
        match block.get("type"):
            case "text":
                texts.append(text_of(block, "text", f"{at}.text"))
            case "tool_use":
                call_id = text_of(block, "id", f"{at}.id")
                name = text_of(block, "name", f"{at}.name")
                calls.append(ToolCall(call_id, name, object_at(block.get("input"), f"{at}.input")))
            case "thinking" | "redacted_thinking":
                continue  # a real model's own reasoning, handed back; nothing to read in it
            case _:
                invalid(f"{at}.type", "the practice model reads text and tool_use blocks here")
    return Turn("assistant", "\n".join(texts), tuple(calls))


def _user_turns(content: Any, where: str, pending: set[str]) -> list[Turn]:
    """One user message: its tool results first, as `tool` turns, then its text."""
    if isinstance(content, str):
        if not content.strip():
            invalid(where, "text content must be non-empty")
        turns = [Turn("user", content)]
    else:
        turns, texts = [], []
        if not isinstance(content, list):
            invalid(where, "Input should be a valid string or a list of content blocks")
        if not content:
            invalid(where, "all messages must have non-empty content")
        for index, item in enumerate(content):
            at = f"{where}.{index}"
            block = object_at(item, at)
            match block.get("type"):
                case "text":
                    text = text_of(block, "text", f"{at}.text")
                    if not text.strip():
                        invalid(at, "text content blocks must be non-empty")
                    texts.append(text)
                case "tool_result":
                    call_id = text_of(block, "tool_use_id", f"{at}.tool_use_id")
                    if call_id not in pending:
                        invalid(
                            at,
                            f"unexpected `tool_use_id` found in `tool_result` blocks: {call_id}. Each "
                            "`tool_result` block must have a corresponding `tool_use` block in the "
                            "previous message.",
                        )
                    pending.discard(call_id)
                    result = block.get("content")
                    text = "" if result is None else _text_blocks(result, f"{at}.content")
                    if flag_of(block, "is_error"):
                        text = f"Error: {text}"
                    turns.append(Turn("tool", text, tool_call_id=call_id))
                case _:
                    invalid(f"{at}.type", "the practice model reads text and tool_result blocks here")
        if texts:
            turns.append(Turn("user", "\n".join(texts)))
    if pending:
        names = ", ".join(sorted(pending))
        invalid(where, f"`tool_use` ids were found without `tool_result` blocks immediately after: {names}.")
    return turns


def _turns(messages: list[Any], earlier: tuple[Turn, ...]) -> tuple[tuple[Turn, ...], str]:
    """The messages as turns, and what system messages among them say."""
    turns = list(earlier)
    systems: list[str] = []
    pending = (
        {call.id for call in earlier[-1].tool_calls} if earlier and earlier[-1].role == "assistant" else set()
    )
    for index, item in enumerate(messages):
        where = f"messages.{index}"
        message = object_at(item, where)
        role = text_of(message, "role", f"{where}.role")
        if "content" not in message:
            invalid(f"{where}.content", "Field required")
        content = message["content"]
        if role == "user":
            turns += _user_turns(content, f"{where}.content", pending)
        elif role == "assistant":
            turn = _assistant_turn(content, f"{where}.content")
            if pending:
                names = ", ".join(sorted(pending))
                invalid(
                    where,
                    f"`tool_use` ids were found without `tool_result` blocks immediately after: {names}.",
                )
            pending = {call.id for call in turn.tool_calls}
            turns.append(turn)
        elif role == "system":
            systems.append(_text_blocks(content, f"{where}.content"))
        else:
            invalid(f"{where}.role", "Input should be 'user', 'assistant' or 'system'")
    if turns and turns[-1].role == "assistant":
        invalid(
            "",
            "This model does not support assistant message prefill. "
            "The conversation must end with a user message.",
        )
    return tuple(turns), "\n".join(systems)


def _tools(body: JsonObject) -> tuple[Tool, ...]:
    tools: list[Tool] = []
    for index, item in enumerate(list_of(body, "tools", "tools", required=False)):
        where = f"tools.{index}"
        tool = object_at(item, where)
        if tool.get("type", "custom") not in ("custom", None):
            invalid(f"{where}.type", "the practice model takes custom tools only")
        name = text_of(tool, "name", f"{where}.name")
        if any(name == other.name for other in tools):
            invalid("tools", "Tool names must be unique.")
        description = tool.get("description") or ""
        if not isinstance(description, str):
            invalid(f"{where}.description", "Input should be a valid string")
        if tool.get("input_schema") is None:
            invalid(f"{where}.input_schema", "Field required")
        tools.append(Tool(name, description, object_at(tool["input_schema"], f"{where}.input_schema")))
    return tuple(tools)


def _choice(body: JsonObject, tools: tuple[Tool, ...]) -> tuple[tuple[Tool, ...], bool, bool]:
    """The tools that may be used, whether one must be, and whether several may at once."""
    if body.get("tool_choice") is None:
        return tools, False, True
    choice = object_at(body["tool_choice"], "tool_choice")
    kind = text_of(choice, "type", "tool_choice.type")
    parallel = not flag_of(choice, "disable_parallel_tool_use")
    if kind in ("any", "tool", "auto") and not tools:
        invalid("tool_choice", "tool_choice may only be specified while providing tools.")
    if kind == "none":
        return (), False, parallel
    if kind in ("auto", "any"):
        return tools, kind == "any", parallel
    if kind != "tool":
        invalid("tool_choice.type", "Input should be 'auto', 'any', 'tool' or 'none'")
    name = text_of(choice, "name", "tool_choice.name")
    wanted = tuple(tool for tool in tools if tool.name == name)
    if not wanted:
        invalid("tool_choice", f"Tool '{name}' not found in provided tools")
    return wanted, True, parallel


def _output_schema(body: JsonObject) -> JsonObject | None:
    """The schema of `output_config.format`, or of the older `output_format`."""
    wanted, where = body.get("output_format"), "output_format"
    if body.get("output_config") is not None:
        config = object_at(body["output_config"], "output_config")
        if config.get("format") is not None:
            wanted, where = config["format"], "output_config.format"
    if wanted is None:
        return None
    wanted = object_at(wanted, where)
    if wanted.get("type") != "json_schema":
        invalid(f"{where}.type", "Input should be 'json_schema'")
    if wanted.get("schema") is None:
        invalid(f"{where}.schema", "Field required")
    return json_schema(wanted["schema"], f"{where}.schema")


def _continued(body: JsonObject, threads: ThreadStore) -> tuple[str | None, Thread | None, bool]:
    """The id that is continued, its thread (out of the store now), and whether to hold what comes."""
    if body.get("thread") is None:
        return None, None, False
    thread = object_at(body["thread"], "thread")
    kind = text_of(thread, "type", "thread.type")
    if kind == "create":
        return None, None, True
    if kind != "continue":
        invalid("thread.type", "Input should be 'create' or 'continue'")
    for field in ("system", "tools"):
        if body.get(field) is not None:
            invalid(field, "cannot be set when `thread.type` is `continue`: the thread keeps its own")
    previous = text_of(thread, "previous_message_id", "thread.previous_message_id")
    try:
        return previous, threads.take(previous), True
    except ThreadUnavailableError as error:
        raise RefusedError(Problem("thread", THREAD_SENTENCES[error.code], code=error.code)) from error


def read_call(body: JsonObject, threads: ThreadStore, models: tuple[str, ...]) -> Call:
    """Reads the body of `POST /v1/messages`.

    Args:
        body: the JSON object that was sent.
        threads: where continued conversations are held.
        models: the model names that exist.

    Raises:
        RefusedError: the API would refuse this; nothing is taken out of `threads` then.
    """
    max_tokens = count_of(body, "max_tokens")
    if max_tokens is None:
        invalid("max_tokens", "Field required")
    return _read(body, threads, models, max_tokens)


def _read(body: JsonObject, threads: ThreadStore, models: tuple[str, ...], max_tokens: int | None) -> Call:
    only_known(body, KNOWN_FIELDS)
    model = text_of(body, "model", "model")
    messages = list_of(body, "messages", "messages")
    number_within(body, "temperature", 0, 1)
    number_within(body, "top_p", 0, 1)
    stream = flag_of(body, "stream")
    stops = strings_of(body, "stop_sequences")
    if model not in models:
        raise RefusedError(Problem("unknown_model", model=model))
    schema = _output_schema(body)
    tools = _tools(body)
    system = "" if body.get("system") is None else _text_blocks(body["system"], "system")
    tools_json = json.dumps(body["tools"]) if tools else ""
    continues, thread, holds = _continued(body, threads)
    try:
        if thread is not None:
            system, tools, tools_json = thread.system, thread.tools, thread.tools_json
        if not messages:
            invalid("messages", "at least one message is required")
        usable, must_call, parallel = _choice(body, tools)
        turns, more = _turns(messages, thread.turns if thread is not None else ())
    except RefusedError:
        if continues is not None:
            threads.put_back(continues)
        raise
    request = Request(
        turns=turns,
        system="\n".join(part for part in (system, more) if part),
        output_schema=schema,
        tools=usable,
        max_tokens=max_tokens,
        model=model,
        must_call=must_call,
    )
    tokens = input_tokens(request, tools_json)
    return Call(request, stream, stops, parallel, tokens, tools, tools_json, holds, continues)


def count_tokens(body: JsonObject, models: tuple[str, ...]) -> int:
    """Answers `POST /v1/messages/count_tokens`: the estimate for the whole input.

    Args:
        body: the JSON object that was sent.
        models: the model names that exist.
    """
    without_thread = {
        key: value for key, value in body.items() if key not in ("thread", "stream", "max_tokens")
    }
    return _read(without_thread, ThreadStore(), models, None).input_tokens


def held_thread(call: Call, shaped: Shaped) -> Thread:
    """The conversation with the reply at its end, for the store."""
    reply = shaped.reply
    return Thread(
        system=call.request.system,
        tools=call.tools,
        turns=(*call.request.turns, Turn("assistant", reply.text, reply.tool_calls)),
        tools_json=call.tools_json,
    )


def _usage(call: Call, output: int) -> dict[str, Any]:
    return {
        "input_tokens": call.input_tokens,
        "output_tokens": output,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "service_tier": "standard",
        "note": ESTIMATE_NOTE,
    }


def _content(shaped: Shaped) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if shaped.reply.text:
        blocks.append({"type": "text", "text": shaped.reply.text})
    for call in shaped.reply.tool_calls:
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)})
    return blocks


def _stop_details(shaped: Shaped) -> dict[str, Any] | None:
    return {"type": "refusal", "explanation": shaped.reply.text} if shaped.stop == "refusal" else None


def message(call: Call, shaped: Shaped, message_id: str) -> dict[str, Any]:
    """The whole message, for a request that does not stream."""
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": call.request.model,
        "content": _content(shaped),
        "stop_reason": STOP_REASONS[shaped.stop],
        "stop_sequence": shaped.stop_sequence,
        "stop_details": _stop_details(shaped),
        "usage": _usage(call, shaped.tokens),
    }


def events(call: Call, shaped: Shaped, message_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The same message as server-sent events: name and data of each."""
    start = message(call, shaped, message_id) | {
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "stop_details": None,
        "usage": _usage(call, 1),
    }
    yield "message_start", {"type": "message_start", "message": start}
    yield "ping", {"type": "ping"}
    for index, block in enumerate(_content(shaped)):
        if block["type"] == "text":
            opening: dict[str, Any] = {"type": "text", "text": ""}
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"], PIECE)]
        else:
            opening = {**block, "input": {}}
            text = json.dumps(block["input"], ensure_ascii=False)
            deltas = [
                {"type": "input_json_delta", "partial_json": piece} for piece in ("", *pieces(text, PIECE))
            ]
        yield (
            "content_block_start",
            {"type": "content_block_start", "index": index, "content_block": opening},
        )
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": index}
    ending = {
        "stop_reason": STOP_REASONS[shaped.stop],
        "stop_sequence": shaped.stop_sequence,
        "stop_details": _stop_details(shaped),
    }
    usage = {"output_tokens": shaped.tokens, "input_tokens": call.input_tokens, "note": ESTIMATE_NOTE}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": usage}
    yield "message_stop", {"type": "message_stop"}


def model_info(name: str) -> dict[str, Any]:
    """One entry of `GET /v1/models`."""
    return {
        "type": "model",
        "id": name,
        "display_name": f"{name} (a simulator for teaching, not a language model)",
        "created_at": "2026-11-30T00:00:00Z",
        "lifecycle": "active",
    }


def model_list(models: tuple[str, ...]) -> dict[str, Any]:
    """The body of `GET /v1/models`."""
    data = [model_info(name) for name in models]
    return {"data": data, "has_more": False, "first_id": models[0], "last_id": models[-1]}
