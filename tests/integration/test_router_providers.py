"""Every provider through its real SDK over HTTP, against the practice server, which plays each of them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from course_lib.models.calls import CallRequest, Message, Reply, Tool, ToolCall
from course_lib.models.catalogue import load_catalogue
from course_lib.models.errors import BadReplyError, CutOffError, EmptyReplyError
from course_lib.models.practice.conversation import Reply as PracticeReply
from course_lib.models.practice.conversation import Request as PracticeRequest
from course_lib.models.practice.conversation import ToolCall as PracticeToolCall
from course_lib.models.practice.server import PracticeServer
from course_lib.models.providers import SdkProvider, make_provider
from course_lib.models.router import ModelRouter
from course_lib.models.wire import TimeLimit
from course_lib.settings import KEY_NAMES, Secret, load_settings

NAMES = [info.name for info in load_catalogue()]
COLOURS = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
    "additionalProperties": False,
}
ADD = Tool("add", "Adds two numbers.", {"type": "object", "properties": {"a": {"type": "integer"}}})


def respond(request: PracticeRequest) -> PracticeReply:
    """A model that says back what reached it, so that a test can see that everything did."""
    last = request.turns[-1]
    if request.output_schema is not None:
        return PracticeReply(text=json.dumps({"colour": "red"}))
    if last.role == "tool":
        return PracticeReply(text=f"The tool said {last.text}.")
    if request.tools:
        return PracticeReply(
            tool_calls=(PracticeToolCall("call_1", "add", {"a": 2, "b": 3}),), stop="tool_use"
        )
    said = " | ".join(f"{turn.role}: {turn.text}" for turn in request.turns)
    return PracticeReply(text=f"[{request.system}] {said}")


@pytest.fixture(scope="module")
def server() -> Iterator[PracticeServer]:
    with PracticeServer(respond) as running:
        yield running


@pytest.fixture(autouse=True)
def _behave(server: PracticeServer) -> None:
    server.behave()


def provider(name: str, server: PracticeServer) -> SdkProvider:
    """One provider of the catalogue, pointed at the practice server's version of it."""
    info = next(info for info in load_catalogue() if info.name == name)
    info = replace(info, base_url=server.base_url(name), model="practice-1", listed_model="practice-1")
    settings = replace(load_settings({}), keys={key: Secret(f"made-up-{key}-key") for key in KEY_NAMES})
    return make_provider(info, settings)


def ask(name: str, server: PracticeServer, request: CallRequest | str) -> Reply:
    return ModelRouter([provider(name, server)], tell=None).generate(request)


@pytest.mark.parametrize("name", NAMES)
def test_text_with_system_and_a_conversation(name: str, server: PracticeServer) -> None:
    conversation = (Message("user", "one"), Message("assistant", "two"), Message("user", "three"))
    reply = ask(name, server, CallRequest(conversation, "Be brief."))
    assert reply.text == "[Be brief.] user: one | assistant: two | user: three"
    assert (reply.provider, reply.model, reply.stop) == (name, "practice-1", "end")
    assert reply.usage.tokens_in > 0
    assert reply.usage.tokens_out > 0
    assert reply.usage.cost_usd is not None
    assert reply.seconds > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_comes_in_pieces_and_counts_its_tokens(name: str, server: PracticeServer) -> None:
    stream = ModelRouter([provider(name, server)], tell=None).stream("a question of some length", "Be brief.")
    pieces = list(stream)
    assert len(pieces) > 1
    assert "".join(pieces) == "[Be brief.] user: a question of some length"
    whole = ask(name, server, CallRequest((Message("user", "a question of some length"),), "Be brief."))
    assert stream.reply.text == whole.text
    if (
        name != "mistral"
    ):  # the practice server, like an old Mistral, tells the counts of a stream only when asked
        assert stream.reply.usage == whole.usage
    assert stream.reply.usage.tokens_out > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_gives_data(name: str, server: PracticeServer) -> None:
    request = CallRequest((Message("user", "which colour?"),), output_schema=COLOURS)
    assert ask(name, server, request).data == {"colour": "red"}
    stream = ModelRouter([provider(name, server)], tell=None).stream(request)
    assert json.loads("".join(stream)) == stream.reply.data == {"colour": "red"}


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_is_called_and_its_result_goes_back(name: str, server: PracticeServer) -> None:
    request = CallRequest((Message("user", "2 + 3?"),), tools=(ADD,))
    reply = ask(name, server, request)
    assert reply.stop == "tool_use"
    assert [(call.name, dict(call.arguments)) for call in reply.tool_calls] == [("add", {"a": 2, "b": 3})]
    streamed = ModelRouter([provider(name, server)], tell=None).stream(request)
    assert [(call.name, dict(call.arguments)) for call in streamed.reply.tool_calls] == [
        ("add", {"a": 2, "b": 3})
    ]
    call = reply.tool_calls[0]
    back = (
        *request.messages,
        Message("assistant", tool_calls=(call,)),
        Message("tool", "5", tool_call_id=call.id),
    )
    assert ask(name, server, CallRequest(back, tools=(ADD,))).text == "The tool said 5."


