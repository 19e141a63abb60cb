"""Which fault goes onto which call: orders for the next calls, the everyday mix, a header on one call."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import TracebackType

from course_lib.errors import CourseError
from course_lib.models.practice.asked import attempt_of, question_of
from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.cypher_faults import HABITS, unpack
from course_lib.models.practice.faults import (
    CONNECTION,
    KINDS,
    MAX_SLOW_S,
    PROBLEMS,
    SLOW_S,
    TEXT,
    Unparsable,
    Where,
)
from course_lib.models.practice.heeding import came_back, was_told
from course_lib.models.practice.mix import Mix, draw
from course_lib.models.practice.refusals import PROVIDERS, Dialect, Problem

FAULT_HEADER = "x-practice-misbehave"
"""A request may carry the fault that it wants: `think_unclosed`, or `neo4j_syntax/exists_block`."""

When = Callable[[Request], bool]


class UnknownFaultError(CourseError):
    """A fault, provider or variant was asked for that the practice model does not have."""

    def __init__(self, what: str, known: list[str]) -> None:
        super().__init__(what, f"Choose from {', '.join(known)}.")


@dataclass(frozen=True)
class Staged:
    """What is to happen to one call. With `kind` None nothing is staged."""

    reply: Reply
    kind: str | None = None
    problem: Problem | None = None
    where: Where = "before_headers"
    slow_s: float = 0.0
    dropped: bool = False
    broken_body: bool = False


class Order:
    """One order to misbehave. As a context manager it ends with the block; `cancel()` ends it too.

    Attributes:
        kind: the fault.
        habit: whether it ends, for a question, with a hint that names it.
        left: how many calls it still applies to, or None for every call.
        hits: how many calls it was staged on.
    """

    def __init__(
        self,
        kind: str,
        *,
        provider: str | None = None,
        times: int | None = 1,
        where: Where = "before_headers",
        when: When | None = None,
        seed: int = 0,
        seconds: float | None = None,
        variant: str | None = None,
        habit: bool = False,
    ) -> None:
        if kind not in KINDS:
            raise UnknownFaultError(f"The practice model knows no fault called {kind!r}.", list(KINDS))
        if provider is not None and provider not in PROVIDERS:
            raise UnknownFaultError(f"The practice server plays no provider {provider!r}.", list(PROVIDERS))
        if kind == "neo4j_syntax" and variant is not None and variant not in HABITS:
            raise UnknownFaultError(f"There is no Neo4j habit called {variant!r}.", list(HABITS))
        if where not in ("before_headers", "mid_stream"):
            raise UnknownFaultError(f"{where!r} is no place in a reply.", ["before_headers", "mid_stream"])
        if times is not None and times < 1:
            raise UnknownFaultError(
                f"times={times} stages nothing.", ["a number from 1", "None for every call"]
            )
        self.kind = kind
        self.provider = provider
        self.left = times
        self.where = where
        self.when = when
        self.seed = seed
        self.seconds = seconds
        self.variant = variant
        self.habit = habit
        self.hits = 0

    def cancel(self) -> None:
        """Stages nothing from now on."""
        self.left = 0

    def __enter__(self) -> Order:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cancel()

    def __repr__(self) -> str:
        left = "every call" if self.left is None else f"{self.left} more"
        return f"<order: {self.kind} at {self.provider or 'any provider'}, {left}, staged {self.hits} times>"


def form_of(reply: Reply, request: Request) -> str:
    """What kind of reply this is: `tools`, `query`, `json` or `text`."""
    if reply.tool_calls:
        return "tools"
    if unpack(reply.text) is not None:
        return "query"
    return "json" if request.output_schema is not None else "text"


def _staged(
    order: Order, reply: Reply, request: Request, rng: random.Random, dialect: Dialect, tokens: int
) -> Staged | None:
    """What an order does to one call; None where it has no place in it."""
    if order.kind in TEXT:
        made = TEXT[order.kind](reply, request, rng, order.variant)
        if made is None:
            return None
        broken = any(isinstance(call.arguments, Unparsable) for call in made.tool_calls)
        return None if broken and dialect == "anthropic" else Staged(made, order.kind)
    if order.kind in PROBLEMS:
        kind = PROBLEMS[order.kind]
        problem = Problem(kind, model=request.model, seconds=order.seconds, tokens=tokens)
        return Staged(reply, order.kind, problem, order.where)
    staged = Staged(reply, order.kind, where=order.where)
    if order.kind == "slow_first_byte":
        wait = SLOW_S if order.seconds is None else order.seconds
        return replace(staged, slow_s=min(max(wait, 0.0), MAX_SLOW_S))
    if order.kind == "dropped":
        return replace(staged, dropped=True)
    return replace(staged, broken_body=True)


class Stage:
    """The orders and the mix of one server. Safe under threads."""

    def __init__(self, mix: Mix | None = None) -> None:
        self._lock = threading.Lock()
        self._orders: list[Order] = []
        self._mix = mix or Mix()

    def add(self, order: Order) -> Order:
        """Takes an order; orders are tried oldest first."""
        with self._lock:
            self._orders.append(order)
        return order

    def set_mix(self, mix: Mix) -> None:
        """Takes a mix in place of the one before."""
        with self._lock:
            self._mix = mix

    def clear(self) -> None:
        """Drops every order and the mix."""
        with self._lock:
            for order in self._orders:
                order.cancel()
            self._orders.clear()
            self._mix = Mix()

    def put(
        self,
        reply: Reply,
        request: Request,
        *,
        provider: str,
        dialect: Dialect,
        headers: Mapping[str, str],
        tokens: int,
    ) -> Staged:
        """The fault for one call, put on its reply where it is a text fault.

        Args:
            reply: what the behaviour says.
            request: what was asked.
            provider: who is asked.
            dialect: through which API; Anthropic's sends tool arguments as an object, which cannot be broken.
            headers: the HTTP headers, names in lower case.
            tokens: the request's estimated tokens, for the limits.

        Returns:
            The staged call. A fault that finds no place in this reply is not used up.
        """
        wanted = headers.get(FAULT_HEADER)
        with self._lock:
            if wanted is None and not self._orders and not self._mix.rates and not self._mix.habits:
                return Staged(reply)
        question = question_of(request)
        attempt = attempt_of(request, headers)

        def stage(order: Order) -> Staged | None:
            rng = draw(order.seed, order.kind, question, attempt)
            return _staged(order, reply, request, rng, dialect, tokens)

        if wanted is not None:
            kind, _, variant = wanted.partition("/")
            return stage(Order(kind.strip(), variant=variant.strip() or None)) or Staged(reply)
        with self._lock:
            for order in self._orders:
                if order.left == 0 or order.provider not in (None, provider):
                    continue
                if order.when is not None and not order.when(request):
                    continue
                if order.habit and (was_told(order.kind, request) or came_back(reply, request)):
                    continue
                staged = stage(order)
                if staged is not None:
                    order.hits += 1
                    if order.left is not None:
                        order.left -= 1
                    return staged
            self._orders = [order for order in self._orders if order.left != 0]
            mix = self._mix
        form = form_of(reply, request)
        habit = mix.habit(provider, question) if form == "query" else None
        if habit is not None and not was_told(habit, request) and not came_back(reply, request):
            # The variant of a habit is the same at every attempt, or it would be no habit.
            rng = draw(mix.seed, habit, question)
            staged = _staged(Order(habit), reply, request, rng, dialect, tokens)
            if staged is not None:
                return staged
        kind_drawn = mix.choose(provider, form, question, attempt)
        if kind_drawn is None:
            return Staged(reply)
        drawn = Order(kind_drawn, seed=mix.seed)
        if kind_drawn in CONNECTION and draw(mix.seed, "where", question, attempt).random() < 0.5:
            drawn.where = "mid_stream"
        return stage(drawn) or Staged(reply)
