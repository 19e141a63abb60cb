"""Names the slip behind a query that the engine could not read, where the query's own text shows it.

The engine says at which character it gave up and lists what it would have taken there, often thirty things.
The slip itself lies before that, and a handful of slips make up nearly all that beginners see: a text without
quotation marks, a bracket or an END that is missing, a node without its round brackets.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from course_lib.college.tokens import Token, tokens

_KEYWORDS = (
    *("MATCH", "OPTIONAL", "WHERE", "RETURN", "WITH", "ORDER", "LIMIT", "SKIP", "DISTINCT", "UNWIND"),
    *("CREATE", "MERGE", "DELETE", "DETACH", "REMOVE", "CASE", "WHEN", "THEN", "ELSE", "CONTAINS", "YIELD"),
)
_CLAUSES = {"MATCH", "OPTIONAL", "WHERE", "RETURN", "WITH", "ORDER", "LIMIT", "SKIP", "SET", "MERGE"}
_COMPARING = {"=", "<>", "<", ">", "<=", ">=", ":", ",", "["}
_COMPARING_WORDS = {"IN", "CONTAINS", "WHEN", "THEN", "ELSE", "WITH"}
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CURLY = "“”„‘’‚«»"
_LIKE = 0.74
"""From this likeness on (difflib's ratio) a word counts as a keyword misspelt."""
_SHOWN = 24
_UNDEFINED = re.compile(r"'(?P<name>[^']+)' not defined")
_OF_A_VALUE = 3
"""A name in capitals with fewer letters is rather a variable than a value."""


def name_slip(cypher: str, said: str, offset: int | None = None) -> str:
    """What is wrong with a query, and how to mend it; empty when its text does not show it.

    Args:
        cypher: the query.
        said: the engine's message.
        offset: where the engine stopped reading, in characters; None when it does not say.
    """
    undefined = _UNDEFINED.search(said)
    if undefined is not None:
        return _undefined(cypher, undefined["name"])
    if "must be aliased" in said:
        return "Say what it is called from here on: `WITH s.name AS name`."
    if offset is None:
        return ""
    found = tokens(cypher)
    return (
        _quotation_marks(cypher, found)
        or _wrong_sign(found, cypher, offset)
        or _misspelt(found, offset)
        or _bare_part(found, offset)
        or _text_of_two_words(found, offset)
        or _brackets(found, cypher)
        or _case(found)
        or _loose_end(found)
        or _comma(found, cypher, offset)
    )


def _undefined(cypher: str, name: str) -> str:
    found = tokens(cypher)
    uses = [i for i, token in enumerate(found) if token.name == name and not _is_key(found, i)]
    at = next((i for i in reversed(uses) if not _makes(found, i, name)), None)
    if at is None:
        return ""
    before, after = _text(found, at - 1), _text(found, at + 1)
    if any(_makes(found, i, name) for i in range(at)) and any(t.word == "WITH" for t in found[:at]):
        return f"A WITH hands on only what it names, and `{name}` is not among it: add it there."
    if after == ".":
        known = [token.text for i, token in enumerate(found) if _makes(found, i, token.name)]
        here = f" The names in your query are: {', '.join(dict.fromkeys(known))}." if known else ""
        return f"No node and no relationship is called `{name}`.{here}"
    compared = before in _COMPARING or before.upper() in _COMPARING_WORDS
    looks_like_a_value = not name[0].islower() and len(name) >= _OF_A_VALUE
    if looks_like_a_value or (compared and after not in ("=", "<>", "<", ">", "<=", ">=") and len(name) > 2):
        return f"If {name} is meant as a text, it needs quotation marks: '{name}'."
    nodes = [token.text for i, token in enumerate(found) if _makes(found, i, token.name)]
    if nodes and after in ("=", "<>", "<", ">", "<=", ">=", "IN", "CONTAINS"):
        return f"A property needs to be said of something: `{nodes[0]}.{name}`."
    return f"Give that name to something first, as in `({name}:Student)`, or carry it on through the WITH."


def _makes(found: Sequence[Token], i: int, name: str) -> bool:
    """Whether the token is where a name is given: `(s:`, `[r:`, `AS x`, `p = (`."""
    if not found[i].name or found[i].name != name or found[i].word in _KEYWORDS:
        return False
    before, after = _text(found, i - 1), _text(found, i + 1)
    behind = _text(found, i - 2)
    opened = before == "(" and after in (":", ")", "{")
    # count(s) gives no name, MATCH (s) does.
    opened = opened and (not behind.isidentifier() or behind.upper() in _CLAUSES)
    related = before == "[" and after in (":", "]", "*") and behind == "-"
    return opened or related or before.upper() == "AS"


def _is_key(found: Sequence[Token], i: int) -> bool:
    """Whether a name is a property, a label or a map's key, and so none that must be defined."""
    if _text(found, i - 1) in (".", ":") and not _in_a_map(found, i):
        return True
    return _text(found, i + 1) == ":" and _text(found, i - 1) in ("{", ",")


def _in_a_map(found: Sequence[Token], i: int) -> bool:
    """Whether the colon before a token stands in braces: then what follows is a value."""
    depth = 0
    for token in reversed(found[:i]):
        if token.text in ("}", ")", "]"):
            depth += 1
        elif token.text in _PAIRS:
            if depth == 0:
                return token.text == "{"
            depth -= 1
    return False


def _quotation_marks(cypher: str, found: Sequence[Token]) -> str:
    last = found[-1] if found else None
    if any(token.kind == "sign" and token.text in _CURLY for token in found):
        return "Curly quotation marks come from a text program. Cypher wants the straight ones: 'Payal'."
    if last is not None and last.kind == "open" and last.text[0] in "'\"":
        return f"A quotation mark opens and never closes: {_shorten(last.text)}"
    return ""


def _wrong_sign(found: Sequence[Token], cypher: str, offset: int) -> str:
    here = cypher[offset : offset + 2]
    if here == "!=":
        return "Not equal is written `<>`."
    if here[:1] == "=" and cypher[:offset].endswith("="):
        return "Equal is written with one sign: `=`."
    if here in ("&&", "||"):
        return f"Cypher says {'AND' if here == '&&' else 'OR'} in letters."
    return ""


def _misspelt(found: Sequence[Token], offset: int) -> str:
    token = next((t for t in found if t.start <= offset < t.end and t.kind == "name"), None)
    if token is None or token.word in _KEYWORDS:
        return ""
    like = difflib.get_close_matches(token.word, _KEYWORDS, 1, _LIKE)
    return f"`{token.text}`: is {like[0]} meant?" if like and len(token.text) >= 4 else ""


def _bare_part(found: Sequence[Token], offset: int) -> str:
    """A node without round brackets, or a relationship without square ones."""
    at = next((i for i, token in enumerate(found) if token.start >= offset), None)
    if at is None:
        return ""
    here, before = _text(found, at), _text(found, at - 1)
    if found[at].kind in ("name", "quoted") and before in (">", "-") and _text(found, at - 2) in ("]", "-"):
        return f"A node stands in round brackets: `({_node(found, at)})`."
    if here == ":" and before and _text(found, at - 2).upper() in ("MATCH", "MERGE", "CREATE"):
        return f"A node stands in round brackets: `({_node(found, at - 1)})`."
    if before == "-" and (here == ":" or found[at].kind == "name"):
        kind = _text(found, at + 1) if here == ":" else here
        return f"A relationship stands in square brackets: `-[:{kind}]->`."
    if here == ">" and before == "-" and _text(found, at - 2) == ")":
        return "An arrow has a shaft: `-->`, or with a type `-[:STUDIES]->`."
    return ""


def _node(found: Sequence[Token], at: int) -> str:
    text = found[at].text
    if text[0].isupper():
        return f":{text}"
    if _text(found, at + 1) == ":" and _text(found, at + 2):
        text += f":{_text(found, at + 2)}"
    return text


def _text_of_two_words(found: Sequence[Token], offset: int) -> str:
    at = next((i for i, token in enumerate(found) if token.start <= offset < token.end), None)
    if not at or found[at].kind != "name" or found[at - 1].kind != "name" or found[at].word in _CLAUSES:
        return ""
    value = _text(found, at - 2) in ("=", "<>") or (_text(found, at - 2) == ":" and _in_a_map(found, at - 1))
    words = f"{found[at - 1].text} {found[at].text}"
    return f"A text needs quotation marks: '{words}'." if value else ""


def _brackets(found: Sequence[Token], cypher: str) -> str:
    opened: list[Token] = []
    for token in found:
        if token.kind != "sign":
            continue
        if token.text in _PAIRS:
            opened.append(token)
        elif token.text in _PAIRS.values():
            if not opened:
                return f"This `{token.text}` closes a bracket that was never opened: it is one too many."
            if _PAIRS[opened[-1].text] != token.text:
                break
            opened.pop()
    if not opened:
        return ""
    # Of several that are open the innermost is the one that was forgotten.
    last = opened[-1]
    start = _shorten(cypher[last.start :])
    return f"A bracket opens and is not closed by its `{_PAIRS[last.text]}`: {start}"


def _case(found: Sequence[Token]) -> str:
    cases = sum(token.word == "CASE" for token in found)
    ends = sum(token.word == "END" for token in found)
    if cases > ends:
        return "A CASE ends with END, and here an END is missing."
    return ""


def _loose_end(found: Sequence[Token]) -> str:
    for i, token in enumerate(found):
        following = found[i + 1].word if i + 1 < len(found) else "RETURN"
        loose = token.word in ("AND", "OR", "NOT", "WHERE") or token.text == ","
        if loose and following in _CLAUSES:
            return f"After `{token.text}` something is missing."
    return ""


def _comma(found: Sequence[Token], cypher: str, offset: int) -> str:
    """Two things beside each other behind RETURN or WITH, with nothing between them."""
    at = next((i for i, token in enumerate(found) if token.start <= offset < token.end), None)
    if at is None:
        return ""
    first = at if found[at].kind == "name" else at - 1
    if first < 1 or found[first].kind != "name" or found[first].word in (*_CLAUSES, "AS", "AND", "OR"):
        return ""
    clause = next((t.word for t in reversed(found[:first]) if t.word in _CLAUSES), "")
    before = found[first - 1]
    ends = before.kind in ("name", "number", "string") or before.text in (")", "]")
    if clause in ("RETURN", "WITH") and ends and before.word not in (*_KEYWORDS, "AS", "BY"):
        return f"Is a comma missing before `{_shorten(cypher[found[first].start :])}`?"
    return ""


def _text(found: Sequence[Token], i: int) -> str:
    return found[i].text if 0 <= i < len(found) else ""


def _shorten(text: str) -> str:
    line = text.strip().split("\n")[0].strip()
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + "…"
