"""Finds names in a query that the graph does not know: a label, a relationship type or a property misspelt.

The engine says nothing about them. It looks for what is not there, and finds nothing.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from course_lib.classroom.outcome import Outcome, nearly, wrong

if TYPE_CHECKING:
    from course_lib.college.graph import Graph, Rows

Kind = Literal["label", "relationship type", "property"]

_TOKEN = re.compile(r"`[^`]+`|[A-Za-z_]\w*|\S")
_OPENS = {"(": ")", "[": "]", "{": "}"}
_CLOSE_ENOUGH = 0.75
"""From this likeness on (difflib's ratio, 0 to 1) a name counts as misspelt rather than as another one."""


def blame_spelling(text: str, yours: Rows, graph: Graph) -> Outcome | None:
    """What to say when rows are empty because of a name that the graph does not know; else None.

    Args:
        text: the learner's query, with strings and comments taken out.
        yours: the rows that it gave.
        graph: the graph that it ran on.
    """
    if not _holds_nothing(yours):
        return None
    known: dict[Kind, tuple[str, ...]] = {
        "label": _names(graph, "labels"),
        "relationship type": _names(graph, "relationshipTypes"),
        "property": _names(graph, "propertyKeys"),
    }
    for kind, name in names_in(text):
        if name in known[kind]:
            continue
        like = difflib.get_close_matches(
            name.lower(), [other.lower() for other in known[kind]], 1, _CLOSE_ENOUGH
        )
        what = "Nothing in this graph has a property" if kind == "property" else f"There is no {kind}"
        where = "" if kind == "property" else " in this graph"
        return (nearly if like else wrong)(
            f"{what} `{name}`{where}. Compare the spelling with the picture or the table above.", yours
        )
    return None


def names_in(text: str) -> Iterator[tuple[Kind, str]]:
    """The labels, relationship types and properties that a query names, in the order in which they stand.

    Args:
        text: a query, with strings and comments taken out. Keys of a map that is no pattern's do not count,
            nor do those of a variable that comes from one.
    """
    words = _TOKEN.findall(text)
    variables = set(_pattern_variables(words))
    inside: list[str] = []
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        after = words[index + 1] if index + 1 < len(words) else ""
        if word in _OPENS:
            inside.append(_kind_of_bracket(word, before, inside))
        elif word in _OPENS.values() and inside:
            inside.pop()
        elif not _is_name(word):
            continue
        elif before == ":" or (before == "|" and inside and inside[-1] == "relationship"):
            if not inside or inside[-1] not in ("relationship", "map", "properties"):
                yield "label", word.strip("`")
            elif inside[-1] == "relationship":
                yield "relationship type", word.strip("`")
        else:
            is_key = after == ":" and bool(inside) and inside[-1] == "properties"
            behind_dot = before == "." and index > 1 and words[index - 2] in variables and after != "("
            if is_key or behind_dot:
                yield "property", word.strip("`")


def _kind_of_bracket(word: str, before: str, inside: Sequence[str]) -> str:
    if word == "[":
        return "relationship" if before == "-" else "list"
    if word == "(":
        return "call" if _is_name(before) and before.upper() not in _BEFORE_A_NODE else "node"
    # A map right inside a node or a relationship holds properties, such as (s:Student {name: 'Karan'}).
    opened = inside[-1] if inside else ""
    return "properties" if opened in ("node", "relationship") and before not in (",", "=") else "map"


_BEFORE_A_NODE = {"MATCH", "WHERE", "NOT", "AND", "OR", "XOR", "CREATE", "MERGE", "IN", "EXISTS"}


def _pattern_variables(words: Sequence[str]) -> Iterator[str]:
    for index, word in enumerate(words[:-1]):
        before = words[index - 1] if index else ""
        opens = (word == "(" and (not _is_name(before) or before.upper() in _BEFORE_A_NODE)) or (
            word == "[" and before == "-"
        )
        follows = words[index + 2] if index + 2 < len(words) else ""
        if opens and _is_name(words[index + 1]) and follows in (":", ")", "]", "{", "*"):
            yield words[index + 1]


def _is_name(word: str) -> bool:
    return word.startswith("`") or word[:1].isalpha() or word[:1] == "_"


def _holds_nothing(rows: Rows) -> bool:
    """Whether there are no rows, or a column in which each cell is null or each is 0."""
    empty: tuple[Callable[[object], bool], ...] = (
        lambda cell: cell is None,
        lambda cell: type(cell) is int and cell == 0,
    )
    return any(
        all(test(row[column]) for row in rows) for column in range(len(rows.columns)) for test in empty
    )


def _names(graph: Graph, procedure: str) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in graph.read(f"CALL db.{procedure}()"))
