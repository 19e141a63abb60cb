"""Who comes first: whether 'better than', 'the best' and 'followed by' are what the rows say."""

from __future__ import annotations

import re

from course_lib.college.answer_values import key_of
from course_lib.college.evidence import Evidence, Mention
from course_lib.college.relations import is_negated

SCALES: tuple[tuple[str, ...], ...] = (
    ("a+", "a", "a-", "b+", "b", "b-", "c+", "c", "c-", "d", "e", "f"),
    ("expert", "advanced", "intermediate", "beginner"),
    ("high", "medium", "low"),
)
"""Orders of texts, best first, that an answer may speak of."""
_UP = (
    r"(?:better|higher|stronger|greater|superior|more (?:advanced|skilled|proficient|suitable)|more|behtar"
    r"|acch?[ai]|aage)"
)
_DOWN = r"(?:worse|lower|weaker|less|fewer|inferior|behind|kam|peeche|neeche)"
_ABOVE = re.compile(
    rf"\b{_UP}\b[\w\s+]{{0,40}}?\bthan\b|\bahead of\b|\babove\b|\boutranks?\b|\bbeats?\b|\boutperforms?\b"
    r"|\bsurpass(?:es)?\b|\boutscores?\b|\bexceeds?\b",
    re.I,
)
_BELOW = re.compile(rf"\b{_DOWN}\b[\w\s+]{{0,40}}?\bthan\b|\bbehind\b|\bbelow\b|\btrails?\b", re.I)
_NEXT = re.compile(
    r"\bfollowed by\b|\bthen\b|\buske baad\b|\biske baad\b|\bphir\b|\bfir\b|\bthen comes\b", re.I
)
_AFTER = re.compile(r"\bcomes? after\b|\bfollows\b|\branks? (?:below|after)\b", re.I)
_SE_UP = re.compile(rf"^\s*se\s+(?:zyada\s+|jyada\s+)?{_UP}\b", re.I)
_SE_DOWN = re.compile(rf"^\s*se\s+{_DOWN}\b", re.I)
_TOP = re.compile(
    r"\b(?:the )?(?:very )?(?:best|top|topmost|strongest|number one|first choice|ideal choice|leads|tops)\b"
    r"|\b(?:comes?|is|ranks?|placed|stands?) (?:in )?(?:the )?first\b|\bsabse (?:acch?[aie]|achh?[aie]"
    r"|behtar|aage|upar|tez|"
    r"zyada|jyada|bada|badi)\b|\b(?:highest|most|largest|biggest)\b"
    r"|\bthe (?:higher|better|stronger|greater)\b(?!\s+\w*\s*than)",
    re.I,
)
_BOTTOM = re.compile(
    r"\b(?:worst|lowest|weakest|fewest|least|smallest)\b|\bcomes? last\b|\bsabse (?:kam|neeche|peeche"
    r"|kharab|chhota)\b",
    re.I,
)
_NOT_THE_TOP = re.compile(
    r"\b(?:second|third|next|one of the|among the|2nd|3rd|dusr[aei]|doosr[aei]|at|to|not the|who|kaun|"
    r"the other|for the|find the|by the|of the|from the)[\s-]+$",
    re.I,
)
_TO_BOTTOM = re.compile(r"\b(?:least|fewest|lowest|worst|smallest|kam|weakest|minimum)\b", re.I)


def heads_of(mentions: list[Mention], evidence: Evidence) -> list[Mention]:
    """The mentions of things: people, clubs, topics, and not their grades and years."""
    return [m for m in mentions if not m.columns <= evidence.attribute_columns]


