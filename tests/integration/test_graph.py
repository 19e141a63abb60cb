"""The graph on the real engine: what goes in comes out, and what goes wrong says so."""

from __future__ import annotations

import asyncio
import datetime
import os
import secrets
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_lib.college.errors import (
    BadParameterError,
    BadQueryTextError,
    BadTimeoutError,
    EmptyQueryError,
    GraphClosedError,
    MissingParameterError,
    QueryError,
    QueryTimeoutError,
    ReadOnlyError,
    SeveralStatementsError,
    SurplusParameterError,
    TooManyRowsError,
)
from course_lib.college.graph import Counts, EdgeValue, Graph, NodeValue, PathValue, open_graph

pytestmark = pytest.mark.engine

SLOW = "UNWIND range(1, 20000) AS x UNWIND range(1, 20000) AS y WITH x, y WHERE x + y = -1 RETURN count(x)"
"""A query that works for many seconds and gives nothing."""


@pytest.fixture
def other() -> Iterator[Graph]:
    """A second graph beside `graph`."""
    second = open_graph(name=f"scratch_{secrets.token_hex(4)}")
    yield second
    second.delete()
    second.close()


# -- reading and writing ----------------------------------------------------------------------------------


def test_what_was_written_is_read(graph: Graph) -> None:
    made = graph.write(
        "CREATE (:Student {name: $name})-[:STUDIES]->(:Subject {name: 'DBMS'})", {"name": "Payal"}
    )
    assert (made.stats.nodes_created, made.stats.relationships_created, made.stats.properties_set) == (
        2,
        1,
        2,
    )
    assert made == []

    rows = graph.read("MATCH (s:Student)-[:STUDIES]->(x) RETURN s.name AS student, x.name")
    assert rows == [("Payal", "DBMS")]
    assert rows.columns == ("student", "x.name")
    assert graph.size() == Counts(2, 1)


def test_a_write_gives_rows_too(graph: Graph) -> None:
    assert graph.write("CREATE (a:A {x: 1})-[r:R {y: 2.5}]->(b) RETURN a, r, a.x") == [
        (NodeValue(("A",), {"x": 1}), EdgeValue("R", {"y": 2.5}), 1)
    ]


def test_a_new_graph_reads_as_nothing(graph: Graph) -> None:
    assert graph.exists()
    rows = graph.read("MATCH (n:Nobody) RETURN n.name AS name")
    assert (rows, rows.columns) == ([], ("name",))
    assert graph.size() == Counts(0, 0)


def test_a_deleted_graph_is_empty_and_can_be_used_on(graph: Graph) -> None:
    graph.write("CREATE (:A)")
    assert graph.read("MATCH (n) RETURN count(n)").scalar() == 1
    graph.delete()
    assert not graph.exists()
    graph.delete()  # twice is no harm

    assert graph.read("MATCH (n) RETURN count(n)").scalar() == 0
    graph.write("CREATE (:B)")
    assert graph.read("MATCH (n) RETURN labels(n)") == [(["B"],)]


def test_nodes_relationships_and_paths_are_plain_values(graph: Graph) -> None:
    graph.write("CREATE (:A:Z {x: 1})-[:R {w: 0.5}]->(:B {y: 'é'})<-[:S]-(:C)")
    node, edge, path = graph.read("MATCH p = (a:A)-[r]->(:B)<-[]-(:C) RETURN a, r, p")[0]

    assert node == NodeValue(("A", "Z"), {"x": 1})
    assert edge == EdgeValue("R", {"w": 0.5})
    assert (edge.source, node.id >= 0) == (node.id, True)
    assert isinstance(path, PathValue)
    assert [n.labels for n in path.nodes] == [("A", "Z"), ("B",), ("C",)]
    assert repr(path) == "(:A:Z {x: 1})-[:R {w: 0.5}]->(:B {y: 'é'})<-[:S]-(:C)"


