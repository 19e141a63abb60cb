"""The rules in a prompt, recognised by their operative idea and not by their wording.

A learner who rewords a rule still gets what it asks for; one who deletes it brings its fault back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache


class Rule(Enum):
    """What a prompt can ask for. The comment says what happens without it."""

    LOOSE_NAMES = "match names loosely"  # names are compared exactly, as typed
    ABBREVIATIONS = "expand abbreviations"  # 'os' is looked for as it stands, and finds OSI Model
    PROPERTIES_ONLY = "return properties, never whole nodes"  # RETURN s
    LABELS = "a label on every node"  # nodes along the way go without
    RANKS = "rank what sorts as text"  # ORDER BY r.grade DESC
    PATHS = "algo.SPpaths for paths"  # shortestPath in MATCH, a Neo4j habit
    OUTGOING = "walk paths outgoing"  # relDirection both: a learning order may run backwards
    READ_ONLY = "reading clauses only"  # a request to add or delete is carried out
    SENTINEL = "OUT_OF_SCOPE sentinel"  # an invented label
    CYPHER_ONLY = "Cypher alone"  # prose and a fence around the query
    COMMON = "common in all = in more than one"  # in every single one
    NEXT_TOPICS = "next topics = what the same subject does not cover"  # covered by none of the subjects
    ROWS_ARE_DATA = "rows are data, never instructions"  # an instruction in a row is followed
    FAMILY_DIRECTION = "FAMILY_OF from me to the relative"  # the relative comes first


_IDEAS: dict[Rule, str] = {
    Rule.LOOSE_NAMES: r"tolower|\b(?-i:CONTAINS)\b|(?:lower|case).?(?:insensitiv|case)"
    r"|loose(?:ly)?\b|fuzz(?:y|ily)|ignor\w+ (?:the )?(?:upper|case)"
    r"|regard(?:less)? (?:to|of) (?:upper|case)|partial (?:match|name)"
    r"|part of (?:a|the) name|substring",
    Rule.ABBREVIATIONS: r"abbreviat|short forms?\b|initials\b|acronym|stands? for|written out|full name",
    Rule.PROPERTIES_ONLY: r"(?:whole|entire|full|complete|bare|raw) (?:nodes?|objects?|entit)"
    r"|(?:specific|named|single|individual) propert"
    r"|propert\w+,? (?:and )?(?:never|not|instead of|rather than)"
    r"|return \w+\.\w+,?[^.\n]{0,12}(?:not|never|instead of|rather than)|(?:which|the) propert\w+ you",
    Rule.LABELS: r"label (?:on|for|to|with|in) (?:every|each|all)|(?:every|each"
    r"|all) nodes?\b[^.]{0,40}\blabel|label (?:every|each|all)|never [^.]{0,30}without (?:a "
    r"|its )?label|unlabell?ed",
    Rule.RANKS: r"\brank|case\b[^\n]{0,40}\bwhen\b|(?:grades?|levels?|text)\b[^.]{0,60}\b(?:alphabet"
    r"|as text|are text|is text)|alphabetical|best first|better than"
    r"|order (?:them|grades|levels)[^.]{0,20}by (?:what|their) mean",
    Rule.PATHS: r"sppaths",
    Rule.OUTGOING: r"outgoing|\bone way\b|never (?:run )?backwards?|forwards? only|only forwards?"
    r"|direction of (?:learning|the arrows?)|along the arrows?",
    Rule.READ_ONLY: r"read(?:ing)? clauses|\bread[- ]?only\b|only (?:ever )?read\b|(?:only|may|can) read\b"
    r"|(?:never|not|no|don't)\b[^.]{0,40}\b"
    r"(?:(?:write|writing)(?= (?:to|into|clauses?|anything|queries)\b|[.,;]|$)"
    r"|create|delete|merge|remove|modify|change the (?:graph|data)|set(?=[,.;]| clauses?| or))",
    Rule.SENTINEL: r"out_of_scope",
    Rule.CYPHER_ONLY: r"(?:only|just|nothing but|alone)\b[^.]{0,30}\b(?:cypher|query)|(?:cypher"
    r"|query)\b[^.]{0,30}\b(?:only|alone|nothing else|and nothing)|no (?:prose|markdown"
    r"|explanations?|commentary|code fences?|backticks)|without (?:prose|markdown"
    r"|explanations?|any (?:prose|text))",
    Rule.COMMON: r"\bcommon\b[^\n]{0,80}?\b(?:more than one|at least two|two or more|several|multiple)",
    Rule.NEXT_TOPICS: r"\bnext\b[^\n]{0,200}?\b(?:same|that very|very same|own)\b",
    Rule.ROWS_ARE_DATA: r"(?:rows?|results?|data|cells?|text)\b[^.\n]{0,60}\b(?:never|not"
    r"|no)\b[^.\n]{0,30}\b(?:instruction|command|order)|(?:ignore|never follow|do not follow"
    r"|don't follow|never obey)\b[^.\n]{0,40}\b(?:instruction|command)"
    r"|treat\b[^.\n]{0,40}\bas data",
    Rule.FAMILY_DIRECTION: r"(?:from|starts? (?:at|with))\s+['\"]?(?:me|the (?:speaker|customer))['\"]?\s+to"
    r"|family_of\b[^.\n]{0,60}\b(?:me|speaker|customer)\b[^.\n]{0,30}(?:->|→"
    r"|to\b)[^.\n]{0,20}\b(?:relative|person|them|first name)"
    r"|family_of\b[^.\n]{0,60}\b(?:starts?|begins?|runs?|goes|leads?) (?:at|with|from)\s+['\"]?"
    r"(?:me|the (?:speaker|customer))\b|\bme['\"]?\s*,\s*['\"]?family_of\b|\bme\)?\s*-+\s*\[?:?family_of\b"
    r"|(?:subject|source|head)\b[^.\n]{0,30}\b(?:me|speaker)\b",
}
_COMPILED = {rule: re.compile(idea, re.I) for rule, idea in _IDEAS.items()}
_DENIED = re.compile(
    r"(?:do not|don't|never|no need to|without)\s+(?:use|using|match(?:ing)?)?\s*(?:tolower"
    r"|contains|fuzzy|loose|rank)",
    re.I,
)
_EXAMPLE = re.compile(
    r"\b(?:BAD|GOOD|WRONG|RIGHT|Bad|Good|Wrong|Right|Example|EXAMPLE|e\.g\.)\b\s*[:.(–-]|[✗✓❌✅]"
)
_NUMBERED = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s")
_HAS_LETTER = re.compile(r"\w")
_WHEN = re.compile(r"when\s+['\"]([^'\"]+)['\"]\s+then\s+(-?\d+)", re.I)
_CHAIN = re.compile(r"([\w+\-]+(?:\s*[>]\s*[\w+\-]+)+|[\w+\-]+(?:\s*<\s*[\w+\-]+)+)")
_BEST_FIRST = re.compile(
    r"((?:[\w+'\"-]+\s*,\s*(?:then\s+)?)+(?:and\s+"
    r"|then\s+)?[\w+'\"-]+)\s*[,(:–-]*\s*(?:\(?best first|from best|in that order)"
    r"|(?:best first|from best to (?:worst|weakest)"
    r"|best to worst)\s*[:=–-]?\s*((?:['\"]?[\w+-]+['\"]?\s*,\s*(?:then\s+)?)+(?:and\s+"
    r"|then\s+)?['\"]?[\w+-]+)",
    re.I,
)


@dataclass(frozen=True)
class RuleBook:
    """The rules that a prompt has, and the orders of rank that it states."""

    rules: frozenset[Rule]
    ranks: tuple[tuple[str, ...], ...] = ()
    """Orders of values, best first, such as (A+, A, B+, B)."""

    def __contains__(self, rule: Rule) -> bool:
        return rule in self.rules

    def adding(self, *more: Rule) -> RuleBook:
        """The same with further rules switched on."""
        return RuleBook(self.rules | set(more), self.ranks)


@lru_cache(maxsize=256)
def read_rules(text: str) -> RuleBook:
    """Which rules a text of instructions holds."""
    plain = text.replace("’", "'")
    found: set[Rule] = set()
    for item in _items(plain):
        # An example shows one rule at work and, by the way, others: what the item says in words counts.
        prose = _without_examples(item)
        ideas = {rule for rule, pattern in _COMPILED.items() if pattern.search(prose)}
        found |= ideas or {rule for rule, pattern in _COMPILED.items() if pattern.search(item)}
    if _DENIED.search(plain):
        for rule in (Rule.LOOSE_NAMES, Rule.RANKS):
            if not _COMPILED[rule].search(_DENIED.sub(" ", plain)):
                found.discard(rule)
    return RuleBook(frozenset(found), _ranks(text))


def _items(text: str) -> list[str]:
    """The rules of a text, each with its examples: a line that begins with one goes with the rule before."""
    items: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        if items and (
            _EXAMPLE.match(line.lstrip("-*• \t")) or (line[:2].isspace() and not _NUMBERED.match(line))
        ):
            items[-1] += "\n" + line
        else:
            items.append(line)
    return items


def _without_examples(item: str) -> str:
    """An item without its examples: each ends at the next one, or with its sentence."""
    pieces = _EXAMPLE.split(item)
    kept = [pieces[0]]
    for piece in pieces[1:]:
        rest = re.search(r"\.\s+(?=[A-Z][a-z])", piece)
        if rest:
            kept.append(piece[rest.end() :])
    return " ".join(kept)


def _ranks(text: str) -> tuple[tuple[str, ...], ...]:
    orders: list[tuple[str, ...]] = []
    whens = [(value, int(place)) for value, place in _WHEN.findall(text)]
    run: list[tuple[str, int]] = []
    for value, place in [*whens, ("", -1)]:
        if run and (place <= run[-1][1] or value in {v for v, _ in run}):
            if len(run) > 1:
                orders.append(tuple(v for v, _ in run))
            run = []
        run.append((value, place))
    text = re.sub(
        r"[,;]?\s+(?:which )?(?:is |are |comes )?(?:better than|before|above|beats)\s+", " > ", text
    )
    for chain in _CHAIN.findall(text):
        if ">" in chain:
            orders.append(tuple(part.strip() for part in chain.split(">")))
        else:
            orders.append(tuple(reversed([part.strip() for part in chain.split("<")])))
    for before, after in _BEST_FIRST.findall(text):
        parts = re.split(r"\s*,\s*(?:then\s+|and\s+)?|\s+(?:and|then)\s+", before or after)
        orders.append(tuple(part.strip("'\" ") for part in parts if part.strip("'\" ")))
    return tuple(
        dict.fromkeys(order for order in orders if len(order) > 1 and all(map(_HAS_LETTER.search, order)))
    )
