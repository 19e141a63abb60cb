"""Which words of a query are clauses, which are operators, and which are names.

`n.set`, `[:DELETE]`, `{create: 1}` and `AS drop` are names. No list of words tells them from clauses; their
place does. In an expression, things and operators take turns: after an operator comes a thing, so that a word
there is a name whatever it spells. After a thing comes an operator or a new clause. The engine reads in the
same way, and where the two could differ, the word counts as a clause.
"""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.college.tokens import Token


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


CLAUSES = _words(
    "MATCH OPTIONAL WITH RETURN UNWIND CALL YIELD UNION CREATE MERGE DELETE DETACH SET REMOVE DROP FOREACH"
    " INSERT LOAD ON USING START FINISH EXPLAIN PROFILE CYPHER ALTER GRANT REVOKE DENY USE SHOW"
)
"""Words that open a clause or go on with one."""
OPERATORS = _words(
    "AND OR XOR NOT IN CONTAINS STARTS ENDS IS AS WHERE WHEN THEN ELSE ORDER BY SKIP LIMIT DISTINCT ALL"
)
"""Words that ask for a thing after them."""
WRITES = _words("CREATE MERGE DELETE DETACH SET REMOVE DROP FOREACH INSERT ALTER GRANT REVOKE DENY")
"""Words that open a clause that changes the graph, its indexes or its users."""
_AFTER_CLAUSE_THING = _words("END ASC DESC ASCENDING DESCENDING NULL TRUE FALSE")
_PREFIX = _words("NOT DISTINCT CASE")
_CLOSE = {")": "(", "]": "[", "}": "{"}
_SECOND_WORD = {"WITH": ("STARTS", "ENDS"), "BY": ("ORDER",), "WHEN": ("CASE",), "NULL": ("IS",)}
"""Second words of an operator of two -> its first words."""


def roles(tokens: Sequence[Token]) -> list[str]:
    """The role of each token: `clause`, `operator`, `thing`, or `sign`.

    A bare word in the place of a thing is a `thing`, unless it is an operator that stands before one.
    """
    given: list[str] = []
    thing_next = False
    clause_may_start = True
    before: Token | None = None
    for place, token in enumerate(tokens):
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        word = token.word
        if token.kind == "sign":
            given.append("sign")
            if token.text in ")]}":
                thing_next, clause_may_start = False, False
            elif token.text == "{":
                block = _opens_block(tokens, place)
                thing_next, clause_may_start = not block, block
            elif token.text == "*" and thing_next:
                thing_next = False
            elif token.text == ";":
                thing_next, clause_may_start = False, True
            elif token.text == "|":
                # In FOREACH a clause follows; anywhere else an expression.
                thing_next, clause_may_start = True, False
            else:
                thing_next, clause_may_start = True, False
        elif not word:
            given.append("thing")
            thing_next, clause_may_start = False, False
        elif before is not None and given[-1] == "operator" and before.word in _SECOND_WORD.get(word, ()):
            given.append("operator")
            thing_next, clause_may_start = word != "NULL", False
        elif word == "ALL" and before is not None and before.word == "UNION" and given[-1] == "clause":
            given.append("operator")
            thing_next, clause_may_start = False, True
        elif clause_may_start and word in CLAUSES:
            given.append("clause")
            thing_next, clause_may_start = _after_clause(word)
        elif not thing_next and not clause_may_start:
            role, thing_next, clause_may_start = _after_thing(word)
            given.append(role)
        elif (
            word in CLAUSES
            and before is not None
            and before.word
            and before.word not in ("AS", "YIELD", "UNWIND", "BY", "RETURN", "WITH")
            and given[-1] != "thing"
            and after is not None
            and (after.kind in ("name", "quoted", "string") and after.word not in CLAUSES | OPERATORS)
        ):
            # `NOT delete n`: no way to read it as a name leads to a query, so it is taken as what it spells.
            given.append("clause")
            thing_next, clause_may_start = _after_clause(word)
        elif (word in _PREFIX and _goes_on(after)) or (clause_may_start and word in OPERATORS):
            given.append("operator")
            thing_next, clause_may_start = True, False
        else:
            given.append("thing")
            thing_next, clause_may_start = False, False
        before = token
    return given


def _after_clause(word: str) -> tuple[bool, bool]:
    """Whether a thing, and whether a clause, may come after a clause's word."""
    if word in ("UNION", "OPTIONAL", "DETACH", "ON", "EXPLAIN", "PROFILE", "CYPHER"):
        return False, True
    return True, False


def _after_thing(word: str) -> tuple[str, bool, bool]:
    if word in CLAUSES:
        return ("clause", *_after_clause(word))
    if word in _AFTER_CLAUSE_THING:
        return "operator", False, False
    if word in OPERATORS:
        return "operator", True, False
    # Two things side by side are no Cypher; the second may be a clause that this list does not know.
    return "thing", False, False


def _goes_on(after: Token | None) -> bool:
    """Whether what follows can be what a prefix such as NOT stands before."""
    if after is None:
        return False
    if after.kind == "sign":
        return after.text in "([{-+"
    return after.word not in OPERATORS - {"NOT", "DISTINCT"} or after.word in ("WHEN",)


def _opens_block(tokens: Sequence[Token], place: int) -> bool:
    """Whether a `{` holds clauses (CALL {…}, EXISTS {…}) and not a map: a map's first word has a colon."""
    first = tokens[place + 1] if place + 1 < len(tokens) else None
    second = tokens[place + 2] if place + 2 < len(tokens) else None
    if first is None or (first.kind == "sign" and first.text in "}."):
        return False
    if second is not None and second.text == ":" and first.kind in ("name", "quoted"):
        return False
    return first.word in CLAUSES


def pairs(tokens: Sequence[Token]) -> dict[int, int]:
    """Place of each opening bracket -> place of its closing one. One that is never closed is not in it."""
    open_at: list[int] = []
    found: dict[int, int] = {}
    for place, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in "([{":
            open_at.append(place)
        elif token.text in _CLOSE and open_at and tokens[open_at[-1]].text == _CLOSE[token.text]:
            found[open_at.pop()] = place
    return found
