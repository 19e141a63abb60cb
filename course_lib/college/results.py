"""What a query's result holds: values, or whole nodes, relationships and paths.

The scope is followed from clause to clause, through WITH, UNWIND, YIELD, subqueries and every branch of a
UNION; an expression's kind is worked out from its parts. Properties, counts, comparisons and most functions
make plain values; `collect`, `head`, `CASE`, lists and maps hold what was put into them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from course_lib.college.roles import pairs, roles
from course_lib.college.tokens import Token

DEEPEST = 60
"""Brackets within brackets that are followed. Deeper ones are refused."""


class TooDeepError(ValueError):
    """A query's brackets are nested deeper than `DEEPEST`."""


@dataclass(frozen=True)
class Kind:
    """What an expression gives: a plain value, an entity, or a list or map of something."""

    entity: bool = False
    """A node, a relationship or a path."""
    items: Kind | None = None
    """What a list holds."""
    fields: tuple[tuple[str, Kind], ...] | None = None
    """What a map holds, by key."""

    @property
    def holds_entity(self) -> bool:
        """Whether there is a node, relationship or path anywhere in it."""
        return (
            self.entity
            or (self.items is not None and self.items.holds_entity)
            or any(kind.holds_entity for _, kind in self.fields or ())
        )


VALUE = Kind()
ENTITY = Kind(entity=True)


def list_of(kind: Kind) -> Kind:
    """The kind of a list."""
    return Kind(items=kind) if kind.holds_entity else VALUE


def join(kinds: Iterable[Kind]) -> Kind:
    """The kind of something that is one of several: it holds an entity if one of them does."""
    held = [kind for kind in kinds if kind.holds_entity]
    return next((kind for kind in held if kind.entity), held[0] if held else VALUE)


CARRIERS: Mapping[str, str] = {
    **dict.fromkeys(("collect", "tolist"), "list"),
    **dict.fromkeys(("head", "last"), "item"),
    **dict.fromkeys(
        (
            *("tail", "reverse", "slice", "coalesce", "max", "min", "prev", "reduce", "percentiledisc"),
            *("list.sort", "list.dedup", "list.remove", "list.insert", "list.insertlistelements"),
            *("tomap", "merge_maps", "case", "property", "subscript", "add", "distinct"),
            "list_comprehension",
        ),
        "same",
    ),
    **dict.fromkeys(("startnode", "endnode", "topath", "shortestpath"), "entity"),
    **dict.fromkeys(("nodes", "relationships", "rels", "allshortestpaths", "path_filter"), "entities"),
}
"""Function -> what it does with entities. All others make a plain value: `id`, `labels`, `count`, `size` …"""
YIELDS: Mapping[str, Kind] = {
    **dict.fromkeys(("node", "relationship", "path", "edge"), ENTITY),
    **dict.fromkeys(("nodes", "relationships", "edges", "paths"), list_of(ENTITY)),
}
"""Column of a procedure -> its kind; other columns are plain values."""
_COMPARES = frozenset(("=", "<>", "<", ">", "<=", ">=", "=~"))
_COMPARING_WORDS = frozenset(("AND", "OR", "XOR", "NOT", "IN", "CONTAINS", "STARTS", "ENDS", "IS"))
_ARITHMETIC = frozenset("+-*/%^")

Scope = dict[str, Kind]


@dataclass(frozen=True)
class Whole:
    """An item of a result that holds a whole node, relationship or path."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Results:
    """What was found out about a query's result."""

    returns: bool
    """Whether every branch ends in RETURN, or in a procedure call that gives its own rows."""
    wholes: tuple[Whole, ...] = ()
    ends_with_call: bool = False
    after_return: int | None = None
    """Place of the token of a clause that follows a RETURN: the beginning of a second query."""


@dataclass
class Reading:
    """A query being read: its tokens, their roles, and where brackets close."""

    cypher: str
    tokens: Sequence[Token]
    roles: Sequence[str] = field(default_factory=list)
    closes: Mapping[int, int] = field(default_factory=dict)
    depth: int = 0
    after_return: int | None = None

    def is_sign(self, place: int, *texts: str) -> bool:
        """Whether there is one of these signs at a place."""
        return (
            0 <= place < len(self.tokens)
            and self.tokens[place].kind == "sign"
            and self.tokens[place].text in texts
        )

    def is_clause(self, place: int, *words: str) -> bool:
        """Whether one of these clause words stands at a place."""
        return self.roles[place] == "clause" and self.tokens[place].word in words

    def is_operator(self, place: int, *words: str) -> bool:
        """Whether one of these operators stands at a place."""
        return self.roles[place] == "operator" and self.tokens[place].word in words

    def after(self, place: int) -> int:
        """The place after a token, or after the whole bracket that it opens."""
        return self.closes.get(place, place) + 1


