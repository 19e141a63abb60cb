"""Orders of rank: what sorts as text and means better or worse."""

from __future__ import annotations

from course_lib.models.practice.mind.lexicon import lexicon
from course_lib.models.practice.mind.reading_rules import RuleBook
from course_lib.models.practice.mind.text import name_words
from course_lib.models.practice.mind.world import World


def order_of(world: World, owner: str, prop: str, rules: RuleBook) -> tuple[str, ...] | None:
    """The order of a property's values, best first; None when neither the prompt nor common knowledge has
    one.

    An order that the prompt states wins. Common scales (A+ to F, Beginner to Expert) come next.
    """
    listed = world.values_of(owner, prop)
    for order in rules.ranks:
        if listed and all(value in order for value in listed):
            return tuple(value for value in order if value in listed)
    for scale in lexicon().scales:
        if listed and all(value in scale for value in listed):
            return tuple(value for value in scale if value in listed)
    for order in rules.ranks:
        if listed and sum(value in order for value in listed) * 2 > len(listed):
            return tuple([v for v in order if v in listed] + [v for v in listed if v not in order])
    if not listed:
        words = set(name_words(prop))
        for order in rules.ranks:
            # With no values listed, a stated order can only be told by what it looks like.
            if words & {"grade", "marks", "score"} and any(
                v.upper().startswith("A") and len(v) <= 2 for v in order
            ):
                return order
            if words & {"level", "proficiency"} and any(len(v) > 3 for v in order):
                return order
        if words & {"grade"}:
            return ("A+", "A", "B+", "B")
        if words & {"level", "proficiency"}:
            return ("Advanced", "Intermediate", "Beginner")
    return None


def is_ranked(world: World, owner: str, prop: str, rules: RuleBook) -> bool:
    """Whether a property means a rank."""
    if order_of(world, owner, prop, rules) is not None:
        return True
    return bool(set(name_words(prop)) & lexicon().ranked_properties)
