"""Search by meaning: texts as vectors, kept in the graph engine's own vector index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course_lib.college.search.embedder import HOW_TO_GET, can_embed, embed
from course_lib.college.search.errors import NoVectorError
from course_lib.college.search.facts import FACT_LABEL, Fact
from course_lib.college.search.vectors import StoredVectors, read_vectors

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

EXACT = 400
"""How many candidates the index weighs for a question (`efRuntime`). Such an index is made for millions of
vectors and looks at a few of them; with more candidates than texts it looks at all of them."""
DECIMALS = 5
"""Decimals of a distance that count: beyond them machines may differ, and then the id decides."""


@dataclass(frozen=True)
class MeaningIndex:
    """Facts whose vectors lie in a graph."""

    graph: Graph
    facts: dict[str, Fact]
    vectors: StoredVectors


def index_meanings(graph: Graph, facts: Sequence[Fact], vectors: StoredVectors | None = None) -> MeaningIndex:
    """Puts a node with a vector into the graph for every text, and an index over them.

    Running it again replaces what it put there. The rest of the graph stays as it is.

    Args:
        graph: where to put them.
        facts: the texts.
        vectors: vectors computed beforehand; those that the course brings when None.

    Raises:
        NoVectorError: a text has no vector and the model is not installed.
    """
    vectors = vectors or read_vectors()
    rows = [
        {"id": fact.id, "text": fact.text, "vector": list(vector)}
        for fact, vector in zip(facts, _vectors([fact.text for fact in facts], vectors), strict=True)
    ]
    # The index goes first. One that lived through the deletion would keep the places of the deleted nodes,
    # and hand over fewer finds than it was asked for.
    if _indexed(graph):
        graph.write(f"DROP VECTOR INDEX FOR (f:{FACT_LABEL}) ON (f.vector)")
    graph.write(f"MATCH (f:{FACT_LABEL}) DELETE f")
    graph.write(
        f"CREATE VECTOR INDEX FOR (f:{FACT_LABEL}) ON (f.vector) OPTIONS "
        f"{{dimension: {vectors.dimension}, similarityFunction: 'cosine', efRuntime: {EXACT}}}"
    )
    graph.write(
        "UNWIND $rows AS row "
        f"CREATE (:{FACT_LABEL} {{id: row.id, text: row.text, vector: vecf32(row.vector)}})",
        {"rows": rows},
    )
    return MeaningIndex(graph, {fact.id: fact for fact in facts}, vectors)


def search_meaning(index: MeaningIndex, question: str, k: int = 10) -> list[Fact]:
    """The texts whose vectors lie closest to the question's, closest first. There are always `k`.

    Args:
        index: what `index_meanings` made.
        question: what is looked for.
        k: how many.

    Raises:
        NoVectorError: the question has no vector and the model is not installed.
    """
    (vector,) = _vectors([question], index.vectors)
    rows = index.graph.read(
        f"CALL db.idx.vector.queryNodes('{FACT_LABEL}', 'vector', $k, vecf32($vector)) YIELD node, score "
        "RETURN node.id AS id, score",
        {"k": min(k + 5, len(index.facts)), "vector": list(vector)},
    )
    near = sorted((round(float(score), DECIMALS), fact_id) for fact_id, score in rows)
    return [index.facts[fact_id] for _, fact_id in near[:k]]


def _indexed(graph: Graph) -> bool:
    found = graph.read("CALL db.indexes() YIELD label RETURN label")
    return FACT_LABEL in found.column("label")


def _vectors(texts: Sequence[str], stored: StoredVectors) -> list[tuple[float, ...]]:
    found = {text: stored.get(text) for text in texts}
    missing = [text for text, vector in found.items() if vector is None]
    if missing and not can_embed():
        raise NoVectorError(
            f"No vector was computed beforehand for {missing[0]!r}"
            + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
            + ".",
            HOW_TO_GET,
        )
    found.update(zip(missing, embed(missing), strict=True) if missing else ())
    return [vector for text in texts if (vector := found[text]) is not None]
