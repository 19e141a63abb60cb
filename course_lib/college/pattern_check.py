"""Wrong labels, relationship types, directions and properties, found before a query runs.

The engine does not mind them: an unknown label is 0 rows, a missing property is null, an arrow that points
the wrong way is 0 rows again. None of these is an error, and so none of them comes back with a message that a
model could act on. The schema knows better.

| code | what is wrong |
|---|---|
| `unknown_label` | no node has this label |
| `unknown_type` | no relationship has this type |
| `wrong_direction` | the relationship is there, and its arrow points the other way |
| `wrong_ends` | the relationship joins other kinds of nodes |
| `unknown_property` | the nodes or relationships do not have this property |

A sixth, `unknown_name`, is found after the query has run: there are rows, and a name in it that nothing has.

A finding is only made where it is certain. Nodes without a label, variables that change their meaning, paths
of no hops, a rare property or a rare pair of ends in a graph too large to be read whole: of these nothing is
said, and the engine decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from course_lib.college.near_names import Name, near_names
from course_lib.college.query_shape import Branch, Hop, Place, QueryShape, read_shape
from course_lib.college.schema import LOOKED_AT

if TYPE_CHECKING:
    from course_lib.college.schema import Schema

MISFITS: Mapping[str, str] = MappingProxyType(
    {
        "unknown_label": "no node has this label",
        "unknown_type": "no relationship has this type",
        "wrong_direction": "the arrow points the other way",
        "wrong_ends": "the relationship joins other kinds of nodes",
        "unknown_property": "the nodes or relationships do not have this property",
        "unknown_name": "nothing of the kind is called by this name, though something near is",
    }
)
"""Code -> what it means. Codes are stable: tests, counts and lessons rely on them."""


@dataclass(frozen=True)
class Misfit:
    """Something in a query that the graph does not have."""

    code: str
    """One of `MISFITS`."""
    reason: str
    """A sentence or two that a model can act on: what is wrong, and what there is in its place."""
    span: tuple[int, int]
    """Where in the query, in characters."""


@dataclass(frozen=True)
class _Edges:
    """The schema's patterns, ready to be asked."""

    patterns: frozenset[tuple[str, str, str]]
    by_type: Mapping[str, tuple[tuple[str, str, str], ...]]
    node_properties: Mapping[str, tuple[str, ...]]
    edge_properties: Mapping[str, tuple[str, ...]]
    partly: frozenset[str]
    """Labels, and types that leave them, of which only the first nodes were read: they may have more."""


def misfits(query: str | QueryShape, schema: Schema) -> tuple[Misfit, ...]:
    """What in a query the graph does not have, in the order in which it stands there.

    Args:
        query: the query, or its shape.
        schema: what the graph has. An empty graph has no opinion.
    """
    shape = read_shape(query) if isinstance(query, str) else query
    if not schema.labels:
        return ()
    edges = _edges(schema)
    found: dict[tuple[str, tuple[int, int]], Misfit] = {}
    for branch in shape.branches:
        for misfit in _of_branch(branch, edges):
            found.setdefault((misfit.code, misfit.span), misfit)
    return tuple(sorted(found.values(), key=lambda m: (m.span, m.code)))


def _edges(schema: Schema) -> _Edges:
    by_type: dict[str, list[tuple[str, str, str]]] = {}
    edge_properties: dict[str, dict[str, None]] = {}
    for pattern in schema.patterns:
        by_type.setdefault(pattern.type, []).append((pattern.start, pattern.type, pattern.end))
        edge_properties.setdefault(pattern.type, {}).update(
            dict.fromkeys(prop.name for prop in pattern.properties)
        )
    partly = {node.label for node in schema.labels if node.count > LOOKED_AT}
    partly |= {pattern.type for pattern in schema.patterns if {pattern.start, pattern.end} & partly}
    return _Edges(
        frozenset(edge for listed in by_type.values() for edge in listed),
        {kind: tuple(listed) for kind, listed in by_type.items()},
        {node.label: tuple(prop.name for prop in node.properties) for node in schema.labels},
        {kind: tuple(names) for kind, names in edge_properties.items()},
        frozenset(partly),
    )


def _of_branch(branch: Branch, edges: _Edges) -> Iterator[Misfit]:
    labels = [
        *(label for node in branch.nodes for label in node.labels),
        *(label for _, label in branch.asserted),
    ]
    for label in labels:
        if label.text not in edges.node_properties:
            yield _unknown_label(label, edges)
    types = [*(kind for hop in branch.hops for kind in hop.types), *branch.path_types]
    for kind in types:
        if kind.text not in edges.by_type:
            yield _unknown_type(kind, branch, edges)
    for hop in branch.hops:
        yield from _of_hop(hop, branch, edges)
    yield from _of_properties(branch, edges)


# ---- labels and types ------------------------------------------------------------------------------------


def _unknown_label(label: Place, edges: _Edges) -> Misfit:
    nearest = _nearest(label.text, edges.node_properties)
    meant = f" '{label.text}' is near '{nearest}'." if nearest else ""
    return Misfit(
        "unknown_label",
        f"There is no label {label.text} in the graph.{meant} "
        f"The labels are {_listed(edges.node_properties)}.",
        (label.start, label.end),
    )


