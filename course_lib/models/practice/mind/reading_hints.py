"""The previous attempt in the prompt: the query, and what went wrong.

A hint that names a fault is acted on, and only that fault is mended. A hint that says nothing ('that did not
work, try again') changes nothing: the same query comes back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from course_lib.models.practice.mind.reading_rules import Rule, read_rules

_QUERY_START = re.compile(
    r"^\s*(?:MATCH|OPTIONAL MATCH|RETURN|WITH|UNWIND|CALL|CREATE|MERGE|DELETE|DETACH)\b"
)
_QUERY_LABEL = re.compile(
    r"^\s*(?:[-*]\s*)?(?:the |your |previous |last )*(?:query|cypher|reply|attempt)\b[^:\n]{0,30}:\s*(.*)$",
    re.I,
)
_WRONG_LABEL = re.compile(
    r"^\s*(?:[-*]\s*)?(?:what went wrong|problem|error|hint|reason|result|feedback|why"
    r"|the engine (?:said|says)|advice|fault)\b[^:\n]{0,30}:\s*(.*)$",
    re.I,
)
_ARROWED = re.compile(
    r"['\"‘“`]([^'\"’”`]{1,60})['\"’”`]\s*(?:→|->|=>|(?:is |was )?(?:near(?:ly)?"
    r"|close(?:st)? to|should be|probably means|means|may be|might be|could be"
    r"|looks like))\s*['\"‘“`]([^'\"’”`]{1,60})['\"’”`]"
)
_MEANT = re.compile(
    r"(?:did you mean|perhaps you mean|nearest(?: values?| names?)?|closest(?: values?"
    r"| names?)?|similar(?: values?| names?)?|close values?|try|values? in the graph"
    r"|known (?:values?|names?))\b[^'\"‘“`\n]{0,60}"
    r"((?:['\"‘“`][^'\"’”`\n]{1,60}['\"’”`](?:\s*(?:,|or|and)\s*)?)+)",
    re.I,
)
_QUOTED = re.compile(r"['\"‘“`]([^'\"’”`\n]{1,60})['\"’”`]")
_EMPTY = re.compile(
    r"\b(?:0|no|zero|empty)\s+(?:rows?|results?|records?|matches)\b|returned nothing"
    r"|nothing (?:was )?found|empty result",
    re.I,
)
_SPELLING = re.compile(
    r"\bspell|\bfuzz|\bnear(?:ly|est)?\b|\bclose(?:st)? (?:match|value|name)|\bloose|tolower"
    r"|\bcontains\b|\btypo|partial",
    re.I,
)
_DIRECTION = re.compile(r"\bdirection|\barrow|\bgoes from\b|\bruns from\b|\bother way", re.I)
_UNSAFE = re.compile(
    r"\bunsafe|\brefus|\bforbid|\bnot allowed|\bread[- ]?only\b|\bwrite clause"
    r"|\bwould (?:change|write|delete)|only read\b|\bmay only read|\bdelete[sd]?\b"
    r"|\bcreates?\b[^.]{0,20}\bnot",
    re.I,
)
_ENGINE = re.compile(
    r"errmsg|\berrctx\b|invalid input|unknown function|type mismatch|not defined"
    r"|does not (?:currently )?support|only supports?|syntax error|unable to"
    r"|must have the same|currently (?:only )?support|not supported"
    r"|query cannot|undefined",
    re.I,
)
_SHORTEST = re.compile(r"shortestpaths?", re.I)
_SCHEMA = re.compile(
    r"\b(?:no|unknown|does not exist|is not a|are not in|not in the schema|there is no"
    r"|no such)\b[^.\n]{0,60}\b(?:labels?|relationships?|types?|propert\w+|schema)\b"
    r"|\b(?:labels?|relationship types?|propert\w+)\b[^.\n]{0,60}\b(?:do(?:es)? not exist"
    r"|unknown|not in the (?:graph|schema)|is not (?:known|there))",
    re.I,
)
_SENTINEL = re.compile(r"out_of_scope", re.I)
_PROSE = re.compile(
    r"\bno (?:query|cypher)\b|\bnot (?:a )?(?:query|cypher)\b|\bprose\b|\bmarkdown\b|\bfence"
    r"|could not find a query",
    re.I,
)
_ROWS = re.compile(r"too many rows|\blimit\b|timed? ?out|too slow", re.I)
_NO_RETURN = re.compile(r"\b(?:no|without|needs?)\b[^.\n]{0,15}\breturn\b", re.I)


@dataclass(frozen=True)
class Hint:
    """What a previous attempt's complaint tells the model."""

    query: str = ""
    """The query that failed."""
    vague: bool = False
    """The complaint names no fault."""
    rules: frozenset[Rule] = frozenset()
    """Rules that the complaint states or implies."""
    offers: tuple[tuple[str, str], ...] = field(default=())
    """(as typed or empty, spelling offered) pairs."""
    respell: bool = False
    unsafe: bool = False
    invented: bool = False
    """The complaint says that a label, type or property does not exist."""
    path_in_with: bool = False
    limit: int | None = None
    advice: str = ""
    """What was said, without the queries."""


