"""Rows become an answer: a model words them, the words are checked against the rows, and a wording that says
more than the rows is replaced by a plain one.

    worded = word_rows(question, cypher, rows, model)
    worded.text, worded.grounded, worded.replaced, worded.problems

The texts for questions that have no rows are here, too; no model is asked for any of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from course_lib.college.asking import Model, ModelReply
from course_lib.college.grounding import Grounding, check_grounding
from course_lib.college.language import (
    Language,
    failed_text,
    language_of,
    nothing_found_text,
    out_of_scope_text,
    refused_text,
)
from course_lib.college.readings import Reading, reading_of
from course_lib.college.rows import Rows
from course_lib.college.wording import SYSTEM, plain_wording, prompt_for
from course_lib.errors import CourseError

if TYPE_CHECKING:
    from course_lib.college.schema import Schema

__all__ = [
    "Grounding",
    "Language",
    "Reading",
    "Worded",
    "check_grounding",
    "failed_text",
    "language_of",
    "nothing_found_text",
    "out_of_scope_text",
    "plain_wording",
    "reading_of",
    "refused_text",
    "stream_rows",
    "word_rows",
]


@dataclass(frozen=True)
class Worded:
    """An answer in words, and how it came about."""

    text: str
    grounded: bool
    """Whether the model's own words held to the rows. What is in `text` always does."""
    replaced: bool
    """Whether `text` is the plain wording, in place of what a model said or failed to say."""
    problems: tuple[str, ...] = ()
    """What was wrong with the model's words."""
    reading: str | None = None
    """Which reading of an ambiguous question was taken; it stands in `text`, too."""
    reply: ModelReply | None = None
    """What the model said; None where none was asked, or none answered."""


def word_rows(
    question: str,
    cypher: str,
    rows: Rows,
    model: Model,
    *,
    schema: Schema | None = None,
    on_piece: Callable[[str], object] | None = None,
) -> Worded:
    """Puts rows into words through a model, and lets nothing through that the rows do not say.

    With no rows no model is asked. A model that is down, or says nothing of use, costs the charm and not the
    answer: then the rows are worded plainly.

    Args:
        question: as it was asked.
        cypher: the query whose rows these are.
        rows: the result.
        model: whoever words it.
        schema: what the graph holds: a name that it knows and the rows don't have is surely out of place.
        on_piece: is given the text as it comes, a checked sentence at a time; see `stream_rows`.
    """
    pieces = stream_rows(question, cypher, rows, model, schema=schema, in_pieces=on_piece is not None)
    while True:
        try:
            piece = next(pieces)
        except StopIteration as end:
            worded: Worded = end.value
            return worded
        if on_piece is not None:
            on_piece(piece)


def stream_rows(
    question: str,
    cypher: str,
    rows: Rows,
    model: Model,
    *,
    schema: Schema | None = None,
    in_pieces: bool = True,
) -> Generator[str, None, Worded]:
    """`word_rows` in pieces: yields sentences as they are found to be true, and returns the `Worded`.

    A sentence is held back until it is whole and checked, so nothing made up is ever shown. The first one
    that does not hold ends the stream: then `replaced` is True, and `text` is to stand in place of all the
    pieces. Where it is False, the pieces joined are the text.

    Args:
        question: as it was asked.
        cypher: the query whose rows these are.
        rows: the result.
        model: whoever words it.
        schema: what the graph holds.
        in_pieces: whether the model is asked for a stream; if not, there is one piece at the end.
    """
    if not rows:
        text = nothing_found_text(question)
        yield text
        return Worded(text, grounded=True, replaced=False)
    reading = reading_of(question, cypher)
    checked = _Checked(question, cypher, rows, schema, reading)
    try:
        reply = yield from _ask(model, prompt_for(question, rows, reading), checked, in_pieces)
    except CourseError as error:
        # There are rows, so there is an answer: only the one who would have worded it is missing.
        return checked.plainly(None, (f"No model worded the rows: {error}",))
    if checked.problems:
        return checked.plainly(reply, checked.problems)
    text = tidied(reply.text, cut_off=getattr(reply, "stop", "end") == "max_tokens")
    grounding = checked.check(text)
    if not grounding.ok:
        return checked.plainly(reply, grounding.problems)
    rest = text[len(checked.shown) :] if text.startswith(checked.shown) else None
    if rest is None:
        return checked.plainly(reply, ("The reply changed while it was being written.",))
    said = checked.missing_reading(text)
    if rest + said:
        yield rest + said
    return Worded(text + said, True, False, (), reading.text if reading else None, reply)


