"""What the tests of the bakery's half share: the practice model without HTTP, for many messages."""

from __future__ import annotations

from functools import lru_cache

from course_lib.crumb.clients import Ask, Said
from course_lib.crumb.dataset import Labelled, read_chats, read_labelled
from course_lib.crumb.extraction import Extraction, extract
from course_lib.crumb.prompts import system_prompt
from course_lib.models.practice.behaviour import respond
from course_lib.models.practice.conversation import Request, Turn


def practice(ask: Ask) -> Said:
    """The practice model, asked directly: the same replies as over HTTP, a hundred times faster."""
    reply = respond(Request((Turn("user", ask.user),), ask.system, output_schema=ask.schema))
    return Said(reply.text)


@lru_cache(maxsize=2)
def week(without: tuple[str, ...] = ()) -> dict[str, Extraction]:
    """Every chat of the week, extracted; chat id -> extraction."""
    system = system_prompt(without)
    return {chat.id: extract(chat.text, practice, system=system) for chat in read_chats()}


@lru_cache(maxsize=2)
def labelled(without: tuple[str, ...] = ()) -> tuple[tuple[Labelled, ...], dict[str, Extraction]]:
    """The labelled messages, and each extracted."""
    system = system_prompt(without)
    messages = read_labelled()
    return messages, {m.id: extract(m.text, practice, system=system) for m in messages}
