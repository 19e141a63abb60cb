"""What there is to draw: nodes and relationships, taken out of a result, a graph or two plain lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from course_lib.errors import CourseError
from course_lib.views.palette import STYLES

if TYPE_CHECKING:
    from course_lib.college.graph import Graph
    from course_lib.college.rows import EdgeValue, NodeValue, Rows

MAX_NODES = 150
"""More nodes than this are a blot, not a picture."""
CAPTION_CHARACTERS = 40
"""The longest name that a node carries."""


_KEYS = ("id", "code", "name")
"""Properties that name a node: they stand first, whatever order the engine keeps."""


class PictureError(CourseError):
    """Something cannot be drawn."""


class NothingToDrawError(PictureError):
    """The result holds no node."""


class TooManyNodesError(PictureError):
    """There are more nodes than a picture can show."""


class LooseEndError(PictureError):
    """A relationship names a node that is not there."""


@dataclass(frozen=True)
class Node:
    """A node of a picture."""

    key: str
    """Tells it from every other node of the picture."""
    label: str
    """What kind of thing it is; decides colour and shape."""
    caption: str
    """The name that stands beside it."""
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Edge:
    """A relationship of a picture, from the node `source` to the node `target`."""

    source: str
    target: str
    type: str
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Drawing:
    """Nodes and relationships in an order that depends on what they are, not on how they came."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    left_out: int = 0
    """Relationships that cannot be drawn because a node of theirs was not in the result."""

    def node(self, key: str) -> Node:
        """The node with a key."""
        return next(node for node in self.nodes if node.key == key)

    @property
    def labels(self) -> dict[str, int]:
        """Label -> how many nodes have it, in the order of the palette."""
        counted = Counter(node.label for node in self.nodes)
        return {label: counted[label] for label in sorted(counted, key=_label_order)}

    @property
    def types(self) -> dict[str, int]:
        """Relationship type -> how many there are, in alphabetical order."""
        counted = Counter(edge.type for edge in self.edges)
        return {kind: counted[kind] for kind in sorted(counted)}


def drawing_of(what: Rows | Graph | Drawing) -> Drawing:
    """What there is to draw in a result, a graph or a drawing made by hand.

    Raises:
        NothingToDrawError: a result has rows, and no node in any of them.
        TooManyNodesError: there are more than `MAX_NODES`.
    """
    from course_lib.college.rows import Rows

    if isinstance(what, Drawing):
        return _limited(what)
    if isinstance(what, Rows):
        nodes, edges = collect(what)
        if not nodes and len(what):
            raise NothingToDrawError(
                f"These rows hold values ({', '.join(what.columns)}), and no node to draw.",
                "Return the nodes and relationships themselves: MATCH (s)-[r]->(x) RETURN s, r, x",
            )
        return _limited(_of_values(nodes, edges))
    size = what.size()
    if size.nodes > MAX_NODES:
        raise _too_many(size.nodes)
    nodes, _ = collect(what.read("MATCH (n) RETURN n"))
    _, edges = collect(what.read("MATCH ()-[r]->() RETURN r"))
    return _limited(_of_values(nodes, edges))


def drawing(nodes: Iterable[Node], edges: Iterable[Edge] = ()) -> Drawing:
    """A drawing from plain lists, in the picture's own order.

    Raises:
        LooseEndError: two nodes have one key, or a relationship names a node that is not in the list.
    """
    ordered = sorted(nodes, key=lambda n: (_label_order(n.label), n.caption, n.key))
    keys = Counter(node.key for node in ordered)
    if doubled := [key for key, count in keys.items() if count > 1]:
        raise LooseEndError(f"Two nodes have the key {doubled[0]!r}.", "Give each node a key of its own.")
    place = {node.key: index for index, node in enumerate(ordered)}
    edges = list(edges)
    for edge in edges:
        for end in (edge.source, edge.target):
            if end not in place:
                raise LooseEndError(
                    f"A {edge.type} relationship names the node {end!r}, which is not in the list.",
                    "Add the node, or leave the relationship out.",
                )
    edges.sort(key=lambda e: (place[e.source], place[e.target], e.type, repr(e.properties)))
    return Drawing(tuple(ordered), tuple(edges))


