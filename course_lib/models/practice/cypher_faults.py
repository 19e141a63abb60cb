"""Turning a fine query into what a model with Neo4j habits would write, or into a write.

FalkorDB speaks Cypher, but not all of Neo4j's. Each habit here is good Neo4j and is refused by the engine
(FalkorDB 4.16, each one run); the rest of the query stays as it was, so a precise error hint is enough to
mend it. The functions read the query with its string literals blanked out, so nothing inside quotes is ever
touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

LONGEST_QUERY = 10_000
"""Characters; a longer text is no query of a lesson, and is left alone."""

_STARTS = re.compile(r"(?:MATCH|OPTIONAL\s+MATCH|UNWIND|CALL|WITH|RETURN)\b")
_CLAUSE = re.compile(
    r"(?<![\w.])(?:OPTIONAL\s+MATCH|MATCH|WHERE|(?<!STARTS\s)(?<!ENDS\s)WITH|RETURN|ORDER\s+BY|UNWIND|CALL|YIELD"
    r"|LIMIT|SKIP|UNION)\b",
    re.IGNORECASE,
)
_NODE = re.compile(r"\((\w*)\s*:\s*(\w+)\s*(\{[^{}]*\})?\s*\)")
_HOP = re.compile(
    r"\((?P<left>\w*)\s*(?::\s*(?P<left_label>\w+))?[^()\[\]]*\)\s*"
    r"(?P<rel><?-\s*(?:\[[^\]]*\])?\s*->?)\s*"
    r"\((?P<right>\w*)\s*(?::\s*(?P<right_label>\w+))?[^()\[\]]*\)"
)


def looks_like_query(text: str) -> bool:
    """Whether a reply is a bare Cypher query: it starts with a reading clause and returns or calls something.

    Keywords count in capitals only, as models write them: 'With an A+, Payal can return …' is prose.
    """
    stripped = text.strip()
    if not _STARTS.match(stripped) or "```" in stripped:
        return False
    return re.search(r"\b(RETURN|CALL)\b", blank(stripped)) is not None


@dataclass(frozen=True)
class Packed:
    """A query and what stands around it: nothing, or prose and a markdown fence."""

    before: str
    query: str
    after: str

    def with_query(self, query: str) -> str:
        """The whole text with another query in it."""
        return f"{self.before}{query}{self.after}"


_FENCED = re.compile(r"```(?:cypher|opencypher|sql)?[ \t]*\n(.*?)\n?```", re.DOTALL | re.IGNORECASE)


def unpack(text: str) -> Packed | None:
    """Finds the query of a reply, be it bare or in the only fence of the text; None where there is none."""
    if looks_like_query(text):
        return Packed("", text, "")
    fenced = list(_FENCED.finditer(text))
    if len(fenced) != 1 or not looks_like_query(fenced[0].group(1)):
        return None
    start, end = fenced[0].span(1)
    return Packed(text[:start], text[start:end], text[end:])


def blank(query: str) -> str:
    """The query, same length, with everything between quotes replaced by `_`."""
    out: list[str] = []
    quote = ""
    escaped = False
    for char in query:
        if quote:
            closing = char == quote and not escaped
            escaped = char == "\\" and not escaped
            out.append(char if closing else "_")
            if closing:
                quote = ""
        else:
            if char in "'\"`":
                quote = char
            out.append(char)
    return "".join(out)


@dataclass(frozen=True)
class _Clause:
    keyword: str
    start: int
    body: int
    """Where the text after the keyword begins."""
    end: int


def _clauses(masked: str) -> list[_Clause]:
    """The clauses outside of any bracket, in order."""
    depth = 0
    depths = []
    for char in masked:
        if char in ")]}":
            depth -= 1
        depths.append(depth)
        if char in "([{":
            depth += 1
    found = [m for m in _CLAUSE.finditer(masked) if depths[m.start()] == 0]
    return [
        _Clause(
            re.sub(r"\s+", " ", m.group().upper()),
            m.start(),
            m.end(),
            found[i + 1].start() if i + 1 < len(found) else len(masked),
        )
        for i, m in enumerate(found)
    ]


def _first_match(masked: str) -> _Clause | None:
    return next((c for c in _clauses(masked) if c.keyword == "MATCH"), None)


def _with_condition(query: str, condition: str) -> str | None:
    """The query with one more condition on its first MATCH."""
    masked = blank(query)
    clauses = _clauses(masked)
    index = next((i for i, c in enumerate(clauses) if c.keyword == "MATCH"), None)
    if index is None:
        return None
    following = clauses[index + 1] if index + 1 < len(clauses) else None
    if following is not None and following.keyword == "WHERE":
        rest = query[following.body : following.end].strip()
        if re.search(r"\bOR\b", blank(rest), re.IGNORECASE):
            rest = f"({rest})"
        gap = query[following.body : following.end][len(query[following.body : following.end].rstrip()) :]
        return f"{query[: following.body]} {condition} AND {rest}{gap}{query[following.end :]}"
    match = clauses[index]
    pattern = query[match.start : match.end].rstrip()
    gap = query[match.start : match.end][len(pattern) :] or " "
    return f"{query[: match.start]}{pattern} WHERE {condition}{gap}{query[match.end :]}"


def _regex_match(query: str) -> str | None:
    """`toLower(x.p) CONTAINS 'v'` or `x.p = 'v'` becomes `x.p =~ '(?i).*v.*'`."""
    masked = blank(query)
    loose = re.search(
        r"toLower\(\s*(\w+\.\w+)\s*\)\s+CONTAINS\s+(?:toLower\(\s*)?(['\"])(_+)\2(?:\s*\))?",
        masked,
        re.IGNORECASE,
    )
    exact = re.search(r"(\w+\.\w+)\s*=\s*(['\"])(_+)\2", masked)
    lowered = re.search(r"toLower\(\s*(\w+\.\w+)\s*\)\s*=\s*(['\"])(_+)\2", masked, re.IGNORECASE)
    found = loose or lowered or exact
    if found is not None:
        value = query[found.start(3) : found.end(3)]
        pattern = f"(?i).*{value}.*" if found is loose else f"(?i){value}"
        return f"{query[: found.start()]}{found.group(1)} =~ '{pattern}'{query[found.end() :]}"
    inline = re.search(r"\((\w+)\s*:\s*(\w+)\s*\{\s*(\w+)\s*:\s*(['\"])(_+)\4\s*\}\s*\)", masked)
    if inline is None:
        return None
    value = query[inline.start(5) : inline.end(5)]
    plain = f"{query[: inline.start()]}({inline.group(1)}:{inline.group(2)}){query[inline.end() :]}"
    return _with_condition(plain, f"{inline.group(1)}.{inline.group(3)} =~ '(?i){value}'")


def _where_in_node(query: str) -> str | None:
    """`(s:Student {name: 'X'})` becomes `(s:Student WHERE s.name = 'X')`."""
    masked = blank(query)
    match = _first_match(masked)
    if match is None:
        return None
    nodes = [m for m in _NODE.finditer(masked, match.body, match.end) if m.group(1) or m.group(3)]
    found = next((m for m in nodes if m.group(3)), nodes[0] if nodes else None)
    if found is None:
        return None
    name = found.group(1) or "n0"
    if found.group(3):
        entries = query[found.start(3) + 1 : found.end(3) - 1]
        conditions = []
        start = 0
        for comma in [*(m.start() for m in re.finditer(",", blank(entries))), len(entries)]:
            key, _, value = entries[start:comma].partition(":")
            conditions.append(f"{name}.{key.strip()} = {value.strip()}")
            start = comma + 1
        condition = " AND ".join(conditions)
    else:
        used = re.search(rf"\b{re.escape(name)}\.(\w+)", masked)
        condition = f"{name}.{used.group(1) if used else 'name'} IS NOT NULL"
    node = f"({name}:{found.group(2)} WHERE {condition})"
    return f"{query[: found.start()]}{node}{query[found.end() :]}"


def _hop_condition(query: str) -> str | None:
    """The first hop of the query as a pattern that needs no new names: `(s)-[:STUDIES]->(:Subject)`."""
    masked = blank(query)
    match = _first_match(masked)
    found = _HOP.search(masked, match.body, match.end) if match is not None else None
    if found is None or not (found.group("left") or found.group("right")):
        return None
    kind = re.search(r":\s*([\w|:]+)", found.group("rel"))
    inside = f"[:{kind.group(1)}]" if kind else ""
    left_arrow, right_arrow = found.group("rel").startswith("<"), found.group("rel").rstrip().endswith(">")
    relation = f"{'<' if left_arrow else ''}-{inside}-{'>' if right_arrow else ''}"

    def side(name: str, label: str | None) -> str:
        return f"({name})" if name else (f"(:{label})" if label else "()")

    if found.group("left"):
        right = f"(:{found.group('right_label')})" if found.group("right_label") else "()"
        return f"({found.group('left')}){relation}{right}"
    return f"{side('', found.group('left_label'))}{relation}({found.group('right')})"


def _exists_block(query: str) -> str | None:
    """A condition `EXISTS { (s)-[:R]->(:L) }` on the first MATCH."""
    hop = _hop_condition(query)
    return _with_condition(query, f"EXISTS {{ {hop} }}") if hop else None


def _count_block(query: str) -> str | None:
    """A condition `COUNT { (s)-[:R]->(:L) } > 0` on the first MATCH."""
    hop = _hop_condition(query)
    return _with_condition(query, f"COUNT {{ {hop} }} > 0") if hop else None


def _shortest_path(query: str) -> str | None:
    """`shortestPath` in MATCH, in place of the engine's own procedure or around the first hop."""
    masked = blank(query)
    call = re.search(
        r"CALL\s+algo\.SPpaths\s*\(\s*\{[^{}]*\}\s*\)\s*YIELD\s+(\w+)[\w\s,]*?(?=\bRETURN|\bWITH)",
        masked,
        re.I,
    )
    if call is not None:
        options = query[call.start() : call.end()]
        source = re.search(r"sourceNode\s*:\s*(\w+)", options)
        target = re.search(r"targetNode\s*:\s*(\w+)", options)
        types = re.search(r"relTypes\s*:\s*\[([^\]]*)\]", options)
        if source is None or target is None:
            return None
        kinds = "|".join(re.findall(r"\w+", types.group(1))) if types else ""
        relation = f"[:{kinds}*]" if kinds else "[*]"
        path = f"shortestPath(({source.group(1)})-{relation}->({target.group(1)}))"
        return f"{query[: call.start()]}MATCH {call.group(1)} = {path} {query[call.end() :]}"
    match = _first_match(masked)
    found = _HOP.search(masked, match.body, match.end) if match is not None else None
    if match is None or found is None or query[match.body : found.start()].strip():
        return None
    after = query[found.end() : match.end]
    if re.match(r"\s*<?-", after):
        if not found.group("right"):
            return None
        after = f", ({found.group('right')}){after.lstrip()}"
    path = f" p = shortestPath({query[found.start() : found.end()]})"
    return f"{query[: match.body]}{path}{after}{query[match.end :]}"


