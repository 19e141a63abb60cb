"""The one door to the practice model's behaviour: a `Request` in, a `Reply` out.

`respond` depends on nothing but the request: the same request gives the same reply, in any order and from any
thread. What kind of task a prompt sets is told from its text, as a model would.
"""

from __future__ import annotations

import json
import re

from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.mind.answering import word_rows
from course_lib.models.practice.mind.asking import answer_with_query, bare_query
from course_lib.models.practice.mind.facts import free_form, triple_place, typed
from course_lib.models.practice.mind.misses import forget_misses, known_misses
from course_lib.models.practice.mind.prompt_form import PromptParts, read_prompt
from course_lib.models.practice.mind.scope import Kind, published_range
from course_lib.models.practice.mind.structured import instance_of
from course_lib.models.practice.mind.talk import small_talk
from course_lib.models.practice.mind.tooling import answer_with_tools

__all__ = ["Kind", "forget_misses", "known_misses", "published_range", "respond"]

_WANTS_QUERY = re.compile(r"\bcypher\b|\bgraph query\b|\bquery language\b|\bfalkordb\b|\bneo4j\b", re.I)
_WANTS_WORDS = re.compile(
    r"\bsentences?\b|\bin words\b|\bword the\b|\bfrom the rows\b|\banswer the (?:question|user)\b", re.I
)
_WANTS_FACTS = re.compile(
    r"\btriples?\b|\bextract\w*\b[^.\n]{0,40}\bfacts?\b|\bfacts?\b[^.\n]{0,40}\b(?:triples?|graph)\b|\brelations?(?:hips?)?\b[^.\n]{0,40}\bmessage",
    re.I,
)


def respond(request: Request) -> Reply:
    """What the practice model says to a request.

    Args:
        request: the whole conversation, as the wire modules read it.

    Returns:
        The reply. Faults on cue are put on it by whoever asked for them, not here.
    """
    parts = read_prompt(request)
    if request.output_schema is not None:
        return Reply(_structured(request, parts))
    if request.tools:
        reply = answer_with_tools(request, parts)
        if reply is not None:
            return reply
    return Reply(_text(parts))


def _text(parts: PromptParts) -> str:
    if wants_words(parts):
        return word_rows(parts)
    if _WANTS_FACTS.search(parts.instructions) and not parts.schema:
        return free_form(parts.message or parts.question, parts.instructions)
    if wants_query(parts):
        return answer_with_query(parts)
    return small_talk(parts)


def wants_words(parts: PromptParts) -> bool:
    """Whether the prompt holds rows that are to be worded."""
    return parts.has_rows and bool(_WANTS_WORDS.search(parts.instructions) or not parts.schema)


def wants_query(parts: PromptParts) -> bool:
    """Whether the prompt asks for a query: it has a schema, or speaks of Cypher."""
    return bool(parts.question) and bool(parts.schema or _WANTS_QUERY.search(parts.instructions))


def _structured(request: Request, parts: PromptParts) -> str:
    schema = request.output_schema or {}
    message = parts.message or parts.question
    if triple_place(schema) is not None:
        return json.dumps(typed(message, schema, parts.instructions), ensure_ascii=False)
    made = instance_of(
        schema,
        message,
        query=(lambda: bare_query(parts)) if wants_query(parts) else None,
        answer=(lambda: word_rows(parts)) if parts.has_rows else None,
    )
    return json.dumps(made, ensure_ascii=False)
