"""Every habit from Neo4j that the practice model can show is refused by the real engine; its write too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from course_lib.college.errors import QueryError, ReadOnlyError
from course_lib.college.graph import Graph
from course_lib.models.practice.cypher_faults import HABITS, applicable_habits, as_delete

pytestmark = pytest.mark.engine

FINE = (
    "MATCH (s:Student)-[r:STUDIES]->(c:Subject) WHERE toLower(c.name) CONTAINS 'dbms' "
    "RETURN s.name AS student, r.grade AS grade "
    "ORDER BY CASE r.grade WHEN 'A+' THEN 0 WHEN 'A' THEN 1 ELSE 2 END LIMIT 1",
    "MATCH (s:Student {name: 'Payal', year: 2})-[:MEMBER_OF]->(c:Club) RETURN c.name AS club",
    "MATCH (s:Student)-[:MEMBER_OF]->(c:Club)\nWITH s, count(c) AS n\nWHERE n > 1\nRETURN s.name, n",
    "MATCH (a:Concept {name: '1NF'}), (b:Concept {name: 'BCNF'})\n"
    "CALL algo.SPpaths({sourceNode: a, targetNode: b, relTypes: ['PREREQUISITE_FOR', 'INCLUDES'], "
    "relDirection: 'outgoing', pathCount: 1}) YIELD path\nRETURN [n IN nodes(path) | n.name] AS steps",
    "MATCH (s:Student {name: 'Aarav'})-[:STUDIES]->(c:Subject)-[:COVERS]->(k:Concept)"
    "-[:PREREQUISITE_FOR*1..2]->(n:Concept) WHERE NOT (c)-[:COVERS]->(n) RETURN DISTINCT n.name AS topic",
    "MATCH (s:Student)-[:STUDIES]->(:Subject {name: 'DBMS'}) "
    "MATCH (s)-[:MEMBER_OF]->(:Club {name: 'Debate Society'}) RETURN s.name",
    "MATCH (s:Student) RETURN count(s) AS n",
    "MATCH (p:Student {name: 'Payal'})-[:STUDIES]->(c:Subject)<-[:STUDIES]-(s:Student) "
    "WHERE s.name <> p.name RETURN s.name AS student, count(c) AS shared ORDER BY shared DESC",
)

REFUSALS = {"regex_match": "=~", "shortest_path": "shortestPath"}
"""What the engine says about a habit; of the others it says that it cannot read them."""


@pytest.fixture(scope="module")
def college() -> Iterator[Graph]:
    from course_lib.college.graph import open_graph

    with open_graph(name="practice_habits") as graph:
        graph.write(
            "CREATE (d:Subject {name: 'DBMS'}), "
            "(p:Student {name: 'Payal', year: 2})-[:STUDIES {grade: 'A+'}]->(d), "
            "(p)-[:MEMBER_OF]->(:Club {name: 'Debate Society'}), "
            "(p)-[:MEMBER_OF]->(:Club {name: 'Coding Club'}), "
            "(a:Student {name: 'Aarav', year: 1})-[:STUDIES {grade: 'A'}]->(d), "
            "(d)-[:COVERS]->(one:Concept {name: '1NF'})-[:PREREQUISITE_FOR]->(:Concept {name: 'BCNF'})"
        )
        yield graph
        graph.delete()


@pytest.mark.parametrize("query", FINE)
def test_the_query_runs_and_each_habit_in_it_is_refused(college: Graph, query: str) -> None:
    assert len(college.read(query)) > 0
    made = applicable_habits(query)
    assert made
    for habit, text in made.items():
        with pytest.raises(QueryError) as caught:
            college.read(text)
        assert REFUSALS.get(habit, "Invalid input") in caught.value.engine_message, habit


def test_every_habit_is_among_them() -> None:
    assert {habit for query in FINE for habit in applicable_habits(query)} == set(HABITS)


@pytest.mark.parametrize("query", FINE)
def test_the_delete_is_real_and_the_reader_may_not(college: Graph, query: str) -> None:
    delete = as_delete(query)
    assert delete is not None
    with pytest.raises(ReadOnlyError):
        college.read(delete)
