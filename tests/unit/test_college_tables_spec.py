"""What a spec may say: names that can stand in a query, and tables that fit each other."""

from __future__ import annotations

import pytest

from course_lib.college.spec import (
    COLLEGE,
    GraphSpec,
    LayerError,
    NodeTable,
    Property,
    RelationshipTable,
    SpecError,
    identifier,
)

ROOM = NodeTable("Room", (Property("id"),), "house")
DOOR = RelationshipTable("OPENS_TO", "Room", "Room", "from", "to", "house")


@pytest.mark.parametrize("name", ["Student", "PREREQUISITE_FOR", "a", "Year2", "A" * 63])
def test_plain_identifiers_pass(name: str) -> None:
    assert identifier(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "2nd",
        "_x",
        "two words",
        "a-b",
        "a`b",
        "Student) DETACH DELETE n //",
        "Student\n",
        "n.name",
        "Étudiant",
        "छात्र",
        "A" * 64,
    ],
)
def test_everything_else_is_refused(name: str) -> None:
    with pytest.raises(SpecError, match="ASCII letters"):
        identifier(name)


@pytest.mark.parametrize(
    ("nodes", "relationships", "words"),
    [
        ((NodeTable("Bad Label", (Property("id"),), "x"),), (), "'Bad Label'"),
        ((NodeTable("Room", (Property("the id"),), "x"),), (), "'the id'"),
        ((NodeTable("Room", (), "x"),), (), "no key"),
        ((NodeTable("Room", (Property("id", required=False),), "x"),), (), "no key"),
        ((NodeTable("Room", (Property("id"), Property("id")), "x"),), (), "column twice"),
        ((ROOM, ROOM), (), "declared twice"),
        ((ROOM,), (DOOR, DOOR), "declared twice"),
        (
            (ROOM,),
            (RelationshipTable("OPENS TO", "Room", "Room", "a", "b", "house"),),
            "'Room_OPENS TO_Room'",
        ),
        ((ROOM,), (RelationshipTable("OPENS_TO", "Room", "Room", "a", "a", "house"),), "column twice"),
        ((ROOM,), (RelationshipTable("OPENS_TO", "Room", "Hall", "a", "b", "house"),), "Hall"),
    ],
)
def test_a_spec_that_fits_nothing_is_refused(
    nodes: tuple[NodeTable, ...], relationships: tuple[RelationshipTable, ...], words: str
) -> None:
    with pytest.raises(SpecError, match=words):
        GraphSpec(nodes, relationships)


def test_a_table_is_named_after_its_pattern() -> None:
    spec = GraphSpec((ROOM,), (DOOR,))
    assert [t.name for t in spec.tables] == ["Room", "Room_OPENS_TO_Room"]
    assert spec.tables[1].columns == ("from", "to")


def test_layers_of_the_college() -> None:
    assert COLLEGE.layers == ("people", "knowledge")
    people = COLLEGE.only(("people",))
    assert [n.label for n in people.nodes] == ["Student", "Subject", "Club", "Skill", "Project"]
    assert len(people.relationships) == 7
    assert COLLEGE.only(("knowledge", "people")) == COLLEGE
    assert COLLEGE.foundations(("knowledge",)) == ("people", "knowledge")
    assert COLLEGE.foundations(("people",)) == ("people",)


@pytest.mark.parametrize(
    ("layers", "words"),
    [(("knowledge",), "stands on 'people'"), (("x",), "no layer 'x'"), ((), "No layer was named")],
)
def test_layers_that_cannot_be_had(layers: tuple[str, ...], words: str) -> None:
    with pytest.raises(LayerError, match=words):
        COLLEGE.only(layers)


def test_a_single_layer_may_be_named_without_a_tuple() -> None:
    assert COLLEGE.known_layers("people") == {"people"}
