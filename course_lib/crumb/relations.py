"""The relations that the writer knows, as data: what each one points to, and who says what a word stands for.

A new relation is one more entry here, a table, a rule in the prompt, and its tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from course_lib.crumb.allergens import AllergenList
from course_lib.crumb.outcome import Resolution
from course_lib.crumb.products import Catalogue, match_products, plain_mention
from course_lib.crumb.resolution import resolve_allergen

TIE = "FAMILY_OF"
"""The relation that ties a relative to the customer. All others say something about one of them."""


@dataclass(frozen=True)
class Known:
    """What resolvers look words up in."""

    allergens: AllergenList
    catalogue: Catalogue


@dataclass(frozen=True)
class Relation:
    """One relation between a person and something."""

    name: str
    label: str
    """The label of what it points to; its nodes have a `name`."""
    resolve: Callable[[str, Known], Resolution]
    critical: bool = False
    """Whether losing one can hurt somebody: what is in doubt goes to the tray, never nowhere."""
    closed: bool = False
    """Whether its targets come from the shop's records alone, so that the writer makes none."""
    shown: Callable[[str], str] = str.strip
    """How the mention is put into the log."""


ALLERGIC_TO = Relation(
    "ALLERGIC_TO", "Allergen", lambda m, known: resolve_allergen(m, known.allergens), critical=True
)
LIKES = Relation(
    "LIKES",
    "Product",
    lambda m, known: match_products([m], known.catalogue, allergens=known.allergens)[0],
    closed=True,
    shown=plain_mention,
)

RELATIONS: Mapping[str, Relation] = MappingProxyType({"ALLERGIC_TO": ALLERGIC_TO, "LIKES": LIKES})
"""The bakery's relations, beside the tie."""
