"""Every fault on cue, through the router and a real SDK: who is asked next, and what the caller is told."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from course_lib.models.calls import CallRequest, Message
from course_lib.models.catalogue import load_catalogue
from course_lib.models.errors import (
    AllProvidersFailedError,
    BadKeyError,
    BadReplyError,
    DeadlineError,
    DroppedError,
    EmptyReplyError,
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
from course_lib.models.practice.conversation import Reply as PracticeReply
from course_lib.models.practice.conversation import Request as PracticeRequest
from course_lib.models.practice.server import PracticeServer
from course_lib.models.providers import Provider, SdkProvider, make_provider
from course_lib.models.router import ModelRouter
from course_lib.models.wire import TimeLimit
from course_lib.settings import KEY_NAMES, Secret, load_settings
from tests.models_help import FakeClock, RawServer, Scripted, answer

NAMES = [info.name for info in load_catalogue()]
QUERY = "MATCH (s:Student)-[:STUDIES]->(c:Subject {name: 'DBMS'}) RETURN s.name AS student ORDER BY student"


def respond(request: PracticeRequest) -> PracticeReply:
    if request.output_schema is not None:
        return PracticeReply(text='{"colour": "red"}')
    return PracticeReply(text=QUERY)


@pytest.fixture(scope="module")
def server() -> Iterator[PracticeServer]:
    with PracticeServer(respond) as running:
        yield running


@pytest.fixture(autouse=True)
def _behave(server: PracticeServer) -> None:
    server.behave()


def at(url: str, name: str = "groq", **changes: object) -> SdkProvider:
    """A provider of the catalogue at an address of the test's choice."""
    info = next(info for info in load_catalogue() if info.name == name)
    info = replace(info, base_url=url, model="practice-1", listed_model="practice-1", **changes)  # type: ignore[arg-type]
    settings = replace(load_settings({}), keys={key: Secret(f"made-up-{key}-key") for key in KEY_NAMES})
    return make_provider(info, settings)


def make(*providers: Provider, clock: FakeClock | None = None, **options: object) -> ModelRouter:
    options.setdefault("tell", None)
    return ModelRouter(providers, clock=clock or FakeClock(time.time()), rng=random.Random(3), **options)  # type: ignore[arg-type]


def first_of_two(server: PracticeServer, name: str, clock: FakeClock | None = None) -> ModelRouter:
    """The provider under test, and one behind it that always answers."""
    return make(at(server.base_url(name), name), Scripted("spare", []), clock=clock)


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("fault", "error"),
    [("error_500", ProviderDownError), ("overloaded", ProviderDownError), ("dropped", DroppedError)],
)
def test_a_fault_that_passes_is_tried_again(
    fault: str, error: type[ModelError], name: str, streamed: bool, server: PracticeServer
) -> None:
    router = first_of_two(server, name)
    server.misbehave(fault, times=2)
    reply = router.stream("hi").reply if streamed else router.generate("hi")
    assert reply.provider == name
    assert reply.text == QUERY
    assert [line.outcome for line in reply.tried][-1] == "answered"
    assert len(reply.tried) == 3
    server.misbehave(fault, times=3)
    assert router.generate("hi").provider == "spare"
    # Asked on its own, it says what was wrong.
    server.misbehave(fault)
    with pytest.raises(error, match=name):
        at(server.base_url(name), name).complete(CallRequest((Message("user", "hi"),)), TimeLimit(10))


def test_anthropics_529_and_the_others_overloaded_503_are_no_limit_of_this_key(
    server: PracticeServer,
) -> None:
    for name in ("anthropic", "gemini"):
        server.misbehave("overloaded")
        with pytest.raises(OverloadedError):
            at(server.base_url(name), name).complete(CallRequest((Message("user", "hi"),)), TimeLimit(10))


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_a_limit_by_the_minute_rests_the_provider_and_the_next_answers(
    name: str, streamed: bool, server: PracticeServer
) -> None:
    clock = FakeClock(time.time())
    router = first_of_two(server, name, clock)
    server.misbehave("rate_minute", seconds=24)
    reply = router.stream("hi").reply if streamed else router.generate("hi")
    assert [(line.provider, line.outcome) for line in reply.tried] == [
        (name, "rate limited"),
        ("spare", "answered"),
    ]
    assert router.generate("hi").provider == "spare"
    clock.pass_time(26)
    assert router.generate("hi").provider == name
    assert server.calls[name] >= 2


