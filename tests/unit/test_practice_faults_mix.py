"""Which fault falls on which call: question and attempt, the mix, orders, and the setting."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.errors import SettingError
from course_lib.models.practice.asked import attempt_of, question_of
from course_lib.models.practice.conversation import Reply, Request, ToolCall, Turn
from course_lib.models.practice.faults import KINDS, MAX_SLOW_S
from course_lib.models.practice.mix import EVERYDAY, Mix, draw, parse_mix
from course_lib.models.practice.refusals import PROVIDERS
from course_lib.models.practice.staging import FAULT_HEADER, Order, Stage, Staged, UnknownFaultError, form_of

QUERY = Reply("MATCH (s:Student)-[:STUDIES]->(c:Subject {name: 'DBMS'}) RETURN s.name AS student")


def asked(*texts: str, system: str = "") -> Request:
    """A conversation: user, assistant, user, …"""
    roles = ("user", "assistant")
    return Request(tuple(Turn(roles[i % 2], text) for i, text in enumerate(texts)), system=system)  # type: ignore[arg-type]


PROMPT = """# Schema
- (Student)-[:STUDIES]->(Subject)
# Rules
- A query that fails is sent back with the error.
# Memory
Question: Who is Aarav?
Cypher: MATCH (s:Student) RETURN s
{attempts}# Question
Who is the best person to teach me DBMS?
"""
ONE = "# Previous attempt\nQuery:\nMATCH (s)\nWhat went wrong: the engine refused it\n"
MEERA = "Meera is allergic to cashews."
BEST = "Who is the best person to teach me DBMS?"


@pytest.mark.parametrize(
    ("request_", "question", "attempt"),
    [
        (asked("Who is Payal?"), "Who is Payal?", 1),
        (asked(PROMPT.format(attempts="")), BEST, 1),
        (asked(PROMPT.format(attempts=ONE)), BEST, 2),
        (asked(PROMPT.format(attempts=ONE + ONE)), BEST, 3),
        (asked(f"Question: {BEST}", "MATCH (x", "That query failed: Invalid input."), BEST, 2),
        (asked(BEST, "MATCH (x", "0 rows. Try again.", "MATCH (y", "Your query was refused."), BEST, 3),
        (asked("Who is Payal?", "Payal is in CSE.", "uska year kya hai?"), "uska year kya hai?", 1),
        (asked(f"# Question\n{BEST}\n# Rows\n[]"), BEST, 1),
        (asked(f"User question: {BEST}"), BEST, 1),
        (asked(f"<question>{BEST}</question>"), BEST, 1),
        (asked(f"<question>\n{BEST}\n</question>"), BEST, 1),
        (asked("Extract what is stated.\n# Message\nMeera is allergic to cashews."), MEERA, 1),
        (asked(f"Extract what is stated.\nMessage: {MEERA}"), MEERA, 1),
        (asked("What does an error in DBMS mean?"), "What does an error in DBMS mean?", 1),
        (Request(()), "", 1),
    ],
)
def test_question_and_attempt(request_: Request, question: str, attempt: int) -> None:
    assert question_of(request_) == question
    assert attempt_of(request_, {}) == attempt


def test_headers_count_too() -> None:
    request = asked(PROMPT.format(attempts=ONE))
    assert attempt_of(request, {"x-stainless-retry-count": "0"}) == 2
    assert attempt_of(request, {"x-stainless-retry-count": "2"}) == 4
    assert attempt_of(request, {"x-practice-attempt": "7", "x-stainless-retry-count": "2"}) == 7
    assert attempt_of(request, {"x-practice-attempt": "many", "x-stainless-retry-count": "-1"}) == 2


def test_draws_are_the_same_in_every_process() -> None:
    code = "from course_lib.models.practice.mix import draw; print(draw(7, 'kya hai?', 1).random())"
    for hash_seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONIOENCODING": "utf-8"}
        other = subprocess.run(
            [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
        )
        assert float(other.stdout) == draw(7, "kya hai?", 1).random()
    assert draw(7, "question", 1).random() != draw(7, "question", 2).random()
    assert draw("a", "bc").random() != draw("ab", "c").random()


def test_rates_come_out() -> None:
    mix = Mix({"fences": 0.2, "rate_minute": 0.1}, seed=3)
    n = 20_000
    drawn = Counter(mix.choose("groq", "query", f"question {i}", 1) for i in range(n))
    # Three standard deviations of a binomial draw: 0.0085 and 0.0064.
    assert drawn["fences"] / n == pytest.approx(0.2, abs=0.0085)
    assert drawn["rate_minute"] / n == pytest.approx(0.1, abs=0.0064)
    assert set(drawn) == {"fences", "rate_minute", None}


@given(st.text(), st.integers(1, 9), st.integers())
def test_a_draw_depends_on_nothing_but_its_parts(question: str, attempt: int, seed: int) -> None:
    mix = Mix(EVERYDAY, seed)
    assert mix.choose("groq", "query", question, attempt) == Mix(dict(EVERYDAY), seed).choose(
        "groq", "query", question, attempt
    )


def test_attempt_provider_form_and_seed_are_draws_of_their_own() -> None:
    mix = Mix({"fences": 0.5})
    questions = [f"question {i}" for i in range(64)]

    def pattern(provider: str, form: str, attempt: int, mix: Mix = mix) -> list[str | None]:
        return [mix.choose(provider, form, question, attempt) for question in questions]

    patterns = [
        pattern("groq", "query", 1),
        pattern("groq", "query", 2),
        pattern("gemini", "query", 1),
        pattern("groq", "text", 1),
        pattern("groq", "query", 1, Mix({"fences": 0.5}, seed=1)),
    ]
    assert len({tuple(p) for p in patterns}) == len(patterns)


def test_the_everyday_mix_is_a_mix() -> None:
    assert 0.3 < sum(EVERYDAY.values()) < 0.6
    assert Mix(EVERYDAY)


def test_a_mix_that_is_none() -> None:
    with pytest.raises(SettingError, match="no fault called grumpy"):
        Mix({"grumpy": 0.1})
    for rates in ({"fences": 1.1}, {"fences": -0.1}, {"fences": 0.6, "preamble": 0.6}):
        with pytest.raises(SettingError, match="chances"):
            Mix(rates)


def test_the_setting_is_read() -> None:
    assert parse_mix("everyday") == Mix(dict(EVERYDAY), 0)
    assert parse_mix("fences=0.2, rate_minute = 0.05 ,seed=7") == Mix({"fences": 0.2, "rate_minute": 0.05}, 7)
    assert parse_mix("think_closed") == Mix({"think_closed": 1.0}, 0)
    assert parse_mix("everyday, fences=0") == Mix({**EVERYDAY, "fences": 0.0}, 0)
    assert parse_mix("") == Mix()
    with pytest.raises(SettingError, match="fences=often"):
        parse_mix("fences=often")
    with pytest.raises(SettingError, match="seed=x"):
        parse_mix("seed=x")


# -- orders ------------------------------------------------------------------------------------------------


def put(stage: Stage, reply: Reply = QUERY, text: str = "Who studies DBMS?", **headers: str) -> Staged:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return stage.put(reply, asked(text), provider="groq", dialect="openai", headers=named, tokens=10)


def test_an_order_is_for_so_many_calls_that_it_has_a_place_in() -> None:
    stage = Stage()
    order = stage.add(Order("neo4j_syntax", times=2))
    assert put(stage, Reply("Payal is the best.")).kind is None  # no query: not used up
    assert put(stage).kind == "neo4j_syntax"
    assert put(stage).kind == "neo4j_syntax"
    assert put(stage).kind is None
    assert order.hits == 2
    assert order.left == 0


def test_orders_are_tried_in_turn() -> None:
    stage = Stage()
    stage.add(Order("made_up_fact"))
    stage.add(Order("fences"))
    assert put(stage).kind == "fences"
    assert put(stage, Reply("Payal is the best.")).kind == "made_up_fact"


def test_an_order_for_one_provider_for_some_requests_and_for_a_while() -> None:
    stage = Stage()
    stage.add(Order("empty", provider="gemini"))
    assert put(stage).kind is None
    with stage.add(
        Order("fences", times=None, when=lambda request: "DSA" in request.turns[-1].text)
    ) as order:
        assert put(stage).kind is None
        assert [put(stage, text="Who studies DSA?").kind for _ in range(5)] == ["fences"] * 5
        assert "every call" in repr(order)
    assert put(stage, text="Who studies DSA?").kind is None


def test_clearing_takes_everything_back() -> None:
    stage = Stage(Mix({"fences": 1.0}))
    stage.add(Order("empty", times=None))
    stage.clear()
    assert put(stage).kind is None


def test_a_header_orders_for_its_own_call() -> None:
    stage = Stage()
    assert put(stage, x_practice_misbehave="think_closed").kind == "think_closed"
    staged = put(stage, x_practice_misbehave="neo4j_syntax/exists_block")
    assert "EXISTS {" in staged.reply.text
    assert put(stage).kind is None
    assert FAULT_HEADER == "x-practice-misbehave"
    with pytest.raises(UnknownFaultError, match="grumpy"):
        put(stage, x_practice_misbehave="grumpy")


def test_what_cannot_be_ordered() -> None:
    for kind, more in [
        ("grumpy", {}),
        ("empty", {"provider": "nobody"}),
        ("neo4j_syntax", {"variant": "sql"}),
        ("dropped", {"where": "somewhere"}),
        ("empty", {"times": 0}),
    ]:
        with pytest.raises(UnknownFaultError) as caught:
            Order(kind, **more)
        assert "Choose from" in str(caught.value)


def test_a_slow_first_byte_is_bounded() -> None:
    stage = Stage()
    stage.add(Order("slow_first_byte", seconds=10_000))
    assert put(stage).slow_s == MAX_SLOW_S


def test_broken_arguments_have_no_place_at_anthropic() -> None:
    stage = Stage()
    stage.add(Order("invalid_json"))
    call = Reply("", (ToolCall("t", "weather", {"city": "Pune"}),))
    at_anthropic = stage.put(
        call, asked("weather?"), provider="anthropic", dialect="anthropic", headers={}, tokens=1
    )
    assert at_anthropic == Staged(call)
    assert put(stage, call).kind == "invalid_json"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_staged_on_something(kind: str) -> None:
    stage = Stage()
    stage.add(Order(kind))
    replies = (QUERY, Reply('{"name": "Payal"}'), Reply("Payal is the best person to ask."))
    assert kind in [put(stage, reply).kind for reply in replies]


def test_a_mix_is_the_same_in_any_order_and_from_any_thread() -> None:
    stage = Stage(Mix(EVERYDAY, seed=11))
    texts = [f"Question: who studies subject {i}?" for i in range(200)]

    def run(text: str) -> tuple[str, str | None, str]:
        staged = put(stage, text=text)
        return text, staged.kind, staged.reply.text

    forwards = [run(text) for text in texts]
    backwards = [run(text) for text in reversed(texts)][::-1]
    with ThreadPoolExecutor(8) as pool:
        at_once = list(pool.map(run, texts))
    assert forwards == backwards == at_once
    assert len({kind for _, kind, _ in forwards}) > 5


def test_the_prompt_around_a_question_changes_no_draw() -> None:
    stage = Stage(Mix(EVERYDAY, seed=5))
    for i in range(60):
        question = f"who studies subject {i}?"
        bare = put(stage, text=f"# Question\n{question}").kind
        full = put(
            stage, text=f"# Schema\n- Student\n# Rules\n1. Match loosely.\n# Question\n{question}"
        ).kind
        assert bare == full


def test_forms() -> None:
    request = asked("x")
    assert form_of(QUERY, request) == "query"
    assert form_of(Reply("Hello."), request) == "text"
    assert form_of(Reply("", (ToolCall("t", "w", {}),)), request) == "tools"
    assert form_of(Reply("{}"), Request((Turn("user", "x"),), output_schema={"type": "object"})) == "json"


def test_every_provider_has_its_own_path() -> None:
    prefixes = [provider.prefix for provider in PROVIDERS.values()]
    assert len(set(prefixes)) == len(prefixes)
