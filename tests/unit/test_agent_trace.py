"""A question's steps as text, as HTML, and one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from course_lib.college import events
from course_lib.college.rows import Rows
from course_lib.settings import load_settings
from course_lib.views import trace as views
from course_lib.views.trace import Step, Trace, as_trace, stepper

QUERY = "MATCH (s:Person)\nRETURN s.name"
ANSWER = events.Answer(
    "Payal <b>it is</b>.", "answered", QUERY, Rows(("name",), [("Payal",)]), (), "practice"
)
HAPPENED: tuple[events.Event, ...] = (
    events.Asked("Who?"),
    events.ModelCalled(1, "# Schema", "# Question\nWho?"),
    events.CypherPiece(1, "MATCH"),
    events.Replied(1, f"```\n{QUERY}\n```", "practice", "practice-1", events.Tokens(10, 5), 0.1),
    events.QueryFound(1, QUERY),
    events.Judged(1, False, "unknown_label", "There is no label Person.", (9, 15)),
    events.Hinted(1, "misfit", "unknown_label", "There is no label Person."),
    events.ModelCalled(2, "# Schema", "# Previous attempt\n# Question\nWho?"),
    events.Replied(2, QUERY, "practice", "practice-1", events.Tokens(10, 5), 0.1),
    events.QueryFound(2, QUERY),
    events.Judged(2, True),
    events.RowsCame(2, Rows(("name",), [(f"Student {i}",) for i in range(9)]), 0.01),
    events.AnswerPiece("Payal"),
    events.Done(ANSWER),
)


def test_every_step_stands_there_in_words() -> None:
    trace = as_trace(HAPPENED)
    titles = [step.title for step in trace]
    assert titles == [
        "The question",
        "Attempt 1: the model is asked",
        "Attempt 1: practice replies (10 tokens in, 5 out)",
        "Attempt 1: a query is found in the reply",
        "Attempt 1: the checks stop it (unknown_label)",
        "Attempt 1 has failed (misfit, unknown_label); the hint",
        "Attempt 2: the model is asked and told what went wrong",
        "Attempt 2: practice replies (10 tokens in, 5 out)",
        "Attempt 2: the checks let it pass",
        "Attempt 2: the engine gives 9 rows",
        "The answer (answered)",
    ]
    assert trace.answer is ANSWER
    assert "and 4 more" in str(trace)
    assert str(trace).startswith("1. The question\n    Who?\n2. ")


def test_what_a_check_has_found_is_marked() -> None:
    step = as_trace(HAPPENED)[4]
    assert str(step).splitlines()[2:] == [
        "    | MATCH (s:Person)",
        "    |          ^^^^^^",
        "    | RETURN s.name",
    ]
    assert ">Person</mark>" in step.html


def test_what_a_model_says_is_no_html() -> None:
    html = as_trace(HAPPENED)._repr_mimebundle_()["text/html"]
    assert "<b>it is</b>" not in html
    assert "&lt;b&gt;it is&lt;/b&gt;" in html
    assert "<script" not in Step("x", "<script>").html


def test_a_mark_at_the_end_of_the_query() -> None:
    assert str(Step("x", code="MATCH (s)", mark=(9, 9))).splitlines()[-1] == "    |          ^"


def test_two_buttons_step_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "load_settings", lambda: replace(load_settings(), building=False))
    trace = as_trace(HAPPENED)
    widget: Any = stepper(trace)
    (back, on), shown = widget.children[0].children, widget.children[1]
    assert "Step 1 of 11" in shown.value
    assert 'role="status"' in shown.value
    assert back.disabled
    for _ in range(20):
        on.click()
    assert "Step 11 of 11" in shown.value
    assert on.disabled
    back.click()
    assert "Step 10 of 11" in shown.value
    assert not on.disabled


def test_where_notebooks_are_built_the_whole_trace_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "load_settings", lambda: replace(load_settings(), building=True))
    trace = as_trace(HAPPENED)
    assert stepper(trace) is trace
    assert isinstance(stepper(Trace([])), Trace)
