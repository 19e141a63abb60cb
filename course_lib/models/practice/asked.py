"""Which question a request is about, and the how-manyeth attempt at it this is.

The everyday mix of faults draws once for each question and attempt. Both are read from the request alone, so
a draw never depends on what else was asked before, on threads, or on how the prompt around the question is
worded: two prompts can be compared on the same faults.

An earlier attempt shows in one of two ways: as a part of the prompt (`# Previous attempt`, `What went
wrong:`), or as a conversation in which the user complains about the assistant's last reply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from course_lib.models.practice.conversation import Request, Turn

ATTEMPT_HEADER = "x-practice-attempt"
"""The attempt in so many words, counted from 1. It wins over what the text shows."""

RETRY_HEADER = "x-stainless-retry-count"
"""What the SDKs send with each try of the same request, counted from 0; a router may set it too."""

_QUESTION = re.compile(
    r"^[^\w\n]*(?:(?:user|student|new|current|the)(?:'s)? )?(?:question|sawaal|message)[* ]*:[* ]*"
    r"(?P<inline>\S.*)$"
    r"|^ {0,3}#{1,4} *(?:\w+ )?(?:question|message)[^\w\n]*\n\s*(?P<below>\S.*)$"
    r"|^ *<(?:question|message)>\s*(?P<tagged>.+?)\s*(?:</|$)",
    re.IGNORECASE | re.MULTILINE,
)
_EARLIER_PART = re.compile(
    r"^[^\w\n]*(?:the |your )?(?:previous|earlier|last|failed)\s+(?:attempt|try|query|reply)\b", re.I | re.M
)
_WENT_WRONG = re.compile(r"^[^\w\n]*what went wrong\b", re.IGNORECASE | re.MULTILINE)
_COMPLAINT = re.compile(
    r"\b(?:failed|fails|error|refused|rejected|0 rows|no rows|unsafe|not safe|went wrong|try again|invalid|"
    r"cut off|not valid|could not be (?:read|run))\b",
    re.IGNORECASE,
)


def _labelled(text: str) -> str | None:
    found = [m.group("inline") or m.group("below") or m.group("tagged") for m in _QUESTION.finditer(text)]
    return found[-1].strip() if found else None


def _split(request: Request) -> tuple[str, Turn | None, int]:
    """The question, the turn that asks it, and how many complaints follow it."""
    complaints = 0
    turns = request.turns
    for index in range(len(turns) - 1, -1, -1):
        turn = turns[index]
        if turn.role != "user":
            continue
        labelled = _labelled(turn.text)
        after_reply = index > 0 and turns[index - 1].role == "assistant"
        if labelled is None and after_reply and _COMPLAINT.search(turn.text):
            complaints += 1
            continue
        return labelled or turn.text.strip(), turn, complaints
    return "", None, complaints


def question_of(request: Request) -> str:
    """The question: what follows a `Question` label, else the last user turn that is no complaint."""
    return _split(request)[0]


def attempt_of(request: Request, headers: Mapping[str, str]) -> int:
    """The attempt, counted from 1: earlier attempts that the text shows, and retries that a header counts.

    Args:
        request: the request.
        headers: the HTTP headers, names in lower case.
    """
    named = headers.get(ATTEMPT_HEADER, "")
    if named.isascii() and named.isdigit() and int(named) > 0:
        return int(named)
    retries = headers.get(RETRY_HEADER, "")
    attempt = 1 + (int(retries) if retries.isascii() and retries.isdigit() else 0)
    _, turn, complaints = _split(request)
    shown = turn.text if turn is not None else ""
    parts = max(len(_EARLIER_PART.findall(shown)), len(_WENT_WRONG.findall(shown)))
    return attempt + complaints + parts
