"""Judges a query: it is run as a reader, on the college and on others that the learner has not seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from course_lib.classroom.compare import Difference, Rule, compare_results
from course_lib.classroom.outcome import Outcome, nearly, right, wrong
from course_lib.classroom.room import raise_if_ours
from course_lib.classroom.spelling import blame_spelling

if TYPE_CHECKING:
    from course_lib.classroom.room import Room
    from course_lib.college.graph import Graph, Rows

TYPED_IN = (
    "These rows did not come from the graph: on another college they stay the same, and are wrong there."
)
_ON_ANOTHER = "Right on this college. On another one:"
ON_THIS_COLLEGE = "Your rows, on this college"
"""Heads the rows on a card: always those of the lesson's own data, whatever the sentence above is about."""


@dataclass(frozen=True)
class Attempt:
    """A learner's query that was run, and how its rows differ from those asked for."""

    query: str
    yours: Rows
    asked: Rows
    difference: Difference
    here: bool
    """True on the lesson's own data, False on a college that the learner has not seen."""
    graph: Graph = field(repr=False)
    """The scratch graph that it ran on; only to be read."""

    def says(self, pattern: str) -> bool:
        """Whether the query's text, strings left out, matches a pattern; upper and lower case are one."""
        return re.search(pattern, without_strings(self.query), re.IGNORECASE) is not None


@dataclass(frozen=True)
class NearMiss:
    """A wrong answer that somebody might well give, and what to say to it.

    Args:
        when: recognises it, by its rows or by its text.
        says: what to think about; it must not give the answer away.
        near: whether it counts as nearly rather than wrong.
        where: on which data it may be drawn. "here": on the lesson's own, where the learner can see the rows
            it speaks of. "elsewhere": on unseen colleges, and printed as it stands, so the text itself must
            say so. "both": on either; on an unseen one it is said after "Right on this college. On another
            one:".
    """

    when: Callable[[Attempt], bool]
    says: str
    near: bool = True
    where: Literal["here", "elsewhere", "both"] = "both"

    def fits(self, attempt: Attempt) -> bool:
        """Whether an attempt is this near miss, and on data on which it may be drawn."""
        return self.where in ("both", "here" if attempt.here else "elsewhere") and self.when(attempt)


@dataclass(frozen=True)
class QueryCheck:
    """How to judge a query.

    Args:
        reference: a query that gives the right rows. A column whose name starts with `_` holds a sort key: it
            is not asked for, and rows that tie in it may come in any order.
        learnt: one sentence for when it is right.
        near_misses: looked through in order, on the first college where the rows differ.
        ordered: whether an order was asked for.
        extra_columns: whether columns after those asked for are welcome.
        limit: how many rows were asked for, where the reference gives all of them (ties are fair).
        ignore_case: whether upper and lower case make no difference.
        params: parameters that the learner's query is run with.
        layers: the college's layers; those of the lesson when None.
        seeds: which unseen colleges it must be right on too. Empty: none, where rows cannot differ.
        twists: further unseen colleges: each is a writing query, run on a copy of the lesson's own. For
            questions about a person by name, who does not occur in a college made from a seed.
    """

    reference: str
    learnt: str
    near_misses: tuple[NearMiss, ...] = ()
    ordered: bool = False
    extra_columns: bool = False
    limit: int | None = None
    ignore_case: bool = False
    params: Mapping[str, Any] | None = None
    layers: tuple[str, ...] | None = None
    seeds: tuple[int, ...] = (1, 2)
    keep: tuple[str, ...] = ()
    twists: tuple[str, ...] = ()

    def compare(self, yours: Any, asked: Any) -> Difference:
        """How two results differ by the rules of this check."""
        return compare_results(
            yours,
            asked,
            ordered=self.ordered,
            extra_columns=self.extra_columns,
            limit=self.limit,
            ignore_case=self.ignore_case,
        )


def judge_query(answer: Any, room: Room, check: QueryCheck) -> Outcome:
    """Runs the learner's query on the college and on unseen ones, and compares the rows.

    Args:
        answer: what was handed in: a query as text.
        room: where scratch graphs come from.
        check: what is asked.
    """
    return replace(_judge_query(answer, room, check), heading=ON_THIS_COLLEGE)


