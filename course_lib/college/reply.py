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
_QUOTES = {
    "'": re.compile(r"[^'\\\n]*(?:\\.[^'\\\n]*)*'"),
    '"': re.compile(r'[^"\\\n]*(?:\\.[^"\\\n]*)*"'),
    "`": re.compile(r"[^`\n]+`"),
    "/*": re.compile(r"[^\n]*?\*/"),
}
_QUOTE = re.compile(r"['\"]|`+|/\*|\n")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")
_ODD_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\x0b\x0c]")
_FENCE = re.compile(r"^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*(?P<rest>[^\n]*)$", re.M)
_LANGUAGE = re.compile(r"(?:cypher|opencypher|neo4j|sql|graphql|text|txt|plaintext|query|json)\b[ \t]*", re.I)
_START = re.compile(
    r"(?:(?:OPTIONAL\s+)?MATCH(?=\s*\(|\s+[\w`]+\s*=|\s*$|\s*/)|WITH|RETURN|UNWIND|CALL|CREATE|MERGE"
    r"|LOAD\s+CSV|DETACH\s+DELETE|DELETE|SET|REMOVE|DROP|FOREACH|INSERT|EXPLAIN|PROFILE|CYPHER)\b",
    re.I,
)
_COMMENTS = re.compile(r"(?:\s+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)*+")
_LABEL = re.compile(r"^[ \t>*]*(?:\*\*)?[A-Za-z][\w '’-]{0,80}:(?:\*\*)?[ \t]*(?=\S)")
_SENTENCE = re.compile(r"[A-Z][a-z]+(?:\s+[a-z]+[\s:]|[.!:])")
_TITLE = re.compile(r"[ \t>*]*[A-Z][a-z]+(?: [a-z]+)*(?::\s|[.!:]$)")
# An object becomes the list of its values: a key that comes twice would otherwise hide its first value.
_DECODER = json.JSONDecoder(object_pairs_hook=lambda pairs: [value for _, value in pairs], strict=False)
_JSON = re.compile(r'[{\[]\s*["{\[]')
_DEEPEST = 3
_MOST_JSON = 50
_PRETTY = {"‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "‚": "'"}
_WORDS = (
    CLAUSES | OPERATORS | frozenset(("END", "ASC", "DESC", "NULL", "TRUE", "FALSE", "CSV", "FROM", "HEADERS"))
)
MOST = 8
"""Different queries after which a reply is read no further: with two it is refused already."""
LONGEST = 20_000
"""Characters of a query after which its end is not looked for: the guard refuses it for its length."""
MOST_FENCES = 1_000
"""Fenced blocks of a reply that is read at all."""
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
    text = _outside(_INVISIBLE, text, "")
    wrapped = _unwrapped(text, depth)
    if wrapped is not None:
        return wrapped
    body, tail = _without_reasoning(_outside(_MARK, text))
    found, body = _pieces_of_json(body, depth)
    found += _queries(body)
    if not found and tail:
        found = _last_block(tail)
    return _together(map(_tidy, found))


def _together(found: Iterable[str]) -> str:
    return ";\n".join(dict.fromkeys(filter(None, found)))


# ------------------------------------------------------------------- JSON wrappers


def _unwrapped(text: str, depth: int) -> str | None:
    """The queries inside of a text that is JSON as a whole; None where it is none."""
    stripped = text.strip()
    if depth > _DEEPEST or not stripped.startswith(("{", "[", '"')):
        return None
    try:
        value = _DECODER.decode(stripped)
    except (ValueError, RecursionError):
        return None
    return _together(_find(one, depth + 1) for one in _strings(value))


def _pieces_of_json(text: str, depth: int) -> tuple[list[str], str]:
    """The queries in JSON that stands in a text, and the text without it.

    A map of Cypher has keys without quotation marks, so that it is never taken for JSON.
    """
    found: list[str] = []
    rest: list[str] = []
    last = skip = tries = 0
    spans = None
    for piece in _JSON.finditer(text) if depth <= _DEEPEST else ():
        if piece.start() < skip:
            continue
        spans = spans or _spans(text)
        if _in_literal(piece.start(), spans):
            continue
        if tries > _MOST_JSON:
            # So many pieces are no reply, and what stands in the others would be lost.
            return [], ""
        try:
            value, skip = _DECODER.raw_decode(text, piece.start())
        except (ValueError, RecursionError):
            tries += 1
            continue
        inside = [query for one in _strings(value) if (query := _find(one, depth + 1))]
        if inside:
            tries += 1
            found += inside
            rest.append(text[last : piece.start()])
            last = skip
    return found, "\n".join([*rest, text[last:]])


def _strings(value: Any) -> Iterable[str]:
    """Every string of a JSON value, whatever its key: a query may stand under any, and none may get lost."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


# ----------------------------------------------------------------------- reasoning


def _spans(text: str) -> tuple[list[int], list[int]]:
    """Where strings, names in backticks and comments begin and end: within one line each.

    One pass: a sign that is never closed on its line is not looked for again on it.
    """
    starts: list[int] = []
    ends: list[int] = []
    hopeless: set[str] = set()
    place = 0
    while found := _QUOTE.search(text, place):
        sign, start, place = found.group(), found.start(), found.end()
        if sign == "\n":
            hopeless.clear()
            continue
        # An apostrophe in a word opens nothing, and three backticks are a fence.
        if sign in hopeless or sign not in _QUOTES or (sign in "'\"" and start and text[start - 1].isalnum()):
            continue
        closed = _QUOTES[sign].match(text, place)
        if closed is None:
            hopeless.add(sign)
        elif sign not in "'\"" or not text[closed.end() : closed.end() + 1].isalnum():
            starts.append(start)
            ends.append(closed.end())
            place = closed.end()
    return starts, ends


def _in_literal(place: int, spans: tuple[list[int], list[int]]) -> bool:
    starts, ends = spans
    before = bisect_right(starts, place) - 1
    return before >= 0 and place < ends[before]


def _outside(pattern: re.Pattern[str], text: str, instead: str = "\n") -> str:
    """The text with something else for what a pattern finds, except in strings, names and comments."""
    if pattern.search(text) is None:
        return text
    spans = _spans(text)
    return pattern.sub(lambda found: found.group() if _in_literal(found.start(), spans) else instead, text)


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
    found: dict[str, None] = {}  # the same query twice is one
    last = 0
    for number, (start, end, content) in enumerate(_fenced(text)):
        if number > MOST_FENCES:
            return []  # no reply has so many, and what stands in the others would be lost
        if len(found) > MOST:
            return list(found)
        found |= dict.fromkeys(_in_prose(text[last:start]))
        last = end
        if not content.strip():
            continue
        inner = _unwrapped(content, 1)
        if inner or _starts_query(content):
            found[inner or content] = None
        else:
            found |= dict.fromkeys(_in_prose(content))
    return [*found, *_in_prose(text[last:])]


def _in_prose(text: str) -> list[str]:
    """The queries in text without fences: paragraphs that begin like one, prose round them left out."""
    if not text.strip():
        return []
    found: dict[str, None] = {}
    taken: list[str] = []
    blank = False
    size = 0
    lines = text.split("\n")
    for number, line in enumerate(lines):
        size = size + len(line) if taken else 0
        if size > LONGEST:
            # Too long to run, whatever comes: what is left goes with it, unread and not lost.
            taken += lines[number:]
            break
        if not line.strip():
            blank = True
            if taken:
                taken.append("")
            continue
        if taken and not (_is_prose(line) if blank else _is_sentence(line)):
            taken.append(line)
        else:
            if taken:
                found["\n".join(taken).rstrip()] = None
            if len(found) > MOST:
                return list(found)
            begun = _query_part(line)
            taken = [begun] if begun else []
        blank = False
    if taken:
        found["\n".join(taken).rstrip()] = None
    return list(found)


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
    stripped = stripped[_COMMENTS.match(stripped).end() :]  # type: ignore[union-attr]  # it fits anything
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
    article = False
    for token in tokens(line[:400]):
        word = token.text if token.kind == "name" else ""
        if word and (article or (before and word.upper() not in _WORDS and before.upper() not in _WORDS)):
            return True
        # 'Return the names'; in `RETURN a.name` a dot follows.
        article = word.lower() in _ARTICLES and before.upper() in ("WITH", "RETURN", "MATCH", "CALL")
        before = word
    return False


_ARTICLES = frozenset(("the", "a", "an", "this", "that", "these", "all", "your", "our", "me"))


def _tidy(query: str) -> str:
    """A query without what an editor or a chat put on it: odd spaces, pretty quotes, `;` at the end."""
    query = _without_language(query) if "\n" not in query.strip() else query
    query = _outside(_ODD_SPACE, query, " ").strip()
    if not any(mark in query for mark in _PRETTY):
        return _bare(query)
    spans = _spans(query)
    out = [
        sign if sign not in _PRETTY or _in_literal(place, spans) else _PRETTY[sign]
        for place, sign in enumerate(query)
    ]
    return _bare("".join(out))


def _bare(query: str) -> str:
    """Without `;` at the end, and without a backtick there that closes nothing."""
    query = query.rstrip("; \t\r\n")
    return query.rstrip("`; \t\r\n") if query.count("`") % 2 else query
