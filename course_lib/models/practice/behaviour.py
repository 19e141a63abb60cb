"""The one door to the practice model's behaviour: a `Request` in, a `Reply` out.

`respond` is pure and deterministic: the same request gives the same reply, in any order and from any thread.
"""

from __future__ import annotations

from course_lib.models.practice.conversation import Reply, Request


def respond(request: Request) -> Reply:
    """What the practice model says to a request.

    Args:
        request: the whole conversation, as the wire modules read it.

    Returns:
        The reply. Faults on cue are put on it by whoever asked for them, not here.
    """
    return Reply("I am the practice model: a simulator made for teaching, not a language model.")
