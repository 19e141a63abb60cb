"""A graph that notes down its queries, without an engine."""

from __future__ import annotations

from typing import Any, cast

import pytest

from course_lib.classroom.recording import recording, still_in_the_query
from course_lib.college.graph import Graph


class Echo:
    """Gives back what it was called with."""

    name = "echo"

    def read(self, *args: Any) -> Any:
        return ("read", *args)

    def write(self, *args: Any) -> Any:
        if "BROKEN" in args[0]:
            raise ValueError("no")
        return ("write", *args)


def test_it_works_like_the_graph_and_remembers_the_texts() -> None:
    graph = recording(cast("Graph", Echo()))
    assert graph.read("RETURN $a", {"a": 1}) == ("read", "RETURN $a", {"a": 1}, None)
    assert graph.write("CREATE (n)", timeout_ms=5) == ("write", "CREATE (n)", None, 5)
    with pytest.raises(ValueError, match="no"):
        graph.write("BROKEN")
    assert graph.queries == ["RETURN $a", "CREATE (n)", "BROKEN"]
    assert graph.name == "echo"


def test_a_value_that_is_part_of_a_query_is_noticed_and_one_beside_it_is_not() -> None:
    graph = recording(cast("Graph", Echo()))
    graph.write("MERGE (n:Note {id: $id}) SET n.text = $text", {"id": "N42", "text": "Nice braces"})
    assert still_in_the_query(graph, "braces") is None
    graph.write("MERGE (n:Note {id: $id}) SET n.text = 'Nice \\'braces'")
    said = still_in_the_query(graph, "braces")
    assert said is not None
    assert said.status == "nearly"
    assert "beside it: `$text`" in said.message
