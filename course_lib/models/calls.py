"""What is asked of a model and what comes back, whoever the provider is.

`CallRequest` goes to a provider, `Reply` comes back from the router. Nothing in either is a key, so both may
be printed, saved and compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "tool"]
StopReason = Literal["end", "max_tokens", "tool_use", "refusal"]

DEFAULT_MAX_TOKENS = 2_048
"""Tokens that a reply may take unless the caller says otherwise. Groq's free plan counts this allowance
against its 8,000 tokens a minute before the model has said a word, so it is no larger than needed."""


@dataclass(frozen=True)
class Tool:
    """A tool on offer: its name, what it does, and the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """The model asks for a tool to be run."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Message:
    """One message of a conversation. A `tool` message carries a tool's result and the id of its call."""

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True)
class CallRequest:
    """One call of a model, in no provider's dialect."""

    messages: tuple[Message, ...]
    system: str = ""
    output_schema: Mapping[str, Any] | None = None
    """A JSON schema: the reply must be JSON of that form, and `Reply.data` holds it."""
    max_tokens: int = DEFAULT_MAX_TOKENS
    temperature: float | None = None
    """None leaves it to the provider. A provider whose model takes none is not sent one."""
    stop: tuple[str, ...] = ()
    """Texts at which the model stops."""
    tools: tuple[Tool, ...] = ()

    @property
    def digest(self) -> str:
        """A short fingerprint of what is asked; two requests that ask the same have the same one.

        `max_tokens` and `temperature` are left out: they change how the answer is made, not the question.
        """
        asked = {
            "system": self.system,
            "messages": [message_to_json(message) for message in self.messages],
            "schema": self.output_schema,
            "tools": [[tool.name, tool.description, tool.parameters] for tool in self.tools],
            "stop": list(self.stop),
        }
        text = json.dumps(asked, sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def message_to_json(message: Message) -> dict[str, Any]:
    """A message as plain JSON values, without the fields that are empty."""
    plain: dict[str, Any] = {"role": message.role, "text": message.text}
    if message.tool_calls:
        plain["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": dict(call.arguments)}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        plain["tool_call_id"] = message.tool_call_id
    return plain


def as_request(
    prompt: str | Sequence[Message] | CallRequest,
    system: str | None = None,
    *,
    output_schema: Mapping[str, Any] | None = None,
    max_tokens: int | None = None,
    temperature: float | None = None,
    stop: Sequence[str] = (),
    tools: Sequence[Tool] = (),
) -> CallRequest:
    """Makes a `CallRequest` of a question, a conversation, or a request that is one already."""
    if isinstance(prompt, CallRequest):
        return prompt
    messages = (Message("user", prompt),) if isinstance(prompt, str) else tuple(prompt)
    return CallRequest(
        messages=messages,
        system=system or "",
        output_schema=output_schema,
        max_tokens=DEFAULT_MAX_TOKENS if max_tokens is None else max_tokens,
        temperature=temperature,
        stop=tuple(stop),
        tools=tuple(tools),
    )


@dataclass(frozen=True)
class Usage:
    """What a call took."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = None
    """US dollars by the prices in `providers.toml`: an estimate, not a bill. None where no price is known."""
    estimated: bool = False
    """True when the provider did not count the tokens: they are then estimated from the text's length."""


@dataclass(frozen=True)
class Attempt:
    """One line of the report: who was asked and what came of it."""

    provider: str
    model: str
    outcome: str
    """`answered`, `no key`, `resting`, or the label of an error such as `rate limited`."""
    detail: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Reply:
    """What a model said, and who it was."""

    text: str
    provider: str
    model: str
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """From the question to the end of the reply, waiting and earlier attempts included."""
    tried: tuple[Attempt, ...] = ()
    """Everyone who was asked for this reply, the one who answered last."""
    stop: StopReason = "end"
    tool_calls: tuple[ToolCall, ...] = ()
    data: Any = None
    """The parsed JSON, where the request had an `output_schema`."""

    @property
    def cut_off(self) -> bool:
        """True when the reply ran into the token limit: its end is missing."""
        return self.stop == "max_tokens"

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        # No seconds here: this is what a notebook stores, and a stored output should be the same tomorrow.
        counted = f"{self.usage.tokens_in} tokens in, {self.usage.tokens_out} out"
        return f"Reply({self.text!r}, from {self.provider}: {self.model}, {counted})"