def read_results(cypher: str, tokens: Sequence[Token], given: Sequence[str] | None = None) -> Results:
    """Finds whole nodes, relationships and paths in what a query returns.

    Args:
        cypher: the query.
        tokens: its tokens.
        given: their roles, where they are known already.

    Raises:
        TooDeepError: its brackets are nested too deep.
    """
    reading = Reading(cypher, tokens, given if given is not None else roles(tokens), pairs(tokens))
    kinds, wholes, returns, call = _read_block(reading, 0, len(tokens), {})
    del kinds
    return Results(returns or call, tuple(wholes), call and not returns, reading.after_return)


def _read_block(
    reading: Reading, start: int, end: int, outer: Scope
) -> tuple[Scope, list[Whole], bool, bool]:
    """Reads the clauses between two places.

    Returns:
        What the block's RETURN gives (joined over the branches of a UNION), the whole entities in it, whether
        all branches return, and whether it ends in a procedure call.
    """
    reading.depth += 1
    if reading.depth > DEEPEST:
        raise TooDeepError("The query's brackets are nested too deep.")
    branches: list[tuple[Scope, list[Whole], bool, bool]] = []
    branch_start = start
    for place in _top_level(reading, start, end):
        if reading.is_clause(place, "UNION"):
            branches.append(_read_branch(reading, branch_start, place, dict(outer)))
            branch_start = place + 1
    branches.append(_read_branch(reading, branch_start, end, dict(outer)))
    reading.depth -= 1
    kinds: Scope = {}
    for found, _, _, _ in branches:
        for name, kind in found.items():
            kinds[name] = join((kind, kinds.get(name, VALUE)))
    wholes = [whole for _, wholes, _, _ in branches for whole in wholes]
    return kinds, wholes, all(b[2] for b in branches), all(b[2] or b[3] for b in branches) and branches[-1][3]


def _top_level(reading: Reading, start: int, end: int) -> Iterable[int]:
    place = start
    while place < end:
        yield place
        place = reading.after(place)


def _read_branch(
    reading: Reading, start: int, end: int, scope: Scope
) -> tuple[Scope, list[Whole], bool, bool]:
    starts = [place for place in _top_level(reading, start, end) if reading.roles[place] == "clause"]
    returned: Scope = {}
    wholes: list[Whole] = []
    returns = call = False
    for number, place in enumerate(starts):
        stop = starts[number + 1] if number + 1 < len(starts) else end
        word = reading.tokens[place].word
        if returns and reading.after_return is None:
            reading.after_return = place
        returns, call = word == "RETURN", word in ("CALL", "YIELD") and (call or word == "CALL")
        if word == "MATCH":
            bind_pattern(reading, place + 1, stop, scope)
        elif word == "UNWIND":
            _unwind(reading, place + 1, stop, scope)
        elif word in ("WITH", "RETURN"):
            found, these = _project(reading, place + 1, stop, scope)
            if word == "RETURN":
                returned, wholes = found, these
            else:
                scope = found
        elif word == "CALL":
            inner = place + 1
            if reading.is_sign(inner, "("):  # CALL (n) { … }: the variables that it may see
                inner = reading.after(inner)
            if reading.is_sign(inner, "{"):
                found, _, _, _ = _read_block(reading, inner + 1, reading.closes.get(inner, stop), scope)
                scope.update(found)
                call = False
        elif word == "YIELD":
            yielded = _yields(reading, place + 1, stop)
            scope.update(yielded)
            if number + 1 == len(starts):
                wholes = [
                    Whole(reading.tokens[place].text, reading.tokens[place].start, reading.tokens[place].end)
                    for kind in yielded.values()
                    if kind.holds_entity
                ]
    return returned, wholes, returns, call


