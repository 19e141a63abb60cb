"""The router's decisions, on a clock that nobody waits for and providers that follow a script."""

from __future__ import annotations

import asyncio
import random
import threading

import pytest

from course_lib.models.calls import Attempt, CallRequest, Message
from course_lib.models.errors import (
    AllProvidersFailedError,
    BadKeyError,
    BadReplyError,
    DeadlineError,
    DroppedError,
    EmptyReplyError,
    ModelChoiceError,
    ModelError,
    OutOfCreditError,
    OverloadedError,
    ProviderDownError,
    RateLimitedError,
    RequestRefusedError,
    RetiredModelError,
    SlowReplyError,
    StreamCutError,
    TooLargeError,
)
from course_lib.models.router import ModelRouter
from tests.models_help import FakeClock, Scripted


def make(*providers: Scripted, clock: FakeClock | None = None, **options: object) -> ModelRouter:
    options.setdefault("tell", None)
    return ModelRouter(providers, clock=clock or FakeClock(), rng=random.Random(7), **options)  # type: ignore[arg-type]


def minute(seconds: float = 30.0) -> RateLimitedError:
    return RateLimitedError("limited", kind="minute", retry_after_s=seconds)


def day(seconds: float = 36_000.0) -> RateLimitedError:
    return RateLimitedError("used up", kind="day", retry_after_s=seconds)


def test_the_first_provider_answers_and_the_reply_says_so() -> None:
    router = make(Scripted("one", ["hello"]), Scripted("two"))
    reply = router.generate("hi", "be kind")
    assert (reply.text, reply.provider, reply.model) == ("hello", "one", "some-model")
    assert [(line.provider, line.outcome) for line in reply.tried] == [("one", "answered")]


def test_question_system_and_settings_reach_the_provider() -> None:
    one = Scripted("one")
    make(one).generate(
        "hi", "be kind", max_tokens=7, temperature=0.5, stop=["."], output_schema={"type": "object"}
    )
    assert one.asked == [
        CallRequest(
            (Message("user", "hi"),),
            "be kind",
            output_schema={"type": "object"},
            max_tokens=7,
            temperature=0.5,
            stop=(".",),
        )
    ]


@pytest.mark.parametrize("error", [ProviderDownError, OverloadedError, DroppedError])
def test_what_may_be_gone_in_a_second_is_tried_again_at_the_same_provider(error: type[ModelError]) -> None:
    clock = FakeClock()
    one, two = Scripted("one", [error("down"), error("down"), "back"]), Scripted("two")
    reply = make(one, two, clock=clock).generate("hi")
    assert reply.provider == "one"
    assert len(one.asked) == 3
    assert not two.asked
    assert [line.outcome for line in reply.tried] == [error.label, error.label, "answered"]
    # Half to whole of half a second, then of one second.
    assert 0.25 <= clock.waits[0] <= 0.5
    assert 0.5 <= clock.waits[1] <= 1.0


def test_after_three_tries_it_is_the_next_ones_turn_and_the_next_call_starts_there() -> None:
    clock = FakeClock()
    one, two = Scripted("one", [ProviderDownError("down")] * 3), Scripted("two")
    router = make(one, two, clock=clock)
    assert router.generate("hi").provider == "two"
    assert len(one.asked) == 3
    # The second call does not begin with a provider that was down a moment ago...
    assert router.generate("hi").provider == "two"
    assert len(one.asked) == 3
    # ... and half a minute later it is asked first again.
    clock.pass_time(30)
    assert router.generate("hi").provider == "one"


def test_a_provider_that_was_down_is_still_asked_when_it_is_the_only_one() -> None:
    one = Scripted("one", [ProviderDownError("down")] * 3)
    router = make(one)
    with pytest.raises(AllProvidersFailedError):
        router.generate("hi")
    assert router.generate("hi").text == "ok"


def test_an_overloaded_provider_that_asks_for_a_long_pause_is_left_at_once() -> None:
    one = Scripted("one", [OverloadedError("busy", retry_after_s=40)])
    reply = make(one, Scripted("two")).generate("hi")
    assert reply.provider == "two"
    assert len(one.asked) == 1


def test_an_overloaded_provider_that_asks_for_a_short_pause_gets_it() -> None:
    clock = FakeClock()
    one = Scripted("one", [OverloadedError("busy", retry_after_s=4)])
    assert make(one, Scripted("two"), clock=clock).generate("hi").provider == "one"
    assert clock.waits == [4]


