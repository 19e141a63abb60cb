"""Token counts of the practice model: an estimate, and it says so.

Each provider counts with a tokenizer of its own, so the same text has another count at each. The practice
model has no tokenizer. It takes one token for every four bytes of UTF-8, rounded up: near enough for
English, for Cypher and for Hinglish in Latin letters to teach what a limit, a cut and a price are. It is the
same on every machine. Bills are the provider's business.
"""

from __future__ import annotations

from course_lib.models.practice.conversation import Reply, Request

BYTES_PER_TOKEN = 4
"""How many bytes of UTF-8 count as one token."""

TOKENS_PER_TURN = 4
"""What each message costs besides its text: role and separators."""

ESTIMATE_NOTE = f"estimate of the practice model: {BYTES_PER_TOKEN} bytes a token"
"""Goes into `usage`, so that nobody takes the figure for a provider's count."""


def estimate(text: str) -> int:
    """How many tokens a text is taken to have: 0 for an empty one, else at least 1."""
    size = len(text) if text.isascii() else len(text.encode("utf-8"))
    return -(-size // BYTES_PER_TOKEN)


def cut(text: str, tokens: int) -> str:
    """The longest beginning of a text that `estimate` puts at no more than `tokens`."""
    limit = tokens * BYTES_PER_TOKEN
    if text.isascii():
        return text[:limit]
    return text.encode("utf-8")[:limit].decode("utf-8", errors="ignore")


def input_tokens(request: Request, tools_json: str = "") -> int:
    """Estimated tokens of everything that was sent.

    Args:
        request: the request.
        tools_json: the tool definitions as they were sent, since they count too.
    """
    total = estimate(request.system) + estimate(tools_json)
    for turn in request.turns:
        total += TOKENS_PER_TURN + estimate(turn.text)
        total += sum(estimate(call.name) + estimate(str(dict(call.arguments))) for call in turn.tool_calls)
    return max(total, 1)


def output_tokens(reply: Reply) -> int:
    """Estimated tokens of a reply, its tool calls included."""
    calls = sum(estimate(call.name) + estimate(str(dict(call.arguments))) for call in reply.tool_calls)
    return max(estimate(reply.text) + calls, 1)
