"""How many tokens a text has, roughly."""

from __future__ import annotations

BYTES_PER_TOKEN = 4
"""Bytes of UTF-8 that count as one token. Each model counts in its own way; for English and Cypher this is
near enough to keep to a budget."""


def count_tokens(text: str) -> int:
    """An estimate of a text's tokens: 0 for an empty one, else at least 1."""
    return -(-len(text.encode("utf-8", errors="replace")) // BYTES_PER_TOKEN)
