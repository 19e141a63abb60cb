"""Every exercise: its stub, its solution, every right and every wrong answer, on the real engine."""

from __future__ import annotations

import ast
import re
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from course_lib.classroom.manifest import Exercise, load_manifest
from course_lib.classroom.outcome import Outcome
from course_lib.classroom.registry import find_check
from course_lib.classroom.room import Room
from course_lib.classroom.session import evaluate
from course_lib.classroom.source import LessonSource, parse_lesson
from course_lib.classroom.untouched import handed_in_by
from course_lib.settings import load_settings, project_root
from tests.answers import Answers, Made, Wrong

pytestmark = pytest.mark.engine

MANIFEST = load_manifest()
IDS = [exercise.id for exercise in MANIFEST.exercises]
HERE = Path(__file__).parent
LEAST = 3
"""How many right and how many wrong answers each exercise has at least."""


def file_stem(exercise: Exercise) -> str:
    return MANIFEST.lesson(exercise.lesson).file_stem


@cache
def answers_in(stem: str) -> dict[str, Answers]:
    path = HERE / f"{stem}.py"
    if not path.is_file():
        return {}
    found: dict[str, Answers] = runpy.run_path(str(path))["ANSWERS"]
    return found


@cache
def source_of(stem: str) -> LessonSource:
    return parse_lesson(project_root() / "solutions" / f"{stem}.py")


def answers_for(exercise_id: str) -> Answers:
    answers = answers_in(file_stem(MANIFEST.exercise(exercise_id))).get(exercise_id)
    assert answers is not None, f"tests/answers has no answers for exercise {exercise_id}"
    return answers


def judge(exercise_id: str, answer: Any) -> Outcome:
    if isinstance(answer, Made):
        lesson = MANIFEST.lesson(MANIFEST.exercise(exercise_id).lesson)
        with Room(load_settings(), lesson.data) as room:
            answer = answer.make(room)
    return evaluate(exercise_id, answer)


def definitions_before(source: LessonSource, exercise_id: str) -> dict[str, Any]:
    """What earlier cells import and define and the exercise's cell uses; nothing else of them is run."""
    exercise = source.exercise(exercise_id)
    earlier = source.cells[: source.cells.index(exercise)]
    wanted = names_used(ast.parse(exercise.source))
    chosen: list[ast.stmt] = []
    for node in reversed([n for c in earlier if c.kind == "code" for n in ast.parse(c.source).body]):
        match node:
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                bound = {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound = {name}
            case _:
                continue
        if bound & wanted:
            chosen.insert(0, node)
            wanted |= names_used(node)
    names: dict[str, Any] = {}
    exec(compile(ast.Module(chosen, []), f"<{source.name}>", "exec"), names)
    return names


def names_used(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("exercise_id", IDS)
def test_each_exercise_has_all_it_needs(exercise_id: str) -> None:
    exercise = MANIFEST.exercise(exercise_id)
    assert callable(find_check(exercise_id))
    assert len(exercise.hints) == 3
    answers = answers_for(exercise_id)
    assert len({repr(answer) for answer in answers.right}) >= LEAST, "right answers that differ"
    assert len({repr(wrong.answer) for wrong in answers.wrong}) >= LEAST, "wrong answers that differ"
    assert all(wrong.says.strip() and wrong.status in ("wrong", "nearly") for wrong in answers.wrong)


@pytest.mark.parametrize("exercise_id", IDS)
def test_the_untouched_stub_counts_as_not_attempted(exercise_id: str) -> None:
    source = source_of(file_stem(MANIFEST.exercise(exercise_id)))
    stub = handed_in_by(
        source.exercise(exercise_id).stub, exercise_id, definitions_before(source, exercise_id)
    )
    assert evaluate(exercise_id, stub).status == "not attempted"


@pytest.mark.parametrize("exercise_id", IDS)
def test_the_solution_is_right(exercise_id: str) -> None:
    source = source_of(file_stem(MANIFEST.exercise(exercise_id)))
    solution = handed_in_by(
        source.exercise(exercise_id).source, exercise_id, definitions_before(source, exercise_id)
    )
    outcome = evaluate(exercise_id, solution)
    assert outcome.status == "right", outcome.message


@pytest.mark.parametrize(
    ("exercise_id", "number"),
    [
        (e, n)
        for e in IDS
        for n in range(len(answers_in(file_stem(MANIFEST.exercise(e))).get(e, Answers([], [])).right))
    ],
)
def test_a_right_answer_passes(exercise_id: str, number: int) -> None:
    outcome = judge(exercise_id, answers_for(exercise_id).right[number])
    assert outcome.status == "right", outcome.message


@pytest.mark.parametrize(
    ("exercise_id", "number"),
    [
        (e, n)
        for e in IDS
        for n in range(len(answers_in(file_stem(MANIFEST.exercise(e))).get(e, Answers([], [])).wrong))
    ],
)
def test_a_wrong_answer_draws_its_own_words(exercise_id: str, number: int) -> None:
    wrong: Wrong = answers_for(exercise_id).wrong[number]
    outcome = judge(exercise_id, wrong.answer)
    assert wrong.says in outcome.message
    assert outcome.status == wrong.status


def test_manifest_sources_and_answers_name_the_same_exercises() -> None:
    in_sources = {
        cell.exercise
        for path in sorted((project_root() / "solutions").glob("[0-9][0-9]_*.py"))
        for cell in parse_lesson(path).exercises
    }
    in_answers = {
        exercise_id
        for path in sorted(HERE.glob("[0-9][0-9]_*.py"))
        for exercise_id in runpy.run_path(str(path))["ANSWERS"]
    }
    assert in_sources == set(IDS)
    assert in_answers == set(IDS)


@pytest.mark.parametrize(
    "path", sorted((project_root() / "solutions").glob("[0-9][0-9]_*.py")), ids=lambda p: p.stem
)
def test_a_lesson_opens_with_the_minutes_that_the_manifest_gives(path: Path) -> None:
    lesson = MANIFEST.lesson(path.stem)
    assert lesson.file_stem == path.stem
    opening = parse_lesson(path).cells[0].source
    found = re.search(r"\*(\d+) minutes, (\d+) of them yours\.", opening)
    assert found is not None, "the first cell says: *40 minutes, 15 of them yours. ...*"
    yours = sum(exercise.minutes for exercise in MANIFEST.of_lesson(lesson.id) if exercise.core)
    assert [int(number) for number in found.groups()] == [lesson.minutes, yours]
