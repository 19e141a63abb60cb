"""Pictures of a real graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from course_lib.college.dataset import load_college
from course_lib.views.drawing import MAX_NODES, TooManyNodesError
from course_lib.views.picture import picture

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

pytestmark = pytest.mark.engine


def test_the_whole_college_is_drawn_and_is_the_same_from_another_graph(graph: Graph) -> None:
    from course_lib.college.graph import open_graph

    load_college(graph)
    found = picture(graph, "The college", live=False)
    assert (len(found.drawing.nodes), len(found.drawing.edges)) == (75, 132)
    assert "30 Concept" in found.alt
    assert len(found.html()) < 60_000
    other = open_graph(name=f"{graph.name}_b")
    try:
        # Loaded the other way round, so that the engine numbers everything otherwise.
        load_college(other, layers=("people",))
        load_college(other)
        assert picture(other, "The college", live=False).svg == found.svg
    finally:
        other.delete()


def test_a_path_and_a_filtered_result_are_drawn(graph: Graph) -> None:
    load_college(graph)
    rows = graph.read(
        "MATCH p = (:Concept {name: '1NF'})-[:PREREQUISITE_FOR*1..3]->(:Concept {name: 'BCNF'}) RETURN p"
    )
    found = picture(rows, "From 1NF to BCNF", live=False)
    assert sorted(n.caption for n in found.drawing.nodes) == ["1NF", "2NF", "3NF", "BCNF"]
    assert found.alt.endswith(
        "1NF PREREQUISITE_FOR 2NF; 2NF PREREQUISITE_FOR 3NF; 3NF PREREQUISITE_FOR BCNF."
    )


def test_an_empty_graph_and_a_huge_one_are_answered_in_words(graph: Graph) -> None:
    assert "nothing to draw" in picture(graph, "Nothing", live=False).html()
    graph.write("UNWIND range(1, $n) AS i CREATE (:Student {name: toString(i)})", {"n": MAX_NODES + 1})
    with pytest.raises(TooManyNodesError, match="WHERE, a LIMIT"):
        picture(graph, "Too much", live=False)
