"""The free-form way: ask a model for triples and take whatever names and types it comes up with."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from course_lib.crumb.clients import Ask, Client, default_client, model_for, say
from course_lib.crumb.partial_json import items_of
from course_lib.crumb.prompts import wrapped

FREE_PROMPT = (
    "Extract the facts of this customer's message as triples for a graph.\n"
    "Reply with a JSON list of objects, each with subject, relation and object."
)
"""Nothing is fixed in it but the form: the names and the types of relationships are the model's."""


@dataclass(frozen=True)
class FreeTriple:
    """One triple as the model put it."""

    subject: str
    relation: str
    object: str


def free_triples(
    message: str, client: Client | None = None, *, model: str | None = None
) -> tuple[FreeTriple, ...]:
    """What a model makes of a message when nothing binds it.

    Args:
        message: what the customer wrote.
        client: an SDK's client or a function; the one that the settings name when None.
        model: the model to ask.

    Raises:
        NoReplyError: the model could not be asked.
    """
    if not message.strip():
        return ()
    if client is None:
        client, named = default_client()
        model = model or named
    return read_free(say(client, Ask(FREE_PROMPT, wrapped(message), None, model or model_for(client))).text)


def read_free(reply: str) -> tuple[FreeTriple, ...]:
    """The triples of a free-form reply: JSON, or JSON in a fence, or lines like `(Aarav, LIKES, cake)`.

    Args:
        reply: the model's text. What cannot be read is passed over: this is the careless way.
    """
    found = []
    for item in _json_items(reply):
        if isinstance(item, dict):
            parts = [item.get(name) for name in ("subject", "relation", "object")]
            if all(isinstance(part, str) and part.strip() for part in parts):
                found.append(FreeTriple(*(str(part).strip() for part in parts)))
    if not found:
        for match in re.finditer(r"^\s*[-*]?\s*\(([^,()]+),([^,()]+),(.+)\)\s*$", reply, re.M):
            found.append(FreeTriple(*(part.strip() for part in match.groups())))
    return tuple(found)


def _json_items(reply: str) -> list[object]:
    start = reply.find("[")
    if start < 0:
        return []
    try:
        listed = json.loads(reply[start : reply.rfind("]") + 1])
    except (ValueError, RecursionError):
        # Cut off or broken: what is whole in it.
        return items_of('{"triples": ' + reply[start:])
    return listed if isinstance(listed, list) else []
