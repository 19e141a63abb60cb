"""What the loop is worth: right hints mend, vague ones do not, and no other part of the course makes up for
it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest

from course_lib.college.dataset import load_college
from course_lib.college.graph import Graph, open_graph
from course_lib.commands.eval import load_set
from course_lib.evaluation.ablation import ATTEMPTS, STEPS, Line, Step, ablate, as_table, stumbling
from course_lib.evaluation.questions import QuestionFileError, read_questions, spread
from course_lib.evaluation.scoring import is_right, reference_rows
from course_lib.models import connect
from course_lib.models.evaluation.running import run_set

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def college() -> Iterator[Graph]:
    graph = open_graph(name=f"ablation_{secrets.token_hex(4)}")
    load_college(graph)
    yield graph
    graph.delete()
    graph.close()


def test_the_questions_are_enough_and_a_third_of_them_hinglish() -> None:
    questions = read_questions()
    assert len(questions) >= 80
    assert sum(question.lang == "hi" for question in questions) * 3 >= len(questions)
    part = spread(questions, 84)
    assert len(part) == len(set(part)) == 84
    assert sum(question.lang == "hi" for question in part) == 28
    assert [question for question in questions if question in part] == list(part)


def test_every_part_is_worth_something_and_the_hint_is_what_mends(college: Graph) -> None:
    questions = spread(read_questions(), 42)
    steps = (STEPS[1], *ATTEMPTS)
    with stumbling():
        lines = ablate(college, connect(), questions, steps)
    schema, rules, again, vague, real, third_vague, third = lines
    print(as_table(lines))
    assert schema.share < 0.25
    assert 0.5 <= rules.share <= 0.7
    # Without a word, or with one that says nothing, the second attempt is hardly better than none.
    for blurred in (again, vague):
        assert rules.right <= blurred.right <= rules.right + 3
        assert blurred.right <= real.right - 10
    assert real.share > 0.9
    # It costs tokens, and no more than another attempt for each question that failed.
    assert real.attempts <= len(questions) + (len(questions) - rules.right) + 3
    # A third attempt makes up for no hint. Of those that answer nine of ten, two attempts are the cheapest.
    assert third_vague.right <= rules.right + 3
    assert third.right >= real.right
    assert [line for line in lines if line.share >= 0.9] == [real, third]
    assert real.tokens < third.tokens


def test_without_faults_the_whole_prompt_is_enough(college: Graph) -> None:
    questions = spread(read_questions(), 30)
    (line,) = ablate(college, connect(), questions, STEPS[-1:])
    assert line.right == 30, line.missed
    assert line.attempts <= 34


def test_the_figures_can_be_had_again(college: Graph) -> None:
    questions = spread(read_questions(), 12)
    with stumbling():
        first, second = (ablate(college, connect(), questions, STEPS[-1:]) for _ in range(2))
    assert first == second


def test_a_set_for_course_eval(college: Graph) -> None:
    questions = load_set("college")
    assert len(questions.cases) == 118
    few = [
        case
        for case in questions.cases
        if case.id in ("masters", "clean-up", "dbms-and-debate", "follow-up-year")
    ]
    run = run_set(
        type(questions)("college", "a part of it", tuple(few), questions.answer), connect(), "practice"
    )
    assert run.right == 4, run.results
    assert {result.case: result.attempts for result in run.results}["dbms-and-debate"] == 2


def test_what_is_right(college: Graph) -> None:
    from course_lib.college.agent import StudyAgent

    by_id = {question.id: question for question in read_questions()}
    agent = StudyAgent(college, connect(), worded=False)
    best = by_id["best-teacher-dbms"]
    answer = agent.ask(best.question)
    wanted = reference_rows(best, college)
    assert is_right(best, answer, wanted)
    assert not is_right(best, answer, wanted[::-1])
    assert not is_right(best, answer, wanted[:1])
    assert not is_right(by_id["masters"], answer, [])
    assert not is_right(by_id["clean-up"], answer, [])


def test_a_file_that_is_none(tmp_path: object) -> None:
    from pathlib import Path

    with pytest.raises(QuestionFileError, match=r"missing\.toml"):
        read_questions(Path(str(tmp_path)) / "missing.toml")


def test_a_table_of_lines() -> None:
    line = Line(Step("all"), 10, 9, 3, 4, 13, 5_000, ("one",))
    assert as_table([line]).to_dicts() == [
        {
            "step": "all",
            "right": 9,
            "of": 10,
            "percent": 90,
            "Hinglish": "3 of 4",
            "attempts a question": 1.3,
            "tokens a question": 500,
        }
    ]
