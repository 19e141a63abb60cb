"""One query out of whatever a model says: replies as they come, and the query that is in each."""

# ruff: noqa: E501  # replies as they come, one a line

from __future__ import annotations

import json
import random
import sys

import pytest

from course_lib.college.guard import check
from course_lib.college.reply import NoCypherError, extract_cypher

Q = "MATCH (s:Student) RETURN s.name"
CASES: list[tuple[str, str | None]] = [
    ("MATCH (s:Student) RETURN s.name", Q),
    ("```cypher\nMATCH (s:Student) RETURN s.name\n```", Q),
    ("```\nMATCH (s:Student) RETURN s.name\n```", Q),
    ("~~~\nMATCH (s:Student) RETURN s.name\n~~~", Q),
    ("````cypher\nMATCH (s:Student) RETURN s.name\n````", Q),
    ("```cypher\nMATCH (s:Student) RETURN s.name", Q),
    ("```MATCH (s:Student) RETURN s.name```", Q),
    ("```cypher MATCH (s:Student) RETURN s.name```", Q),
    ("  ```cypher\n  MATCH (s:Student) RETURN s.name\n  ```", Q),
    ("<think>hm</think>\nMATCH (s:Student) RETURN s.name", Q),
    ("<THINK>hm</THINK>MATCH (s:Student) RETURN s.name", Q),
    ("<think>a<think>b</think>c</think>MATCH (s:Student) RETURN s.name", Q),
    ("<think>\nfirst\n```cypher\nMATCH (n) RETURN n\n```\nno\n\nMATCH (s:Student) RETURN s.name", Q),
    ("<think>hm, wait", None),
    ("<think>\nMATCH (n) DELETE n\n</think>\nMATCH (s:Student) RETURN s.name", Q),
    ("reasoning here MATCH (x)\n</think>\nMATCH (s:Student) RETURN s.name", Q),
    ("<reasoning>x</reasoning>\n```\nMATCH (s:Student) RETURN s.name\n```", Q),
    ("Here is the query:\n\nMATCH (s:Student) RETURN s.name\n\nThis query returns all students.", Q),
    (
        "Sure! Matching the nodes you named, this should do it:\n\nMATCH (s:Student) RETURN s.name\n\nReturn value: names.",
        Q,
    ),
    ("With this query you get the names:\nMATCH (s:Student) RETURN s.name", Q),
    ("Match students like this:\nMATCH (s:Student) RETURN s.name", Q),
    ("Call the following:\nMATCH (s:Student) RETURN s.name", Q),
    ("Return the names:\nMATCH (s:Student) RETURN s.name", Q),
    ("MATCH (s:Student) RETURN s.name\n\nWith this query you get all names.", Q),
    ("MATCH (s:Student) RETURN s.name\nThis query returns all names.", Q),
    ("MATCH (s:Student) RETURN s.name<|im_end|>", Q),
    ("MATCH (s:Student) RETURN s.name</s>", Q),
    ("MATCH (s:Student) RETURN s.name;", Q),
    ('{"cypher": "MATCH (s:Student) RETURN s.name"}', Q),
    ('{"result": {"query": "MATCH (s:Student) RETURN s.name"}}', Q),
    ('```json\n{"cypher": "MATCH (s:Student) RETURN s.name"}\n```', Q),
    ('"MATCH (s:Student) RETURN s.name"', Q),
    ("`MATCH (s:Student) RETURN s.name`", Q),
    ("Query: MATCH (s:Student) RETURN s.name", Q),
    ("**Cypher:** MATCH (s:Student) RETURN s.name", Q),
    ("\ufeffMATCH (s:Student) RETURN s.name", Q),
    ("MATCH\xa0(s:Student)\xa0RETURN s.name", Q),
    (
        "MATCH (s:Student) WHERE s.name = ‘Payal’ RETURN s.name",
        "MATCH (s:Student) WHERE s.name = 'Payal' RETURN s.name",
    ),
    ("MATCH (s) WHERE s.x = '<think>' RETURN s.name", "MATCH (s) WHERE s.x = '<think>' RETURN s.name"),
    ("MATCH (s) WHERE s.x = '```' RETURN s.name", "MATCH (s) WHERE s.x = '```' RETURN s.name"),
    ("RETURN '<|im_end|>' AS x", "RETURN '<|im_end|>' AS x"),
    ("RETURN '‘a’' AS x", "RETURN '‘a’' AS x"),
    ("UNWIND [1] AS x RETURN x", "UNWIND [1] AS x RETURN x"),
    ("CALL db.labels() YIELD label RETURN label", "CALL db.labels() YIELD label RETURN label"),
    ("OPTIONAL MATCH (s:Student) RETURN s.name", "OPTIONAL MATCH (s:Student) RETURN s.name"),
    ("match (s:Student) return s.name", "match (s:Student) return s.name"),
    ("WITH 1 AS x RETURN x", "WITH 1 AS x RETURN x"),
    (
        "MATCH (s:Student)\nWHERE s.year = 2\n\nRETURN s.name",
        "MATCH (s:Student)\nWHERE s.year = 2\n\nRETURN s.name",
    ),
    ("I can't do that.", None),
    ("", None),
    ("Payal is the best person.", None),
    (
        "```cypher\nMATCH (s:Student) RETURN s.name\n```\nand then\n```cypher\nMATCH (n) DETACH DELETE n\n```",
        "MATCH (s:Student) RETURN s.name;\nMATCH (n) DETACH DELETE n",
    ),
    (
        "```cypher\nMATCH (s:Student) RETURN s.name\n```\nAgain:\n```cypher\nMATCH (s:Student) RETURN s.name\n```",
        Q,
    ),
    (
        "MATCH (s:Student) RETURN s.name\n\nMATCH (n) DETACH DELETE n",
        "MATCH (s:Student) RETURN s.name\n\nMATCH (n) DETACH DELETE n",
    ),
    (
        "MATCH (s:Student) RETURN s.name; MATCH (n) DELETE n",
        "MATCH (s:Student) RETURN s.name; MATCH (n) DELETE n",
    ),
    ("// names\nMATCH (s:Student) RETURN s.name", Q),
    ("RETURN 'OUT_OF_SCOPE' AS status", "RETURN 'OUT_OF_SCOPE' AS status"),
    ("```cypher\nMATCH (s:Student) RETURN s.name\n```\n\nOutput:\n```\nPayal\nAarav\n```", Q),
    ("<Thinking>\nplan\n</Thinking>\nMATCH (s:Student) RETURN s.name", Q),
    ("<thought>x</thought>MATCH (s:Student) RETURN s.name", Q),
    (
        "<analysis>\n```cypher\nMATCH (n) RETURN n\n```\n</analysis>\n```cypher\nMATCH (s:Student) RETURN s.name\n```",
        Q,
    ),
    ("<scratchpad>x\n\nMATCH (s:Student) RETURN s.name", Q),
    ("<think>a</think><think>b</think>\nMATCH (s:Student) RETURN s.name", Q),
    ("<think>\nI could write\n\nMATCH (n) RETURN n\n</think>", None),
    ("<think>one\n```\nMATCH (s:Student) RETURN s.name\n```", Q),
    ("<think>\nMATCH is the clause\nRETURN is another", None),
    ("MATCH (s:Student) RETURN s.name\n<think>was that right?", Q),
    ("<think >x</ think>MATCH (s:Student) RETURN s.name", Q),
    ('<think type="long">x</think>MATCH (s:Student) RETURN s.name', Q),
    ("> ```cypher\n> MATCH (s:Student) RETURN s.name\n> ```", Q),
    ("```neo4j\nMATCH (s:Student) RETURN s.name\n```", Q),
    ("```CYPHER\nMATCH (s:Student) RETURN s.name\n```", Q),
    ("~~~~cypher\nMATCH (s:Student) RETURN s.name\n~~~~", Q),
    ("Text\n```cypher\nMATCH (s:Student) RETURN s.name\n```\nMore text about it.", Q),
    ('```json\n{"a": 1}\n```\n```cypher\nMATCH (s:Student) RETURN s.name\n```', Q),
    ("Return to the graph we must.\n\nMATCH (s:Student) RETURN s.name", Q),
    ("Match found!\n\nMATCH (s:Student) RETURN s.name", Q),
    ("With pleasure! Here you are:\n\nMATCH (s:Student) RETURN s.name", Q),
    ("Call me old-fashioned, but here it is:\n\nMATCH (s:Student) RETURN s.name", Q),
    ("1. First step\n2. Second step\n\nMATCH (s:Student) RETURN s.name", Q),
    ("MATCH (s:Student) RETURN s.name\n\nReturn: the names.", Q),
    ("MATCH (s:Student) RETURN s.name\n\nCall this again when needed.", Q),
    ("Answer: MATCH (s:Student) RETURN s.name", Q),
    ("cypher\nMATCH (s:Student) RETURN s.name", Q),
    (
        "MATCH (s:Student)\n  WHERE s.name = 'it\\'s <think> here'\nRETURN s.name",
        "MATCH (s:Student)\n  WHERE s.name = 'it\\'s <think> here'\nRETURN s.name",
    ),
    ("RETURN 'a ``` b' AS x", "RETURN 'a ``` b' AS x"),
    ("RETURN '</s>' AS x", "RETURN '</s>' AS x"),
    ("MATCH (s:Student) RETURN s.name<|endoftext|>", Q),
    ("MATCH (s:Student) RETURN s.name[END]", Q),
    ("<s>MATCH (s:Student) RETURN s.name</s>", Q),
    ("[INST] x [/INST]\nMATCH (s:Student) RETURN s.name", Q),
    ('[{"cypher": "MATCH (s:Student) RETURN s.name"}]', Q),
    ('{"cypher": "```cypher\\nMATCH (s:Student) RETURN s.name\\n```"}', Q),
    ('Here: {"query": "MATCH (s:Student) RETURN s.name"}', Q),
    ('{"cypher": ""}', None),
    ('{"cypher": null}', None),
    ('{"cypher": "MATCH (s:Student) RETURN s.name"', None),
    ("\u200bMATCH (s:Student) RETURN s.name\u200b", Q),
    ("MATCH (s:Student)\u2003RETURN s.name", Q),
    ("MATCH (s) WHERE s.x = “a” RETURN s.name", 'MATCH (s) WHERE s.x = "a" RETURN s.name'),
    ("MATCH (n) DETACH DELETE n", "MATCH (n) DETACH DELETE n"),
    ("```\nMATCH (n) DETACH DELETE n\n```", "MATCH (n) DETACH DELETE n"),
    ("MATCH (s:Student) RETURN s.name\nDETACH DELETE s", "MATCH (s:Student) RETURN s.name\nDETACH DELETE s"),
    ("CREATE (:X)", "CREATE (:X)"),
    ("DROP INDEX ON :X(y)", "DROP INDEX ON :X(y)"),
    ("LOAD CSV FROM 'x' AS l RETURN l", "LOAD CSV FROM 'x' AS l RETURN l"),
    ("EXPLAIN MATCH (s:Student) RETURN s.name", "EXPLAIN MATCH (s:Student) RETURN s.name"),
    ("CYPHER x=1 MATCH (s:Student) RETURN s.name", "CYPHER x=1 MATCH (s:Student) RETURN s.name"),
    ("   \n\n", None),
    ("```\n```", None),
    ("<think></think>", None),
    ("null", None),
    ("SELECT name FROM students", None),
    ("The answer is 42.", None),
    ("Sure!", None),
]


