"""Text faults are pure functions: what they do to a reply, and what they leave alone."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.models.practice.conversation import Reply, Request, Tool, ToolCall, Turn
from course_lib.models.practice.cypher_faults import (
    HABITS,
    applicable_habits,
    as_delete,
    looks_like_query,
    unpack,
)
from course_lib.models.practice.faults import CONNECTION, KINDS, PROBLEMS, TEXT, Unparsable

QUERY = "MATCH (s:Student)-[:STUDIES]->(c:Subject {name: 'DBMS'}) RETURN s.name AS student"
QUESTION = Request((Turn("user", "# Question\nWho studies DBMS?"),))
ANSWER = Reply("Payal studies DBMS and has an A+ in it.")
FACT = Reply('{"name": "Payal", "clubs": ["Coding Club", "Debate Society"]}')
CALL = Reply("", (ToolCall("t1", "weather", {"city": "Pune"}),))


def put(
    kind: str, reply: Reply, seed: int = 0, request: Request = QUESTION, variant: str | None = None
) -> str:
    made = TEXT[kind](reply, request, random.Random(seed), variant)
    assert made is not None
    return made.text


def has_no_place(kind: str, reply: Reply) -> bool:
    return TEXT[kind](reply, QUESTION, random.Random(0), None) is None


@pytest.mark.parametrize("kind", TEXT)
@given(seed=st.integers())
def test_the_same_seed_gives_the_same_fault(kind: str, seed: int) -> None:
    for reply in (Reply(QUERY), ANSWER, FACT, CALL):
        once = TEXT[kind](reply, QUESTION, random.Random(seed), None)
        again = TEXT[kind](reply, QUESTION, random.Random(seed), None)
        if once is not None and any(isinstance(c.arguments, Unparsable) for c in once.tool_calls):
            assert again is not None
            assert once.tool_calls[0].arguments.text == again.tool_calls[0].arguments.text
        else:
            assert once == again


def test_kinds_are_named_once() -> None:
    assert len(KINDS) == len(set(KINDS)) == len(TEXT) + len(PROBLEMS) + len(CONNECTION)


@pytest.mark.parametrize("seed", range(8))
def test_reasoning_tags(seed: int) -> None:
    closed = put("think_closed", Reply(QUERY), seed)
    assert closed.startswith("<think>")
    assert closed.split("</think>")[1].strip() == QUERY
    assert "Who studies DBMS?" in closed
    unclosed = put("think_unclosed", Reply(QUERY), seed)
    assert unclosed.startswith("<think>")
    assert "</think>" not in unclosed
    assert unclosed.endswith(f"\n\n{QUERY}")
    decoy = put("think_decoy", Reply(QUERY), seed)
    assert "</think>" not in decoy
    fenced = decoy.split("```cypher\n")[1].split("\n```")[0]
    assert looks_like_query(fenced)
    assert fenced not in QUERY
    assert decoy.endswith(f"\n\n{QUERY}")
    only = TEXT["think_only"](Reply(QUERY), QUESTION, random.Random(seed), None)
    assert only is not None
    assert "MATCH" not in only.text
    assert only.stop == "max_tokens"


def test_a_question_cannot_close_the_tag() -> None:
    nasty = Request((Turn("user", "what is </think> in HTML?"),))
    assert put("think_unclosed", Reply(QUERY), request=nasty).count("</think>") == 0


@pytest.mark.parametrize("seed", range(8))
def test_fences_and_preamble(seed: int) -> None:
    fenced = put("fences", Reply(QUERY), seed)
    assert fenced.splitlines()[0] in ("```cypher", "```")
    assert fenced.splitlines()[1:-1] == [QUERY]
    assert put("fences", FACT, seed).splitlines()[0] in ("```json", "```")
    spoken = put("preamble", Reply(QUERY), seed)
    assert QUERY in spoken.splitlines()
    assert not spoken.startswith(QUERY)
    assert FACT.text in put("preamble", FACT, seed)
    assert has_no_place("preamble", ANSWER)
    assert has_no_place("fences", CALL)


PACKED = Reply(f"Here is a query:\n\n```cypher\n{QUERY}\n```\n\nLet me know if it helps.")


def test_a_query_that_comes_in_prose_and_a_fence_by_itself() -> None:
    found = unpack(PACKED.text)
    assert found is not None
    assert found.query == QUERY
    assert found.with_query(QUERY) == PACKED.text
    assert put("fences", PACKED) == put("preamble", PACKED) == PACKED.text
    assert put("neo4j_syntax", PACKED, variant="exists_block") == PACKED.text.replace(
        QUERY, applicable_habits(QUERY)["exists_block"]
    )
    assert put("write", PACKED).startswith("Here is a query:\n\n```cypher\nMATCH ")
    assert "DETACH DELETE" in put("write", PACKED)
    assert put("think_decoy", PACKED).endswith(PACKED.text)
    assert has_no_place("made_up_fact", PACKED)
    assert unpack(f"```\n{QUERY}\n```\nor\n```\n{QUERY}\n```") is None
    assert unpack("```python\nprint(1)\n```") is None


def test_some_preambles_begin_like_a_clause() -> None:
    first_words = {put("preamble", Reply(QUERY), seed).split()[0] for seed in range(20)}
    assert "With" in first_words


@pytest.mark.parametrize("seed", range(12))
def test_a_write_is_always_a_delete(seed: int) -> None:
    assert "DETACH DELETE" in put("write", Reply(QUERY), seed)
    assert "RETURN" not in put("write", Reply(QUERY), seed)
    assert has_no_place("write", ANSWER)


def test_both_kinds_of_delete_come_up() -> None:
    made = {put("write", Reply(QUERY), seed) for seed in range(20)}
    assert made == {
        "MATCH (n) DETACH DELETE n",
        "MATCH (s:Student)-[:STUDIES]->(c:Subject {name: 'DBMS'}) DETACH DELETE s",
    }


@pytest.mark.parametrize("seed", range(8))
def test_a_made_up_fact_names_somebody_who_is_nowhere(seed: int) -> None:
    request = Request((Turn("user", "# Question\nWho studies DBMS?\n# Rows\n[{'student': 'Payal'}]"),))
    made = put("made_up_fact", ANSWER, seed, request)
    assert made.startswith(ANSWER.text)
    added = made.removeprefix(ANSWER.text)
    names = [name for name in ("Vikram", "Ananya", "Meera") if name in added]
    assert len(names) == 1
    assert has_no_place("made_up_fact", Reply(QUERY))
    assert has_no_place("made_up_fact", FACT)
    assert has_no_place("made_up_fact", CALL)


def test_a_made_up_fact_on_demand_and_in_the_language_of_the_question() -> None:
    assert "Aarav" in put("made_up_fact", ANSWER, variant="Aarav")
    hinglish = Request((Turn("user", "DBMS sabse achha kaun padha sakta hai?"),))
    assert " bhi " in put("made_up_fact", ANSWER, request=hinglish)
    taken = Request((Turn("user", "Who of Vikram and Ananya studies DBMS?"),))
    assert all("Meera" in put("made_up_fact", ANSWER, seed, taken) for seed in range(6))


@given(st.text(min_size=20), st.integers())
def test_cut_off_keeps_a_true_beginning(text: str, seed: int) -> None:
    made = TEXT["cut_off"](Reply(text), QUESTION, random.Random(seed), None)
    assert made is not None
    assert text.startswith(made.text)
    assert 0 < len(made.text) < len(text)
    assert made.stop == "max_tokens"


def test_cut_off_needs_something_to_cut() -> None:
    assert has_no_place("cut_off", Reply("Yes."))
    assert has_no_place("cut_off", CALL)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.lists(_JSON) | st.dictionaries(st.text(), _JSON), st.integers())
def test_invalid_json_never_parses(value: object, seed: int) -> None:
    made = put("invalid_json", Reply(json.dumps(value)), seed)
    with pytest.raises(json.JSONDecodeError):
        json.loads(made)


def test_invalid_json_has_no_place_in_prose() -> None:
    assert has_no_place("invalid_json", ANSWER)
    assert has_no_place("invalid_json", Reply(QUERY))


def test_invalid_json_breaks_the_arguments_of_a_tool_call() -> None:
    two = Reply("", (*CALL.tool_calls, ToolCall("t2", "weather", {"city": "Delhi"})))
    made = TEXT["invalid_json"](two, QUESTION, random.Random(0), None)
    assert made is not None
    broken = made.tool_calls[0].arguments
    assert isinstance(broken, Unparsable)
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken.text)
    assert made.tool_calls[1] == two.tool_calls[1]


def test_empty_is_empty() -> None:
    assert TEXT["empty"](ANSWER, QUESTION, random.Random(0), None) == Reply("", (), "end")


# -- habits from Neo4j -------------------------------------------------------------------------------------


def test_a_query_is_told_from_prose() -> None:
    assert looks_like_query(QUERY)
    assert looks_like_query("  RETURN 'OUT_OF_SCOPE' AS status")
    assert looks_like_query("CALL db.labels()")
    assert not looks_like_query("Matching students with their subjects, RETURN to me.")
    assert not looks_like_query("With an A+, Payal can return the favour.")
    assert not looks_like_query("MATCH (n) DETACH DELETE n")
    assert not looks_like_query(f"```cypher\n{QUERY}\n```")
    assert not looks_like_query("MATCH (n {name: 'RETURN'})")


@pytest.mark.parametrize(
    ("habit", "query", "made"),
    [
        (
            "regex_match",
            "MATCH (s:Student) WHERE toLower(s.name) CONTAINS 'pay' RETURN s.name",
            "MATCH (s:Student) WHERE s.name =~ '(?i).*pay.*' RETURN s.name",
        ),
        (
            "regex_match",
            "MATCH (s:Student) WHERE toLower(s.name) CONTAINS toLower('Pay') AND s.year = 2 RETURN s.name",
            "MATCH (s:Student) WHERE s.name =~ '(?i).*Pay.*' AND s.year = 2 RETURN s.name",
        ),
        (
            "regex_match",
            "MATCH (s:Student {name: 'Payal'}) RETURN s.year",
            "MATCH (s:Student) WHERE s.name =~ '(?i)Payal' RETURN s.year",
        ),
        (
            "where_in_node",
            "MATCH (s:Student {name: 'Payal', year: 2})-[:MEMBER_OF]->(c:Club) RETURN c.name",
            "MATCH (s:Student WHERE s.name = 'Payal' AND s.year = 2)-[:MEMBER_OF]->(c:Club) RETURN c.name",
        ),
        (
            "where_in_node",
            "MATCH (s:Student)-[:STUDIES]->(:Subject {name: 'A, B: (c)'}) RETURN s.name",
            "MATCH (s:Student)-[:STUDIES]->(n0:Subject WHERE n0.name = 'A, B: (c)') RETURN s.name",
        ),
        (
            "exists_block",
            "MATCH (s:Student)-[r:STUDIES]->(c:Subject) WHERE c.name = 'DBMS' OR c.credits = 4 RETURN s.name",
            "MATCH (s:Student)-[r:STUDIES]->(c:Subject) WHERE EXISTS { (s)-[:STUDIES]->(:Subject) } "
            "AND (c.name = 'DBMS' OR c.credits = 4) RETURN s.name",
        ),
        (
            "count_block",
            "MATCH (c:Club)<-[:MEMBER_OF]-(s:Student) RETURN s.name",
            "MATCH (c:Club)<-[:MEMBER_OF]-(s:Student) WHERE COUNT { (c)<-[:MEMBER_OF]-(:Student) } > 0 "
            "RETURN s.name",
        ),
        (
            "shortest_path",
            "MATCH (s:Student)-[:STUDIES]->(c:Subject)-[:COVERS]->(k:Concept) RETURN k.name",
            "MATCH p = shortestPath((s:Student)-[:STUDIES]->(c:Subject)), (c)-[:COVERS]->(k:Concept) "
            "RETURN k.name",
        ),
        (
            "shortest_path",
            "MATCH (a:Concept {name: '1NF'}), (b:Concept {name: 'BCNF'}) CALL algo.SPpaths({sourceNode: a, "
            "targetNode: b, relTypes: ['PREREQUISITE_FOR', 'INCLUDES'], pathCount: 1}) YIELD path "
            "RETURN [n IN nodes(path) | n.name] AS steps",
            "MATCH (a:Concept {name: '1NF'}), (b:Concept {name: 'BCNF'}) MATCH path = "
            "shortestPath((a)-[:PREREQUISITE_FOR|INCLUDES*]->(b)) "
            "RETURN [n IN nodes(path) | n.name] AS steps",
        ),
        (
            "quantified_path",
            "MATCH (a:Concept)-[:PREREQUISITE_FOR*1..2]->(b:Concept) RETURN b.name",
            "MATCH (a:Concept)-[:PREREQUISITE_FOR]->{1,2}(b:Concept) RETURN b.name",
        ),
    ],
)
def test_each_habit(habit: str, query: str, made: str) -> None:
    assert HABITS[habit](query) == made


def test_a_habit_has_no_place_everywhere() -> None:
    assert applicable_habits("RETURN 'OUT_OF_SCOPE' AS status") == {}
    assert set(applicable_habits("MATCH (s:Student) RETURN count(s) AS n")) == {"where_in_node"}
    assert has_no_place("neo4j_syntax", ANSWER)


def test_strings_are_never_touched() -> None:
    query = "MATCH (s:Student {name: 'WHERE (x)-[:Y]->(z) RETURN'})-[:STUDIES]->(c:Subject) RETURN c.name"
    for made in applicable_habits(query).values():
        assert "WHERE (x)-[:Y]->(z) RETURN" in made


def test_the_seed_chooses_the_habit_and_a_variant_names_it() -> None:
    habits = applicable_habits(QUERY)
    assert {put("neo4j_syntax", Reply(QUERY), seed) for seed in range(40)} == set(habits.values())
    assert put("neo4j_syntax", Reply(QUERY), variant="exists_block") == habits["exists_block"]
    assert TEXT["neo4j_syntax"](Reply(QUERY), QUESTION, random.Random(0), "quantified_path") is None


def test_a_delete_of_what_the_query_finds() -> None:
    assert as_delete("MATCH (s:Student) WHERE s.year = 1 WITH s RETURN s.name") == (
        "MATCH (s:Student) WHERE s.year = 1 DETACH DELETE s"
    )
    assert as_delete("RETURN 1 AS one") is None
    assert as_delete("MATCH (:Student) RETURN count(*) AS n") is None


def test_tools_are_data_here() -> None:
    request = Request((Turn("user", "weather?"),), tools=(Tool("weather", "", {}),))
    assert TEXT["think_closed"](CALL, request, random.Random(0), None) is None
