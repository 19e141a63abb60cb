"""The practice model against the real engine: what each part of a prompt is worth, counted by result sets.

No reply is compared with a text. A query is right when its rows are those of a reference written by hand.
"""

from __future__ import annotations

import dataclasses
import secrets
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from course_lib.college.dataset import load_college, load_tables
from course_lib.college.generator import generate_college
from course_lib.college.graph import Graph, open_graph
from course_lib.models.practice.mind.lexicon import data_folder
from tests.support.practice_loop import (
    Asked,
    Attempt,
    Score,
    ask,
    is_right,
    query_in,
    read_questions,
    run,
    score,
)
from tests.support.practice_prompt import RULES, SchemaTexts, build_prompt, describe
from tests.support.renamed import Renamer

pytestmark = pytest.mark.engine

QUESTIONS = data_folder() / "questions.toml"
DATA = Path(__file__).parent.parent / "data"
FURTHER = Path(__file__).parent.parent / "data" / "further.toml"
PARAPHRASES = tuple(sorted(DATA.glob("paraphrases*.toml")))


@dataclass(frozen=True)
class College:
    """The college graph, and the texts that describe it."""

    graph: Graph
    texts: SchemaTexts


@pytest.fixture(scope="module")
def college() -> Iterator[College]:
    """The college with both layers; nobody writes to it in these tests."""
    graph = open_graph(name=f"practice_{secrets.token_hex(4)}")
    load_college(graph)
    yield College(graph, describe(graph))
    graph.delete()
    graph.close()


def levels(texts: SchemaTexts, rules: dict[str, str]) -> dict[str, str]:
    """Prompts with more and more in them."""
    return {
        "no schema": build_prompt(None),
        "schema": build_prompt(texts, values=False),
        "+ values": build_prompt(texts),
        "+ rules": build_prompt(texts, rules=rules),
    }


def show(title: str, scores: dict[str, Score]) -> None:
    """Prints the figures of a run (pytest shows them with -rP, or when the test fails)."""
    print(title)
    for name, result in scores.items():
        print(f"  {name:10} {result.right:4} of {result.total}  {100 * result.share:5.1f} %")
    for line in list(scores.values())[-1].failed:
        print(f"  missed: {line}")


def assert_rising(scores: dict[str, Score]) -> None:
    """Each part of the prompt adds right answers."""
    right = [result.right for result in scores.values()]
    assert right == sorted(set(right)), right


def paraphrases(path: Path) -> list[Asked]:
    """Other wordings, each with the reference of the question that it rewords."""
    known = {asked.id: asked for asked in read_questions(QUESTIONS)}
    with path.open("rb") as file:
        listed = tomllib.load(file)["paraphrase"]
    return [dataclasses.replace(known[p["of"]], question=p["question"], lang=p["lang"]) for p in listed]


def test_the_question_set_is_broad() -> None:
    questions = read_questions(QUESTIONS)
    hinglish = [q for q in questions if q.lang == "hi"]
    assert len(questions) >= 80
    assert len(hinglish) * 3 >= len(questions)
    assert {q.hops for q in questions} == {0, 1, 2, 3, 4}
    assert len({q.id for q in questions}) == len(questions)


def test_each_part_of_the_prompt_adds_right_answers(college: College) -> None:
    questions = read_questions(QUESTIONS)
    scores = {
        name: score(college.graph, questions, prompt)
        for name, prompt in levels(college.texts, dict(RULES)).items()
    }
    show(f"{len(questions)} questions, one attempt", scores)
    assert_rising(scores)
    assert scores["no schema"].share < 0.05
    assert scores["+ rules"].share >= 0.95


def test_paraphrases_are_understood(college: College) -> None:
    prompts = levels(college.texts, dict(RULES))
    together = {name: Score() for name in prompts}
    for path in PARAPHRASES:
        scores = {name: score(college.graph, paraphrases(path), prompt) for name, prompt in prompts.items()}
        show(f"{path.stem}, one attempt", scores)
        assert scores["+ rules"].share >= 0.85
        for name, result in scores.items():
            together[name].right += result.right
            together[name].total += result.total
    show("all paraphrases, one attempt", together)
    assert_rising(together)
    assert together["+ rules"].total >= 200


def test_the_phrasing_data_holds_none_of_the_paraphrases() -> None:
    held = "\n".join(
        path.read_text(encoding="utf-8").lower() for path in sorted(data_folder().glob("*.toml"))
    )
    for path in PARAPHRASES:
        for asked in paraphrases(path):
            text = asked.question.lower().rstrip("?. ")
            assert f'"{text}"' not in held, text
            assert len(text.split()) < 4 or text not in held, text