@pytest.mark.parametrize("name", NAMES)
def test_a_limit_by_the_day_rests_the_provider_until_its_reset(name: str, server: PracticeServer) -> None:
    clock = FakeClock(time.time())
    router = first_of_two(server, name, clock)
    server.misbehave("rate_day")
    assert router.generate("hi").tried[0].outcome == "daily limit"
    clock.pass_time(300)
    assert router.generate("hi").provider == "spare"
    clock.pass_time(26 * 3600)
    assert router.generate("hi").provider == name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("fault", "error", "setting"),
    [
        ("bad_key", BadKeyError, "key"),
        ("retired", RetiredModelError, "model"),
        ("decommissioned", RetiredModelError, "model"),
    ],
)
def test_a_bad_key_and_a_retired_model_are_told_once_with_the_setting_to_change(
    fault: str, error: type[ModelError], setting: str, name: str, server: PracticeServer
) -> None:
    told: list[str] = []
    one = at(server.base_url(name), name)
    router = make(one, Scripted("spare"), tell=told.append)
    with server.misbehave(fault, times=None):
        for _ in range(3):
            assert router.generate("hi").provider == "spare"
        variable = one.info.key_variable if setting == "key" else one.info.model_variable
        assert len(told) == 1
        assert variable in told[0]
        assert name in told[0]
        with pytest.raises(AllProvidersFailedError) as caught:
            make(one).generate("hi")
    assert isinstance(caught.value.causes[0], error)
    assert variable in str(caught.value)
    router.wake()
    assert router.generate("hi").provider == name


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("groq")])
def test_too_long_a_prompt_goes_to_the_caller(name: str, server: PracticeServer) -> None:
    server.misbehave("too_large")
    with pytest.raises(TooLargeError, match=name):
        first_of_two(server, name).generate("hi")


@pytest.mark.parametrize("name", ["groq", "groq-small"])
def test_groqs_413_is_a_limit_and_no_overlong_prompt(name: str, server: PracticeServer) -> None:
    router = first_of_two(server, name)
    server.misbehave("too_large")
    reply = router.generate("hi")
    assert [(line.provider, line.outcome) for line in reply.tried] == [
        (name, "rate limited"),
        ("spare", "answered"),
    ]
    # It holds for that request alone.
    assert router.generate("hi").provider == name


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_body_and_an_empty_reply_are_not_hidden_behind_another_answer(
    name: str, server: PracticeServer
) -> None:
    for fault, error in [("broken_body", BadReplyError), ("empty", EmptyReplyError)]:
        server.misbehave(fault)
        with pytest.raises(error, match=name) as caught:
            first_of_two(server, name).generate("hi")
        assert [line.provider for line in caught.value.tried] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_invalid_json_is_told_with_the_text(name: str, server: PracticeServer) -> None:
    server.misbehave("invalid_json")
    schema = {"type": "object", "properties": {"colour": {"type": "string"}}}
    with pytest.raises(BadReplyError, match=name) as caught:
        first_of_two(server, name).generate("which?", output_schema=schema)
    assert caught.value.text


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_that_drops_in_the_middle_raises_with_what_had_come(
    name: str, server: PracticeServer
) -> None:
    server.misbehave("dropped", where="mid_stream")
    with pytest.raises(StreamCutError, match=name) as caught:
        list(first_of_two(server, name).stream("hi"))
    assert caught.value.partial
    assert QUERY.startswith(caught.value.partial)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fault", ["overloaded", "error_500"])
def test_an_error_in_the_middle_of_a_stream_raises_with_what_had_come(
    name: str, fault: str, server: PracticeServer
) -> None:
    server.misbehave(fault, where="mid_stream")
    with pytest.raises(StreamCutError, match=name) as caught:
        list(first_of_two(server, name).stream("hi"))
    assert QUERY.startswith(caught.value.partial)


@pytest.mark.parametrize("name", NAMES)
def test_a_slow_first_byte_makes_way_for_the_next_provider(name: str, server: PracticeServer) -> None:
    router = make(at(server.base_url(name), name), Scripted("spare"), silence_s=0.3)
    router.warm_up()
    server.misbehave("slow_first_byte", seconds=12)
    began = time.monotonic()
    reply = router.generate("hi")
    assert reply.provider == "spare"
    assert reply.tried[0].outcome == "too slow"
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("name", ["groq", "gemini", "anthropic"])
def test_the_deadline_of_the_whole_call_holds_for_a_slow_provider(name: str, server: PracticeServer) -> None:
    router = ModelRouter([at(server.base_url(name), name)], tell=None)
    router.warm_up()
    server.misbehave("slow_first_byte", seconds=12)
    began = time.monotonic()
    with pytest.raises(DeadlineError, match=name):
        router.generate("hi", deadline_s=0.5)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    "fault",
    [
        "think_closed",
        "think_unclosed",
        "think_decoy",
        "think_only",
        "fences",
        "preamble",
        "write",
        "neo4j_syntax",
    ],
)
def test_faults_of_content_are_passed_on_untouched(fault: str, server: PracticeServer) -> None:
    order = server.misbehave(fault)
    reply = first_of_two(server, "groq").generate("Who studies DBMS?")
    assert order.hits == 1
    assert reply.provider == "groq"
    assert reply.text != QUERY


