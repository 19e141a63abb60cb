"""Which reading of an ambiguous question was taken, told from the question and from the query.

Some questions mean more than one thing, and the graph answers any of them without a complaint. The reader of
an answer should know which one it answers. What is said here comes from the query: it is what was really
asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from course_lib.college.language import Language, language_of, plural, words_of


@dataclass(frozen=True)
class Reading:
    """A reading that was taken."""

    id: str
    text: str
    """What the question was taken to mean, in its language, without a full stop."""
    wrong: str = ""
    """A pattern of words that would claim another reading; empty where nothing would."""

    def sentence(self, language: Language) -> str:
        """The reading as a sentence of an answer."""
        return (
            f"I read the question as: {self.text}."
            if language == "en"
            else f"Sawaal ko aise samjha: {self.text}."
        )


_COMMON = re.compile(r"\b(?:common|sab(?:hi)? .{0,20}mein|saare .{0,20}mein)\b", re.I)
_NEXT = re.compile(r"\b(?:next|aage|agl[aei]|ab kya|further|opens? up)\b", re.I)
_PATH = re.compile(
    r"\b(?:path|route|road ?map|raasta|rasta|tareeka|way|order|sequence|steps|journey|tak)\b", re.I
)
_BEST = re.compile(
    r"\b(?:best|top|topper|strongest|highest|teach|learn|tutor|mentor|ideal|sabse|seekh\w*|sikha\w*|padha\w*|kisse)\b"
    r"|\baccha\b|\bachha\b",
    re.I,
)
_COUNT = re.compile(r"\bcount\s*\(|\bsize\s*\(|\bdegree", re.I)
_MORE_THAN_ONE = re.compile(r"(?:>\s*1\b|>=\s*2\b|\b1\s*<(?!=)|\b2\s*<=|<>\s*\w+\d)")
_EVERY = re.compile(
    r"\ball\s*\(|\bcount\s*\([^)]*\)\s*=|=\s*(?:total|n_?all|all\w*|count)\b|=\s*\w+\s*$", re.I
)
_PATTERN = re.compile(
    r"\(\s*(\w*)\s*:?\s*`?(\w*)`?[^)]*\)\s*(<?)-\[\s*\w*\s*:\s*`?(\w+)`?[^\]]*\]-(>?)\s*\(\s*(\w*)\s*:?\s*`?(\w*)`?"
)


def reading_of(question: str, cypher: str) -> Reading | None:
    """The reading that a query takes of an ambiguous question; None where the question is plain.

    Args:
        question: as it was asked.
        cypher: the query whose rows answer it.
    """
    query = " ".join(cypher.split())
    if not query:
        return None
    language = language_of(question)
    for find in (_path, _next_topics, _common, _best):
        reading = find(question, query, language)
        if reading is not None:
            return reading
    return None


def _say(language: Language, id: str, en: str, hi: str, wrong: str = "") -> Reading:
    return Reading(id, en if language == "en" else hi, wrong)


def _common(question: str, query: str, language: Language) -> Reading | None:
    if not _COMMON.search(question):
        return None
    who, where = _people_and_groups(query)
    if _COUNT.search(query) and _MORE_THAN_ONE.search(query):
        return _say(
            language,
            "common_more_than_one",
            f"{who} in more than one {where}, not in every single one",
            f"{who} jo ek se zyada {plural(where)} mein hain, har ek mein nahi",
            wrong=rf"\b(?:(?:in|of|to|across|join\w*)\s+(?:all|every|each)(?!\s+(?:that|this))|"
            rf"(?:sab|sabhi|saare|sare|har)\s+(?:{re.escape(plural(where))}|{re.escape(where)})\s+(?:mein|me|ka|ke|ki))\b",
        )
    if _EVERY.search(query) and _COUNT.search(query):
        return _say(
            language,
            "common_every",
            f"{who} in every single {where}",
            f"{who} jo har ek {where} mein hain",
        )
    return None


def _people_and_groups(query: str) -> tuple[str, str]:
    """Of the first hop, who is found and in what they are, whichever way round the query tells it."""
    match = _PATTERN.search(query)
    if match is None or not match[2] or not match[7]:
        return "those that are", "one"
    left, right, backwards = words_of(match[2]), words_of(match[7]), match[3] == "<"
    who, where = (right, left) if backwards else (left, right)
    return plural(who), where


def _next_topics(question: str, query: str, language: Language) -> Reading | None:
    if not _NEXT.search(question) or not re.search(r"\bNOT\b", query, re.I) or "*" not in query:
        return None
    excluded = re.search(r"\bNOT\s*(?:EXISTS\s*)?\(*\s*\(\s*(\w*)", query, re.I)
    if excluded is None:
        return None
    after = query[excluded.start() :]
    chain = after.split("RETURN")[0]
    hops = re.search(r"\*\s*(?:(\d+)\s*\.\.\s*)?(\d+)", query)
    far = f"up to {hops[2]} prerequisite steps away" if hops else "some prerequisite steps away"
    reach = f"{hops[2]} prerequisite steps tak" if hops else "prerequisite steps ke baad"
    if len(re.findall(r"\]-", chain)) >= 2 or re.search(r"\bIN\b", chain, re.I):
        return _say(
            language,
            "next_none_of_theirs",
            f"topics {far} that none of the student's subjects covers",
            f"{reach} ke topics, jo student ke kisi bhi subject mein nahi hain",
        )
    return _say(
        language,
        "next_same_subject",
        f"topics {far} that the subject they start from does not cover itself; another subject of the"
        " student may",
        f"{reach} ke topics, jo usi subject mein nahi hain jahan se shuru hua; student ke dusre subject"
        " mein ho sakte hain",
    )


def _path(question: str, query: str, language: Language) -> Reading | None:
    if not _PATH.search(question):
        return None
    direction = re.search(r"relDirection\s*:\s*['\"](\w+)['\"]", query)
    if "sppaths" in query.lower():
        way = direction[1].lower() if direction else "outgoing"
    elif re.search(r"shortestPath|-\[[^\]]*\*[^\]]*\]", query, re.I):
        way = "outgoing" if re.search(r"\]->", query) else "incoming" if re.search(r"<-\[", query) else "both"
    else:
        return None
    if way == "outgoing":
        return _say(
            language,
            "path_outgoing",
            "a path along the arrows, in the order in which one learns",
            "raasta teeron ki disha mein, jis kram mein seekhte hain",
        )
    if way == "incoming":
        return _say(
            language,
            "path_incoming",
            "a path against the arrows, from what comes later back to what comes before",
            "raasta teeron ke ulat, baad wale topic se pehle wale tak",
        )
    return _say(
        language,
        "path_both",
        "any connection, in either direction of the arrows: that need not be an order for learning",
        "koi bhi connection, teer kisi bhi disha mein: zaroori nahi ki seekhne ka kram ho",
    )


_SCALES: Mapping[str, tuple[str, str]] = {
    "grade": ("by the rank of the grade, not by the alphabet", "grade ke rank se, alphabet se nahi"),
    "level": (
        "by the rank of the level, not by the alphabet",
        "level ke rank se, alphabet se nahi",
    ),
}


def _best(question: str, query: str, language: Language) -> Reading | None:
    """Best by what? By a rank that the query states, or (worth a warning) by the alphabet."""
    order = re.search(r"\bORDER BY\b(.*)$", query, re.I)
    if not _BEST.search(question) or order is None:
        return None
    ranked = re.search(r"\bCASE\b", query, re.I) or re.search(r"\[\s*'[^]]*'\s*\]", query)
    for name, (en, hi) in _SCALES.items():
        if not re.search(rf"\.{name}\b|\b{name}\b", query, re.I):
            continue
        if ranked:
            return _say(language, f"best_by_{name}", f"best {en}", f"sabse accha {hi}")
        if re.search(rf"\b{name}\b", order[1], re.I):
            return _say(
                language,
                f"best_by_{name}_as_text",
                f"best by {name}, sorted as text: that need not be from best to worst",
                f"sabse accha {name} se, lekin text ki tarah sort hua: zaroori nahi ki yeh sahi kram ho",
            )
    return None
