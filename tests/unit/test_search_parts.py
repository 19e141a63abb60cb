"""Vectors on file, the list of questions, and the rule of the bake-off."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from course_lib.college.search import holds_proof, read_questions, read_vectors
from course_lib.college.search.embedder import can_embed, embed
from course_lib.college.search.errors import QuestionFileError, VectorFileError
from course_lib.college.search.vectors import write_vectors
from course_lib.college.tables import default_folder
from course_lib.views.bars import bars


def test_questions_of_zero_to_four_hops_and_paraphrases_of_each() -> None:
    questions = read_questions()
    ids = {question.id for question in questions}
    assert len(ids) == len(questions) >= 24
    for hops in range(5):
        here = [question for question in questions if question.hops == hops]
        assert len(here) >= 5
        assert sum(question.paraphrase_of is not None for question in here) >= 2
    for question in questions:
        assert question.paraphrase_of is None or question.paraphrase_of in ids
        assert question.text
        assert question.answer
        assert "RETURN" in question.cypher


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[[question]]\nid = 'a'",
        "[[question]]\nid = 'a'\nparaphrase_of = 'b'\ntext = 'x'",
        "[[question]]\nid='a'\nhops=0\nkind='note'\ntext='x'\nanswer=['N01']\ncypher='RETURN 1'\n" * 2,
        "not toml",
    ],
)
def test_a_damaged_list_of_questions_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "questions.toml"
    path.write_text(text)
    with pytest.raises(QuestionFileError, match=r"questions\.toml"):
        read_questions(path)


def test_vectors_keep_their_direction_on_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.json"
    vector = [math.sin(i) / 7 for i in range(384)]
    write_vectors(path, "some model", "2026-11-30", {"a text": vector})
    stored = read_vectors(path)
    assert (stored.model, stored.made, stored.dimension) == ("some model", "2026-11-30", 384)
    assert stored.get("another text") is None
    kept = stored.get("a text")
    assert kept is not None
    cosine = sum(a * b for a, b in zip(kept, vector, strict=True)) / (math.hypot(*kept) * math.hypot(*vector))
    assert cosine > math.cos(math.radians(1))
    assert [each.name for each in tmp_path.iterdir()] == ["vectors.json"]


@pytest.mark.parametrize(
    "change",
    [
        {"dimension": 3},
        {"vectors": {"a": "AAA="}},
        {"vectors": {"a": "not base64"}},
        {"vectors": {"a": None}},
        {"vectors": None},
    ],
)
def test_a_damaged_file_of_vectors_is_named(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "vectors.json"
    good = {"model": "m", "made": "d", "dimension": 2, "vectors": {"a": "AQI="}}
    path.write_text(json.dumps(good))
    assert read_vectors(path).vectors["a"] == (1.0, 2.0)
    path.write_text(json.dumps({**good, **change}))
    with pytest.raises(VectorFileError, match=r"vectors\.json"):
        read_vectors(path)


def test_the_shipped_vectors_are_small_and_say_what_made_them() -> None:
    path = default_folder() / "embeddings.json"
    assert path.stat().st_size < 300_000
    stored = read_vectors()
    assert "MiniLM" in stored.model
    assert stored.made.startswith("20")


@pytest.mark.skipif(not can_embed(), reason="the embedding model is an extra, and not installed here")
def test_the_model_gives_the_shipped_vectors_again() -> None:
    stored = read_vectors()
    for question in read_questions()[:5]:
        kept, (fresh,) = stored.get(question.text), embed([question.text])
        assert kept is not None
        cosine = sum(a * b for a, b in zip(kept, fresh, strict=True)) / (
            math.hypot(*kept) * math.hypot(*fresh)
        )
        assert cosine > 0.999


def test_proof_is_all_of_it() -> None:
    assert holds_proof({"a", "b", "c"}, {"a", "c"})
    assert not holds_proof({"a", "b"}, {"a", "c"})
    assert not holds_proof([], ["a"])


def test_a_bar_chart_says_its_numbers_in_words_and_as_a_table() -> None:
    chart = bars([("0", 4, 3, 1), ("1", 2, 0, 2)], 'Found & "proved"', series=("words", "graph"))
    assert chart.alt == 'Found & "proved". hops 0: words 3, graph 1 of 4; hops 1: words 0, graph 2 of 2.'
    html = chart._repr_mimebundle_()["text/html"]
    assert '<img src="data:image/svg+xml;base64,' in html
    assert "<td>0</td><td>3</td><td>1</td><td>4</td>" in html
    assert "Found &amp;" in chart.svg()
    with pytest.raises(ValueError, match="three series"):
        bars([], "x", series=("a", "b", "c", "d"))
    with pytest.raises(ValueError, match="every row"):
        bars([("0", 4, 3)], "x", series=("a", "b"))
