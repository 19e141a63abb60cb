"""Whether a query that a model wrote may run: it only reads, and its result holds values, no whole nodes.

This is the courtesy in front of the boundary. The boundary is the database's own user, who can only read; the
guard catches what that user may still do (`LOAD CSV` fetches files and web pages, whole nodes hand out every
property) and says in one sentence what is wrong, so that a model can mend it.

| code | what it means |
|---|---|
| `ok` | may run |
| `empty` | there is no query |
| `too_long` | longer than `LONGEST` characters |
| `unterminated` | a string, a name in backticks, a comment or a bracket never ends |
| `bad_character` | a control character or an invisible space that the engine does not take |
| `header` | it begins with `CYPHER name=value`: parameters come with the call, not in the text |
| `plan` | `EXPLAIN` or `PROFILE` in front, which the engine drops or runs |
| `several_statements` | more than one statement, or a clause after RETURN |
| `not_cypher` | it does not begin with a clause |
| `write_clause` | a clause that changes the graph, its indexes or its users |
| `load_csv` | it reads a file or a web address |
| `procedure` | a procedure that is not on the list of those that only read |
| `whole_node` | the result holds a whole node, relationship or path |
| `no_return` | nothing is returned |
| `too_deep` | brackets within brackets, dozens deep |
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from course_lib.college.results import DEEPEST, TooDeepError, read_results
from course_lib.college.roles import WRITES, roles
from course_lib.college.tokens import Token, tokens

LONGEST = 20_000
"""Characters of the longest query that is looked at. A model's query has a few hundred."""
CODES: Mapping[str, str] = {
    "ok": "may run",
    "empty": "there is no query",
    "too_long": "the query is too long",
    "unterminated": "a string, a name in backticks, a comment or a bracket never ends",
    "bad_character": "a character that the engine does not take",
    "header": "parameters in the text of the query",
    "plan": "EXPLAIN or PROFILE in front of the query",
    "several_statements": "more than one statement",
    "not_cypher": "it does not begin with a clause",
    "write_clause": "a clause that changes the graph",
    "load_csv": "a clause that reads a file or a web address",
    "procedure": "a procedure that is not on the list",
    "whole_node": "a whole node, relationship or path in the result",
    "no_return": "nothing is returned",
    "too_deep": "brackets nested too deep",
}
"""Every code that a verdict can have, and what it means. Codes stay; sentences may change."""
READ_PROCEDURES = frozenset(
    (
        "algo.betweenness",
        "algo.bfs",
        "algo.labelpropagation",
        "algo.msf",
        "algo.pagerank",
        "algo.sppaths",
        "algo.sspaths",
        "algo.wcc",
        "db.constraints",
        "db.idx.fulltext.querynodes",
        "db.idx.fulltext.queryrelationships",
        "db.idx.vector.querynodes",
        "db.idx.vector.queryrelationships",
        "db.indexes",
        "db.labels",
        "db.meta.stats",
        "db.propertykeys",
        "db.relationshiptypes",
        "dbms.functions",
        "dbms.procedures",
    )
)
"""The procedures that FalkorDB 4.16 lists as READ in `dbms.procedures()`, in lower case."""
_WHOLE_PROCEDURES = frozenset(name for name in READ_PROCEDURES if name.startswith(("algo.", "db.idx.")))
_OPENS = {")": "(", "]": "[", "}": "{"}
_UNWANTED = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]"
)


@dataclass(frozen=True)
class Verdict:
    """What the guard says of a query."""

    ok: bool
    code: str
    """One of `CODES`."""
    reason: str = ""
    """A sentence that a model can act on; empty when the query may run."""
    span: tuple[int, int] | None = None
    """Where in the query the reason stands: first character and the one after the last."""


def check(cypher: str) -> Verdict:
    """Looks at a query, without running it. Never raises, and takes time in proportion to its length.

    Args:
        cypher: any text.

    Returns:
        The verdict; the first thing that is wrong, in the order of the table above.
    """
    if not isinstance(cypher, str) or not cypher.strip():
        return Verdict(False, "empty", "Write one Cypher query.")
    if len(cypher) > LONGEST:
        return Verdict(False, "too_long", f"Write a query of at most {LONGEST:,} characters.")
    found = tokens(cypher)
    if not found:
        return Verdict(False, "empty", "Write one Cypher query; this is only a comment.")
    return _forms(cypher, found) or _clauses(cypher, found)


def _no(code: str, reason: str, token: Token, last: Token | None = None) -> Verdict:
    return Verdict(False, code, reason, (token.start, (last or token).end))


