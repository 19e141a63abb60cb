"""The tables of the memory, declared once.

Kuzu and Ladybug know only what was declared: a relationship of any other type is refused, which is one wall
more against facts that nobody planned for.

`sources` says where an edge comes from: the message, its date, and the words in it that carry the fact. An
allergy or a liking that a member of staff has ended keeps its edge; `ended` holds the date.
"""

from __future__ import annotations

SOURCES = "STRUCT(message STRING, date STRING, evidence STRING)[]"

NODE_TABLES: dict[str, str] = {
    "Person": "id STRING PRIMARY KEY, name STRING",
    "Allergen": "name STRING PRIMARY KEY",
    "Product": "name STRING PRIMARY KEY, contents_known BOOLEAN",
    # What the memory has done and what it doubts lives beside the facts, so that one transaction holds both.
    "Message": "id STRING PRIMARY KEY, message STRING, date STRING, digest STRING, log STRING[]",
    "Review": (
        "id STRING PRIMARY KEY, kind STRING, code STRING, reason STRING, subject STRING, relation STRING, "
        "person STRING, name STRING, target STRING, "
        "object STRING, role STRING, evidence STRING, message STRING, date STRING, candidates STRING[], "
        "status STRING, asked_by STRING, decided_by STRING, decided_at STRING, outcome STRING"
    ),
    "Alias": "word STRING PRIMARY KEY, meaning STRING, approved_by STRING, date STRING",
}

EDGE_TABLES: dict[str, str] = {
    "ALLERGIC_TO": (
        f"FROM Person TO Allergen, sources {SOURCES}, ended STRING, ended_by STRING, ended_reason STRING"
    ),
    "FAMILY_OF": f"FROM Person TO Person, role STRING, sources {SOURCES}",
    "LIKES": f"FROM Person TO Product, sources {SOURCES}, ended STRING, ended_by STRING, ended_reason STRING",
    "CONTAINS": "FROM Product TO Allergen, certainty STRING",
    "SAME_AS": "FROM Person TO Person, linked_by STRING, date STRING",
    "FROM_CUSTOMER": "FROM Message TO Person",
    "ABOUT": "FROM Review TO Person",
}

CERTAINTIES: tuple[str, ...] = ("contains", "may")
"""How sure it is that a product holds an allergen: it does, or it may."""


def declarations() -> list[str]:
    """One CREATE a table, nodes first."""
    return [
        f"CREATE {kind} TABLE IF NOT EXISTS {name}({columns})"
        for kind, tables in (("NODE", NODE_TABLES), ("REL", EDGE_TABLES))
        for name, columns in tables.items()
    ]
