"""How long it takes to find the query in a reply of a megabyte, however odd.

python benchmarks/reply_speed.py
"""

from __future__ import annotations

import time

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
    "all of it": "<think>'```\n",
}


def main() -> None:
    """Times each and prints."""
    for name, piece in PIECES.items():
        text = piece * (1_000_000 // len(piece))
        began = time.process_time()
        try:
            extract_cypher(text)
        except NoCypherError:
            found = "no query"
        else:
            found = "a query"
        print(f"{name:16} {len(text):>9,} characters: {time.process_time() - began:.2f} s, {found}")


if __name__ == "__main__":
    main()
