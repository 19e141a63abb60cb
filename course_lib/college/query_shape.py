"""What a query talks about: its nodes, hops, properties, and the names that it compares with.

This is no parser of Cypher. It reads the patterns and the comparisons, which is what a hint is about, from
the guard's tokens; whatever it does not recognise it leaves out, and the engine has the last word. So nothing
here ever says that a query is wrong: it says what stands in it, and only where that is certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from course_lib.college.tokens import Token, tokens

_BEFORE_PATTERN = frozenset(
    ("MATCH", "WHERE", "NOT", "AND", "OR", "XOR", "RETURN", "WITH", "WHEN", "THEN", "ELSE", "IN", "DISTINCT")
)
"""Words that an opening bracket may follow without being a function's."""
_LONGEST = 20_000
"""Characters. A longer text is read by the guard and the engine, not here."""


class Piece(NamedTuple):
    """A token, cut down to what the reading needs: a name, a text, a number, a parameter or one sign."""

    kind: str
    """`name`, `text`, `number`, `parameter` or `sign`."""
    text: str
    """A name without its backticks, a text without its quotes."""
    start: int
    end: int

    def is_word(self, *words: str) -> bool:
        """Whether this is one of these keywords, in any case."""
        return self.kind == "name" and self.text.upper() in words

    def is_sign(self, *signs: str) -> bool:
        """Whether this is one of these signs."""
        return self.kind == "sign" and self.text in signs


