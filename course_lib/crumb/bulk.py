"""Takes customers and products in by the thousand: checked first, then one transaction."""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.crumb.errors import RecordError
from course_lib.crumb.records import Customer, HouseholdMember, Product
from course_lib.crumb.tables import CERTAINTIES

if TYPE_CHECKING:
    from course_lib.crumb.store import Store

BATCH_ROWS = 5_000
"""Rows a query, where rows that are there already change."""
RECORDS = "records"
"""The source of what the shop knew before any chat."""

_SOURCES = f"[{{message: '{RECORDS}', date: '', evidence: ''}}]"
_FEW = 500
_KEY = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NAME_LENGTH = 200
_RELATIVE_KEY_LENGTH = 160


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
        for member in customer.household:
            # Every key of a relative starts with the customer's, so no relative can be somebody else's.
            head, colon, tail = member.id.partition(":")
            if head != customer.id or not colon or not tail or len(member.id) > _RELATIVE_KEY_LENGTH:
                raise RecordError(
                    f"{member.id!r} cannot be the key of a relative of {customer.id}.",
                    f"It is {customer.id}: and a name, such as {customer.id}:aarav.",
                )
            _check_name(member.name, f"relative {member.id}")
    people: list[dict[str, Any]] = []
    ties: list[dict[str, Any]] = []
    allergies: list[dict[str, Any]] = []
    for customer in given:
        persons: list[Customer | HouseholdMember] = [customer, *customer.household]
        for person in persons:
            people.append({"id": person.id, "name": person.name})
            allergies += [
                {"id": person.id, "allergen": allergen} for allergen in dict.fromkeys(person.allergies)
            ]
        ties += [
            {"id": member.id, "customer": customer.id, "role": member.role} for member in customer.household
        ]
    with store.transaction():
        names = _known(store, "MATCH (p:Person) RETURN p.id, p.name", "p.id", [row["id"] for row in people])
        _append(store, "Person", ("id", "name"), [row for row in people if row["id"] not in names])
        renamed = [row for row in people if row["id"] in names and names[row["id"]] != row["name"]]
        _each(store, "MATCH (p:Person {id: row.id}) SET p.name = row.name", renamed)
        _add_allergens(store, (str(row["allergen"]) for row in allergies))
        tied = _known(
            store,
            "MATCH (p:Person)-[:FAMILY_OF]->(c:Person) RETURN p.id, c.id",
            "p.id",
            [t["id"] for t in ties],
        )
        _append(
            store,
            "FAMILY_OF",
            ("id", "customer", "role"),
            [row for row in ties if row["id"] not in tied],
            "id, customer, coalesce(role, ''), " + _SOURCES,
        )
        held = _pairs(
            store,
            "MATCH (p:Person)-[:ALLERGIC_TO]->(a:Allergen) RETURN p.id, a.name",
            "p.id",
            [row["id"] for row in allergies],
        )
        _append(
            store,
            "ALLERGIC_TO",
            ("id", "allergen"),
            [row for row in allergies if (row["id"], row["allergen"]) not in held],
            f"id, allergen, {_SOURCES}, CAST(NULL AS STRING) AS ended, "
            "CAST(NULL AS STRING) AS ended_by, CAST(NULL AS STRING) AS ended_reason",
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
    contains = [
        {"name": p.name, "allergen": allergen, "certainty": certainty}
        for p in given
        for allergen, certainty in p.contains.items()
    ]
    wanted = {p.name: p.contents_known for p in given}
    with store.transaction():
        known = _known(store, "MATCH (p:Product) RETURN p.name, p.contents_known", "p.name", list(wanted))
        rows = [{"name": name, "known": wanted[name]} for name in wanted if name not in known]
        _append(store, "Product", ("name", "known"), rows, "name, CAST(known AS BOOLEAN)")
        again = [{"name": name, "known": wanted[name]} for name in wanted if name in known]
        _each(store, "MATCH (p:Product {name: row.name}) SET p.contents_known = row.known", again)
        _each(store, "MATCH (p:Product {name: row.name})-[k:CONTAINS]->(:Allergen) DELETE k", again)
        _add_allergens(store, (row["allergen"] for row in contains))
        _append(store, "CONTAINS", ("name", "allergen", "certainty"), contains)
    return len(given)


def _check_name(name: str, whose: str) -> None:
    if not name.strip() or len(name) > _NAME_LENGTH or not name.isprintable():
        raise RecordError(
            f"The name of {whose} is {name[:40]!r}.",
            f"A name has 1 to {_NAME_LENGTH} printable characters.",
        )


def _add_allergens(store: Store, names: Iterable[str]) -> None:
    known = {name for (name,) in store.read("MATCH (a:Allergen) RETURN a.name")}
    _append(
        store, "Allergen", ("name",), [{"name": name} for name in dict.fromkeys(names) if name not in known]
    )


def _known(store: Store, query: str, key: str, keys: list[str]) -> dict[str, Any]:
    """What the store holds of these keys: key -> the second column."""
    return dict(_pairs(store, query, key, keys))


def _pairs(store: Store, query: str, key: str, keys: list[str]) -> set[tuple[str, Any]]:
    if len(keys) > _FEW:  # one pass over the table is cheaper than a long list to compare each row with
        return {(row[0], row[1]) for row in store.read(query)}
    if not keys:
        return set()
    filtered = query.replace(" RETURN ", f" WHERE {key} IN $keys RETURN ")
    return {(row[0], row[1]) for row in store.read(filtered, {"keys": keys})}


def _append(
    store: Store, table: str, columns: tuple[str, ...], rows: Sequence[Mapping[str, Any]], values: str = ""
) -> None:
    """Puts new rows into a table by the engines' own bulk load.

    `UNWIND … MERGE` looks through the whole table for each row: 19 s for 5,000 people among 400,000, where
    COPY takes 1.6 s for all 400,000. So what is there already is found out first.
    """
    if not rows:
        return
    with tempfile.TemporaryDirectory(prefix="course-load-") as folder:
        path = Path(folder) / "rows.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerows([row[column] for column in columns] for row in rows)
        place = path.as_posix().replace("\\", "\\\\").replace("'", "\\'")
        typed = ", ".join(f"{column} STRING" for column in columns)
        store.write(
            f"COPY {table} FROM (LOAD WITH HEADERS ({typed}) FROM '{place}' "
            f"(HEADER=false, DELIM=',', QUOTE='\"', ESCAPE='\"', PARALLEL=false) "
            f"RETURN {values or ', '.join(columns)})"
        )


def _each(store: Store, query: str, rows: Sequence[dict[str, Any]]) -> None:
    rest = iter(rows)
    while batch := list(islice(rest, BATCH_ROWS)):
        store.write(f"UNWIND $rows AS row {query}", {"rows": batch})
