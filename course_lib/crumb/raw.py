"""The raw pipeline: every triple as the model put it, straight into a graph.

A node for each exact name, an edge for each triple with the message that it came from, and a relationship
type for every turn of phrase. Kuzu takes no type that was not declared, so this pipeline declares whatever
comes: the second wall, taken down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from course_lib.crumb.dataset import Chat, TruthRow
from course_lib.crumb.free_form import FreeTriple
from course_lib.crumb.store import MEMORY, Store, open_store
from course_lib.rows import Rows

SPEAKERS = ("User", "me", "I")
"""What free-form triples call the one who writes, where the message gives no name."""
_SPEAKER_WORDS = frozenset(["i", "me", "we", "us", "hum", "mujhe", "user"])

FateKind = Literal["found", "another spelling", "turned round", "another thing", "left out"]


@dataclass(frozen=True)
class RawEdge:
    """One edge of the raw graph."""

    subject: str
    type: str
    object: str
    message: str


@dataclass(frozen=True)
class Fate:
    """What became of one true fact in the raw graph."""

    fact: TruthRow
    kind: FateKind
    nodes: tuple[str, ...]
    """Where its edges lead: the spelling, or the thing that stands in the allergen's place."""
    person: str = ""
    """The node that stands for the person."""


def raw_store() -> Store:
    """An empty store without the memory's tables, gone with this process."""
    return open_store(MEMORY, tables=False)


def load_raw(
    chats: Iterable[Chat], store: Store, triples_of: Callable[[str], Sequence[FreeTriple]]
) -> tuple[RawEdge, ...]:
    """Puts every triple of every chat into a store, as it comes.

    Args:
        chats: the chats.
        store: where to; a `raw_store()`.
        triples_of: gives the triples of a message, `free_triples` for one.

    Returns:
        The edges, in the order of the chats.
    """
    edges = [
        RawEdge(triple.subject, type_name(triple.relation), triple.object, chat.id)
        for chat in chats
        for triple in triples_of(chat.text)
    ]
    store.write("CREATE NODE TABLE IF NOT EXISTS Thing(name STRING PRIMARY KEY)")
    names = sorted({name for edge in edges for name in (edge.subject, edge.object)})
    if names:
        store.write("UNWIND $names AS name MERGE (:Thing {name: name})", {"names": names})
    for kind in sorted({edge.type for edge in edges}):
        # A type cannot be a parameter. `type_name` leaves letters, digits and underscores, and nothing else.
        store.write(f"CREATE REL TABLE IF NOT EXISTS `{kind}`(FROM Thing TO Thing, message STRING)")
        rows = [
            {"subject": edge.subject, "object": edge.object, "message": edge.message}
            for edge in edges
            if edge.type == kind
        ]
        store.write(
            "UNWIND $rows AS row MATCH (a:Thing {name: row.subject}), (b:Thing {name: row.object}) "
            f"CREATE (a)-[:`{kind}` {{message: row.message}}]->(b)",
            {"rows": rows},
        )
    return tuple(edges)


def type_name(relation: str) -> str:
    """A model's relation as the name of a type: `is allergic to` becomes IS_ALLERGIC_TO."""
    name = re.sub(r"\W+", "_", relation, flags=re.ASCII).strip("_").upper()[:60]
    return name if name and not name[0].isdigit() else f"R_{name}".rstrip("_")


def recall(store: Store, allergen: str) -> Rows:
    """Who is allergic to something, asked the obvious way: any edge that points to the node of that name.

    Args:
        store: a raw store.
        allergen: the node's exact name.
    """
    if not _has_edges(store):
        return Rows(["person", "relation", "message"], [])
    return store.read(
        "MATCH (p:Thing)-[r]->(a:Thing {name: $allergen}) "
        "RETURN p.name AS person, label(r) AS relation, r.message AS message ORDER BY message, person",
        {"allergen": allergen},
    )


