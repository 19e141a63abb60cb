"""Queries that are wrong without being refused, and a model that drops a habit when a hint names it."""

from __future__ import annotations

from collections import Counter

import pytest

from course_lib.models.practice.conversation import Reply, Request, Turn
from course_lib.models.practice.cypher_slips import SLIPS, slipped
from course_lib.models.practice.heeding import came_back, was_told
from course_lib.models.practice.mind.reading_hints import read_hint
from course_lib.models.practice.mix import EVERYDAY, STUMBLING, STUMBLING_HABITS, Mix, parse_mix
from course_lib.models.practice.refusals import PROVIDERS
from course_lib.models.practice.staging import Order, Stage

QUERY = (
    "MATCH (s:Student)-[r:STUDIES]->(c:Subject)\nWHERE toLower(c.name) CONTAINS 'dbms'\n"
    "RETURN s.name AS student, r.grade AS grade"
)


@pytest.mark.parametrize(
    ("kind", "was", "became"),
    [
        ("literal_names", "toLower(c.name) CONTAINS 'dbms'", "c.name = 'dbms'"),
        ("wrong_direction", "-[r:STUDIES]->", "<-[r:STUDIES]-"),
        ("invented_label", "(s:Student)", "(s:Person)"),
        ("invented_property", "RETURN s.name", "RETURN s.title"),
        ("whole_node", "s.name AS student", "s"),
        ("no_return", "\nRETURN s.name AS student, r.grade AS grade", ""),
    ],
)
def test_a_slip_changes_one_thing(kind: str, was: str, became: str) -> None:
    assert slipped(kind, QUERY) == QUERY.replace(was, became)


def test_giving_up_takes_the_place_of_the_query() -> None:
    assert slipped("false_sentinel", QUERY) == "RETURN 'OUT_OF_SCOPE' AS status"
    for kind in SLIPS:
        assert slipped(kind, "RETURN 'OUT_OF_SCOPE' AS status") is None


def test_names_in_a_map_are_written_small() -> None:
    assert slipped("literal_names", "MATCH (c:Subject {name: 'DBMS'}) RETURN c.credits") == (
        "MATCH (c:Subject {name: 'dbms'}) RETURN c.credits"
    )
    assert slipped("literal_names", "MATCH (c:Concept {name: '1nf'}) RETURN c.area") is None


def test_an_arrow_between_two_kinds_is_turned_before_one_within_a_kind() -> None:
    query = "MATCH (a:Concept)-[:PREREQUISITE_FOR]->(b:Concept)<-[:COVERS]-(c:Subject) RETURN c.name"
    turned = slipped("wrong_direction", query)
    assert turned is not None
    assert "(a:Concept)-[:PREREQUISITE_FOR]->(b:Concept)" in turned
    assert "-[:COVERS]->(c:Subject)" in turned


def test_what_stands_in_quotes_is_no_pattern() -> None:
    quoted = "'(s:student)-[:studies]->(c:subject) return s.name'"
    query = f"MATCH (n:Note) WHERE toLower(n.text) CONTAINS {quoted} RETURN n.id"
    for kind in ("wrong_direction", "invented_label", "whole_node", "no_return"):
        made = slipped(kind, query)
        assert made is None or quoted in made


# -- heeding
# ---------------------------------------------------------------------------------------------------


def after(hint: str, query: str = QUERY) -> Request:
    text = f"# Previous attempt\nQuery:\n{query}\nWhat went wrong: {hint}\n\n# Question\nWho studies DBMS?"
    return Request((Turn("user", text),))


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("neo4j_syntax", "The engine refused the query. It said: errMsg: Invalid input '~'"),
        ("literal_names", "0 rows. Check the spelling, match loosely."),
        ("wrong_direction", "The direction of STUDIES is wrong."),
        ("invented_label", "There is no label Person in the graph."),
        ("invented_property", "There is no property marks on STUDIES."),
        ("whole_node", "Return specific properties, never whole nodes."),
        ("no_return", "The query has no RETURN."),
        ("write", "The query was refused as unsafe: DELETE would change the graph."),
        ("false_sentinel", "OUT_OF_SCOPE is out of place."),
    ],
)
def test_a_hint_names_one_fault_and_no_other(kind: str, hint: str) -> None:
    named = {other for other in STUMBLING_HABITS if was_told(other, after(hint))}
    assert named == {kind}


