"""Takes customers and products in by the thousand: checked first, then one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from course_lib.crumb.errors import RecordError
from course_lib.crumb.records import Customer, Product
from course_lib.crumb.tables import CERTAINTIES

if TYPE_CHECKING:
    from course_lib.crumb.store import Store

BATCH_ROWS = 5_000
"""Rows a query. The engines take a list of maps as one parameter; bigger ones gain nothing."""
RECORDS = "records"
"""The source of what the shop knew before any chat."""

_KEY = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NAME_LENGTH = 200


def add_customers(store: Store, customers: Iterable[Customer]) -> int:
    """See `Store.add_customers`."""
    given = list(customers)
    seen: set[str] = set()
    for customer in given:
        # A colon parts a customer's key from a relative's name, so no key may have one.
        if not _KEY.fullmatch(customer.id):
            raise RecordError(
                f"{customer.id!r} cannot be a customer's key.",
                "A key has letters, digits, - and _, at most 40 of them.",
            )
        if customer.id in seen:
            raise RecordError(
                f"The key {customer.id} is there twice.", "Give each customer a key of their own."
            )
        seen.add(customer.id)
        _check_name(customer.name, f"customer {customer.id}")
    people = [{"id": customer.id, "name": customer.name} for customer in given]
    allergies = [
        {
            "id": customer.id,
            "allergen": allergen,
            "sources": [{"message": RECORDS, "date": "", "evidence": ""}],
        }
        for customer in given
        for allergen in dict.fromkeys(customer.allergies)
    ]
    with store.transaction():
        _each(
            store,
            "MERGE (p:Person {id: row.id}) ON CREATE SET p.name = row.name ON MATCH SET p.name = row.name",
            people,
        )
        _each(store, "MERGE (:Allergen {name: row.name})", _names(row["allergen"] for row in allergies))
        _each(
            store,
            "MATCH (p:Person {id: row.id}), (a:Allergen {name: row.allergen}) "
            "MERGE (p)-[e:ALLERGIC_TO]->(a) ON CREATE SET e.sources = row.sources",
            allergies,
        )
    return len(given)


def add_products(store: Store, products: Iterable[Product]) -> int:
    """See `Store.add_products`."""
    given = list(products)
    seen: set[str] = set()
    for product in given:
        _check_name(product.name, "a product")
        if product.name.lower() in seen:
            raise RecordError(f"The product {product.name!r} is there twice.", "Give each product once.")
        seen.add(product.name.lower())
        for allergen, certainty in product.contains.items():
            if certainty not in CERTAINTIES:
                raise RecordError(
                    f"{product.name}: {allergen} has the certainty {certainty!r}.",
                    f"It is one of: {', '.join(CERTAINTIES)}.",
                )
    rows = [{"name": p.name, "known": p.contents_known} for p in given]
    contains = [
        {"name": p.name, "allergen": allergen, "certainty": certainty}
        for p in given
        for allergen, certainty in p.contains.items()
    ]
    with store.transaction():
        _each(
            store,
            "MERGE (p:Product {name: row.name}) ON CREATE SET p.contents_known = row.known "
            "ON MATCH SET p.contents_known = row.known",
            rows,
        )
        _each(store, "MATCH (p:Product {name: row.name})-[k:CONTAINS]->(:Allergen) DELETE k", rows)
        _each(store, "MERGE (:Allergen {name: row.name})", _names(row["allergen"] for row in contains))
        _each(
            store,
            "MATCH (p:Product {name: row.name}), (a:Allergen {name: row.allergen}) "
            "CREATE (p)-[:CONTAINS {certainty: row.certainty}]->(a)",
            contains,
        )
    return len(given)


def _check_name(name: str, whose: str) -> None:
    if not name.strip() or len(name) > _NAME_LENGTH or not name.isprintable():
        raise RecordError(
            f"The name of {whose} is {name[:40]!r}.",
            f"A name has 1 to {_NAME_LENGTH} printable characters.",
        )


def _names(names: Iterable[str]) -> list[dict[str, Any]]:
    return [{"name": name} for name in dict.fromkeys(names)]


def _each(store: Store, query: str, rows: Sequence[dict[str, Any]]) -> None:
    for batch in _batches(rows):
        store.write(f"UNWIND $rows AS row {query}", {"rows": batch})


def _batches(rows: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    rest = iter(rows)
    while batch := list(islice(rest, BATCH_ROWS)):
        yield batch
