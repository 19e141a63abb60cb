"""What the chat agent may ask the memory: three fixed questions about one household, and nothing else.

`tools_for` seals the customer's key inside: no argument can name another one. All three only read, every
answer says to check the label, and none calls a product safe: 'no known conflict' is what the memory can say.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from course_lib.crumb.allergens import load_allergens
from course_lib.crumb.errors import UnknownCustomerError
from course_lib.crumb.products import THRESHOLD, Catalogue
from course_lib.crumb.resolution import resolve_product
from course_lib.crumb.store import Store
from course_lib.crumb.words import tidy
from course_lib.crumb.writer import catalogue

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaFunctionTool

LABEL = "Please check the label as well: recipes change, and this memory holds only what we were told."
"""What every answer ends with."""
CONFLICT = "conflict"
NO_KNOWN_CONFLICT = "no known conflict"
NOT_IN_CATALOGUE = "not in the catalogue"
NOT_SURE_WHICH = "not sure which product"
CONTENTS_UNKNOWN = "contents not recorded"
UNREVIEWED = "unreviewed allergy held"
KNOWN = "known"
NONE_KNOWN = "no known allergy"
MOST_ALTERNATIVES = 10

HOUSEHOLD = """
    MATCH (c:Person {id: $customer})<-[:FAMILY_OF*0..1]-(p:Person)-[e:ALLERGIC_TO]->(a:Allergen)
    WHERE e.ended IS NULL
    RETURN p.id, p.name, a.name ORDER BY p.id, a.name
"""
"""The household's allergies: a walk from the customer's key, as fast with 200,000 customers as with 200."""

IN_DOUBT = """
    MATCH (c:Person {id: $customer})<-[:ABOUT]-(r:Review)
    WHERE r.status = 'open' AND (r.kind = 'unread' OR (r.relation = 'ALLERGIC_TO' AND r.kind <> 'retraction'))
    RETURN r.subject, r.object, r.target, r.candidates ORDER BY r.date, r.id
"""
"""What the tray holds for this household that may be an allergy."""


@dataclass(frozen=True)
class Allergy:
    """An allergy of somebody in the household."""

    person: str
    name: str
    allergen: str


@dataclass(frozen=True)
class Doubt:
    """An allergy that the tray holds: nobody has decided yet what it means."""

    subject: str
    said: str
    may_mean: tuple[str, ...]
    """The allergens that it may be; empty when nobody knows."""


@dataclass(frozen=True)
class HouseholdAllergies:
    """What is known of a household, and what is in doubt."""

    known: tuple[Allergy, ...]
    in_doubt: tuple[Doubt, ...] = ()
    advice: str = LABEL

    @property
    def status(self) -> str:
        """`unreviewed allergy held` when the tray holds something, else `known` or `no known allergy`."""
        return UNREVIEWED if self.in_doubt else KNOWN if self.known else NONE_KNOWN


@dataclass(frozen=True)
class Conflict:
    """Somebody in the household, an allergen of theirs, and how sure it is that the product holds it."""

    name: str
    allergen: str
    certainty: str
    person: str = ""


@dataclass(frozen=True)
class ProductCheck:
    """What the memory says about one product for one household."""

    status: str
    """One of the module's constants."""
    product: str | None = None
    conflicts: tuple[Conflict, ...] = ()
    candidates: tuple[str, ...] = ()
    """For `not sure which product`: what it may be."""
    in_doubt: tuple[Doubt, ...] = ()
    advice: str = LABEL


@dataclass(frozen=True)
class Alternatives:
    """Products without a known conflict for the whole household."""

    status: str
    products: tuple[str, ...] = ()
    in_doubt: tuple[Doubt, ...] = ()
    more: int = 0
    """How many further ones there are."""
    advice: str = LABEL


def household_allergies(customer_id: str, store: Store) -> HouseholdAllergies:
    """What is known of the household's allergies, and what the tray holds.

    Raises:
        UnknownCustomerError: the session's customer is not in the store. That is no clean bill of health.
    """
    if ":" in customer_id or not store.read("MATCH (c:Person {id: $id}) RETURN c.id", {"id": customer_id}):
        raise UnknownCustomerError(customer_id)
    known = tuple(Allergy(*row) for row in store.read(HOUSEHOLD, {"customer": customer_id}))
    doubts = tuple(
        Doubt(subject or "", said or "", tuple(x for x in (target, *(may or ())) if x and x != customer_id))
        for subject, said, target, may in store.read(IN_DOUBT, {"customer": customer_id})
    )
    return HouseholdAllergies(known, tuple(_only_allergens(store, doubt) for doubt in doubts))


def check_product(
    customer_id: str, store: Store, product: str, names: Sequence[str] | None = None
) -> ProductCheck:
    """Whether a product is known to conflict with an allergy of anybody in the household.

    Args:
        customer_id: the session's customer.
        store: where the memory lies.
        product: the product, as the customer calls it.
        names: the catalogue; read from the store when None.
    """
    household = household_allergies(customer_id, store)
    found = resolve_product(product, catalogue(store) if names is None else names)
    if found.value is None or (found.score or 0.0) < THRESHOLD:
        # 'cake' is a word of one product today. For a liking that is enough, for somebody's safety it is not.
        may = found.candidates or ((found.value,) if found.value else ())
        status = NOT_SURE_WHICH if may else NOT_IN_CATALOGUE
        return ProductCheck(status, None, (), tuple(may[:MOST_ALTERNATIVES]), household.in_doubt)
    rows = store.read(
        "MATCH (x:Product {name: $name}) OPTIONAL MATCH (x)-[k:CONTAINS]->(a:Allergen) "
        "RETURN x.contents_known, a.name, k.certainty",
        {"name": found.value},
    )
    holds = {allergen: certainty for _, allergen, certainty in rows if allergen is not None}
    conflicts = tuple(
        Conflict(allergy.name, allergy.allergen, holds[allergy.allergen], allergy.person)
        for allergy in household.known
        if allergy.allergen in holds
    )
    if conflicts:
        status = CONFLICT
    elif not all(known for known, _, _ in rows):
        status = CONTENTS_UNKNOWN
    elif household.in_doubt:
        status = UNREVIEWED
    else:
        status = NO_KNOWN_CONFLICT
    return ProductCheck(status, found.value, conflicts, (), household.in_doubt)


