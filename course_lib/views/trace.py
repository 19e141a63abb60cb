"""One question's way through the agent, to be stepped through: what was asked, said, checked, run and hinted.

from course_lib.views.trace import stepper, trace

steps = trace(agent, "Which clubs is Payal in?")
print(steps)        the plain way: every step as text
stepper(steps)      the same, one step at a time, with two buttons
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from course_lib.college import events
from course_lib.settings import load_settings

if TYPE_CHECKING:
    from course_lib.college.agent import StudyAgent

_LONGEST = 900
"""Characters of a reply or a hint that a step shows."""
_ROWS = 5


@dataclass(frozen=True)
class Step:
    """One step, in words."""

    title: str
    text: str = ""
    code: str = ""
    """A query or a prompt, shown as it stands."""
    mark: tuple[int, int] | None = None
    """The part of the code that a check has found fault with, in characters."""

    def __str__(self) -> str:
        lines = [self.title]
        lines += [f"    {line}" for line in self.text.splitlines()]
        lines += [f"    | {line}" for line in self.code.splitlines()]
        if self.mark is not None and self.code:
            start, end = self.mark
            line = self.code.count("\n", 0, start)
            column = start - (self.code.rfind("\n", 0, start) + 1)
            width = max(min(end - start, len(self.code.splitlines()[line]) - column), 1)
            place = len(lines) - len(self.code.splitlines()) + line + 1
            lines.insert(place, f"    | {' ' * column}{'^' * width}")
        return "\n".join(lines)

    @property
    def html(self) -> str:
        """The step as HTML, without script or style sheet."""
        parts = [f"<div><b>{html.escape(self.title)}</b></div>"]
        if self.text:
            parts.append(f"<div>{html.escape(self.text)}</div>".replace("\n", "<br>"))
        if self.code:
            parts.append(
                '<pre style="white-space: pre-wrap; font-family: monospace; margin: 2px 0 2px 12px; '
                f'padding: 4px 8px; border-left: 3px solid #4d6a9a">{self._marked()}</pre>'
            )
        return "".join(parts)

    def _marked(self) -> str:
        if self.mark is None:
            return html.escape(self.code)
        start, end = self.mark
        before, found, after = self.code[:start], self.code[start:end], self.code[end:]
        return (
            f'{html.escape(before)}<mark style="background: #ffd9b3; color: #1f2328; outline: 2px solid #930"'
            f">{html.escape(found)}</mark>{html.escape(after)}"
        )


class Trace(Sequence[Step]):
    """The steps of one question, in order, and the answer at their end."""

    def __init__(self, steps: Sequence[Step], answer: events.Answer | None = None) -> None:
        self._steps = tuple(steps)
        self.answer = answer

    def __len__(self) -> int:
        return len(self._steps)

    @overload
    def __getitem__(self, place: int) -> Step: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, place: int | slice) -> Step | tuple[Step, ...]:
        return self._steps[place]

    def __str__(self) -> str:
        return "\n".join(f"{number}. {step}" for number, step in enumerate(self._steps, start=1))

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        items = "".join(f'<li style="margin: 4px 0">{step.html}</li>' for step in self._steps)
        return {"text/plain": str(self), "text/html": f"<ol>{items}</ol>"}


def trace(agent: StudyAgent, question: str) -> Trace:
    """Asks an agent and takes down every step.

    Args:
        agent: the agent.
        question: the question.
    """
    return as_trace(agent.stream(question))


def as_trace(happened: Iterable[events.Event]) -> Trace:
    """The steps of a question, from its events."""
    answer: events.Answer | None = None
    steps: list[Step] = []
    query = said = ""
    for event in happened:
        if isinstance(event, events.QueryFound):
            query = event.cypher
            if query.strip() == said.strip():
                continue  # the reply was a query and nothing else: it stands in the step before
        if isinstance(event, events.Replied):
            said = event.text
        if isinstance(event, events.Done):
            answer = event.answer
        step = _step(event, query)
        if step is not None:
            steps.append(step)
    return Trace(steps, answer)


def stepper(steps: Trace) -> Any:
    """A trace, one step at a time; where notebooks are built, the whole trace."""
    if load_settings().building or not steps:
        return steps
    import ipywidgets as widgets

    place = 0
    back = widgets.Button(description="Back", icon="arrow-left", tooltip="The step before")
    on = widgets.Button(description="Next", icon="arrow-right", tooltip="The next step")
    shown = widgets.HTML()

    def show(to: int) -> None:
        nonlocal place
        place = min(max(to, 0), len(steps) - 1)
        back.disabled, on.disabled = place == 0, place == len(steps) - 1
        head = f"Step {place + 1} of {len(steps)}"
        shown.value = f'<div role="status" aria-live="polite"><div>{head}</div>{steps[place].html}</div>'

    back.on_click(lambda _: show(place - 1))
    on.on_click(lambda _: show(place + 1))
    show(0)
    return widgets.VBox([widgets.HBox([back, on]), shown])


def _step(event: events.Event, query: str) -> Step | None:
    """One event in words; None for those that are only of use while they happen."""
    match event:
        case events.Asked(question):
            return Step("The question", question)
        case events.FromCache():
            return Step("Answered before, and nothing has changed since")
        case events.ModelCalled(attempt, system, prompt):
            told = " and told what went wrong" if "# Previous attempt" in prompt else ""
            about = f"Under a system prompt of {len(system)} characters:"
            return Step(f"Attempt {attempt}: the model is asked{told}", about, _short(prompt))
        case events.Replied(attempt, text, provider, _, usage, _):
            counted = f"{usage.tokens_in} tokens in, {usage.tokens_out} out"
            return Step(f"Attempt {attempt}: {provider} replies ({counted})", "", _short(text))
        case events.QueryFound(attempt, cypher):
            return Step(f"Attempt {attempt}: a query is found in the reply", "", cypher)
        case events.Judged(attempt, True, _, _, _):
            return Step(f"Attempt {attempt}: the checks let it pass")
        case events.Judged(attempt, _, code, reason, span):
            return Step(f"Attempt {attempt}: the checks stop it ({code})", reason, query, span)
        case events.RowsCame(attempt, rows, _, capped):
            more = f", the first of {capped}" if capped is not None else ""
            count = f"{len(rows)} row{'' if len(rows) == 1 else 's'}{more}"
            return Step(f"Attempt {attempt}: the engine gives {count}", "\n".join(_rows(rows)))
        case events.Hinted(attempt, outcome, code, hint):
            kind = f"{outcome}, {code}" if code and code != outcome else outcome
            said = _short(hint) if hint else "Nothing is said: the same is asked again."
            return Step(f"Attempt {attempt} has failed ({kind}); the hint", said)
        case events.AnswerReplaced(text, problems):
            return Step("Replaced by what the rows say", "\n".join([text, *problems]))
        case events.Done(answer):
            return Step(f"The answer ({answer.status})", answer.text)
        case _:
            return None


def _rows(rows: Any) -> Iterator[str]:
    for row in list(rows)[:_ROWS]:
        yield ", ".join(str(cell) for cell in row)
    if len(rows) > _ROWS:
        yield f"and {len(rows) - _ROWS} more"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