def test_a_limit_by_the_minute_rests_the_provider_for_just_that_time() -> None:
    clock = FakeClock()
    one, two = Scripted("one", [minute(30)]), Scripted("two")
    router = make(one, two, clock=clock)
    assert router.generate("hi").provider == "two"
    clock.pass_time(29)
    assert router.generate("hi").provider == "two"
    assert len(one.asked) == 1
    assert router.status()[0] == ("one", "some-model", "rests for 1.0 s: rate limited")
    clock.pass_time(1.5)
    assert router.generate("hi").provider == "one"
    assert router.status()[0][2] == "ready"


def test_a_daily_limit_rests_the_provider_until_its_reset() -> None:
    clock = FakeClock()
    one, two = Scripted("one", [day(36_000)]), Scripted("two")
    router = make(one, two, clock=clock)
    assert router.generate("hi").provider == "two"
    clock.pass_time(35_990)
    assert router.generate("hi").provider == "two"
    clock.pass_time(11)
    assert router.generate("hi").provider == "one"


def test_with_nobody_else_left_a_short_rest_is_waited_out() -> None:
    clock = FakeClock()
    one = Scripted("one", [minute(8)])
    reply = make(one, clock=clock).generate("hi")
    assert reply.text == "ok"
    assert clock.waits == [8]
    assert reply.seconds == 8


def test_the_first_to_wake_is_the_one_that_is_waited_for() -> None:
    clock = FakeClock()
    one, two = Scripted("one", [minute(15)]), Scripted("two", [minute(5)])
    reply = make(one, two, clock=clock).generate("hi")
    assert reply.provider == "two"
    assert clock.waits == [5]


def test_a_long_rest_is_not_waited_out_and_the_report_says_who_was_asked_and_what_they_said() -> None:
    clock = FakeClock()
    router = make(Scripted("one", [minute(45)]), Scripted("two", [day()]), clock=clock)
    with pytest.raises(AllProvidersFailedError) as caught:
        router.generate("hi")
    assert clock.waits == []
    assert [(line.provider, line.outcome) for line in caught.value.tried] == [
        ("one", "rate limited"),
        ("two", "daily limit"),
    ]
    assert "- one (some-model): rate limited: limited" in str(caught.value)
    assert [type(cause) for cause in caught.value.causes] == [RateLimitedError, RateLimitedError]
    # A second call finds both resting, asks nobody, and still says why.
    with pytest.raises(AllProvidersFailedError) as again:
        router.generate("hi")
    assert [line.outcome for line in again.value.tried] == ["resting", "resting"]
    assert "rate limited, for 45 s more" in str(again.value)
    assert "daily limit, for 10 h more" in str(again.value)


def test_patience_is_for_the_whole_call_so_endless_limits_end() -> None:
    clock = FakeClock()
    one = Scripted("one", [minute(6) for _ in range(100)])
    with pytest.raises(AllProvidersFailedError):
        make(one, clock=clock, patience_s=20).generate("hi")
    assert clock.waits == [6, 6, 6]


def test_a_request_too_big_for_a_minutes_allowance_goes_on_and_rests_nobody() -> None:
    too_big = RateLimitedError("too big", kind="minute", retry_after_s=60, limit=8_000, requested=20_000)
    one, two = Scripted("one", [too_big]), Scripted("two")
    router = make(one, two)
    assert router.generate("a very long prompt").provider == "two"
    assert router.generate("a short one").provider == "one"


def test_a_request_too_big_for_the_only_provider_is_refused_without_waiting() -> None:
    clock = FakeClock()
    too_big = RateLimitedError("too big", kind="minute", retry_after_s=5, limit=8_000, requested=20_000)
    with pytest.raises(AllProvidersFailedError):
        make(Scripted("one", [too_big]), clock=clock).generate("a very long prompt")
    assert clock.waits == []


@pytest.mark.parametrize("error", [BadKeyError, RetiredModelError, OutOfCreditError])
def test_what_a_person_must_mend_is_told_once_and_the_next_provider_answers(error: type[ModelError]) -> None:
    told: list[str] = []
    clock = FakeClock()
    one, two = Scripted("one", [error("Broken.", "Set ONE_KEY.")] * 5), Scripted("two")
    router = make(one, two, clock=clock, tell=told.append)
    for _ in range(3):
        assert router.generate("hi").provider == "two"
    assert told == ["Broken. Set ONE_KEY."]
    assert len(one.asked) == 1
    # It is not given up for good, and not told a second time.
    clock.pass_time(3_601)
    assert router.generate("hi").provider == "two"
    assert len(one.asked) == 2
    assert told == ["Broken. Set ONE_KEY."]


