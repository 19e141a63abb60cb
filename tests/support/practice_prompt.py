"""A minimal prompt for questions about a graph, read off the graph, with parts that can be left out.

The finished prompt of the course is made elsewhere. This one is the least that the practice model needs to
show what each part of a prompt is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from course_lib.college.graph import Graph

PREAMBLE = "You translate questions about a graph into Cypher for FalkorDB."

RULES: Mapping[str, str] = {
    "loose": "Match names loosely. BAD: {name: 'dbms'}  GOOD: WHERE toLower(c.name) CONTAINS 'dbms'",
    "abbreviations": "Write abbreviations out: 'ML' is Machine Learning, 'OS' is Operating Systems.",
    "properties": "Return specific properties, never whole nodes. BAD: RETURN s  GOOD: RETURN s.name",
    "labels": "Put a label on every node. BAD: (s)-[:STUDIES]->(c)  GOOD:"
    " (s:Student)-[:STUDIES]->(c:Subject)",
    "ranks": "Grades and levels sort as text, so rank them: A+ > A > B+ > B, Advanced > Intermediate"
    " > Beginner.",
    "paths": "For a path use algo.SPpaths.",
    "outgoing": "Walk a path with relDirection 'outgoing': a learning order never runs backwards.",
    "reading": "Use reading clauses only.",
    "sentinel": "If the graph cannot answer the question, reply RETURN 'OUT_OF_SCOPE' AS status",
    "common": "'Common in all the clubs' means people in more than one club.",
    "next": "'Next topics' are up to two prerequisite hops away, and not covered by the same subject.",
    "cypher": "Reply with Cypher only, no prose and no markdown.",
}
"""The rules of the minimal prompt, by a short name."""

LISTED_AT_MOST = 60
"""How many values of one property the minimal prompt lists."""


@dataclass(frozen=True)
class SchemaTexts:
    """The schema and the values of a graph, as text for a prompt."""

    schema: str
    values: str


def describe(graph: Graph, keys: Sequence[str] = ("id", "code"), name: str = "name") -> SchemaTexts:
    """Reads labels, relationships, properties and values off a graph.

    Args:
        graph: the graph to describe.
        keys: the properties that are keys: they come first.
        name: the property that things are called by: it comes next. The values of the first key are not
        listed.
    """
    nodes, edges, values = [], [], []
    labels = [row[0] for row in graph.read("MATCH (n) RETURN DISTINCT labels(n)[0] ORDER BY labels(n)[0]")]
    for label in labels:
        rows = graph.read(f"MATCH (n:{label}) UNWIND keys(n) AS k RETURN k, collect(DISTINCT n[k])")
        found = {key: list(listed) for key, listed in rows}
        nodes.append(f"- {label} {{{_props(found, keys, name)}}}")
        values += _values(label, found, keys[0])
    patterns = graph.read(
        "MATCH (a)-[r]->(b) RETURN DISTINCT labels(a)[0], type(r), labels(b)[0] ORDER BY"
        " type(r), labels(a)[0]"
    )
    for start, kind, end in patterns:
        rows = graph.read(
            f"MATCH (:{start})-[r:{kind}]->(:{end}) UNWIND keys(r) AS k RETURN k, collect(DISTINCT r[k])"
        )
        found = {key: list(listed) for key, listed in rows}
        props = f" {{{_props(found, keys, name)}}}" if found else ""
        edges.append(f"- ({start})-[:{kind}{props}]->({end})")
        values += _values(kind, found, keys[0])
    schema = "\n".join(["Nodes:", *nodes, "Relationships:", *edges])
    return SchemaTexts(schema, "\n".join(dict.fromkeys(values)))


def _props(found: Mapping[str, list[object]], keys: Sequence[str], name: str) -> str:
    # Keys first, names next: the order in which people write them down.
    def place(key: str) -> tuple[int, str]:
        return (0 if key in keys else 1 if key == name else 2, key)

    return ", ".join(f"{key}: {_type(found[key])}" for key in sorted(found, key=place))


def _type(listed: list[object]) -> str:
    return "integer" if all(isinstance(value, int) for value in listed) else "string"


def _values(owner: str, found: Mapping[str, list[object]], hidden: str) -> list[str]:
    lines = []
    for key, listed in found.items():
        texts = [value for value in listed if isinstance(value, str)]
        short = texts and all(len(text) <= 40 for text in texts) and len(texts) <= LISTED_AT_MOST
        if short and key != hidden:
            lines.append(f"- {owner}.{key}: {', '.join(sorted(texts))}")
    return lines


def build_prompt(
    texts: SchemaTexts | None,
    *,
    values: bool = True,
    rules: Mapping[str, str] | None = None,
    memory: str = "",
) -> str:
    """The system prompt, with the parts that are wanted."""
    parts = [PREAMBLE]
    if texts is not None:
        parts.append(f"# Schema\n{texts.schema}")
        if values:
            parts.append(f"# Values\n{texts.values}")
    if rules:
        parts.append("# Rules\n" + "\n".join(f"{i}. {rule}" for i, rule in enumerate(rules.values(), 1)))
    if memory:
        parts.append(f"# Memory\n{memory}")
    return "\n\n".join(parts)
