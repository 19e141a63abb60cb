"""What the model is told after an attempt that failed: a text of its own for each kind of failure.

A hint is worth as much as it is precise. It says what is wrong with this query and what there is in its
place, in words that hold for any graph: everything that it names is taken from the schema, the engine's
message, or the names in the graph. `VAGUE` is what most loops send, and is here to be compared with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course_lib.college.errors import QueryError
from course_lib.college.near_names import Name, NearName, near_names
from course_lib.college.pattern_check import Misfit
from course_lib.college.query_shape import Compared, QueryShape

if TYPE_CHECKING:
    from course_lib.college.schema import Schema

VAGUE = "That did not work. Try again."
"""The hint that names nothing."""

SENTINEL = "RETURN 'OUT_OF_SCOPE' AS status"
"""What a model answers when the graph cannot."""

_ASK = "Reply with one Cypher query alone: no prose, no markdown, no reasoning."
_LONGEST_MESSAGE = 600
"""Characters of an engine's message that are passed on."""


@dataclass(frozen=True)
class _Cure:
    """A habit that the engine refuses, how it shows in the query, and what to write in its place."""

    shows: re.Pattern[str]
    advice: str


_CURES = (
    _Cure(
        re.compile(r"=~"),
        "This engine has no regular expressions (=~): write toLower(x.name) CONTAINS 'text' in lower case.",
    ),
    _Cure(
        re.compile(r"\bEXISTS\s*\{", re.I),
        "This engine has no EXISTS { … }: put the pattern itself into WHERE, as in WHERE (a)-[:TYPE]->(b).",
    ),
    _Cure(
        re.compile(r"\bCOUNT\s*\{", re.I),
        "This engine has no COUNT { … }: use OPTIONAL MATCH and count(x), or the pattern in WHERE.",
    ),
    _Cure(
        re.compile(r"\(\s*\w*\s*:\s*\w+\s+WHERE\b", re.I),
        "This engine takes no WHERE inside a node: put WHERE after the whole pattern.",
    ),
    _Cure(
        re.compile(r"MATCH\s+(?:\w+\s*=\s*)?(?:all)?shortestPath", re.I),
        "shortestPath may not stand in MATCH: use CALL algo.SPpaths, or put shortestPath into WITH.",
    ),
    _Cure(
        re.compile(r"\]-\s*>?\s*(?:\{\d*,?\d*\}|\+)"),
        "This engine writes the number of hops inside the brackets: -[:TYPE*1..3]->.",
    ),
)


def no_query(seen: str = "", *, cut_off: bool = False) -> str:
    """There was no query in the reply.

    Args:
        seen: what was there in its place, in a few words.
        cut_off: whether the reply ran into the limit of tokens.
    """
    if cut_off:
        return f"Your reply was cut off before a query was complete. {_ASK} Keep it short."
    looked = f" ({seen.strip().rstrip('.')})" if seen.strip() else ""
    return f"No query could be found in your reply{looked}. {_ASK}"


def no_return() -> str:
    """The query ends without saying what it wants to see."""
    return (
        "The query has no RETURN: nothing would come back. Add a RETURN at its end, with specific properties."
    )


def unsafe(reason: str, code: str = "") -> str:
    """The guard refused the query as dangerous.

    Args:
        reason: the guard's own sentence.
        code: the guard's code.
    """
    return (
        f"The query was refused as unsafe ({code}): {reason} The graph can only be read, whatever is asked. "
        f"Write a query that only reads, or reply {SENTINEL} if a change is what was asked for."
    )


def whole_node(reason: str) -> str:
    """The query hands out whole nodes: harmless, and no answer.

    Args:
        reason: the guard's own sentence.
    """
    return f"The query was not run: a result holds values, never whole nodes. {reason}"


def unreadable(reason: str) -> str:
    """The guard cannot make out a query.

    Args:
        reason: the guard's own sentence.
    """
    return f"The query was not run, it could not be read. {reason}"