def _forms(cypher: str, found: Sequence[Token]) -> Verdict | None:
    """What is wrong with the query as a text."""
    last = found[-1]
    if last.kind == "open":
        what = {"'": "string", '"': "string", "`": "name in backticks"}.get(last.text[0], "comment")
        return _no("unterminated", f"Close the {what} that begins here: {last.text[:20]}", last)
    for token in found:
        if token.kind == "sign" and _UNWANTED.match(token.text):
            return _no("bad_character", f"Take out the character U+{ord(token.text):04X}.", token)
    first = found[0]
    if first.word == "CYPHER":
        return _no("header", "Leave out the CYPHER header; begin with a clause such as MATCH.", first)
    if first.word in ("EXPLAIN", "PROFILE"):
        return _no("plan", f"Leave out {first.word}; begin with a clause such as MATCH.", first)
    ends = [place for place, token in enumerate(found) if token.kind == "sign" and token.text == ";"]
    # Only at the end may they stand: `RETURN 1;;` is one statement.
    if ends and ends[0] != len(found) - len(ends):
        return _no("several_statements", "Write one statement only, without `;` inside.", found[ends[0]])
    if ends and ends[0] == 0:
        return Verdict(False, "empty", "Write one Cypher query.")
    return _brackets(found)


def _brackets(found: Sequence[Token]) -> Verdict | None:
    """What is wrong with the brackets: one that is never closed or opened, or dozens within one another."""
    opened: list[Token] = []
    for token in found:
        if token.kind != "sign":
            continue
        if token.text in "([{":
            opened.append(token)
            if len(opened) > DEEPEST:
                return _no("too_deep", "Write the query with fewer brackets within brackets.", token)
        elif token.text in _OPENS and (not opened or opened.pop().text != _OPENS[token.text]):
            return _no("unterminated", f"Take out this `{token.text}`, or open it first.", token)
    if opened:
        return _no("unterminated", f"Close the `{opened[-1].text}` that opens here.", opened[-1])
    return None


def _clauses(cypher: str, found: Sequence[Token]) -> Verdict:
    """What is wrong with what the query does."""
    given = roles(found)
    if given[0] != "clause":
        return _no("not_cypher", "Write Cypher alone, and begin with a clause such as MATCH.", found[0])
    for place, token in enumerate(found):
        if given[place] != "clause":
            continue
        if token.word in WRITES:
            return _no("write_clause", f"Remove `{token.text}`: this graph can only be read.", token)
        if token.word == "LOAD":
            return _no("load_csv", "Remove `LOAD CSV`: files and web addresses are not read here.", token)
        if token.word == "CALL" and (refused := _procedure(found, place)):
            return refused
    try:
        results = read_results(cypher, found, given)
    except TooDeepError:
        return _no("too_deep", "Write the query with fewer brackets within brackets.", found[0], found[-1])
    if results.after_return is not None:
        token = found[results.after_return]
        return _no("several_statements", "Write one query: after RETURN nothing may follow but UNION.", token)
    if results.wholes:
        whole = results.wholes[0]
        return Verdict(
            False,
            "whole_node",
            f"Return properties, such as {_example(whole.text)}, instead of the whole"
            f" node, relationship or path `{whole.text}`.",
            (whole.start, whole.end),
        )
    if results.ends_with_call:
        return _bare_call(found, given)
    if not results.returns:
        return _no("no_return", "End the query with RETURN and the properties that answer.", found[-1])
    return Verdict(True, "ok")


def _example(text: str) -> str:
    return f"{text}.name" if re.fullmatch(r"\w+", text) else "n.name"


def _procedure(found: Sequence[Token], place: int) -> Verdict | None:
    """The verdict on a procedure call; None where it is on the list, or is a subquery."""
    first = place + 1
    if first < len(found) and found[first].kind == "sign" and found[first].text in "{(":
        return None
    name, last = _name_at(found, first)
    if name.lower() in READ_PROCEDURES:
        return None
    token = found[min(first, len(found) - 1)]
    return _no(
        "procedure", f"Do not call {name or 'this'}: it is not a procedure that only reads.", token, last
    )


def _name_at(found: Sequence[Token], first: int) -> tuple[str, Token | None]:
    name, last, place = "", None, first
    while place < len(found) and found[place].name:
        name, last = name + found[place].name, found[place]
        if place + 1 < len(found) and found[place + 1].text == ".":
            name, place = name + ".", place + 2
        else:
            break
    return name, last


def _bare_call(found: Sequence[Token], given: Sequence[str]) -> Verdict:
    """A procedure call that ends the query gives all its columns, unless YIELD chooses."""
    place = max(p for p, token in enumerate(found) if given[p] == "clause" and token.word == "CALL")
    name, last = _name_at(found, place + 1)
    yields = any(given[p] == "clause" and found[p].word == "YIELD" for p in range(place, len(found)))
    if not yields and name.lower() in _WHOLE_PROCEDURES:
        return _no(
            "whole_node",
            f"Choose columns of {name} with YIELD, and RETURN properties of them.",
            found[place],
            last,
        )
    return Verdict(True, "ok")