def _query(reply: str) -> str | None:
    try:
        return extract_cypher(reply)
    except NoCypherError:
        return None


def test_there_are_enough_cases_and_each_is_another() -> None:
    assert len({reply for reply, _ in CASES}) >= 80


@pytest.mark.parametrize(("reply", "query"), CASES)
def test_the_query_in_a_reply(reply: str, query: str | None) -> None:
    assert _query(reply) == query


@pytest.mark.parametrize("reply", ["", "  ", "I can't do that.", "<think>hm"])
def test_no_query_is_named_with_what_was_seen(reply: str) -> None:
    with pytest.raises(NoCypherError, match="Ask again") as caught:
        extract_cypher(reply)
    assert caught.value.seen == " ".join(reply.split())


WRITES = (
    "MATCH (n) DETACH DELETE n",
    "MATCH (n)\nSET n.x = 1",
    "MATCH (n) RETURN n.name; MATCH (n) DELETE n",
    "CREATE (:X)",
    "LOAD CSV FROM 'x' AS line RETURN line",
    "PROFILE MATCH (n) RETURN n.name",
    "MATCH (n) RETURN n",
)
WRAPPERS = (
    "{}",
    "```cypher\n{}\n```",
    "```\n{}",
    "Here it is:\n\n{}\n\nThis query does it.",
    "<think>hm</think>\n{}",
    "<think>hm\n\n{}",
    "{}<|im_end|>",
    "{};",
    "Query: {}",
    "```cypher\n" + Q + "\n```\nor\n```cypher\n{}\n```",
    "```cypher\n{}\n```\nor\n```cypher\n" + Q + "\n```",
    Q + "\n\n{}",
    "{}\n\n" + Q,
)


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_nothing_that_the_guard_refuses_becomes_something_that_it_lets_pass(write: str, wrapper: str) -> None:
    found = _query(wrapper.format(write))
    assert found is not None
    assert not check(found).ok, found