def misfit(found: Sequence[Misfit]) -> str:
    """The query speaks of things that the graph does not have."""
    reasons = " ".join(dict.fromkeys(one.reason for one in found[:4]))
    end = f" If the graph has nothing of the kind that is asked for, reply {SENTINEL}."
    return f"The query was not run: it does not fit the graph. {reasons}" + (
        end if any(one.code == "unknown_label" for one in found) else ""
    )


def engine_error(error: QueryError, cypher: str) -> str:
    """The engine refused the query: its own words, where in the query, and the cure where one is known."""
    said = " ".join((error.engine_message or error.what).split())[:_LONGEST_MESSAGE]
    where = ""
    if error.offset is not None:
        place = cypher[error.offset :].split("\n")[0].strip()[:40]
        line = cypher.count("\n", 0, error.offset) + 1
        where = (
            f" It stopped in line {line}, before `{place}`."
            if place
            else " It stopped at the end of the query."
        )
    cures = " ".join(cure.advice for cure in _CURES if cure.shows.search(cypher))
    stop = "" if said.endswith((".", "!", "?")) else "."
    return f"The engine refused the query. It said: {said}{stop}{where}" + (f" {cures}" if cures else "")


def timeout(timeout_ms: int | None = None) -> str:
    """The query ran for too long.

    Args:
        timeout_ms: the time that it had; None where the setting decides.
    """
    after = f" after {timeout_ms} ms" if timeout_ms is not None else ""
    return (
        f"The query was too slow: it timed out{after}. Start from a node with a label and a name, take "
        "fewer hops, give variable paths an upper bound, and join no patterns that share no node."
    )


def too_many(rows: int, limit: int) -> str:
    """The query gave more rows than anybody would read."""
    return (
        f"Too many rows: {rows}, and at most {limit} can be used. Ask for less: a narrower condition, "
        f"DISTINCT, a count in place of a list, or LIMIT {min(limit, 25)}."
    )


def sentinel_misplaced(evidence: Sequence[str], *, mixed: bool = False) -> str:
    """OUT_OF_SCOPE, for a question about things that are in the graph.

    Args:
        evidence: what the question names that the graph has.
        mixed: whether the sentinel stood inside a query that reads the graph.
    """
    if mixed:
        return (
            "OUT_OF_SCOPE stands in a query that also reads the graph. It is one or the other: the query "
            f"without it, or {SENTINEL} alone."
        )
    return (
        f"OUT_OF_SCOPE may be out of place: the question speaks of {_and(evidence)}, which the graph "
        f"has. Write a query for it, and reply {SENTINEL} again only if what is asked about them is not in "
        "the schema."
    )


@dataclass(frozen=True)
class Suspect:
    """A text in a query that matches nothing there, and what may have been meant."""

    compared: Compared
    near: tuple[NearName, ...]
    elsewhere: bool = False
    """Whether the name is in the graph, only of another kind."""


def misspelled(suspects: Sequence[Suspect], *, only_zeros: bool = False) -> str:
    """The query gave rows, and compares with a name that nothing has: so the rows are not to be trusted.

    Args:
        suspects: the names, with what may have been meant.
        only_zeros: whether the rows hold nothing but zeros, as a count of nothing does.
    """
    begin = "It counted nothing." if only_zeros else "The rows cannot be right."
    said = " ".join(_suspicion(suspect) for suspect in suspects)
    return f"{begin} {said} Match names loosely: toLower(x.name) CONTAINS 'part of the name'."