def bind_pattern(reading: Reading, start: int, end: int, scope: Scope) -> None:
    """Binds the variables of the patterns between two places."""
    top = _top_level(reading, start, end)
    end = next((place for place in top if reading.is_operator(place, "WHERE")), end)
    for place in range(start, end):
        name = reading.tokens[place].name
        if not name or reading.roles[place] != "thing":
            continue
        where = place + 1 < end and reading.is_operator(place + 1, "WHERE")
        named = reading.is_sign(place + 1, "=") and not reading.is_sign(place - 1, ".")
        node = reading.is_sign(place - 1, "(") and (where or reading.is_sign(place + 1, ")", ":", "{"))
        if named or node:
            scope[name] = ENTITY
        elif reading.is_sign(place - 1, "[") and (where or reading.is_sign(place + 1, "]", ":", "{", "*")):
            close = reading.closes.get(place - 1, end)
            many = any(reading.is_sign(p, "*") for p in range(place, close))
            scope[name] = list_of(ENTITY) if many else ENTITY


def _unwind(reading: Reading, start: int, end: int, scope: Scope) -> None:
    for place in _top_level(reading, start, end):
        if reading.is_operator(place, "AS") and place + 1 < end:
            kind = kind_of(reading, start, place, scope)
            scope[reading.tokens[place + 1].name] = _item(kind)
            return


def _yields(reading: Reading, start: int, end: int) -> Scope:
    found: Scope = {}
    place = start
    while place < end and not reading.is_operator(place, "WHERE"):
        name = reading.tokens[place].name
        if name and reading.roles[place] == "thing":
            kind = YIELDS.get(name.lower(), VALUE)
            if place + 2 < end and reading.is_operator(place + 1, "AS"):
                place += 2
                name = reading.tokens[place].name
            found[name] = kind
        place += 1
    return found


def _project(reading: Reading, start: int, end: int, scope: Scope) -> tuple[Scope, list[Whole]]:
    """The columns of a WITH or a RETURN, and those that hold a whole entity."""
    if start < end and reading.is_operator(start, "DISTINCT"):
        start += 1
    stop = next(
        (
            p
            for p in _top_level(reading, start, end)
            if reading.is_operator(p, "ORDER", "SKIP", "LIMIT", "WHERE")
        ),
        end,
    )
    found: Scope = {}
    wholes: list[Whole] = []
    for first, last in _split(reading, start, stop, ","):
        if first >= last:
            continue
        if last == first + 1 and reading.is_sign(first, "*"):
            found.update(scope)
            held = [name for name, kind in scope.items() if kind.holds_entity]
            if held:
                wholes.append(_whole(reading, first, last, held[0]))
            continue
        alias = next((p for p in _top_level(reading, first, last) if reading.is_operator(p, "AS")), None)
        until = last if alias is None else alias
        kind = kind_of(reading, first, until, scope)
        name = reading.tokens[alias + 1].name if alias is not None and alias + 1 < last else ""
        found[name or _text(reading, first, until)] = kind
        if kind.holds_entity:
            wholes.append(_whole(reading, first, until))
    return found, wholes


def _whole(reading: Reading, first: int, last: int, name: str = "") -> Whole:
    return Whole(
        name or _text(reading, first, last), reading.tokens[first].start, reading.tokens[last - 1].end
    )


def _text(reading: Reading, first: int, last: int) -> str:
    token = reading.tokens[first]
    if last == first + 1 and token.name:
        return token.name
    return reading.cypher[token.start : reading.tokens[last - 1].end]


def _split(reading: Reading, start: int, end: int, sign: str) -> Iterable[tuple[int, int]]:
    first = start
    for place in _top_level(reading, start, end):
        if reading.is_sign(place, sign):
            yield first, place
            first = place + 1
    yield first, end


def _item(kind: Kind) -> Kind:
    return kind.items or (ENTITY if kind.entity else VALUE)


def kind_of(reading: Reading, start: int, end: int, scope: Scope) -> Kind:
    """The kind of the expression between two places."""
    if start >= end:
        return VALUE
    reading.depth += 1
    if reading.depth > DEEPEST:
        raise TooDeepError("The query's expressions are nested too deep.")
    try:
        return _expression(reading, start, end, scope)
    finally:
        reading.depth -= 1