def _judge_query(answer: Any, room: Room, check: QueryCheck) -> Outcome:
    refused = refuse_non_query(answer)
    if refused is not None:
        return refused
    here = room.college_to_read(check.layers)
    first = run_query(answer, here, check.params)
    if isinstance(first, Outcome):
        return first
    asked_here = here.read(check.reference, check.params)
    attempt = Attempt(answer, first, asked_here, check.compare(first, asked_here), True, here)
    if not attempt.difference.same:
        return _name_fault(attempt, check)
    for elsewhere in _elsewhere(room, check):
        rows = run_query(answer, elsewhere, check.params)
        if isinstance(rows, Outcome):
            return wrong(f"Right on this college. On another one it failed: {rows.message}", first)
        asked = elsewhere.read(check.reference, check.params)
        attempt = Attempt(answer, rows, asked, check.compare(rows, asked), False, elsewhere)
        if attempt.difference.same:
            continue
        if _unchanged(first, rows) and _needs_no_graph(answer, rows, room, check):
            return wrong(TYPED_IN, first)
        return _name_fault(attempt, check, shown=first)
    return right(check.learnt, first)


def _needs_no_graph(query: str, rows: Rows, room: Room, check: QueryCheck) -> bool:
    """Whether a query gives its rows in an empty graph too: then they were typed into it."""
    nowhere = run_query(query, room.graph(), check.params)
    return not isinstance(nowhere, Outcome) and len(nowhere) > 0 and _unchanged(nowhere, rows)


def _elsewhere(room: Room, check: QueryCheck) -> Iterator[Graph]:
    """The colleges that the learner has not seen, one after the other."""
    for seed in check.seeds:
        yield room.other_college_to_read(seed, check.layers, check.keep)
    for twist in check.twists:
        yield room.twisted_college_to_read(twist, check.layers)


def refuse_non_query(answer: Any) -> Outcome | None:
    """What to say when something other than a query's text was handed in; None when it is a text."""
    if isinstance(answer, str):
        return None
    if hasattr(answer, "columns") and hasattr(answer, "to_dicts"):
        return wrong(
            "You handed in the rows. Hand in the query that finds them, as a text: it is run on another "
            "college too."
        )
    if callable(answer):
        return wrong("You handed in a function. Hand in the query itself, as a text in quotation marks.")
    return wrong(f"Hand in a query, as a text in quotation marks, and not a {type(answer).__name__}.", answer)


def run_query(query: str, graph: Graph, params: Mapping[str, Any] | None = None) -> Rows | Outcome:
    """Runs a learner's query as a reader; gives its rows, or what to say when it could not be run.

    Args:
        query: the learner's query.
        graph: a scratch graph.
        params: its parameters.
    """
    from course_lib.college import errors

    try:
        return graph.read(query, dict(params) if params else None, timeout_ms=int(graph_seconds() * 1000))
    except errors.ReadOnlyError:
        return wrong("Your query writes to the graph. This question only reads: MATCH, then RETURN.")
    except errors.QueryTimeoutError:
        seconds = graph_seconds()
        return wrong(
            f"Your query was still running after {seconds:g} seconds and was stopped. Does every part of the "
            "pattern hang together, and has each `*` an upper limit?"
        )
    except errors.MissingParameterError as error:
        return wrong(f"Your query asks for a parameter that it is not given here. {error.what}")
    except errors.SurplusParameterError as error:
        return wrong(f"{error.what} Values come in beside the query: write each name where it belongs.")
    except errors.QueryError as error:
        if "mem consumption" in error.engine_message:
            return wrong(
                "Your query was stopped: it wanted more memory than one query may have. Does every part of "
                "the pattern hang together?"
            )
        return wrong(f"The engine could not run your query. {engine_words(error)}")
    except errors.EngineError as error:
        raise_if_ours(error)
        raise


_SYNTAX = re.compile(
    r"errMsg: (?P<says>.*?) line: (?P<line>\d+), column: (?P<column>\d+), offset: \d+ "
    r"errCtx: (?P<text>.*) errCtxOffset: (?P<at>\d+)\s*$",
    re.DOTALL,
)
_CONTEXT = 72
"""How much of the line is shown, in characters."""