def read_hint(text: str) -> Hint | None:
    """What the part about the previous attempt says; None when there is none."""
    if not text.strip():
        return None
    query, wrong = _split(text)
    # The query itself is quoted in engine messages: what it holds is not advice.
    advice = wrong.replace(query, " ") if query else wrong
    advice = re.sub(r"errCtx:.*$", " ", advice, flags=re.I | re.M)
    rules = set(read_rules(advice).rules)
    offers = [(typed, spelled) for typed, spelled in _ARROWED.findall(advice)]
    for listed in _MEANT.findall(advice):
        offers += [("", value) for value in _QUOTED.findall(listed)]
    respell = bool(_SPELLING.search(advice))
    unsafe = bool(_UNSAFE.search(advice)) and not _SPELLING.search(advice)
    invented = bool(_SCHEMA.search(advice))
    path = bool(_SHORTEST.search(advice))
    if re.search(r"whole node|specific propert", advice, re.I):
        rules.add(Rule.PROPERTIES_ONLY)
    if _PROSE.search(advice):
        rules.add(Rule.CYPHER_ONLY)
    if respell:
        rules.add(Rule.LOOSE_NAMES)
    known = (
        rules
        or offers
        or respell
        or unsafe
        or invented
        or path
        or _DIRECTION.search(advice)
        or _ENGINE.search(advice)
        or _SENTINEL.search(advice)
        or _ROWS.search(advice)
        or _NO_RETURN.search(advice)
    )
    limit = re.search(r"\blimit(?: of)? (\d+)", advice, re.I)
    return Hint(
        query=query,
        vague=not known,
        rules=frozenset(rules),
        offers=tuple(dict.fromkeys(offers)),
        respell=respell,
        unsafe=unsafe,
        invented=invented,
        path_in_with=path,
        limit=int(limit.group(1)) if limit else (25 if re.search(r"too many rows", advice, re.I) else None),
        advice=advice.strip(),
    )


def _split(text: str) -> tuple[str, str]:
    """The failed query and the complaint about it."""
    fenced = re.search(r"```(?:cypher)?\s*\n(.*?)```", text, re.S | re.I)
    if fenced:
        return fenced.group(1).strip(), text[: fenced.start()] + text[fenced.end() :]
    queries: list[list[str]] = []
    wrong: list[str] = []
    where = wrong
    for line in text.splitlines():
        match = _WRONG_LABEL.match(line)
        if match:
            where = wrong
            where.append(match.group(1))
            continue
        match = _QUERY_LABEL.match(line)
        if match and (not queries or where is wrong):
            # Each earlier attempt brings its query and its complaint; the last query is the one to mend.
            queries.append([match.group(1)] if match.group(1) else [])
            where = queries[-1]
            continue
        if where is wrong and not queries and _QUERY_START.match(line):
            queries.append([])
            where = queries[-1]
        elif where is not wrong and where and not line.strip():
            where = wrong
        where.append(line)
    query = next((made for lines in reversed(queries) if (made := "\n".join(lines).strip())), "")
    return query, "\n".join(wrong).strip()
