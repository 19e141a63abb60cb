"""What the shop's own systems know: customers and products. Neither ever comes from a chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class HouseholdMember:
    """A person of a customer's household: the customer, or a relative."""

    id: str
    name: str
    role: str = ""
    """What they are to the customer (son, sister); empty for the customer."""
    allergies: tuple[str, ...] = ()
    """Allergens (canonical names) that the records already hold for this relative."""


@dataclass(frozen=True)
class Customer:
    """A customer, as the shop's records have them."""

    id: str
    name: str
    allergies: tuple[str, ...] = ()
    """Allergens (canonical names) that the records already hold for this customer."""
    household: tuple[HouseholdMember, ...] = ()
    """Relatives whom the records already know."""


@dataclass(frozen=True)
class Product:
    """A product, and what the shop says is in it."""

    name: str
    contains: Mapping[str, str] = field(default_factory=dict)
    """Allergen -> certainty, `contains` or `may`."""
    contents_known: bool = True
    """Whether somebody has written down what is in it. Without that, nothing may call it safe."""
