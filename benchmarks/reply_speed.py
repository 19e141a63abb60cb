"""How long it takes to find the query in a reply of a megabyte, however odd, and how the time grows.

python benchmarks/reply_speed.py
"""

from __future__ import annotations

import time
from contextlib import suppress

from course_lib.college.reply import NoCypherError, extract_cypher

QUERY = "MATCH (s:Student) RETURN s.name"
PIECES = {
    "opening tags": "<think>",
    "closing tags": "</think>",
    "backticks": "`",
    "fences": "```\n",
    "quotation marks": "'",
    "queries": QUERY + "\n\n",
    "prose": "Match the students now. ",
    "braces": "{",
    "JSON that never ends": '{"cypher":"',
    "escaped quotes": "\\'",
    "comments": "/**/",
    "short fences": "```a```\n",
    "equal fences": f"```\n{QUERY}\n```\n",
    "all of it": "<think>'```\n",
}


def seconds(text: str) -> float:
    """Processor time for one reply: the quicker of two."""
    best = float("inf")
    for _ in range(2):
        began = time.process_time()
        with suppress(NoCypherError):
            extract_cypher(text)
        best = min(best, time.process_time() - began)
    return best


def main() -> None:
    """Times each and prints."""
    for name, piece in PIECES.items():
        worst = 0.0
        for start in ("", "<think>", "```\n"):
            short, long = (seconds(start + piece * (size // len(piece))) for size in (250_000, 1_000_000))
            if long > worst:
                worst, ratio = long, long / max(short, 1e-6)
        print(f"{name:22} {worst:.2f} s, four times the length {ratio:4.1f} times as long")


if __name__ == "__main__":
    main()