@pytest.mark.parametrize("name", NAMES)
def test_a_reply_that_runs_into_the_token_limit_says_so(name: str, server: PracticeServer) -> None:
    reply = ask(name, server, CallRequest((Message("user", "many words " * 20),), max_tokens=5))
    assert reply.cut_off
    with pytest.raises(CutOffError) as caught:
        ask(name, server, CallRequest((Message("user", "which?"),), output_schema=COLOURS, max_tokens=2))
    assert caught.value.text.startswith('{"col')
    assert name in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("streamed", [False, True])
def test_bad_json_and_an_empty_reply_are_errors_that_name_the_provider(
    name: str, streamed: bool, server: PracticeServer
) -> None:
    router = ModelRouter([provider(name, server)], tell=None)

    def run(request: CallRequest) -> None:
        if streamed:
            list(router.stream(request))
        else:
            router.generate(request)

    server.misbehave("invalid_json")
    with pytest.raises(BadReplyError, match=name) as caught:
        run(CallRequest((Message("user", "which?"),), output_schema=COLOURS))
    assert caught.value.text
    server.misbehave("empty")
    with pytest.raises(EmptyReplyError, match=name):
        run(CallRequest((Message("user", "hello"),)))
    if not streamed:
        server.misbehave("broken_body")
        with pytest.raises(BadReplyError, match=name):
            run(CallRequest((Message("user", "hello"),)))


def test_temperature_is_not_sent_to_a_model_that_refuses_it(server: PracticeServer) -> None:
    request = CallRequest((Message("user", "hi"),), temperature=0.0)
    ask("anthropic", server, request)
    assert server.last_body is not None
    assert "temperature" not in server.last_body
    ask("groq", server, request)
    assert server.last_body["temperature"] == 0.0


def test_extra_fields_go_only_to_the_model_that_they_are_listed_for(server: PracticeServer) -> None:
    ask("gemini", server, "hi")
    assert server.last_body is not None
    assert server.last_body["reasoning_effort"] == "low"
    other = provider("gemini", server)
    other.info = replace(other.info, listed_model="gemini-of-the-file")
    ModelRouter([other], tell=None).generate("hi")
    assert "reasoning_effort" not in server.last_body


def test_a_model_that_the_price_list_does_not_hold_has_no_price(server: PracticeServer) -> None:
    other = provider("gemini", server)
    other.info = replace(other.info, listed_model="gemini-of-the-file")
    assert ModelRouter([other], tell=None).generate("hi").usage.cost_usd is None


def test_the_cost_is_tokens_times_the_listed_price(server: PracticeServer) -> None:
    usage = ask("groq", server, "hi").usage
    assert usage.cost_usd == pytest.approx(usage.tokens_in * 0.15e-6 + usage.tokens_out * 0.60e-6)


def test_stop_texts_reach_the_model(server: PracticeServer) -> None:
    for name, field in [("anthropic", "stop_sequences"), ("groq", "stop"), ("openrouter", "stop")]:
        ask(name, server, CallRequest((Message("user", "hi"),), stop=("END",)))
        assert server.last_body is not None
        assert server.last_body[field] == ["END"]


def test_results_of_several_tools_go_back_to_anthropic_in_one_turn(server: PracticeServer) -> None:
    calls = (ToolCall("a", "add", {"a": 1}), ToolCall("b", "add", {"a": 2}))
    messages = (
        Message("user", "both?"),
        Message("assistant", "I look.", tool_calls=calls),
        Message("tool", "1", tool_call_id="a"),
        Message("tool", "2", tool_call_id="b"),
    )
    ask("anthropic", server, CallRequest(messages, tools=(ADD,)))
    assert server.last_body is not None
    assert [turn["role"] for turn in server.last_body["messages"]] == ["user", "assistant", "user"]
    assert len(server.last_body["messages"][2]["content"]) == 2


def test_the_sdks_own_retries_are_off(server: PracticeServer) -> None:
    for name in NAMES:
        before = server.calls.get(name, 0)
        order = server.misbehave("error_500", provider=name, times=None)
        with pytest.raises(Exception, match=name):
            provider(name, server).complete(CallRequest((Message("user", "hi"),)), TimeLimit(10))
        order.cancel()
        assert server.calls[name] == before + 1


def test_one_client_serves_many_threads(server: PracticeServer) -> None:
    router = ModelRouter([provider("groq", server)], tell=None)
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: texts.append(router.generate(f"number {n}").text))
        for n in range(24)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(texts) == sorted(f"[] user: number {n}" for n in range(24))


def test_no_sdk_is_imported_before_it_is_asked() -> None:
    code = (
        "import sys, course_lib.models\n"
        "router = course_lib.models.connect()\n"
        "heavy = {'anthropic', 'openai', 'groq', 'httpx', 'httpx2', 'pydantic', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_importing_the_package_takes_under_three_tenths_of_a_second() -> None:
    # Processor time, not the clock on the wall, so that a busy machine does not fail it; the best of three.
    code = "import time, course_lib, course_lib.models; print(time.process_time())"
    empty = "import time; print(time.process_time())"

    def seconds(source: str) -> float:
        runs = [
            subprocess.run([sys.executable, "-c", source], capture_output=True, check=True) for _ in range(3)
        ]
        return min(float(run.stdout) for run in runs)

    assert seconds(code) - seconds(empty) < 0.3