def collect(rows: Rows) -> tuple[dict[int, NodeValue], dict[int, EdgeValue]]:
    """The nodes and relationships in a result, by the engine's numbers: also from paths, lists, maps."""
    from course_lib.college.rows import EdgeValue, NodeValue, PathValue

    def values(cell: Any) -> Iterator[NodeValue | EdgeValue]:
        if isinstance(cell, NodeValue | EdgeValue):
            yield cell
        elif isinstance(cell, PathValue):
            yield from cell.nodes
            yield from cell.edges
        elif isinstance(cell, Mapping):
            for item in cell.values():
                yield from values(item)
        elif isinstance(cell, Sequence) and not isinstance(cell, str):
            for item in cell:
                yield from values(item)

    nodes: dict[int, NodeValue] = {}
    edges: dict[int, EdgeValue] = {}
    for row in rows:
        for value in values(row):
            if isinstance(value, NodeValue):
                nodes[value.id] = value
            else:
                edges[value.id] = value
    return nodes, edges


def _of_values(nodes: Mapping[int, NodeValue], edges: Mapping[int, EdgeValue]) -> Drawing:
    made = {number: _node(value) for number, value in nodes.items()}
    # The engine numbers nodes as it likes. Keys that come from the content give the same picture each time.
    order = sorted(
        made, key=lambda n: (_label_order(made[n].label), made[n].caption, repr(made[n].properties), n)
    )
    same_name = Counter((made[number].label, made[number].caption) for number in order)
    keyed: dict[int, Node] = {}
    for index, number in enumerate(order):
        node = made[number]
        caption = node.caption
        if same_name[node.label, node.caption] > 1:
            caption = _longer_caption(node)
        keyed[number] = Node(f"n{index}", node.label, caption, node.properties)
    drawn = [
        Edge(keyed[e.source].key, keyed[e.target].key, e.type, dict(sorted(e.properties.items())))
        for e in edges.values()
        if e.source in keyed and e.target in keyed
    ]
    made_drawing = drawing(keyed.values(), drawn)
    return Drawing(made_drawing.nodes, made_drawing.edges, left_out=len(edges) - len(drawn))


def _node(value: NodeValue) -> Node:
    label = min(value.labels, key=_label_order) if value.labels else "(no label)"
    properties = dict(sorted(value.properties.items(), key=lambda item: (item[0] not in _KEYS, item[0])))
    for name in ("name", "id", "code", "title"):
        if properties.get(name) not in (None, ""):
            return Node("", label, shorten(str(properties[name])), properties)
    first = next((str(v) for v in properties.values() if v not in (None, "")), label)
    return Node("", label, shorten(first), properties)


def _longer_caption(node: Node) -> str:
    for name in ("id", "code"):
        extra = node.properties.get(name)
        if extra not in (None, "") and str(extra) != node.caption:
            return shorten(f"{node.caption} ({extra})")
    return node.caption


def shorten(text: str, limit: int = CAPTION_CHARACTERS) -> str:
    """A text on one line, cut with an ellipsis where it is longer than the limit."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _label_order(label: str) -> tuple[int, str]:
    known = list(STYLES)
    return (known.index(label) if label in STYLES else len(known), label)


def _limited(found: Drawing) -> Drawing:
    if len(found.nodes) > MAX_NODES:
        raise _too_many(len(found.nodes))
    return found


def _too_many(count: int) -> TooManyNodesError:
    return TooManyNodesError(
        f"{count:,} nodes do not make a picture: {MAX_NODES} is the most.",
        "Ask for a part of them: a WHERE, a LIMIT, or what lies round one node.",
    )
