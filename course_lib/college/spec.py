"""What tables a graph is made of, said once.

A `GraphSpec` names the labels with their keys and properties, and the relationship patterns between them.
Reading the CSV files, loading, restoring and generating all go by it, so that a second subject needs a second
spec and no second loader. `COLLEGE` is the spec of the college.

Labels, relationship types and property names cannot be query parameters. They reach a query's text from a
spec and from nowhere else, and a spec refuses every name that is not a plain identifier.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from course_lib.errors import CourseError

Value = str | int | None
"""A cell: text, a whole number, or nothing."""

GRADES = ("A+", "A", "B+", "B")
"""Grades, best first. As text they sort otherwise, which is the point of a lesson."""
LEVELS = ("Advanced", "Intermediate", "Beginner")
"""Skill levels, strongest first."""
STATUSES = ("Planned", "In Progress", "Completed")
"""What a project can be, in the order in which it becomes so."""

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")


class SpecError(CourseError):
    """A spec cannot describe a graph: a name is no identifier, or points to nothing."""


class LayerError(CourseError):
    """A layer was asked for that the spec does not have, or one without the layer it stands on."""


def identifier(name: str) -> str:
    """The name as it is, if it can stand in a query's text.

    Raises:
        SpecError: it is anything but a letter and then letters, digits and underscores, all of them ASCII.
    """
    if not _IDENTIFIER.fullmatch(name):
        raise SpecError(
            f"{name!r} cannot be a label, a relationship type or a property name.",
            "Use ASCII letters, digits and underscores, a letter first, at most 63 of them.",
        )
    return name


@dataclass(frozen=True)
class Property:
    """One property of a node or of a relationship, and one column of a file."""

    name: str
    type: Literal["text", "integer"] = "text"
    required: bool = True
    """An empty cell is a fault. Where it is not required, an empty cell means: no such property."""
    allowed: tuple[str, ...] = ()
    """The only values that a text may have; any when empty."""
    low: int = -(2**63)
    high: int = 2**63 - 1
    """The range of a whole number, both ends included. The default is all that the engine can hold."""


@dataclass(frozen=True)
class NodeTable:
    """The nodes of one label. The first property is the key."""

    label: str
    properties: tuple[Property, ...]
    layer: str

    @property
    def key(self) -> str:
        """The name of the property that tells the nodes of this label apart."""
        return self.properties[0].name

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that say which node a row is about."""
        return (self.key,)

    @property
    def others(self) -> tuple[Property, ...]:
        """The properties beside the key."""
        return self.properties[1:]

    @property
    def name(self) -> str:
        """The table's name, and its file's name without `.csv`."""
        return self.label

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column of the file, in order."""
        return tuple(p.name for p in self.properties)


@dataclass(frozen=True)
class RelationshipTable:
    """The relationships of one pattern, `(start)-[:type]->(end)`."""

    type: str
    start: str
    end: str
    start_column: str
    end_column: str
    layer: str
    properties: tuple[Property, ...] = ()

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that say which two nodes a row is about."""
        return (self.start_column, self.end_column)

    @property
    def others(self) -> tuple[Property, ...]:
        """The properties of the relationship."""
        return self.properties

    @property
    def name(self) -> str:
        """The table's name, and its file's name without `.csv`."""
        return f"{self.start}_{self.type}_{self.end}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column of the file, in order."""
        return (self.start_column, self.end_column, *(p.name for p in self.properties))


