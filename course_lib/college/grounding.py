"""Whether an answer holds to the rows: every name, number and thing in it stands in the rows or in the
question, and what it says of them is what a row says.

    check_grounding("Payal is best. Aarav is good, too.", question, rows).problems

What is known to be harmless is listed, and everything else needs a ground: that is the only safe way round,
since nobody can list what a model may make up. An answer that is refused costs little: the rows in plain
words take its place. Where the rows hold long texts, an answer may retell them in words of its own; then
only names, numbers and a fair share of the words are checked, and a made-up detail in ordinary words can
pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course_lib.college.answer_text import Token, answer_words, sentences, stem, tokens_in
from course_lib.college.answer_values import is_article, key_of, phrase_words
from course_lib.college.claims import wrong_claims
from course_lib.college.counting import rows_left, wrong_numbers
from course_lib.college.evidence import Evidence
from course_lib.college.relations import wrong_pairs
from course_lib.college.rows import Rows

if TYPE_CHECKING:
    from course_lib.college.readings import Reading
    from course_lib.college.schema import Schema

LONGEST = 4_000
"""Characters. An answer of two to four sentences has a tenth of that."""
_RETOLD = 3
"""Of the telling words of a sentence that retells a text, one in so many must stand in it."""


@dataclass(frozen=True)
class Grounding:
    """The verdict on an answer."""

    ok: bool
    problems: tuple[str, ...] = ()
    """What has no ground, in sentences, the first found first."""

    def __bool__(self) -> bool:
        return self.ok


def check_grounding(
    text: str,
    question: str,
    rows: Rows,
    *,
    schema: Schema | None = None,
    cypher: str = "",
    reading: Reading | None = None,
    whole: bool = True,
) -> Grounding:
    """Checks an answer against the rows.

    Args:
        text: the answer.
        question: what was asked; its names may be repeated.
        rows: the result.
        schema: what the graph holds; a name that it knows and the rows lack is out of place however it is
            written.
        cypher: the query: the names it asks for may be repeated, and it tells whether the rows are in order,
            cut off, or about what is not so.
        reading: the reading that was taken of the question.
        whole: whether this is all of the answer: the whole one must say something of the rows.
    """
    if len(text) > LONGEST:
        return Grounding(False, (f"An answer of {len(text)} characters is no short answer.",))
    if not text.strip():
        return Grounding(False, ("There is no answer.",))
    evidence = Evidence.of(question, rows, schema, cypher, reading, text)
    said = sentences(_without(text, reading.text) if reading is not None else text)
    left = rows_left(said, evidence)
    problems: list[str] = []
    for sentence in said:
        problems += _unknown_words(sentence, evidence)
        problems += wrong_numbers(sentence, evidence, left)
    problems += wrong_pairs(said, evidence)
    problems += wrong_claims(said, evidence)
    if whole and not problems and not _speaks_of_the_rows(said, evidence):
        problems.append("The answer says nothing of what the rows hold.")
    return Grounding(not problems, tuple(dict.fromkeys(problems)))


@dataclass(frozen=True)
class Source:
    """A piece of an answer, and where it comes from."""

    text: str
    where: str
    """`rows`, `question` (or the query), `nowhere`, or nothing for a word that names nothing."""


def sources(
    text: str, question: str, rows: Rows, *, schema: Schema | None = None, cypher: str = ""
) -> tuple[Source, ...]:
    """Where each word of an answer comes from: what a reader can be shown beside the verdict.

    A word can come from the rows and still be put in the wrong place: that shows in the verdict alone.

    Args:
        text: the answer.
        question: what was asked.
        rows: the result.
        schema: what the graph holds.
        cypher: the query.

    Returns:
        Pieces that are the text again when they are joined.
    """
    evidence = Evidence.of(question, rows, schema, cypher, None, text)
    asked = {stem(word) for word in evidence.typed}
    found: list[Source] = []
    for line in text[:LONGEST].splitlines(keepends=True):
        in_rows = [(m.start, m.end) for m in evidence.mentions(line)]
        at = 0
        for number, token in enumerate(tokens_in(line)):
            named = any(start <= token.start < end for start, end in in_rows)
            where = "rows" if named else _where(token, line, number == 0, asked, evidence)
            found += [Source(line[at : token.start], ""), Source(line[token.start : token.end], where)]
            at = token.end
        found.append(Source(line[at:], ""))
    return tuple(source for source in found if source.text)


def _where(token: Token, line: str, first: bool, asked: set[str], evidence: Evidence) -> str:
    if token.kind in ("number", "ordinal") or token.lower in answer_words().numbers:
        wrong = any(token.text in problem for problem in wrong_numbers(line, evidence))
        return "nowhere" if wrong else "question" if stem(token.lower) in asked else ""
    verdict = _judge(token, line, first=first, evidence=evidence)
    if verdict == "anchored":
        known = any(
            stem(token.lower) in {stem(w) for w in re.findall(r"\w+", name)} for name in evidence.names
        )
        harmless = answer_words().is_harmless(token.text, evidence.hinglish)
        return "" if harmless else "rows" if known else "question"
    return "nowhere" if verdict else ""


def _without(text: str, reading: str) -> str:
    """An answer without the reading that the prompt gave it to say."""
    words = r"\s+".join(re.escape(word) for word in reading.split())
    return re.sub(words, " ", text, flags=re.I)


# ---- words -----------------------------------------------------------------------------------------------


def _unknown_words(sentence: str, evidence: Evidence) -> list[str]:
    """Names and things that stand neither in the rows nor in the question."""
    problems: list[str] = []
    strange: list[Token] = []
    anchored = 0
    tokens = [token for token in tokens_in(sentence) if token.kind in ("word", "grade")]
    for at, token in enumerate(tokens):
        verdict = _judge(token, sentence, first=at == 0, evidence=evidence)
        if verdict == "strange":
            strange.append(token)
        elif verdict == "anchored":
            anchored += 1
        elif verdict:
            problems.append(verdict)
    if strange and not (evidence.long_texts and anchored * _RETOLD >= len(strange) + anchored):
        problems += [f"'{token.text}' stands neither in the rows nor in the question." for token in strange]
    return problems + _mixed_names(sentence, evidence) + _known_elsewhere(sentence, evidence)


def _judge(token: Token, sentence: str, *, first: bool, evidence: Evidence) -> str:
    """`strange`, `anchored`, nothing where a word is harmless, or what is wrong with it."""
    words = answer_words()
    lower = re.sub(r"'s?$", "", token.lower)
    if token.kind == "grade":
        return _judge_grade(token, sentence, evidence)
    if lower in words.numbers or lower in words.ordinals:
        return ""
    capital = token.text[:1].isupper()
    opens = first or _opens(sentence, token.start)
    inside = (capital and not opens) or any(c.isdigit() or c.isupper() for c in token.text[1:])
    if _is_grounded(lower, evidence, exact=inside):
        return _judge_kind(lower, evidence) or "anchored"
    if lower in words.months:
        return _judge_month(token, inside, evidence)
    if capital and _is_spelled_out(token, sentence, evidence):
        return "anchored"
    if _is_mended(lower, evidence):
        return "anchored"
    if inside:
        if words.is_harmless_as_it_stands(token.text, evidence.hinglish) and not _is_all_capitals(token.text):
            return _judge_kind(lower, evidence)
        if re.fullmatch(r"(?:i|ok|faq|id|no)", lower):
            return ""
        return f"'{token.text}' is a name that stands neither in the rows nor in the question."
    if (
        opens
        and capital
        and lower in words.also_names
        and re.match(r"\s+(?:is|has|was|also|and|would|bhi)\b", sentence[token.end :])
    ):
        return f"'{token.text}' is a name that stands neither in the rows nor in the question."
    if words.is_harmless(lower, evidence.hinglish):
        return _judge_kind(lower, evidence)
    parts = [part for part in re.split(r"['.]", lower) if part]
    if len(parts) > 1 and all(
        words.is_harmless(p, evidence.hinglish) or _is_grounded(p, evidence, False) for p in parts
    ):
        return ""
    return "strange"


def _is_grounded(lower: str, evidence: Evidence, exact: bool) -> bool:
    if lower in evidence.words:
        return True
    if exact:
        return lower.rstrip("s") in evidence.words or f"{lower}s" in evidence.words
    return stem(lower) in evidence.stems


def _is_spelled_out(token: Token, sentence: str, evidence: Evidence) -> bool:
    """Whether a word belongs to a name whose initials somebody typed: 'Machine Learning' for 'ML'."""
    for match in re.finditer(r"[A-Z][\w]*(?:\s+[A-Z]\w*)+", sentence):
        if match.start() <= token.start < match.end():
            parts = match[0].split()
            at = len(match[0][: token.start - match.start()].split())
            return any(
                len(run := parts[i:j]) > 1 and "".join(part[0] for part in run).lower() in evidence.typed
                for i in range(at + 1)
                for j in range(at + 1, len(parts) + 1)
            )
    return False


def _is_mended(lower: str, evidence: Evidence) -> bool:
    """Whether a word is one of the question's, its typing slip mended: 'Python' for 'pyhton'."""
    if len(lower) < 5:
        return False
    return any(
        len(typed) == len(lower) and typed[0] == lower[0] and sorted(typed) == sorted(lower)
        for typed in re.findall(r"\w+", evidence.question.lower())
    )