def test_a_reply_cut_off_by_the_model_says_so(server: PracticeServer) -> None:
    server.misbehave("cut_off")
    assert first_of_two(server, "groq").generate("Who studies DBMS?").cut_off


def test_a_dead_address_goes_on_to_the_next() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    for name in ("groq", "gemini", "anthropic"):
        reply = make(at(f"http://127.0.0.1:{port}", name), Scripted("spare")).generate("hi")
        assert [line.outcome for line in reply.tried] == ["down", "down", "down", "answered"]


CHAT = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}]
}


def test_openrouters_limit_inside_a_reply_of_status_200_is_a_limit_and_no_empty_reply() -> None:
    hidden = {"error": {"code": 429, "message": "Rate limit exceeded: free-models-per-day."}}
    with RawServer(lambda request, wire: wire.sendall(answer(200, hidden))) as raw:
        reply = make(at(raw.url, "openrouter"), Scripted("spare")).generate("hi")
        assert reply.tried[0].outcome == "daily limit"
        in_choice = {
            "choices": [{"index": 0, "message": None, "error": {"code": 502, "message": "upstream"}}]
        }
    with RawServer(lambda request, wire: wire.sendall(answer(200, in_choice))) as raw:
        reply = make(at(raw.url, "openrouter"), Scripted("spare")).generate("hi")
        assert [line.outcome for line in reply.tried] == ["down", "down", "down", "answered"]


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"choices": None}, [], "null", '"hello"', "42"])
@pytest.mark.parametrize("name", ["groq", "gemini", "anthropic"])
def test_a_body_of_another_shape_is_an_unreadable_reply(name: str, body: object) -> None:
    with (
        RawServer(lambda request, wire: wire.sendall(answer(200, body))) as raw,
        pytest.raises(BadReplyError),
    ):
        make(at(raw.url, name)).generate("hi")


@pytest.mark.parametrize("name", ["groq", "gemini", "anthropic"])
def test_a_web_page_in_place_of_a_reply_is_unreadable(name: str) -> None:
    page = answer(200, "<html>Log in to the hotel's network</html>", kind="text/html")
    with RawServer(lambda request, wire: wire.sendall(page)) as raw, pytest.raises(BadReplyError, match=name):
        make(at(raw.url, name)).generate("hi")


@pytest.mark.parametrize("name", ["groq", "gemini", "anthropic"])
def test_a_redirect_is_not_followed_so_the_key_goes_nowhere_else(name: str) -> None:
    with RawServer(lambda request, wire: wire.sendall(answer(200, CHAT))) as elsewhere:
        moved = answer(307, "", f"location: {elsewhere.url}/v1/chat/completions")
        with RawServer(lambda request, wire: wire.sendall(moved)) as raw:
            with pytest.raises(AllProvidersFailedError) as caught:
                make(at(raw.url, name)).generate("hi")
            assert isinstance(caught.value.causes[0], RequestRefusedError)
        assert elsewhere.requests == []


def test_a_message_in_parts_gives_the_text_and_not_the_thoughts() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "hello"},
    ]
    body = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": parts}, "finish_reason": "stop"}]
    }
    with RawServer(lambda request, wire: wire.sendall(answer(200, body))) as raw:
        reply = make(at(raw.url, "mistral")).generate("hi")
    assert reply.text == "hello"
    # No counts came, so they are estimated, and it is said.
    assert reply.usage.estimated
    assert reply.usage.tokens_out > 0


def test_a_reasoning_model_that_spends_its_tokens_on_thinking_is_told_as_such() -> None:
    body = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "length"}]
    }
    with (
        RawServer(lambda request, wire: wire.sendall(answer(200, body))) as raw,
        pytest.raises(EmptyReplyError, match="max_tokens"),
    ):
        make(at(raw.url, "groq")).generate("hi")


STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def piece(text: str, finish: str = "null") -> bytes:
    delta = f'{{"choices":[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":{finish}}}]}}'
    return f"data: {delta}\n\n".encode()


@pytest.mark.parametrize("name", ["groq", "gemini"])
def test_a_connection_closed_politely_in_the_middle_is_no_end_of_the_reply(name: str) -> None:
    def handler(request: bytes, wire: socket.socket) -> None:
        wire.sendall(STREAM_HEAD + piece("half of ") + piece("it"))

    with RawServer(handler) as raw, pytest.raises(StreamCutError) as caught:
        list(make(at(raw.url, name)).stream("hi"))
    assert caught.value.partial == "half of it"