@dataclass(frozen=True)
class GraphSpec:
    """All tables of one domain, nodes before relationships.

    Raises:
        SpecError: a name is no identifier, a table stands twice, a column stands twice in a table, or a
            relationship starts or ends at a label that has no table.
    """

    nodes: tuple[NodeTable, ...]
    relationships: tuple[RelationshipTable, ...]

    def __post_init__(self) -> None:
        for table in self.tables:
            for name in (table.name, *table.columns):
                identifier(name)
            if len(set(table.columns)) != len(table.columns):
                raise SpecError(f"{table.name} has a column twice.", "Give each column a name of its own.")
        for node in self.nodes:
            if not node.properties or not node.properties[0].required:
                raise SpecError(f"{node.label} has no key.", "Put a required property first: it is the key.")
        names = [t.name for t in self.tables]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise SpecError(f"{', '.join(twice)} is declared twice.", "Declare each table once.")
        labels = {n.label for n in self.nodes}
        for pattern in self.relationships:
            missing = {pattern.start, pattern.end} - labels
            if missing:
                raise SpecError(
                    f"{pattern.name} runs from or to {', '.join(sorted(missing))}, which has no node table.",
                    "Declare that label first.",
                )

    @property
    def tables(self) -> tuple[NodeTable | RelationshipTable, ...]:
        """Every table, nodes before the relationships that need them."""
        return (*self.nodes, *self.relationships)

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers, in the order in which they are declared."""
        return tuple(dict.fromkeys(t.layer for t in self.tables))

    def node(self, label: str) -> NodeTable:
        """The node table of a label."""
        return next(n for n in self.nodes if n.label == label)

    def only(self, layers: Iterable[str]) -> GraphSpec:
        """The part of the spec that lies in these layers and stands by itself.

        Raises:
            LayerError: there is no such layer, or one of them has relationships to a layer that is left out.
        """
        wanted = self.known_layers(layers)
        nodes = tuple(n for n in self.nodes if n.layer in wanted)
        inside = {n.label for n in nodes}
        patterns = tuple(r for r in self.relationships if r.layer in wanted)
        for pattern in patterns:
            for label in (pattern.start, pattern.end):
                if label not in inside:
                    layer, other = pattern.layer, self.node(label).layer
                    raise LayerError(
                        f"The layer {layer!r} stands on {other!r}: {pattern.type} needs {label} nodes.",
                        f"Ask for both, as in layers={(other, layer)!r}.",
                    )
        return GraphSpec(nodes, patterns)

    def known_layers(self, layers: Iterable[str]) -> frozenset[str]:
        """The layers as a set, each of them known.

        Raises:
            LayerError: one is not a layer of this spec, or none was named.
        """
        wanted = (layers,) if isinstance(layers, str) else tuple(layers)
        for layer in wanted:
            if layer not in self.layers:
                raise LayerError(
                    f"There is no layer {layer!r}.", f"The layers are: {', '.join(map(repr, self.layers))}."
                )
        if not wanted:
            raise LayerError("No layer was named.", f"The layers are: {', '.join(map(repr, self.layers))}.")
        return frozenset(wanted)

    def foundations(self, layers: Iterable[str]) -> tuple[str, ...]:
        """These layers and all that they stand on, in the order of the spec."""
        wanted = set(self.known_layers(layers))
        while True:
            below = {
                self.node(label).layer
                for r in self.relationships
                if r.layer in wanted
                for label in (r.start, r.end)
            }
            if below <= wanted:
                return tuple(layer for layer in self.layers if layer in wanted)
            wanted |= below


COLLEGE = GraphSpec(
    nodes=(
        NodeTable(
            "Student",
            (
                Property("id"),
                Property("name"),
                Property("year", "integer", low=1, high=5),
                Property("branch"),
            ),
            "people",
        ),
        NodeTable(
            "Subject",
            (Property("code"), Property("name"), Property("credits", "integer", low=1, high=20)),
            "people",
        ),
        NodeTable("Club", (Property("name"), Property("founded", "integer", low=1800, high=2100)), "people"),
        NodeTable("Skill", (Property("name"),), "people"),
        NodeTable(
            "Project", (Property("id"), Property("name"), Property("status", allowed=STATUSES)), "people"
        ),
        NodeTable("Concept", (Property("id"), Property("name"), Property("area")), "knowledge"),
        NodeTable("Note", (Property("id"), Property("text")), "knowledge"),
    ),
    relationships=(
        RelationshipTable(
            "STUDIES",
            "Student",
            "Subject",
            "student",
            "subject",
            "people",
            (
                Property("semester", "integer", low=1, high=10),
                # Not required: who studies a subject this semester has no grade yet.
                Property("grade", required=False, allowed=GRADES),
            ),
        ),
        RelationshipTable(
            "MEMBER_OF",
            "Student",
            "Club",
            "student",
            "club",
            "people",
            (Property("since", "integer", low=1800, high=2100), Property("role")),
        ),
        RelationshipTable(
            "HAS_SKILL",
            "Student",
            "Skill",
            "student",
            "skill",
            "people",
            (Property("level", allowed=LEVELS),),
        ),
        RelationshipTable(
            "WORKS_ON", "Student", "Project", "student", "project", "people", (Property("role"),)
        ),
        RelationshipTable("FRIENDS_WITH", "Student", "Student", "student", "friend", "people"),
        RelationshipTable("PREREQUISITE_FOR", "Subject", "Subject", "before", "after", "people"),
        RelationshipTable("REQUIRES", "Project", "Skill", "project", "skill", "people"),
        RelationshipTable("COVERS", "Subject", "Concept", "subject", "concept", "knowledge"),
        RelationshipTable("EXPLAINS", "Note", "Concept", "note", "concept", "knowledge"),
        RelationshipTable("PREREQUISITE_FOR", "Concept", "Concept", "before", "after", "knowledge"),
        RelationshipTable("INCLUDES", "Concept", "Concept", "whole", "part", "knowledge"),
    ),
)
"""The college: 7 labels, 11 patterns, two layers. The knowledge layer stands on the people layer's
subjects."""