@dataclass(frozen=True)
class Place:
    """A name and where it stands in the query, in characters."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class NodePattern:
    """`(s:Student {name: 'Payal'})`."""

    variable: str
    labels: tuple[Place, ...]
    keys: tuple[Place, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Hop:
    """`-[r:STUDIES]->` between two nodes, told from left to right."""

    left: NodePattern
    right: NodePattern
    variable: str
    types: tuple[Place, ...]
    keys: tuple[Place, ...]
    arrow: str
    """`->`, `<-` or `-` for either way."""
    many: bool
    """Whether it may be several hops or none (`*`)."""
    none: bool
    """Whether it may be no hop at all (`*0..2`)."""
    start: int
    end: int


@dataclass(frozen=True)
class PropertyUse:
    """`s.name`."""

    variable: str
    property: Place


@dataclass(frozen=True)
class Compared:
    """A text that a property is compared with: `toLower(s.name) CONTAINS 'payal'`, `{name: 'Payal'}`."""

    variable: str
    property: str
    text: str
    operator: str
    """`=`, `CONTAINS`, `STARTS WITH`, `ENDS WITH` or `IN`."""
    start: int
    end: int
    labels: tuple[str, ...] = ()
    """The labels of a node without a variable, whose map this stands in."""
    lowered: bool = False
    """Whether the property goes through `toLower` first."""


@dataclass(frozen=True)
class Branch:
    """One branch of a query (there are several with UNION)."""

    nodes: tuple[NodePattern, ...] = ()
    hops: tuple[Hop, ...] = ()
    uses: tuple[PropertyUse, ...] = ()
    compared: tuple[Compared, ...] = ()
    asserted: tuple[tuple[str, Place], ...] = ()
    """`WHERE s:Student`: variable and label."""
    path_types: tuple[Place, ...] = ()
    """The texts in `relTypes: [...]` of a path procedure."""
    unsure: frozenset[str] = frozenset()
    """Variables that mean different things at different places (`WITH s.name AS s`): nothing is said of
    them."""

    def labels_of(self, variable: str) -> frozenset[str]:
        """The labels that a variable has anywhere in this branch."""
        if not variable or variable in self.unsure:
            return frozenset()
        stated = {label.text for node in self.nodes if node.variable == variable for label in node.labels}
        return frozenset(stated | {label.text for name, label in self.asserted if name == variable})

    def types_of(self, variable: str) -> frozenset[str]:
        """The relationship types that a variable has; none of them where it may be a list of
        relationships."""
        if not variable or variable in self.unsure:
            return frozenset()
        bound = [hop for hop in self.hops if hop.variable == variable]
        if any(hop.many for hop in bound):
            return frozenset()
        return frozenset(kind.text for hop in bound for kind in hop.types)


@dataclass(frozen=True)
class QueryShape:
    """What a query talks about."""

    branches: tuple[Branch, ...]
    pieces: tuple[Piece, ...] = field(repr=False, default=())

    @property
    def returns(self) -> bool:
        """Whether a RETURN stands anywhere in it."""
        return any(piece.is_word("RETURN") for piece in self.pieces)

    @property
    def compared(self) -> tuple[Compared, ...]:
        """Every text that a property is compared with."""
        return tuple(compared for branch in self.branches for compared in branch.compared)


def read_shape(cypher: str) -> QueryShape:
    """Reads what a query talks about.

    Args:
        cypher: the query. A text that is no query, or a very long one, has an empty shape.
    """
    if len(cypher) > _LONGEST:
        return QueryShape(())
    pieces = tuple(_pieces(cypher))
    return QueryShape(tuple(_Reader(branch).read() for branch in _branches(pieces)), pieces)


def _pieces(cypher: str) -> Iterator[Piece]:
    for token in tokens(cypher):
        yield from _cut(token)


def _cut(token: Token) -> Iterator[Piece]:
    text = token.text
    first = text[:1]
    if not text.strip() or text.startswith(("//", "/*")):
        return
    if first == "`":
        yield Piece("name", text[1:].removesuffix("`").replace("``", "`"), token.start, token.end)
    elif first in "'\"":
        yield Piece("text", _unescaped(text[1:].removesuffix(first)), token.start, token.end)
    elif first == "$" and len(text) > 1:
        yield Piece("parameter", text[1:], token.start, token.end)
    elif first.isalpha() or first == "_":
        yield Piece("name", text, token.start, token.end)
    elif first.isdigit():
        yield Piece("number", text, token.start, token.end)
    else:
        for place, sign in enumerate(text):
            yield Piece("sign", sign, token.start + place, token.start + place + 1)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    out: list[str] = []
    signs = iter(text)
    for sign in signs:
        if sign == "\\":
            after = next(signs, "")
            out.append({"n": "\n", "t": "\t", "r": "\r"}.get(after, after))
        else:
            out.append(sign)
    return "".join(out)


def _branches(pieces: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
    start = 0
    for place, piece in enumerate(pieces):
        if piece.is_word("UNION"):
            yield pieces[start:place]
            start = place + 1
    yield pieces[start:]


class _Reader:
    """Reads one branch. Every `_read_…` gives what it found and the place after it, or None."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.nodes: list[NodePattern] = []
        self.hops: list[Hop] = []
        self.compared: list[Compared] = []

    def read(self) -> Branch:
        self._read_chains()
        return Branch(
            tuple(self.nodes),
            tuple(self.hops),
            tuple(self._uses()),
            tuple(sorted([*self.compared, *self._comparisons()], key=lambda c: c.start)),
            tuple(self._asserted()),
            tuple(self._path_types()),
            frozenset(self._unsure()),
        )

    def _sign(self, place: int, *signs: str) -> bool:
        return 0 <= place < len(self.pieces) and self.pieces[place].is_sign(*signs)

    def _kind(self, place: int, kind: str) -> bool:
        return 0 <= place < len(self.pieces) and self.pieces[place].kind == kind

    # ---- patterns ----------------------------------------

    def _read_chains(self) -> None:
        place = 0
        while place < len(self.pieces):
            node = self._read_node(place) if self._may_open(place) else None
            if node is None:
                place += 1
                continue
            left, place = node
            self._take(left)
            while (hop := self._read_hop(place, left)) is not None:
                left, place = hop[0].right, hop[1]
                self.hops.append(hop[0])
                self._take(left)

    def _take(self, node: NodePattern) -> None:
        self.nodes.append(node)

    def _may_open(self, place: int) -> bool:
        if not self._sign(place, "("):
            return False
        before = self.pieces[place - 1] if place else None
        return before is None or before.kind != "name" or before.is_word(*_BEFORE_PATTERN)

    def _read_node(self, place: int) -> tuple[NodePattern, int] | None:
        start = place
        place += 1
        variable = ""
        if self._kind(place, "name"):
            variable = self.pieces[place].text
            place += 1
        labels, place = self._read_names(place, ":", ("|", ":", "&"))
        keys: tuple[Place, ...] = ()
        if self._sign(place, "{"):
            read = self._read_map(place, variable, tuple(label.text for label in labels))
            if read is None:
                return None
            keys, place = read
        elif self._kind(place, "parameter"):
            place += 1
        if not self._sign(place, ")"):
            return None
        node = NodePattern(variable, labels, keys, self.pieces[start].start, self.pieces[place].end)
        return node, place + 1

    def _read_names(self, place: int, first: str, joints: Iterable[str]) -> tuple[tuple[Place, ...], int]:
        """`:A|B` or `:A:B`; nothing where it does not begin."""
        if not self._sign(place, first):
            return (), place
        found = []
        while self._sign(place, first, *joints):
            while self._sign(place, first, *joints):
                place += 1
            if not self._kind(place, "name"):
                break
            piece = self.pieces[place]
            found.append(Place(piece.text, piece.start, piece.end))
            place += 1
        return tuple(found), place

    def _read_map(
        self, place: int, variable: str, labels: tuple[str, ...] = ()
    ) -> tuple[tuple[Place, ...], int] | None:
        """`{name: 'Payal', year: 2}`: its keys; texts in it are comparisons."""
        keys: list[Place] = []
        depth = 0
        while place < len(self.pieces):
            piece = self.pieces[place]
            if piece.is_sign("{", "[", "("):
                depth += 1
            elif piece.is_sign("}", "]", ")"):
                depth -= 1
                if depth == 0:
                    return tuple(keys), place + 1
            elif depth == 1 and piece.kind == "name" and self._sign(place + 1, ":"):
                keys.append(Place(piece.text, piece.start, piece.end))
                after = self.pieces[place + 2] if place + 2 < len(self.pieces) else None
                if after is not None and after.kind == "text":
                    self.compared.append(
                        Compared(variable, piece.text, after.text, "=", after.start, after.end, labels)
                    )
            place += 1
        return None

    def _read_hop(self, place: int, left: NodePattern) -> tuple[Hop, int] | None:
        start = place
        backwards = self._sign(place, "<")
        place += backwards
        if not self._sign(place, "-"):
            return None
        place += 1
        variable, many, none = "", False, False
        kinds: tuple[Place, ...] = ()
        keys: tuple[Place, ...] = ()
        if self._sign(place, "["):
            place += 1
            if self._kind(place, "name"):
                variable = self.pieces[place].text
                place += 1
            kinds, place = self._read_names(place, ":", ("|",))
            if self._sign(place, "*"):
                many = True
                none = self._kind(place + 1, "number") and self.pieces[place + 1].text.startswith("0")
                place += 1
                while self._kind(place, "number") or self._sign(place, "."):
                    place += 1
            if self._sign(place, "{"):
                read = self._read_map(place, variable)
                if read is None:
                    return None
                keys, place = read
            if not self._sign(place, "]"):
                return None
            place += 1
        if not self._sign(place, "-"):
            return None
        place += 1
        forwards = self._sign(place, ">")
        place += forwards
        end = self.pieces[place - 1].end
        node = self._read_node(place) if self._sign(place, "(") else None
        if node is None:
            return None
        arrow = "-" if backwards == forwards else "<-" if backwards else "->"
        hop = Hop(
            left, node[0], variable, kinds, keys, arrow, many, none, self.pieces[start].start, end
        )  # fmt: skip
        return hop, node[1]

    # ---- the rest ----------------------------------------

    def _uses(self) -> Iterator[PropertyUse]:
        for place, piece in enumerate(self.pieces):
            if (
                piece.kind == "name"
                and self._sign(place + 1, ".")
                and self._kind(place + 2, "name")
                and not self._sign(place - 1, ".")
                and not self._sign(place + 3, "(", ".")
            ):
                used = self.pieces[place + 2]
                yield PropertyUse(piece.text, Place(used.text, used.start, used.end))

    def _comparisons(self) -> Iterator[Compared]:
        for place, piece in enumerate(self.pieces):
            if piece.kind != "text":
                continue
            at, operator = self._operator_before(place)
            if operator is None:
                continue
            found = self._property_before(at)
            if found is not None:
                variable, prop, lowered = found
                both = self._sign(place - 1, "(") and place >= 2 and self.pieces[place - 2].is_word("TOLOWER")
                text = piece.text.lower() if both else piece.text
                yield Compared(variable, prop, text, operator, piece.start, piece.end, lowered=lowered)

    def _operator_before(self, place: int) -> tuple[int, str | None]:
        """The operator that a text stands behind, and its place."""
        at = place - 1
        # toLower('DBMS') on the right is as good as the text itself.
        if self._sign(at, "(") and self._kind(at - 1, "name"):
            at -= 2
        if at >= 0:
            piece = self.pieces[at]
            if piece.is_sign("=") or piece.is_word("CONTAINS"):
                return at, "=" if piece.text == "=" else "CONTAINS"
            if piece.is_word("WITH") and at and self.pieces[at - 1].is_word("STARTS", "ENDS"):
                return at - 1, f"{self.pieces[at - 1].text.upper()} WITH"
        while at >= 0 and (self.pieces[at].kind == "text" or self.pieces[at].is_sign(",")):
            at -= 1
        if self._sign(at, "[") and at and self.pieces[at - 1].is_word("IN"):
            return at - 1, "IN"
        return at, None

    def _property_before(self, at: int) -> tuple[str, str, bool] | None:
        """`s.name` or `toLower(s.name)` before an operator: variable, property, and whether it is lowered."""
        end = at - 1
        while self._sign(end, ")"):
            end -= 1
        if end >= 2 and self._kind(end, "name") and self._sign(end - 1, ".") and self._kind(end - 2, "name"):
            lowered = self._sign(end - 3, "(") and end >= 4 and self.pieces[end - 4].is_word("TOLOWER")
            return self.pieces[end - 2].text, self.pieces[end].text, lowered
        return None

    def _asserted(self) -> Iterator[tuple[str, Place]]:
        """`WHERE s:Student`, outside of any bracket that could be a map or a pattern."""
        depth = 0
        for place, piece in enumerate(self.pieces):
            if piece.is_sign("{", "["):
                depth += 1
            elif piece.is_sign("}", "]"):
                depth -= 1
            elif (
                depth == 0
                and piece.kind == "name"
                and self._sign(place + 1, ":")
                and self._kind(place + 2, "name")
                and place
                and self.pieces[place - 1].is_word("WHERE", "AND", "OR", "NOT", "XOR")
            ):
                label = self.pieces[place + 2]
                yield piece.text, Place(label.text, label.start, label.end)

    def _path_types(self) -> Iterator[Place]:
        for place, piece in enumerate(self.pieces):
            if piece.kind == "name" and piece.text == "relTypes" and self._sign(place + 1, ":"):
                for listed in self.pieces[place + 3 :]:
                    if listed.is_sign("]"):
                        break
                    if listed.kind == "text":
                        yield Place(listed.text, listed.start, listed.end)

    def _unsure(self) -> Iterator[str]:
        for before, piece in pairwise(self.pieces):
            if piece.kind == "name" and before.is_word("AS"):
                yield piece.text
            elif before.kind == "name" and piece.is_word("IN"):
                yield before.text