def test_every_kind_of_value_comes_out_as_pythons_own(graph: Graph) -> None:
    row = graph.read(
        "RETURN null, true, 7, 1.5, 'text', [1, [null]], {a: {b: 1}}, date('2026-11-30'), "
        "localdatetime('2026-11-30T09:05:01'), localtime('09:05:01'), duration('P1DT2H'), "
        "point({latitude: 18.5, longitude: 73.75}), vecf32([1, 2]), 1.0/0, -1.0/0"
    )[0]
    assert row == (
        None,
        True,
        7,
        1.5,
        "text",
        [1, [None]],
        {"a": {"b": 1}},
        datetime.date(2026, 11, 30),
        datetime.datetime(2026, 11, 30, 9, 5, 1),
        datetime.time(9, 5, 1),
        datetime.timedelta(days=1, hours=2),
        {"latitude": 18.5, "longitude": 73.75},
        [1.0, 2.0],
        float("inf"),
        float("-inf"),
    )
    assert [type(cell) for cell in row[:5]] == [type(None), bool, int, float, str]


def test_all_null_rows_are_kept(graph: Graph) -> None:
    assert graph.read("UNWIND [1, null, 2] AS x RETURN x, null") == [(1, None), (None, None), (2, None)]
    assert graph.read("OPTIONAL MATCH (n:Nobody) RETURN n") == [(None,)]


# -- parameters -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            "plain",
            "O'Hara",
            'say "hi"',
            "back\\slash",
            "\\",
            "\\n",
            "ends with \\",
            "`tick`",
            "$x",
            "é 日本 😀",
        ),
        *(
            "line\nbreak",
            "\r\n",
            "\t\b\f\x01\x7f\x1b",
            "\u2028\u200d\ufeff",
            "// no comment",
            "/* nor */",
            "; RETURN 2",
        ),
        *("' OR 1=1 //", '" RETURN 2 //', "CYPHER x=1", "x" * 100_000),
        *(
            None,
            True,
            False,
            0,
            -1,
            2**63 - 1,
            -(2**63),
            0.5,
            -0.0,
            1e300,
            5e-324,
            float("inf"),
            float("-inf"),
        ),
        *(
            [],
            [None],
            [1, "a", [True, [2.5]]],
            {},
            {"a": 1},
            {"a b": {"c": [None, {"d'": "e\n"}]}},
            ["x"] * 5000,
        ),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_parameter_comes_back_as_it_went_in(graph: Graph, value: Any) -> None:
    came = graph.read("RETURN $value AS value", {"value": value}).scalar()
    assert came == value
    assert type(came) is type(value)


def test_a_float_is_stored_whole_and_shown_with_fifteen_digits(graph: Graph) -> None:
    # The engine writes fifteen significant digits into its replies; inside, the number is the one handed in.
    value = 0.30000000000000004
    assert graph.read("RETURN $v = 0.1 + 0.2, $v", {"v": value}) == [(True, 0.3)]


def test_a_parameter_that_is_stored_comes_back(graph: Graph) -> None:
    text = 'it\'s "this" \\ that\nand 😀'
    graph.write("CREATE (:Note {text: $text, tags: $tags})", {"text": text, "tags": ["a'b", "c\n"]})
    assert graph.read("MATCH (n:Note {text: $text}) RETURN n.text, n.tags", {"text": text}) == [
        (text, ["a'b", "c\n"])
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63 - 1)
        | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.text(st.characters(exclude_characters="\x00`", exclude_categories=["Cs"]), min_size=1),
                inner,
                max_size=3,
            )
        ),
        max_leaves=8,
    )
)
def test_any_value_comes_back_as_it_went_in(graph: Graph, value: Any) -> None:
    assert graph.read("RETURN $value", {"value": value}).scalar() == value


@pytest.mark.parametrize("name", ["x", "größe", "with space", "return", "9lives", "a.b", "$"])
def test_parameters_of_any_name(graph: Graph, name: str) -> None:
    assert graph.read(f"RETURN $`{name}`", {name: 1}).scalar() == 1