def _ranks(key: str, evidence: Evidence) -> tuple[int | None, set[int], set[float]]:
    """Of a thing: its place by a scale (0 is best), the numbers of its rows in the result, its own
    numbers."""
    scale: int | None = None
    places: set[int] = set()
    numbers: set[float] = set()
    for at, row in enumerate(evidence.row_keys):
        if key not in row:
            continue
        places.add(at)
        for order in SCALES:
            for value in row:
                if value in order:
                    place = order.index(value)
                    scale = place if scale is None else min(scale, place)
        for column in evidence.cells[at]:
            numbers.update(float(v) for v in column if isinstance(v, int | float) and not isinstance(v, bool))
    return scale, places, numbers


def is_above(one: str, two: str, evidence: Evidence, by_row: bool) -> bool | None:
    """Whether one thing ranks before another; None where nothing in the rows ranks them."""
    (scale_1, rows_1, numbers_1), (scale_2, rows_2, numbers_2) = _ranks(one, evidence), _ranks(two, evidence)
    if scale_1 is not None and scale_2 is not None:
        return scale_1 < scale_2 or (by_row and scale_1 == scale_2)
    if evidence.facts.ordered and rows_1 and rows_2:
        return min(rows_1) < min(rows_2)
    if not by_row and len(numbers_1) == len(numbers_2) == 1:
        return max(numbers_1) > max(numbers_2)
    return None


_OLDER = re.compile(r"\b(?:older|earlier|longer ago)\b[\w\s]{0,20}?\bthan\b|\bpredates?\b", re.I)
_NEWER = re.compile(r"\b(?:newer|younger|later|more recent(?:ly)?)\b[\w\s]{0,20}?\bthan\b", re.I)
_OLDEST = re.compile(r"\b(?:oldest|earliest|sabse puran[aie])\b", re.I)
_NEWEST = re.compile(r"\b(?:newest|youngest|latest|most recent|sabse nay[aie]|sabse naya)\b", re.I)
_DATED = re.compile(r"\b(?:founded|since|established|built|opened|started|joined|born|date)\b", re.I)


