"""What a query talks about, and what in it the graph does not have, against the schema of the real
college."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace

import pytest

from course_lib.college.dataset import load_college
from course_lib.college.graph import Graph, open_graph
from course_lib.college.pattern_check import MISFITS, misfits
from course_lib.college.query_shape import read_shape
from course_lib.college.schema import Schema, read_schema
from course_lib.college.search import read_questions as read_bake_off
from course_lib.evaluation.questions import read_questions
from course_lib.models.practice.cypher_slips import slipped

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def college() -> Iterator[Graph]:
    graph = open_graph(name=f"patterns_{secrets.token_hex(4)}")
    load_college(graph)
    yield graph
    graph.delete()
    graph.close()


@pytest.fixture(scope="module")
def schema(college: Graph) -> Schema:
    return read_schema(college)


MISFIT = [
    ("MATCH (s:Person) RETURN s.name", "unknown_label", "Person", "Student"),
    ("MATCH (s:Studnet) RETURN s.name", "unknown_label", "Studnet", "'Studnet' is near 'Student'"),
    ("MATCH (s) WHERE s:Person RETURN s.name", "unknown_label", "Person", "Student"),
    ("MATCH (s:Student)-[:ENROLLED_IN]->(c:Subject) RETURN c.name", "unknown_type", "ENROLLED_IN", "STUDIES"),
    ("MATCH (s:Student)-[:STUDY]->(c) RETURN c.name", "unknown_type", "STUDY", "STUDIES"),
    (
        "MATCH (s:Student)<-[:STUDIES]-(c:Subject) RETURN s.name",
        "wrong_direction",
        "<-[:STUDIES]-",
        "(Student)-[:STUDIES]->(Subject)",
    ),
    ("MATCH (c:Subject)-[:STUDIES]->(s) RETURN s.name", "wrong_direction", "-[:STUDIES]->", "other way"),
    (
        "MATCH (s:Student), (c:Subject) WHERE (c)-[:STUDIES]->(s) RETURN s.name",
        "wrong_direction",
        "-[:STUDIES]->",
        "other way",
    ),
    (
        "MATCH (s:Student) OPTIONAL MATCH (s)<-[r:HAS_SKILL]-(k:Skill) RETURN s.name, k.name",
        "wrong_direction",
        "<-[r:HAS_SKILL]-",
        "(Student)-[:HAS_SKILL]->(Skill)",
    ),
    ("MATCH (s:Student)-[:STUDIES]->(c:Club) RETURN c.name", "wrong_ends", "-[:STUDIES]->", "(Subject)"),
    ("MATCH (c:Concept)--(k:Club) RETURN k.name", "wrong_ends", "--", "between Concept and Club"),
    ("MATCH (s:Student) RETURN s.title", "unknown_property", "title", "id, name"),
    ("MATCH (s:Student {nmae: 'Payal'}) RETURN s.year", "unknown_property", "nmae", "'nmae' is near 'name'"),
    ("MATCH (:Student)-[r:STUDIES]->(:Subject) RETURN r.marks", "unknown_property", "marks", "grade"),
    ("MATCH (:Student)-[r:STUDIES {marks: 'A'}]->(c:Subject) RETURN c.name", "unknown_property", "marks", ""),
    (
        "MATCH (s:Student) RETURN s.name UNION MATCH (n:Club) RETURN n.year AS name",
        "unknown_property",
        "year",
        "Club",
    ),
    (
        "MATCH (a:Concept), (b:Concept) CALL algo.SPpaths({sourceNode: a, targetNode: b, "
        "relTypes: ['NEXT']}) YIELD path RETURN [n IN nodes(path) | n.name] AS steps",
        "unknown_type",
        "'NEXT'",
        "PREREQUISITE_FOR",
    ),
    ("MATCH (s:`Person`) RETURN s.name", "unknown_label", "`Person`", "Student"),
]


@pytest.mark.parametrize(("cypher", "code", "where", "says"), MISFIT)
def test_what_does_not_fit(schema: Schema, cypher: str, code: str, where: str, says: str) -> None:
    found = misfits(cypher, schema)
    assert [one.code for one in found] == [code]
    assert cypher[slice(*found[0].span)] == where
    assert says in found[0].reason
    assert found[0].code in MISFITS


FITS = [
    "MATCH (s)-[:STUDIES]->(x) RETURN s.anything, x.whatever",
    "MATCH (s:Student)-[:STUDIES]-(c:Subject) RETURN s.name",
    "MATCH (c:Subject)<-[:STUDIES]-(s:Student) RETURN s.name",
    "MATCH (a:Concept)-[:PREREQUISITE_FOR*1..3]->(b:Concept) RETURN b.name",
    "MATCH (s:Student)-[:STUDIES|MEMBER_OF]->(x:Club) RETURN x.name",
    "MATCH (s:Student)-[:STUDIES*0..2]-(x:Student) RETURN x.name",
    "MATCH (s:Student)-[:STUDIES|COVERS*1..2]->(x:Concept) RETURN x.name",
    "MATCH (a:Subject)-[:PREREQUISITE_FOR]->(b:Subject) RETURN b.name",
    "MATCH (s:Student) WITH s.name AS s RETURN s",
    "MATCH (s:Student) WITH s AS c MATCH (c)-[:STUDIES]->(x:Subject) RETURN c.name",
    "UNWIND ['a', 'b'] AS s RETURN s.foo",
    "MATCH (c:Subject) RETURN [x IN collect(c) | x.foo] AS listed",
    "MATCH (n:Note) WHERE n.text CONTAINS '(s:Person)-[:LIKES]->(c:Club)' RETURN n.id",
    "MATCH (s:Student) RETURN count(s) AS n, toLower(s.name) AS name // (x:Person)",
    "MATCH p = (s:Student)-[:FRIENDS_WITH]->(f:Student) RETURN length(p)",
    "MATCH (s:Student) WHERE NOT (s)-[:MEMBER_OF]->(:Club) RETURN s.name",
    "MATCH (s:Student) WHERE size((s)-[:HAS_SKILL]->()) > 1 RETURN s.name",
    "CALL db.labels() YIELD label RETURN label",
    "RETURN 'OUT_OF_SCOPE' AS status",
    "RETURN {name: 'x', year: 2} AS a_map",
    "MATCH (s:Student) RETURN CASE s.year WHEN 2 THEN 'second' ELSE 'other' END AS year",
    "MATCH (s:Student) RETURN s.name ORDER BY (s.year) - (s.year) LIMIT 2",
]


@pytest.mark.parametrize("cypher", FITS)
def test_what_may_well_fit_is_left_alone(schema: Schema, cypher: str) -> None:
    assert misfits(cypher, schema) == ()


def test_no_reference_query_is_found_fault_with(schema: Schema) -> None:
    queries = [question.reference for question in read_questions() if question.reference]
    queries += [question.cypher for question in read_bake_off()]
    assert len(queries) > 140
    assert [query for query in queries if misfits(query, schema)] == []


def test_every_slip_into_another_name_or_direction_is_found(schema: Schema, college: Graph) -> None:
    """Every slip but those that no schema can see: an arrow turned between two nodes of one kind, and a
    property of something whose label is not known."""
    expected = {
        "wrong_direction": {"wrong_direction"},
        "invented_label": {"unknown_label"},
        "invented_property": {"unknown_property"},
    }
    seen = dict.fromkeys(expected, 0)
    for question in read_questions():
        for kind, codes in expected.items():
            made = slipped(kind, question.reference) if question.reference else None
            if made is None:
                continue
            found = {one.code for one in misfits(made, schema)}
            if not found:
                same = college.read(question.reference) == college.read(made)
                unseen = (
                    "FRIENDS_WITH" in made
                    or "PREREQUISITE_FOR" in made
                    or "| n." in made
                    or "INCLUDES" in made
                )
                assert same or unseen, (kind, made)
                continue
            assert codes <= found, (kind, made, found)
            seen[kind] += 1
    assert min(seen.values()) > 40, seen


def test_an_empty_graph_has_no_opinion(graph: Graph) -> None:
    assert misfits("MATCH (s:Person)-[:LIKES]->(x:Thing) RETURN s.name", read_schema(graph)) == ()


def test_the_schema_is_the_only_source_of_names(graph: Graph) -> None:
    graph.write("CREATE (:Planet {title: 'Mars'})-[:ORBITS {days: 687}]->(:Star {title: 'Sun'})")
    schema = read_schema(graph)
    assert misfits("MATCH (p:Planet)-[o:ORBITS]->(s:Star) RETURN p.title, o.days, s.title", schema) == ()
    codes = [m.code for m in misfits("MATCH (p:Planet)<-[o:ORBITS]-(s:Star) RETURN p.name, o.years", schema)]
    assert codes == ["wrong_direction", "unknown_property", "unknown_property"]


def test_what_a_large_graph_may_have_beyond_its_first_nodes_is_left_to_the_engine(schema: Schema) -> None:
    large = replace(schema, labels=tuple(replace(node, count=100_000) for node in schema.labels))
    assert misfits("MATCH (s:Student)-[:STUDIES]->(c:Club) RETURN s.nickname, c.name", large) == ()
    query = "MATCH (s:Student)<-[:STUDIES]-(c:Subject)-[:HAS]->(x:Thing) RETURN s.name"
    assert sorted(one.code for one in misfits(query, large)) == [
        "unknown_label",
        "unknown_type",
        "wrong_direction",
    ]


# -- the shape
# -------------------------------------------------------------------------------------------------


def test_comparisons_are_read() -> None:
    shape = read_shape(
        "MATCH (s:Student {name: 'Payal'})-[:STUDIES]->(:Subject {name: 'DBMS'}) "
        "WHERE toLower(s.branch) CONTAINS 'cs' AND s.id = \"S02\" "
        "OR s.name IN ['Aarav', 'Rahul'] AND s.name STARTS WITH 'P' RETURN s.name"
    )
    found = [(c.variable, c.property, c.operator, c.text, c.lowered) for c in shape.compared]
    assert found == [
        ("s", "name", "=", "Payal", False),
        ("", "name", "=", "DBMS", False),
        ("s", "branch", "CONTAINS", "cs", True),
        ("s", "id", "=", "S02", False),
        ("s", "name", "IN", "Aarav", False),
        ("s", "name", "IN", "Rahul", False),
        ("s", "name", "STARTS WITH", "P", False),
    ]
    assert shape.compared[1].labels == ("Subject",)


def test_quotes_and_escapes_in_a_text_are_undone() -> None:
    assert read_shape(r"MATCH (n:Note) WHERE n.text = 'it\'s' RETURN n.id").compared[0].text == "it's"


def test_whether_something_is_returned() -> None:
    assert read_shape("MATCH (s:Student) RETURN s.name").returns
    assert not read_shape("MATCH (s:Student) WHERE s.name = 'RETURN'").returns


@pytest.mark.parametrize(
    "cypher", ["", "   ", "((((", "MATCH (s:", "-[:]->", "'", "MATCH (s)-[", "(" * 5_000]
)
def test_what_is_no_query_has_a_shape_all_the_same(cypher: str) -> None:
    read_shape(cypher)
