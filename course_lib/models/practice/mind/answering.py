"""Rows become words: two to four sentences in the language of the question, and nothing that is not in the
rows.

Rows are data. A prompt that says so is obeyed; under one that does not, an instruction hidden in a row is
followed, as models have been seen to do.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from course_lib.models.practice.mind.lexicon import is_hinglish, lexicon, read_toml
from course_lib.models.practice.mind.prompt_form import PromptParts
from course_lib.models.practice.mind.reading_rules import Rule, read_rules
from course_lib.models.practice.mind.rows_reading import RowsText, read_rows
from course_lib.models.practice.mind.text import tokens

MOST_LISTED = 12
"""How many rows an answer lists before it says that there are more."""
_LONG = 60
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,60}\b(?:instructions?|rules?|above|before|previous|prior)\b"
    r"|^\s*(?:system|assistant|instruction|new instructions?)\s*:|\byou (?:must|should) now\b",
    re.I,
)
_ORDERED_TEXT = re.compile(
    r"(?:say|reply|answer|respond|write|print|tell (?:the user|them"
    r"|everyone))\s*(?:only\s*)?(?:with\s*|that\s*)?[:\s]\s*['\"“‘]?(.+?)['\"”’]?\s*$",
    re.I | re.S,
)


@lru_cache(maxsize=512)
def word_rows(parts: PromptParts) -> str:
    """The answer to a question from rows.

    Args:
        parts: the prompt, with its question and its rows.
    """
    rows = read_rows(parts.rows)
    if Rule.ROWS_ARE_DATA not in read_rules(parts.instructions):
        hijacked = _followed(rows)
        if hijacked is not None:
            return hijacked
    hinglish = is_hinglish(parts.question)
    say = read_wording()["hinglish" if hinglish else "english"]
    if rows.cells() == ["OUT_OF_SCOPE"]:
        return say["outside"].format(kinds=_kinds(parts) or ("data" if hinglish else "its own data"))
    if not rows.rows:
        return say["nothing"]
    sentences = _sentences(parts.question, rows, say)
    if parts.reading:
        sentences.append(say["reading"].format(reading=parts.reading.strip().rstrip(".")))
    if len(sentences) < 2:
        sentences.append(say["close"])
    return " ".join(sentences[:4])


@lru_cache(maxsize=1)
def read_wording() -> dict[str, dict[str, str]]:
    """The sentences that answers are made of, by language."""
    return read_toml("wording")


def _followed(rows: RowsText) -> str | None:
    """What a row orders, when it holds an order."""
    for cell in rows.cells():
        if isinstance(cell, str) and (match := _ORDER.search(cell)):
            said = _ORDERED_TEXT.search(cell[match.end() :]) or _ORDERED_TEXT.search(cell)
            return said.group(1).strip() if said else cell[match.end() :].strip(" .:,;") or cell
    return None


def _kinds(parts: PromptParts) -> str:
    match = re.search(r"(?:help with|about|holds)\s*:?\s*([^.\n]+)", parts.instructions, re.I)
    return match.group(1).strip() if match else ""


# ---- sentences ------------------------------------------------


def _sentences(question: str, rows: RowsText, say: dict[str, str]) -> list[str]:
    shown = rows.rows[:MOST_LISTED]
    columns = rows.columns or tuple("" for _ in shown[0])
    more = [say["more"]] if len(rows.rows) > MOST_LISTED else []
    lists = [cell for row in shown for cell in row if isinstance(cell, list)]
    if len(shown) == 1 and len(lists) == 1 and _is_path(columns):
        return [say["path"].format(steps=say["then"].join(_text(c) for c in lists[0])), *more]
    if len(columns) == 1:
        return [*_single(shown, columns[0], say), *more]
    texts = [
        i for i in range(len(columns)) if any(isinstance(r[i], str) and len(r[i]) > _LONG for r in shown)
    ]
    if texts:
        name = next((i for i in range(len(columns)) if i not in texts), None)
        return [
            *(
                say["text"].format(name=_text(row[name]), text=_stopped(_text(row[texts[0]])))
                if name is not None
                else say["note"].format(text=_stopped(_text(row[texts[0]])))
                for row in shown[:3]
            ),
            *([say["more"]] if len(rows.rows) > 3 else []),
        ]
    if _is_ranked(question):
        first = say["ranked_first"].format(name=_text(shown[0][0]), details=_details(shown[0], columns))
        rest = "; ".join(_inline(row, columns) for row in shown[1:])
        return [first, *([say["ranked_next"].format(rest=rest)] if rest else []), *more]
    if len(shown) == 1:
        return [say["detailed_one"].format(name=_text(shown[0][0]), details=_details(shown[0], columns))]
    return [say["detailed"].format(rows="; ".join(_inline(row, columns) for row in shown)), *more]


def _single(shown: tuple[tuple[Any, ...], ...], column: str, say: dict[str, str]) -> list[str]:
    values = [_text(row[0]) for row in shown]
    noun = _noun(column) or "answer"
    if any(len(value) > _LONG for value in values):
        return [say["note"].format(text=" ".join(_stopped(value) for value in values[:3]))]
    if len(values) == 1:
        form = "value" if isinstance(shown[0][0], int | float) else "one"
        return [say[form].format(noun=noun, value=values[0]).replace("The answer: ", "The answer is ")]
    return [say["several"].format(nouns=_plural(noun), values=_joined(values, say["and"]))]


def _is_path(columns: tuple[str, ...]) -> bool:
    return bool(set(columns) & {"steps", "path", "nodes", "way"}) or columns == ("",)


def _is_ranked(question: str) -> bool:
    names = {hit.name for hit in lexicon().ops.find(tokens(question))}
    return bool(names & {"best", "most", "least", "worst", "teach", "oldest", "newest"})


def _details(row: tuple[Any, ...], columns: tuple[str, ...]) -> str:
    pieces = []
    for name, cell in zip(columns[1:], row[1:], strict=False):
        if cell is not None:
            noun = _noun(name)
            pieces.append(f"{noun} {_text(cell)}".strip())
    return ", ".join(pieces) or _text(row[0])


def _inline(row: tuple[Any, ...], columns: tuple[str, ...]) -> str:
    details = _details(row, columns) if len(row) > 1 else ""
    return f"{_text(row[0])} ({details})" if details else _text(row[0])


def _noun(column: str) -> str:
    return column.split(".")[-1].replace("_", " ").strip().lower()


def _plural(noun: str) -> str:
    if noun.endswith("s"):
        return noun
    return noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


def _text(cell: Any) -> str:
    if isinstance(cell, list):
        return ", ".join(_text(item) for item in cell)
    if isinstance(cell, dict):
        return ", ".join(_text(item) for item in cell.values())
    return "?" if cell is None else str(cell)


def _stopped(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?", '"')) else text.rstrip() + "."


def _joined(values: list[str], last: str) -> str:
    return values[0] if len(values) == 1 else ", ".join(values[:-1]) + last + values[-1]
