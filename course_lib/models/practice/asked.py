"""Which question a request is about, and the how-manyeth attempt at it this is.

The everyday mix of faults draws once for each question and attempt. Both are read from the request alone, so
a draw never depends on what else was asked before, on threads, or on how the prompt around the question is
worded: two prompts can be compared on the same faults.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from course_lib.models.practice.conversation import Request

_LABELLED = re.compile(
    r"^\W*(?:(?:user|student|new|current)(?:'s)?\s+)?(?:question|sawaal|message)\W*:\W*(.+)$", re.I | re.M
)
_HINT = re.compile(
    r"^\W*(?:your |the |that )?(?:(?:previous|earlier|last|first|second|third|failed)\s+)?"
    r"(?:attempt|query|cypher|reply|answer|try)\b[^\n]*\b(?:failed|refused|wrong|invalid|error|unsafe|"
    r"not safe|0 rows|no rows|nothing|rejected|could not|cannot|did not|was|is)\b"
    r"|^\W*(?:previous|earlier|last|first|second|third|failed)\s+(?:attempt|query|cypher|reply|answer|try)\b",
    re.I | re.M,
)
"""A line that speaks about an earlier attempt, as error hints do."""

ATTEMPT_HEADER = "x-practice-attempt"
"""The attempt in so many words, counted from 1. It wins over what the text shows."""
RETRY_HEADER = "x-stainless-retry-count"
"""What the SDKs send with each try of the same request, counted from 0; a router may set it too."""


def _hints(text: str) -> int:
    return len(_HINT.findall(text))


def question_of(request: Request) -> str:
    """The question: what follows a `Question:` label, else the last user message that is no hint."""
    users = [turn.text for turn in request.turns if turn.role == "user"]
    for text in reversed(users):
        labelled = _LABELLED.findall(text)
        if labelled:
            return str(labelled[-1]).strip()
    for text in reversed(users):
        if not _hints(text):
            return text.strip()
    return users[0].strip() if users else ""


def attempt_of(request: Request, headers: Mapping[str, str]) -> int:
    """The attempt, counted from 1: earlier attempts that the text shows, and retries that the header counts.

    Args:
        request: the request.
        headers: the HTTP headers, names in lower case.
    """
    named = headers.get(ATTEMPT_HEADER, "")
    if named.isascii() and named.isdigit() and int(named) > 0:
        return int(named)
    retries = headers.get(RETRY_HEADER, "")
    attempt = 1 + (int(retries) if retries.isascii() and retries.isdigit() else 0)
    question = question_of(request)
    for turn in reversed(request.turns):
        if turn.role == "user":
            attempt += _hints(turn.text)
            if question in turn.text:
                break
    return attempt
