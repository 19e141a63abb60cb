"""From the words of a message to what they stand for: people, allergens, products. Or to a reader's decision.

Nothing here writes, asks a model, or guesses. What the code may not decide comes back with `review` set.
"""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.crumb.allergens import AllergenList, Approval, is_compound, key, load_allergens
from course_lib.crumb.outcome import Resolution
from course_lib.crumb.people import resolve_person
from course_lib.crumb.products import (
    GREY_UNTIL,
    THRESHOLD,
    Catalogue,
    closeness,
    match_product,
    match_products,
)
from course_lib.crumb.records import Customer, HouseholdMember

__all__ = [
    "GREY_UNTIL",
    "THRESHOLD",
    "AllergenList",
    "Approval",
    "Catalogue",
    "Customer",
    "HouseholdMember",
    "Resolution",
    "closeness",
    "load_allergens",
    "match_product",
    "match_products",
    "resolve_allergen",
    "resolve_person",
    "resolve_product",
]


def resolve_allergen(mention: str, allergens: AllergenList | None = None) -> Resolution:
    """Looks a word up in the closed list of allergens. Never by likeness.

    Args:
        mention: the word of the message.
        allergens: the list; the course's own when None.

    Returns:
        The allergen when an approved word says so, else why a person has to decide.
    """
    listed = allergens or load_allergens()
    word, shown = key(mention), mention.strip()[:60]
    if approval := listed.approved.get(word):
        return Resolution(approval.allergen, "approved word")
    among = listed.among(mention)
    if word in listed.proposed:
        return Resolution(
            None, "not approved", f"'{shown}' is not on the approved list yet", candidates=among
        )
    if word in listed.ambiguous:
        return Resolution(None, "ambiguous", f"'{shown}' can mean {_either(among)}", candidates=among)
    if is_compound(mention):
        return Resolution(None, "compound", f"'{shown}' names more than one thing", candidates=among)
    return Resolution(None, "unknown word", f"'{shown}' is not on the list of allergens", candidates=among)


def resolve_product(mention: str, catalogue: Sequence[str]) -> Resolution:
    """Decides which product a mention means. See `products` for the rules.

    A `Catalogue` makes this fast for many products; any sequence of names gives the same decision.
    """
    if isinstance(catalogue, Catalogue):
        return match_products([mention], catalogue)[0]
    return match_product(mention, catalogue)


def _either(names: Sequence[str]) -> str:
    if len(names) < 2:
        return " or ".join([*names, "something else"])
    return f"{', '.join(names[:-1])} or {names[-1]}"