def test_a_mended_key_is_noticed_after_ten_minutes_or_at_once_by_wake() -> None:
    clock = FakeClock()
    one, two = Scripted("one", [BadKeyError("no")]), Scripted("two")
    router = make(one, two, clock=clock)
    assert router.generate("hi").provider == "two"
    router.wake("one")
    assert router.generate("hi").provider == "one"


@pytest.mark.parametrize("error", [EmptyReplyError, BadReplyError, TooLargeError])
def test_an_unusable_answer_goes_to_the_caller_and_is_not_hidden_behind_another(
    error: type[ModelError],
) -> None:
    one, two = Scripted("one", [error("nothing in it")]), Scripted("two")
    router = make(one, two)
    with pytest.raises(error) as caught:
        router.generate("hi")
    assert not two.asked
    assert caught.value.provider == "one"
    assert [line.outcome for line in caught.value.tried] == [error.label]
    assert router.generate("hi").provider == "one"


@pytest.mark.parametrize("error", [RequestRefusedError, SlowReplyError])
def test_a_refused_request_and_a_silent_provider_are_not_asked_again_in_this_call(
    error: type[ModelError],
) -> None:
    one, two = Scripted("one", [error("no")] * 2), Scripted("two")
    reply = make(one, two).generate("hi")
    assert reply.provider == "two"
    assert len(one.asked) == 1
    assert [line.outcome for line in reply.tried] == [error.label, "answered"]


def test_the_deadline_ends_retries_and_reports() -> None:
    clock = FakeClock()

    def slowly() -> ModelError:
        clock.pass_time(4)
        return ProviderDownError("down")

    one = Scripted("one", [slowly] * 50)
    with pytest.raises(DeadlineError) as caught:
        make(one, clock=clock, tries=50).generate("hi", deadline_s=10)
    assert len(one.asked) <= 3
    assert "no whole reply within 10 s" in str(caught.value)
    assert isinstance(caught.value, AllProvidersFailedError)
    assert caught.value.tried[0].seconds == 4


def test_each_attempt_is_given_only_what_is_left_of_the_deadline() -> None:
    clock = FakeClock()

    def slowly() -> ModelError:
        clock.pass_time(12)
        return SlowReplyError("slow")

    one, two = Scripted("one", [slowly]), Scripted("two")
    make(one, two, clock=clock, silence_s=5).generate("hi", deadline_s=20)
    assert one.limits[0].seconds == pytest.approx(20)
    assert two.limits[0].seconds == pytest.approx(8)
    # The first must leave time for the second, which as the last one may use all of it.
    assert one.limits[0].silence() == pytest.approx(5, abs=0.1)


def test_a_stream_gives_its_pieces_and_ends_with_the_reply() -> None:
    stream = make(Scripted("one", ["a b c"])).stream("hi")
    assert list(stream) == ["a", "b", "c"]
    assert stream.reply.text == "a b c"
    assert stream.reply.provider == "one"


def test_a_stream_can_hand_its_reply_to_a_generator() -> None:
    def chat():  # type: ignore[no-untyped-def]
        reply = yield from make(Scripted("one", ["a b"])).stream("hi")
        yield reply.provider

    assert list(chat()) == ["a", "b", "one"]


class CutStream(Scripted):
    """Breaks off after so many words."""

    def __init__(self, name: str, after: int, error: ModelError) -> None:
        super().__init__(name)
        self.after, self.error = after, error

    def stream(self, request, limit):  # type: ignore[no-untyped-def]
        self.asked.append(request)
        for number in range(self.after):
            yield f"w{number} "
        raise self.error


def test_a_stream_cut_before_its_first_piece_goes_on_elsewhere() -> None:
    one, two = CutStream("one", 0, DroppedError("cut")), Scripted("two", ["a b"])
    stream = make(one, two).stream("hi")
    assert list(stream) == ["a", "b"]
    assert [line.provider for line in stream.reply.tried] == ["one", "one", "one", "two"]


