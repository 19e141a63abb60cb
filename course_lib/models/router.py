"""The router: asks providers in order until one answers, and says who it was and what it took.

What it does about a failure is decided by the error's class (`ModelError.then`):

- A lost connection or a server error may be gone in a second: the same provider is asked again, up to three
  times in all, with growing pauses of random length. Then the next one.
- A limit by the minute rests that provider for the time that it asks for, a limit by the day until its reset,
  and the next one is asked at once. If nobody is left, the router waits for the first to wake, but no longer
  than `patience_s`.
- A refused key or an unknown model is told once, with the setting to change, and rests that provider for ten
  minutes.
- An answer that cannot be used (empty, broken JSON, too long a prompt) goes to the caller. To hide it behind
  another provider's answer would be to hide what there is to learn.
"""

from __future__ import annotations

import random
import threading
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from course_lib.models.calls import Attempt, CallRequest, Message, Reply, Tool, as_request
from course_lib.models.clock import Clock, SystemClock
from course_lib.models.errors import (
    AllProvidersFailedError,
    DeadlineError,
    ModelChoiceError,
    ModelError,
    RateLimitedError,
    StreamCutError,
)
from course_lib.models.providers import Provider
from course_lib.models.rests import Rests
from course_lib.models.streams import ReplyStream
from course_lib.models.tables import Table, duration
from course_lib.models.trip import Trip
from course_lib.models.wire import TimeLimit

DEADLINE_S = 60.0
"""Seconds that a whole call may take, unless the caller says otherwise: retries, waits, stream and all."""
TRIES = 3
"""How often one provider is asked within one call, where asking again can help."""
PATIENCE_S = 20.0
"""Seconds that one call waits at most for resting providers, all its waits together."""
SILENCE_S = 30.0
"""Seconds that a provider may send nothing while another one could still be asked."""
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 8.0

Listener = Callable[[CallRequest, Reply], None]
Ask = Callable[[Provider, CallRequest, TimeLimit], Generator[str, None, Reply]]