def _expression(reading: Reading, start: int, end: int, scope: Scope) -> Kind:
    top = list(_top_level(reading, start, end))
    pattern_end = _pattern_end(reading, start, end)
    rest = [place for place in top if place >= pattern_end]
    if any(reading.is_operator(place, "CASE") for place in top):
        return _case(reading, top, start, end, scope)
    for place in rest:
        if reading.is_operator(place, *_COMPARING_WORDS) or reading.is_sign(place, *_COMPARES):
            return VALUE
    if pattern_end > start:
        # A pattern is a list of its paths.
        return list_of(ENTITY)
    parts: list[tuple[int, int]] = []
    first = start
    for place in top:
        if reading.is_sign(place, *_ARITHMETIC) and place > first:
            parts.append((first, place))
            first = place + 1
    parts.append((first, end))
    if len(parts) > 1:
        return join(kind_of(reading, a, b, scope) for a, b in parts)
    while start < end and reading.is_sign(start, "-", "+"):
        start += 1
    if start >= end:
        return VALUE
    return _postfix(reading, start, end, scope)


def _pattern_end(reading: Reading, start: int, end: int) -> int:
    """The place after a pattern that the expression begins with; its start where it begins with none."""
    place, hops = start, 0
    while place < end and reading.is_sign(place, "("):
        place = reading.after(place)
        arrow = place
        while arrow < end and reading.is_sign(arrow, "-", "<", ">", "["):
            arrow = reading.after(arrow)
        if arrow - place < 2 or not reading.is_sign(arrow, "("):
            break
        place, hops = arrow, hops + 1
    return place if hops else start


def _case(reading: Reading, top: Sequence[int], start: int, end: int, scope: Scope) -> Kind:
    kinds: list[Kind] = []
    depth, first = 0, -1
    for place in top:
        if reading.is_operator(place, "CASE"):
            depth += 1
        if depth == 1 and first >= 0 and reading.is_operator(place, "WHEN", "ELSE", "END"):
            kinds.append(kind_of(reading, first, place, scope))
            first = -1
        if depth == 1 and reading.is_operator(place, "THEN", "ELSE"):
            first = place + 1
        if reading.is_operator(place, "END"):
            depth -= 1
    case = next((p for p in top if reading.is_operator(p, "CASE")), start)
    last = next((p for p in reversed(top) if reading.is_operator(p, "END")), end)
    if any(reading.is_operator(p, *_COMPARING_WORDS) for p in top if p < case or p > last) or any(
        reading.is_sign(p, *_COMPARES) for p in top if p < case or p > last
    ):
        return VALUE
    around = [(start, case), (last + 1, end)]
    kinds += [kind_of(reading, a, b, scope) for a, b in around if b - a > 1]
    return join(kinds)


def _postfix(reading: Reading, start: int, end: int, scope: Scope) -> Kind:
    kind, place = _primary(reading, start, end, scope)
    while place < end:
        if reading.is_sign(place, "."):
            key = reading.tokens[place + 1].name if place + 1 < end else ""
            kind = dict(kind.fields).get(key, VALUE) if kind.fields is not None else VALUE
            place += 2
        elif reading.is_sign(place, "["):
            close = reading.closes.get(place, end)
            if any(reading.is_sign(p, "..") for p in _top_level(reading, place + 1, close)):
                pass
            elif kind.fields is not None:
                kind = join(of for _, of in kind.fields)
            else:
                kind = VALUE if kind.entity else kind.items or VALUE
            place = close + 1
        elif reading.is_sign(place, "{"):
            kind = _map(reading, place, scope, kind)
            place = reading.after(place)
        elif reading.is_sign(place, ":"):
            return VALUE
        else:
            return kind
    return kind


def _primary(reading: Reading, start: int, end: int, scope: Scope) -> tuple[Kind, int]:
    """The kind of the first thing of an expression, and the place after it."""
    token = reading.tokens[start]
    if reading.is_sign(start, "("):
        close = reading.closes.get(start, end)
        return kind_of(reading, start + 1, close, scope), close + 1
    if reading.is_sign(start, "["):
        return _list(reading, start, reading.closes.get(start, end), scope)
    if reading.is_sign(start, "{"):
        return _map(reading, start, scope, None), reading.after(start)
    if not token.name:
        return VALUE, start + 1
    call = _call_of(reading, start, end)
    if call is None:
        return scope.get(token.name, VALUE), start + 1
    name, opening = call
    close = reading.closes.get(opening, end)
    if reading.is_sign(opening, "{"):  # EXISTS { … }, COUNT { … }, COLLECT { … }
        if name != "collect":
            return VALUE, close + 1
        found, _, _, _ = _read_block(reading, opening + 1, close, scope)
        return list_of(join(found.values())), close + 1
    return _function(reading, name, opening, close, scope), close + 1