def _quantified_path(query: str) -> str | None:
    """`-[:R*1..3]->` becomes `-[:R]->{1,3}`."""
    masked = blank(query)
    found = re.search(r"-\[\s*(\w*\s*:\s*[\w|:]+)\s*\*\s*(\d*)\s*(\.\.)?\s*(\d*)\s*\]-(>?)", masked)
    if found is None:
        return None
    kind, low, dots, high, arrow = found.groups()
    upper = high if dots else low
    count = f"{{{low or '1'},{upper}}}" if low or upper else "+"
    return f"{query[: found.start()]}-[{kind}]-{arrow}{count}{query[found.end() :]}"


HABITS: Mapping[str, Callable[[str], str | None]] = {
    "regex_match": _regex_match,
    "where_in_node": _where_in_node,
    "exists_block": _exists_block,
    "count_block": _count_block,
    "shortest_path": _shortest_path,
    "quantified_path": _quantified_path,
}
"""Name -> what puts the habit into a query, or gives None where the query has no place for it."""


def applicable_habits(query: str) -> dict[str, str]:
    """Every habit that this query has a place for, with the query it makes."""
    if len(query) > LONGEST_QUERY:
        return {}
    made = {name: put(query) for name, put in HABITS.items()}
    return {name: text for name, text in made.items() if text is not None and text != query}


def as_delete(query: str) -> str | None:
    """What the query finds, deleted in place of returned; None where it finds no nodes by name."""
    masked = blank(query)
    clauses = _clauses(masked)
    index = next((i for i, c in enumerate(clauses) if c.keyword == "MATCH"), None)
    if index is None:
        return None
    end = clauses[index].end
    if index + 1 < len(clauses) and clauses[index + 1].keyword == "WHERE":
        end = clauses[index + 1].end
    node = re.search(r"\((\w+)\s*[:){]", masked[clauses[index].body : end])
    if node is None:
        return None
    return f"{query[clauses[index].start : end].rstrip()} DETACH DELETE {node.group(1)}"
