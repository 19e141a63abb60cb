"""What happens to a reply between the behaviour and the wire: ids, stop sequences, the token limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from course_lib.models.practice.conversation import Reply
from course_lib.models.practice.tokens import cut, output_tokens

FinalStop = Literal["end", "max_tokens", "tool_use", "refusal", "stop_sequence"]


@dataclass(frozen=True)
class Shaped:
    """A reply as it goes out, why it stopped, and how many tokens it is taken to have."""

    reply: Reply
    stop: FinalStop
    tokens: int
    stop_sequence: str | None = None


def shape(
    reply: Reply,
    *,
    max_tokens: int | None,
    stops: Sequence[str],
    parallel: bool,
    new_id: Callable[[], str],
) -> Shaped:
    """Cuts a reply where the request says so and gives its tool calls ids of their own.

    Args:
        reply: what the behaviour said.
        max_tokens: the request's limit, or None.
        stops: stop sequences; the first one that appears ends the text, and is not part of it.
        parallel: False when the request allows one tool call only.
        new_id: makes an id for a tool call.
    """
    text, stop, found = reply.text, reply.stop, None
    at = len(text)
    for sequence in stops:
        position = text.find(sequence)
        if 0 <= position < at:
            at, found = position, sequence
    calls = reply.tool_calls if parallel else reply.tool_calls[:1]
    calls = tuple(replace(call, id=new_id()) for call in calls)
    if found is not None:
        cut_reply = Reply(text[:at], (), "end")
        return Shaped(cut_reply, "stop_sequence", output_tokens(cut_reply), found)
    whole = Reply(text, calls, stop)
    size = output_tokens(whole)
    if max_tokens is not None and size > max_tokens:
        # A real model is cut inside the JSON of a tool call; nothing of that call can be used, so it is left
        # out.
        cut_reply = Reply(cut(text, max_tokens), (), "max_tokens")
        return Shaped(cut_reply, "max_tokens", min(output_tokens(cut_reply), max_tokens))
    final: FinalStop = "tool_use" if calls and stop in ("end", "tool_use") else stop
    return Shaped(whole, "end" if final == "tool_use" and not calls else final, size)