FENCED = "```\n{}\n```\n"
HIDDEN = (
    FENCED.format(Q) * 10 + FENCED.format(WRITES[0]),
    (Q + "\n\n") * 12 + WRITES[0],
    json.dumps({"cypher": Q, "then": WRITES[0]}),
    json.dumps({"then": WRITES[0], "cypher": Q}),
    f'{{"cypher": "{WRITES[0]}", "cypher": "{Q}"}}',
    f'{{"cypher": "{WRITES[0]}"}}\n{Q}',
    f'{{"cypher": "{Q}"}} {WRITES[0]}',
    f'Here: {{"cypher": "{Q}"}}\nand {{"cypher": "{WRITES[0]}"}}',
    json.dumps([Q] * 40 + [WRITES[0]]),
    json.dumps({"a": [{"b": Q}] * 30 + [{"c": {"d": WRITES[0]}}]}),
    f'{{"cypher": "{Q}"}} ' * 60 + WRITES[0],
    FENCED.format(Q) * 1_100 + FENCED.format(WRITES[0]),
    (Q + "\n\n") * 1_000 + "That is all.\n\n" + WRITES[0],
    "MATCH (n) /* <think> */ DETACH DELETE n /* </think> */ RETURN n.name",
)


@pytest.mark.parametrize("number", range(len(HIDDEN)))
def test_a_write_is_not_lost_among_harmless_queries(number: int) -> None:
    found = _query(HIDDEN[number])
    assert found is None or not check(found).ok, found


