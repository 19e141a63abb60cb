"""A full run with made-up keys, for `test_keys_never_leak.py`: everything that can be shown is shown.

Run as a program of its own. It prints what a learner could see, with all logging at its loudest, and leaves
behind the files that the course leaves. The servers that it talks to send the key back wherever they can.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import copy
import dataclasses
import json
import logging
import os
import pickle
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from IPython.core.formatters import DisplayFormatter

from course_lib import cli
from course_lib.errors import CourseError
from course_lib.models import choosing, connect
from course_lib.models.catalogue import configured
from course_lib.models.practice.conversation import Reply as PracticeReply
from course_lib.models.practice.server import PracticeServer
from course_lib.models.providers import make_provider
from course_lib.models.replay import Recorder
from course_lib.models.router import ModelRouter
from course_lib.settings import load_settings
from tests.models_help import RawServer, answer

FORMATTER = DisplayFormatter()
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def key_in(request: bytes) -> str:
    """The credentials that a request carried, as the server sees them."""
    for line in request.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() in (b"authorization", b"x-api-key"):
            text = value.strip().decode()
            if text.startswith("Basic "):
                return base64.b64decode(text[6:]).decode()
            return text
    return "no key came"


def show(thing: object) -> None:
    """Shows a thing in every way that a notebook, a log or a debugger has."""
    print(repr(thing), str(thing), f"{thing}")
    bundle, _ = FORMATTER.format(thing)
    print(json.dumps(bundle, default=str))
    try:
        pickled = pickle.dumps(thing)
        print(pickled)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        print("not pickled:", type(error).__name__, error)


def attempt(what: str, run: Callable[[], object]) -> None:
    """Runs something that fails, and shows the failure in every way, local variables included."""
    print(f"--- {what}")
    try:
        show(run())
    except CourseError as error:
        show(error)
        traceback.print_exc()
        print("".join(traceback.TracebackException.from_exception(error, capture_locals=True).format()))
        logging.getLogger("course").exception("it failed")
        chain: BaseException | None = error
        while chain is not None:
            print(type(chain), vars(chain))
            chain = chain.__cause__ or chain.__context__
        for cause in getattr(error, "causes", ()):
            show(cause)
            print(vars(cause))


def echo_servers() -> dict[str, Callable[[bytes, socket.socket], None]]:
    """Servers that fail in every way, each with the key in its answer."""

    def error(status: int, **more: object) -> Callable[[bytes, socket.socket], None]:
        def handler(request: bytes, wire: socket.socket) -> None:
            key = key_in(request)
            body = {"error": {"message": f"Incorrect API key provided: {key}. {key}", "type": key, **more}}
            wire.sendall(answer(status, body, f"x-your-key: {key}", f"retry-after: {key}"))

        return handler

    def plain(status: int, kind: str) -> Callable[[bytes, socket.socket], None]:
        return lambda request, wire: wire.sendall(answer(status, f"<p>{key_in(request)}</p>", kind=kind))

    def streamed(request: bytes, wire: socket.socket) -> None:
        body = json.dumps({"error": {"message": f"bad key {key_in(request)}", "code": 500}})
        wire.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        wire.sendall(f"event: error\ndata: {body}\n\n".encode())

    def not_json(request: bytes, wire: socket.socket) -> None:
        chat = {
            "choices": [{"message": {"role": "assistant", "content": "no JSON"}, "finish_reason": "stop"}]
        }
        message = {
            "type": "message",
            "content": [{"type": "text", "text": "no JSON"}],
            "stop_reason": "end_turn",
        }
        wire.sendall(answer(200, {**chat, **message, "echo": key_in(request)}))

    return {
        **{f"status {status}": error(status) for status in (400, 401, 402, 404, 429, 500, 529)},
        "code in 200": error(200, code=401),
        "web page": plain(200, "text/html"),
        "gateway page": plain(502, "text/html"),
        "text as JSON": plain(200, "application/json"),
        "stream": streamed,
        "no JSON": not_json,
        "hang up": lambda request, wire: None,
        "redirect": lambda request, wire: wire.sendall(
            answer(307, "", f"location: http://127.0.0.1:1/{key_in(request)}")
        ),
    }


def providers_meet_failures(home: Path) -> None:
    """Every provider against every failing server, at once and streamed."""
    for what, handler in echo_servers().items():
        with RawServer(handler) as raw:
            for info in configured(load_settings()):
                login = "amy:PASSWORDOFAMY0123456789@" if info.name == "local" else ""
                os.environ[info.url_variable] = f"http://{login}127.0.0.1:{raw.port}/v1"
            settings = load_settings()
            show(settings)
            show(copy.deepcopy(settings))
            print(dataclasses.asdict(settings))
            for info in configured(settings):
                provider = make_provider(info, settings)
                router = ModelRouter([provider], tries=1, patience_s=0, tell=print)
                for thing in (
                    info,
                    provider,
                    router,
                    router.status(),
                    provider.client,
                    provider.client.messages if info.kind == "anthropic" else provider.client.chat,
                ):
                    show(thing)
                attempt(f"{info.name}, {what}", lambda router=router: router.generate("hello", deadline_s=10))
                router.wake()
                attempt(
                    f"{info.name}, {what}, with a schema",
                    lambda router=router: router.generate("hello", output_schema=SCHEMA, deadline_s=10),
                )
                router.wake()
                attempt(
                    f"{info.name}, {what}, streamed",
                    lambda router=router: list(router.stream("hi", deadline_s=10)),
                )
                router.wake()
                if what == "status 401":
                    attempt(
                        f"{info.name}, {what}, async",
                        lambda router=router: asyncio.run(router.agenerate("hi", deadline_s=10)),
                    )
            router = connect(dataclasses.replace(settings, model="auto"), patience_s=0, tries=1)
            attempt(f"all of them, {what}", lambda router=router: router.generate("hello", deadline_s=20))
            show(router.status())
            # The keys did go out: a search that finds none means something.
            sent = " ".join(key_in(request) for request in raw.requests)
            for part in (
                "MADEUPgemini",
                "MADEUPgroq",
                "MADEUPmistral",
                "MADEUPopenrouter",
                "MADEUPanthropic",
                "PASS",
            ):
                assert part in sent, (what, part)


def commands_and_files(home: Path) -> None:
    """What the commands print and what the course writes."""
    server = PracticeServer(lambda request: PracticeReply('{"name": "Meera", "age": 34}'))
    for info in configured(load_settings()):
        path = server.base_url(info.name).removeprefix("http://")
        login = "amy:PASSWORDOFAMY0123456789@" if info.name == "local" else ""
        os.environ[info.url_variable] = f"http://{login}{path}"
        os.environ[info.model_variable] = "practice-1"
    settings = load_settings()
    for command in (
        ["model"],
        ["model", "test"],
        ["model", "use", "auto"],
        ["model", "test", "groq"],
        ["model", "test", "nobody"],
        ["eval", "--model", "gemini", "--save"],
        ["eval", "--model", "anthropic", "--save"],
        ["eval", "--model", "local", "--save"],
    ):
        print(f"--- course {' '.join(command)}: {cli.main(command)}")
    router = connect(dataclasses.replace(settings, model="auto"))
    recorder = Recorder(home / "kept.jsonl")
    show(router.listening(recorder.keep).generate("Who are you?"))
    show(choosing.options_table())
    show(choosing.options())
    for kind in ("bad_key", "rate_day", "error_500", "dropped", "broken_body"):
        server.misbehave(kind, times=None)
        attempt(f"practice server, {kind}", lambda: connect(settings, tries=1, patience_s=0).generate("hi"))
        server.behave()
    show(server)
    print(list(server.log), list(server.failures), server.last_body)


def bad_settings() -> None:
    """Keys and addresses that cannot be used, which the messages must not repeat."""
    before = dict(os.environ)
    for name, value in [
        ("GROQ_API_KEY", "gsk_BROKENKEY0123456789 with a blank"),
        ("GROQ_API_KEY", "“gsk_BROKENKEY0123456789”"),
        ("COURSE_GROQ_URL", "http://host/v1?key=gsk_BROKENKEY0123456789"),
        ("COURSE_GROQ_URL", "htp://gsk_BROKENKEY0123456789@host/v1"),
        ("COURSE_GROQ_URL", "http://user:gsk_BROKENKEY0123456789@[bad/v1"),
    ]:
        os.environ[name] = value
        attempt(f"bad {name}", lambda: connect(dataclasses.replace(load_settings(), model="groq")))
        attempt(f"list with bad {name}", choosing.options_table)
        os.environ.clear()
        os.environ.update(before)


def main() -> None:
    """The whole run."""
    home = Path(os.environ["COURSE_DIR"])
    os.environ["COURSE_LOCAL_MODEL"] = "some-model"
    logging.basicConfig(level=logging.DEBUG, filename=home / "debug.log", force=True)
    logging.getLogger().addHandler(logging.StreamHandler(sys.stderr))
    for name in ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "groq", "anthropic", "asyncio"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    providers_meet_failures(home)
    commands_and_files(home)
    bad_settings()
    print("the run is complete")


if __name__ == "__main__":
    with contextlib.redirect_stderr(sys.stderr):
        main()
