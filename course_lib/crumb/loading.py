"""The bakery's records into a store: customers with those around them, products with what is in them."""

from __future__ import annotations

from collections import defaultdict

from course_lib.crumb.dataset import Bakery, read_bakery
from course_lib.crumb.records import Customer, HouseholdMember, Product
from course_lib.crumb.store import Store
from course_lib.rows import Counts


def load_bakery(store: Store, bakery: Bakery | None = None) -> Counts:
    """Loads the records, and gives what the store then holds. Loading them again changes nothing.

    Args:
        store: where to.
        bakery: the records; those of `data/crumb/` when None.
    """
    records = bakery or read_bakery()
    known: defaultdict[str, list[str]] = defaultdict(list)
    for row in records.known:
        known[row.person].append(row.allergen)
    around: defaultdict[str, list[HouseholdMember]] = defaultdict(list)
    for member in records.households:
        around[member.customer].append(
            HouseholdMember(member.id, member.name, member.role, tuple(known[member.id]))
        )
    contents: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for holds in records.contains:
        contents[holds.product][holds.allergen] = holds.certainty
    store.add_customers(
        Customer(row.id, row.name, tuple(known[row.id]), tuple(around[row.id])) for row in records.customers
    )
    store.add_products(Product(name, contents[name]) for name in records.products)
    return store.size()
