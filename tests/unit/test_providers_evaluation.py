"""The frame of `course eval`: what it counts, when it stops, what it keeps, and the command around it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from course_lib import cli
from course_lib.models.errors import BadReplyError, RateLimitedError
from course_lib.models.evaluation.cases import Case, Model, QuestionSet, Verdict
from course_lib.models.evaluation.keeping import last_of_another, save_run
from course_lib.models.evaluation.report import comparison, misses, summary
from course_lib.models.evaluation.running import Result, Run, run_set
from course_lib.models.evaluation.smoke import question_set as smoke_set
from course_lib.models.router import ModelRouter
from course_lib.settings import KEY_NAMES
from tests.models_help import FakeClock, Scripted


def router(*script: object) -> ModelRouter:
    return ModelRouter(
        [Scripted("one", script)],  # type: ignore[arg-type]
        clock=FakeClock(),
        rng=random.Random(1),
        tell=None,
    )


def a_set(count: int = 3) -> QuestionSet:
    """Asks twice where the first reply is `again`; right is `yes`."""
    cases = tuple(Case(f"c{n}", "even" if n % 2 == 0 else "odd", f"question {n}") for n in range(count))

    def answer(case: Case, model: Model) -> Verdict:
        reply = model.generate(case.text)
        if reply.text == "again":
            reply = model.generate(case.text)
        return Verdict(reply.text == "yes", note=reply.text)

    return QuestionSet("tiny", "A tiny set", cases, answer)


def result(case: str, outcome: str = "right", category: str = "c", cost: float | None = 0.5) -> Result:
    return Result(case, category, outcome, "", 1, 10, 20, cost, 1.0)  # type: ignore[arg-type]


def a_run(choice: str, started: str, *results: Result, ended_early: str = "") -> Run:
    return Run("tiny", choice, ("one: m",), started, results, len(results), ended_early)


def test_calls_tokens_and_outcomes_are_counted_case_by_case() -> None:
    seen: list[str] = []
    run = run_set(a_set(), router("again", "yes", "no", "yes"), "one", lambda r: seen.append(r.case))
    assert [r.outcome for r in run.results] == ["right", "wrong", "right"]
    assert [r.attempts for r in run.results] == [2, 1, 1]
    # A scripted reply counts three tokens in and two out.
    assert [(r.tokens_in, r.tokens_out) for r in run.results] == [(6, 4), (3, 2), (3, 2)]
    assert run.models == ("one: some-model",)
    assert run.right == 2
    assert seen == ["c0", "c1", "c2"]


def test_an_unusable_reply_fails_its_case_and_the_run_goes_on() -> None:
    run = run_set(a_set(), router(BadReplyError("no JSON"), "yes", "yes"), "one")
    assert [r.outcome for r in run.results] == ["failed", "right", "right"]
    assert run.results[0].note == "unreadable reply: no JSON"
    assert run.results[0].attempts == 1


def test_a_run_that_nobody_answers_ends_early() -> None:
    day = RateLimitedError("used up", kind="day", retry_after_s=9_999)
    run = run_set(a_set(8), router("yes", day), "one")
    assert [r.outcome for r in run.results] == ["right", "failed", "failed", "failed"]
    assert "3 questions in a row" in run.ended_early
    assert "4 questions before its end" in summary(run, None)


def test_an_interrupted_run_keeps_what_it_has() -> None:
    def stop(result: Result) -> None:
        if result.case == "c1":
            raise KeyboardInterrupt

    run = run_set(a_set(), router("yes", "yes"), "one", stop)
    assert [r.case for r in run.results] == ["c0", "c1"]
    assert run.ended_early == "it was interrupted"


def test_a_bug_in_a_set_is_no_wrong_answer() -> None:
    def answer(case: Case, model: Model) -> Verdict:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_set(QuestionSet("s", "S", (Case("a", "b", "c"),), answer), router(), "one")


def test_runs_are_kept_and_the_last_one_of_another_model_is_found(tmp_path: Path) -> None:
    runs = [
        a_run("practice", "2026-11-01T00:00:00+00:00", result("a")),
        a_run("groq", "2026-11-02T00:00:00+00:00", result("a", "wrong")),
        a_run("gemini", "2026-11-03T00:00:00+00:00", result("a"), ended_early="stopped"),
        a_run("practice", "2026-11-04T00:00:00+00:00", result("a")),
    ]
    for run in runs:
        save_run(tmp_path, run)
    (tmp_path / "eval" / "torn.json").write_text('{"set_name": "ti', encoding="utf-8")
    found = last_of_another(tmp_path, runs[-1])
    assert found == runs[1]
    assert last_of_another(tmp_path, a_run("groq", "2026-11-05")) == runs[3]
    assert last_of_another(tmp_path / "empty", runs[0]) is None


def test_the_table_puts_the_other_run_beside_this_one() -> None:
    run = a_run(
        "groq", "2026-11-02", result("a", category="x"), result("b", "wrong", "x"), result("c", category="y")
    )
    other = a_run("practice", "2026-11-01", result("a", category="x"), result("b", category="x"))
    table = comparison(run, other)
    assert table.columns[-1] == "right with practice"
    assert [(row[0], row[1], row[-1]) for row in table] == [
        ("x", "1 of 2", "2 of 2"),
        ("y", "1 of 1", "-"),
        ("all", "2 of 3", "2 of 2"),
    ]
    assert table[-1][3:6] == ("30", "60", "$1.5000")
    assert summary(run, other) == "2 of 3 right. practice had 2 of 2 on 2026-11-01."
    assert misses(run) == ["b: wrong"]


def test_an_unknown_price_makes_the_sum_unknown() -> None:
    run = a_run("groq", "2026-11-02", result("a"), result("b", cost=None))
    assert comparison(run, None)[-1][5] == "unknown"


def test_long_lists_of_misses_are_cut() -> None:
    run = a_run("groq", "2026-11-02", *(result(f"q{n}", "wrong") for n in range(14)))
    assert misses(run)[-1] == "... and 4 more"


def replies_of_a_good_model() -> list[str]:
    return [
        "MATCH (s:Student)-[:STUDIES]->(x:Subject) WHERE toLower(x.name) CONTAINS 'dbms' RETURN s.name",
        "<think>club?</think>MATCH (s:Student)-[:MEMBER_OF]->(c:Club) WHERE toLower(s.name) CONTAINS 'payal' "
        "RETURN c.name",
        "MATCH (s:Student)-[:STUDIES]->(x:Subject) WHERE toLower(x.name) CONTAINS 'dsa' RETURN count(s) AS n",
        "MATCH (s:Student) WHERE toLower(s.name) CONTAINS 'rahul' RETURN s.year",
        '{"name": "Meera", "age": 34}',
        '{"colours": ["Red", "blue"]}',
        '{"colours": []}',
        "Ready.",
        "42",
        "पानी",
    ]


class WithData(Scripted):
    def _reply(self, text: str):  # type: ignore[no-untyped-def]
        from dataclasses import replace

        reply = super()._reply(text)
        return replace(reply, data=json.loads(text)) if text.startswith("{") else reply


def test_a_good_model_passes_the_ten_quick_questions() -> None:
    model = ModelRouter([WithData("one", replies_of_a_good_model())], tell=None)
    run = run_set(smoke_set(), model, "one")
    assert misses(run) == []
    assert run.right == 10


@pytest.mark.parametrize(
    ("number", "reply"),
    [
        (0, "```cypher\nMATCH (s:Student)-[:STUDIES]->(x:Subject {name: 'DBMS'}) RETURN s.name\n```"),
        (0, "Sure! MATCH (s:Student)-[:STUDIES]->(x:Subject {name: 'DBMS'}) RETURN s.name"),
        (1, "MATCH (s:Student)-[:MEMBER_OF]->(c:Club) RETURN c.name"),
        (2, "MATCH (s:Student)-[:STUDIES]->(x:Subject {name: 'DSA'}) RETURN s.name"),
        (4, '{"name": "Meera", "age": "34"}'),
        (5, '{"colors": ["red", "blue"]}'),
        (6, '{"colours": ["brown"]}'),
        (7, "I am ready"),
        (8, "43"),
        (9, "water"),
    ],
)
def test_a_wrong_answer_to_a_quick_question_is_wrong(number: int, reply: str) -> None:
    replies = replies_of_a_good_model()
    replies[number] = reply
    run = run_set(smoke_set(), ModelRouter([WithData("one", replies)], tell=None), "one")
    assert [r.outcome for r in run.results].index("wrong") == number
    assert run.right == 9


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_DIR", str(tmp_path))
    for name in ("COURSE_MODEL", *KEY_NAMES.values()):
        monkeypatch.setenv(name, "")
    return tmp_path


def test_the_command_runs_keeps_and_compares(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["eval", "--model", "practice:practice-1-mini"])
    first = capsys.readouterr().out
    assert "smoke: practice: practice-1-mini" in first
    assert "right with" not in first
    cli.main(["eval", "--save"])
    second = capsys.readouterr().out
    assert "right with practice:practice-1-mini" in second
    kept = list((home / "eval" / "replies").glob("*.jsonl"))
    assert len(kept) == 1
    assert f"COURSE_MODEL=replay:{kept[0]}" in second
    assert len(list((home / "eval").glob("*.json"))) == 2
    # What the file holds is what the replayed model says.
    cli.main(["eval", "--model", f"replay:{kept[0]}"])
    third = capsys.readouterr().out
    lines = {line.split()[0]: line.split()[1:4] for line in second.splitlines() if " of " in line}
    again = {line.split()[0]: line.split()[1:4] for line in third.splitlines() if " of " in line}
    assert lines["cypher"] == again["cypher"]
    assert lines["words"] == again["words"]


def test_the_everyday_faults_are_off_again_after_a_run(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from course_lib.models.practice.server import practice_server

    cli.main(["eval", "--faults", "--seed", "3"])
    capsys.readouterr()
    before = len(practice_server().log)
    cli.main(["eval"])
    assert all(entry.staged is None for entry in list(practice_server().log)[before:])


def test_an_unknown_set_names_the_known_ones(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["eval", "--set", "nope"]) == 1
    assert "Choose from smoke" in capsys.readouterr().err