def wrong_age(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    """'The Coding Club is older than the Debate Society', where a column says since when each is there."""
    columns = [at for at, name in enumerate(evidence.rows.columns) if _DATED.search(name.replace("_", " "))]
    heads = heads_of(mentions, evidence)
    if len(columns) != 1 or not heads or is_negated(clause):
        return []
    since: dict[str, list[str]] = {}
    for keys, row in zip(evidence.row_keys, evidence.cells, strict=True):
        for key in keys:
            since.setdefault(key, []).extend(
                f"{v:>12}" if isinstance(v, int) else str(v) for v in row[columns[0]]
            )
    for pattern, sign in ((_OLDER, 1), (_NEWER, -1)):
        for match in pattern.finditer(clause):
            one = next((m for m in reversed(heads) if m.end <= match.start()), None)
            two = next((m for m in heads if m.start >= match.end()), None)
            if one is None or two is None or not since.get(one.key) or not since.get(two.key):
                continue
            first, second = (one, two) if sign > 0 else (two, one)
            if min(since[first.key]) > min(since[second.key]):
                older, newer = evidence.spelled(first.key), evidence.spelled(second.key)
                return [f"By the rows, {older} is not older than {newer}."]
    for pattern, sign in ((_OLDEST, 1), (_NEWEST, -1)):
        found = pattern.search(clause)
        if found is None or _NOT_THE_TOP.search(clause[: found.start()]):
            continue
        place = found.start()
        named = min(heads, key=lambda m: abs(m.start - place))
        others = [since[key] for key in same_kind(named, evidence) if since.get(key)]
        if since.get(named.key) and others:
            best = min(min(o) for o in others) if sign > 0 else max(max(o) for o in others)
            if best not in since[named.key]:
                return [f"By the rows, that is not {evidence.spelled(named.key)}."]
    return []


def wrong_order(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    """'Aarav is better than Payal', or 'followed by Payal', where the rows have it the other way round."""
    heads = heads_of(mentions, evidence)
    if len(heads) < 2 or is_negated(clause):
        return []
    problems = []
    for pattern, upwards, by_row in (
        (_ABOVE, True, False),
        (_BELOW, False, False),
        (_NEXT, True, True),
        (_AFTER, False, True),
    ):
        for match in pattern.finditer(clause):
            before = [m for m in heads if m.end <= match.start()]
            after = [m for m in heads if m.start >= match.end()]
            if not before or not after or before[-1].key == after[0].key:
                continue
            subject = before[0] if not by_row else before[-1]
            one, two = (subject, after[0]) if upwards else (after[0], subject)
            if not one.columns & two.columns:
                continue
            if is_above(one.key, two.key, evidence, by_row) is False:
                problems.append(
                    f"The rows do not put {evidence.spelled(one.key)} before {evidence.spelled(two.key)}."
                )
    for match in re.finditer(r"\bse\b", clause):
        before = [m for m in heads if m.end <= match.start()]
        if len(before) < 2:
            continue
        up, down = _SE_UP.match(clause[match.start() :]), _SE_DOWN.match(clause[match.start() :])
        if up or down:
            one, two = (before[-2], before[-1]) if up else (before[-1], before[-2])
            if is_above(one.key, two.key, evidence, by_row=False) is False:
                problems.append(
                    f"The rows do not put {evidence.spelled(one.key)} before {evidence.spelled(two.key)}."
                )
    return problems


_STILL_BETTER = re.compile(
    rf"\b(?:(?:even|still|much|far|slightly) {_UP}\b|{_UP}\W*$)(?!\W+\w*\W*than)", re.I
)


def wrong_comparison(
    clause: str, before: list[Mention], mentions: list[Mention], evidence: Evidence
) -> list[str]:
    """'Payal has an A+. Aarav's grade is even better.': a comparison with whoever was named before.

    Args:
        clause: the clause that says 'better'.
        before: the things named in the sentence before.
        mentions: the values named in the clause.
        evidence: what the answer may rest on.
    """
    heads = heads_of(mentions, evidence)
    if (
        not before
        or len({m.key for m in heads}) != 1
        or is_negated(clause)
        or not _STILL_BETTER.search(clause)
    ):
        return []
    one, two = before[0], heads[0]
    if one.key != two.key and is_above(one.key, two.key, evidence, by_row=False):
        return [f"The rows do not put {evidence.spelled(two.key)} before {evidence.spelled(one.key)}."]
    return []


def wrong_top(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    """'Aarav is the best' where another row is better."""
    heads = heads_of(mentions, evidence)
    if not heads or len(evidence.rows) < 2 or is_negated(clause):
        return []
    for pattern, at_top in ((_TOP, True), (_BOTTOM, False)):
        for match in pattern.finditer(clause):
            if _NOT_THE_TOP.search(clause[: match.start()]) or re.search(
                r"\bfirst (?:year|semester|step)", clause[match.start() :][:20]
            ):
                continue
            before = [m for m in heads if m.end <= match.start()]
            named = before[0] if before else next((m for m in heads if m.start >= match.end()), None)
            if named is None:
                continue
            others = {key for m in same_kind(named, evidence) for key in (m,) if key != named.key}
            above = [
                o
                for o in others
                if is_above(*((o, named.key) if at_top else (named.key, o)), evidence, False)
            ]
            if above and not (not at_top and _is_first_row(named.key, evidence)):
                if at_top and _TO_BOTTOM.search(evidence.question) and _is_first_row(named.key, evidence):
                    continue
                where = "at the top" if at_top else "at the bottom"
                return [f"By the rows, {evidence.spelled(named.key)} is not {where}."]
    return []


def same_kind(mention: Mention, evidence: Evidence) -> set[str]:
    """All the values that stand where this one does: the rivals of whoever is called the best."""
    columns = mention.columns - evidence.attribute_columns or mention.columns
    return {key_of(v) for row in evidence.cells for at in columns for v in row[at]}


def _is_first_row(key: str, evidence: Evidence) -> bool:
    return bool(evidence.row_keys) and evidence.facts.ordered and key in evidence.row_keys[0]
