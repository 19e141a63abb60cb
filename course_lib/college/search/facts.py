"""A graph as text: one short text for each node and for each relationship, read off the live graph."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.college.rows import EdgeValue, NodeValue, PathValue
from course_lib.college.search.errors import QuestionFileError
from course_lib.college.tables import default_folder

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

FACT_LABEL = "Fact"
"""The label of the nodes that hold vectors. They are no facts of the college, and are not written out."""
_KEYS = ("id", "code", "name")
_PART = re.compile(r"\[([^\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Fact:
    """One text, and which node or relationship it says."""

    id: str
    """`S01` for a node; `S01-STUDIES-CS201` for a relationship."""
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Sentences:
    """How nodes and relationships read."""

    nodes: Mapping[str, str]
    relationships: Mapping[str, str]


def read_sentences(folder: Path | None = None) -> Sentences:
    """Reads the wording of nodes and relationships.

    Args:
        folder: where `sentences.toml` lies; the college's own when None.

    Raises:
        QuestionFileError: the file is missing or is no TOML with both tables.
    """
    path = (folder or default_folder()) / "sentences.toml"
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        return Sentences(dict(found["nodes"]), dict(found["relationships"]))
    except (OSError, tomllib.TOMLDecodeError, KeyError) as error:
        raise QuestionFileError(
            f"{path.name} cannot be read: {error}.", "Fetch the file from the course again."
        ) from error


def written_facts(graph: Graph, sentences: Sentences | None = None) -> list[Fact]:
    """Writes out every node and every relationship of a graph, in the order of their ids.

    Args:
        graph: the graph as it stands now.
        sentences: the wording; read from the data when None.

    Raises:
        QueryError: the graph cannot be read.
    """
    sentences = sentences or read_sentences()
    params = {"label": FACT_LABEL}
    facts = [
        Fact(node_id(node), _write(sentences.nodes.get(node.labels[0]), node.properties, _plain_node(node)))
        for (node,) in graph.read("MATCH (n) WHERE NOT $label IN labels(n) RETURN n", params)
    ]
    for start, edge, end in graph.read("MATCH (a)-[r]->(b) RETURN a, r, b"):
        kind = f"{start.labels[0]}_{edge.type}_{end.labels[0]}"
        values = {**edge.properties, "start": title(start), "end": title(end)}
        plain = f"{title(start)} {edge.type.lower().replace('_', ' ')} {title(end)}."
        facts.append(
            Fact(edge_id(start, edge, end), _write(sentences.relationships.get(kind), values, plain))
        )
    return sorted(facts, key=lambda fact: fact.id)


def facts_in(cell: Any) -> set[str]:
    """The ids of the facts that a cell of a result shows: a node, every relationship of a path, or none."""
    if isinstance(cell, NodeValue):
        return {node_id(cell)}
    if isinstance(cell, PathValue):
        if not cell.edges:
            return {node_id(node) for node in cell.nodes}
        at = {node.id: node for node in cell.nodes}
        return {edge_id(at[edge.source], edge, at[edge.target]) for edge in cell.edges}
    if isinstance(cell, list | tuple):
        return set().union(*(facts_in(item) for item in cell))
    return set()


def node_id(node: NodeValue) -> str:
    """The id of a node's own fact: its key."""
    return str(next((node.properties[key] for key in _KEYS if key in node.properties), node.id))


def edge_id(start: NodeValue, edge: EdgeValue, end: NodeValue) -> str:
    """The id of a relationship's fact."""
    return f"{node_id(start)}-{edge.type}-{node_id(end)}"


def title(node: NodeValue) -> str:
    """What a node is called in a sentence."""
    return str(node.properties.get("name", node_id(node)))


def _plain_node(node: NodeValue) -> str:
    said = ", ".join(f"{name} {value}" for name, value in sorted(node.properties.items()))
    return f"{node.labels[0]}: {said}."


def _write(wording: str | None, values: Mapping[str, Any], plain: str) -> str:
    """Fills a wording; takes the plain form where it needs a property that is not there."""
    if wording is None:
        return plain

    def known(text: str) -> bool:
        return all(values.get(name) is not None for name in _SLOT.findall(text))

    kept = _PART.sub(lambda part: part[1] if known(part[1]) else "", wording)
    return _SLOT.sub(lambda slot: str(values[slot[1]]), kept) if known(kept) else plain
