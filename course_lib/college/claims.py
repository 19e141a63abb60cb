"""What an answer claims about the rows as a whole: who comes first, who is better than whom, all, only,
most, in which order, along which arrow, yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from course_lib.college.answer_text import stem
from course_lib.college.evidence import Evidence, Mention, key_of
from course_lib.college.query_facts import Arrow
from course_lib.college.relations import HARMLESS_NO, clauses, is_negated
from course_lib.college.rows import PathValue

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
    r"zyada|jyada|bada|badi)\b|\b(?:highest|most|largest|biggest)\b",
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
_ONLY = re.compile(
    r"\b(?:the )?only\s+(?:the\s+)?(?:one|student|person|club|subject|skill|project|concept|topic|name"
    r"|result|match)\b"
    r"|\bonly\b|\bsirf\b|\bkeval\b|\bno one else\b|\bnobody else\b|\bno other\b|\balone\b|\bakel[aei]\b"
    r"|\bsole\b|"
    r"\bkoi aur nahi\b",
    re.I,
)
_ALL = re.compile(
    r"\b(?:all|every|everyone|everybody|each|both|sab|sabhi|saare|sare|dono|donon|teenon?"
    r"|har)\b(?!\s+(?:the )?(?:rows|results|"
    r"data|say|that))",
    re.I,
)
_MOST_OF = re.compile(
    r"(?<!the )\b(?:most|majority)(?: of)?(?: the| these| them)?\s+(?:are|have|has|students|people|of)\b"
    r"|\bzyadatar\b",
    re.I,
)
_NOBODY = re.compile(
    r"\b(?:nobody|no one|none of (?:them|these|the)|koi (?:bhi )?nahi|kisi (?:ke|ne|ko)? ?.{0,20}nahi)\b",
    re.I,
)
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
_YES = re.compile(r"^\W*(?:yes|haan|ha|ji haan)\b", re.I)
_NO = re.compile(r"^\W*(?:no|nahi|nahin|ji nahi)\b(?!\s+(?:other|one|more))", re.I)


def wrong_claims(sentences: Sequence[str], evidence: Evidence) -> list[str]:
    """What an answer claims about the rows as a whole that they do not bear out.

    Args:
        sentences: the answer, cut into sentences.
        evidence: what it may rest on.
    """
    problems = _wrong_yes_or_no(sentences, evidence) + _wrong_numbering(sentences, evidence)
    for sentence in sentences:
        if evidence.reading is not None and evidence.reading.wrong:
            wrong = re.search(evidence.reading.wrong, sentence, re.I)
            if wrong and "more than one" not in sentence and "ek se" not in sentence:
                problems.append(f"'{wrong[0]}' is another reading than the query's.")
        for clause in clauses(sentence):
            mentions = evidence.mentions(clause)
            problems += _wrong_order(clause, mentions, evidence)
            problems += _wrong_top(clause, mentions, evidence)
            problems += _wrong_steps(clause, mentions, evidence)
            problems += _wrong_extent(clause, mentions, evidence)
            problems += _wrong_arrow(clause, evidence)
            problems += _turned(clause, mentions, evidence)
    return list(dict.fromkeys(problems))


# ---- better, first, last ---------------------------------------------------------------------------------


def _heads(mentions: list[Mention], evidence: Evidence) -> list[Mention]:
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


def _is_above(one: str, two: str, evidence: Evidence, by_row: bool) -> bool | None:
    """Whether one thing ranks before another; None where nothing in the rows ranks them."""
    (scale_1, rows_1, numbers_1), (scale_2, rows_2, numbers_2) = _ranks(one, evidence), _ranks(two, evidence)
    if scale_1 is not None and scale_2 is not None:
        return scale_1 < scale_2 or (by_row and scale_1 == scale_2)
    if evidence.facts.ordered and rows_1 and rows_2:
        return min(rows_1) < min(rows_2)
    if not by_row and len(numbers_1) == len(numbers_2) == 1:
        return max(numbers_1) > max(numbers_2)
    return None


def _wrong_order(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    heads = _heads(mentions, evidence)
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
            if _is_above(one.key, two.key, evidence, by_row) is False:
                problems.append(f"The rows do not put {one.key} before {two.key}.")
    for match in re.finditer(r"\bse\b", clause):
        before = [m for m in heads if m.end <= match.start()]
        if len(before) < 2:
            continue
        up, down = _SE_UP.match(clause[match.start() :]), _SE_DOWN.match(clause[match.start() :])
        if up or down:
            one, two = (before[-2], before[-1]) if up else (before[-1], before[-2])
            if _is_above(one.key, two.key, evidence, by_row=False) is False:
                problems.append(f"The rows do not put {one.key} before {two.key}.")
    return problems


def _wrong_top(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    """'Aarav is the best' where another row is better."""
    heads = _heads(mentions, evidence)
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
            others = {key for m in _same_kind(named, evidence) for key in (m,) if key != named.key}
            above = [
                o
                for o in others
                if _is_above(*((o, named.key) if at_top else (named.key, o)), evidence, False)
            ]
            if above and not (not at_top and _is_first_row(named.key, evidence)):
                if at_top and _TO_BOTTOM.search(evidence.question) and _is_first_row(named.key, evidence):
                    continue
                return [f"By the rows, {named.key} is not {'at the top' if at_top else 'at the bottom'}."]
    return []


def _same_kind(mention: Mention, evidence: Evidence) -> set[str]:
    columns = mention.columns - evidence.attribute_columns or mention.columns
    return {key_of(v) for row in evidence.cells for at in columns for v in row[at]}


def _is_first_row(key: str, evidence: Evidence) -> bool:
    return bool(evidence.row_keys) and evidence.facts.ordered and key in evidence.row_keys[0]


# ---- steps of a way --------------------------------------------------------------------------------------


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


def _wrong_steps(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
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
            return [f"The way does not go from {one.key} straight to {two.key}."]
        if (forward and step <= 0) or (backward and step >= 0) or (listed and run > 2 and step <= 0):
            return [f"The way has another order than {one.key} and {two.key}."]
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
            return [f"The way does not start with {first.key}."]
    return []


def _wrong_numbering(sentences: Sequence[str], evidence: Evidence) -> list[str]:
    """A numbered list in another order than the way, or than rows that were sorted."""
    ways = _ways(evidence)
    keys: list[str] = []
    for sentence in sentences:
        if getattr(sentence, "place", None) is not None:
            keys += [m.key for m in evidence.mentions(sentence)[:1]]
    for one, two in pairwise(keys):
        if len(ways) == 1 and one in ways[0] and two in ways[0]:
            if ways[0].index(one) >= ways[0].index(two):
                return [f"The way has another order than {one} and {two}."]
        elif not ways and one != two and _is_above(one, two, evidence, by_row=True) is False:
            return [f"The rows do not put {one} before {two}."]
    return []


# ---- all, only, most, nobody -------------------------------------------------------------------------------


def _wrong_extent(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    heads = _heads(mentions, evidence)
    attributes = [m for m in mentions if m.columns <= evidence.attribute_columns]
    problems: list[str] = []
    only = _ONLY.search(clause)
    if only and heads and not re.match(r"\s*(?:a|an|one|two|three|\d)\b", clause[only.end() :]):
        problems += _wrong_only(only, heads, attributes, clause, evidence)
    if _ALL.search(clause) and attributes and not is_negated(clause):
        problems += _wrong_all(clause, heads, attributes, evidence)
    if _ALL.search(clause) and not attributes:
        problems += _all_of_a_label(clause, evidence)
    most = _MOST_OF.search(clause)
    if most and attributes:
        key = attributes[0].key
        share = sum(key in row for row in evidence.row_keys)
        if share * 2 <= len(evidence.rows):
            problems.append(f"Most rows do not hold {key}.")
    if _NOBODY.search(HARMLESS_NO.sub(" ", clause)) and attributes and not heads:
        problems.append(f"There are rows that hold {attributes[0].key}.")
    return problems


def _wrong_only(
    only: re.Match[str], heads: list[Mention], attributes: list[Mention], clause: str, evidence: Evidence
) -> list[str]:
    if (
        only[0].lower() in ("no other", "nobody else", "no one else", "koi aur nahi", "alone")
        and not attributes
    ):
        named = {m.key for m in heads}
    else:
        nearest = min(heads, key=lambda m: min(abs(m.start - only.end()), abs(only.start() - m.end)))
        named = {m.key for m in heads if m.columns & nearest.columns}
    kind = next(m for m in heads if m.key in named)
    fitting = [row for row in evidence.row_keys if all(a.key in row for a in attributes[:1])]
    rivals = {key for key in _same_kind(kind, evidence) if any(key in row for row in fitting)} - named
    if rivals:
        return [f"'{only[0]}' is wrong: the rows also have {sorted(rivals)[0]}."]
    if evidence.facts.cut_at(len(evidence.rows)):
        return [f"'{only[0]}' cannot be known: the query cut its rows off at {evidence.facts.limit}."]
    return []


def _wrong_all(clause: str, heads: list[Mention], attributes: list[Mention], evidence: Evidence) -> list[str]:
    """'Both have an A+' where one has an A."""
    match = _ALL.search(clause)
    if match is None:
        return []
    after = [a for a in attributes if a.start > match.end()]
    if not after or any(h.start > match.end() and h.start < after[0].start for h in heads):
        return []
    columns = after[0].columns
    same = [a for a in after if a.columns & columns]
    if len({a.key for a in same}) > 1:
        return []
    wanted = [row for row in evidence.row_keys if not heads or any(h.key in row for h in heads)]
    if all(after[0].key in row for row in wanted):
        return []
    return [f"Not all of them have {after[0].key}."]


def _all_of_a_label(clause: str, evidence: Evidence) -> list[str]:
    """'All students study DBMS' where the graph has more students than the rows."""
    if evidence.schema is None:
        return []
    for match in re.finditer(
        r"\b(?:all|every|sabhi|saare|sare|har)\s+(?:of\s+)?(?:the\s+)?(?:\w+\s+)?(\w+)\s+(?!who|that|in"
        r"|with|of|listed|studying|from|are\b|:|jo\b)\w+",
        clause,
        re.I,
    ):
        for node in evidence.schema.labels:
            if stem(node.label) != stem(match[1]):
                continue
            columns = evidence.columns_called(match[1])
            named = len({key_of(v) for row in evidence.cells for at in columns for v in row[at]})
            if (
                columns
                and 0 < named < node.count
                and not re.search(rf"\b{re.escape(match[0][:12])}", evidence.question, re.I)
            ):
                return [f"There are {node.count} of {node.label}, and the rows have {named}."]
    return []


# ---- arrows, yes and no ------------------------------------------------------------------------------------


def _wrong_arrow(clause: str, evidence: Evidence) -> list[str]:
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
                return [f"The arrow goes the other way: {second} → {first}."]
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


def _turned(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    """A denial where the query found something, or the reverse."""
    heads = _heads(mentions, evidence)
    asked_no = evidence.facts.negative or is_negated(evidence.question)
    if (
        not mentions
        and not asked_no
        and not _holds_a_no(evidence)
        and _NONE.match(HARMLESS_NO.sub(" ", clause))
    ):
        return ["The answer says that there is none, and there are rows."]
    if not heads or any(m.columns <= evidence.attribute_columns for m in mentions):
        return []
    if any(is_negated(text) for text in evidence.long_texts):
        return []
    if is_negated(clause) and not asked_no and not _holds_a_no(evidence):
        if len({frozenset(m.columns) for m in heads}) > 1:
            return []  # two kinds of things are a pair, and pairs are judged one by one
        return [f"The answer denies something of {heads[0].key}, and the rows do not."]
    if (
        asked_no
        and not is_negated(clause)
        and not _EXCEPT.search(clause)
        and _repeats_the_object(clause, mentions, evidence)
    ):
        return [f"The question asks for what is not so, and the answer says it of {heads[0].key}."]
    return []


_NONE = re.compile(
    r"^\W*(?:neither|none|nobody|no one|no \w+ \w+|koi (?:bhi )?(?:\w+ )?nahi)\b(?! of the other)", re.I
)
_EXCEPT = re.compile(
    r"\b(?:without|outside|except|missing|lack|lacks|lacking|apart|unlike|absent|other than|excluding|zero"
    r"|0|bina|alawa|"
    r"yet to|remaining|these are|are the|is the|following)\b|:",
    re.I,
)


def _holds_a_no(evidence: Evidence) -> bool:
    """Whether a row holds a zero, a false, a null or an empty list: then 'no' may be true."""
    return any(
        cell is None or cell is False or cell == 0 or cell == [] for row in evidence.rows for cell in row
    )


def _repeats_the_object(clause: str, mentions: list[Mention], evidence: Evidence) -> bool:
    """Whether a clause says a name of the rows together with a name, or a kind of thing, that the question
    excludes."""
    excluded: set[str] = set()
    for pattern in (_EXCLUDED_AFTER, _EXCLUDED_BEFORE):
        for match in pattern.finditer(evidence.question):
            excluded.add(stem(match[1]))
    spoken = {stem(word) for word in re.findall(r"\w+", clause)}
    own = {stem(part) for m in mentions for part in m.key.split()}
    return bool(excluded & spoken - own - _NOT_AN_OBJECT)


_EXCLUDED_AFTER = re.compile(
    r"(?:\b(?:not|no|without|nobody)|n't)\b\W+(?:(?:\w+\W+){0,2}?)(\w{2,})\W*$", re.I
)
_EXCLUDED_BEFORE = re.compile(r"\b(\w{2,})(?=\s+(?:\w+\s+)?(?:nahi|nahin)\b)", re.I)
_NOT_AN_OBJECT = frozenset(("kaun", "student", "hav", "ha", "do", "kisi", "koi", "have", "has", "does"))


def _wrong_yes_or_no(sentences: Sequence[str], evidence: Evidence) -> list[str]:
    if (
        len(evidence.rows) != 1
        or len(evidence.rows.columns) != 1
        or not isinstance(evidence.rows[0][0], bool)
    ):
        return []
    first = sentences[0] if sentences else ""
    if (evidence.rows[0][0] and _NO.match(first)) or (not evidence.rows[0][0] and _YES.match(first)):
        return ["The row says the opposite."]
    return []