def all_edges(store: Store) -> tuple[RawEdge, ...]:
    """Every edge of a raw store."""
    if not _has_edges(store):
        return ()
    rows = store.read(
        "MATCH (p:Thing)-[r]->(a:Thing) "
        "RETURN p.name AS subject, label(r) AS type, a.name AS object, r.message AS message "
        "ORDER BY message, subject, type, object"
    )
    return tuple(RawEdge(*row) for row in rows)


def _has_edges(store: Store) -> bool:
    # While no type is declared, the engine refuses a query that asks for a relationship's properties.
    return any(kind == "REL" for (kind,) in store.read("CALL show_tables() RETURN type"))


def spellings(
    edges: Iterable[RawEdge], words: Collection[str], loose: Collection[str] = ()
) -> dict[str, int]:
    """The nodes that spell one thing, with the number of edges that point to each, most first.

    Args:
        edges: the edges of a raw store.
        words: the words for it, in lower case.
        loose: words that may stand beside one of them, such as 'nuts' in 'nuts (peanut)'.
    """
    counts: dict[str, int] = {}
    for edge in edges:
        if _spells(edge.object, words, loose):
            counts[edge.object] = counts.get(edge.object, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _spells(name: str, words: Collection[str], loose: Collection[str] = ()) -> bool:
    found = set(re.findall(r"\w+", name.casefold()))
    return bool(found & set(words)) and found <= set(words) | set(loose)


def fates(
    edges: Sequence[RawEdge], truth: Iterable[TruthRow], node: str, same: Collection[str]
) -> tuple[Fate, ...]:
    """What became of each true fact: found, or where it was lost.

    A person counts as found when an edge has their message and a name by which that message calls them.

    Args:
        edges: the edges of a raw store.
        truth: the true facts, of one allergen.
        node: the node that the recall asks for.
        same: all nodes that spell the allergen; those of `spellings`.
    """
    lower = {name.casefold() for name in same} | {node.casefold()}
    return tuple(_fate(edges, fact, node, same, lower) for fact in truth)


def _fate(
    edges: Sequence[RawEdge], fact: TruthRow, node: str, same: Collection[str], lower: set[str]
) -> Fate:
    names = set(SPEAKERS) if fact.words.casefold() in _SPEAKER_WORDS else {fact.words}
    mine = [edge for edge in edges if edge.message == fact.message]
    out = [edge for edge in mine if edge.subject in names]
    for edge in out:
        if edge.object == node:
            return Fate(fact, "found", (node,), edge.subject)
    for edge in out:
        if edge.object in same:
            return Fate(fact, "another spelling", (edge.object,), edge.subject)
    for edge in mine:
        if edge.object in names and edge.subject.casefold() in lower:
            return Fate(fact, "turned round", (edge.subject,), edge.object)
    if out:
        return Fate(fact, "another thing", tuple(dict.fromkeys(edge.object for edge in out)), out[0].subject)
    return Fate(fact, "left out", ())


def customers_of_node(edges: Iterable[RawEdge], chats: Iterable[Chat]) -> dict[str, frozenset[str]]:
    """Which customers' messages use each node: more than one is a node for several people.

    Args:
        edges: the edges of a raw store.
        chats: the chats that they come from.
    """
    writer = {chat.id: chat.customer for chat in chats}
    used: dict[str, set[str]] = {}
    for edge in edges:
        for name in (edge.subject, edge.object):
            used.setdefault(name, set()).add(writer[edge.message])
    return {name: frozenset(customers) for name, customers in used.items()}


def near_duplicates(edges: Sequence[RawEdge], same: Collection[str], each: int = 4) -> tuple[RawEdge, ...]:
    """A few edges for each of several nodes, enough for a picture: of different types where there are any.

    Args:
        edges: the edges of a raw store.
        same: the nodes that spell one thing.
        each: how many edges to show for each of them.
    """
    shown: list[RawEdge] = []
    for name in same:
        mine = [edge for edge in edges if edge.object == name]
        first = list({edge.type: edge for edge in reversed(mine)}.values())[::-1]
        rest = [edge for edge in mine if edge not in first]
        shown += [*first, *rest][:each]
    return tuple(shown)
