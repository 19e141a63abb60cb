"""A run as a table, beside the last run of another model."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.models.evaluation.running import Result, Run
from course_lib.models.prices import dollars
from course_lib.models.tables import Table, duration

MISSES_SHOWN = 10


def comparison(run: Run, other: Run | None) -> Table:
    """Success by category, attempts, tokens, cost and seconds; the other run's success in the last column."""
    columns = ["category", "right", "attempts", "tokens in", "tokens out", "cost", "seconds"]
    if other is not None:
        columns.append(f"right with {other.choice}")
    rows = [_row(name, _of(run, name), other, name) for name in run.categories]
    rows.append(_row("all", run.results, other, None))
    return Table(columns, rows, title=f"{run.set_name}: {', '.join(run.models) or run.choice}")


def summary(run: Run, other: Run | None) -> str:
    """The run in one or two sentences."""
    sentences = [f"{run.right} of {len(run.results)} right."]
    if run.ended_early:
        left = run.asked_of - len(run.results)
        sentences.append(f"The run ended early, {left} questions before its end: {run.ended_early}.")
    if other is not None:
        sentences.append(f"{other.choice} had {other.right} of {len(other.results)} on {other.started[:10]}.")
    return " ".join(sentences)


def misses(run: Run) -> list[str]:
    """What was not right, one line each, no more than ten."""
    wrong = [result for result in run.results if result.outcome != "right"]
    lines = [
        f"{result.case}: {result.outcome}{f', {result.note}' if result.note else ''}" for result in wrong
    ]
    more = len(lines) - MISSES_SHOWN
    return lines if more <= 0 else [*lines[:MISSES_SHOWN], f"... and {more} more"]


def _of(run: Run, category: str) -> tuple[Result, ...]:
    return tuple(result for result in run.results if result.category == category)


def _row(title: str, results: Sequence[Result], other: Run | None, category: str | None) -> tuple[str, ...]:
    costs = [result.cost_usd for result in results]
    known = [cost for cost in costs if cost is not None]
    row = [
        title,
        _share(results),
        f"{sum(result.attempts for result in results) / max(len(results), 1):.1f}",
        f"{sum(result.tokens_in for result in results):,}",
        f"{sum(result.tokens_out for result in results):,}",
        dollars(sum(known) if len(known) == len(costs) else None),
        duration(sum(result.seconds for result in results)),
    ]
    if other is not None:
        theirs = other.results if category is None else _of(other, category)
        row.append(_share(theirs) if theirs else "-")
    return tuple(row)


def _share(results: Sequence[Result]) -> str:
    return f"{sum(result.outcome == 'right' for result in results)} of {len(results)}"
