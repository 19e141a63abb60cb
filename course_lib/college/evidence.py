"""What an answer may rest on: the values of the rows, the question, and the names that the query asked
for."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from course_lib.college.answer_text import answer_words, stem, tokens_in
from course_lib.college.answer_values import (
    date_forms,
    initials,
    is_article,
    key_of,
    may_be_a_value,
    numbers_in,
    value_of,
)
from course_lib.college.language import language_of, words_of
from course_lib.college.query_facts import QueryFacts, query_facts
from course_lib.college.rows import PathValue, Rows
from course_lib.college.wording import flat, gives_orders

if TYPE_CHECKING:
    from course_lib.college.readings import Reading
    from course_lib.college.schema import Schema

LONG_TEXT = 60
"""From so many characters on a value is a text to be retold, and no name."""
_MOST_VALUES = 2_000
"""Values that an answer is searched for. An answer of a few sentences names a handful."""
_ATTRIBUTES = frozenset(
    [
        "grade",
        "level",
        "role",
        "status",
        "since",
        "year",
        "branch",
        "area",
        "semester",
        "credits",
        "credit",
        "code",
        "id",
        "founded",
        "count",
        "rank",
        "score",
        "marks",
        "date",
        "total",
        "number",
        "position",
    ]
)
_GRADE = re.compile(r"[A-FO][+-]?\Z")
_ALSO_VERBS = frozenset(("member", "lead"))
"""Values that an answer uses as ordinary words all the time: they count where they are spelled as in the
rows."""
GENERIC = frozenset(
    stem(word)
    for word in [
        "student",
        "people",
        "person",
        "result",
        "row",
        "record",
        "entry",
        "name",
        "naam",
        "log",
        "answer",
        "item",
        "match",
        "option",
        "of",
    ]
)
"""Stems of nouns that may count whatever the rows hold."""


@dataclass(frozen=True)
class Mention:
    """A value of the rows where an answer names it."""

    start: int
    end: int
    key: str
    """The value in lower case; a number as it is written plainly."""
    columns: frozenset[int]


@dataclass(frozen=True)
class Evidence:
    """Everything that an answer may rest on."""

    question: str
    rows: Rows
    schema: Schema | None = None
    cypher: str = ""
    reading: Reading | None = None
    facts: QueryFacts = field(default_factory=QueryFacts)
    answer: str = ""
    """The answer that is judged, for its language alone."""

    @classmethod
    def of(
        cls,
        question: str,
        rows: Rows,
        schema: Schema | None,
        cypher: str,
        reading: Reading | None,
        answer: str = "",
    ) -> Evidence:
        """The evidence for an answer to a question."""
        return cls(question, rows, schema, cypher, reading, query_facts(cypher), answer)

    @cached_property
    def hinglish(self) -> bool:
        """Whether words of Hinglish may stand in the answer."""
        return "hi" in (language_of(self.question), language_of(self.answer))

    # ---- the rows, cell by cell ---------------------------------------------

    @cached_property
    def cells(self) -> tuple[tuple[tuple[Any, ...], ...], ...]:
        """Row by row, column by column, the plain values. Orders to a model are no evidence of anything."""
        return tuple(
            tuple(
                tuple(
                    v for v in flat([cell]) if v is not None and not (isinstance(v, str) and gives_orders(v))
                )
                for cell in row
            )
            for row in self.rows
        )

    @cached_property
    def row_keys(self) -> tuple[frozenset[str], ...]:
        """Of each row, every value as it is compared."""
        return tuple(frozenset(key_of(v) for column in row for v in column) for row in self.cells)

    @cached_property
    def columns_of(self) -> dict[str, frozenset[int]]:
        """In which columns a value stands."""
        found: dict[str, set[int]] = {}
        for row in self.cells:
            for at, column in enumerate(row):
                for value in column:
                    found.setdefault(key_of(value), set()).add(at)
        return {key: frozenset(columns) for key, columns in found.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The short texts in the rows, each once, as they are spelled."""
        seen: dict[str, None] = {}
        for row in self.cells:
            for column in row:
                for value in column:
                    if isinstance(value, datetime.date | datetime.datetime):
                        value = value.isoformat()
                    if isinstance(value, str) and value.strip() and len(value) <= LONG_TEXT:
                        seen[value] = None
        return tuple(seen)[:_MOST_VALUES]

    @cached_property
    def long_texts(self) -> tuple[str, ...]:
        """The texts in the rows that an answer retells."""
        return tuple(
            v
            for row in self.cells
            for column in row
            for v in column
            if isinstance(v, str) and len(v) > LONG_TEXT
        )

    @cached_property
    def attribute_columns(self) -> frozenset[int]:
        """Columns whose values say something of a thing and are no thing themselves: grades, years, roles."""
        found = set()
        things = []
        words = answer_words()
        for at, column in enumerate(self.rows.columns):
            values = {v for row in self.cells for v in row[at]}
            texts = {v for v in values if isinstance(v, str) and not _GRADE.match(v)}
            named = words_of(column).split()
            ordinary = all(words.is_harmless(v, hinglish=False) for v in texts)
            if (named and named[-1] in _ATTRIBUTES) or ordinary:
                found.add(at)
            if texts and not ordinary:
                things.append(at)
        if things and found >= set(things):
            found.discard(things[0])  # 'students per branch': then a branch is what the rows are about
        return frozenset(found)

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return {key_of(name): name for name in reversed(self.names)}

    def spelled(self, key: str) -> str:
        """A value as the rows spell it."""
        return self._spellings.get(key, key)

    def support(self, keys: Iterable[str]) -> bool:
        """Whether one row holds all of these values."""
        wanted = frozenset(keys)
        return any(wanted <= row for row in self.row_keys)

    # ---- words and numbers -----------------------------------------------------

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Every text that words may be taken from."""
        values = [str(v) for row in self.cells for column in row for v in column]
        return (
            self.question,
            *values,
            *self.rows.columns,
            *self.facts.asked,
            *self._spelled_out,
            *((self.reading.text,) if self.reading else ()),
        )

    @cached_property
    def _spelled_out(self) -> tuple[str, ...]:
        """Names of the graph that the query looks for by a part: 'debate' finds the Debate Society."""
        asked = [text.casefold() for text in self.facts.asked if len(text) > 2 and not text.isdigit()]
        return tuple(
            value
            for values in (self.schema.values if self.schema is not None else ())
            for value in values.listed
            if any(text in value.casefold() for text in asked)
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the rows, the question, the columns and the query, in lower case."""
        found = set(self.facts.words)
        for text in self.texts:
            for word in re.findall(r"[^\W_]+(?:['.+/-][^\W_]+)*\+*", text.lower()):
                found.add(word)
                found.update(part for part in re.split(r"['.+/-]", word) if part)
            found.update(words_of(text).split() if len(text) < LONG_TEXT else ())
        for value, meant in answer_words().means.items():
            if value in self.columns_of:
                found.update(meant)
        found.update(self._initials)
        return frozenset(found)

    @cached_property
    def typed(self) -> frozenset[str]:
        """The words that somebody typed: those of the question and of what the query asks for."""
        return frozenset(w for t in (self.question, *self.facts.asked) for w in re.findall(r"\w+", t.lower()))

    @cached_property
    def _initials(self) -> frozenset[str]:
        """`os` for Operating Systems: what somebody who knows the name would write."""
        return frozenset(initials(name) for name in (*self.names, *self.facts.asked) if initials(name))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The same words without their endings."""
        return frozenset(stem(word) for word in self.words)

    @cached_property
    def numbers(self) -> frozenset[float]:
        """Every number in the rows, the question and the query."""
        found: set[float] = set()
        for row in self.cells:
            for value in (v for column in row for v in column):
                if isinstance(value, int | float) and not isinstance(value, bool):
                    found.add(float(value))
                else:
                    found.update(numbers_in(str(value), self.hinglish))
        for text in (self.question, *self.facts.asked, *self.rows.columns):
            found.update(numbers_in(text, self.hinglish))
        return frozenset(found | self.asked_numbers)

    @cached_property
    def asked_numbers(self) -> frozenset[float]:
        """The numbers in the question and in what was asked of the graph alone."""
        texts = (self.question, *self.facts.asked, *((self.reading.text,) if self.reading else ()))
        return frozenset(n for text in texts for n in numbers_in(text, self.hinglish))

    @cached_property
    def totals(self) -> frozenset[float]:
        """The sums of the columns with numbers."""
        found = set()
        for at in range(len(self.rows.columns)):
            values = [
                float(v)
                for row in self.cells
                for v in row[at]
                if isinstance(v, int | float) and not isinstance(v, bool)
            ]
            if values:
                found.add(sum(values))
        return frozenset(found)

    @cached_property
    def _kept(self) -> dict[tuple[str, object], Any]:
        """Results that are asked for again and again."""
        return {}

    def counts(self, column: int | None = None) -> frozenset[float]:
        """How many there are: rows, different values of a column, the lengths of lists, the hops of paths."""
        if ("counts", column) not in self._kept:
            self._kept["counts", column] = self._counts(column)
        found: frozenset[float] = self._kept["counts", column]
        return found

    def _counts(self, column: int | None) -> frozenset[float]:
        found: set[float] = set()
        for at in range(len(self.rows.columns)) if column is None else (column,):
            values = [key_of(v) for row in self.cells for v in row[at]]
            found.add(float(len(set(values))))
            found.update(float(len(row[at])) for row in self.cells if len(row[at]) > 1)
            for row in self.rows:
                if isinstance(row[at], PathValue):
                    found.update((float(len(row[at])), float(len(row[at].nodes))))
                if isinstance(row[at], list):
                    found.update((float(len(row[at])), float(max(len(row[at]) - 1, 0))))
        if column is None or len(self.rows.columns) == 1:
            found.add(float(len(self.rows)))
        return frozenset(found)

    def group_counts(self, column: int | None = None) -> frozenset[float]:
        """How many rows, or different values of a column, there are for each value of another column."""
        if ("groups", column) not in self._kept:
            self._kept["groups", column] = self._group_counts(column)
        found: frozenset[float] = self._kept["groups", column]
        return found

    def _group_counts(self, column: int | None) -> frozenset[float]:
        found: set[float] = set()
        for at in range(len(self.rows.columns)):
            if at == column:
                continue
            pairs = {
                (key_of(v), key_of(w) if column is not None else i)
                for i, row in enumerate(self.cells)
                for v in row[at]
                for w in (row[column] if column is not None else (i,))
            }
            found.update(float(n) for n in Counter(key for key, _ in pairs).values())
        return frozenset(found)

    def columns_called(self, word: str) -> list[int]:
        """The columns that a noun names: 'students' names `student` and `s.name AS students`."""
        wanted = stem(word)
        found = [
            at
            for at, column in enumerate(self.rows.columns)
            if any(stem(part) == wanted for part in words_of(column).split())
        ]
        if not found and self.schema is not None:
            found = [
                at for at in range(len(self.rows.columns)) if wanted in {stem(w) for w in self._labels_of(at)}
            ]
        return found

    def counts_other_than(self, column: int, word: str) -> bool:
        """Whether the query says that a column counts something else, as `sum(c.credits)` no subjects."""
        counted = self.facts.counted.get(self.rows.columns[column])
        return counted is not None and stem(counted) != stem(word)

    def _labels_of(self, column: int) -> set[str]:
        """The labels whose names a column holds, by the schema's lists."""
        keys = {key_of(v) for row in self.cells for v in row[column]}
        labels: set[str] = set()
        for values in self.schema.values if self.schema is not None else ():
            if keys and keys <= {key_of(v) for v in values.listed}:
                labels.update(words_of(values.owner).split())
        return labels

    # ---- where an answer names a value ------------------------------------------------------------

    @cached_property
    def _forms(self) -> tuple[re.Pattern[str] | None, dict[str, str]]:
        """A pattern of all the ways to write a name of the rows, and what each of them stands for."""
        forms: list[str] = []
        meant: dict[str, str] = {}
        words = answer_words()
        partial = Counter(short for name in self.names for short in set(self._short_forms(name)))
        for name in sorted(self.names, key=len, reverse=True):
            key = key_of(name)
            body = r"[\s-]+".join(re.escape(part) for part in name.split())
            meant[_folded(name)] = key
            if name.endswith("s") and len(name) > 4 and not words.is_harmless(name, hinglish=False):
                body += "?"
                meant.setdefault(_folded(name)[:-1], key)
            # A name that is an ordinary word, too, counts where it is spelled as a name.
            ordinary = words.is_harmless(name, self.hinglish) or key in words.means
            exact = len(name) <= 2 or (ordinary and (key in _ALSO_VERBS or not self._is_attribute(key)))
            before, after = r"(?<![\w+])", r"(?![\w+]|-(?=[\s.,;)]|$))"
            forms.append(f"{before}{body}{after}" if exact else f"{before}(?i:{body}){after}")
            for spelled in date_forms(name):
                meant.setdefault(_folded(spelled), key)
                forms.append(f"{before}(?i:{re.escape(spelled)}){after}")
            for other in words.means.get(key, ()):
                if len(other) > 5 and other not in meant:
                    meant[other] = key
                    forms.append(f"{before}(?i:{other}){after}")
            for short in self._short_forms(name):
                if partial[short] == 1 and _folded(short) not in meant:
                    meant[_folded(short)] = key
                    forms.append(f"{before}{re.escape(short)}{after}")
        forms.sort(key=len, reverse=True)
        return (re.compile("|".join(f"(?:{form})" for form in forms)) if forms else None), meant

    def _is_attribute(self, key: str) -> bool:
        return self.columns_of.get(key, frozenset()) <= self.attribute_columns

    @staticmethod
    def _short_forms(name: str) -> list[str]:
        """A first word with a capital that nobody takes for an ordinary one, and initials."""
        parts = name.split()
        if len(parts) < 2:
            return []
        short = [parts[0]] if parts[0][:1].isupper() and len(parts[0]) > 2 else []
        if short and answer_words().is_harmless(short[0], hinglish=True):
            short = []
        return short + ([initials(name).upper()] if initials(name) else [])

    def mentions(self, sentence: str) -> list[Mention]:
        """The values of the rows that a sentence names, numbers included, in the order of the sentence."""
        text = str(sentence)
        if ("mentions", text) not in self._kept:
            self._kept["mentions", text] = self._mentions(text)
        found: list[Mention] = self._kept["mentions", text]
        return found

    def _mentions(self, sentence: str) -> list[Mention]:
        found: list[Mention] = []
        pattern, meant = self._forms
        for match in pattern.finditer(sentence) if pattern is not None else ():
            if not is_article(sentence, match.start(), match.end()):
                key = meant.get(_folded(match[0]), key_of(match[0]))
                found.append(Mention(match.start(), match.end(), key, self.columns_of.get(key, frozenset())))
        taken = [(m.start, m.end) for m in found]
        for token in tokens_in(sentence):
            if not may_be_a_value(token, sentence, self.hinglish):
                continue
            if any(start <= token.start < end for start, end in taken):
                continue
            value = value_of(token, self.hinglish)
            key = key_of(value) if value is not None else ""
            if key in self.columns_of:
                found.append(Mention(token.start, token.end, key, self.columns_of[key]))
        return sorted(found, key=lambda mention: mention.start)


def _folded(text: str) -> str:
    return " ".join(re.split(r"[\s-]+", text.casefold().strip()))