def test_a_graph_with_every_name_changed_is_understood(college: College) -> None:
    renamer = Renamer(college.graph)
    renamed = open_graph(name=f"practice_{secrets.token_hex(4)}")
    try:
        renamer.copy(college.graph, renamed)
        assert renamed.size() == college.graph.size()
        texts = describe(renamed, keys=("vid", "kex"), name="moniker")
        for word in ("Student", "STUDIES", "grade", "Payal", "name:"):
            assert word not in texts.schema + texts.values
        rules = {name: renamer.text(rule) for name, rule in RULES.items()}
        questions = [renamer.question(asked) for asked in read_questions(QUESTIONS)]
        scores = {
            name: score(
                renamed,
                questions,
                prompt,
                labels=("Zorp", "Quonk", "Brindle", "Fleep", "Mavric", "Tindle"),
                name="moniker",
            )
            for name, prompt in levels(texts, rules).items()
        }
    finally:
        renamed.delete()
        renamed.close()
    show("every name changed, one attempt", scores)
    assert_rising(scores)
    assert scores["+ rules"].share >= 0.90


def hint_for(attempt: Attempt) -> str:
    """A hint of its own for each kind of failure."""
    if attempt.refused or "read-only" in attempt.error.lower():
        return "the query was refused as unsafe: it would change the graph. Only read."
    if attempt.error:
        return f"the engine said: {attempt.error}"
    if attempt.rows == []:
        return "0 rows. Check the spelling of names against the values, match loosely, check the directions."
    return "the rows hold whole nodes. Return specific properties."


def test_a_second_attempt_with_a_real_hint_mends_and_with_a_vague_one_repeats(college: College) -> None:
    prompt = build_prompt(college.texts, rules=RULES)
    questions = [asked for asked in read_questions(QUESTIONS) if asked.attempts == 2]
    assert {asked.id for asked in questions} == {"dbms-and-debate", "clean-up"}
    one = score(college.graph, questions, prompt)
    two = score(college.graph, questions, prompt, hinter=hint_for)
    vague = score(college.graph, questions, prompt, hinter=lambda _: "that did not work, try again")
    assert two.right == len(questions)
    assert vague.right == one.right < two.right


@pytest.mark.parametrize(
    ("rule", "question", "trap"),
    [
        ("ranks", "best-teacher-dbms", "B+"),
        ("ranks", "learn-ml-from", "Intermediate"),
        ("common", "common-all-clubs", None),
        ("next", "next-topics-aarav", None),
        ("abbreviations", "learn-ml-from", None),
        ("abbreviations", "os-kaun-padhta", None),
        ("properties", "who-studies-dbms", None),
        ("sentinel", "masters", None),
        ("paths", "path-1nf-bcnf", None),
        ("loose", "who-knows-python", None),
    ],
)
def test_a_rule_taken_out_brings_its_fault_back(
    college: College, rule: str, question: str, trap: str | None
) -> None:
    asked = next(q for q in read_questions(QUESTIONS) if q.id == question)
    with_all = build_prompt(college.texts, rules=RULES)
    without = build_prompt(college.texts, rules={name: text for name, text in RULES.items() if name != rule})
    reference = [tuple(row) for row in college.graph.read(asked.reference)] if asked.reference else []
    good = run(college.graph, query_in(ask(with_all, asked.question)))
    bad = run(college.graph, query_in(ask(without, asked.question)))
    assert is_right(asked, good, reference)
    assert not is_right(asked, bad, reference)
    if trap is not None:
        assert bad.rows is not None
        assert trap in bad.rows[0], "no error, a tidy table, and the wrong one first"


def test_without_the_direction_rule_a_path_runs_backwards(college: College) -> None:
    question = "BCNF se 1NF tak ka path batao"
    without = {name: text for name, text in RULES.items() if name != "outgoing"}
    backwards = run(college.graph, query_in(ask(build_prompt(college.texts, rules=without), question)))
    honest = run(college.graph, query_in(ask(build_prompt(college.texts, rules=RULES), question)))
    assert backwards.rows is not None
    assert next(iter(backwards.rows[0][0])) == "BCNF"
    assert honest.rows == []