@pytest.mark.parametrize(
    "hint", ["That did not work. Try again.", "Wrong.", "It failed, please fix the query."]
)
def test_a_vague_hint_names_nothing(hint: str) -> None:
    assert not any(was_told(kind, after(hint)) for kind in STUMBLING_HABITS)


def test_the_query_that_is_quoted_is_no_advice() -> None:
    assert not was_told("literal_names", after("That did not work."))  # though it holds CONTAINS
    assert not was_told("no_return", after("That did not work."))


def test_several_earlier_attempts_are_read() -> None:
    text = (
        "Query:\nMATCH (s:Person) RETURN s.name\nWhat went wrong: There is no label Person in the graph.\n"
        "Query:\nMATCH (s:Student) WHERE s.name =~ '(?i)payal' RETURN s.name\n"
        "What went wrong: errMsg: Invalid input '~'"
    )
    hint = read_hint(text)
    assert hint is not None
    assert hint.query == "MATCH (s:Student) WHERE s.name =~ '(?i)payal' RETURN s.name"
    assert "no label Person" in hint.advice
    assert "Invalid input" in hint.advice
    assert "MATCH" not in hint.advice


def put(stage: Stage, request: Request, query: str = QUERY) -> str:
    provider = next(iter(PROVIDERS))
    return stage.put(
        Reply(query), request, provider=provider, dialect="openai", headers={}, tokens=10
    ).reply.text


def test_a_habit_stays_until_it_is_named() -> None:
    stage = Stage(Mix({}, 3, {"wrong_direction": 1.0}))
    first = Request((Turn("user", "# Question\nWho studies DBMS?"),))
    turned = QUERY.replace("-[r:STUDIES]->", "<-[r:STUDIES]-")
    assert put(stage, first) == turned
    assert put(stage, first) == turned  # asked again without a word, it does the same again
    assert put(stage, after("0 rows. Check the spelling.", turned)) == turned
    assert put(stage, after("That did not work. Try again.", turned), turned) == turned  # sent back as it was
    assert put(stage, after("The direction is wrong.", turned)) == QUERY


def test_an_order_can_be_a_habit() -> None:
    stage = Stage()
    stage.add(Order("invented_label", times=None, habit=True))
    first = Request((Turn("user", "# Question\nWho studies DBMS?"),))
    assert "(s:Person)" in put(stage, first)
    assert put(stage, after("There is no label Person.")) == QUERY
    assert "(s:Person)" in put(stage, first)


def test_a_reply_that_comes_back_is_known() -> None:
    assert came_back(Reply(f"  {QUERY}\n"), after("Wrong."))
    assert came_back(Reply(f"Here:\n```cypher\n{QUERY}\n```"), after("Wrong."))
    assert not came_back(Reply(QUERY.replace("dbms", "dsa")), after("Wrong."))


# -- the mix
# ---------------------------------------------------------------------------------------------------


def test_the_stumbling_mix_is_a_mix() -> None:
    assert 0.35 < sum(STUMBLING_HABITS.values()) < 0.5
    assert set(STUMBLING) <= set(EVERYDAY)
    assert parse_mix("stumbling, seed=4") == Mix(dict(STUMBLING), 4, STUMBLING_HABITS)


def test_habits_come_out_at_their_rates_whatever_the_attempt() -> None:
    mix = Mix({}, 3, STUMBLING_HABITS)
    n = 20_000
    drawn = Counter(mix.habit("groq", f"question {i}") for i in range(n))
    for kind, rate in STUMBLING_HABITS.items():
        # Four standard deviations of a binomial draw.
        assert drawn[kind] / n == pytest.approx(rate, abs=4 * (rate * (1 - rate) / n) ** 0.5)


def test_a_habit_is_not_drawn_for_an_answer_in_words() -> None:
    stage = Stage(Mix({}, 3, dict.fromkeys(["false_sentinel"], 1.0)))
    request = Request((Turn("user", "# Question\nWho studies DBMS?\n# Rows\n[]"),))
    assert put(stage, request, "Payal studies DBMS.") == "Payal studies DBMS."
