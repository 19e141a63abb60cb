"""What a graph may be called, and how a tenant's graph gets its name.

A graph's name is a key on the server, and part of the rule that says what a reader may read. So it is a plain
identifier: nothing in it can be a pattern, a path or another tenant's name.
"""

from __future__ import annotations

import re

from course_lib.college.errors import BadGraphNameError

DEFAULT_GRAPH = "college"
"""The graph that `open_graph()` opens."""

_IDENTIFIER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
_RESERVED = re.compile(r"user_.*_graph", re.IGNORECASE)


def graph_key(tenant: str | None = None, name: str | None = None) -> str:
    """The key of a graph on the server.

    Args:
        tenant: whose graph; the key becomes `user_<tenant>_graph`.
        name: the name of a lesson's or a scratch graph, used as it is.

    Raises:
        BadGraphNameError: both were given, or one holds anything but letters of the English alphabet, digits,
            `_` and `-`, begins or ends with a mark, or has more than 64 characters.
    """
    if tenant is not None and name is not None:
        raise BadGraphNameError(
            "A graph has a tenant or a name, not both.", "Leave one of them out of open_graph()."
        )
    if tenant is not None:
        return f"user_{_identifier(tenant, 'tenant')}_graph"
    if name is None:
        return DEFAULT_GRAPH
    key = _identifier(name, "graph name")
    if _RESERVED.fullmatch(key):
        raise BadGraphNameError(
            f"{key!r} is how a tenant's graph is called.", "Open it with open_graph(tenant=...)."
        )
    return key


def _identifier(text: object, what: str) -> str:
    if not isinstance(text, str) or not _IDENTIFIER.fullmatch(text):
        shown = repr(text)
        raise BadGraphNameError(
            f"{shown if len(shown) < 80 else shown[:76] + '...'} cannot be a {what}.",
            "Use up to 64 letters (a-z), digits, _ and -, with a letter or a digit first and last.",
        )
    return text