def test_an_engine_error_is_mended_from_its_message(college: College) -> None:
    without = {name: text for name, text in RULES.items() if name != "paths"}
    prompt = build_prompt(college.texts, rules=without)
    question = "1NF se BCNF tak ka learning path batao"
    first = run(college.graph, query_in(ask(prompt, question)))
    assert "shortestPath" in first.error
    second = run(
        college.graph, query_in(ask(prompt, question, (first.query, f"the engine said: {first.error}")))
    )
    assert second.rows == [(["1NF", "2NF", "3NF", "BCNF"],)]


def test_the_labels_rule_changes_the_pattern_and_not_the_rows(college: College) -> None:
    without = {name: text for name, text in RULES.items() if name != "labels"}
    question = "Which clubs are DBMS students in?"
    labelled = query_in(ask(build_prompt(college.texts, rules=RULES), question))
    bare = query_in(ask(build_prompt(college.texts, rules=without), question))
    assert ":Student" in labelled
    assert ":Student" not in bare
    assert sorted(run(college.graph, labelled).rows or []) == sorted(run(college.graph, bare).rows or [])


def test_writing_wishes_need_the_reading_rule(college: College) -> None:
    wish = "Delete the student Payal"
    without = {name: text for name, text in RULES.items() if name != "reading"}
    assert "DELETE" in ask(build_prompt(college.texts, rules=without), wish)
    assert "DELETE" not in ask(build_prompt(college.texts, rules=RULES), wish)
    # 'clean up' does not say delete: the rule alone is not enough, which is why there are permissions.
    assert "DETACH DELETE" in ask(build_prompt(college.texts, rules=RULES), "clean up the old data")


def test_a_graph_of_another_kind_is_understood() -> None:
    path = DATA / "workplace.toml"
    with path.open("rb") as file:
        content = tomllib.load(file)["graph"]
    company = open_graph(name=f"practice_{secrets.token_hex(4)}")
    try:
        company.write(content)
        rules = {name: rule for name, rule in RULES.items() if name not in ("common", "next")}
        prompts = levels(describe(company), rules)
        questions = read_questions(path)
        scores = {name: score(company, questions, prompt) for name, prompt in prompts.items()}
    finally:
        company.delete()
        company.close()
    show("a company, one attempt", scores)
    assert_rising(scores)
    assert scores["+ rules"].share >= 0.90


def test_further_shapes_of_questions_are_understood(college: College) -> None:
    questions = read_questions(FURTHER)
    prompts = levels(college.texts, dict(RULES))
    scores = {name: score(college.graph, questions, prompt) for name, prompt in prompts.items()}
    show("further questions, one attempt", scores)
    assert_rising(scores)
    assert scores["+ rules"].share >= 0.95


OTHER_NAMES = {
    "Payal": "Meera Reddy",
    "payal": "meera reddy",
    "Aarav": "Kabir Reddy",
    "Rahul": "Uma Yadav",
    "Sneha": "Rani Desai",
    "Karan": "Akash Kulkarni",
    "Campus Chatbot": "Campus Map 23",
    "campus chatbot": "campus map 23",
    "Library Management System": "Lab Map 12",
    "Attendance Tracker": "Exam Chatbot 24",
}


def renamed_for_a_larger_college(asked: Asked) -> Asked | None:
    """A question about people of the generated college; None where the right answer is fixed or has ties."""
    fixed = asked.reference.startswith("RETURN") or asked.compare == "ordered" or asked.compare == "first"
    if fixed or asked.before or asked.attempts > 1 or asked.id in ("f02", "f05"):
        return None
    question, reference = asked.question, asked.reference
    for old, new in OTHER_NAMES.items():
        question, reference = question.replace(old, new), reference.replace(old, new)
    return dataclasses.replace(asked, question=question, reference=reference)


def test_names_that_the_prompt_does_not_list_are_understood() -> None:
    larger = open_graph(name=f"practice_{secrets.token_hex(4)}")
    try:
        load_tables(larger, generate_college(300, seed=5))
        texts = describe(larger)
        assert "Student.name" not in texts.values, "three hundred names are too many to list"
        assert (
            len(
                larger.read(
                    "MATCH (s:Student) WHERE s.name IN $names RETURN s.name",
                    {"names": list(OTHER_NAMES.values())},
                )
            )
            >= 5
        )
        asked = [
            renamed_for_a_larger_college(q) for q in [*read_questions(QUESTIONS), *read_questions(FURTHER)]
        ]
        questions = [q for q in asked if q is not None]
        result = score(larger, questions, build_prompt(texts, rules=RULES))
    finally:
        larger.delete()
        larger.close()
    show("a college of 300, one attempt", {"+ rules": result})
    assert result.total >= 80
    assert result.share >= 0.90
