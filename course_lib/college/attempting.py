"""The loop: ask, check, run, and if it failed say precisely why and ask again.

    reply → query → guard → fits the schema? → engine → rows
              ↓       ↓            ↓              ↓       ↓
                      a hint of its own for each, and the next attempt

This is the whole of what makes a second attempt better than the first. `Loop` holds what stays the same from
question to question, `Run` is one question's way through it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from course_lib.college import guard, hints
from course_lib.college.asking import UNUSABLE_REPLIES, FailureLog, Model, ModelReply
from course_lib.college.errors import QueryError
from course_lib.college.events import (
    Attempt,
    CypherPiece,
    Event,
    Hinted,
    Judged,
    ModelCalled,
    Outcome,
    QueryFound,
    Replied,
    RowsCame,
    Status,
    Tokens,
)
from course_lib.college.graph import Graph
from course_lib.college.hints import Suspect
from course_lib.college.near_names import Name
from course_lib.college.pattern_check import misfits
from course_lib.college.query_shape import QueryShape, read_shape
from course_lib.college.reply import NoCypherError, extract_cypher
from course_lib.college.rows import Rows
from course_lib.college.running import NO_ROWS, run_query
from course_lib.college.schema import Schema
from course_lib.college.scope import evidence, sentinel_in, wants_change
from course_lib.college.values import find_values
from course_lib.errors import CourseError

HintKind = Literal["real", "vague", "none"]
"""What a next attempt is told: what went wrong, that something did, or nothing at all (it is simply asked
again)."""

ENDS = frozenset({"rows", "sentinel", "model_down", "engine_down"})
"""Outcomes after which there is no next attempt."""

DANGEROUS = frozenset({"write_clause", "load_csv", "procedure", "read_only"})
"""Codes of the guard (and the engine, `read_only`) for a query that wanted more than to read this graph."""

_LOGGED = {
    "empty": "empty_result",
    "sentinel": "out_of_scope",
    "refused": "unsafe_query",
    "error": "syntax_error",
    "timeout": "syntax_error",
    "too_many": "syntax_error",
}
"""Outcome -> the kind under which it is counted; the rest are errors of the generation."""


@dataclass(frozen=True)
class Limits:
    """How often to try, and how much to take."""

    attempts: int = 2
    timeout_ms: int | None = None
    row_limit: int = 200


@dataclass(frozen=True)
class Prompt:
    """What a question is asked with."""

    question: str
    system: str
    schema: Schema
    names: tuple[Name, ...] = ()
    """The names in the graph that are known: those that the schema lists, and those found for the
    question."""


@dataclass
class Run:
    """One question's way through the loop: what has been tried, and what came of it."""

    prompt: Prompt
    attempts: list[Attempt] = field(default_factory=list)
    rows: Rows = field(default_factory=lambda: NO_ROWS)
    capped: int | None = None
    problem: str = ""

    @property
    def last(self) -> Attempt | None:
        """The attempt that came last."""
        return self.attempts[-1] if self.attempts else None

    @property
    def status(self) -> Status:
        """How the question ended."""
        last = self.last
        if last is None:
            return "failed"
        if last.outcome == "rows" or (last.outcome == "too_many" and len(self.rows)):
            return "answered"
        if last.outcome == "sentinel":
            # The graph cannot do it: but what was asked for was a change, and that was refused.
            wished = any(would_write(one) for one in self.attempts) or wants_change(self.prompt.question)
            return "refused" if wished else "out_of_scope"
        if last.outcome == "empty":
            return "empty"
        return "refused" if would_write(last) else "failed"

    @property
    def usage(self) -> Tokens:
        """All calls for a query together."""
        return sum((one.usage for one in self.attempts), Tokens())


@dataclass
class _Try:
    """One attempt while it is under way."""

    number: int
    is_last: bool
    reply: ModelReply | None = None
    cypher: str = ""
    outcome: Outcome = "no_query"
    code: str = ""
    problem: str = ""
    hint: str = ""
    model_seconds: float = 0.0

    def ends(self, outcome: Outcome, problem: str = "", hint: str = "", code: str = "") -> None:
        """Says how it ended."""
        self.outcome, self.problem, self.hint, self.code = outcome, problem, hint, code

    def spent(self, hint: str, rows: int, seconds: float) -> Attempt:
        """The attempt, once it is over."""
        reply = self.reply
        return Attempt(
            number=self.number,
            outcome=self.outcome,
            cypher=self.cypher,
            code=self.code,
            problem=self.problem,
            hint=hint,
            rows=rows,
            reply=reply.text if reply is not None else "",
            provider=reply.provider if reply is not None else "",
            model=reply.model if reply is not None else "",
            usage=tokens_of(reply),
            seconds=seconds,
            model_seconds=self.model_seconds,
        )


