"""Turns the engine's compact reply into plain values.

A compact reply names labels, relationship types and properties by number. What the numbers mean belongs to
one version of one graph: a `Names` is such a version's list, and never serves another.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from course_lib.college.rows import EdgeValue, NodeValue, PathValue, Rows, Stats

# Without a zone, as the engine's local times are.
_EPOCH = datetime.datetime(1970, 1, 1)


class StaleNamesError(Exception):
    """A reply has a number that these names do not reach."""


@dataclass(frozen=True)
class Names:
    """What the numbers in a reply stand for, at one version of the graph's schema."""

    version: int = 0
    labels: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()


def decode(reply: Sequence[Any], names: Names) -> Rows:
    """The rows and the statistics of a compact reply.

    Raises:
        StaleNamesError: the query itself made new labels, types or properties.
    """
    stats = _stats(reply[-1])
    if len(reply) < 3:
        return Rows(stats=stats)
    columns = [str(head[1]) for head in reply[0]]
    return Rows(columns, [[_value(cell, names) for cell in row] for row in reply[1]], stats)


_COUNTED = {
    "Nodes created": "nodes_created",
    "Nodes deleted": "nodes_deleted",
    "Relationships created": "relationships_created",
    "Relationships deleted": "relationships_deleted",
    "Properties set": "properties_set",
    "Properties removed": "properties_removed",
    "Labels added": "labels_added",
    "Labels removed": "labels_removed",
    "Indices created": "indices_created",
    "Indices deleted": "indices_deleted",
}


def _stats(lines: Sequence[str]) -> Stats:
    counted: dict[str, int] = {}
    milliseconds = 0.0
    for line in lines:
        name, _, value = str(line).partition(": ")
        if name in _COUNTED:
            counted[_COUNTED[name]] = int(float(value))
        elif name == "Query internal execution time":
            milliseconds = float(value.split()[0])
    return Stats(**counted, milliseconds=milliseconds)


def _look_up(names: tuple[str, ...], number: int) -> str:
    if number >= len(names):
        raise StaleNamesError(number)
    return names[number]


def _properties(raw: Sequence[Any], names: Names) -> dict[str, Any]:
    return {_look_up(names.properties, int(number)): _value(rest, names) for number, *rest in raw}


def _node(raw: Any, names: Names) -> NodeValue:
    labels = tuple(_look_up(names.labels, int(number)) for number in raw[1])
    return NodeValue(labels, _properties(raw[2], names), id=int(raw[0]))


def _edge(raw: Any, names: Names) -> EdgeValue:
    return EdgeValue(
        _look_up(names.types, int(raw[1])),
        _properties(raw[4], names),
        id=int(raw[0]),
        source=int(raw[2]),
        target=int(raw[3]),
    )


def _path(raw: Any, names: Names) -> PathValue:
    return PathValue(tuple(_value(raw[0], names)), tuple(_value(raw[1], names)))


def _map(raw: Any, names: Names) -> dict[str, Any]:
    return {str(raw[i]): _value(raw[i + 1], names) for i in range(0, len(raw), 2)}


def _moment(raw: Any) -> datetime.datetime:
    return _EPOCH + datetime.timedelta(seconds=int(raw))


_DECODERS: dict[int, Callable[[Any, Names], Any]] = {
    1: lambda raw, names: None,
    2: lambda raw, names: str(raw),
    3: lambda raw, names: int(raw),
    4: lambda raw, names: raw in ("true", b"true", True),
    5: lambda raw, names: float(raw),
    6: lambda raw, names: [_value(item, names) for item in raw],
    7: _edge,
    8: _node,
    9: _path,
    10: _map,
    11: lambda raw, names: {"latitude": float(raw[0]), "longitude": float(raw[1])},
    12: lambda raw, names: [float(item) for item in raw],
    13: lambda raw, names: _moment(raw),
    14: lambda raw, names: _moment(raw).date(),
    15: lambda raw, names: _moment(raw).time(),
    16: lambda raw, names: datetime.timedelta(seconds=int(raw)),
}
"""The engine's type numbers (as in the client's `ResultSetScalarTypes`) and what becomes of each."""


def _value(cell: Sequence[Any], names: Names) -> Any:
    kind = int(cell[0])
    decoder = _DECODERS.get(kind)
    # A kind that a later engine adds is better shown raw than lost.
    return cell[1] if decoder is None else decoder(cell[1], names)
