"""Questions to queries, by text alone: the prompt decides how good the query is."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.models.practice.behaviour import (
    forget_misses,
    known_misses,
    published_range,
    respond,
)
from course_lib.models.practice.conversation import Request, Turn
from course_lib.models.practice.mind.scope import examples
from course_lib.models.practice.mind.world import world_of
from tests.support.practice_prompt import RULES, SchemaTexts, build_prompt

TEXTS = SchemaTexts(
    """Nodes:
- Student {id: string, name: string, year: integer, branch: string}
- Subject {code: string, name: string, credits: integer}
- Club {name: string, founded: integer}
- Concept {id: string, name: string}
- Note {id: string, text: string}
Relationships:
- (Student)-[:STUDIES {grade: string}]->(Subject)
- (Student)-[:MEMBER_OF {since: integer, role: string}]->(Club)
- (Student)-[:FRIENDS_WITH]->(Student)
- (Subject)-[:COVERS]->(Concept)
- (Note)-[:EXPLAINS]->(Concept)
- (Concept)-[:PREREQUISITE_FOR]->(Concept)""",
    """- Student.name: Aarav, Payal, Rahul
- Student.branch: CSE, IT
- Subject.name: DBMS, Operating Systems
- Club.name: Coding Club, Debate Society
- Concept.name: 1NF, 2NF, BCNF, OSI Model
- STUDIES.grade: A+, A, B+
- MEMBER_OF.role: Member, President""",
)
FULL = build_prompt(TEXTS, rules=RULES)


def ask(question: str, system: str = FULL, attempt: str = "", memory: str = "") -> str:
    """One question under a prompt."""
    parts = [f"# Memory\n{memory}" if memory else "", f"# Previous attempt\n{attempt}" if attempt else ""]
    text = "\n\n".join([*filter(None, parts), f"# Question\n{question}"])
    return respond(Request((Turn("user", text),), system)).text


def without(*rules: str) -> str:
    """The full prompt without some rules."""
    return build_prompt(TEXTS, rules={name: text for name, text in RULES.items() if name not in rules})


def test_names_are_spelled_as_well_as_the_prompt_allows() -> None:
    question = "Who studies operatng systems?"
    assert "CONTAINS 'operating systems'" in ask(question)
    assert "CONTAINS 'operatng systems'" in ask(question, build_prompt(TEXTS, values=False, rules=RULES))
    assert "{name: 'operatng systems'}" in ask(question, without("loose"))
    assert "{name: 'DBMS'}" in ask("Who studies dbms?", without("loose"))
    assert "{name: 'dbms'}" in ask("Who studies dbms?", build_prompt(TEXTS, values=False))


def test_abbreviations_need_their_rule() -> None:
    assert "CONTAINS 'operating systems'" in ask("os kaun padhta hai?")
    assert "CONTAINS 'os'" in ask("os kaun padhta hai?", without("abbreviations"))


def test_without_a_schema_labels_are_invented() -> None:
    query = ask("Who studies DBMS?", build_prompt(None, rules=RULES))
    assert "Student" not in query
    assert ":Person" in query
    assert "Subject" not in query


def test_the_sentinel_needs_its_rule_and_a_schema() -> None:
    question = "Should I do a Masters in CSE or Electronics?"
    assert ask(question) == "RETURN 'OUT_OF_SCOPE' AS status"
    assert "(p:Program)" in ask(question, without("sentinel"))
    assert "(p:Program)" in ask(question, build_prompt(None, rules=RULES))


def test_a_miss_is_said_as_itself_and_never_as_the_sentinel() -> None:
    forget_misses()
    reply = ask("flibber the gromlets of yesteryear")
    assert reply.startswith("The practice model does not know this wording. Nearest it knows: “")
    assert reply.endswith("a real model may.")
    assert "OUT_OF_SCOPE" not in reply
    assert known_misses() == ("flibber the gromlets of yesteryear",)


def test_whole_nodes_prose_and_labels_come_back_with_their_rules_gone() -> None:
    question = "Which clubs are DBMS students in?"
    assert "RETURN DISTINCT c\n" in ask(question, without("properties")) + "\n"
    assert "```cypher" in ask(question, without("cypher"))
    assert "```" not in ask(question)
    assert ask(question).count(":Student") == 1
    assert ":Student" not in ask(question, without("labels"))


def test_ranks_come_from_the_rule_and_from_the_order_it_states() -> None:
    question = "Who is the best person to teach me DBMS?"
    assert "CASE r.grade WHEN 'A+' THEN 0 WHEN 'A' THEN 1 WHEN 'B+' THEN 2" in ask(question)
    assert "ORDER BY r.grade DESC" in ask(question, without("ranks"))
    upside_down = {**RULES, "ranks": "Rank grades: B+ > A > A+"}
    assert "WHEN 'B+' THEN 0" in ask(question, build_prompt(TEXTS, rules=upside_down))


def test_pronouns_resolve_from_the_memory_and_only_from_it() -> None:
    memory = "Last mentioned: Student = Payal; Club = Coding Club"
    for pronoun in (
        "which clubs is she in?",
        "uske clubs kaunse hain?",
        "wo kis club mein hai?",
        "what are their clubs?",
    ):
        assert "'payal'" in ask(pronoun, memory=memory), pronoun
    assert "'coding club'" in ask("Who is in that club?", memory=memory)
    assert "'coding club'" in ask("When was it founded?", memory=memory)
    assert "'she'" in ask("which clubs is she in?")
    assert "'rahul'" in ask("which clubs is Rahul in?", memory=memory)


def test_a_pronoun_inside_a_question_looks_back_inside_it() -> None:
    memory = "Last mentioned: Student = Payal"
    assert "payal" not in ask("List students and their clubs", memory=memory)
    assert "payal" not in ask("Rahul aur uske dost kaun hain?", memory=memory)


def test_a_vague_hint_repeats_and_a_real_one_mends() -> None:
    question = "dbms and debate-ye dono ke students kaun hain?"
    first = ask(question)
    assert "CONTAINS 'debate-ye'" in first
    for vague in ("that did not work, try again", "wrong", "It failed."):
        assert ask(question, attempt=f"Query:\n{first}\nWhat went wrong: {vague}") == first
    for real in (
        "0 rows. Near values: 'debate-ye' → 'Debate Society'.",
        "0 rows. Did you mean 'Debate Society'?",
        "0 rows: check the spelling of the names.",
    ):
        mended = ask(question, attempt=f"Query:\n{first}\nWhat went wrong: {real}")
        assert "CONTAINS 'debate society'" in mended, real
        assert "CONTAINS 'dbms'" in mended


def test_a_vague_hint_repeats_a_query_that_somebody_else_broke() -> None:
    broken = "MATCH (s:Student) WHERE s.name =~ '(?i)payal' RETURN s.year"
    again = ask("What year is Payal in?", attempt=f"Query:\n{broken}\nWhat went wrong: try again")
    assert again == broken
    said = "the engine said: FalkorDB does not currently support =~"
    mended = ask("What year is Payal in?", attempt=f"Query:\n{broken}\nWhat went wrong: {said}")
    assert "=~" not in mended
    assert "s.year" in mended


def test_a_hint_mends_just_that_fault() -> None:
    bare = build_prompt(TEXTS)
    first = ask("Who studies dbms?", bare)
    assert "RETURN s" in first
    attempt = f"Query:\n{first}\nWhat went wrong: whole nodes came back"
    second = ask("Who studies dbms?", bare, attempt=attempt)
    assert "RETURN s.name" in second
    assert "{name: 'DBMS'}" in second, "how names are matched was not complained about"
    assert "```" in second, "nor was the prose"


def test_wishes_to_write_fall_back_when_refused() -> None:
    first = ask("clean up the old data")
    assert first == "MATCH (n)\nDETACH DELETE n"
    attempt = f"Query:\n{first}\nWhat went wrong: refused as unsafe, DELETE changes the graph"
    assert ask("clean up the old data", attempt=attempt) == "RETURN 'OUT_OF_SCOPE' AS status"
    read = ask("delete the student Payal", without("sentinel"))
    assert read.startswith("MATCH")
    assert "DELETE" not in read


def test_quotes_in_names_are_escaped() -> None:
    texts = SchemaTexts(TEXTS.schema, "- Club.name: 'Bob\\'s Club'")
    query = ask("Who is a member of Bob's Club?", build_prompt(texts, rules=RULES))
    assert "'bob\\'s club'" in query


def test_the_same_request_gives_the_same_reply() -> None:
    request = Request((Turn("user", "# Question\nWhich clubs are DBMS students in?"),), FULL)
    assert len({respond(request).text for _ in range(5)}) == 1


def test_the_published_range_has_an_example_that_is_understood() -> None:
    kinds = published_range()
    assert len({kind.name for kind in kinds}) == len(kinds) >= 14
    memory = "Last mentioned: Student = Payal"
    world = world_of(TEXTS.schema, TEXTS.values)
    for example in examples(world):
        assert "…" not in example
        reply = ask(example, memory=memory)
        assert "practice model does not know" not in reply, example
        assert "OUT_OF_SCOPE" not in reply, example


WORDS = [
    "who",
    "which",
    "what",
    "how",
    "many",
    "kaun",
    "kitne",
    "sabse",
    "zyada",
    "most",
    "best",
    "list",
    "all",
    "students",
    "subjects",
    "clubs",
    "concepts",
    "notes",
    "members",
    "friends",
    "prerequisites",
    "Payal",
    "Aarav",
    "DBMS",
    "OS",
    "BCNF",
    "1NF",
    "Coding",
    "Club",
    "debate-ye",
    "not",
    "no",
    "but",
    "both",
    "dono",
    "same",
    "as",
    "in",
    "of",
    "the",
    "is",
    "studies",
    "knows",
    "explain",
    "before",
    "after",
    "next",
    "from",
    "to",
    "se",
    "tak",
    "ke",
    "mein",
    "nahi",
    "year",
    "2",
    "A+",
    "president",
    "since",
    "2024",
    "more",
    "than",
    "one",
    "each",
    "branch",
    "average",
    "common",
    "uska",
    "she",
    "it",
    "that",
    "delete",
    "add",
    "without",
    "any",
    "koi",
    "'s",
    "?",
    ",",
    '"',
    "'",
    "{",
    "}",
    "`",
]
PROMPTS = [FULL, build_prompt(TEXTS), build_prompt(None)]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=10), st.sampled_from(PROMPTS))
def test_no_words_in_any_order_raise(words: list[str], system: str) -> None:
    assert ask(" ".join(words) or "?", system)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.text(max_size=200))
def test_no_text_raises(system: str, text: str) -> None:
    assert respond(Request((Turn("user", text),), system)).text
