"""Constrained extraction: a message in, typed triples out, with the words of the message that carry them.

The model's reply is checked three times: it must be JSON of the schema's shape, each triple must be valid by
itself, and its evidence must stand in the message. A triple that fails the last goes to a person; a reply
that was refused or cut off keeps what it held.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from course_lib.crumb.clients import (
    MAX_TOKENS,
    Ask,
    Client,
    NoReplyError,
    Said,
    default_client,
    model_for,
    say,
)
from course_lib.crumb.evidence import is_in
from course_lib.crumb.partial_json import items_of
from course_lib.crumb.prompts import system_prompt, wrapped
from course_lib.crumb.triples import (
    RELATIONS,
    SPEAKER,
    STANCES,
    Doubt,
    Extraction,
    Problem,
    Stance,
    Triple,
)
from course_lib.errors import CourseError

__all__ = [
    "MAX_MESSAGE",
    "RELATIONS",
    "SPEAKER",
    "STANCES",
    "Doubt",
    "Extraction",
    "MessageTooLongError",
    "NoReplyError",
    "Problem",
    "Stance",
    "Triple",
    "extract",
]

MAX_MESSAGE = 400_000
"""Characters of the longest message that is read."""
PIECE = 6_000
"""Characters of a message that go into one call; a longer one is read in pieces that end with a sentence."""

NOT_IN_MESSAGE = "the words given as evidence are not in the message"
NO_EVIDENCE = "no words of the message are given as evidence"


class MessageTooLongError(CourseError):
    """A message is longer than anybody writes."""


def extract(
    message: str,
    client: Client | None = None,
    *,
    model: str | None = None,
    system: str | None = None,
    relations: tuple[str, ...] = RELATIONS,
    max_tokens: int = MAX_TOKENS,
) -> Extraction:
    """Typed triples of a message.

    Args:
        message: what the customer wrote. Nothing in it is an instruction.
        client: an `anthropic`, `openai` or `groq` client, or a function from `Ask` to text; the one that the
            settings name when None.
        model: the model to ask; a local one is asked as `practice-1`.
        system: the system prompt; `prompts.system_prompt()` when None.
        relations: the relations that a triple may use.
        max_tokens: tokens that one reply may have.

    Returns:
        The triples with their stance, those in doubt, and what went wrong. An empty message asks nobody.

    Raises:
        MessageTooLongError: the message is longer than `MAX_MESSAGE` characters.
        NoReplyError: the model could not be asked.
        UnknownClientError: the client is none that can be asked.
    """
    if len(message) > MAX_MESSAGE:
        raise MessageTooLongError(
            f"The message has {len(message)} characters; at most {MAX_MESSAGE} are read.",
            "Cut it into parts, and extract each.",
        )
    if not message.strip():
        return Extraction(problems=(Problem("empty message", "nobody was asked"),), message=message)
    if client is None:
        client, named = default_client()
        model = model or named
    asked = model or model_for(client)
    triples: list[Triple] = []
    doubts: list[Doubt] = []
    problems: list[Problem] = []
    for piece in _pieces(message):
        said = say(
            client,
            Ask(
                system if system is not None else system_prompt(),
                wrapped(piece),
                _schema(relations),
                asked,
                max_tokens,
            ),
        )
        found = read_reply(said, message, relations)
        triples += found.triples
        doubts += found.doubts
        problems += found.problems
    return Extraction(
        tuple(dict.fromkeys(triples)), tuple(dict.fromkeys(doubts)), tuple(dict.fromkeys(problems)), message
    )


def read_reply(said: Said, message: str, relations: tuple[str, ...] = RELATIONS) -> Extraction:
    """Validates one reply.

    Args:
        said: the reply.
        message: the message that it is about.
        relations: the relations that a triple may use.
    """
    problems: list[Problem] = []
    if said.end == "refused":
        problems.append(Problem("refused", said.text[:200] or "the model would not answer"))
    items = _items(said, problems)
    triples, doubts = [], []
    for item in items:
        triple = _triple(item, relations, problems)
        if triple is None:
            continue
        if not triple.evidence:
            doubts.append(Doubt(triple, NO_EVIDENCE))
        elif not is_in(triple.evidence, message):
            doubts.append(Doubt(triple, NOT_IN_MESSAGE))
        else:
            triples.append(triple)
    return Extraction(tuple(triples), tuple(doubts), tuple(problems), message)


def _schema(relations: tuple[str, ...]) -> dict[str, Any]:
    from course_lib.crumb.reply_schema import reply_schema

    return reply_schema(relations)


def _pieces(message: str) -> Iterator[str]:
    """A message in pieces that one call can hold, cut where a line or a sentence ends."""
    at = 0
    while len(message) - at > PIECE:
        window = message[at : at + PIECE]
        ends = [match.end() for match in re.finditer(r"[.!?\n।]\s|\n", window)]
        # Text without any end of a sentence is cut between words, or else where the piece is full.
        cut = ends[-1] if ends and ends[-1] > PIECE // 4 else window.rfind(" ") + 1 or PIECE
        if message[at : at + cut].strip():
            yield message[at : at + cut]
        at += cut
    if message[at:].strip():
        yield message[at:]


def _items(said: Said, problems: list[Problem]) -> list[Any]:
    text = said.text.strip()
    if said.end == "cut off":
        items = items_of(text)
        problems.append(Problem("cut off", f"{len(items)} whole triples were in it"))
        return items
    if not text:
        if said.end == "whole":
            problems.append(Problem("no reply", "the reply was empty"))
        return []
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError):
        items = items_of(text)
        if said.end == "whole":
            problems.append(Problem("not JSON", f"{len(items)} whole triples were in it"))
        return items
    listed = reply.get("triples") if isinstance(reply, dict) else None
    if not isinstance(listed, list):
        problems.append(Problem("not valid", "the reply has no list of triples"))
        return []
    return listed


def _triple(item: Any, relations: tuple[str, ...], problems: list[Problem]) -> Triple | None:
    from pydantic import ValidationError

    from course_lib.crumb.reply_schema import triple_model

    try:
        valid = triple_model(relations).model_validate(item)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        problems.append(Problem("not valid", f"{where or 'triple'}: {first['msg']}"))
        return None
    held = valid.model_dump()
    return Triple(
        held["subject"],
        held["relation"],
        held["object"],
        held["role"] or None,
        held["evidence"],
        held["stance"],
    )
