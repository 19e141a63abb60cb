"""The agent: a question in, an answer out, with every step in between to be seen.

    from course_lib.college.agent import StudyAgent
    from course_lib.college.graph import open_graph
    from course_lib.models import connect

    agent = StudyAgent(open_graph(), connect())
    agent.ask("Which clubs is Payal in?").text

One question never raises. A model that is down, an engine that is gone, a question that is no text: the
answer's `status` is `failed`, its `text` says so to whoever asked, in their language, and `problem` says why
to whoever runs the assistant.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from course_lib.college.answer import (
    Worded,
    failed_text,
    nothing_found_text,
    out_of_scope_text,
    plain_wording,
    refused_text,
    stream_rows,
)
from course_lib.college.asking import AnswerCache, ConversationMemory, FailureLog, Model
from course_lib.college.attempting import HintKind, Limits, Loop, Prompt, Run, tokens_of
from course_lib.college.errors import EngineError
from course_lib.college.events import (
    Answer,
    AnswerPiece,
    AnswerReplaced,
    Asked,
    Done,
    Event,
    FromCache,
    Status,
    Tokens,
)
from course_lib.college.graph import Graph
from course_lib.college.near_names import Name
from course_lib.college.notices import notice
from course_lib.college.prompt_rules import ALL
from course_lib.college.running import NO_ROWS
from course_lib.college.schema import Schema
from course_lib.college.schema_watch import watch_of
from course_lib.college.values import Found, find_values
from course_lib.errors import CourseError

LONGEST_QUESTION = 2_000
"""Characters. A question is a sentence or three; what is longer is a document, and would fill the prompt."""

ROW_LIMIT = 200
"""How many rows of a result are kept."""


@dataclass(frozen=True)
class Parts:
    """Which parts of the prompt the model is given; lessons leave some out to see what they are worth."""

    schema: bool = True
    values: bool = True
    rules: Collection[str] = ALL


class StudyAgent:
    """Answers questions about one graph.

    It is safe to use from several threads. A `memory` makes it one conversation: its turns are remembered in
    the order in which they end, so give each conversation an agent of its own, as many as you like on one
    graph and one model.

    Args:
        graph: the graph, read as the read-only user.
        model: whatever answers prompts, such as `course_lib.models.connect()`.
        memory: what was said before; without one each question stands alone.
        cache: answers given before.
        failures: counts what goes wrong, attempt by attempt.
        attempts: how often a question is tried, from 1.
        rules: names of the rules that the prompt holds.
        hints: `real` says what was wrong, `vague` that something was, `none` asks the same again. The last
            two are there to be measured.
        schema: whether the prompt holds the schema.
        values: whether it holds the names in the graph.
        worded: whether a model words the rows; else they are put into a plain sentence.
        timeout_ms: how long a query may run, in milliseconds; the setting when None.
        row_limit: how many rows of a result are kept.
    """

    def __init__(
        self,
        graph: Graph,
        model: Model,
        memory: ConversationMemory | None = None,
        cache: AnswerCache | None = None,
        failures: FailureLog | None = None,
        *,
        attempts: int = 2,
        rules: Collection[str] = ALL,
        hints: HintKind = "real",
        schema: bool = True,
        values: bool = True,
        worded: bool = True,
        timeout_ms: int | None = None,
        row_limit: int = ROW_LIMIT,
    ) -> None:
        if attempts < 1:
            raise AgentSettingError(f"attempts={attempts} asks nobody.", "Give a whole number from 1.")
        if hints not in ("real", "vague", "none"):
            raise AgentSettingError(f"There are no hints of the kind {hints!r}.", "Use real, vague or none.")
        if row_limit < 1:
            raise AgentSettingError(f"row_limit={row_limit} keeps nothing.", "Give a whole number from 1.")
        self.graph = graph
        self.model = model
        self.memory = memory
        self.cache = cache
        self.parts = Parts(schema, values, rules)
        self.worded = worded
        self.schema = watch_of(graph)
        self._last: tuple[object, str, tuple[Name, ...]] | None = None
        self._loop = Loop(graph, model, Limits(attempts, timeout_ms, row_limit), hints, failures)

    def ask(self, question: str) -> Answer:
        """Answers a question. It raises nothing that a question, a model or the engine can cause.

        Args:
            question: in English or Hinglish, a few sentences at most.
        """
        answer: Answer | None = None
        for event in self._events(question, in_pieces=False):
            if isinstance(event, Done):
                answer = event.answer
        if answer is None:
            raise RuntimeError("The last event of a question is Done.")
        return answer

    def stream(self, question: str) -> Iterator[Event]:
        """Answers a question step by step; the last event is `Done` and holds the answer.

        Whoever stops listening early closes the iterator, and with it the model's call.

        Args:
            question: in English or Hinglish, a few sentences at most.
        """
        return self._events(question, in_pieces=True)

    # ---- one question ----------------------------------------

    def _events(self, question: str, *, in_pieces: bool) -> Iterator[Event]:
        """Every step, and `Done` at the end whatever happens."""
        began = time.perf_counter()
        asked = cleaned(question)
        yield Asked(asked[:LONGEST_QUESTION])
        run: Run | None = None
        failure: tuple[str, str] = ("bug", "")
        try:
            if not asked or len(asked) > LONGEST_QUESTION:
                failure = ("too_long" if asked else "no_question", "")
            else:
                prompt, parts = self._prompt(asked)
                kept = self._kept(parts)
                if kept is not None:
                    yield FromCache()
                    yield from self._finish(replace(kept, cached=True), began)
                    return
                run = Run(prompt)
                yield from self._loop.run(run, in_pieces=in_pieces)
                answer = yield from self._worded(run, in_pieces=in_pieces)
                yield from self._finish(self._keep(parts, answer), began)
                return
        except EngineError as error:
            failure = ("engine_down", str(error))
        except CourseError as error:
            failure = ("model_down", str(error))
        except Exception as error:
            # The promise of `ask`: whatever a part of somebody else's raises becomes a failed answer, with
            # its name.
            failure = ("bug", f"{type(error).__name__}: {error}")
        text = notice(failure[0], asked[:LONGEST_QUESTION])
        yield AnswerPiece(text)
        yield Done(
            Answer(
                text=text,
                status="failed",
                cypher="",
                rows=NO_ROWS,
                attempts=tuple(run.attempts) if run is not None else (),
                provider="",
                question=asked[:LONGEST_QUESTION],
                usage=run.usage if run is not None else Tokens(),
                seconds=time.perf_counter() - began,
                problem=failure[1] or failure[0],
            )
        )

    def _finish(self, answer: Answer, began: float) -> Iterator[Event]:
        """Remembers the turn and hands out the answer."""
        if answer.cached:
            yield AnswerPiece(answer.text)
        if self.memory is not None and answer.status in ("answered", "empty"):
            try:
                self.memory.remember(answer.question, answer.cypher, answer.rows, answer.text)
            except Exception as error:
                # There is an answer. That the next question will not know of it is no reason to lose it.
                answer = replace(answer, problem=f"not remembered: {error}")
        yield Done(replace(answer, seconds=time.perf_counter() - began))

    def _prompt(self, question: str) -> tuple[Prompt, dict[str, str]]:
        """What the question is asked with, and everything that its answer depends on."""
        schema, state = self.schema.current()
        memory = self.memory.to_prompt(question) if self.memory is not None else ""
        found = find_values(self.graph, schema, question) if self.parts.values else ()
        system, names = self._written(schema, memory, found)
        parts = {
            "graph": self.graph.name,
            "state": state,
            "prompt": hashlib.sha256(system.encode()).hexdigest()[:24],
            "model": repr(self.model),
            "question": question,
            "settings": f"{self._loop.limits} {self._loop.hints} {self.worded}",
        }
        return Prompt(question, system, schema, names), parts

    def _written(self, schema: Schema, memory: str, found: Sequence[Found]) -> tuple[str, tuple[Name, ...]]:
        """The system prompt and the names that are known; the last ones are kept, most questions share
        them."""
        key = (schema.version, memory, tuple(found))
        last = self._last
        if last is None or last[0] != key:
            system = schema.to_prompt(
                schema=self.parts.schema,
                values=self.parts.values,
                rules=self.parts.rules,
                memory=memory,
                found=found,
            )
            searched = (Name(one.owner, one.property, one.value) for one in found)
            last = self._last = (key, system, (*listed_names(schema), *searched))
        return last[1], last[2]

    def _kept(self, parts: dict[str, str]) -> Answer | None:
        """What the cache holds. A cache that fails is a cache that holds nothing."""
        try:
            return self.cache.get(parts) if self.cache is not None else None
        except Exception:
            return None

    def _keep(self, parts: dict[str, str], answer: Answer) -> Answer:
        """Puts an answer into the cache, where there is one; a failure is never kept."""
        if self.cache is not None and answer.status in ("answered", "empty", "out_of_scope"):
            try:
                self.cache.put(parts, answer)
            except Exception as error:
                return replace(answer, problem=f"not cached: {error}")
        return answer

    # ---- words ----------------------------------------

    def _worded(self, run: Run, *, in_pieces: bool) -> Generator[Event, None, Answer]:
        """From what came of the attempts to an answer. Only rows are ever worded by a model."""
        question, last, status = run.prompt.question, run.last, run.status
        cypher = last.cypher if last is not None else ""
        rows = run.rows if status == "answered" else NO_ROWS
        worded: Worded | None = None
        if status == "answered" and self.worded:
            pieces = stream_rows(
                question, cypher, rows, self.model, schema=run.prompt.schema, in_pieces=in_pieces
            )
            worded = yield from _as_events(pieces)
            text = worded.text
            if worded.replaced:
                yield AnswerReplaced(text, worded.problems)
        else:
            text = plain_wording(question, rows, cypher) if status == "answered" else self._said(run, status)
            yield AnswerPiece(text)
        if status == "answered" and run.capped is not None:
            more = f" {notice('capped', question, total=run.capped, shown=len(rows))}"
            text += more
            yield AnswerPiece(more)
        asked_by = next((one.provider for one in reversed(run.attempts) if one.provider), "")
        return Answer(
            text=text,
            status=status,
            cypher=cypher,
            rows=rows,
            attempts=tuple(run.attempts),
            provider=asked_by,
            question=question,
            grounded=worded.grounded if worded is not None else True,
            reading=worded.reading if worded is not None else None,
            capped=run.capped if status == "answered" else None,
            usage=run.usage + (tokens_of(worded.reply) if worded is not None else Tokens()),
            problem="" if status == "answered" else run.problem,
        )

    def _said(self, run: Run, status: Status) -> str:
        """The sentence for a question that has no rows."""
        question = run.prompt.question
        if status == "empty":
            return nothing_found_text(question)
        if status == "out_of_scope":
            return out_of_scope_text(question, run.prompt.schema)
        if status == "refused":
            return refused_text(question)
        outcome = run.last.outcome if run.last is not None else ""
        return (
            notice(outcome, question) if outcome in ("model_down", "engine_down") else failed_text(question)
        )


def _as_events(pieces: Generator[str, None, Worded]) -> Generator[Event, None, Worded]:
    """The pieces of a wording as events; the whole of it is what the generator returns."""
    while True:
        try:
            piece = next(pieces)
        except StopIteration as end:
            worded: Worded = end.value
            return worded
        yield AnswerPiece(piece)


class AgentSettingError(CourseError):
    """An agent was to be made with a setting that makes no sense."""


def cleaned(question: Any) -> str:
    """A question as one line of text that can be sent anywhere; nothing where there is none.

    Headings, line breaks and characters that no wire can carry are not part of a question.
    """
    if not isinstance(question, str):
        return ""
    # Twice the longest is enough to see that it is too long; a hundred thousand characters need no washing.
    text = question[: 2 * LONGEST_QUESTION].encode("utf-8", "replace").decode("utf-8")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def listed_names(schema: Schema) -> tuple[Name, ...]:
    """The names that the schema lists."""
    return tuple(Name(one.owner, one.property, value) for one in schema.values for value in one.listed)
