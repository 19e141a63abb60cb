"""What an answer claims about the rows as a whole: all, only, most, none, yes or no."""

from __future__ import annotations

import re
from collections.abc import Sequence

from course_lib.college.answer_text import stem
from course_lib.college.answer_values import key_of
from course_lib.college.evidence import Evidence, Mention
from course_lib.college.rank_claims import (
    heads_of,
    same_kind,
    wrong_age,
    wrong_comparison,
    wrong_order,
    wrong_top,
)
from course_lib.college.relations import HARMLESS_NO, clauses, is_negated
from course_lib.college.way_claims import wrong_arrow, wrong_numbering, wrong_steps

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
_YES = re.compile(r"^\W*(?:yes|haan|ha|ji haan)\b", re.I)
_NO = re.compile(r"^\W*(?:no|nahi|nahin|ji nahi)\b(?!\s+(?:other|one|more))", re.I)


def wrong_claims(sentences: Sequence[str], evidence: Evidence) -> list[str]:
    """What an answer claims about the rows as a whole that they do not bear out.

    Args:
        sentences: the answer, cut into sentences.
        evidence: what it may rest on.
    """
    problems = _wrong_yes_or_no(sentences, evidence) + wrong_numbering(sentences, evidence)
    before: list[Mention] = []
    for sentence in sentences:
        if evidence.reading is not None and evidence.reading.wrong:
            wrong = re.search(evidence.reading.wrong, sentence, re.I)
            if wrong and "more than one" not in sentence and "ek se" not in sentence:
                problems.append(f"'{wrong[0]}' is another reading than the query's.")
        for clause in clauses(sentence):
            mentions = evidence.mentions(clause)
            problems += wrong_order(clause, mentions, evidence)
            problems += wrong_comparison(clause, before, mentions, evidence)
            before = heads_of(mentions, evidence) or before
            problems += wrong_age(clause, mentions, evidence)
            problems += wrong_top(clause, mentions, evidence)
            problems += wrong_steps(clause, mentions, evidence)
            problems += _wrong_extent(clause, mentions, evidence)
            problems += wrong_arrow(clause, evidence)
            problems += _turned(clause, mentions, evidence)
    return list(dict.fromkeys(problems))


def _wrong_extent(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    heads = heads_of(mentions, evidence)
    attributes = [m for m in mentions if m.columns <= evidence.attribute_columns]
    problems: list[str] = []
    only = _ONLY.search(clause)
    if only and heads and not re.match(r"\s*(?:a|an|one|two|three|\d)\b", clause[only.end() :]):
        problems += _wrong_only(only, heads, attributes, clause, evidence)
    if _ALL.search(clause) and attributes and not is_negated(clause):
        problems += _wrong_all(clause, heads, attributes, evidence)
    if not is_negated(clause):
        problems += _all_of_a_column(clause, mentions, evidence)
    if _ALL.search(clause) and not attributes:
        problems += _all_of_a_label(clause, evidence)
    most = _MOST_OF.search(clause)
    if most and attributes:
        key = attributes[0].key
        share = sum(key in row for row in evidence.row_keys)
        if share * 2 <= len(evidence.rows):
            problems.append(f"Most rows do not hold {evidence.spelled(key)}.")
    if _NOBODY.search(HARMLESS_NO.sub(" ", clause)) and attributes and not heads:
        problems.append(f"There are rows that hold {evidence.spelled(attributes[0].key)}.")
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
    rivals = {key for key in same_kind(kind, evidence) if any(key in row for row in fitting)} - named
    if rivals:
        return [f"'{only[0]}' is wrong: the rows also have {evidence.spelled(sorted(rivals)[0])}."]
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
    return [f"Not all of them have {evidence.spelled(after[0].key)}."]


_ALL_THINGS = re.compile(
    r"\b(?:all|every|each|both|sabhi|saare|sare|dono)\s+(?:of\s+)?(?:the\s+|these\s+)?(?:\w+\s+)?(\w+)\s+"
    r"(?!who|that|with|in\b|of\b|jo\b|are:)",
    re.I,
)


def _all_of_a_column(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    """'All four students know Python' where the row of one of them does not have it."""
    for match in _ALL_THINGS.finditer(clause):
        for column in evidence.columns_called(match[1]):
            after = [m for m in mentions if m.start >= match.end()]
            if not after or any(column in m.columns for m in mentions) or len(after) != 1:
                continue
            holders: dict[str, bool] = {}
            for row, keys in zip(evidence.cells, evidence.row_keys, strict=True):
                for value in row[column]:
                    holders[key_of(value)] = holders.get(key_of(value), False) or after[0].key in keys
            if not all(holders.values()):
                return [f"Not all of them have {evidence.spelled(after[0].key)}."]
    return []


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


def _turned(clause: str, mentions: list[Mention], evidence: Evidence) -> list[str]:
    """A denial where the query found something, or the reverse."""
    heads = heads_of(mentions, evidence)
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
        return [f"The answer denies something of {evidence.spelled(heads[0].key)}, and the rows do not."]
    if (
        asked_no
        and not is_negated(clause)
        and not _EXCEPT.search(clause)
        and _repeats_the_object(clause, mentions, evidence)
    ):
        return [
            f"The question asks for what is not so; the answer says it of {evidence.spelled(heads[0].key)}."
        ]
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