class ModelRouter:
    """Asks the first of several providers that can answer. Safe to share between threads.

    Args:
        providers: whom to ask, in this order. Each needs a name of its own.
        deadline_s: seconds that a whole call may take.
        tries: how often one provider is asked within one call, where asking again can help.
        patience_s: seconds that one call waits at most for resting providers.
        silence_s: seconds that a provider may send nothing while another one could still be asked.
        clock: time; a test passes one of its own.
        rng: chance, for the pauses; a test passes a seeded one.
        tell: is given what a person should know and can mend, once each. None keeps silent.
        skipped: providers that are not asked, and why; they show in `status()` and in reports.
    """

    def __init__(
        self,
        providers: Sequence[Provider],
        *,
        deadline_s: float = DEADLINE_S,
        tries: int = TRIES,
        patience_s: float = PATIENCE_S,
        silence_s: float = SILENCE_S,
        clock: Clock | None = None,
        rng: random.Random | None = None,
        tell: Callable[[str], None] | None = print,
        skipped: Sequence[Attempt] = (),
    ) -> None:
        self.providers = tuple(providers)
        names = [provider.name for provider in self.providers]
        if not names or len(set(names)) != len(names):
            raise ModelChoiceError(
                "A router needs at least one provider, and each under a name of its own.",
                f"These were given: {', '.join(names) or 'none'}.",
            )
        self.deadline_s = deadline_s
        self.tries = max(1, tries)
        self.patience_s = patience_s
        self.silence_s = silence_s
        self._clock = clock or SystemClock()
        self._rng = rng or random.Random()  # noqa: S311  # pauses, not secrets
        self._tell = tell
        self._skipped = tuple(skipped)
        self._rests = Rests()
        self._told: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        self._listeners: tuple[Listener, ...] = ()

    def __repr__(self) -> str:
        asked = ", then ".join(f"{provider.name} ({provider.model})" for provider in self.providers)
        return f"ModelRouter: {asked}"

    def generate(
        self,
        prompt: str | Sequence[Message] | CallRequest,
        system: str | None = None,
        *,
        deadline_s: float | None = None,
        output_schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] = (),
        tools: Sequence[Tool] = (),
    ) -> Reply:
        """Asks a model and waits for the whole reply.

        Args:
            prompt: a question, a conversation, or a whole `CallRequest`, which then is all that is looked at.
            system: the system prompt.
            deadline_s: seconds that the whole call may take, retries and waits included.
            output_schema: a JSON schema that the reply must have the form of; `Reply.data` then holds it.
            max_tokens: tokens that the reply may take.
            temperature: how much chance there is in the reply, where the model takes such a setting.
            stop: texts at which the model stops.
            tools: tools that the model may ask for.

        Returns:
            The reply, with who answered, what it took, and everyone who was tried.

        Raises:
            AllProvidersFailedError: nobody answered; the message is the report.
            DeadlineError: the time was up first.
            EmptyReplyError: there was an answer with nothing in it.
            BadReplyError: there was an answer that cannot be read.
            TooLargeError: the prompt is too long.
        """
        request = as_request(
            prompt,
            system,
            output_schema=output_schema,
            max_tokens=max_tokens,
            temperature=temperature,
            stop=stop,
            tools=tools,
        )
        return self._generate(request, self._trip(deadline_s))

    def stream(
        self,
        prompt: str | Sequence[Message] | CallRequest,
        system: str | None = None,
        *,
        deadline_s: float | None = None,
        output_schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        stop: Sequence[str] = (),
        tools: Sequence[Tool] = (),
    ) -> ReplyStream:
        """Asks a model and gives the reply's pieces as they come; takes what `generate` takes.

        A stream that breaks off before its first piece may go on at the next provider. After the first piece
        it cannot, since the caller has shown it: then `StreamCutError` says what had come, in `.partial`.
        """
        request = as_request(
            prompt,
            system,
            output_schema=output_schema,
            max_tokens=max_tokens,
            temperature=temperature,
            stop=stop,
            tools=tools,
        )
        return ReplyStream(self._run(request, self._trip(deadline_s), _ask_in_pieces))

    async def agenerate(
        self, prompt: str | Sequence[Message] | CallRequest, system: str | None = None, **settings: Any
    ) -> Reply:
        """`generate` for asyncio: the call runs in a thread of its own. Cancelling it ends the call."""
        import asyncio  # where it is used: it costs as much to import as the rest of this package

        deadline_s = settings.pop("deadline_s", None)
        request = as_request(prompt, system, **settings)
        trip = self._trip(deadline_s)
        try:
            return await asyncio.to_thread(self._generate, request, trip)
        except asyncio.CancelledError:
            trip.cancel()
            raise

    async def astream(
        self, prompt: str | Sequence[Message] | CallRequest, system: str | None = None, **settings: Any
    ) -> AsyncIterator[str | Reply]:
        """`stream` for asyncio: yields the pieces as text, and the whole `Reply` as the last item."""
        import asyncio  # where it is used: it costs as much to import as the rest of this package

        deadline_s = settings.pop("deadline_s", None)
        request = as_request(prompt, system, **settings)
        trip = self._trip(deadline_s)
        stream = ReplyStream(self._run(request, trip, _ask_in_pieces))
        try:
            while (piece := await asyncio.to_thread(next, stream, None)) is not None:
                yield piece
            yield stream.reply
        finally:
            trip.cancel()
            with suppress(ValueError):  # it is reading in its thread, and ends there now that the call is off
                stream.close()

    def warm_up(self) -> None:
        """Imports the SDKs and makes their clients now, so that the first question is no slower."""
        for provider in self.providers:
            getattr(provider, "client", None)

    def status(self) -> Table:
        """Who can be asked now, who rests, until when and why."""
        now = self._clock.now()
        rows: list[tuple[str, str, str]] = []
        for provider in self.providers:
            rest = self._rests.of(provider.name, now)
            if rest is None:
                state = "ready"
            elif rest.soft:
                state = f"asked last for {duration(rest.until - now)}: {rest.reason}"
            else:
                state = f"rests for {duration(rest.until - now)}: {rest.reason}"
            rows.append((provider.name, provider.model, state))
        rows += [(gone.provider, gone.model, f"not asked: {gone.outcome}") for gone in self._skipped]
        return Table(("provider", "model", "state"), rows)

    def wake(self, provider: str | None = None) -> None:
        """Ends the rest of one provider, or of all: after a key was mended, say."""
        self._rests.wake(provider)

    def listening(self, listener: Listener) -> ModelRouter:
        """The same router, resting providers and all, that also hands request and reply to `listener`."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._listeners = (*self._listeners, listener)
        return twin

    def _trip(self, deadline_s: float | None) -> Trip:
        return Trip(self._clock, self.deadline_s if deadline_s is None else deadline_s, self.patience_s)

    def _generate(self, request: CallRequest, trip: Trip) -> Reply:
        run = self._run(request, trip, _ask_at_once)
        while True:
            try:
                next(run)
            except StopIteration as end:
                reply: Reply = end.value
                return reply

    def _run(self, request: CallRequest, trip: Trip, ask: Ask) -> Generator[str, None, Reply]:
        """The whole call. One loop for replies at once and in pieces, so that both keep one policy."""
        while True:
            awake = self._awake(trip)
            if not awake:
                self._wait(trip)
                continue
            for place, provider in enumerate(awake, start=1):
                # The last one gets all the time there is, the others must leave some for those behind them.
                silence_s = self.silence_s if place < len(awake) else None
                reply = yield from self._try(provider, request, trip, ask, silence_s)
                if reply is not None:
                    for listener in self._listeners:
                        listener(request, reply)
                    return reply

    def _awake(self, trip: Trip) -> list[Provider]:
        """Those who may be asked now, the ones that were down lately at the end."""
        now = self._clock.now()
        first: list[Provider] = []
        last: list[Provider] = []
        for provider in self.providers:
            if provider.name in trip.done:
                continue
            rest = self._rests.of(provider.name, now)
            if rest is None:
                first.append(provider)
            elif rest.soft:
                last.append(provider)
        return first + last

    def _try(
        self, provider: Provider, request: CallRequest, trip: Trip, ask: Ask, silence_s: float | None
    ) -> Generator[str, None, Reply | None]:
        """Asks one provider, again where that can help. None means: it is the next one's turn."""
        rest = self._rests.of(provider.name, self._clock.now())
        if rest is not None and not rest.soft:
            return None  # another thread has put it to rest since we looked
        failure: ModelError | None = None
        for attempt in range(1, self.tries + 1):
            trip.check()
            began = self._clock.steady()
            pieces: list[str] = []
            failure = None
            with trip.time_limit(silence_s) as limit:
                run = ask(provider, request, limit)
                try:
                    while True:
                        try:
                            piece = next(run)
                        except StopIteration as end:
                            reply: Reply = end.value
                            break
                        except ModelError as error:
                            failure = error
                            break
                        pieces.append(piece)
                        yield piece
                finally:
                    run.close()
            seconds = self._clock.steady() - began
            if failure is None:
                self._rests.note_answer(provider.name)
                return trip.finish(reply, seconds)
            if not failure.provider:
                failure.provider = provider.name
            self._rests.note_failure(provider.name, failure, self._clock.now())
            trip.note_failure(provider, failure, seconds)
            if failure.then == "stop":
                failure.tried = trip.tried
                raise failure
            trip.check(partial="".join(pieces))
            if pieces:
                raise self._cut(failure, "".join(pieces), trip)
            self._tell_once(failure)
            if failure.then != "retry" or attempt == self.tries:
                break
            pause = self._pause(attempt, failure.retry_after_s)
            if pause is None or pause >= trip.left():
                break
            trip.sleep(pause)
        if failure is None or failure.then != "rest" or not failure.waiting_helps:
            trip.done.add(provider.name)
        return None

    def _pause(self, attempt: int, asked_s: float | None) -> float | None:
        """Seconds before the next try, or None where the provider asks for more than is worth waiting."""
        with self._lock:
            chance = self._rng.uniform(0.5, 1.0)
        pause = chance * min(FIRST_PAUSE_S * 2.0 ** (attempt - 1), LONGEST_PAUSE_S)
        if asked_s is None:
            return pause
        return max(pause, asked_s) if asked_s <= LONGEST_PAUSE_S else None

    def _wait(self, trip: Trip) -> None:
        """Waits until the first resting provider wakes, or ends the call with its report."""
        now = self._clock.now()
        rests = [
            rest
            for provider in self.providers
            if provider.name not in trip.done and (rest := self._rests.of(provider.name, now)) is not None
        ]
        wait = min((rest.until - now for rest in rests), default=None)
        if wait is None and any(provider.name not in trip.done for provider in self.providers):
            return  # somebody woke while we were looking
        if wait is None or wait > trip.patience_left or wait >= trip.left():
            raise self._report(trip, now)
        trip.wait(wait)

    def _report(self, trip: Trip, now: float) -> AllProvidersFailedError:
        for provider in self.providers:
            rest = self._rests.of(provider.name, now)
            if rest is not None and not trip.was_tried(provider.name):
                trip.note(provider, "resting", f"{rest.reason}, for {duration(rest.until - now)} more")
        return trip.report(self._skipped)

    def _cut(self, failure: ModelError, partial: str, trip: Trip) -> StreamCutError:
        error = StreamCutError(
            f"The reply of {failure.provider} broke off after {len(partial)} characters: {failure.what}",
            "What had come is in .partial. Ask again.",
            partial=partial,
            provider=failure.provider,
            status=failure.status,
        )
        error.tried = trip.tried
        return error

    def _tell_once(self, failure: ModelError) -> None:
        if self._tell is None or failure.then != "rest" or isinstance(failure, RateLimitedError):
            return
        with self._lock:
            is_new = (failure.provider, failure.label) not in self._told
            self._told.add((failure.provider, failure.label))
        if is_new:
            self._tell(str(failure))


def _ask_at_once(provider: Provider, request: CallRequest, limit: TimeLimit) -> Generator[str, None, Reply]:
    yield from ()
    return provider.complete(request, limit)


def _ask_in_pieces(provider: Provider, request: CallRequest, limit: TimeLimit) -> Generator[str, None, Reply]:
    return (yield from provider.stream(request, limit))


__all__ = ["AllProvidersFailedError", "DeadlineError", "ModelRouter"]