@pytest.mark.parametrize("name", ["groq", "gemini", "anthropic"])
@pytest.mark.parametrize("streamed", [False, True])
def test_a_server_that_drips_one_byte_at_a_time_is_cut_at_the_deadline(name: str, streamed: bool) -> None:
    gone = threading.Event()

    def handler(request: bytes, wire: socket.socket) -> None:
        kind = b"text/event-stream" if streamed else b"application/json"
        wire.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: " + kind + b"\r\ncontent-length: 100000\r\n\r\n")
        try:
            while not gone.wait(0.05):
                wire.sendall(b" ")
        except OSError:
            gone.set()

    with RawServer(handler) as raw:
        router = ModelRouter([at(raw.url, name)], tell=None)
        router.warm_up()  # the SDK's import is not part of this
        began = time.monotonic()

        def ask() -> None:
            if streamed:
                list(router.stream("hi", deadline_s=0.6))
            else:
                router.generate("hi", deadline_s=0.6)

        with pytest.raises(DeadlineError):
            ask()
        assert time.monotonic() - began < 10
        # The server notices that nobody listens any more: the connection was cut, not merely abandoned.
        assert gone.wait(20)
    gone.set()


def test_a_stream_that_goes_silent_is_given_up_with_what_had_come() -> None:
    hold = threading.Event()

    def handler(request: bytes, wire: socket.socket) -> None:
        wire.sendall(STREAM_HEAD + piece("half"))
        hold.wait(30)

    with RawServer(handler) as raw:
        router = ModelRouter([at(raw.url, "gemini")], tell=None)
        router.warm_up()
        with pytest.raises(DeadlineError) as caught:
            list(router.stream("hi", deadline_s=0.6))
        assert caught.value.partial == "half"
    hold.set()


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (402, {"error": {"message": "Insufficient credits", "code": 402}}, OutOfCreditError),
        (
            429,
            {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}},
            OutOfCreditError,
        ),
        (403, {"error": {"message": "Country, region, or territory not supported"}}, BadKeyError),
        (400, {"error": {"message": "This model's maximum context length is 131072 tokens"}}, TooLargeError),
        (
            400,
            {"error": {"message": "`reasoning_effort` is not supported with this one"}},
            RequestRefusedError,
        ),
        (422, {"detail": [{"msg": "Extra inputs are not permitted"}]}, RequestRefusedError),
        (
            400,
            {"error": {"message": "bad JSON", "code": "json_validate_failed", "failed_generation": "{"}},
            BadReplyError,
        ),
        (404, "not here", RetiredModelError),
        (410, {"error": {"message": "gone"}}, RetiredModelError),
        (408, "", ProviderDownError),
        (498, {"error": {"message": "capacity"}}, OverloadedError),
        (502, "<html>bad gateway</html>", ProviderDownError),
        (504, "", ProviderDownError),
    ],
)
def test_statuses_that_the_practice_server_does_not_stage(
    status: int, body: object, error: type[ModelError]
) -> None:
    kind = "text/html" if isinstance(body, str) else "application/json"
    with RawServer(lambda request, wire: wire.sendall(answer(status, body, kind=kind))) as raw:
        for name in ("groq", "gemini"):
            with pytest.raises(error, match=name):
                at(raw.url, name).complete(CallRequest((Message("user", "hi"),)), TimeLimit(10))


@pytest.mark.parametrize(
    ("status", "inner", "error"),
    [
        (
            400,
            {"type": "invalid_request_error", "message": "Your credit balance is too low"},
            OutOfCreditError,
        ),
        (
            429,
            {
                "type": "rate_limit_error",
                "message": "x",
                "details": {"error_code": "enforced_spend_limit_reached"},
            },
            OutOfCreditError,
        ),
        (
            400,
            {"type": "invalid_request_error", "message": "prompt is too long: 300000 tokens"},
            TooLargeError,
        ),
        (429, {"type": "rate_limit_error", "message": "slow down"}, RateLimitedError),
    ],
)
def test_anthropics_own_words(status: int, inner: dict[str, object], error: type[ModelError]) -> None:
    body = {"type": "error", "error": inner}
    with RawServer(lambda request, wire: wire.sendall(answer(status, body))) as raw, pytest.raises(error):
        at(raw.url, "anthropic").complete(CallRequest((Message("user", "hi"),)), TimeLimit(10))


def test_a_silent_provider_named_in_its_error(server: PracticeServer) -> None:
    server.misbehave("slow_first_byte", seconds=2)
    with pytest.raises(SlowReplyError, match="groq"):
        at(server.base_url("groq")).complete(
            CallRequest((Message("user", "hi"),)), TimeLimit(10, silence_s=0.2)
        )
