"""The college as text: every fact once, three ways of looking up, and what the bake-off comes to."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from course_lib.college.dataset import load_college
from course_lib.college.errors import ReadOnlyError
from course_lib.college.graph import Graph, open_graph
from course_lib.college.search import (
    Fact,
    StoredVectors,
    bake_off,
    by_hops,
    index_meanings,
    read_questions,
    read_vectors,
    search_meaning,
    search_words,
    written_facts,
)
from course_lib.college.search.embedder import can_embed
from course_lib.college.search.errors import NoVectorError
from course_lib.commands.embed import shipped_texts

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def college() -> Iterator[Graph]:
    with open_graph(name="scratch_search") as graph:
        graph.delete()
        load_college(graph)
        yield graph
        graph.delete()


def test_every_node_and_every_relationship_is_one_text(college: Graph) -> None:
    facts = written_facts(college)
    texts = {fact.id: fact.text for fact in facts}
    assert len(facts) == len(texts) == 75 + 132
    assert sum("-" in fact.id for fact in facts) == 132
    assert texts["S02-STUDIES-CS201"] == "Payal studies DBMS in semester 4, grade A+."
    assert texts["C02-PREREQUISITE_FOR-C03"] == "The concept 1NF is a prerequisite for the concept 2NF."
    notes = dict(college.read("MATCH (n:Note) RETURN n.id, n.text"))
    assert {key: texts[key] for key in notes} == notes
    assert not any("{" in text or "[" in text for key, text in texts.items() if not key.startswith("N"))


def test_what_is_missing_is_left_out_and_what_is_unknown_is_written_plainly(graph: Graph) -> None:
    graph.write(
        "CREATE (s:Student {id: 'S01', name: 'Aarav'}), (x:Subject {code: 'CS201', name: 'DBMS'}), "
        "(m:Mentor {name: 'Lata'}), (s)-[:STUDIES {semester: 4}]->(x), (m)-[:LOOKS_AFTER]->(s)"
    )
    texts = {fact.id: fact.text for fact in written_facts(graph)}
    assert texts["S01-STUDIES-CS201"] == "Aarav studies DBMS in semester 4."
    assert texts["Lata-LOOKS_AFTER-S01"] == "Lata looks after Aarav."
    assert texts["Lata"] == "Mentor: name Lata."
    assert texts["S01"] == "Student: id S01, name Aarav."


def test_words_find_what_shares_rare_words_and_nothing_else(college: Graph) -> None:
    facts = written_facts(college)
    assert all("Payal" in fact.text for fact in search_words(facts, "Which clubs is Payal in?", 3))
    assert search_words(facts, "the is of and") == []
    assert search_words(facts, "zzz") == []
    assert search_words([], "Payal") == []
    assert search_words(list(reversed(facts)), "Karan", 8) == search_words(facts, "Karan", 8)


def test_the_engines_index_finds_exactly_the_closest(college: Graph) -> None:
    facts, stored = written_facts(college), read_vectors()
    for _ in range(2):  # again, for an index that is built anew must not lose any
        index = index_meanings(college, facts)
    for question in read_questions():
        found = search_meaning(index, question.text, 10)
        assert len({fact.id for fact in found}) == 10
        # Compared by cosine, for at a tie either is right.
        cosines = sorted((_cosine(stored, question.text, fact) for fact in facts), reverse=True)
        assert [_cosine(stored, question.text, fact) for fact in found] == pytest.approx(
            cosines[:10], abs=2e-5
        )
    assert written_facts(college) == facts, "the vectors are no facts of the college"


def _cosine(stored: StoredVectors, question: str, fact: Fact) -> float:
    one, other = stored.get(question), stored.get(fact.text)
    assert one is not None
    assert other is not None
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


def test_every_text_of_the_course_has_a_vector_and_no_other() -> None:
    texts, stored = shipped_texts(), read_vectors()
    assert [text for text in texts if stored.get(text) is None] == []
    assert len(stored.vectors) == len(texts)


@pytest.mark.skipif(can_embed(), reason="the embedding model is installed, so every text has a vector")
def test_a_text_without_a_vector_says_how_to_get_one(college: Graph) -> None:
    index = index_meanings(college, written_facts(college))
    with pytest.raises(NoVectorError, match=r"locks/embeddings\.lock"):
        search_meaning(index, "a question of my own")


def test_the_hand_written_queries_give_the_answers(college: Graph) -> None:
    for question in read_questions():
        rows = college.read(question.cypher)
        if question.kind == "note" and question.paraphrase_of:
            continue  # a query that knows no concept: whether it finds the note is what is measured
        assert {str(value) for value in rows.column(0)} >= set(question.answer), question.id
        if question.kind != "note":
            assert {str(value) for value in rows.column(0)} == set(question.answer), question.id


def test_queries_only_read_and_no_question_needs_more_than_a_search_may_bring(college: Graph) -> None:
    for question in read_questions():
        needed = question.proof(college)
        assert 1 <= len(needed) <= 10, question.id
        assert needed <= {fact.id for fact in written_facts(college)}, question.id
    with pytest.raises(ReadOnlyError):
        college.read("CREATE (:Student)")


def test_a_question_of_n_hops_rests_on_a_way_of_n_relationships(college: Graph) -> None:
    for question in read_questions():
        if question.kind == "connection":
            paths = [cell for row in college.read(question.cypher) for cell in row if hasattr(cell, "edges")]
            assert max(len(path) for path in paths) in (question.hops, question.hops + 1), question.id
            assert min(len(path) for path in paths) == question.hops or question.id.startswith("next")


def test_the_bake_off_is_the_same_each_time_and_text_wins_some(college: Graph) -> None:
    first, again = bake_off(college), bake_off(college)
    assert [(r.question.id, r.way, r.answered, r.handed) for r in first] == [
        (r.question.id, r.way, r.answered, r.handed) for r in again
    ]
    table = {row[0]: row[1:] for row in by_hops(first)}
    assert set(table) == {"0", "1", "2", "3", "4", "all"}
    assert table["all"][0] >= 24
    # What the course claims, and what it admits.
    assert all(graph == asked for asked, _, _, graph in (table[hops] for hops in "1234"))
    assert all(words < asked and meaning < asked for asked, words, meaning, _ in (table[h] for h in "1234"))
    assert table["0"][1] > table["0"][3], "words find notes that a query by names does not"
    assert table["0"][2] > table["0"][3]
    assert table["4"][1] == table["4"][2] == 0