def engine_words(error: Any) -> str:
    """The engine's own message, cut to what fits on a card, a caret below the place where it stopped, and the
    slip in plain words where the query's text shows it."""
    from course_lib.college.refusals import MOST_EXPECTED, NEAR_THERE

    message = str(error.engine_message or error.what)
    slip = "" if error.next_step == NEAR_THERE else f"\n{error.next_step}".rstrip()
    found = _SYNTAX.search(message)
    if found is None:
        words = " ".join(message.split())
        return "It says: " + (words if len(words) <= 240 else words[:239] + "…") + slip
    says, _, expected = " ".join(found["says"].split()).partition(": expected ")
    if expected and len(re.split(r", | or ", expected)) <= MOST_EXPECTED:
        says += f", expected {expected}"
    text, at = found["text"], int(found["at"])
    # The engine counts bytes; a caret counts characters.
    at = len(text.encode()[:at].decode("utf-8", "ignore"))
    shown, at = _window(re.sub(r"\s", " ", text), at)
    return (
        f"It says: {says} (line {found['line']}, column {found['column']}).\n"
        f"    {shown}\n    {' ' * at}^{slip}"
    )


def _window(text: str, at: int) -> tuple[str, int]:
    """The part of a line round a place, and where the place is in it."""
    indent = len(text) - len(text.lstrip())
    start = max(min(indent, at), at - _CONTEXT // 2 if len(text) - indent > _CONTEXT else 0)
    part = text[start : start + _CONTEXT].rstrip()
    if start > indent:
        part = "…" + part[1:]
    return (part[:-1] + "…" if start + _CONTEXT < len(text) else part), at - start


def graph_seconds() -> float:
    """How long a query may run, in seconds."""
    from course_lib.settings import load_settings

    return load_settings().query_timeout_ms / 1000


def same_rows_as(query: str, **rules: Any) -> Callable[[Attempt], bool]:
    """A `when` for a near miss: the learner's rows are those of another, wrong query on the same graph.

    Args:
        query: the wrong query.
        rules: how to compare, as for `compare_results`.
    """
    return lambda attempt: compare_results(attempt.yours, attempt.graph.read(query), **rules).same


def differs_by(*rules: Rule) -> Callable[[Attempt], bool]:
    """A `when` for a near miss: the rows differ in one of these ways (the `rule` of a `Difference`).

    Raises:
        ValueError: there is no such rule, so the near miss could never be drawn.
    """
    if unknown := sorted(set(rules) - set(get_args(Rule))):
        raise ValueError(f"no difference is called {unknown[0]!r}; choose from {', '.join(get_args(Rule))}")
    return lambda attempt: attempt.difference.rule in rules


def written(pattern: str) -> Callable[[Attempt], bool]:
    """A `when` for a near miss: the query's text, strings left out, matches a pattern."""
    return lambda attempt: attempt.says(pattern)


def without_strings(query: str) -> str:
    """A query's text with the insides of strings and the comments taken out."""
    kept = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|//[^\n]*|/\*.*?\*/""", re.DOTALL)

    def blank(found: re.Match[str]) -> str:
        return found[0] if found[0].startswith("`") else "''" if found[0][0] in "'\"" else " "

    return kept.sub(blank, query)


def _name_fault(attempt: Attempt, check: QueryCheck, shown: Rows | None = None) -> Outcome:
    """What to say about rows that differ: a name misspelt, the near miss that fits, or how they differ."""
    if attempt.here:
        misspelt = blame_spelling(without_strings(attempt.query), attempt.yours, attempt.graph)
        if misspelt is not None:
            return misspelt
    for miss in check.near_misses:
        if miss.fits(attempt):
            says = miss.says if attempt.here or miss.where == "elsewhere" else _on_another(miss.says, attempt)
            return (nearly if miss.near else wrong)(says, attempt.yours if attempt.here else shown)
    difference = attempt.difference
    if attempt.here:
        return (nearly if difference.near else wrong)(difference.summary, attempt.yours)
    return nearly(_on_another(difference.summary, attempt), shown)


def _on_another(says: str, attempt: Attempt) -> str:
    """What is said about rows of a college that the learner has not seen: they see others beside it."""
    if says.startswith(("Right on this college", "On another ")):
        return says
    word = re.match(r"\w*", says)
    first = word[0] if word else ""
    cells = (str(cell) for rows in (attempt.yours, attempt.asked) for row in rows for cell in row)
    known = {name for text in (attempt.query, *cells) for name in re.findall(r"\w+", text)}
    is_name = first in known or (first != "A" and not first[1:].islower())
    return f"{_ON_ANOTHER} {says if is_name else _lower(says)}"


def _unchanged(one: Any, other: Any) -> bool:
    return compare_results(one, other).same


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


@dataclass(frozen=True)
class Probe:
    """A read that shows whether a write did what it should.

    Args:
        query: run on the learner's graph and on the reference's; the rows should be the same.
        says: what to say when they are not.
        near: whether failing it counts as nearly.
    """

    query: str
    says: str
    near: bool = False


@dataclass(frozen=True)
class ChangeCheck:
    """How to judge a query that writes: by what stands in the graph afterwards.

    Args:
        reference: a query that makes the right change.
        probes: looked at in order, after every round.
        learnt: one sentence for when it is right.
        params: the parameters of each round; the query runs once a round. Two rounds that are alike show
            whether it is idempotent. One round without parameters when empty.
        layers: what the graph holds before: the lesson's college when None, nothing when ().
    """

    reference: str
    probes: tuple[Probe, ...]
    learnt: str
    params: tuple[Mapping[str, Any], ...] = ()
    layers: tuple[str, ...] | None = None


def judge_change(answer: Any, room: Room, check: ChangeCheck) -> Outcome:
    """Runs the learner's writing query on a scratch graph, and compares what is there afterwards.

    Args:
        answer: what was handed in: a query as text.
        room: where scratch graphs come from.
        check: what is asked.
    """
    refused = refuse_non_query(answer)
    if refused is not None:
        return refused
    mine, reference = (room.graph() if check.layers == () else room.college(check.layers) for _ in range(2))
    for params in check.params or ({},):
        failed = run_change(answer, mine, params)
        if failed is not None:
            return failed
        reference.write(check.reference, dict(params) or None)
        for probe in check.probes:
            found, asked = mine.read(probe.query), reference.read(probe.query)
            if not compare_results(found, asked).same:
                return _show_change((nearly if probe.near else wrong)(probe.says, found), found, asked)
    if mine.checksum() != reference.checksum():
        return nearly(SOMETHING_ELSE)
    return right(check.learnt)


SOMETHING_ELSE = "What was asked for is there, and your query has changed something besides. Take that out."


def _show_change(outcome: Outcome, found: Rows, asked: Rows) -> Outcome:
    """The outcome with the rows that matter: those that should not be there, or all when some are missing."""
    from course_lib.college.rows import Rows as Made

    expected = list(asked)
    surplus = [row for row in found if row not in expected]
    if not surplus:
        return replace(outcome, heading="In the graph after your query")
    return replace(
        outcome, yours=Made(found.columns, surplus), heading="In the graph after your query, and not as asked"
    )


def run_change(query: str, graph: Graph, params: Mapping[str, Any]) -> Outcome | None:
    """Runs a learner's writing query; gives what to say when it could not be run, else None.

    Args:
        query: the learner's query.
        graph: a scratch graph.
        params: its parameters.
    """
    from course_lib.college import errors

    try:
        graph.write(query, dict(params) or None)
    except errors.QueryTimeoutError:
        return wrong(f"Your query was still running after {graph_seconds():g} seconds and was stopped.")
    except (errors.MissingParameterError, errors.SurplusParameterError) as error:
        return wrong(f"{error.what} It is run with: {', '.join('$' + name for name in params) or 'none'}.")
    except errors.QueryError as error:
        return wrong(f"The engine could not run your query. {engine_words(error)}")
    except errors.EngineError as error:
        raise_if_ours(error)
        raise
    return None
