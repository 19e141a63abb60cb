"""What a query says of its own rows: the names that it asked for, whether it sorts, cuts off or negates, and
along which arrows its columns hang together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

_STRING = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
_CASE = re.compile(r"\bCASE\b.*?\bEND\b", re.I | re.S)
_BEFORE_ASKED = re.compile(r"(?:=|<>|CONTAINS|WITH|IN|[:\[,])\s*(?:toLower\s*\(\s*)?$", re.I)
_LIMIT = re.compile(r"\bLIMIT\s+(\d+)", re.I)
_HOP = re.compile(
    r"\(\s*(\w*)([^()]*)\)\s*(<?)-\[\s*\w*\s*:\s*`?(\w+)`?[^\]]*\]-(>?)\s*(?=\(\s*(\w*)([^()]*)\))", re.S
)
_MAPPED = re.compile(r"\{[^}]*?['\"]((?:[^'\"\\]|\\.)*)['\"]")
_FILTER = re.compile(
    r"(?:toLower\s*\(\s*)?\b(\w+)\.\w+\s*\)?\s*(?:=|CONTAINS|STARTS\s+WITH"
    r"|ENDS\s+WITH)\s*(?:toLower\s*\(\s*)?"
    r"['\"]((?:[^'\"\\]|\\.)*)['\"]",
    re.I,
)
_COLUMN = re.compile(r"(\w+)\.\w+(?:\s+AS\s+`?(\w+)`?)?", re.I)
_NEGATIVE = re.compile(
    r"\bNOT\b|\bNONE\s*\(|<>|\bIS\s+NULL\b|=\s*0\b|<\s*1\b|\bWHERE\b[^{}]*\bcount\s*\([^)]*\)\s*=\s*0", re.I
)


@dataclass(frozen=True)
class Arrow:
    """A relationship of the query, from one end to the other; each end is a column of the rows or a typed
    name."""

    type: str
    start: str
    """The column's name, or empty."""
    start_name: str
    """The name that the query asks for at this end, in lower case, or empty."""
    end: str
    end_name: str


@dataclass(frozen=True)
class QueryFacts:
    """What stands in a query."""

    asked: tuple[str, ...] = ()
    """Names and numbers that it compares with or looks for."""
    words: frozenset[str] = frozenset()
    """The words of its labels, types, properties and columns, in lower case."""
    ordered: bool = False
    limit: int | None = None
    negative: bool = False
    arrows: tuple[Arrow, ...] = ()
    counted: Mapping[str, str] = field(default_factory=dict)
    """By column with a number: the label that it counts, or the property that it adds up."""

    def cut_at(self, rows: int) -> bool:
        """Whether a LIMIT may have kept further rows away."""
        return self.limit is not None and rows >= self.limit


@lru_cache(maxsize=256)
def query_facts(cypher: str) -> QueryFacts:
    """Reads a query as far as its answer needs it."""
    if not cypher.strip():
        return QueryFacts()
    plain = _CASE.sub(" ", cypher[:20_000])
    asked: list[str] = []
    for match in _STRING.finditer(plain):
        if _BEFORE_ASKED.search(plain[: match.start()][-40:]):
            asked.append((match[1] if match[1] is not None else match[2]).replace("\\'", "'"))
    bare = _STRING.sub(" ", cypher)
    asked += re.findall(r"(?:=|<|>)\s*(\d+(?:\.\d+)?)", _CASE.sub(" ", bare))
    words = frozenset(
        word.lower()
        for name in re.findall(r"[A-Za-z]\w*", bare)
        for word in re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name)
        if word
    )
    limit = _LIMIT.findall(bare)
    return QueryFacts(
        asked=tuple(asked),
        words=words,
        ordered=bool(re.search(r"\bORDER\s+BY\b", bare, re.I)),
        limit=int(limit[-1]) if limit else None,
        negative=bool(_NEGATIVE.search(_CASE.sub(" ", bare))),
        arrows=tuple(_arrows(plain)),
        counted=_counted(bare),
    )


_AGGREGATE = re.compile(
    r"\b(count|sum|avg|min|max)\s*\(\s*(?:DISTINCT\s+)?(\w+)(?:\.(\w+))?\s*\)\s+AS\s+`?(\w+)`?", re.I
)


def _counted(cypher: str) -> dict[str, str]:
    labels = dict(re.findall(r"\(\s*(\w+)\s*:\s*`?(\w+)`?", cypher))
    found = {}
    for how, variable, name, column in _AGGREGATE.findall(cypher):
        counts = labels.get(variable, "") if how.lower() == "count" else name
        if counts:
            found[column] = counts
    return found


def _arrows(cypher: str) -> list[Arrow]:
    """The directed single relationships, with what is known of their ends."""
    typed = {match[1]: match[2].lower() for match in _FILTER.finditer(cypher)}
    returned = (
        cypher[[m.end() for m in re.finditer(r"\bRETURN\b", cypher, re.I)][-1] :]
        if "RETURN" in cypher.upper()
        else ""
    )
    columns: dict[str, str] = {}
    for match in _COLUMN.finditer(returned.split("ORDER BY")[0]):
        columns.setdefault(match[1], match[2] or match[0])

    def end(variable: str, inside: str) -> tuple[str, str]:
        mapped = _MAPPED.search(inside)
        return columns.get(variable, "") if variable else "", mapped[1].lower() if mapped else typed.get(
            variable, ""
        )

    found = []
    for left, left_in, back, kind, forth, right, right_in in _HOP.findall(cypher):
        if bool(back) == bool(forth):
            continue
        one, two = end(left, left_in), end(right, right_in)
        (start, start_name), (stop, stop_name) = (two, one) if back else (one, two)
        if (start or start_name) and (stop or stop_name):
            found.append(Arrow(kind, start, start_name, stop, stop_name))
    return found