def _call_of(reading: Reading, start: int, end: int) -> tuple[str, int] | None:
    """The name of the function that is called here and the place of its bracket; None for a variable."""
    place, name = start, reading.tokens[start].name
    while place + 2 < end and reading.is_sign(place + 1, ".") and reading.tokens[place + 2].name:
        place += 2
        name += "." + reading.tokens[place].name
    if place + 1 < end and reading.is_sign(place + 1, "("):
        return name.lower(), place + 1
    block = place == start and place + 1 < end and reading.is_sign(place + 1, "{")
    if block and name.lower() in ("exists", "count", "collect"):
        return name.lower(), place + 1
    return None


def _function(reading: Reading, name: str, opening: int, close: int, scope: Scope) -> Kind:
    does = CARRIERS.get(name)
    first = opening + 1
    if does is None:
        return VALUE
    if does == "entity":
        return ENTITY
    if does == "entities":
        return list_of(ENTITY)
    if first < close and reading.is_operator(first, "DISTINCT"):
        first += 1
    if name == "reduce":
        return _reduce(reading, first, close, scope)
    kind = join(kind_of(reading, a, b, scope) for a, b in _split(reading, first, close, ","))
    if does == "list":
        return list_of(kind)
    return _item(kind) if does == "item" else kind


def _reduce(reading: Reading, start: int, close: int, scope: Scope) -> Kind:
    """`reduce(total = first, x IN list | next)`."""
    top = list(_top_level(reading, start, close))
    bar = next((p for p in top if reading.is_sign(p, "|")), close)
    comma = next((p for p in top if reading.is_sign(p, ",")), bar)
    inside = dict(scope)
    kind = kind_of(reading, start + 2, comma, scope)
    inside[reading.tokens[start].name] = kind
    if comma + 2 < bar:
        inside[reading.tokens[comma + 1].name] = _item(kind_of(reading, comma + 3, bar, scope))
    return join((kind, kind_of(reading, bar + 1, close, inside)))


def _list(reading: Reading, start: int, close: int, scope: Scope) -> tuple[Kind, int]:
    """A list, a list comprehension or a pattern comprehension."""
    top = list(_top_level(reading, start + 1, close))
    bar = next((p for p in top if reading.is_sign(p, "|")), close)
    where = next((p for p in top if reading.is_operator(p, "WHERE")), bar)
    first = start + 1
    name = reading.tokens[first].name if first < close else ""
    named = 2 if name and reading.is_sign(first + 1, "=") else 0
    inside = dict(scope)
    if _pattern_end(reading, first + named, close) > first + named:
        bind_pattern(reading, first, min(where, bar), inside)
        if bar < close:
            return list_of(kind_of(reading, bar + 1, close, inside)), close + 1
        return list_of(list_of(ENTITY)), close + 1
    if name and first + 1 < close and reading.is_operator(first + 1, "IN"):
        item = _item(kind_of(reading, first + 2, min(where, bar), scope))
        inside[name] = item
        kind = item if bar >= close else kind_of(reading, bar + 1, close, inside)
        return list_of(kind), close + 1
    kinds = [kind_of(reading, a, b, scope) for a, b in _split(reading, first, close, ",")]
    return list_of(join(kinds)), close + 1


def _map(reading: Reading, start: int, scope: Scope, of: Kind | None) -> Kind:
    """A map, or a choice of an entity's properties: `n {.name, friend: m}`."""
    close = reading.closes.get(start, len(reading.tokens))
    fields: list[tuple[str, Kind]] = []
    for first, last in _split(reading, start + 1, close, ","):
        if first >= last:
            continue
        if reading.is_sign(first, "."):
            if of is not None and of.fields is not None:
                fields += [
                    f
                    for f in of.fields
                    if reading.is_sign(first + 1, "*") or f[0] == _name(reading, first + 1)
                ]
        elif reading.is_sign(first + 1, ":") and first + 1 < last:
            fields.append((_name(reading, first), kind_of(reading, first + 2, last, scope)))
        else:
            fields.append((_name(reading, first), kind_of(reading, first, last, scope)))
    return Kind(fields=tuple(fields))


def _name(reading: Reading, place: int) -> str:
    return reading.tokens[place].name if place < len(reading.tokens) else ""