def _unknown_type(kind: Place, branch: Branch, edges: _Edges) -> Misfit:
    hop = next((hop for hop in branch.hops if kind in hop.types), None)
    ends = _ends(hop, branch) if hop is not None else (frozenset(), frozenset())
    between = [
        edge
        for edge in sorted(edges.patterns)
        if all(ends)
        and ((edge[0] in ends[0] and edge[2] in ends[1]) or (edge[2] in ends[0] and edge[0] in ends[1]))
    ]
    nearest = _nearest(kind.text, edges.by_type)
    if between:
        advice = f"Between these nodes there is {_drawn(between)}."
    elif nearest:
        advice = f"'{kind.text}' is near '{nearest}': {_drawn(edges.by_type[nearest])}."
    else:
        advice = f"The relationship types are {_listed(edges.by_type)}."
    return Misfit(
        "unknown_type",
        f"There is no relationship type {kind.text} in the graph. {advice}",
        (kind.start, kind.end),
    )


# ---- directions ------------------------------------------------------------------------------------------


def _ends(hop: Hop, branch: Branch) -> tuple[frozenset[str], frozenset[str]]:
    """The labels at both ends of a hop, as far as they are stated."""
    return _labels(hop.left.variable, hop.left.labels, branch), _labels(
        hop.right.variable, hop.right.labels, branch
    )


def _labels(variable: str, stated: Iterable[Place], branch: Branch) -> frozenset[str]:
    return frozenset(label.text for label in stated) | branch.labels_of(variable)


def _of_hop(hop: Hop, branch: Branch, edges: _Edges) -> Iterator[Misfit]:
    known = [edge for kind in hop.types for edge in edges.by_type.get(kind.text, ())]
    if hop.none or (hop.types and len(known) == 0):
        return
    if any(kind.text not in edges.by_type for kind in hop.types):
        return  # that is said already
    if not hop.types:
        known = sorted(edges.patterns)
    left, right = _ends(hop, branch)
    # A label that does not exist is said already, and says nothing about the arrow.
    left, right = left & edges.node_properties.keys(), right & edges.node_properties.keys()
    forwards = _fits(known, left, right, hop.many)
    backwards = _fits(known, right, left, hop.many)
    fits = {"->": forwards, "<-": backwards, "-": forwards or backwards}[hop.arrow]
    if fits or not known:
        return
    name = "|".join(kind.text for kind in hop.types) or "This relationship"
    span = (hop.start, hop.end)
    shown = _drawn(known)
    if hop.arrow != "-" and (backwards if hop.arrow == "->" else forwards):
        yield Misfit(
            "wrong_direction",
            f"The direction is wrong: the arrow of {name} goes the other way, {shown}.",
            span,
        )
    elif edges.partly & {kind for _, kind, _ in known}:
        return
    elif hop.types:
        yield Misfit(
            "wrong_ends", f"{name} does not join these nodes: the direction and the ends are {shown}.", span
        )
    else:
        ends = f"{_or(left)} and {_or(right)}"
        yield Misfit("wrong_ends", f"There is no relationship in the graph between {ends}.", span)


def _fits(
    known: Iterable[tuple[str, str, str]], start: frozenset[str], end: frozenset[str], many: bool
) -> bool:
    """Whether a relationship of these can leave the one kind of node and arrive at the other."""
    known = list(known)
    if many:  # several hops: the first leaves here, the last arrives there
        return any(not start or edge[0] in start for edge in known) and any(
            not end or edge[2] in end for edge in known
        )
    return any((not start or edge[0] in start) and (not end or edge[2] in end) for edge in known)


# ---- properties ------------------------------------------------------------------------------------------


def _of_properties(branch: Branch, edges: _Edges) -> Iterator[Misfit]:
    for node in branch.nodes:
        labels = _labels(node.variable, node.labels, branch)
        for key in node.keys:
            yield from _of_property(key, labels, edges.node_properties, edges.partly)
    for hop in branch.hops:
        for key in hop.keys:
            types = frozenset(kind.text for kind in hop.types)
            yield from _of_property(key, types, edges.edge_properties, edges.partly)
    for use in branch.uses:
        labels, types = branch.labels_of(use.variable), branch.types_of(use.variable)
        yield from _of_property(use.property, labels, edges.node_properties, edges.partly)
        yield from _of_property(use.property, types, edges.edge_properties, edges.partly)


def _of_property(
    key: Place, owners: frozenset[str], properties: Mapping[str, tuple[str, ...]], partly: frozenset[str]
) -> Iterator[Misfit]:
    """A finding when none of the owners has the property, and all of them are known whole."""
    if not owners or not owners <= properties.keys() or owners & partly:
        return
    known = dict.fromkeys(name for owner in sorted(owners) for name in properties[owner])
    if key.text in known:
        return
    nearest = _nearest(key.text, known)
    meant = f" '{key.text}' is near '{nearest}'." if nearest else ""
    there = f"It has {_listed(known)}." if known else "It has none at all."
    yield Misfit(
        "unknown_property",
        f"There is no property {key.text} in the graph on {_or(owners)}.{meant} {there}",
        (key.start, key.end),
    )


# ---- wording ---------------------------------------------------------------------------------------------


def _nearest(typed: str, known: Iterable[str]) -> str | None:
    found = near_names(typed, (Name("", "", name) for name in known), limit=1)
    return found[0].value if found else None


def _listed(names: Iterable[str], most: int = 20) -> str:
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def _or(names: Iterable[str]) -> str:
    return " or ".join(sorted(names)) or "any node"


def _drawn(edges: Iterable[tuple[str, str, str]], most: int = 4) -> str:
    listed = sorted(set(edges))
    drawn = ", ".join(f"({start})-[:{kind}]->({end})" for start, kind, end in listed[:most])
    return drawn + (f" and {len(listed) - most} more" if len(listed) > most else "")
