"""Anthropic's Messages API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from course_lib.models.calls import CallRequest, Message
from course_lib.models.sdk_provider import Draft, SdkProvider, is_estimate
from course_lib.models.wire import TimeLimit


class AnthropicProvider(SdkProvider):
    """Anthropic's Messages API, through the `anthropic` SDK."""

    sdk_name = "anthropic"

    def _new_client(self, sdk: Any, **options: Any) -> Any:
        return sdk.Anthropic(**options)

    def _ask(self, client: Any, request: CallRequest, limit: TimeLimit, *, stream: bool) -> Any:
        fields: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.max_tokens,
            "messages": _anthropic_messages(request.messages),
            "timeout": self._timeout(limit),
        }
        if request.system:
            fields["system"] = request.system
        if request.temperature is not None and "temperature" not in self.info.refuses:
            fields["extra_body"] = {"temperature": request.temperature}
        if request.stop:
            fields["stop_sequences"] = list(request.stop)
        if request.tools:
            fields["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
                for tool in request.tools
            ]
        if request.output_schema is not None:
            fields["output_config"] = {
                "format": {"type": "json_schema", "schema": dict(request.output_schema)}
            }
        if extra := self._extra():
            fields["extra_body"] = {**fields.get("extra_body", {}), **extra}
        if stream:
            fields["stream"] = True
        return client.messages.create(**fields)

    def _read(self, raw: Any) -> Draft:
        self._raise_hidden_refusal(raw)
        blocks = getattr(raw, "content", None)
        if not isinstance(blocks, list):
            raise self._failures.unreadable("there is no answer in it")
        draft = Draft(model=getattr(raw, "model", None), finish=getattr(raw, "stop_reason", None))
        for block in blocks:
            # By type, never the first one: a reasoning model puts its thoughts before its answer.
            if getattr(block, "type", None) == "text":
                draft.text += block.text or ""
            elif getattr(block, "type", None) == "tool_use":
                draft.tool_calls.append(
                    {"id": block.id, "name": block.name, "arguments": json.dumps(block.input or {})}
                )
        _note_anthropic_usage(raw, draft)
        return draft

    def _read_stream(self, raw: Any, draft: Draft) -> Iterator[str]:
        for event in raw:
            kind = getattr(event, "type", None)
            if kind == "message_start":
                draft.model = getattr(event.message, "model", None)
                _note_anthropic_usage(event.message, draft)
            elif kind == "content_block_start" and getattr(event.content_block, "type", None) == "tool_use":
                draft.tool_calls.append(
                    {"id": event.content_block.id, "name": event.content_block.name, "arguments": ""}
                )
            elif kind == "content_block_delta":
                delta = getattr(event.delta, "type", None)
                if delta == "text_delta":
                    yield event.delta.text or ""
                elif delta == "input_json_delta" and draft.tool_calls:
                    draft.tool_calls[-1]["arguments"] += event.delta.partial_json or ""
            elif kind == "message_delta":
                draft.finish = getattr(event.delta, "stop_reason", None) or draft.finish
                _note_anthropic_usage(event, draft)


def _anthropic_messages(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            result = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.text}
            # The results of one round of tools belong into one turn.
            if turns and turns[-1]["role"] == "user" and isinstance(turns[-1]["content"], list):
                turns[-1]["content"].append(result)
            else:
                turns.append({"role": "user", "content": [result]})
        elif message.tool_calls:
            blocks: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text else []
            blocks += [
                {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)}
                for call in message.tool_calls
            ]
            turns.append({"role": "assistant", "content": blocks})
        else:
            turns.append({"role": message.role, "content": message.text})
    return turns


def _note_anthropic_usage(raw: Any, draft: Draft) -> None:
    usage = getattr(raw, "usage", None)
    if usage is None:
        return
    parts = [
        getattr(usage, name, None)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    if isinstance(parts[0], int):
        draft.tokens_in = sum(part for part in parts if isinstance(part, int))
    tokens_out = getattr(usage, "output_tokens", None)
    draft.tokens_out = tokens_out if isinstance(tokens_out, int) else draft.tokens_out
    draft.estimated = draft.estimated or is_estimate(usage)
