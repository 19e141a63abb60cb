"""A soak of the router: many calls from many threads, over several providers that all fail at random.

Real HTTP and real SDKs against the practice server. Only time is made up: a wait moves the clock and takes no
time, so that rests of a minute or a day come and go within seconds.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from course_lib.models.calls import Reply
from course_lib.models.catalogue import load_catalogue
from course_lib.models.errors import AllProvidersFailedError, ModelError
from course_lib.models.practice.conversation import Reply as PracticeReply
from course_lib.models.practice.conversation import Request as PracticeRequest
from course_lib.models.practice.mix import Mix
from course_lib.models.practice.server import PracticeServer
from course_lib.models.providers import make_provider
from course_lib.models.router import ModelRouter
from course_lib.settings import KEY_NAMES, Secret, load_settings
from tests.models_help import FakeClock

PROVIDERS = ("gemini", "groq", "mistral", "openrouter", "anthropic")
FAULTS: Mapping[str, float] = {
    "rate_minute": 0.12,
    "rate_day": 0.02,
    "error_500": 0.10,
    "overloaded": 0.06,
    "dropped": 0.10,
    "empty": 0.01,
    "broken_body": 0.01,
    "too_large": 0.01,
    "bad_key": 0.01,
    "retired": 0.01,
}
"""Nearly half of all requests fail."""
SECONDS_A_CALL = 2.0
SECONDS_OF_A_BREAK = 3600.0
"""How far the clock moves with each call, and with every tenth: rests of a minute last for some calls, rests
of a day for some dozens."""


@dataclass
class Tally:
    """What came of all calls."""

    calls: int
    answered: int = 0
    refused: int = 0
    other: list[str] = field(default_factory=list)
    """Anything that is neither a reply nor an error with a report. Must stay empty."""
    by_provider: Counter[str] = field(default_factory=Counter)
    by_error: Counter[str] = field(default_factory=Counter)
    attempts: int = 0
    """Requests that the replies and reports speak of."""
    requests: int = 0
    """Requests that reached the server."""
    hung: int = 0
    """Threads that had not ended in time."""
    last_answers: Counter[str] = field(default_factory=Counter)
    """Who answered the last fifth of the calls."""
    seconds: float = 0.0
    server_mistakes: int = 0


def _respond(request: PracticeRequest) -> PracticeReply:
    return PracticeReply(text=f"The answer to {request.turns[-1].text} is a sentence of some length.")


def _router(server: PracticeServer, clock: FakeClock, seed: int) -> ModelRouter:
    settings = replace(load_settings({}), keys={name: Secret(f"made-up-{name}-key") for name in KEY_NAMES})
    infos = [info for info in load_catalogue() if info.name in PROVIDERS]
    providers = [
        make_provider(
            replace(info, base_url=server.base_url(info.name), model="practice-1", listed_model="practice-1"),
            settings,
        )
        for info in infos
    ]
    # The made-up clock runs for all threads at once, so one thread's wait would be another's deadline.
    return ModelRouter(
        providers,
        clock=clock,
        rng=random.Random(seed),
        tell=None,
        deadline_s=1e9,
        silence_s=20,
        patience_s=60,
    )


def soak(calls: int, threads: int = 8, seed: int = 0, limit_s: float = 240.0) -> Tally:
    """Makes so many calls and counts what came of them.

    Args:
        calls: how many.
        threads: from how many threads at once.
        seed: for the faults, the pauses, and which calls are streamed or asynchronous.
        limit_s: real seconds after which a thread counts as hung.
    """
    tally = Tally(calls)
    lock = threading.Lock()
    clock = FakeClock(time.time())
    numbers = iter(range(calls))
    began = time.monotonic()
    with PracticeServer(_respond, mix=Mix(FAULTS, seed)) as server:
        router = _router(server, clock, seed)
        router.warm_up()

        def ask(number: int) -> Reply:
            question = f"question {number}"
            match number % 4:
                case 0:
                    stream = router.stream(question)
                    text = "".join(stream)
                    assert stream.reply.text == text
                    return stream.reply
                case 1:
                    return asyncio.run(router.agenerate(question))
                case _:
                    return router.generate(question)

        def work() -> None:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                clock.pass_time(SECONDS_OF_A_BREAK if number % 10 == 9 else SECONDS_A_CALL)
                try:
                    reply = ask(number)
                    tried, outcome = reply.tried, reply.provider
                except ModelError as error:
                    tried, outcome = error.tried, None
                    name = type(error).__name__
                    reported = bool(tried) and (
                        bool(error.provider) or isinstance(error, AllProvidersFailedError)
                    )
                except Exception as error:  # a soak counts whatever happens, and fails on it afterwards
                    with lock:
                        tally.other.append(repr(error))
                    continue
                with lock:
                    tally.attempts += sum(line.outcome != "resting" for line in tried)
                    if outcome is not None:
                        tally.answered += 1
                        tally.by_provider[outcome] += 1
                        if number >= calls * 0.8:
                            tally.last_answers[outcome] += 1
                    elif reported:
                        tally.refused += 1
                        tally.by_error[name] += 1
                    else:
                        tally.other.append(f"{name} without a report")

        workers = [threading.Thread(target=work, daemon=True) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(timeout=max(0.1, limit_s - (time.monotonic() - began)))
        tally.hung = sum(worker.is_alive() for worker in workers)
        tally.requests = sum(server.calls.values())
        tally.server_mistakes = len(server.failures)
    tally.seconds = time.monotonic() - began
    return tally
