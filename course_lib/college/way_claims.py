"""The order of steps and the direction of arrows: whether an answer walks a way as the rows have it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from course_lib.college.answer_values import key_of
from course_lib.college.evidence import Evidence, Mention
from course_lib.college.query_facts import Arrow
from course_lib.college.rank_claims import is_above
from course_lib.college.relations import is_negated
from course_lib.college.rows import PathValue

_THEN = re.compile(
    r"^\s*(?:->|→|=>|>|,?\s*(?:and )?(?:then|phir|fir|to|se|followed by|before|leads to|next|uske"
    r" baad)\b)\s*$",
    re.I,
)
_BEFORE = re.compile(
    r"\bprerequisite (?:for|of|to)\b|\b(?:comes?|stands?|is|learn(?:ed)?|needed|required) before\b|\bleads?"
    r" (?:on )?to\b|"
    r"\bopens? up\b|\bse pehle\b",
    re.I,
)
_LATER = re.compile(
    r"\b(?:requires?|needs?|builds? (?:up)?on|depends? on|follows|comes? (?:directly |right )?after)\b", re.I
)


def _ways(evidence: Evidence) -> list[list[str]]:
    found = []
    for row in evidence.rows:
        for column, cell in zip(evidence.rows.columns, row, strict=True):
            if isinstance(cell, PathValue):
                found.append(
                    [
                        key_of(
                            next(
                                iter(
                                    n.properties.get(k) for k in ("name", "title", "id") if k in n.properties
                                ),
                                "",
                            )
                        )
                        for n in cell.nodes
                    ]
                )
            elif (
                isinstance(cell, list)
                and len(cell) > 1
                and re.search(
                    r"path|step|way|node|route|order|chain|sequence", column + evidence.cypher[-80:], re.I
                )
            ):
                found.append([key_of(item) for item in cell])
    return found


def wrong_steps(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    """Steps in another order than the way has, another start, an arrow that leaves a step out."""
    ways = _ways(evidence)
    if len(ways) != 1 or len(mentions) < 2:
        return []
    way = ways[0]
    places = {key: at for at, key in enumerate(way)}
    run = 1
    for one, two in pairwise(mentions):
        if one.key not in places or two.key not in places:
            continue
        between = clause[one.end : two.start]
        listed = re.match(r"^\s*(?:,|,?\s*(?:and|aur)\b)\s*$", between, re.I)
        arrow = re.match(r"^\s*(?:->|→|=>|>)\s*$", between)
        forward = _THEN.match(between) or (_BEFORE.search(between) and not listed)
        backward = _LATER.search(between)
        step = places[two.key] - places[one.key]
        run = run + 1 if listed or arrow else 1
        if arrow and step != 1:
            return [
                f"The way does not go straight from {evidence.spelled(one.key)} to"
                f" {evidence.spelled(two.key)}."
            ]
        if (forward and step <= 0) or (backward and step >= 0) or (listed and run > 2 and step <= 0):
            return [
                f"The way has another order than {evidence.spelled(one.key)} and {evidence.spelled(two.key)}."
            ]
    start = re.search(
        r"\b(?:start(?:s|ing)?|begin(?:s|ning)?|shuru)\b(?: (?:with|at|from|by|off))*", clause, re.I
    )
    if start:
        after = next((m for m in mentions if m.start >= start.end()), None)
        before = [m for m in mentions if m.end <= start.start()]
        first = (
            before[-1]
            if before and re.match(r"\s*(?:se )?$", clause[before[-1].end : start.start()])
            else after
        )
        if (
            first is not None
            and places.get(first.key, 0) != 0
            and re.match(r"^\W*(?:\w+\W+){0,3}$", clause[start.end() : first.start] if first is after else "")
        ):
            return [f"The way does not start with {evidence.spelled(first.key)}."]
    return []


def wrong_numbering(sentences: Sequence[str], evidence: Evidence) -> list[str]:
    """A numbered list in another order than the way, or than rows that were sorted."""
    ways = _ways(evidence)
    keys: list[str] = []
    for sentence in sentences:
        if getattr(sentence, "place", None) is not None:
            keys += [m.key for m in evidence.mentions(sentence)[:1]]
    for one, two in pairwise(keys):
        if len(ways) == 1 and one in ways[0] and two in ways[0]:
            if ways[0].index(one) >= ways[0].index(two):
                return [
                    f"The way has another order than {evidence.spelled(one)} and {evidence.spelled(two)}."
                ]
        elif not ways and one != two and is_above(one, two, evidence, by_row=True) is False:
            return [f"The rows do not put {evidence.spelled(one)} before {evidence.spelled(two)}."]
    return []


def wrong_arrow(clause: str, evidence: Evidence) -> list[str]:
    """'BCNF is a prerequisite for 3NF' where the query found it the other way round."""
    negated = is_negated(clause)
    for arrow in evidence.facts.arrows:
        says, backwards = _VERBS.get(arrow.type, (None, None))
        pairs = _joined(arrow, evidence)
        if says is None or not pairs or negated:
            continue
        known = frozenset(key for pair in pairs for key in pair)
        for pattern, along in ((says, True), (backwards, False)):
            match = pattern.search(clause) if pattern is not None else None
            if match is None:
                continue
            left, right = _names_in(clause[: match.start()], known), _names_in(clause[match.end() :], known)
            if not left or not right:
                continue
            first, second = (left[-1], right[0]) if along else (right[0], left[-1])
            if (second, first) in pairs and (first, second) not in pairs:
                return [
                    f"The arrow goes the other way: {evidence.spelled(second)} → {evidence.spelled(first)}."
                ]
    return []


def _joined(arrow: Arrow, evidence: Evidence) -> set[tuple[str, str]]:
    """What an arrow of the query joins, row by row: where it starts, and where it ends."""
    found: set[tuple[str, str]] = set()
    columns = evidence.rows.columns
    for row in evidence.cells:
        starts = [key_of(v) for v in row[columns.index(arrow.start)]] if arrow.start in columns else []
        ends = [key_of(v) for v in row[columns.index(arrow.end)]] if arrow.end in columns else []
        for start in starts or ([arrow.start_name] if arrow.start_name else []):
            found.update((start, end) for end in ends or ([arrow.end_name] if arrow.end_name else []))
    return found


_VERBS: dict[str, tuple[re.Pattern[str] | None, re.Pattern[str] | None]] = {
    "PREREQUISITE_FOR": (_BEFORE, _LATER),
    "INCLUDES": (
        re.compile(r"\bincludes?\b|\bcontains?\b|\bcovers?\b", re.I),
        re.compile(r"\bpart of\b|\bbelongs? to\b", re.I),
    ),
    "COVERS": (
        re.compile(r"\bcovers?\b|\bincludes?\b", re.I),
        re.compile(r"\bcovered (?:by|in)\b|\bpart of\b", re.I),
    ),
    "REQUIRES": (
        re.compile(r"\brequires?\b|\bneeds?\b", re.I),
        re.compile(r"\b(?:required|needed) (?:by|for)\b", re.I),
    ),
}
"""By relationship type: what says it along the arrow, and what against it."""


def _names_in(text: str, keys: frozenset[str]) -> list[str]:
    """Which of some names a text holds, in order."""
    lower = text.casefold()
    found = []
    for key in keys:
        match = list(re.finditer(rf"(?<!\w){re.escape(key)}(?!\w)", lower))
        found += [(m.start(), key) for m in match]
    return [key for _, key in sorted(found)]
