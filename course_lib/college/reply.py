"""One query out of whatever a model says.

What is taken off, in this order: invisible characters and end-of-text marks, a JSON wrapper, reasoning,
markdown fences, prose before and after. In a string of the query, all of these are text and stay.

- **Reasoning** (`<think>…</think>` and its kin) is never looked into while it is closed. Where it is never
  closed, the answer may still stand behind it: then the last block counts, and only if it is a query.
- **A closing tag without an opening one**: what stands before it was reasoning.
- **Several queries** in one reply are handed over together, as several statements, so that the guard refuses
  them: to choose one would be to guess, and might hide the other. The same query twice is one.
- **Nothing is repaired** but quotation marks and spaces that an editor has made pretty. What a query does is
  for the guard to judge, so a write stays a write.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from course_lib.college.roles import CLAUSES, OPERATORS
from course_lib.college.tokens import tokens
from course_lib.errors import CourseError

TAGS = (
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reason",
    "reasoning",
    "analysis",
    "scratchpad",
    "reflection",
)
"""Names of tags that reasoning stands in."""
_TAG = re.compile(rf"<\s{{0,3}}(/?)\s{{0,3}}(?:{'|'.join(TAGS)})(?:\s[^<>\n]{{0,80}})?>", re.I)
_MARK = re.compile(
    r"<\|[\w ]{1,30}\|>|</?s>|<(?:eos|bos|end_of_turn|end)>|\[/?INST\]|\[(?:END|EOS|EOT)\]", re.I
)
_LITERAL = re.compile(r"(?<!\w)(?:'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")(?!\w)")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_ODD_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\x0b\x0c]")
_FENCE = re.compile(r"^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<rest>[^\n]*)$", re.M)
_LANGUAGE = re.compile(r"(?:cypher|opencypher|neo4j|sql|graphql|text|txt|plaintext|query|json)\b[ \t]*", re.I)
_START = re.compile(
    r"(?:(?:OPTIONAL\s+)?MATCH(?=\s*\(|\s+[\w`]+\s*=|\s*$|\s*/)|WITH|RETURN|UNWIND|CALL|CREATE|MERGE"
    r"|LOAD\s+CSV|DETACH\s+DELETE|DELETE|SET|REMOVE|DROP|FOREACH|INSERT|EXPLAIN|PROFILE|CYPHER)\b",
    re.I,
)
_LABEL = re.compile(r"^[ \t>*]*(?:\*\*)?[A-Za-z][\w '’-]{0,80}:(?:\*\*)?[ \t]*(?=\S)")
_SENTENCE = re.compile(r"[A-Z][a-z]+\s+[a-z]+[\s:]")
_TITLE = re.compile(r"[ \t>*]*[A-Z][a-z]+(?: [a-z]+)+:\s")
_KEYS = ("cypher", "query", "cypher_query", "statement", "answer", "code", "text", "content", "result")
_PRETTY = {"‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "‚": "'"}
_WORDS = (
    CLAUSES | OPERATORS | frozenset(("END", "ASC", "DESC", "NULL", "TRUE", "FALSE", "CSV", "FROM", "HEADERS"))
)
MOST = 8
"""Queries after which a reply is read no further: with two it is refused already."""
SEEN = 200
"""Characters of a reply that an error quotes."""


class NoCypherError(CourseError):
    """There is no query in a reply; `seen` holds the beginning of what there is."""

    def __init__(self, what: str, next_step: str, seen: str = "") -> None:
        super().__init__(what, next_step)
        self.seen = seen


def extract_cypher(text: str) -> str:
    """The query in a reply.

    Args:
        text: all that the model said.

    Returns:
        The query, without anything round it. Where there are several, all of them, with `;` between.

    Raises:
        NoCypherError: there is none. `seen` holds what there is, for the hint to the model.
    """
    found = _find(text, depth=0) if isinstance(text, str) else ""
    if not found:
        seen = " ".join(str(text).split())[:SEEN]
        what = f"There is no query in the reply, which begins: {seen!r}." if seen else "The reply is empty."
        raise NoCypherError(what, "Ask again for one Cypher query and nothing else.", seen)
    return found


def _find(text: str, depth: int) -> str:
    text = _INVISIBLE.sub("", text)
    wrapped = _unwrapped(text, depth)
    if wrapped:
        return wrapped
    text = _outside(_MARK, text)
    body, tail = _without_reasoning(text)
    found = _queries(body)
    if not found and tail:
        found = _last_block(tail)
    whole = ";\n".join(dict.fromkeys(filter(None, map(_tidy, found))))
    if not whole and depth == 0:
        inner = body[body.find("{") : body.rfind("}") + 1]
        whole = _unwrapped(inner, depth)
    return whole


# ------------------------------------------------------------------- JSON wrappers


def _unwrapped(text: str, depth: int) -> str:
    """The query inside of JSON; empty where the text is no JSON or holds none."""
    stripped = text.strip()
    if depth > 3 or not stripped.startswith(("{", "[", '"')):
        return ""
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return ""
    inner = [_find(one, depth + 1) for one in _strings(value, 0)]
    return ";\n".join(dict.fromkeys(filter(None, inner)))


def _strings(value: Any, depth: int) -> Iterable[str]:
    if depth > 5:
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        keys = [key for key in value if str(key).lower() in _KEYS] or list(value)
        for key in keys:
            yield from _strings(value[key], depth + 1)
    elif isinstance(value, list):
        for item in value[:20]:
            yield from _strings(item, depth + 1)


# ----------------------------------------------------------------------- reasoning


def _spans(text: str) -> tuple[list[int], list[int]]:
    found = [match.span() for match in _LITERAL.finditer(text)]
    return [start for start, _ in found], [end for _, end in found]


def _in_literal(place: int, spans: tuple[list[int], list[int]]) -> bool:
    starts, ends = spans
    before = bisect_right(starts, place) - 1
    return before >= 0 and place < ends[before]


def _outside(pattern: re.Pattern[str], text: str) -> str:
    """The text without what a pattern finds, except in strings."""
    if pattern.search(text) is None:
        return text
    spans = _spans(text)
    return pattern.sub(lambda found: found.group() if _in_literal(found.start(), spans) else "\n", text)


def _without_reasoning(text: str) -> tuple[str, str]:
    """What stands outside of reasoning, and what stands behind a tag that is never closed."""
    if "<" not in text:
        return text, ""
    spans = _spans(text)
    kept: list[str] = []
    depth, last = 0, 0
    for tag in _TAG.finditer(text):
        if _in_literal(tag.start(), spans):
            continue
        if not tag.group(1):
            if depth == 0:
                kept.append(text[last : tag.start()])
                last = tag.end()
            depth += 1
        elif depth == 0:
            kept.clear()  # its opening tag is missing: all before it was reasoning
            last = tag.end()
        else:
            depth -= 1
            if depth == 0:
                last = tag.end()
    if depth:
        return "\n".join(kept), text[last:]
    return "\n".join([*kept, text[last:]]), ""


def _last_block(tail: str) -> list[str]:
    """The query that ends an unclosed reasoning, if one does: a fence at its end, or its last paragraphs."""
    end = len(tail.rstrip())
    blocks = list(_fenced(tail))
    if blocks and blocks[-1][1] >= end:
        content = blocks[-1][2]
        return [content] if _starts_query(content) else []
    rest = tail[blocks[-1][1] :] if blocks else tail
    paragraphs = re.split(r"\n[ \t]*\n", rest)
    for place, paragraph in enumerate(paragraphs):
        # Behind a blank line only: within the reasoning itself a line may well begin with MATCH.
        if place and _starts_query(paragraph):
            return _queries("\n\n".join(paragraphs[place:]))
    return []


# ---------------------------------------------------------------- fences and prose


def _fenced(text: str) -> Iterable[tuple[int, int, str]]:
    """Start, end and content of each fenced block; one that is never closed goes to the end."""
    spans = _spans(text) if "`" in text or "~" in text else ([], [])
    opened: re.Match[str] | None = None
    for line in _FENCE.finditer(text):
        mark, rest = line.group("mark"), line.group("rest")
        if opened is None:
            if _in_literal(line.start("mark"), spans):
                continue
            inline = rest.rstrip()
            if inline.endswith(mark) and len(inline) > len(mark):
                yield line.start(), line.end(), _without_language(inline[: -len(mark)])
            else:
                opened = line
        elif (
            mark[0] == opened.group("mark")[0] and len(mark) >= len(opened.group("mark")) and not rest.strip()
        ):
            yield opened.start(), line.end(), _content(text, opened, line.start())
            opened = None
    if opened is not None:
        yield opened.start(), len(text), _content(text, opened, len(text))


def _content(text: str, opened: re.Match[str], end: int) -> str:
    """What stands in a fence. The query may begin on the fence's own line, behind the language."""
    first = _without_language(opened.group("rest"))
    body = text[opened.end() : end]
    if ">" in text[opened.start() : opened.start("mark")]:  # a fence in a quotation
        body = re.sub(r"^[ \t]*> ?", "", body, flags=re.M)
    return f"{first}\n{body}" if _START.match(first.strip()) else body


