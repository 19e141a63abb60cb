"""Right names, wrong relation: whether an answer joins values that stand in one row, and no others.

A sentence is cut where a new clause begins. Inside a clause the values of the rows are taken in the order in
which they stand: the first kind of thing named is what the clause is about, and whatever comes after it
belongs to the last one named. 'Aarav has an A+' joins Aarav and A+; no row holds both, so it does not pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from course_lib.college.evidence import Evidence, Mention

_CLAUSE = re.compile(
    r";|\||\s+-\s+(?=[A-Z])|,?\s+(?:while|whereas|but|however|though|although|jabki|lekin|magar|wahin|wahi)\b|"
    r",?\s+(?=(?:and |aur )?(?:the )?(?:others?|rest|remaining|baaki|baki|everyone else|everybody else)\b"
    r"(?! than))",
    re.I,
)
_OTHERS = re.compile(
    r"^\s*(?:and |aur )?(?:all )?(?:the )?(?:others?|rest|remaining|baaki|baki|everyone|everybody)\b", re.I
)
_TOGETHER = re.compile(r"\b(?:both|they|dono|donon|all|each|inmein|unka|inka|their|sab|sabhi)\b", re.I)
_OWNED = re.compile(r"\b(?:her|his|their|its|uska|uski|unka|unki)\s+(?:\w+\s+){0,3}$", re.I)
_COORDINATED = re.compile(
    r"^[\s,&/]*(?:(?:and|aur|or|ya|both|as well as|plus|also|along with|evam)\b[\s,]*)*$", re.I
)
_FORWARD = re.compile(
    r"^[\s,:()\[\]=-]*(?:(?:in|for|at|mein|me|on)\s+[\w ./+-]{1,40}?\s+)?"
    r"(?:(?:is|are|was|were|goes|belongs?|went|held|earned|scored|achieved|got|ka|ki|ke|hai|mila|the|a|an|student|grade|level|year|one|of|to|by|for|in|is"
    r"|wale|wali|wala|holder|with)\b[\s,:()-]*)*$",
    re.I,
)
_LOOSE = re.compile(
    r"[,(:]|\b(?:and|aur|or|then|phir|followed by|ahead of|next|after|before|uske baad)\b", re.I
)
_RESPECTIVELY = re.compile(r"\brespectively\b|\bkramash(?:ah)?\b|\bin that order\b", re.I)
NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|neither|nor|without|nahi|nahin|nhi|nai|bina|lacks?|lacking|cannot)\b|n't\b",
    re.I,
)
HARMLESS_NO = re.compile(
    r"\bnot only\b|\bno (?:other|others|one else|more|further|doubt|wonder|additional)\b|\bnobody else\b"
    r"|\bnothing (?:else|more)\b|\bnone (?:other|else)\b|\bwithout (?:a )?doubt\b"
    r"|\b(?:aur|dusra|doosra)? ?koi (?:aur|dusra|doosra)? ?nahi\b"
    r"|\bpata nahi\b|\bno\.\s*\d|\bnot (?:just|known|given|recorded|listed|mentioned|shown)\b"
    r"|\bnot in the (?:data|rows|graph|results?)\b",
    re.I,
)


def clauses(sentence: str) -> list[str]:
    """A sentence, cut where a new clause surely begins."""
    return [part for part in _CLAUSE.split(sentence) if part and part.strip()]


def is_negated(clause: str) -> bool:
    """Whether a clause denies something."""
    return bool(NEGATION.search(HARMLESS_NO.sub(" ", clause)))


def wrong_pairs(sentences: Sequence[str], evidence: Evidence) -> list[str]:
    """What an answer joins though no row does; nothing when all is well.

    Args:
        sentences: the answer, cut into sentences.
        evidence: what it may rest on.
    """
    problems: list[str] = []
    if len(evidence.rows.columns) < 2 and not any(len(row[0]) > 1 for row in evidence.cells if row):
        return problems
    about: list[Mention] = []
    for sentence in sentences:
        named: list[Mention] = []
        for clause in clauses(sentence):
            mentions = _real(evidence.mentions(clause), clause, evidence)
            if not mentions:
                continue
            if _OTHERS.match(clause):
                continue
            found = _judge(clause, mentions, named or about, evidence)
            problems += [problem for problem in found.problems if problem not in problems]
            named += found.about
        about = named or about
    return problems


class _Finding:
    def __init__(self, problems: list[str], about: list[Mention]) -> None:
        self.problems = problems
        self.about = about


def _real(mentions: list[Mention], clause: str, evidence: Evidence) -> list[Mention]:
    """The mentions without those that count ('two students') or that are the place in a list."""
    kept = []
    for mention in mentions:
        after = re.match(r"[\s-]*(?:\w+\s+)?(\w+)", clause[mention.end :])
        is_number = mention.key.replace(".", "", 1).lstrip("-").isdigit()
        if is_number and re.match(
            r"\s*(?:more|others?|further|additional|aur|hain)\b", clause[mention.end :], re.I
        ):
            continue
        if is_number and after:
            nouns = re.findall(r"\w+", after[0])
            # A number before a noun counts things, unless a column with numbers is called so ('4 credits').
            columns = [at for noun in nouns for at in evidence.columns_called(noun)]
            if columns and not any(at in mention.columns for at in columns):
                continue
            if not columns and any(noun.lower() in _COUNTED for noun in nouns):
                continue
        kept.append(mention)
    return kept


_COUNTED = frozenset(
    [
        "students",
        "student",
        "people",
        "persons",
        "person",
        "members",
        "results",
        "rows",
        "records",
        "entries",
        "names",
        "options",
        "subjects",
        "courses",
        "clubs",
        "skills",
        "projects",
        "concepts",
        "topics",
        "notes",
        "friends",
        "matches",
        "items",
        "log",
    ]
)


def _judge(clause: str, mentions: list[Mention], about: list[Mention], evidence: Evidence) -> _Finding:
    """Tries the ways in which a clause can be read; the first that every row bears out is taken."""
    attributes = evidence.attribute_columns
    if _RESPECTIVELY.search(clause):
        return _zipped(clause, mentions, evidence)
    heads = [m for m in mentions if not m.columns <= attributes]
    if not heads:
        # 'Her grade is A+.' speaks of whoever was named last.
        return _Finding(
            [] if is_negated(clause) else _said_of_those_before(clause, mentions, about, evidence), []
        )
    readings = [heads[0].columns - attributes or heads[0].columns]
    if mentions[0].columns <= attributes:
        readings.append(mentions[0].columns)
    first: _Finding | None = None
    if _OWNED.search(clause[: mentions[0].start]) and about and mentions[0].columns <= attributes:
        # 'Her A+ beats Aarav's A.': the first value belongs to whoever was named before.
        missing = _said_of_those_before(clause, mentions[:1], about, evidence)
        if missing:
            return _Finding(missing, heads[:1])
        mentions = mentions[1:]
        readings = readings[:1]
    for head_columns in readings:
        found = _read(clause, mentions, head_columns, evidence)
        if not found.problems:
            return found
        first = first or found
    if first is not None and _holds_part_by_part(clause, mentions, evidence):
        return _Finding([], first.about)
    return first or _Finding([], about)


def _holds_part_by_part(clause: str, mentions: list[Mention], evidence: Evidence) -> bool:
    """Whether the parts between commas, or between 'from' and 'to', each join what one row holds."""
    parts: list[list[Mention]] = [[mentions[0]]]
    for one, two in pairwise(mentions):
        if re.search(r",(?!\d)|\s(?:to|tak)\s", clause[one.end : two.start]):
            parts.append([])
        parts[-1].append(two)
    return len(parts) > 1 and all(
        len(part) > 1
        and len({m.columns for m in part}) == len(part)
        and evidence.support(m.key for m in part)
        for part in parts
    )


def _said_of_those_before(
    clause: str, mentions: list[Mention], about: list[Mention], evidence: Evidence
) -> list[str]:
    """'Her grade is A+.' speaks of the first or the last one named before, 'both have an A' of all."""
    tuples = _tuples(mentions)
    if not about:
        return []
    if len(tuples) > 1:
        missing = [_unsupported([head], [one], evidence) for one in tuples for head in about]
        return next((found for found in missing if found), []) if all(missing) else []
    if _TOGETHER.search(clause):
        return _unsupported(about, tuples, evidence)
    found = [_unsupported([head], tuples, evidence) for head in (about[0], about[-1])]
    return found[-1] if all(found) else []


def _read(clause: str, mentions: list[Mention], head_columns: frozenset[int], evidence: Evidence) -> _Finding:
    """One way to read a clause: what it is about stands in these columns, everything else belongs to it."""
    groups: list[tuple[list[Mention], list[Mention]]] = []
    waiting: list[Mention] = []
    previous: Mention | None = None
    for at, mention in enumerate(mentions):
        is_head = bool(mention.columns & head_columns)
        between = clause[previous.end : mention.start] if previous is not None else ""
        if is_head and groups and not groups[-1][1] and not waiting and _COORDINATED.match(between):
            groups[-1][0].append(mention)
        elif is_head:
            groups.append(([mention], waiting))
            waiting = []
        elif not groups or _belongs_to_the_next(clause, mentions, at, head_columns):
            waiting.append(mention)
        else:
            groups[-1][1].append(mention)
        previous = mention
    if waiting and groups:
        groups[-1][1].extend(waiting)
    problems: list[str] = []
    for heads, attached in groups:
        if not attached:
            continue
        if is_negated(_part_around(clause, [*heads, *attached])):
            problems += _denied(heads, attached, evidence)
        else:
            problems += _unsupported(heads, _tuples(attached), evidence)
    return _Finding(problems, groups[-1][0] if groups else [])


def _part_around(clause: str, mentions: list[Mention]) -> str:
    """The part of a clause between commas in which some values stand."""
    start = min(m.start for m in mentions)
    end = max(m.end for m in mentions)
    begin = clause.rfind(",", 0, start) + 1
    stop = clause.find(",", end)
    return clause[begin : stop if stop >= 0 else len(clause)]


def _belongs_to_the_next(clause: str, mentions: list[Mention], at: int, heads: frozenset[int]) -> bool:
    """Whether a value goes with the thing named after it: 'Payal leads, and the A belongs to Aarav'."""
    if at + 1 >= len(mentions) or not mentions[at + 1].columns & heads:
        return False
    before = clause[mentions[at - 1].end : mentions[at].start]
    after = clause[mentions[at].end : mentions[at + 1].start]
    if not _LOOSE.search(before) or not _FORWARD.match(after):
        return False
    # ', with an A+,' is said of whoever stands before it; '(A+)' too.
    return not re.match(
        r"^[\s,(]*(?:with|having|who|whose|holding|scoring|at|has|jiska|jiske|jiski)\b|^\s*\(", before, re.I
    )


def _tuples(attached: list[Mention]) -> list[list[Mention]]:
    """Values that follow one another, as rows would hold them: a column that comes again begins a new one."""
    found: list[list[Mention]] = [[]]
    for mention in attached:
        if any(mention.columns & other.columns for other in found[-1]):
            found.append([])
        found[-1].append(mention)
    return found


def _unsupported(heads: list[Mention], tuples: list[list[Mention]], evidence: Evidence) -> list[str]:
    """The first values that no row joins with what they are said of; nothing where a way of joining fits."""
    if not heads:
        return []
    flat = [mention for one in tuples for mention in one]
    if len(heads) == len(tuples) > 1 and all(
        evidence.support([head.key, *(m.key for m in one)]) for head, one in zip(heads, tuples, strict=True)
    ):
        return []
    missing = _missing(heads, tuples, evidence)
    if not missing:
        return []
    if len(tuples) > 1:
        for other in (_by_column(flat), _crossed(flat)):
            if other and not _missing(heads, other, evidence):
                return []
    return missing[:1]


def _missing(heads: list[Mention], tuples: list[list[Mention]], evidence: Evidence) -> list[str]:
    problems = []
    for head in heads:
        for one in tuples:
            keys = [m.key for m in one if m.key != head.key]
            if keys and not evidence.support([head.key, *keys]):
                problems.append(
                    f"No row joins {_said(head, evidence)} with"
                    f" {' and '.join(_said(m, evidence) for m in one)}."
                )
    return problems


def _by_column(flat: list[Mention]) -> list[list[Mention]]:
    """'Coding Club and Debate Society, as President and Member': the first with the first, and so on."""
    runs: list[list[Mention]] = []
    for mention in flat:
        if runs and runs[-1][0].columns & mention.columns:
            runs[-1].append(mention)
        else:
            runs.append([mention])
    if len(runs) > 1 and len({len(run) for run in runs}) == 1 and len(runs[0]) > 1:
        return [list(one) for one in zip(*runs, strict=True)]
    return []


def _crossed(flat: list[Mention]) -> list[list[Mention]]:
    """'Coding Club and Debate Society, both since 2025': one value that goes with each of a list."""
    runs: list[list[Mention]] = []
    for mention in flat:
        if runs and runs[-1][0].columns & mention.columns:
            runs[-1].append(mention)
        else:
            runs.append([mention])
    if len(runs) == 2 and 1 in (len(runs[0]), len(runs[1])):
        return [[a, b] for a in runs[0] for b in runs[1]]
    return []


def _denied(heads: list[Mention], attached: list[Mention], evidence: Evidence) -> list[str]:
    """A denial of what a row says."""
    for head in heads:
        for mention in attached:
            if mention.key != head.key and evidence.support([head.key, mention.key]):
                return [
                    f"A row joins {_said(head, evidence)} with {_said(mention, evidence)},"
                    " and the answer denies it."
                ]
    return []


def _zipped(clause: str, mentions: list[Mention], evidence: Evidence) -> _Finding:
    """'Payal and Aarav have A+ and A respectively.'"""
    runs: list[list[Mention]] = []
    for mention in mentions:
        if runs and runs[-1][0].columns & mention.columns:
            runs[-1].append(mention)
        else:
            runs.append([mention])
    if len(runs) < 2 or len({len(run) for run in runs}) > 1:
        return _Finding([], runs[0] if runs else [])
    for one in zip(*runs, strict=True):
        if not evidence.support(m.key for m in one):
            return _Finding([f"No row joins {' with '.join(_said(m, evidence) for m in one)}."], runs[0])
    return _Finding([], runs[0])


def _said(mention: Mention, evidence: Evidence) -> str:
    """A value as the rows spell it."""
    return f"'{evidence.spelled(mention.key)}'"
