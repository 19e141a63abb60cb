"""A small bakery for the tests of the memory: two customers, six products, and short ways to say things."""

from __future__ import annotations

from course_lib.crumb.records import Customer, HouseholdMember, Product
from course_lib.crumb.store import MEMORY, Store, open_store
from course_lib.crumb.triples import Extraction, Stance, Triple

SUNITA, ROHAN = Customer("C001", "Sunita Kulkarni", ("peanuts",)), Customer("C002", "Rohan Mehta")
PRODUCTS = (
    Product("Classic Diwali Hamper", {"peanuts": "contains", "tree nuts": "contains", "gluten": "may"}),
    Product("Peanut Chikki", {"peanuts": "contains"}),
    Product("Walnut Brownie", {"tree nuts": "contains", "gluten": "contains", "egg": "contains"}),
    Product("Millet Ladoo Box", {"milk": "contains"}),
    Product("Kaju Katli", {"tree nuts": "contains", "milk": "contains", "peanuts": "may"}),
    Product("Eggless Chocolate Cake", {"gluten": "contains", "milk": "contains"}),
)
DAY = "2026-10-26"


def bakery(*more: Customer) -> Store:
    """A store in memory with the two customers of the story, the products, and further customers."""
    store = open_store(MEMORY)
    store.add_customers([SUNITA, ROHAN, *more])
    store.add_products(PRODUCTS)
    return store


def family(name: str, role: str | None, speaker: str = "me") -> Triple:
    """(me, FAMILY_OF, name)."""
    return Triple(speaker, "FAMILY_OF", name, role)


def allergic(who: str, what: str, stance: Stance = "stated") -> Triple:
    """(who, ALLERGIC_TO, what)."""
    return Triple(who, "ALLERGIC_TO", what, stance=stance)


def likes(who: str, what: str, stance: Stance = "stated") -> Triple:
    """(who, LIKES, what)."""
    return Triple(who, "LIKES", what, stance=stance)


def said(*triples: Triple, message: str = "") -> Extraction:
    """An extraction of these triples."""
    return Extraction(triples, message=message)


def member(key: str, name: str, role: str) -> HouseholdMember:
    """A relative whom the records know."""
    return HouseholdMember(key, name, role)


FIRST = said(
    family("Aarav", "son", "my son Aarav"),
    family("Aarav", "son"),
    allergic("Aarav", "groundnuts"),
    family("Kavita", "sister"),
    likes("Kavita", "walnut brownies"),
    allergic("Sunita", "peanut"),
    message="Hi, it's Sunita. My son Aarav reacts to groundnuts. My sister Kavita loves the walnut brownies!",
)
"""The story's first worked example, as the model's reply gives it."""
SECOND = said(
    family("Meher", "daughter"),
    allergic("Meher", "badam"),
    allergic("Meher", "wheat"),
    likes("Meher", "choco brownie"),
    message="Rohan here! Meher is allergic to badam and wheat. Meher loves your choco brownie.",
)
"""The second one."""