def _without_language(text: str) -> str:
    stripped = text.strip()
    language = _LANGUAGE.match(stripped)
    if language and not stripped.upper().startswith("CYPHER "):
        return stripped[language.end() :]
    if language and _START.match(stripped[language.end() :]):
        return stripped[language.end() :]
    return stripped


def _queries(text: str) -> list[str]:
    """All queries of a text that holds no reasoning."""
    found: list[str] = []
    last = 0
    for start, end, content in _fenced(text):
        if len(found) > MOST:
            return found
        found += _in_prose(text[last:start])
        last = end
        if not content.strip():
            continue
        inner = _unwrapped(content, 1)
        if inner or _starts_query(content):
            found.append(inner or content)
        else:
            found += _in_prose(content)
    return found + _in_prose(text[last:])


def _in_prose(text: str) -> list[str]:
    """The queries in text without fences: paragraphs that begin like one, prose round them left out."""
    if not text.strip():
        return []
    found: list[str] = []
    taken: list[str] = []
    blank = False
    for line in text.split("\n"):
        if not line.strip():
            blank = True
            if taken:
                taken.append("")
            continue
        if taken and not (_is_prose(line) if blank else _is_sentence(line)):
            taken.append(line)
        else:
            if taken:
                found.append("\n".join(taken))
            if len(found) > MOST:
                return found
            begun = _query_part(line)
            taken = [begun] if begun else []
        blank = False
    if taken:
        found.append("\n".join(taken))
    return found


