"""What the memory holds of a household: read before anything is decided, in one walk from the customer's key.

The walk starts at the key and follows edges, so it takes as long with 200,000 customers as with 200. A query
that looks at every person and asks whether they belong to the customer grows with the shop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from course_lib.crumb.errors import UnknownCustomerError
from course_lib.crumb.records import Customer, HouseholdMember

if TYPE_CHECKING:
    from course_lib.crumb.store import Store

Source = Mapping[str, str]
"""Where an edge comes from: `message`, `date`, `evidence`."""


@dataclass
class Edge:
    """An edge as the memory has it."""

    sources: list[Source]
    ended: str | None = None
    """The date on which staff ended it; None while it holds."""

    def knows(self, message: str) -> bool:
        """Whether this message is among its sources."""
        return any(source["message"] == message for source in self.sources)


@dataclass
class Household:
    """A customer with those around them, and what is known of each. Planning a message adds to it."""

    customer: Customer
    members: list[HouseholdMember] = field(default_factory=list)
    ties: dict[str, Edge] = field(default_factory=dict)
    """A relative's key -> their FAMILY_OF."""
    facts: dict[tuple[str, str, str], Edge] = field(default_factory=dict)
    """(person, relation, target) -> the edge."""
    doubtful_names: set[str] = field(default_factory=set)
    """Names that an open item of the tray gives to more than one person."""
    items: set[str] = field(default_factory=set)
    """The keys of this customer's items in the tray, decided ones among them."""

    def has(self, person: str) -> bool:
        """Whether the customer's household read reaches this person."""
        return person == self.customer.id or any(member.id == person for member in self.members)


def read_households(
    store: Store, customer_ids: Sequence[str], relations: Mapping[str, str]
) -> dict[str, Household]:
    """Reads households before a decision: one by a walk from its key, many in one pass.

    Args:
        store: the store.
        customer_ids: the customers' keys.
        relations: relation -> the label of what it points to.

    Raises:
        UnknownCustomerError: a key is no customer's.
    """
    ids = list(dict.fromkeys(customer_ids))
    if len(ids) == 1:
        start, key = "MATCH (c:Person {id: $key})", {"key": ids[0]}
        rows = store.read(f"{start} RETURN c.id, c.name", key)
    else:
        start, many = "MATCH (c:Person)", {"keys": ids}
        rows = store.read(f"{start} WHERE c.id IN $keys RETURN c.id, c.name", many)
    found = {key: Household(Customer(key, name)) for key, name in rows if ":" not in key}
    for customer_id in ids:
        if customer_id not in found:
            raise UnknownCustomerError(customer_id)

    def walk(path: str, columns: str) -> Iterable[tuple[object, ...]]:
        if len(ids) == 1:
            return store.read(f"MATCH (c:Person {{id: $key}}){path} RETURN c.id, {columns}", {"key": ids[0]})
        return store.read(f"MATCH (c:Person){path} WHERE c.id IN $keys RETURN c.id, {columns}", {"keys": ids})

    for owner, person, name, role, sources in walk(
        "<-[f:FAMILY_OF]-(p:Person)", "p.id, p.name, f.role, f.sources"
    ):
        # A relative who became a customer has a key of their own: what this customer says is not for it.
        if str(person).startswith(f"{owner}:"):
            household = found[str(owner)]
            household.members.append(HouseholdMember(str(person), str(name), str(role or "")))
            household.ties[str(person)] = Edge(_sources(sources))
    for relation, label in relations.items():
        for owner, person, target, sources, ended in walk(
            f"<-[:FAMILY_OF*0..1]-(p:Person)-[e:{relation}]->(t:{label})", "p.id, t.name, e.sources, e.ended"
        ):
            household = found[str(owner)]
            if str(person) == owner or str(person).startswith(f"{owner}:"):
                household.facts[(str(person), relation, str(target))] = Edge(
                    _sources(sources), None if ended is None else str(ended)
                )
    for owner, item, code, status, name in walk("<-[:ABOUT]-(r:Review)", "r.id, r.code, r.status, r.name"):
        household = found[str(owner)]
        household.items.add(str(item))
        if code == "namesake" and status == "open" and name:
            household.doubtful_names.add(str(name).split()[0])
    for household in found.values():
        household.members.sort(key=lambda member: member.id)
    return found


def _sources(cell: object) -> list[Source]:
    return list(cell) if isinstance(cell, list) else []
