"""The prompt for a model that is to write Cypher, made from a schema, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from course_lib.college.estimate import count_tokens
from course_lib.college.prompt_rules import ALL, chosen
from course_lib.college.quoting import shown_name, shown_value

if TYPE_CHECKING:
    from course_lib.college.schema import Property, Schema, Values
    from course_lib.college.values import Found

PREAMBLE = "You translate questions about a graph into Cypher for FalkorDB."
BUDGET = 2_000
"""Tokens that the prompt takes at most, memory aside."""


def write_prompt(
    schema_read: Schema,
    *,
    schema: bool = True,
    values: bool = True,
    rules: Iterable[str] = ALL,
    memory: str = "",
    found: Sequence[Found] = (),
    budget: int = BUDGET,
) -> str:
    """The system prompt; the question goes into the turn after it.

    Args:
        schema_read: what was read off the graph.
        schema: whether labels and relationships are in it.
        values: whether the values of names are listed. Without the schema there is nothing to list them for.
        rules: names of the rules that are in it; `prompt_rules.ALL` is all of them.
        memory: the body of the part on the conversation so far; left out when empty.
        found: values that were looked up for this question, of properties that are not listed.
        budget: tokens that the prompt may take, memory aside. Where it is too long, the longest lists of
            values go first and are named as searched.

    Raises:
        UnknownRuleError: there is no such rule.
    """
    kept = chosen(rules)
    parts = [PREAMBLE]
    if schema:
        parts.append("# Schema\n" + describe(schema_read))
    tail = ["# Rules\n" + "\n".join(f"{i}. {rule.line()}" for i, rule in enumerate(kept, 1))] if kept else []
    if schema and values and schema_read.values:
        left = budget - count_tokens("\n\n".join([*parts, *tail])) - count_tokens("\n\n# Values\n")
        parts.append("# Values\n" + "\n".join(_value_lines(schema_read.values, found, left)))
    parts += tail
    if memory:
        parts.append(f"# Memory\n{memory}")
    return "\n\n".join(parts)


def describe(schema: Schema) -> str:
    """Labels and relationships with their properties, a line each."""
    lines = ["Nodes:"]
    lines += [f"- {shown_name(node.label)}{_properties(node.properties)}" for node in schema.labels]
    lines.append("Relationships:")
    for pattern in schema.patterns:
        start, end = shown_name(pattern.start), shown_name(pattern.end)
        lines.append(f"- ({start})-[:{shown_name(pattern.type)}{_properties(pattern.properties)}]->({end})")
    return "\n".join(lines)


def _properties(properties: Sequence[Property]) -> str:
    listed = ", ".join(f"{shown_name(prop.name)}: {prop.type}" for prop in properties)
    return f" {{{listed}}}" if listed else ""


def _value_lines(values: Sequence[Values], found: Sequence[Found], left: int) -> list[str]:
    short = {(one.owner, one.property): _line(one, found, listed=False) for one in values}
    full = {(one.owner, one.property): _line(one, found, listed=True) for one in values}
    # From the shortest list on, each is taken in full while there is room: names of few things first.
    used = sum(count_tokens(line) + 1 for line in short.values())
    for place in sorted(full, key=lambda place: len(full[place])):
        more = count_tokens(full[place]) - count_tokens(short[place])
        if used + more <= left:
            short[place] = full[place]
            used += more
    return list(short.values())


def _line(one: Values, found: Sequence[Found], *, listed: bool) -> str:
    start = f"- {shown_name(one.owner)}.{shown_name(one.property)}: "
    if listed and not one.searched:
        return start + ", ".join(shown_value(text) for text in one.listed)
    near = [f.value for f in found if (f.owner, f.property) == (one.owner, one.property)]
    if near:
        return start + ", ".join(shown_value(text) for text in near) + ", and more (searched, not listed)"
    return start + "(searched, not listed)"
