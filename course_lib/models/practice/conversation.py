"""What a request and a reply are, whatever wire format they came in.

The wire modules turn an HTTP body into a `Request`; the behaviour turns a `Request` into a `Reply`; the wire
modules turn that into the provider's own shape. Behaviour never sees HTTP, and the wire never sees meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["user", "assistant", "tool"]
StopReason = Literal["end", "max_tokens", "tool_use", "refusal"]


@dataclass(frozen=True)
class Tool:
    """A tool that the caller offers: its name, its description and the JSON schema of its arguments."""

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
class Turn:
    """One message of the conversation. A `tool` turn carries a tool's result and the id of its call."""

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True)
class Request:
    """What the model is asked."""

    turns: tuple[Turn, ...]
    system: str = ""
    output_schema: Mapping[str, Any] | None = None
    tools: tuple[Tool, ...] = ()
    max_tokens: int | None = None
    model: str = "practice-1"
    must_call: bool = False
    """The caller insists on a tool call; where it named one tool, `tools` holds that one."""


@dataclass(frozen=True)
class Reply:
    """What the model says: text, or tool calls, or both."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = field(default=())
    stop: StopReason = "end"
