"""Extraction over real HTTP, with each SDK's own client against the practice model's server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from course_lib.crumb.clients import NoReplyError, UnknownClientError
from course_lib.crumb.dataset import read_chats
from course_lib.crumb.extraction import Extraction, extract
from course_lib.crumb.free_form import free_triples
from course_lib.crumb.prompts import system_prompt
from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.server import PracticeServer
from tests.crumb_help import practice, week

SUNITA, ROHAN = (chat.text for chat in read_chats()[:2])


@pytest.fixture(scope="module")
def server() -> Iterator[PracticeServer]:
    with PracticeServer() as running:
        yield running


def client_of(name: str, server: PracticeServer) -> Any:
    if name == "anthropic":
        import anthropic

        return anthropic.Anthropic(base_url=server.anthropic_url, api_key="none", max_retries=0)
    if name == "groq":
        import groq

        return groq.Groq(base_url=server.base_url("groq"), api_key="none", max_retries=0)
    import openai

    return openai.OpenAI(base_url=server.openai_url, api_key="none", max_retries=0)


SDKS = ("anthropic", "openai", "groq")


@pytest.mark.parametrize("name", SDKS)
def test_both_worked_examples_through_every_sdk(server: PracticeServer, name: str) -> None:
    client = client_of(name, server)
    assert extract(SUNITA, client) == week()["M001"]
    assert extract(ROHAN, client) == week()["M002"]


@pytest.mark.parametrize("name", SDKS)
def test_the_rule_turns_the_relative_round(server: PracticeServer, name: str) -> None:
    client = client_of(name, server)
    before = extract(ROHAN, client, system=system_prompt(without=["direction"])).triples[0]
    after = extract(ROHAN, client).triples[0]
    assert (before.subject, before.object) == ("Meher", "me")
    assert (after.subject, after.object) == ("me", "Meher")


@pytest.mark.parametrize("name", SDKS)
def test_a_reply_that_was_cut_off_keeps_its_whole_triples(server: PracticeServer, name: str) -> None:
    found = extract(SUNITA, client_of(name, server), max_tokens=90)
    whole = week()["M001"].triples
    assert [p.code for p in found.problems] == ["cut off"]
    assert 0 < len(found.triples) < len(whole)
    assert found.triples == whole[: len(found.triples)]


@pytest.mark.parametrize("name", SDKS)
@pytest.mark.parametrize(
    ("fault", "codes"),
    [("cut_off", {"cut off"}), ("invalid_json", {"not JSON"}), ("empty", {"no reply"})],
)
def test_a_staged_fault_is_a_problem_and_no_exception(
    server: PracticeServer, name: str, fault: str, codes: set[str]
) -> None:
    server.misbehave(fault)
    found = extract(SUNITA, client_of(name, server))
    assert {p.code for p in found.problems} == codes
    assert set(found.triples) <= set(week()["M001"].triples)
    assert extract(SUNITA, client_of(name, server)) == week()["M001"]


@pytest.mark.parametrize("name", SDKS)
@pytest.mark.parametrize("fault", ["error_500", "rate_minute", "dropped"])
def test_a_call_that_fails_is_one_named_error(server: PracticeServer, name: str, fault: str) -> None:
    order = server.misbehave(fault, times=1)
    with pytest.raises(NoReplyError) as caught:
        extract(SUNITA, client_of(name, server))
    assert caught.value.__cause__ is not None
    order.cancel()


@pytest.mark.parametrize("name", SDKS)
def test_a_refusal_is_a_problem_and_no_exception(name: str) -> None:
    def unwilling(request: Request) -> Reply:
        return Reply("I would rather not.", stop="refusal")

    with PracticeServer(unwilling) as server:
        found = extract(SUNITA, client_of(name, server))
    assert found.triples == ()
    assert [p.code for p in found.problems] == ["refused"]


def test_without_a_client_the_settings_choose_and_no_key_is_needed() -> None:
    assert extract(ROHAN) == week()["M002"]
    assert free_triples(ROHAN) == free_triples(ROHAN, practice)


@pytest.mark.parametrize("name", SDKS)
def test_free_form_triples_are_the_same_through_every_sdk(server: PracticeServer, name: str) -> None:
    assert free_triples(SUNITA, client_of(name, server)) == free_triples(SUNITA, practice)


def test_an_asynchronous_client_is_refused_by_name(server: PracticeServer) -> None:
    import anthropic

    client = anthropic.AsyncAnthropic(base_url=server.anthropic_url, api_key="none")
    with pytest.raises(UnknownClientError, match="asynchronous"):
        extract(SUNITA, client)


def test_a_long_message_goes_through(server: PracticeServer) -> None:
    long = "The box was late again, and cold. " * 3_000 + ROHAN
    found: Extraction = extract(long, client_of("anthropic", server))
    assert found.triples == week()["M002"].triples