def _opens(sentence: str, start: int) -> bool:
    """Whether a sentence, or a part of it with a beginning of its own, opens here."""
    return bool(re.search(r"(?:^|[:;.!?|(\"]|\s-)\s*[\"(]*$", sentence[:start]))


def _is_all_capitals(text: str) -> bool:
    return len(text) > 1 and text.isupper() and not answer_words().is_harmless_as_it_stands(text, False)


def _judge_grade(token: Token, sentence: str, evidence: Evidence) -> str:
    """A capital letter on its own, or one with a plus, is a grade and must be known."""
    if token.lower in evidence.columns_of:
        return "anchored"
    if token.text == "A" and is_article(sentence, token.start, token.end):
        return ""
    if any(re.search(rf"(?<![\w+]){re.escape(token.text)}(?![\w+])", text) for text in evidence.texts):
        return "anchored"
    return f"'{token.text}' stands neither in the rows nor in the question."


def _judge_month(token: Token, inside: bool, evidence: Evidence) -> str:
    month = answer_words().months.index(token.lower) + 1
    if token.lower == "may" and not (inside and token.text == "May"):
        return ""
    dated = any(re.search(rf"\d{{4}}-0?{month}(?:-|\b)", text) for text in evidence.texts)
    return "anchored" if dated else f"'{token.text}' is a month that no row has."


