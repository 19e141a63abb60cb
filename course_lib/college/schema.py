"""The schema of a graph, read off the graph itself, so that it can never be out of step with it.

Every label is looked at in its first `LOOKED_AT` nodes and in the relationships that leave them: a graph of
75 nodes is read whole, one with 100,000 students in well under a second. Counts are the engine's own and
exact, whatever the size. A property or a pattern that none of the first nodes has is not seen in a graph
that is larger than that; a relationship type never goes missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from course_lib.college.prompt_rules import ALL, RULES
from course_lib.college.quoting import quoted

if TYPE_CHECKING:
    from course_lib.college.graph import Graph
    from course_lib.college.values import Found

LOOKED_AT = 2_000
"""How many nodes of a label are looked at."""
LISTED = 60
"""How many values of one property are listed; of a property with more, none is."""
LONGEST = 40
"""Characters of the longest value that is listed. Longer texts are notes, not names."""
_KEYS = ("id", "code", "key", "uid", "number")
_NAMES = ("name", "title", "label")
_TYPES: Mapping[str, str] = {
    "String": "string",
    "Integer": "integer",
    "Float": "float",
    "Boolean": "boolean",
    "List": "list",
    "Map": "map",
}


@dataclass(frozen=True)
class Property:
    """A property of a node or a relationship, with its type (`string`, or `integer or string` if mixed)."""

    name: str
    type: str


@dataclass(frozen=True)
class NodeType:
    """A label, and what its nodes hold."""

    label: str
    properties: tuple[Property, ...]
    key: str | None
    """The property that tells its nodes apart, if one does."""
    name: str | None
    """The property that its nodes are called by in a question."""
    count: int
    """How many nodes there are."""


@dataclass(frozen=True)
class Pattern:
    """A relationship type between two labels, in its direction."""

    start: str
    type: str
    end: str
    properties: tuple[Property, ...] = ()
    count: int | None = None
    """How many relationships there are; None where that would have taken a walk over all of a large graph."""


@dataclass(frozen=True)
class Values:
    """The texts that a property holds."""

    owner: str
    """A label or a relationship type."""
    property: str
    listed: tuple[str, ...]
    """All of them, in order; empty where they are searched and not listed."""
    count: int
    """How many there are among the nodes that were looked at."""
    searched: bool = False
    """There are too many of them to list, or they are long."""
    long: bool = False
    """They are longer than a name: nobody asks for one by typing it."""


@dataclass(frozen=True)
class Schema:
    """What a graph holds: labels, relationships, properties and values."""

    labels: tuple[NodeType, ...]
    patterns: tuple[Pattern, ...]
    values: tuple[Values, ...]
    version: str = field(default="")
    """A short hash of all that the prompt depends on, the wording of the rules included."""

    def label(self, name: str) -> NodeType | None:
        """What is known of a label; None where there is no such label."""
        return next((node for node in self.labels if node.label == name), None)

    def name_of(self, label: str) -> str | None:
        """The property that the nodes of a label are called by."""
        node = self.label(label)
        return node.name if node else None

    @property
    def pattern_types(self) -> tuple[str, ...]:
        """The relationship types, each once."""
        return tuple(dict.fromkeys(pattern.type for pattern in self.patterns))

    def has_pattern(self, start: str, type_: str, end: str) -> bool:
        """Whether a relationship of this type goes from this label to that one."""
        return any((p.start, p.type, p.end) == (start, type_, end) for p in self.patterns)

    def to_prompt(
        self,
        *,
        schema: bool = True,
        values: bool = True,
        rules: Iterable[str] = ALL,
        memory: str = "",
        found: Sequence[Found] = (),
        budget: int = 2_000,
    ) -> str:
        """The system prompt for a model that is to write Cypher; see `schema_prompt.write_prompt`."""
        from course_lib.college.schema_prompt import write_prompt

        return write_prompt(
            self, schema=schema, values=values, rules=rules, memory=memory, found=found, budget=budget
        )


def read_schema(graph: Graph, *, listed: int = LISTED) -> Schema:
    """Reads labels, relationships, properties and values off a graph.

    Args:
        graph: the graph. One with nothing in it gives a schema with nothing in it.
        listed: how many values of one property are listed at most.

    Returns:
        The schema. Nodes without a label are not in it; one with several labels counts under each.

    Raises:
        QueryError: the engine refused a query; CourseError of other kinds where it is not there.
    """
    stats = graph.read("CALL db.meta.stats() YIELD labels, relTypes RETURN labels, relTypes")
    labels, types = (dict(stats[0][0]), dict(stats[0][1])) if len(stats) else ({}, {})
    nodes: list[NodeType] = []
    patterns: list[Pattern] = []
    values: list[Values] = []
    for label in sorted(name for name, count in labels.items() if count):
        node, its = _node_type(graph, label, int(labels[label]), listed)
        nodes.append(node)
        values += its
    for label in (node.label for node in nodes):
        patterns += _patterns_from(graph, label, types, whole=int(labels[label]) <= LOOKED_AT)
    seen = {pattern.type for pattern in patterns}
    for type_ in sorted(name for name, count in types.items() if count and name not in seen):
        patterns += _first_of(graph, type_)
    patterns.sort(key=lambda p: (p.type, p.start, p.end))
    done = []
    for pattern in patterns:
        props, its = _edge_properties(graph, pattern, listed)
        done.append(Pattern(pattern.start, pattern.type, pattern.end, props, pattern.count))
        values += its
    merged = _merged(values, listed)
    return Schema(tuple(nodes), tuple(done), merged, _version(nodes, done, merged))


def _node_type(graph: Graph, label: str, count: int, listed: int) -> tuple[NodeType, list[Values]]:
    some = f"MATCH (n:{quoted(label)}) WITH n LIMIT {LOOKED_AT} "
    found = {
        str(key): (list(types), int(different), int(holders))
        for key, types, different, holders in graph.read(
            some + "UNWIND keys(n) AS k WITH k, n[k] AS v WHERE v IS NOT NULL"
            " RETURN k, collect(DISTINCT typeOf(v)), count(DISTINCT v), count(v)"
        )
    }
    looked_at = min(count, LOOKED_AT)
    unique = [key for key, (_, different, holders) in found.items() if different == holders == looked_at]
    texts = [name for name, (types, _, _) in found.items() if types == ["String"]]
    values = [_values(graph, some, "n", label, name, listed) for name in sorted(texts)]
    short = [one.property for one in values if not one.long]
    key = _preferred([name for name in unique if name in short or found[name][0] == ["Integer"]], _KEYS)
    called = _preferred([name for name in short if name != key], _NAMES)
    if called is None:
        called = next((name for name in sorted(short) if name in unique and name != key), None)
    if key is None:
        key = called if called in unique else None
    order = sorted(found, key=lambda name: (name != key, name != called, name))
    props = tuple(Property(name, _type_of(found[name][0])) for name in order)
    # A key such as S01 says nothing to anybody; what the thing is called by does.
    shown = [one for one in values if one.property != key or key == called]
    return NodeType(label, props, key, called, count), shown


def _preferred(names: Sequence[str], favourites: Sequence[str]) -> str | None:
    """The first favourite among the names, else the first that ends in one, such as `student_id`."""
    for favourite in favourites:
        for name in names:
            if name.lower() == favourite:
                return name
    ending = tuple("_" + favourite for favourite in favourites)
    return next((name for name in sorted(names) if name.lower().endswith(ending)), None)


def _values(graph: Graph, some: str, variable: str, owner: str, name: str, listed: int) -> Values:
    read = f"{some}WITH DISTINCT {variable}.{quoted(name)} AS v WHERE v IS NOT NULL "
    longest, count = graph.read(read + "RETURN max(size(v)), count(v)")[0]
    long, many = int(longest or 0) > LONGEST, int(count) > listed
    if long or many:
        return Values(owner, name, (), int(count), searched=True, long=long)
    texts = tuple(sorted(str(row[0]) for row in graph.read(read + "RETURN v")))
    return Values(owner, name, texts, int(count))


def _patterns_from(graph: Graph, label: str, types: Mapping[str, Any], whole: bool) -> list[Pattern]:
    rows = graph.read(
        f"MATCH (a:{quoted(label)}) WITH a LIMIT {LOOKED_AT} MATCH (a)-[r]->(b) UNWIND labels(b) AS e"
        " RETURN type(r), e, count(r)"
    )
    return [
        Pattern(label, str(type_), str(end), (), int(count) if whole else None) for type_, end, count in rows
    ]


def _first_of(graph: Graph, type_: str) -> list[Pattern]:
    """A pattern of a type that leaves none of the nodes that were looked at."""
    rows = graph.read(
        f"MATCH (a)-[r:{quoted(type_)}]->(b) WITH a, b LIMIT {LOOKED_AT}"
        " UNWIND labels(a) AS s UNWIND labels(b) AS e RETURN DISTINCT s, e"
    )
    return [Pattern(str(start), type_, str(end)) for start, end in rows]


def _edge_properties(graph: Graph, p: Pattern, listed: int) -> tuple[tuple[Property, ...], list[Values]]:
    some = (
        f"MATCH (a:{quoted(p.start)}) WITH a LIMIT {LOOKED_AT}"
        f" MATCH (a)-[r:{quoted(p.type)}]->(:{quoted(p.end)}) WITH r LIMIT {LOOKED_AT} "
    )
    found = {
        str(key): list(types)
        for key, types in graph.read(
            some + "UNWIND keys(r) AS k WITH k, r[k] AS v WHERE v IS NOT NULL"
            " RETURN k, collect(DISTINCT typeOf(v))"
        )
    }
    props = tuple(Property(name, _type_of(found[name])) for name in sorted(found))
    texts = [prop.name for prop in props if prop.type == "string"]
    return props, [_values(graph, some, "r", p.type, name, listed) for name in texts]


def _merged(values: Iterable[Values], listed: int) -> tuple[Values, ...]:
    """One entry a property, where a relationship type has several patterns."""
    by_place: dict[tuple[str, str], Values] = {}
    for one in values:
        place = (one.owner, one.property)
        before = by_place.get(place)
        if before is None:
            by_place[place] = one
            continue
        texts = tuple(sorted({*before.listed, *one.listed}))
        searched = before.searched or one.searched or len(texts) > listed
        by_place[place] = Values(
            one.owner,
            one.property,
            () if searched else texts,
            max(before.count, one.count, len(texts)),
            searched,
            before.long or one.long,
        )
    return tuple(by_place.values())


def _type_of(types: Iterable[str]) -> str:
    return " or ".join(sorted(_TYPES.get(name, name.lower()) for name in types))


def _version(*parts: object) -> str:
    return hashlib.sha256(repr((*parts, RULES)).encode("utf-8", errors="replace")).hexdigest()[:12]
