"""The one door to the practice model's behaviour: a `Request` in, a `Reply` out.

`respond` depends on nothing but the request: the same request gives the same reply, in any order and from any
thread. What kind of task a prompt sets is told from its text, as a model would.
"""

from __future__ import annotations

import re

from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.mind.asking import answer_with_query
from course_lib.models.practice.mind.prompt_form import PromptParts, read_prompt
from course_lib.models.practice.mind.talk import small_talk

_WANTS_QUERY = re.compile(r"\bcypher\b|\bgraph query\b|\bquery language\b|\bfalkordb\b|\bneo4j\b", re.I)


def respond(request: Request) -> Reply:
    """What the practice model says to a request.

    Args:
        request: the whole conversation, as the wire modules read it.

    Returns:
        The reply. Faults on cue are put on it by whoever asked for them, not here.
    """
    parts = read_prompt(request)
    if wants_query(parts):
        return Reply(answer_with_query(parts))
    return Reply(small_talk(parts))


def wants_query(parts: PromptParts) -> bool:
    """Whether the prompt asks for a query: it has a schema, or speaks of Cypher."""
    return bool(parts.question) and bool(parts.schema or _WANTS_QUERY.search(parts.instructions))
