"""Puts decided plans into the store. The caller holds the transaction.

`one_by_one` is the form to read: MERGE on the key, all else only on creation. `in_batches` writes the same
for a backlog. It creates what the plans say is new, since MERGE after UNWIND looks through the whole table
for each row; that is safe because the plans were made inside the same transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol

from course_lib.crumb.plans import Plan, ReviewItem
from course_lib.crumb.relations import TIE, Relation
from course_lib.crumb.store import Store

ITEM_FIELDS: tuple[str, ...] = tuple(f.name for f in fields(ReviewItem) if f.name != "customer")
"""What of an item becomes a column; the customer is an edge."""


class Applier(Protocol):
    """A way to write plans."""

    def __call__(self, store: Store, plans: Sequence[Plan], relations: Mapping[str, Relation]) -> None: ...


def read_messages(store: Store, keys: Sequence[str]) -> dict[str, tuple[str, list[str]]]:
    """The messages that were written before: key -> digest and log."""
    if len(keys) == 1:
        rows = store.read("MATCH (m:Message {id: $key}) RETURN m.id, m.digest, m.log", {"key": keys[0]})
    elif keys:
        rows = store.read(
            "MATCH (m:Message) WHERE m.id IN $keys RETURN m.id, m.digest, m.log", {"keys": list(keys)}
        )
    else:
        return {}
    return {key: (said, list(log or ())) for key, said, log in rows}


def one_by_one(store: Store, plans: Sequence[Plan], relations: Mapping[str, Relation]) -> None:
    """Writes plans statement by statement."""
    for plan in plans:
        for person, name in plan.people.items():
            store.write(
                "MERGE (p:Person {id: $id}) ON CREATE SET p.name = $name", {"id": person, "name": name}
            )
        for person, (role, source) in plan.ties.items():
            store.write(
                "MATCH (p:Person {id: $person}), (c:Person {id: $customer}) "
                "MERGE (p)-[e:FAMILY_OF]->(c) ON CREATE SET e.role = $role, e.sources = $sources",
                {"person": person, "customer": plan.customer, "role": role, "sources": [source]},
            )
        for (person, relation, target), source in plan.facts.items():
            label = relations[relation].label
            if not relations[relation].closed:
                store.write(f"MERGE (:{label} {{name: $name}})", {"name": target})
            store.write(
                f"MATCH (p:Person {{id: $person}}), (t:{label} {{name: $target}}) "
                f"MERGE (p)-[e:{relation}]->(t) ON CREATE SET e.sources = $sources",
                {"person": person, "target": target, "sources": [source]},
            )
        for (person, relation, target), sources in plan.confirmed.items():
            label, key = _target(relation, relations)
            store.write(
                f"MATCH (p:Person {{id: $person}})-[e:{relation}]->(t:{label} {{{key}: $target}}) "
                "SET e.sources = $sources",
                {"person": person, "target": target, "sources": list(sources)},
            )
        for item in plan.items:
            write_item(store, item)
        _message(store, plan)


def in_batches(store: Store, plans: Sequence[Plan], relations: Mapping[str, Relation]) -> None:
    """Writes plans by kind, each kind in one statement."""
    _unwind(
        store,
        "CREATE (:Person {id: row.id, name: row.name})",
        [{"id": person, "name": name} for plan in plans for person, name in plan.people.items()],
    )
    _unwind(
        store,
        "MATCH (p:Person {id: row.person}), (c:Person {id: row.customer}) "
        "CREATE (p)-[:FAMILY_OF {role: row.role, sources: row.sources}]->(c)",
        [
            {
                "person": person,
                "customer": plan.customer,
                "role": role,
                "sources": _confirmed(plans, (person, TIE, plan.customer), source),
            }
            for plan in plans
            for person, (role, source) in plan.ties.items()
        ],
    )
    new = {fact for plan in plans for fact in plan.facts} | {
        (person, TIE, plan.customer) for plan in plans for person in plan.ties
    }
    for name, relation in relations.items():
        facts = [(fact, source) for plan in plans for fact, source in plan.facts.items() if fact[1] == name]
        if not facts:
            continue
        if not relation.closed:
            known = {row[0] for row in store.read(f"MATCH (t:{relation.label}) RETURN t.name")}
            targets = dict.fromkeys(fact[2] for fact, _ in facts)
            _unwind(
                store,
                f"CREATE (:{relation.label} {{name: row.name}})",
                [{"name": t} for t in targets if t not in known],
            )
        _unwind(
            store,
            f"MATCH (p:Person {{id: row.person}}), (t:{relation.label} {{name: row.target}}) "
            f"CREATE (p)-[:{name} {{sources: row.sources}}]->(t)",
            [
                {"person": fact[0], "target": fact[2], "sources": _confirmed(plans, fact, source)}
                for fact, source in facts
            ],
        )
    latest = {fact: sources for plan in plans for fact, sources in plan.confirmed.items() if fact not in new}
    for name in {fact[1] for fact in latest}:
        label, key = _target(name, relations)
        _unwind(
            store,
            f"MATCH (p:Person {{id: row.person}})-[e:{name}]->(t:{label} {{{key}: row.target}}) "
            "SET e.sources = row.sources",
            [
                {"person": fact[0], "target": fact[2], "sources": list(sources)}
                for fact, sources in latest.items()
                if fact[1] == name
            ],
        )
    items = [item for plan in plans for item in plan.items]
    _unwind(
        store,
        "MATCH (c:Person {id: row.customer}) "
        f"CREATE (r:Review {{{', '.join(f'{f}: row.{f}' for f in ITEM_FIELDS)}}})-[:ABOUT]->(c)",
        [item_row(item) for item in items],
    )
    last = {plan.message: plan for plan in plans if not plan.again}
    _unwind(
        store,
        "MATCH (c:Person {id: row.customer}) CREATE (m:Message {id: row.id, message: row.message, "
        "date: row.date, digest: row.digest, log: row.log})-[:FROM_CUSTOMER]->(c)",
        [{**_message_row(plan), "customer": plan.customer} for plan in last.values()],
    )
    for plan in plans:
        if plan.again:
            _message(store, plan)


def item_row(item: ReviewItem) -> dict[str, Any]:
    """An item as parameters. An empty list has no type for the engines: it becomes one with an empty text."""
    row = {name: getattr(item, name) for name in ITEM_FIELDS}
    return {**row, "candidates": list(item.candidates) or [""], "customer": item.customer}


def write_item(store: Store, item: ReviewItem) -> None:
    """Puts an item into the tray, once."""
    values = ", ".join(f"r.{name} = ${name}" for name in ITEM_FIELDS if name != "id")
    store.write(
        f"MERGE (r:Review {{id: $id}}) ON CREATE SET {values}",
        {k: v for k, v in item_row(item).items() if k != "customer"},
    )
    store.write(
        "MATCH (r:Review {id: $id}), (c:Person {id: $customer}) MERGE (r)-[:ABOUT]->(c)",
        {"id": item.id, "customer": item.customer},
    )


def _confirmed(plans: Sequence[Plan], fact: tuple[str, str, str], source: Any) -> list[Any]:
    """All sources of an edge that this batch makes: the first one, or those that a later message added."""
    latest = [plan.confirmed[fact] for plan in plans if fact in plan.confirmed]
    return list(latest[-1]) if latest else [source]


def _target(relation: str, relations: Mapping[str, Relation]) -> tuple[str, str]:
    return ("Person", "id") if relation == TIE else (relations[relation].label, "name")


def _message_row(plan: Plan) -> dict[str, Any]:
    return {
        "id": plan.message,
        "message": plan.message_id,
        "date": plan.date,
        "digest": plan.digest,
        "log": [line.text for line in plan.lines] or [""],
    }


def _message(store: Store, plan: Plan) -> None:
    row = _message_row(plan)
    store.write(
        "MERGE (m:Message {id: $id}) ON CREATE SET m.message = $message, m.date = $date, m.digest = $digest, "
        "m.log = $log ON MATCH SET m.digest = $digest, m.log = $log",
        row,
    )
    store.write(
        "MATCH (m:Message {id: $id}), (c:Person {id: $customer}) MERGE (m)-[:FROM_CUSTOMER]->(c)",
        {"id": plan.message, "customer": plan.customer},
    )


def _unwind(store: Store, query: str, rows: Sequence[dict[str, Any]]) -> None:
    if rows:
        store.write(f"UNWIND $rows AS row {query}", {"rows": list(rows)})
