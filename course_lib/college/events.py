"""What happens while a question is answered, step by step: small values that a chat, a trace or a test reads.

`StudyAgent.stream(question)` yields them in this order; a step in brackets may be missing, those with a star
repeat:

    Asked  [FromCache]
    ModelCalled  CypherPiece*  [Replied]  [QueryFound]  [Judged]  [RowsCame]  [Hinted]      for each attempt
    AnswerPiece*  [AnswerReplaced  AnswerPiece*]  Done

Nothing in an event is a key or a connection, so all of it may be shown and kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from course_lib.college.rows import Rows

Status = Literal["answered", "empty", "out_of_scope", "refused", "failed"]
"""How a question ended. `answered`: there are rows. `empty`: the query ran and found nothing. `out_of_scope`:
the graph cannot answer it. `refused`: a query would have changed the graph, or handed out more than an
answer. `failed`: no query came about that could be run, or a part was down."""

Outcome = Literal[
    "rows",
    "empty",
    "sentinel",
    "sentinel_misplaced",
    "no_query",
    "no_return",
    "refused",
    "misfit",
    "error",
    "timeout",
    "too_many",
    "model_down",
    "engine_down",
]
"""How an attempt ended. `misfit`: a label, type, property or direction that the graph does not have."""


@dataclass(frozen=True)
class Tokens:
    """Tokens that were sent and that came back."""

    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)

    @property
    def total(self) -> int:
        """Both together."""
        return self.tokens_in + self.tokens_out


@dataclass(frozen=True)
class Attempt:
    """One attempt at a question: what was asked, what came back, what came of it."""

    number: int
    """From 1."""
    outcome: Outcome
    cypher: str = ""
    """The query that was found in the reply; empty where there was none."""
    code: str = ""
    """The finding's code: the guard's (`write_clause`, say) or the pattern check's (`wrong_direction`)."""
    problem: str = ""
    """What went wrong, in one or two sentences; empty where nothing did."""
    hint: str = ""
    """What the next attempt was told about this one; empty where there was no next one."""
    rows: int = 0
    """How many rows came."""
    reply: str = ""
    """What the model said, whole."""
    provider: str = ""
    model: str = ""
    usage: Tokens = field(default_factory=Tokens)
    seconds: float = 0.0
    """Model, checks and engine together."""
    model_seconds: float = 0.0
    """Of these, the model's."""


@dataclass(frozen=True)
class Answer:
    """What a question came to."""

    text: str
    status: Status
    cypher: str
    """The query behind the answer, or the last one that was tried; empty where there was none."""
    rows: Rows
    attempts: tuple[Attempt, ...]
    provider: str
    """Who wrote the query; empty where no model answered."""
    cached: bool = False
    question: str = ""
    grounded: bool = True
    """Whether the model's own words held to the rows and the question. Those in `text` always do."""
    reading: str | None = None
    """Which reading of an ambiguous question was taken."""
    capped: int | None = None
    """How many rows there really were, where `rows` holds only the first of them."""
    usage: Tokens = field(default_factory=Tokens)
    """All model calls together, the wording's included."""
    seconds: float = 0.0
    problem: str = ""
    """For whoever runs the assistant: why it failed, in the words of the part that did."""

    @property
    def hints(self) -> tuple[str, ...]:
        """What the model was told after each attempt that failed."""
        return tuple(attempt.hint for attempt in self.attempts if attempt.hint)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        # No seconds: this is what a notebook stores, and a stored output should be the same tomorrow.
        tries = f"{len(self.attempts)} attempt{'' if len(self.attempts) == 1 else 's'}"
        return f"Answer({self.status}: {self.text!r}, {len(self.rows)} rows, {tries})"


@dataclass(frozen=True)
class Asked:
    """The question is taken in."""

    question: str


@dataclass(frozen=True)
class FromCache:
    """The answer was given before, and nothing that it depends on has changed."""


@dataclass(frozen=True)
class ModelCalled:
    """A model is asked for a query."""

    attempt: int
    system: str
    """The whole system prompt."""
    prompt: str
    """What stands under it: the question, and what went wrong before."""


@dataclass(frozen=True)
class CypherPiece:
    """A piece of the reply, as it is written."""

    attempt: int
    text: str


@dataclass(frozen=True)
class Replied:
    """The reply is whole."""

    attempt: int
    text: str
    provider: str
    model: str
    usage: Tokens
    seconds: float


@dataclass(frozen=True)
class QueryFound:
    """The query, taken out of the reply."""

    attempt: int
    cypher: str


@dataclass(frozen=True)
class Judged:
    """What the checks say of the query, before it runs."""

    attempt: int
    ok: bool
    code: str = ""
    reason: str = ""
    span: tuple[int, int] | None = None
    """Where in the query, in characters."""


@dataclass(frozen=True)
class RowsCame:
    """The engine has run the query."""

    attempt: int
    rows: Rows
    seconds: float
    capped: int | None = None
    """How many rows there were, where only the first of them are kept."""


@dataclass(frozen=True)
class Hinted:
    """The attempt failed, and this is what the next one will be told."""

    attempt: int
    outcome: Outcome
    code: str
    hint: str


@dataclass(frozen=True)
class AnswerPiece:
    """A piece of the answer's text."""

    text: str


@dataclass(frozen=True)
class AnswerReplaced:
    """What the model went on to say is not in the rows: this text stands in place of the pieces so far."""

    text: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Done:
    """The end, and everything in one."""

    answer: Answer


Event = (
    Asked
    | FromCache
    | ModelCalled
    | CypherPiece
    | Replied
    | QueryFound
    | Judged
    | RowsCame
    | Hinted
    | AnswerPiece
    | AnswerReplaced
    | Done
)