@pytest.mark.parametrize(
    "value", ["\x00", b"x", 2**64, float("nan"), "\ud83d", {1}, datetime.date(2026, 1, 1)]
)
def test_a_value_that_cannot_travel_is_refused_before_anything_is_sent(graph: Graph, value: Any) -> None:
    with pytest.raises(BadParameterError, match=r"\$v"):
        graph.write("CREATE (:A {v: $v})", {"v": value})
    assert graph.size() == Counts(0, 0)


def test_missing_and_surplus_parameters(graph: Graph) -> None:
    with pytest.raises(MissingParameterError, match=r"\$name"):
        graph.read("MATCH (s {name: $name}) RETURN s")
    with pytest.raises(MissingParameterError):
        graph.write("CREATE (:A {x: $x})", {})
    with pytest.raises(SurplusParameterError, match=r"\$y"):
        graph.read("RETURN $x", {"x": 1, "y": 2})
    assert graph.read("CYPHER x=5 RETURN $x").scalar() == 5
    with pytest.raises(MissingParameterError):
        graph.read("CYPHER x=5 RETURN $z")


def test_labels_and_types_cannot_be_parameters(graph: Graph) -> None:
    for query in ("MATCH (n:$l) RETURN n", "MATCH ()-[r:$l]->() RETURN r"):
        with pytest.raises(QueryError):
            graph.read(query, {"l": "Student"})


# -- refusals ---------------------------------------------------------------------------------------------


def test_a_write_through_read_is_refused_and_changes_nothing(graph: Graph) -> None:
    graph.write("CREATE (:Kept {x: 1})")
    for query in (
        "CREATE (:New)",
        "MATCH (n) SET n.x = 2",
        "MATCH (n) SET\nn.x = 2",
        "MATCH (n) DETACH DELETE n",
        "MERGE (:New) RETURN 1",
        "MATCH (n) REMOVE n.x",
        "CREATE INDEX FOR (k:Kept) ON (k.x)",
        "CALL { CREATE (:New) } RETURN 1",
        "UNWIND [1] AS x FOREACH (y IN [x] | CREATE (:New))",
        "CALL db.idx.fulltext.createNodeIndex('Kept', 'x')",
    ):
        with pytest.raises(QueryError):
            graph.read(query)
    with pytest.raises(ReadOnlyError, match="use write"):
        graph.read("CREATE (:New)")
    assert graph.read("MATCH (n) RETURN labels(n), n.x") == [(["Kept"], 1)]


@pytest.mark.parametrize("text", ["", "   ", "\n", "// nothing", "/* nothing */ ;"])
def test_an_empty_query_is_named(graph: Graph, text: str) -> None:
    with pytest.raises(EmptyQueryError, match="no query"):
        graph.read(text)
    with pytest.raises(EmptyQueryError):
        graph.explain(text)


def test_two_statements_are_named_and_neither_runs(graph: Graph) -> None:
    with pytest.raises(SeveralStatementsError, match="more than one"):
        graph.write("CREATE (:A); CREATE (:B)")
    assert graph.size().nodes == 0
    graph.write("CREATE (:A);")  # one, with a semicolon
    assert graph.size().nodes == 1


@pytest.mark.parametrize("text", [None, 7, b"RETURN 1", ["RETURN 1"], "RETURN 1\x00 + 1", "RETURN '\ud83d'"])
def test_what_is_no_query_text_is_named(graph: Graph, text: Any) -> None:
    with pytest.raises(BadQueryTextError):
        graph.read(text)


def test_a_syntax_error_says_where_and_keeps_the_engines_words(graph: Graph) -> None:
    with pytest.raises(QueryError) as caught:
        graph.read("MATCH (n:Note {x: $x, y: 'é'}\nRETURN n", {"x": 1})
    assert caught.value.offset == len("MATCH (n:Note {x: $x, y: 'é'}\n")
    assert "line 2, column 1, before `RETURN n`" in str(caught.value)
    assert caught.value.engine_message.startswith("errMsg: Invalid input")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("MATCH (n) WHERE n.name =~ 'x' RETURN n", "does not currently support =~"),
        ("MATCH (n) RETURN m", "'m' not defined"),
        ("RETURN nosuch(1)", "Unknown function"),
        ("CALL no.such()", "not registered"),
        ("MATCH (n)", "cannot conclude with MATCH"),
        ("RETURN 1/0", "Division by zero"),
        ("UNWIND [1, 'a'] AS x RETURN x.y", "Type mismatch"),
    ],
)
def test_other_refusals_keep_the_engines_words(graph: Graph, query: str, said: str) -> None:
    with pytest.raises(QueryError, match=said) as caught:
        graph.read(query)
    assert said in caught.value.engine_message