def test_a_stream_cut_after_its_first_piece_raises_with_what_had_come() -> None:
    one, two = CutStream("one", 2, DroppedError("cut")), Scripted("two")
    stream = make(one, two).stream("hi")
    with pytest.raises(StreamCutError) as caught:
        list(stream)
    assert stream.text == "w0 w1 "
    assert caught.value.partial == "w0 w1 "
    assert caught.value.provider == "one"
    assert not two.asked


def test_a_stream_whose_content_is_unusable_keeps_its_own_error() -> None:
    one = CutStream("one", 2, BadReplyError("no JSON", text="w0 w1 "))
    with pytest.raises(BadReplyError):
        list(make(one, Scripted("two")).stream("hi"))


def test_the_deadline_in_the_middle_of_a_stream_keeps_what_had_come() -> None:
    clock = FakeClock()

    class Late(CutStream):
        def stream(self, request, limit):  # type: ignore[no-untyped-def]
            yield "first "
            clock.pass_time(100)
            raise SlowReplyError("too slow")

    with pytest.raises(DeadlineError) as caught:
        list(make(Late("one", 0, SlowReplyError("x")), clock=clock).stream("hi", deadline_s=10))
    assert caught.value.partial == "first "


def test_a_stream_closed_early_has_no_reply_and_says_so() -> None:
    with make(Scripted("one", ["a b c"])).stream("hi") as stream:
        assert next(stream) == "a"
    with pytest.raises(RuntimeError, match="closed before its end"):
        _ = stream.reply
    assert stream.text == "a"


def test_a_router_needs_providers_with_names_of_their_own() -> None:
    with pytest.raises(ModelChoiceError):
        make()
    with pytest.raises(ModelChoiceError):
        make(Scripted("one"), Scripted("one"))


def test_skipped_providers_show_in_status_and_report() -> None:
    router = make(Scripted("one", [day()]), skipped=[Attempt("gemini", "g", "no key")])
    with pytest.raises(AllProvidersFailedError, match=r"gemini \(g\): no key"):
        router.generate("hi")
    assert router.status()[-1] == ("gemini", "g", "not asked: no key")
    html = router.status()._repr_html_()
    assert "<th" in html
    assert "not asked: no key" in html


def test_a_listener_gets_every_reply_and_shares_the_rests() -> None:
    clock = FakeClock()
    heard: list[tuple[str, str]] = []
    one, two = Scripted("one", [minute()]), Scripted("two")
    router = make(one, two, clock=clock)
    loud = router.listening(lambda request, reply: heard.append((request.messages[0].text, reply.provider)))
    loud.generate("first")
    assert list(loud.stream("second")) == ["ok"]
    router.generate("unheard")
    assert heard == [("first", "two"), ("second", "two")]
    # The limit that the one met, the other knows.
    assert len(one.asked) == 1


def test_a_bug_in_a_provider_is_not_taken_for_a_failure() -> None:
    class Buggy(Scripted):
        def complete(self, request, limit):  # type: ignore[no-untyped-def]
            raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        make(Buggy("one"), Scripted("two")).generate("hi")


def test_many_threads_share_one_router() -> None:
    clock = FakeClock()
    one = Scripted("one", [minute(1_000) if n == 5 else "from one" for n in range(40)])
    router = make(one, Scripted("two"), clock=clock)
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(router.generate("hi").provider)) for _ in range(40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert len(answers) == 40
    assert set(answers) == {"one", "two"}


def test_asyncio_asks_and_streams() -> None:
    router = make(Scripted("one", ["hello", "a b"]))

    async def talk() -> tuple[str, list[object]]:
        reply = await router.agenerate("hi", deadline_s=5)
        items = [item async for item in router.astream("hi", "be kind", max_tokens=9)]
        return reply.text, items

    text, items = asyncio.run(talk())
    assert text == "hello"
    assert items[:-1] == ["a", "b"]
    assert getattr(items[-1], "text", None) == "a b"


def test_cancelling_an_async_call_stops_its_retries() -> None:
    began = threading.Event()
    go_on = threading.Event()

    def hang() -> ModelError:
        began.set()
        go_on.wait(10)
        return ProviderDownError("down")

    one, two = Scripted("one", [hang, "never asked"]), Scripted("two")
    router = make(one, two)

    async def start_and_cancel() -> None:
        task = asyncio.create_task(router.agenerate("hi"))
        await asyncio.to_thread(began.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()

    asyncio.run(start_and_cancel())
    assert len(one.asked) == 1
    assert not two.asked
