"""`connect()` as a lesson uses it: the practice model over real HTTP, real replies kept and replayed."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from course_lib.models import connect
from course_lib.models.errors import AllProvidersFailedError, ModelChoiceError, NotSavedError
from course_lib.models.replay import Recorder
from course_lib.settings import load_settings


def test_the_default_answers_and_says_that_it_is_the_practice_model() -> None:
    reply = connect(load_settings({})).generate("Who are you?")
    assert reply.provider == "practice"
    assert reply.model.startswith("practice-")
    assert reply.text
    assert reply.usage.cost_usd == 0
    assert reply.usage.estimated
    stream = connect(load_settings({})).stream("Who are you?")
    assert "".join(stream) == stream.reply.text == reply.text


def test_a_fault_on_cue_meets_the_lessons_router() -> None:
    from course_lib.models.practice.server import practice_server

    router = connect(load_settings({}), patience_s=0)
    with (
        practice_server().misbehave("rate_minute", seconds=20),
        pytest.raises(AllProvidersFailedError, match="per-minute limit"),
    ):
        router.generate("hello")
    assert router.status()[0][2].startswith("rests for")
    router.wake()
    assert router.generate("hello").text


def test_a_practice_model_that_does_not_exist_is_told_as_such() -> None:
    with pytest.raises(AllProvidersFailedError, match=r"no model 'practice-99'[^\n]*\nSet COURSE_MODEL"):
        connect(replace(load_settings({}), model="practice:practice-99"), tell=None).generate("hello")


def test_replies_are_kept_and_replayed_without_a_model(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "kept.jsonl")
    router = connect(load_settings({})).listening(recorder.keep)
    first = router.generate("Who are you?", "Be brief.")
    router.generate("Quem é você? Ünïcode और हिंदी")
    assert recorder.kept == 2
    lines = [json.loads(line) for line in recorder.path.read_text(encoding="utf-8").splitlines()]
    assert [line["model"] for line in lines] == [first.model] * 2
    assert lines[0]["request"]["messages"] == [{"role": "user", "text": "Who are you?"}]
    assert lines[0]["kept"].startswith("20")

    replayed = connect(replace(load_settings({}), model=f"replay:{recorder.path}"))
    again = replayed.generate("Who are you?", "Be brief.")
    assert (again.text, again.model, again.provider) == (first.text, first.model, "replay")
    assert again.usage == first.usage
    stream = replayed.stream("Who are you?", "Be brief.")
    assert "".join(stream) == first.text
    with pytest.raises(NotSavedError, match=r"kept\.jsonl"):
        replayed.generate("Who are you?", "Be long.")


def test_several_replies_to_one_question_are_replayed_in_turn(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    recorder = Recorder(path)
    router = connect(load_settings({})).listening(recorder.keep)
    router.generate("hello")
    line = json.loads(path.read_text(encoding="utf-8"))
    texts = ["one", "two", "three"]
    path.write_text(
        "".join(json.dumps({**line, "reply": {**line["reply"], "text": text}}) + "\n" for text in texts),
        encoding="utf-8",
    )
    replayed = connect(replace(load_settings({}), model=f"replay:{path}"))
    got: list[str] = []
    threads = [threading.Thread(target=lambda: got.append(replayed.generate("hello").text)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert sorted(got) == sorted(["one", "two", "three", "three", "three"])


@pytest.mark.parametrize("content", [None, "", "not json\n", '{"digest": "x"}\n', "[]\n"])
def test_a_file_that_holds_no_replies_says_which_line(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(ModelChoiceError, match=r"kept\.jsonl"):
        connect(replace(load_settings({}), model=f"replay:{path}"))


def test_a_proxy_in_the_environment_does_not_come_between_us_and_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert connect(load_settings({})).generate("hello").text