@dataclass
class _Checked:
    """The state of one wording: what has been shown of it, and what was found wrong."""

    question: str
    cypher: str
    rows: Rows
    schema: Schema | None
    reading: Reading | None
    shown: str = ""
    problems: tuple[str, ...] = ()

    def check(self, text: str, whole: bool = True) -> Grounding:
        return check_grounding(
            text,
            self.question,
            self.rows,
            schema=self.schema,
            cypher=self.cypher,
            reading=self.reading,
            whole=whole,
        )

    def missing_reading(self, text: str) -> str:
        """The sentence that says which reading was taken, unless the model has said it."""
        if self.reading is None or _folded(self.reading.text) in _folded(text):
            return ""
        return " " + self.reading.sentence(language_of(self.question))

    def plainly(self, reply: ModelReply | None, problems: tuple[str, ...]) -> Worded:
        text = plain_wording(self.question, self.rows, self.cypher)
        text += self.missing_reading(text)
        reading = self.reading.text if self.reading else None
        return Worded(text, reply is None, True, problems, reading, reply)

    def release(self, so_far: str) -> Iterator[str]:
        """The sentences that are whole by now and hold, each once."""
        if self.problems:
            return
        text = tidied(so_far)
        end = _last_stop(text)
        if end <= len(self.shown) or not text.startswith(self.shown):
            return
        grounding = self.check(text[:end], whole=False)
        if not grounding.ok:
            self.problems = grounding.problems
            return
        piece, self.shown = text[len(self.shown) : end], text[:end]
        yield piece


def _ask(model: Model, prompt: str, checked: _Checked, in_pieces: bool) -> Generator[str, None, ModelReply]:
    if not in_pieces:
        return model.generate(prompt, SYSTEM)
    stream = model.stream(prompt, SYSTEM)
    so_far = ""
    try:
        for piece in stream:
            so_far += piece
            yield from checked.release(so_far)
        return stream.reply
    finally:
        stream.close()


_REASONING = re.compile(
    r"<\s*(think\w*|reason\w*|reflection|analysis|scratchpad)\s*>.*?<\s*/\s*\1\s*>", re.I | re.S
)
_OPENED = re.compile(r"<\s*/?\s*(?:think\w*|reason\w*|reflection|analysis|scratchpad)\s*>.*", re.I | re.S)
_FENCE = re.compile(r"^\s*```\w*\n(.*?)(?:\n```\s*)?$", re.S)
_STOP = re.compile(r"[.!?।][\"”’')*_]*(?=\s)|\n")


def tidied(text: str, cut_off: bool = False) -> str:
    """A wording without reasoning, without a fence around it, and without a sentence that was cut off.

    Reasoning whose end is missing leaves nothing behind it that can be told from an answer.

    Args:
        text: the reply.
        cut_off: whether it ran into the token limit: then only whole sentences are kept.
    """
    said = _OPENED.sub("", _REASONING.sub("", text)).strip()
    fenced = _FENCE.match(said)
    said = fenced[1].strip() if fenced else said
    if cut_off:
        said = said[: _last_stop(said + "\n")] if said.endswith((".", "!", "?")) else said[: _last_stop(said)]
    return said.strip()


def _last_stop(text: str) -> int:
    """Where the last whole sentence ends. One that is not followed by anything may still go on: 'A+ in 2.'
    '5'."""
    return max((match.end() for match in _STOP.finditer(text)), default=0)


def _folded(text: str) -> str:
    return " ".join(text.lower().split())
