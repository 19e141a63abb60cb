"""What a reply holds that was cut off: the complete items of its list."""

from __future__ import annotations

import json
from typing import Any


def items_of(text: str, name: str = "triples") -> list[Any]:
    """The complete items of the list `name` in a JSON text that may end anywhere.

    Args:
        text: the reply, whole or cut off.
        name: the property that holds the list.
    """
    key = text.find(f'"{name}"')
    start = text.find("[", key) if key >= 0 else -1
    if start < 0:
        return []
    items: list[Any] = []
    decoder, at = json.JSONDecoder(), start + 1
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) or text[at] == "]":
            return items
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return items
        items.append(item)
