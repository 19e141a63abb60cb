"""Everything that the practice model can be told to get wrong.

A fault is of one of three sorts. A *text* fault changes what the model says (a `Reply` in, a `Reply` out, or
None where the reply has no place for it). A *problem* makes the provider refuse the call. A *connection*
fault happens on the wire. The functions here are pure: the same reply, request and random generator give the
same result, and whoever stages a fault says so in a header.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from course_lib.models.practice.asked import question_of
from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.cypher_faults import applicable_habits, as_delete, looks_like_query, unpack
from course_lib.models.practice.cypher_slips import SLIPS, slipped
from course_lib.models.practice.refusals import ProblemKind
from course_lib.models.practice.tokens import cut, estimate

TextFault = Callable[[Reply, Request, random.Random, str | None], Reply | None]
"""The reply, the request, a seeded generator and the wanted variant (None: the generator's choice)."""

PROBLEMS: Mapping[str, ProblemKind] = {
    "rate_minute": "rate_minute",
    "rate_day": "rate_day",
    "too_large": "too_large",
    "error_500": "server_error",
    "overloaded": "overloaded",
    "retired": "retired",
    "decommissioned": "decommissioned",
    "bad_key": "bad_key",
}
"""Fault -> the problem that the provider states in its own words."""

CONNECTION = frozenset({"slow_first_byte", "dropped", "broken_body"})
"""Faults on the wire: a late first byte, a connection that ends early, a body that is not JSON."""

MAX_SLOW_S = 30.0
"""The longest that a first byte may be held back, in seconds."""
SLOW_S = 1.0
"""How long it is held back unless told otherwise, in seconds."""

Where = Literal["before_headers", "mid_stream"]


class Unparsable(Mapping[str, Any]):
    """Tool arguments that are not JSON: only a wire that sends them as text can show them.

    Args:
        text: what is sent in their place.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _is_json(text: str) -> bool:
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return False
    try:
        json.loads(stripped)
    except ValueError:
        return False
    return True


# -- reasoning ---------------------------------------------------------------------------------------------

_THOUGHTS = (
    "Okay, the user asks: {question}\nLet me look at the labels first. I should start from the right node "
    "and follow the relationship in its direction.",
    "We need to answer: {question}\nWhich property holds the name? The schema says so. Then the direction of "
    "the arrow matters.",
    "The question is: {question}\nI will keep it short: one pattern, then the columns that were asked for.",
)

_DECOYS = (
    "MATCH (n) RETURN n LIMIT 25",
    "MATCH (a)-[r]->(b) RETURN a, r, b",
    "MATCH (n:Person) RETURN n.name",
)


def _thought(request: Request, rng: random.Random) -> str:
    # No angle bracket of the question may close the tag by chance.
    question = " ".join(question_of(request).replace("<", " ").replace(">", " ").split())[:200]
    return rng.choice(_THOUGHTS).format(question=question)


def think_closed(
    reply: Reply, request: Request, rng: random.Random, variant: str | None = None
) -> Reply | None:
    """`<think>…</think>` before the answer."""
    if not reply.text:
        return None
    return replace(reply, text=f"<think>\n{_thought(request, rng)}\n</think>\n\n{reply.text}")


def think_unclosed(
    reply: Reply, request: Request, rng: random.Random, variant: str | None = None
) -> Reply | None:
    """`<think>` that is never closed; the answer comes after a blank line all the same."""
    if not reply.text:
        return None
    return replace(reply, text=f"<think>\n{_thought(request, rng)}\n\n{reply.text}")


def think_decoy(
    reply: Reply, request: Request, rng: random.Random, variant: str | None = None
) -> Reply | None:
    """An unclosed `<think>` with a fenced query inside that the model itself throws away."""
    if unpack(reply.text) is None:
        return None
    decoys = [decoy for decoy in _DECOYS if decoy not in reply.text]
    text = (
        f"<think>\n{_thought(request, rng)}\nA first idea:\n```cypher\n{rng.choice(decoys)}\n```\n"
        f"No, that brings back far too much. It has to be narrower.\n\n{reply.text}"
    )
    return replace(reply, text=text)


def think_only(
    reply: Reply, request: Request, rng: random.Random, variant: str | None = None
) -> Reply | None:
    """Reasoning until the tokens ran out: no answer at all."""
    if not reply.text:
        return None
    return Reply(f"<think>\n{_thought(request, rng)}\nHmm, wait. Let me", (), "max_tokens")


# -- packaging ---------------------------------------------------------------------------------------------

_BEFORE_QUERY = (
    "Here is the Cypher query you asked for:",
    "Sure! Matching the nodes you named, this should do it:",
    "With this query you get what you asked for:",
)
_AFTER_QUERY = (
    "This query returns exactly the columns you need.",
    "Return to me if the names should match more loosely.",
    "Matching is exact here; let me know if it should be fuzzy.",
)


def fences(reply: Reply, request: Request, rng: random.Random, variant: str | None = None) -> Reply | None:
    """The answer in a markdown fence."""
    if not reply.text:
        return None
    if "```" in reply.text:
        return reply  # it came in a fence by itself
    language = "cypher" if looks_like_query(reply.text) else "json" if _is_json(reply.text) else ""
    label = rng.choice((language, language, ""))
    return replace(reply, text=f"```{label}\n{reply.text}\n```")


def preamble(reply: Reply, request: Request, rng: random.Random, variant: str | None = None) -> Reply | None:
    """Prose around a query or around JSON; half of it starts with a word that is also a keyword."""
    if looks_like_query(reply.text):
        text = f"{rng.choice(_BEFORE_QUERY)}\n\n{reply.text}\n\n{rng.choice(_AFTER_QUERY)}"
    elif _is_json(reply.text):
        text = f"Here is the JSON:\n\n{reply.text}\n\nLet me know if you need another format."
    elif unpack(reply.text) is not None:
        return reply  # it came in prose by itself
    else:
        return None
    return replace(reply, text=text)


# -- content -----------------------------------------------------------------------------------------------


def neo4j_syntax(
    reply: Reply, request: Request, rng: random.Random, variant: str | None = None
) -> Reply | None:
    """A habit from Neo4j that FalkorDB refuses; `variant` names one of `cypher_faults.HABITS`."""
    packed = unpack(reply.text)
    if packed is None:
        return None
    habits = applicable_habits(packed.query)
    if variant is not None:
        habits = {name: text for name, text in habits.items() if name == variant}
    if not habits:
        return None
    return replace(reply, text=packed.with_query(habits[rng.choice(sorted(habits))]))


def write(reply: Reply, request: Request, rng: random.Random, variant: str | None = None) -> Reply | None:
    """A DELETE in place of the query: of what it would have found, or of everything."""
    packed = unpack(reply.text)
    if packed is None:
        return None
    everything = "MATCH (n) DETACH DELETE n"
    query = rng.choice((as_delete(packed.query) or everything, everything))
    return replace(reply, text=packed.with_query(query))


def _slip(kind: str) -> TextFault:
    def put(reply: Reply, request: Request, rng: random.Random, variant: str | None = None) -> Reply | None:
        packed = unpack(reply.text)
        made = slipped(kind, packed.query) if packed is not None else None
        return replace(reply, text=packed.with_query(made)) if packed is not None and made else None

    put.__doc__ = SLIPS[kind].__doc__
    return put


_INVENTED_NAMES = ("Vikram", "Ananya", "Meera")
_PRAISE = {
    "en": (
        " {name} is a strong choice as well.",
        " {name} would be just as good, by the way.",
        " Apart from that, {name} comes highly recommended.",
    ),
    "hi": (
        " {name} bhi ek achha option hai.",
        " Waise {name} bhi utna hi achha hai.",
        " Iske alawa {name} ki bhi kaafi tareef hoti hai.",
    ),
}
_HINGLISH = re.compile(
    r"\b(kaun|kya|hai|hain|kaise|kis|kiska|kiski|mein|aur|batao|bata|sabse|kitne|mujhe|uska|uski|ka|ki|ke|se|ko)\b",
    re.IGNORECASE,
)


def made_up_fact(
    reply: Reply, request: Request, rng: random.Random, variant: str | None = None
) -> Reply | None:
    """One more sentence, about somebody who is not in the rows; `variant` names who is praised."""
    text = reply.text
    if not text or reply.tool_calls or unpack(text) is not None or _is_json(text):
        return None
    known = " ".join([request.system, *(turn.text for turn in request.turns)])
    name = variant or next(
        (n for n in rng.sample(_INVENTED_NAMES, 3) if n not in known and n not in text), "Vikram"
    )
    language = "hi" if len(_HINGLISH.findall(question_of(request))) >= 2 else "en"
    return replace(reply, text=text.rstrip() + rng.choice(_PRAISE[language]).format(name=name))


def cut_off(reply: Reply, request: Request, rng: random.Random, variant: str | None = None) -> Reply | None:
    """The text ends somewhere in its second half, and the stop reason says that the tokens ran out."""
    size = estimate(reply.text)
    if size < 4:
        return None
    return Reply(cut(reply.text, rng.randint(size // 2, size - 2)), (), "max_tokens")


def _breakages(text: str) -> list[str]:
    """JSON texts that no parser takes, each broken the way models break them."""
    stripped = text.strip()
    return [
        stripped[:-1],
        re.sub(r"([}\]])\s*$", r",\1", stripped),
        stripped.replace('"', "'"),
        re.sub(r'"(\w+)"\s*:', r"\1:", stripped),
        f"{stripped[:-1]}// and so on\n{stripped[-1]}",
    ]


def invalid_json(
    reply: Reply, request: Request, rng: random.Random, variant: str | None = None
) -> Reply | None:
    """JSON that does not parse: in the text, or in the arguments of the first tool call."""
    if reply.tool_calls:
        first = reply.tool_calls[0]
        broken = replace(first, arguments=Unparsable(json.dumps(dict(first.arguments))[:-1]))
        return replace(reply, tool_calls=(broken, *reply.tool_calls[1:]))
    if not _is_json(reply.text):
        return None
    candidates = [made for made in _breakages(reply.text) if not _is_json(made)]
    return replace(reply, text=rng.choice(candidates))


def empty(reply: Reply, request: Request, rng: random.Random, variant: str | None = None) -> Reply | None:
    """Nothing at all, and no reason given."""
    return Reply("", (), "end")


TEXT: Mapping[str, TextFault] = {
    "think_closed": think_closed,
    "think_unclosed": think_unclosed,
    "think_decoy": think_decoy,
    "think_only": think_only,
    "fences": fences,
    "preamble": preamble,
    "neo4j_syntax": neo4j_syntax,
    "write": write,
    **{kind: _slip(kind) for kind in SLIPS},
    "made_up_fact": made_up_fact,
    "cut_off": cut_off,
    "invalid_json": invalid_json,
    "empty": empty,
}
"""Fault -> the function that puts it on a reply."""

KINDS: tuple[str, ...] = (*TEXT, *PROBLEMS, *sorted(CONNECTION))
"""Every fault that can be asked for by name."""
