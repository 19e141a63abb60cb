"""The numbers of an answer: each stands in the rows or the question, or counts what the rows hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from course_lib.college.answer_text import Token, answer_words, stem, tokens_in
from course_lib.college.answer_values import key_of, value_of
from course_lib.college.evidence import GENERIC, Evidence, Mention
from course_lib.college.wording import MOST_NAMED

_THINGS = frozenset(
    stem(word)
    for word in [
        "student",
        "people",
        "person",
        "member",
        "result",
        "row",
        "record",
        "entry",
        "name",
        "naam",
        "subject",
        "course",
        "club",
        "skill",
        "project",
        "concept",
        "topic",
        "note",
        "friend",
        "match",
        "item",
        "option",
        "log",
        "step",
        "hop",
        "class",
        "society",
        "candidate",
        "classmate",
        "area",
        "field",
    ]
)
"""Stems of nouns that a number in front of them counts."""
_TOTAL = re.compile(
    r"\b(?:total|altogether|in all|combined|together|sum|kul|overall|adds? up|mila kar|milakar)\b", re.I
)
_EXISTS = re.compile(
    r"\b(?:there (?:are|is|were)|in total|total of|altogether|in all|kul|found|consists? of|list has)\b", re.I
)
_YEARS = re.compile(r"^[\s-]*(?:year|yr|semester|sem|saal|varsh)\b", re.I)
_NOT_A_COUNT = re.compile(
    r"(?:\bthan|\bleast|\bmost|\bno|\beach|\bevery|\bse|\byear|\bsemester|\btop|\bfirst|\bof the|\bthe"
    r" other)\s*$",
    re.I,
)


_NO_ADJECTIVES = frozenset(
    [
        "of",
        "in",
        "and",
        "aur",
        "hai",
        "hain",
        "with",
        "is",
        "are",
        "for",
        "mein",
        "me",
        "se",
        "ka",
        "ki",
        "ke",
        "ko",
        "par",
        "tak",
        "to",
        "on",
        "at",
        "as",
        "the",
        "who",
        "jo",
    ]
)
_LEFT = re.compile(r"^\s*(?:more|others?|further|aur|baaki|baki|hain|hai|in all|additional)\b", re.I)


def rows_left(sentences: Sequence[str], evidence: Evidence) -> frozenset[float]:
    """What '6 more' may count: the rows that an answer names nothing of, or not all of."""
    named = {mention.key for sentence in sentences for mention in evidence.mentions(sentence)}
    untouched = sum(not (named & row) for row in evidence.row_keys)
    unfinished = sum(not row <= named for row in evidence.row_keys)
    return frozenset(float(n) for n in (untouched, unfinished, len(evidence.rows) - MOST_NAMED) if n > 0)


def wrong_numbers(sentence: str, evidence: Evidence, left: Collection[float] = ()) -> list[str]:
    """The numbers of a sentence that have no ground.

    Args:
        sentence: one sentence of an answer.
        evidence: what it may rest on.
        left: how many rows the answer leaves out, see `rows_left`.
    """
    problems = []
    tokens = tokens_in(sentence)
    for at, token in enumerate(tokens):
        value = value_of(token, hinglish=evidence.hinglish)
        if value is None or _inside_a_name(token, sentence, evidence):
            continue
        if value in left and _LEFT.match(sentence[token.end :]):
            continue
        if token.kind == "ordinal" or token.lower in answer_words().ordinals:
            problem = _ordinal(token, value, sentence, evidence)
        elif (
            token.kind == "word"
            and token.lower in answer_words().hinglish_numbers
            and token.lower not in answer_words().numbers
        ):
            nouns = _nouns(tokens, at, sentence)
            problem = _count(token, value, nouns, sentence, evidence) if nouns else ""
        else:
            nouns = _nouns(tokens, at, sentence)
            problem = _count(token, value, nouns, sentence, evidence) or _plain(
                token, value, nouns, sentence, evidence
            )
        if problem:
            problems.append(problem)
    return problems


def _inside_a_name(token: Token, sentence: str, evidence: Evidence) -> bool:
    """Whether a number is a part of a name or date that the rows or the question hold, such as 'Batch 7'."""
    return any(
        mention.start <= token.start < mention.end and mention.end - mention.start > len(token.text)
        for mention in evidence.mentions(sentence)
    )


def _nouns(tokens: list[Token], at: int, sentence: str) -> list[str]:
    """The noun that a number counts: the next word or the one after it, if it is one that can be counted."""
    for before, token in zip(tokens[at:], tokens[at + 1 : at + 4], strict=False):
        if sentence[before.end : token.start].strip(" -"):
            return []
        if token.kind != "word" or token.lower in _NO_ADJECTIVES:
            return []
        if stem(token.lower) in _THINGS:
            return [token.lower]
    return []


def _ordinal(token: Token, value: float, sentence: str, evidence: Evidence) -> str:
    if _YEARS.match(sentence[token.end :]):
        return "" if value in evidence.numbers else f"No row has the number {value:g}."
    most = max((len(evidence.rows), *(int(n) for n in evidence.counts())), default=0)
    if value <= max(most, 1) or value in evidence.numbers:
        return ""
    return f"There is no number {value:g} in a list of {len(evidence.rows)}."


def _count(token: Token, value: float, nouns: list[str], sentence: str, evidence: Evidence) -> str:
    """'three students': as many as there are, or as a column of numbers says."""
    if not nouns or value in evidence.asked_numbers:
        return ""
    if 1900 <= value <= 2100 and value in evidence.numbers:
        return ""
    if _NOT_A_COUNT.search(sentence[: token.start]) or _is_year_before(sentence, token):
        return ""
    columns = [c for noun in nouns for c in evidence.columns_called(noun)]
    mentions = evidence.mentions(sentence)
    allowed: set[float] = set()
    for column in columns:
        allowed |= evidence.counts(column) | _numbers_of(column, evidence)
        if not _EXISTS.search(sentence):
            allowed |= evidence.group_counts(column)
    if not columns:
        allowed |= evidence.counts() | _numbers_of(None, evidence, nouns[0])
        if not _EXISTS.search(sentence):
            allowed |= evidence.group_counts()
    elif stem(nouns[0]) in GENERIC:
        allowed.add(float(len(evidence.rows)))
    allowed |= _counts_of_named(mentions, columns, evidence)
    if _TOTAL.search(sentence):
        allowed |= evidence.totals
    if value in allowed:
        return ""
    return f"'{token.text} {nouns[0]}' is not what the rows count."


def _is_year_before(sentence: str, token: Token) -> bool:
    return bool(re.search(r"\b(?:year|semester|sem)\s*$", sentence[: token.start], re.I))


def _numbers_of(column: int | None, evidence: Evidence, noun: str = "") -> set[float]:
    found: set[float] = set()
    for row in evidence.cells:
        for at, cell in enumerate(row):
            if noun and evidence.counts_other_than(at, noun):
                continue
            if column is None or at == column:
                found.update(float(v) for v in cell if isinstance(v, int | float) and not isinstance(v, bool))
    return found


def _counts_of_named(mentions: list[Mention], columns: list[int], evidence: Evidence) -> set[float]:
    """How many rows hold a value that the sentence names, and how many things it names."""
    found: set[float] = set()
    attributes = [m for m in mentions if m.columns <= evidence.attribute_columns]
    for mention in attributes:
        rows = [
            row for row, keys in zip(evidence.cells, evidence.row_keys, strict=True) if mention.key in keys
        ]
        found.add(float(len(rows)))
        for column in columns:
            found.add(float(len({key_of(v) for row in rows for v in row[column]})))
    return found


def _plain(token: Token, value: float, nouns: list[str], sentence: str, evidence: Evidence) -> str:
    if value == 1 and token.kind == "word":
        return ""
    if value in evidence.numbers or value in evidence.counts() or value in evidence.group_counts():
        return ""
    if _TOTAL.search(sentence) and value in evidence.totals:
        return ""
    if value == 0 and any(cell in (None, 0, False) or cell == [] for row in evidence.rows for cell in row):
        return ""
    decimals = len(token.text.split(".")[1]) if "." in token.text else 0
    about = re.search(
        r"\b(?:about|around|roughly|approximately|nearly|lagbhag|kareeb|~)\s*$", sentence[: token.start], re.I
    )
    if (decimals or about) and any(round(n, decimals) == value for n in evidence.numbers if n != int(n)):
        return ""
    return f"The number {token.text} stands neither in the rows nor in the question."
