"""What a question asks of a graph, before it becomes Cypher: patterns, tests, columns, an order.

A plan says what is meant. How well it is said (loosely matched names, ranks, labels) is up to `writing` and
the rules in the prompt.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from course_lib.models.practice.mind.linking import Mention

Compare = Literal["=", ">", ">=", "<", "<=", "<>"]


@dataclass(frozen=True)
class Node:
    """A node of the pattern."""

    var: str
    label: str


@dataclass(frozen=True)
class Edge:
    """A relationship of the pattern, from `left` to `right` when `forward`, else the other way."""

    left: str
    right: str
    type: str
    forward: bool = True
    var: str = ""
    hops: tuple[int, int] | None = None
    directed: bool = True


@dataclass(frozen=True)
class Named:
    """A test: the thing is called what the question says. Several mentions are alternatives."""

    var: str
    prop: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class Holds:
    """A test on a property."""

    var: str
    prop: str
    op: Compare
    value: int | str
    mention: Mention | None = None
    others: tuple[Mention, ...] = ()
    """Further values that will do as well."""


@dataclass(frozen=True)
class Differs:
    """A test: two nodes are not the same one."""

    left: str
    right: str


@dataclass(frozen=True)
class SameValue:
    """A test: two nodes have the same value of a property."""

    left: str
    right: str
    prop: str


@dataclass(frozen=True)
class NotNamed:
    """A test: the thing is called something else."""

    var: str
    prop: str
    mention: Mention


Test = Named | NotNamed | Holds | Differs | SameValue


@dataclass(frozen=True)
class Column:
    """One column of the result. Without a property it is the thing itself, shown by its name."""

    var: str
    prop: str = ""
    alias: str = ""
    function: Literal["", "count", "collect", "sum", "avg", "min", "max"] = ""
    whole: bool = False
    """The thing itself is asked for: a model without the rule returns the whole node."""


@dataclass(frozen=True)
class Order:
    """The order of the rows: by a property, or by an alias of a counted column."""

    var: str = ""
    prop: str = ""
    alias: str = ""
    descending: bool = True
    ranked: bool = False
    """The property sorts as text but means a rank, such as a grade."""


@dataclass(frozen=True)
class Branch:
    """A piece of pattern with its tests."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    tests: tuple[Test, ...] = ()


@dataclass(frozen=True)
class Select:
    """Rows from a pattern: who, which, how many, best, most, without."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    tests: tuple[Test, ...] = ()
    columns: tuple[Column, ...] = ()
    distinct: bool = False
    order: Order | None = None
    limit: int | None = None
    optional: Branch | None = None
    """Matched if it is there: for counts that may be zero."""
    without: tuple[Branch, ...] = ()
    """Each of these must not exist."""
    having: tuple[str, str, int] | None = None
    """A count that must hold: the counted variable, a comparison, a number."""
    keep: tuple[str, ...] = ()
    """With `having`: the variables that the count is grouped by."""


@dataclass(frozen=True)
class FindPath:
    """The shortest way from one thing to another."""

    start: Named
    start_label: str
    end: Named
    end_label: str
    types: tuple[str, ...]
    directed: bool


@dataclass(frozen=True)
class NextUp:
    """What comes next for someone: beyond what a thing of theirs covers, along a relationship that orders."""

    person: Named
    person_label: str
    has: str
    """Relationship from the person to the middle (STUDIES)."""
    middle_label: str
    covers: str
    item_label: str
    before: str
    """The relationship that orders items (PREREQUISITE_FOR)."""


@dataclass(frozen=True)
class CommonTo:
    """What is common in all things of a label: by the rule, those who belong to more than one."""

    who_label: str
    type: str
    forward: bool
    thing_label: str


@dataclass(frozen=True)
class Change:
    """A wish to change the graph."""

    action: Literal["delete", "cleanup", "create", "update"]
    label: str | None = None
    named: Named | None = None
    prop: str | None = None
    value: int | str | None = None
    typed: str = ""


@dataclass(frozen=True)
class Outside:
    """Something that the graph holds nothing about."""

    label: str
    prop: str | None = None
    about: Named | None = None
    about_label: str | None = None
    typed: str = ""


@dataclass(frozen=True)
class Miss:
    """A wording that the practice model does not know."""

    question: str
    why: str = ""


Plan = Select | FindPath | NextUp | CommonTo | Change | Outside | Miss


@dataclass
class Sketch:
    """A pattern while it is being drawn."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)

    def add(self, label: str) -> str:
        """A new node; its variable is made from the label."""
        var = fresh(label, {node.var for node in self.nodes} | {edge.var for edge in self.edges})
        self.nodes.append(Node(var, label))
        return var

    def label_of(self, var: str) -> str:
        """The label of a node."""
        return next(node.label for node in self.nodes if node.var == var)

    def name_edge(self, place: int) -> str:
        """Gives an edge a variable if it has none yet, and returns it."""
        edge = self.edges[place]
        if not edge.var:
            taken = {node.var for node in self.nodes} | {other.var for other in self.edges}
            var = next(v for v in ("r", "r2", "r3", "r4", "r5", "r6", "r7", "r8") if v not in taken)
            self.edges[place] = Edge(
                edge.left, edge.right, edge.type, edge.forward, var, edge.hops, edge.directed
            )
        return self.edges[place].var


_KEYWORDS = {"in", "as", "or", "is", "on", "by", "to", "and", "not", "all", "end", "any", "asc", "set", "r"}


def fresh(label: str, taken: set[str]) -> str:
    """A short variable name for a node of a label."""
    lower = "".join(c for c in label.lower() if c.isalnum()) or "n"
    options = [lower[:1], lower[:3], lower[:4], *(f"{lower[:1]}{n}" for n in range(2, 12))]
    for option in options:
        if option not in taken and option not in _KEYWORDS and not option[0].isdigit():
            return option
    return f"n{len(taken)}"
