"""What a store holds, as a hash: to compare two stores, whatever engine and order of writing made them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from course_lib.crumb.store import Store


def checksum(store: Store, only: Iterable[str] | None = None) -> str:
    """See `Store.checksum`."""
    wanted = None if only is None else set(only)
    # The sum of the lines' hashes does not depend on their order, so nothing is sorted or kept in memory.
    total = 0
    for name, kind in store.read("CALL show_tables() RETURN name, type"):
        if wanted is not None and name not in wanted:
            continue
        pattern = "(n:`{}`) RETURN n" if kind == "NODE" else "(a)-[e:`{}`]->(b) RETURN a, e, b"
        for row in store.read(f"MATCH {pattern.format(name)}"):
            parts = (row[0],) if kind == "NODE" else (_key(row[0]), row[1], _key(row[2]))
            line = json.dumps([name, [_plain(part) for part in parts]], sort_keys=True, ensure_ascii=False)
            total += int.from_bytes(hashlib.sha256(line.encode("utf-8", "surrogatepass")).digest(), "big")
    return f"{total % (1 << 256):064x}"


def _key(node: Any) -> list[str]:
    """What an edge's end is known by: its label, and its key."""
    return [node.labels[0], node.properties.get("id", node.properties.get("name", ""))]


def _plain(part: Any) -> Any:
    return part if isinstance(part, list) else dict(part.properties)