def _judge_kind(lower: str, evidence: Evidence) -> str:
    """Where the query is known, a kind of thing that it does not ask for is out of place."""
    if not evidence.facts.words:
        return ""
    for kind, called in answer_words().kinds.items():
        if lower in called and not any(
            stem(word) in evidence.stems or word in evidence.words for word in (*called, kind)
        ):
            return f"The query asks for nothing about a {kind}."
    return ""


def _mixed_names(sentence: str, evidence: Evidence) -> list[str]:
    """'Coding Society': two names of the rows made into one."""
    known = phrase_words(evidence.texts)
    problems = []
    for match in re.finditer(r"\b([A-Z][\w]*)[ -]([A-Z][\w]*)\b", sentence):
        one, two = match[1].lower(), match[2].lower()
        if (one, two) in known or not (one in evidence.words and two in evidence.words):
            continue
        parts = {part for name in evidence.names if " " in name for part in name.lower().split()}
        if one in parts and two in parts:
            problems.append(f"'{match[0]}' mixes two names.")
    return problems


def _known_elsewhere(sentence: str, evidence: Evidence) -> list[str]:
    """Names that the graph has and the rows have not, also where they are ordinary words."""
    if evidence.schema is None:
        return []
    problems = []
    lower = sentence.casefold()
    for values in evidence.schema.values:
        for value in values.listed:
            key = key_of(value)
            if len(key) < 3 or key in evidence.columns_of or key not in lower:
                continue
            words = re.findall(r"\w+", key)
            if all(word in evidence.words or stem(word) in evidence.stems for word in words) and words:
                continue
            ordinary = answer_words().is_harmless(key, hinglish=True) or (
                " " not in key and stem(key) in evidence.stems
            )
            pattern = rf"(?<![\w+]){re.escape(value if ordinary else key)}(?![\w+])"
            match = re.search(pattern, sentence if ordinary else lower)
            if match and not (ordinary and _opens(sentence, match.start())):
                problems.append(f"'{value}' is in the graph, but neither in the rows nor in the question.")
    return problems


def _speaks_of_the_rows(said: Sequence[str], evidence: Evidence) -> bool:
    """Whether an answer names at least one value of the rows, or how many there are."""
    if not any(row for rows in evidence.cells for row in rows):
        return True
    for sentence in said:
        if evidence.mentions(sentence):
            return True
        for token in tokens_in(sentence):
            if token.kind == "grade" or (token.kind == "number" and token.text):
                return True
            if token.lower in answer_words().numbers or token.lower in (
                "yes",
                "no",
                "haan",
                "nahi",
                "none",
                "nobody",
            ):
                return True
    content = {stem(w) for text in evidence.long_texts for w in re.findall(r"\w{4,}", text)}
    spoken = {stem(w) for sentence in said for w in re.findall(r"\w{4,}", sentence)}
    return bool(content & spoken)