def _is_sentence(line: str) -> bool:
    """Whether a line right behind a query is prose: it begins like a sentence, and reads like one."""
    return _SENTENCE.match(line.strip()) is not None and _is_prose(line)


def _query_part(line: str) -> str:
    """The part of a line that a query begins in; empty where none does."""
    plain = line.strip(" \t>")
    if plain.startswith("`") and plain.rstrip(".").endswith("`") and len(plain) > 2:
        plain = plain.rstrip(".").strip("`").strip()
    if _starts_query(plain):
        return plain
    label = _LABEL.match(line)
    if label:
        rest = line[label.end() :].strip().strip("`")
        if _starts_query(rest):
            return rest
    return ""


def _starts_query(text: str) -> bool:
    """Whether a text begins with a clause, and not with a word of prose that is spelled like one."""
    stripped = _without_language(text.lstrip("\n\r\t >"))
    while stripped.startswith(("//", "/*")):
        end = stripped.find("\n") if stripped.startswith("//") else stripped.find("*/")
        if end < 0:
            return False
        stripped = stripped[end + (1 if stripped.startswith("//") else 2) :].lstrip()
    begun = _START.match(stripped)
    if not begun:
        return False
    first = stripped.split("\n", 1)[0]
    return not _is_prose(first) and not (first.rstrip().endswith(":") and len(first.split()) > 2)


def _is_prose(line: str) -> bool:
    """Whether a line reads like a sentence: two bare words in a row that are no words of Cypher."""
    if _TITLE.match(line):
        return True
    before = ""
    for token in tokens(line[:400]):
        word = token.text if token.kind == "name" else ""
        if word and before and word.upper() not in _WORDS and before.upper() not in _WORDS:
            return True
        if word and before.upper() in ("WITH", "RETURN", "MATCH", "CALL") and word.lower() in _ARTICLES:
            return True
        before = word
    return False


_ARTICLES = frozenset(("the", "a", "an", "this", "that", "these", "all", "your", "our", "me"))


def _tidy(query: str) -> str:
    """A query without what an editor or a chat put on it: odd spaces, pretty quotes, `;` at the end."""
    query = _without_language(query) if "\n" not in query.strip() else query
    query = _ODD_SPACE.sub(" ", query).strip()
    if not any(mark in query for mark in _PRETTY):
        return query.rstrip("; \t\r\n`")
    spans = _spans(query)
    out = [
        sign if sign not in _PRETTY or _in_literal(place, spans) else _PRETTY[sign]
        for place, sign in enumerate(query)
    ]
    return "".join(out).rstrip("; \t\r\n`")
