"""Which fault a hint names: a model that is told of its habit drops it, and only that one.

'That did not work, try again' names nothing, and nothing is dropped. The words are looked for in what was
said about the earlier attempts, never in the queries that are quoted with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from course_lib.models.practice.conversation import Reply, Request
from course_lib.models.practice.cypher_faults import unpack
from course_lib.models.practice.mind.prompt_form import read_prompt
from course_lib.models.practice.mind.reading_hints import read_hint

_NAMED: Mapping[str, re.Pattern[str]] = {
    "neo4j_syntax": re.compile(
        r"errmsg|invalid input|could not read|does not (?:currently )?support|only supports?|not supported|=~"
        r"|\bexists\s*\{|\bcount\s*\{|shortestpath|syntax error|unknown function|not defined|type mismatch",
        re.I,
    ),
    "literal_names": re.compile(r"\bspell|\bfuzz|\bloose|\btolower|\bcontains\b|\bnear\b|did you mean", re.I),
    "wrong_direction": re.compile(r"\bdirection|\barrow|other way round|\bgoes from\b", re.I),
    "invented_label": re.compile(r"\b(?:no|unknown|not a)\s+(?:such )?label|label\b[^.\n]{0,40}\bnot", re.I),
    "invented_property": re.compile(
        r"\b(?:no|unknown|not a)\s+(?:such )?propert|propert\w+\b[^.\n]{0,40}\bnot", re.I
    ),
    "whole_node": re.compile(r"whole (?:node|relation|path|graph)|specific propert|single propert", re.I),
    "no_return": re.compile(r"\b(?:no|without|needs?|lacks?|add|missing)\b[^.\n]{0,20}\breturn\b", re.I),
    "write": re.compile(
        r"\bunsafe|\bread[- ]?only|\bonly (?:ever )?reads?\b|only be read|\bdelet|\bwrit(?:e|es|ing) clause"
        r"|would (?:change|write|delete)",
        re.I,
    ),
    "false_sentinel": re.compile(r"out_of_scope", re.I),
}


def was_told(kind: str, request: Request) -> bool:
    """Whether what is said about an earlier attempt names this fault.

    Args:
        kind: a fault. One that no hint could be about (a fence, a dropped connection) is never named.
        request: the request, with the earlier attempts in it.
    """
    hint = read_hint(read_prompt(request).attempt)
    pattern = _NAMED.get(kind)
    return hint is not None and pattern is not None and pattern.search(hint.advice) is not None


def came_back(reply: Reply, request: Request) -> bool:
    """Whether a reply only repeats the query that failed: then its fault is in it already."""
    hint = read_hint(read_prompt(request).attempt)
    packed = unpack(reply.text)
    said = packed.query if packed is not None else reply.text
    return hint is not None and bool(hint.query) and said.split() == hint.query.split()
