"""What a call cost: tokens times the list price, an estimate and never a bill."""

from __future__ import annotations

import json

from course_lib.models.calls import CallRequest, ToolCall, Usage, message_to_json
from course_lib.models.catalogue import Price
from course_lib.models.practice.tokens import estimate

PER_TOKENS = 1_000_000
"""Prices are per million tokens."""


def cost_usd(tokens_in: int, tokens_out: int, price: Price | None) -> float | None:
    """US dollars for so many tokens, or None where no price is known."""
    if price is None:
        return None
    return (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / PER_TOKENS


def count_usage(
    request: CallRequest,
    text: str,
    tool_calls: tuple[ToolCall, ...] = (),
    *,
    price: Price | None,
    tokens_in: int | None = None,
    tokens_out: int | None = None,
    estimated: bool = False,
) -> Usage:
    """Makes a `Usage` of the provider's own counts, or of the texts' lengths where it gave none.

    Args:
        request: what was asked.
        text: what came back.
        tool_calls: the tools that the reply asks for.
        price: the model's price, or None where it is not known.
        tokens_in: the provider's count of what was asked, or None.
        tokens_out: the provider's count of what came back, or None.
        estimated: the provider says that its own counts are estimates.
    """
    guessed = tokens_in is None or tokens_out is None
    if tokens_in is None:
        asked = [json.dumps(message_to_json(message), ensure_ascii=False) for message in request.messages]
        tools = [json.dumps([tool.name, tool.description, dict(tool.parameters)]) for tool in request.tools]
        tokens_in = estimate("\n".join([request.system, *asked, *tools]))
    if tokens_out is None:
        tokens_out = estimate(text + "".join(json.dumps(dict(call.arguments)) for call in tool_calls))
    return Usage(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=cost_usd(tokens_in, tokens_out, price),
        estimated=guessed or estimated,
    )


def dollars(amount: float | None) -> str:
    """An amount as a learner reads it: `$0.0123`, `under $0.0001`, `unknown`."""
    if amount is None:
        return "unknown"
    if amount == 0:
        return "$0"
    return f"${amount:.4f}" if amount >= 0.0001 else "under $0.0001"
