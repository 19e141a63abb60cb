"""Queries that are wrong without being refused: the slips that come back as no rows, as nulls, or as
nonsense.

A model that writes Cypher all day makes them too, a good prompt notwithstanding: a name in exact letters, an
arrow the wrong way round, a label or a property that sounds right, a whole node, no RETURN at all, or giving
up on a question that the graph could answer. Each function changes that one thing and leaves the rest of the
query as it was, so a hint that names it is enough to mend it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from course_lib.models.practice.cypher_faults import LONGEST_QUERY, blank

_HOP = re.compile(
    r"(?P<left>\(\s*(?P<a>\w*)\s*(?::\s*(?P<a_label>\w+))?[^()\[\]]*\)\s*)"
    r"(?P<back><?)-\s*(?P<rel>\[[^\]]*\])?\s*-(?P<on>>?)"
    r"(?=\s*\(\s*(?P<b>\w*)\s*(?::\s*(?P<b_label>\w+))?)"
)
_COMPARED = re.compile(
    r"toLower\(\s*(?P<loose>\w+\.\w+)\s*\)\s*(?:CONTAINS|=)\s*(['\"])(?P<loosely>_+)\2"
    r"|(?P<exact>\w+\.\w+)\s*=\s*(['\"])(?P<exactly>_+)\5"
    r"|\{\s*\w+\s*:\s*(['\"])(?P<inline>_+)\7\s*\}",
    re.I,
)
_LABELLED = re.compile(r"(?<=[(\w]):\s*(\w+)(?=\s*[){])")
_RETURN = re.compile(r"(?<![\w.])RETURN\s+(?:DISTINCT\s+)?", re.I)
_PROPERTY = re.compile(r"(?<![\w.])(\w+)\.(\w+)(?![\w(])(\s+AS\s+\w+)?", re.I)

_OTHER_LABELS: Mapping[str, str] = {
    "Student": "Person",
    "Subject": "Course",
    "Club": "Society",
    "Skill": "Ability",
    "Project": "Assignment",
    "Concept": "Topic",
    "Note": "Document",
}
_OTHER_PROPERTIES: Mapping[str, str] = {
    "name": "title",
    "grade": "marks",
    "level": "proficiency",
    "year": "year_of_study",
    "text": "content",
    "role": "position",
    "founded": "established",
    "credits": "credit_hours",
}
"""What sounds just as right, for the names of a college; any other name gets an ending."""


def literal_names(query: str) -> str | None:
    """The first name is compared letter by letter, in small letters: `s.name = 'payal'`."""
    masked = blank(query)
    found = _COMPARED.search(masked)
    if found is None:
        return None
    kind = "loosely" if found["loose"] else "exactly" if found["exact"] else "inline"
    value = query[found.start(kind) : found.end(kind)]
    small = value.lower()
    if kind == "inline":
        made = query[: found.start(kind)] + small + query[found.end(kind) :]
    else:
        prop = found["loose"] or found["exact"]
        made = f"{query[: found.start()]}{prop} = '{small}'{query[found.end() :]}"
    return made if made != query else None


def wrong_direction(query: str) -> str | None:
    """The first arrow between two kinds of nodes is turned round."""
    masked = blank(query)
    labels = dict(re.findall(r"\(\s*(\w+)\s*:\s*(\w+)", masked))
    first: str | None = None
    for found in _HOP.finditer(masked):
        if bool(found["back"]) == bool(found["on"]):
            continue
        inside = query[found.start("rel") : found.end("rel")] if found["rel"] else ""
        turned = f"-{inside}->" if found["back"] else f"<-{inside}-"
        made = f"{query[: found.start('back')]}{turned}{query[found.end() :]}"
        left = found["a_label"] or labels.get(found["a"])
        right = found["b_label"] or labels.get(found["b"])
        if left != right and left and right:
            return made
        first = first or made
    return first


def invented_label(query: str) -> str | None:
    """A label that sounds right, in place of the first one."""
    found = _LABELLED.search(blank(query))
    if found is None:
        return None
    label = found.group(1)
    other = _OTHER_LABELS.get(label, f"{label}Entry")
    return re.sub(rf":\s*{re.escape(label)}(?=\s*[)}}{{])", f":{other}", query)


def invented_property(query: str) -> str | None:
    """A property that sounds right, for the first one that is returned."""
    clause = _last_return(query)
    if clause is None:
        return None
    found = _PROPERTY.search(blank(query), clause)
    if found is None:
        return None
    other = _OTHER_PROPERTIES.get(found.group(2), f"{found.group(2)}_value")
    return f"{query[: found.start(2)]}{other}{query[found.end(2) :]}"


def whole_node(query: str) -> str | None:
    """The node itself, in place of the first property that is returned."""
    clause = _last_return(query)
    if clause is None:
        return None
    masked = blank(query)
    nodes = set(re.findall(r"\(\s*(\w+)\s*[:)]", masked))
    for found in _PROPERTY.finditer(masked, clause):
        if found.group(1) in nodes and not re.search(r"\w\(\s*$", masked[: found.start()]):
            return query[: found.start()] + found.group(1) + query[found.end() :]
    return None


def no_return(query: str) -> str | None:
    """Everything up to the RETURN, and then nothing."""
    found = list(_RETURN.finditer(blank(query)))
    if len(found) != 1 or not query[: found[0].start()].strip():
        return None
    return query[: found[0].start()].rstrip()


def false_sentinel(query: str) -> str | None:
    """Gives up: says that the graph cannot answer."""
    return None if "OUT_OF_SCOPE" in query else "RETURN 'OUT_OF_SCOPE' AS status"


SLIPS: Mapping[str, Callable[[str], str | None]] = {
    "literal_names": literal_names,
    "wrong_direction": wrong_direction,
    "invented_label": invented_label,
    "invented_property": invented_property,
    "whole_node": whole_node,
    "no_return": no_return,
    "false_sentinel": false_sentinel,
}
"""Name -> what puts the slip into a query, or gives None where the query has no place for it."""


def slipped(kind: str, query: str) -> str | None:
    """A query with a slip in it, or None where it has no place.

    Args:
        kind: one of `SLIPS`.
        query: the query. One that gives up already, or that is too long for a lesson, stays as it is.
    """
    if len(query) > LONGEST_QUERY or "OUT_OF_SCOPE" in query:
        return None
    made = SLIPS[kind](query)
    return made if made != query else None


def _last_return(query: str) -> int | None:
    """Where the columns of the last RETURN begin."""
    found = list(_RETURN.finditer(blank(query)))
    return found[-1].end() if found else None