def safe_alternatives(customer_id: str, store: Store) -> Alternatives:
    """Products without a known conflict for the whole household: read from the memory, never a phrase.

    What the tray holds counts as if it were true. Where nobody knows what it means, nothing is offered.
    """
    household = household_allergies(customer_id, store)
    if any(not doubt.may_mean for doubt in household.in_doubt):
        return Alternatives(UNREVIEWED, (), household.in_doubt)
    avoid = {allergy.allergen for allergy in household.known}
    avoid |= {allergen for doubt in household.in_doubt for allergen in doubt.may_mean}
    conflicting = set()
    for allergen in sorted(avoid):
        rows = store.read(
            "MATCH (:Allergen {name: $name})<-[:CONTAINS]-(x:Product) RETURN x.name", {"name": allergen}
        )
        conflicting |= {name for (name,) in rows}
    names = store.read("MATCH (x:Product) WHERE x.contents_known RETURN x.name ORDER BY x.name")
    free = [name for (name,) in names if name not in conflicting]
    status = UNREVIEWED if household.in_doubt else NO_KNOWN_CONFLICT
    shown = tuple(free[:MOST_ALTERNATIVES])
    return Alternatives(status, shown, household.in_doubt, len(free) - len(shown))


def tools_for(customer_id: str, store: Store) -> list[BetaFunctionTool[Any]]:
    """The three questions as tools of the Anthropic SDK, for `client.beta.messages.tool_runner`.

    The customer's key is in here, where no argument and no message can reach it.

    Raises:
        UnknownCustomerError: no customer has this key.
    """
    from anthropic import beta_tool

    household_allergies(customer_id, store)
    names: Catalogue = catalogue(store)

    @beta_tool(name="household_allergies")
    def ask_household() -> str:
        """The known allergies of the customer's household, and those that staff have not reviewed yet."""
        found = household_allergies(customer_id, store)
        return _said(
            status=found.status,
            known=[{"person": tidy(a.name)[:60], "allergen": a.allergen} for a in found.known],
            in_doubt=found.in_doubt,
        )

    @beta_tool(name="check_product")
    def ask_product(product: str) -> str:
        """Whether a product is known to conflict with an allergy of anybody in the customer's household.

        Args:
            product: the product's name, as the customer wrote it.
        """
        found = check_product(customer_id, store, str(product), names)
        return _said(
            status=found.status,
            product=found.product,
            conflicts=[
                {"person": tidy(c.name)[:60], "allergen": c.allergen, "certainty": c.certainty}
                for c in found.conflicts
            ],
            candidates=list(found.candidates),
            in_doubt=found.in_doubt,
        )

    @beta_tool(name="safe_alternatives")
    def ask_alternatives() -> str:
        """Products without a known conflict for anybody in the customer's household."""
        found = safe_alternatives(customer_id, store)
        return _said(
            status=found.status, products=list(found.products), more=found.more, in_doubt=found.in_doubt
        )

    return [ask_household, ask_product, ask_alternatives]


_MEANINGS = {
    CONFLICT: "Somebody in the household is allergic to something that is, or may be, in this product.",
    NO_KNOWN_CONFLICT: "Nothing that we know of speaks against it. That is not the same as safe.",
    NOT_IN_CATALOGUE: "We have no product of this name, so nothing is known about it.",
    NOT_SURE_WHICH: "Ask the customer which product they mean. Do not guess.",
    CONTENTS_UNKNOWN: "Nobody has recorded what is in this product. Offer it to nobody with an allergy.",
    UNREVIEWED: "We hold an allergy for this household that staff have not reviewed yet. Say so, and ask.",
    KNOWN: "These are the allergies that we were told of.",
    NONE_KNOWN: "We were told of no allergy. That is not the same as none: ask.",
}


def _said(*, status: str, in_doubt: tuple[Doubt, ...], **facts: Any) -> str:
    """An answer as JSON: names and words are values in it, never sentences of ours."""
    doubts = [
        {"person": tidy(d.subject)[:60], "said": tidy(d.said)[:60], "may_mean": list(d.may_mean)}
        for d in in_doubt
    ]
    answer = {"status": status, "meaning": _MEANINGS[status], **facts, "unreviewed": doubts, "advice": LABEL}
    return json.dumps(answer, ensure_ascii=False)


def _only_allergens(store: Store, doubt: Doubt) -> Doubt:
    """The doubt with allergens alone: an item's candidates may also be people."""
    if not doubt.may_mean:
        return doubt
    known = {name for (name,) in store.read("MATCH (a:Allergen) RETURN a.name")} | set(load_allergens().names)
    return Doubt(doubt.subject, doubt.said, tuple(name for name in doubt.may_mean if name in known))
