"""A question about a graph becomes a reply with a query, as good as the prompt makes it."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from course_lib.models.practice.mind.misses import miss_reply
from course_lib.models.practice.mind.plan import Change, Miss, Named, Outside, Plan, Select
from course_lib.models.practice.mind.prompt_form import PromptParts
from course_lib.models.practice.mind.reading_hints import Hint, read_hint
from course_lib.models.practice.mind.reading_memory import read_memory
from course_lib.models.practice.mind.reading_rules import Rule, RuleBook, read_rules
from course_lib.models.practice.mind.understanding import understand
from course_lib.models.practice.mind.world import World, world_of
from course_lib.models.practice.mind.writing import Style, write


@lru_cache(maxsize=1024)
def answer_with_query(parts: PromptParts) -> str:
    """The reply to a question under a prompt that asks for Cypher: a query, with prose around it or without.

    Args:
        parts: the prompt, cut into its parts.
    """
    return _reply(parts, bare=False)


def bare_query(parts: PromptParts) -> str:
    """The query alone, for a reply whose form leaves no room for prose."""
    return _reply(parts, bare=True)


def _reply(parts: PromptParts, bare: bool) -> str:
    world = world_of(parts.schema, parts.values)
    rules = read_rules(parts.instructions)
    hint = heard(parts.attempt, world)
    if hint is not None and hint.vague and hint.query:
        return hint.query if bare else framed(hint.query, rules, None)
    plan = plan_for(parts, world, rules)
    if isinstance(plan, Miss):
        return miss_reply(parts.question, world)
    query = write(plan, world, style_for(plan, rules, hint))
    return query if bare else framed(query, with_hint(rules, hint), plan)


def plan_for(parts: PromptParts, world: World, rules: RuleBook) -> Plan:
    """What the question means under this prompt."""
    memory = read_memory(parts.memory, world)
    hint = read_hint(parts.attempt)
    abbreviations = Rule.ABBREVIATIONS in with_hint(rules, hint)
    return understand(parts.question, world, memory, rules, abbreviations)


def heard(attempt: str, world: World) -> Hint | None:
    """What a complaint says to a model that knows the names: one that it spells out is an offer."""
    hint = read_hint(attempt)
    if hint is None or not hint.advice:
        return hint
    said = hint.advice.lower()
    names = [value.text for value in world.values if world.is_name(value) and len(value.text) > 2]
    spelled = [name for name in names if re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", said)]
    offers = (*hint.offers, *(("", name) for name in spelled))
    return replace(hint, offers=tuple(dict.fromkeys(offers)), vague=hint.vague and not spelled)


def with_hint(rules: RuleBook, hint: Hint | None) -> RuleBook:
    """The rules, with what a hint has added to them."""
    return rules if hint is None else rules.adding(*hint.rules)


def style_for(plan: Plan, rules: RuleBook, hint: Hint | None) -> Style:
    """How to write a plan, given the rules and what went wrong before."""
    if hint is None:
        return Style(rules)
    aliases = _aliases(plan, hint)
    return Style(
        with_hint(rules, hint),
        aliases=aliases,
        respell=hint.respell or bool(hint.offers),
        path_in_with=hint.path_in_with,
        give_up=hint.unsafe and isinstance(plan, Change),
        limit=hint.limit,
    )


def _aliases(plan: Plan, hint: Hint) -> dict[str, str]:
    """Which name in the question takes which of the offered spellings."""
    from rapidfuzz import fuzz

    found = {typed.lower(): spelled for typed, spelled in hint.offers if typed}
    loose = [spelled for typed, spelled in hint.offers if not typed]
    for named in _names(plan):
        for mention in named.mentions:
            typed = mention.typed.lower()
            if typed in found or mention.value is not None or not loose:
                continue
            best = max(loose, key=lambda offer: fuzz.partial_ratio(typed, offer.lower()))
            if fuzz.partial_ratio(typed, best.lower()) >= 60:
                found[typed] = best
    return found


def _names(plan: Plan) -> list[Named]:
    if isinstance(plan, Select):
        tests = [*plan.tests, *(test for branch in plan.without for test in branch.tests)]
        return [test for test in tests if isinstance(test, Named)]
    return [value for value in vars(plan).values() if isinstance(value, Named)]


def framed(query: str, rules: RuleBook, plan: Plan | None) -> str:
    """The query alone if the prompt asks for that; else with the prose and the fence that models love."""
    if Rule.CYPHER_ONLY in rules:
        return query
    about = "changes the graph as asked" if isinstance(plan, Change) else "finds what you asked for"
    if isinstance(plan, Outside):
        about = "looks it up"
    return (
        f"Here is a Cypher query that {about}:\n\n```cypher\n{query}\n```\n\n"
        "Let me know if you would like it another way."
    )
