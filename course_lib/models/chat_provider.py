"""Providers with the OpenAI-compatible chat API."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from course_lib.models.calls import CallRequest
from course_lib.models.failures import refusal_in
from course_lib.models.sdk_provider import Draft, SdkProvider, is_estimate
from course_lib.models.wire import TimeLimit


class ChatProvider(SdkProvider):
    """A provider with the OpenAI-compatible chat API, through the `openai` or the `groq` SDK."""

    @property
    def sdk_name(self) -> str:  # type: ignore[override]
        """Which SDK speaks to it."""
        return "groq" if self.info.kind == "groq" else "openai"

    def _new_client(self, sdk: Any, **options: Any) -> Any:
        return sdk.Groq(**options) if self.info.kind == "groq" else sdk.OpenAI(**options)

    def _ask(self, client: Any, request: CallRequest, limit: TimeLimit, *, stream: bool) -> Any:
        fields: dict[str, Any] = {
            "model": self.model,
            "messages": _chat_messages(request),
            "max_completion_tokens" if self.info.kind == "groq" else "max_tokens": request.max_tokens,
            "timeout": self._timeout(limit),
        }
        extra = self._extra()
        if request.temperature is not None and "temperature" not in self.info.refuses:
            fields["temperature"] = request.temperature
        if request.stop:
            fields["stop"] = list(request.stop)
        if request.tools:
            fields["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": dict(tool.parameters),
                    },
                }
                for tool in request.tools
            ]
        if request.output_schema is not None:
            fields["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(request.output_schema)},
            }
        if stream:
            fields["stream"] = True
            if self.info.stream_usage:
                extra["stream_options"] = {"include_usage": True}
        if extra:
            fields["extra_body"] = extra
        return client.chat.completions.create(**fields)

    def _read(self, raw: Any) -> Draft:
        self._raise_hidden_refusal(raw)
        choices = getattr(raw, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = getattr(choice, "message", None)
        if message is None:
            raise self._failures.unreadable("there is no answer in it")
        draft = Draft(model=getattr(raw, "model", None), finish=getattr(choice, "finish_reason", None))
        draft.text = _chat_text(getattr(message, "content", None))
        if refusal := getattr(message, "refusal", None):
            draft.text, draft.finish = draft.text or str(refusal), "refusal"
        for call in getattr(message, "tool_calls", None) or ():
            draft.tool_calls.append(
                {
                    "id": call.id or "",
                    "name": call.function.name or "",
                    "arguments": call.function.arguments or "",
                }
            )
        _note_chat_usage(raw, draft)
        return draft

    def _read_stream(self, raw: Any, draft: Draft) -> Iterator[str]:
        for chunk in raw:
            self._raise_hidden_refusal(chunk)
            draft.model = getattr(chunk, "model", None) or draft.model
            _note_chat_usage(chunk, draft)
            choices = getattr(chunk, "choices", None)
            if not choices:
                continue
            delta = getattr(choices[0], "delta", None)
            for part in getattr(delta, "tool_calls", None) or ():
                _add_tool_part(draft, part)
            # The text first: a server may send the last words and the reason for the end in one piece.
            yield _chat_text(getattr(delta, "content", None))
            draft.finish = getattr(choices[0], "finish_reason", None) or draft.finish

    def _raise_hidden_refusal(self, raw: Any) -> None:
        super()._raise_hidden_refusal(raw)
        refusal = None
        choices = getattr(raw, "choices", None)
        if isinstance(choices, list) and choices:
            # OpenRouter puts a failure of the provider behind it into the choice.
            refusal = refusal_in((getattr(choices[0], "model_extra", None) or {}).get("error"))
        if refusal is not None:
            raise self._failures.refused(refusal)


def _chat_messages(request: CallRequest) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if request.system:
        messages.append({"role": "system", "content": request.system})
    for message in request.messages:
        if message.role == "tool":
            messages.append({"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text})
            continue
        plain: dict[str, Any] = {"role": message.role, "content": message.text}
        if message.tool_calls:
            plain["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
                }
                for call in message.tool_calls
            ]
        messages.append(plain)
    return messages


def _chat_text(content: Any) -> str:
    """The text of a message: a plain one, or the parts of type `text` where it is a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        plain = part if isinstance(part, Mapping) else getattr(part, "__dict__", {})
        if plain.get("type") == "text":
            texts.append(str(plain.get("text") or ""))
    return "".join(texts)


def _add_tool_part(draft: Draft, part: Any) -> None:
    index = part.index if isinstance(getattr(part, "index", None), int) else len(draft.tool_calls)
    while len(draft.tool_calls) <= index:
        draft.tool_calls.append({"id": "", "name": "", "arguments": ""})
    call = draft.tool_calls[index]
    call["id"] = call["id"] or getattr(part, "id", None) or ""
    function = getattr(part, "function", None)
    call["name"] = call["name"] or getattr(function, "name", None) or ""
    call["arguments"] += getattr(function, "arguments", None) or ""


def _note_chat_usage(raw: Any, draft: Draft) -> None:
    usage = getattr(raw, "usage", None)
    if usage is None:
        # Groq ends a stream with the counts in a field of its own.
        usage = getattr(getattr(raw, "x_groq", None), "usage", None)
    if usage is None:
        return
    tokens_in, tokens_out = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    draft.tokens_in = tokens_in if isinstance(tokens_in, int) else draft.tokens_in
    draft.tokens_out = tokens_out if isinstance(tokens_out, int) else draft.tokens_out
    draft.estimated = draft.estimated or is_estimate(usage)