def test_a_query_that_fails_in_the_middle_changes_nothing(graph: Graph) -> None:
    with pytest.raises(QueryError, match="Type mismatch"):
        graph.write("UNWIND [{a: 1}, {a: 2}, 'x'] AS x CREATE (:A) RETURN x.a")
    assert graph.size().nodes == 0


# -- limits -----------------------------------------------------------------------------------------------


def test_a_read_is_stopped_at_its_time(graph: Graph) -> None:
    with pytest.raises(QueryTimeoutError, match="200 ms"):
        graph.read(SLOW, timeout_ms=200)
    assert graph.read("RETURN 1").scalar() == 1


def test_a_write_is_stopped_at_its_time_and_taken_back(graph: Graph) -> None:
    if os.environ.get("FALKORDB_URL"):
        pytest.skip("a server at FALKORDB_URL stops writes only where its TIMEOUT_DEFAULT is set")
    with pytest.raises(QueryTimeoutError):
        graph.write("UNWIND range(1, 1000000) AS x CREATE (:A {x: x})", timeout_ms=50)
    assert graph.size().nodes == 0


@pytest.mark.parametrize("limit", [0, -1, 1.5, "200", True])
def test_a_time_limit_that_is_none_is_named(graph: Graph, limit: Any) -> None:
    with pytest.raises(BadTimeoutError, match="timeout_ms"):
        graph.read("RETURN 1", timeout_ms=limit)


def test_more_rows_than_wanted(graph: Graph) -> None:
    assert len(graph.read("UNWIND range(1, 10) AS x RETURN x", max_rows=10)) == 10
    with pytest.raises(TooManyRowsError, match="11 rows"):
        graph.read("UNWIND range(1, 11) AS x RETURN x", max_rows=10)


def test_a_large_result_arrives_whole(graph: Graph) -> None:
    rows = graph.read("UNWIND range(1, 50000) AS x RETURN x, toString(x)", timeout_ms=30_000)
    assert len(rows) == 50_000
    assert rows[-1] == (50_000, "50000")


# -- the rest of the face ---------------------------------------------------------------------------------


def test_explain_shows_a_plan_and_runs_nothing(graph: Graph) -> None:
    graph.write("CREATE (:Student {name: 'Payal'})")
    plan = graph.explain("MATCH (s:Student {name: $name}) RETURN s", {"name": "Payal"})
    assert "Node By Label Scan | (s:Student)" in plan
    assert "All Node Scan" in graph.explain("MATCH (s) RETURN s")
    graph.explain("CREATE (:New)")
    assert graph.size().nodes == 1
    with pytest.raises(QueryError):
        graph.explain("MATCH (n")