@dataclass(frozen=True)
class Loop:
    """What stays the same from question to question."""

    graph: Graph
    model: Model
    limits: Limits = field(default_factory=Limits)
    hints: HintKind = "real"
    failures: FailureLog | None = None

    def run(self, run: Run, *, in_pieces: bool) -> Iterator[Event]:
        """Takes a question through its attempts; what came of it stands in `run` at every moment.

        Args:
            run: the question. It is filled in as it goes.
            in_pieces: whether the model is to be asked for its reply piece by piece.
        """
        for number in range(1, self.limits.attempts + 1):
            began = time.perf_counter()
            this = _Try(number, number == self.limits.attempts)
            yield from self._ask(run, this, in_pieces)
            if this.reply is not None:
                yield from self._take(run, this, this.reply)
            over = this.is_last or this.outcome in ENDS
            hint = "" if over else self._hint(this)
            rows = len(run.rows) if this.outcome in ("rows", "too_many") else 0
            run.attempts.append(this.spent(hint, rows, time.perf_counter() - began))
            run.problem = this.problem
            self._count(run.prompt.question, this)
            if over:
                return
            yield Hinted(number, this.outcome, this.code, hint)

    # ---- asking ----------------------------------------

    def _ask(self, run: Run, this: _Try, in_pieces: bool) -> Iterator[Event]:
        """Asks the model; afterwards `this` holds a reply, or says why there is none."""
        prompt = user_turn(run.prompt.question, run.attempts)
        yield ModelCalled(this.number, run.prompt.system, prompt)
        began = time.perf_counter()
        try:
            if in_pieces:
                stream = self.model.stream(prompt, run.prompt.system)
                try:
                    for piece in stream:
                        yield CypherPiece(this.number, piece)
                    this.reply = stream.reply
                finally:
                    stream.close()
            else:
                this.reply = self.model.generate(prompt, run.prompt.system)
        except CourseError as error:
            if getattr(error, "label", "") in UNUSABLE_REPLIES:
                cut_off = getattr(error, "label", "") != "empty reply"
                this.ends("no_query", str(error), hints.no_query("it was empty", cut_off=cut_off))
            else:
                this.ends("model_down", str(error))
        this.model_seconds = time.perf_counter() - began
        if this.reply is not None:
            reply = this.reply
            yield Replied(
                this.number, reply.text, reply.provider, reply.model, tokens_of(reply), this.model_seconds
            )

    def _hint(self, this: _Try) -> str:
        return {"real": this.hint, "vague": hints.VAGUE, "none": ""}[self.hints]

    # ---- checking ----------------------------------------

    def _take(self, run: Run, this: _Try, reply: ModelReply) -> Iterator[Event]:
        """From a reply to rows, or to what is wrong with it. The first thing that is found ends it."""
        cut_off = bool(getattr(reply, "cut_off", False))
        try:
            this.cypher = extract_cypher(reply.text)
        except NoCypherError as error:
            this.ends("no_query", error.what, hints.no_query(error.seen, cut_off=cut_off))
            return
        yield QueryFound(this.number, this.cypher)
        if cut_off:
            # What is missing at its end may be a condition or an order: its rows would be wrong, and look
            # right.
            problem = "The reply was cut off by the token limit."
            this.ends("no_query", problem, hints.no_query(cut_off=True))
            yield Judged(this.number, False, "cut_off", this.problem)
            return
        verdict = guard.check(this.cypher)
        if not verdict.ok:
            self._stopped(this, verdict)
            yield Judged(this.number, False, verdict.code, verdict.reason, verdict.span)
            return
        shape = read_shape(this.cypher)
        if self._is_about_scope(run, this, shape):
            yield Judged(this.number, this.outcome == "sentinel", this.outcome, this.problem)
            return
        found = misfits(shape, run.prompt.schema)
        if found:
            this.ends("misfit", found[0].reason, hints.misfit(found), found[0].code)
            yield Judged(this.number, False, found[0].code, found[0].reason, found[0].span)
            return
        yield Judged(this.number, True)
        yield from self._run(run, this, shape)

    def _stopped(self, this: _Try, verdict: guard.Verdict) -> None:
        """The guard has stopped the query: it would change something, hand out too much, or is no whole
        query."""
        code, reason = verdict.code, verdict.reason
        if code == "no_return":
            this.ends("no_return", reason, hints.no_return(), code)
        elif code in DANGEROUS:
            this.ends("refused", reason, hints.unsafe(reason, code), code)
        elif code == "whole_node":
            this.ends("refused", reason, hints.whole_node(reason), code)
        elif code == "several_statements":
            # Which of them is meant cannot be told, and one may write: so it counts as unsafe, too.
            this.ends("refused", reason, hints.unreadable(reason), code)
        else:
            this.ends("error", reason, hints.unreadable(reason), code)

    def _is_about_scope(self, run: Run, this: _Try, shape: QueryShape) -> bool:
        """Whether the query is the sentinel, or holds it: then `this` says what that comes to."""
        how = sentinel_in(shape)
        if how is None:
            return False
        if how == "mixed":
            this.ends(
                "sentinel_misplaced",
                "OUT_OF_SCOPE stands in a query that reads the graph.",
                hints.sentinel_misplaced((), mixed=True),
                "sentinel_mixed",
            )
            return True
        prompt = run.prompt
        settled = this.is_last or wants_change(prompt.question)
        settled |= any(one.outcome == "sentinel_misplaced" or would_write(one) for one in run.attempts)
        known = () if settled else evidence(prompt.question, prompt.schema, prompt.names)
        if known:
            problem = f"OUT_OF_SCOPE, and the graph has {', '.join(known)}."
            this.ends("sentinel_misplaced", problem, hints.sentinel_misplaced(known), "sentinel_misplaced")
        else:
            this.ends("sentinel", "The model says that the graph cannot answer this.")
        return True

    # ---- running ----------------------------------------

    def _run(self, run: Run, this: _Try, shape: QueryShape) -> Iterator[Event]:
        limits = self.limits
        ran = run_query(self.graph, this.cypher, timeout_ms=limits.timeout_ms, row_limit=limits.row_limit)
        if ran.outcome in ("rows", "empty") or (ran.outcome == "too_many" and this.is_last):
            run.rows = ran.rows if not ran.only_nulls else Rows(ran.rows.columns, ())
            run.capped = ran.total if ran.outcome == "too_many" else None
            yield RowsCame(this.number, run.rows, ran.seconds, run.capped)
        problem = str(ran.error) if ran.error is not None else ""
        doubtful = self._doubtful(run, shape) if ran.outcome == "rows" and not this.is_last else ()
        match ran.outcome:
            case "rows" if doubtful:
                text = ", ".join(f"'{suspect.compared.text}'" for suspect in doubtful)
                hint = hints.misspelled(doubtful, only_zeros=ran.only_zeros)
                this.ends("misfit", f"Nothing in the graph is called {text}.", hint, "unknown_name")
            case "rows" | "engine_down":
                this.ends(ran.outcome, problem)
            case "empty":
                names = self._names_for(shape, run.prompt)
                hint = hints.empty(shape, run.prompt.schema, names, only_nulls=ran.only_nulls)
                this.ends("empty", "The query found nothing.", hint, "only_nulls" if ran.only_nulls else "")
            case "too_many":
                problem = f"{ran.total} rows, and {limits.row_limit} are kept."
                this.ends("too_many", problem, hints.too_many(ran.total, limits.row_limit))
            case "timeout":
                limit = limits.timeout_ms
                this.ends("timeout", problem, hints.timeout(limit))
            case "refused":
                this.ends("refused", problem, hints.unsafe(problem, "read_only"), "read_only")
            case _:
                error = ran.error
                hint = hints.engine_error(error, this.cypher) if isinstance(error, QueryError) else problem
                this.ends("error", problem, hint)

    def _doubtful(self, run: Run, shape: QueryShape) -> tuple[Suspect, ...]:
        """Names in a query with rows that nothing is called by, though something near is: a NOT, an OR and a
        count give rows all the same. Only where the schema lists every name of the kind."""
        complete = {
            (values.owner, values.property) for values in run.prompt.schema.values if not values.searched
        }
        known = tuple(name for name in run.prompt.names if (name.owner, name.property) in complete)
        return tuple(
            suspect for suspect in hints.suspected(shape, known) if suspect.near and not suspect.elsewhere
        )

    def _names_for(self, shape: QueryShape, prompt: Prompt) -> tuple[Name, ...]:
        """The names that a failed query may have meant: those that are known, and those found for its
        texts."""
        texts = " ".join(compared.text for compared in shape.compared)
        if not texts or not any(values.searched for values in prompt.schema.values):
            return prompt.names
        found = find_values(self.graph, prompt.schema, texts)
        return (*prompt.names, *(Name(one.owner, one.property, one.value) for one in found))

    def _count(self, question: str, this: _Try) -> None:
        if self.failures is not None and this.outcome != "rows":
            kind = _LOGGED.get(this.outcome, "generation_error")
            self.failures.record(kind, question, this.cypher, this.problem)


def user_turn(question: str, attempts: Iterable[Attempt] = ()) -> str:
    """What stands under the system prompt: the attempts that failed, oldest first, and the question.

    All of them, since a model that is only told of its last mistake makes the first one again.

    Args:
        question: the question, on one line.
        attempts: what was tried. One without a hint is left out: the model is then simply asked again.
    """
    parts = []
    for attempt in attempts:
        if attempt.hint:
            query = f"Query:\n{attempt.cypher}\n" if attempt.cypher else ""
            parts.append(f"# Previous attempt\n{query}What went wrong: {' '.join(attempt.hint.split())}")
    return "\n\n".join([*parts, f"# Question\n{question}"])


def would_write(attempt: Attempt) -> bool:
    """Whether an attempt was refused because it would have changed something, or read what is not its own."""
    return attempt.outcome == "refused" and attempt.code in DANGEROUS


def tokens_of(reply: ModelReply | None) -> Tokens:
    """What a reply took."""
    return Tokens(reply.usage.tokens_in, reply.usage.tokens_out) if reply is not None else Tokens()