def empty(shape: QueryShape, schema: Schema, names: Iterable[Name], *, only_nulls: bool = False) -> str:
    """The query ran and found nothing: advice on spelling, on loose matching and on direction.

    Args:
        shape: the query's shape.
        schema: what the graph has.
        names: the names in the graph that are known, those near the question included.
        only_nulls: whether there were rows, with nothing in them.
    """
    # What things are called by comes first: DBMS is a subject before it is an area of concepts.
    known = sorted(names, key=lambda name: name.property != schema.name_of(name.owner))
    suspects = suspected(shape, known)
    if only_nulls:
        begin = (
            "The rows hold nothing but nulls: there is no property in the graph by a name that you return."
        )
        return f"{begin} {_properties(shape, schema)}"
    lines = ["0 rows."]
    for suspect in suspects:
        lines.append(_suspicion(suspect))
    if not suspects and shape.compared:
        lines.append("The names in it are in the graph, so the spelling is right.")
    if any(not suspect.near for suspect in suspects) or not suspects:
        lines.append(_directions(shape, schema))
    lines.append("Match names loosely: toLower(x.name) CONTAINS 'part of the name'.")
    return " ".join(line for line in lines if line)


def suspected(shape: QueryShape, names: Sequence[Name]) -> tuple[Suspect, ...]:
    """The texts in a query that match no name where they are looked for."""
    found: list[Suspect] = []
    for branch in shape.branches:
        for compared in branch.compared:
            owners = frozenset(compared.labels) | branch.labels_of(compared.variable)
            owners |= branch.types_of(compared.variable)
            there = [
                n for n in names if n.property == compared.property and (not owners or n.owner in owners)
            ]
            if not there or _matches(compared, there):
                continue
            near = near_names(compared.text, there)
            elsewhere = () if near else near_names(compared.text, names)
            found.append(Suspect(compared, near or elsewhere, bool(elsewhere)))
    return tuple(found)


def _matches(compared: Compared, names: Iterable[Name]) -> bool:
    text = compared.text
    for name in names:
        value = name.value
        # The query lowers both sides or neither; a hit in any case is taken for one where it may be lowered.
        if compared.operator in ("=", "IN") and (
            value == text or (compared.lowered and value.lower() == text)
        ):
            return True
        lower = value.lower() if compared.lowered else value
        if compared.operator == "CONTAINS" and text in lower:
            return True
        if compared.operator == "STARTS WITH" and lower.startswith(text):
            return True
        if compared.operator == "ENDS WITH" and lower.endswith(text):
            return True
    return False


def _suspicion(suspect: Suspect) -> str:
    typed = suspect.compared.text
    if not suspect.near:
        return f"No {suspect.compared.property} in the graph is spelled like '{typed}'."
    offers = ", ".join(
        f"'{typed}' → '{near.value}' ({near.name.owner}.{near.name.property})" for near in suspect.near
    )
    if suspect.compared.lowered and typed != typed.lower():
        return (
            f"toLower gives small letters, so '{typed}' can match nothing: the spelling is '{typed.lower()}'."
        )
    begin = (
        f"Nothing of that kind is called '{typed}'" if suspect.elsewhere else f"Nothing is called '{typed}'"
    )
    if any(near.value.casefold() == typed.casefold() for near in suspect.near) and not suspect.elsewhere:
        begin = f"The spelling '{typed}' differs from the graph's"
    return f"{begin}; near it: {offers}."


def _directions(shape: QueryShape, schema: Schema) -> str:
    types = {kind.text for branch in shape.branches for hop in branch.hops for kind in hop.types}
    arrows = [
        f"({pattern.start})-[:{pattern.type}]->({pattern.end})"
        for pattern in schema.patterns
        if pattern.type in types
    ]
    return f"Check the direction of each arrow: {', '.join(dict.fromkeys(arrows))}." if arrows else ""


def _properties(shape: QueryShape, schema: Schema) -> str:
    labels = {label.text for branch in shape.branches for node in branch.nodes for label in node.labels}
    listed = [
        f"{node.label} has {', '.join(prop.name for prop in node.properties)}"
        for node in schema.labels
        if node.label in labels
    ]
    return f"{'; '.join(listed)}." if listed else ""


def _and(listed: Sequence[str]) -> str:
    return (
        listed[0]
        if len(listed) == 1
        else f"{', '.join(listed[:-1])} and {listed[-1]}"
        if listed
        else "things"
    )