WHOLE = (
    "MATCH (s:Student) RETURN s.name AS `the name`",
    "MATCH (a:Club) RETURN a.name UNION MATCH (b:Skill) RETURN b.name",
    "MATCH (a:Club)\nRETURN a.name",
    "RETURN 'a\u200bb\u00a0c' AS x",
    'MATCH (n) WHERE n.name IN ["a", "b"] RETURN n.name',
    "MATCH (n {name: 'x'}) RETURN {a: n.name} AS m",
    "MATCH (n) /* a note */ RETURN n.name",
)


@pytest.mark.parametrize("query", WHOLE)
def test_a_good_query_comes_back_as_it_is(query: str) -> None:
    assert _query(query) == query
    assert _query(FENCED.format(query)) == query
    assert _query(f"I use `<think>` sometimes.\n\n{query}") == query


@pytest.mark.parametrize("end", ["Note: only names.", "Done.", "This lists the names."])
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_prose_behind_a_query_is_left_out(end: str, between: str) -> None:
    assert _query(f"{Q}{between}{end}") == Q


def test_any_text_gives_a_query_or_the_named_error() -> None:
    rng = random.Random(5)
    pieces = [
        *"`'\"<>/{}[]();:.,|\\ \n\n~#*‘“",
        "```",
        "```cypher\n",
        "<think>",
        "</think>",
        "</s>",
        "\n\n",
        "//",
        "/*",
    ]
    pieces += [
        "MATCH (n) ",
        "RETURN n.name",
        "With this ",
        "Return ",
        "Call ",
        '{"cypher": "',
        '"}',
        "WITH ",
        "Match",
    ]
    for _ in range(50_000):
        text = "".join(rng.choices(pieces, k=rng.randint(1, 9)))
        found = _query(text)
        assert found is None or found.strip()


def test_the_work_grows_with_the_length_and_no_faster() -> None:
    def calls(text: str) -> int:
        count = 0

        def counted(frame: object, event: str, argument: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(counted)
        try:
            _query(text)
        finally:
            sys.setprofile(None)
        return count

    for piece in (
        "<think>",
        "</think>",
        "'",
        '"',
        "```\n",
        "`",
        "<think>'```\n",
        Q + "\n\n",
        "Match the names. ",
        "{",
    ):
        assert calls(piece * 2_000) < 5 * calls(piece * 500) + 500, piece
