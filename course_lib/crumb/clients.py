"""One call for structured output, whichever SDK's client is handed in.

The SDKs' own `parse` helpers raise on a refusal and on a reply that was cut off, and the reply is gone. So
the call is made plainly, and what came back is validated by us.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from course_lib.errors import CourseError

End = Literal["whole", "cut off", "refused"]

MAX_TOKENS = 4_000
"""Tokens that one reply may have; some forty triples."""


class UnknownClientError(CourseError):
    """Something was handed in as a client that cannot be asked."""


class NoReplyError(CourseError):
    """The model could not be asked, or gave no answer at all."""


@dataclass(frozen=True)
class Ask:
    """What is asked."""

    system: str
    user: str
    schema: Mapping[str, Any] | None = None
    """The JSON schema that the reply must have; None for plain text."""
    model: str = "practice-1"
    max_tokens: int = MAX_TOKENS


@dataclass(frozen=True)
class Said:
    """What came back."""

    text: str
    end: End = "whole"


Client = Any
"""An `anthropic` client, an `openai` or `groq` one, or a function from an `Ask` to `Said` or a text."""


def say(client: Client, ask: Ask) -> Said:
    """Asks once.

    Args:
        client: who is asked; see `Client`.
        ask: what is asked.

    Raises:
        UnknownClientError: it is none of the clients that can be asked here.
        NoReplyError: the call failed; the SDK's own exception is its cause.
    """
    how = _way(client)
    try:
        return how(client, ask)
    except CourseError:
        raise
    except Exception as error:
        # The SDKs raise their own classes, and a cut connection surfaces as the HTTP library's.
        raise NoReplyError(
            f"The model gave no reply ({type(error).__name__}).",
            "Try again; if it goes on, see what the model's provider says in the error's cause.",
        ) from error


def _way(client: Client) -> Callable[[Client, Ask], Said]:
    if hasattr(getattr(client, "messages", None), "create"):
        return _anthropic
    if hasattr(getattr(getattr(client, "chat", None), "completions", None), "create"):
        return _chat
    if callable(client):
        return _function
    raise UnknownClientError(
        f"{type(client).__name__} cannot be asked.",
        "Hand in a client of anthropic, openai or groq, or leave it out for the one that the settings name.",
    )


def _waited(reply: Any) -> Any:
    if inspect.isawaitable(reply):
        if inspect.iscoroutine(reply):
            reply.close()
        raise UnknownClientError(
            "This is an asynchronous client.", "Hand in the plain one: Anthropic in place of AsyncAnthropic."
        )
    return reply


def _anthropic(client: Client, ask: Ask) -> Said:
    fields: dict[str, Any] = {
        "model": ask.model,
        "max_tokens": ask.max_tokens,
        "system": ask.system,
        "messages": [{"role": "user", "content": ask.user}],
    }
    if ask.schema is not None:
        fields["output_config"] = {"format": {"type": "json_schema", "schema": dict(ask.schema)}}
    reply = _waited(client.messages.create(**fields))
    blocks = reply.content if isinstance(reply.content, list) else []
    text = "".join(block.text or "" for block in blocks if getattr(block, "type", None) == "text")
    ends: dict[str, End] = {"refusal": "refused", "max_tokens": "cut off"}
    return Said(text, ends.get(str(reply.stop_reason), "whole"))


def _chat(client: Client, ask: Ask) -> Said:
    fields: dict[str, Any] = {
        "model": ask.model,
        "max_completion_tokens": ask.max_tokens,
        "messages": [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}],
    }
    if ask.schema is not None:
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "triples", "strict": True, "schema": dict(ask.schema)},
        }
    reply = _waited(client.chat.completions.create(**fields))
    choice = reply.choices[0] if reply.choices else None
    if choice is None or choice.message is None:
        return Said("")
    refusal = getattr(choice.message, "refusal", None)
    if refusal:
        return Said(str(refusal), "refused")
    ends: dict[str, End] = {"length": "cut off", "content_filter": "refused"}
    return Said(choice.message.content or "", ends.get(str(choice.finish_reason), "whole"))


def _function(client: Client, ask: Ask) -> Said:
    said = _waited(client(ask))
    return said if isinstance(said, Said) else Said(str(said))


def default_client() -> tuple[Client, str]:
    """The client and the model that the settings name; the practice model when they name none."""
    # The one place where this half reaches for a model: everything else is handed its client.
    from course_lib.models.sdk import sdk_client

    found = sdk_client()
    return found.client, found.model


def model_for(client: Client) -> str:
    """The model to name in a call of a client that was handed in without one.

    Raises:
        UnknownClientError: it talks to a provider on the net, and which model is meant has to be said.
    """
    address = str(getattr(client, "base_url", ""))
    if not address or "//127.0.0.1" in address or "//localhost" in address or "//[::1]" in address:
        return "practice-1"
    raise UnknownClientError("Which model of this provider is meant?", "Say it: extract(…, model='…').")