def test_the_checksum_knows_content_and_nothing_else(graph: Graph, other: Graph) -> None:
    empty = graph.checksum()
    graph.write("CREATE (:A {x: 1, y: 'a'}), (:B {x: 2})")
    graph.write("MATCH (a:A), (b:B) CREATE (a)-[:R {w: 1}]->(b)")
    # The same in another order, with other internal numbers and a longer history.
    other.write("CREATE (:Gone), (:B {x: 2})")
    other.write("MATCH (n:Gone) DELETE n")
    other.write("MATCH (b:B) CREATE (b)<-[:R {w: 1}]-(:A {y: 'a', x: 1})")
    same = graph.checksum()
    assert same == other.checksum()
    assert other.checksum() != empty

    for change in (
        "MATCH (a:A) SET a.x = 2",
        "MATCH (a:A) SET a.x = '1'",
        "MATCH (a:A) SET a:Also",
        "MATCH ()-[r]->() SET r.w = 2",
        "MATCH (a:A)-[r]->(b) DELETE r CREATE (b)-[:R {w: 1}]->(a)",
        "MATCH (a:A)-[r]->(b) DELETE r CREATE (a)-[:S {w: 1}]->(b)",
        "MATCH (a:A), (b:B) CREATE (a)-[:R {w: 1}]->(b)",
        "CREATE (:A {x: 1, y: 'a'})",
        "MATCH (a:A) REMOVE a.y",
    ):
        other.delete()
        other.write("CREATE (:A {x: 1, y: 'a'})-[:R {w: 1}]->(:B {x: 2})")
        assert other.checksum() == same
        other.write(change)
        assert other.checksum() != same, change


def test_a_closed_graph_says_so(graph: Graph) -> None:
    second = open_graph(name=graph.name)
    second.close()
    second.close()
    with pytest.raises(GraphClosedError, match="open_graph"):
        second.read("RETURN 1")
    assert graph.read("RETURN 1").scalar() == 1  # the other one is still open
    with open_graph(name=graph.name) as third:
        assert third.read("RETURN 1").scalar() == 1
    with pytest.raises(GraphClosedError):
        third.size()


def test_a_graph_made_anew_by_somebody_else_is_read_with_its_own_names(graph: Graph) -> None:
    graph.write("CREATE (:First {one: 1})-[:OLD {x: 1}]->(:Second {two: 2})")
    assert graph.read("MATCH (n:First) RETURN n") == [(NodeValue(("First",), {"one": 1}),)]
    somebody = open_graph(name=graph.name)
    somebody.delete()
    somebody.write("CREATE (:Third {three: 3})-[:NEW {y: 1}]->(:Fourth {four: 4})")

    assert graph.read("MATCH (n:Third)-[r]->(m) RETURN n, r, m") == [
        (NodeValue(("Third",), {"three": 3}), EdgeValue("NEW", {"y": 1}), NodeValue(("Fourth",), {"four": 4}))
    ]
    somebody.close()


def test_new_labels_of_somebody_else_are_known_at_once(graph: Graph) -> None:
    somebody = open_graph(name=graph.name)
    for number in range(5):
        somebody.write(f"CREATE (:Label{number} {{p{number}: {number}}})")
        assert graph.read(f"MATCH (n:Label{number}) RETURN n") == [
            (NodeValue((f"Label{number}",), {f"p{number}": number}),)
        ]
    somebody.close()


def test_tenants_have_graphs_of_their_own() -> None:
    mine, yours = open_graph("t1"), open_graph("t12")
    try:
        mine.write("CREATE (:Secret)")
        assert (mine.name, yours.name) == ("user_t1_graph", "user_t12_graph")
        assert yours.size().nodes == 0
    finally:
        mine.delete()
        yours.delete()


# -- threads ----------------------------------------------------------------------------------------------


def test_many_threads_read_and_write_one_graph(graph: Graph) -> None:
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for step in range(20):
                graph.write(f"CREATE (:L{number} {{p{number}: $step}})", {"step": step})
                found = graph.read(f"MATCH (n:L{number}) RETURN n ORDER BY n.p{number} DESC LIMIT 1").scalar()
                assert found == NodeValue((f"L{number}",), {f"p{number}": step})
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert graph.size().nodes == 160


def test_to_thread_keeps_an_event_loop_free(graph: Graph) -> None:
    async def count_while_it_reads() -> int:
        slow = asyncio.create_task(asyncio.to_thread(_time_out, graph))
        turns = 0
        while not slow.done():
            await asyncio.wait({slow}, timeout=0.05)
            turns += 1
        await slow
        return turns

    assert asyncio.run(count_while_it_reads()) > 3


def _time_out(graph: Graph) -> None:
    with pytest.raises(QueryTimeoutError):
        graph.read(SLOW, timeout_ms=800)
