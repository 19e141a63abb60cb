"""The graph on the real engine: what goes in comes out, and what goes wrong says so."""

from __future__ import annotations

import pytest

from course_lib.college.graph import Graph

pytestmark = pytest.mark.engine


def test_what_was_written_is_read(graph: Graph) -> None:
    graph.write("CREATE (:Student {name: $name})-[:STUDIES]->(:Subject {name: 'DBMS'})", {"name": "Payal"})

    assert graph.read("MATCH (s:Student)-[:STUDIES]->(x) RETURN s.name, x.name") == [("Payal", "DBMS")]
    assert (graph.size().nodes, graph.size().relationships) == (2, 1)
