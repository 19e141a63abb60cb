"""Slips that beginners make in a query, named from its text. The engine's words are FalkorDB 4.16's."""

from __future__ import annotations

import pytest

from course_lib.college.slips import name_slip


@pytest.mark.parametrize(
    ("cypher", "said", "slip"),
    [
        ("MATCH (k:Skill) WHERE k.name = SQL RETURN k", "'SQL' not defined", "quotation marks: 'SQL'"),
        ("MATCH (k:Skill {name: SQL}) RETURN k", "'SQL' not defined", "quotation marks: 'SQL'"),
        ("MATCH (k:Skill) WHERE k.name IN [SQL] RETURN k", "'SQL' not defined", "quotation marks: 'SQL'"),
        ("MATCH (s:Student) WHERE s.name = payal RETURN s", "'payal' not defined", "marks: 'payal'"),
        ("MATCH (s) RETURN CASE s.x WHEN Beginner THEN 1 END", "'Beginner' not defined", "'Beginner'"),
        ("MATCH (s:Student) WHERE name = 'Payal' RETURN s", "'name' not defined", "`s.name`"),
        ("MATCH (s:Student) RETURN student.name", "'student' not defined", "names in your query are: s."),
        ("MATCH (s)-[r:STUDIES]->(x) RETURN q.grade", "'q' not defined", "are: s, r, x."),
        (
            "MATCH (s:Student) WITH s.name AS n RETURN s.year",
            "'s' not defined",
            "hands on only what it names",
        ),
        ("MATCH (s:Student) WHERE s <> a RETURN s", "'a' not defined", "`(a:Student)`"),
        ("MATCH (s) WITH s.name RETURN s", "WITH clause projections must be aliased", "AS name"),
    ],
)
def test_a_query_that_is_refused(cypher: str, said: str, slip: str) -> None:
    assert slip in name_slip(cypher, said)


@pytest.mark.parametrize(
    ("cypher", "stopped_at", "slip"),
    [
        ("MATCH (s:Student) RETURN CASE s.year WHEN 1 THEN 2 ELSE 3 ¦AS x", "AS", "END is missing"),
        ("MATCH (s) RETURN s ORDER BY CASE s.year WHEN 1 THEN 2 ELSE 3¦", "end", "END is missing"),
        ("MATCH s¦:Student RETURN s", ":", "`(s:Student)`"),
        ("MATCH (s:Student)-[:STUDIES]->¦x:Subject RETURN s", "x", "`(x:Subject)`"),
        ("MATCH (s:Student)-[:STUDIES]->¦x RETURN s", "x", "`(x)`"),
        ("MATCH (s:Student)-[:HAS_SKILL]->¦Skill RETURN s", "S", "`(:Skill)`"),
        ("MATCH (s:Student)-¦:STUDIES->(x) RETURN s", ":", "`-[:STUDIES]->`"),
        ("MATCH (s:Student)-¦>(x) RETURN s", ">", "`-->`"),
        ("MATCH (s:Student¦-[:STUDIES]->(x) RETURN s", "-", "not closed by its `)`: (s:Student"),
        ("MATCH (s)-[:STUDIES¦->(x) RETURN s", "-", "not closed by its `]`: [:STUDIES"),
        ("MATCH (s {name: 'Payal'¦) RETURN s", ")", "not closed by its `}`: {name"),
        ("MATCH (s) RETURN count(s)¦)", ")", "one too many"),
        ("MATCH (s) WHERE s.name = 'Payal RETURN s¦", "end", "never closes: 'Payal"),
        ("MATCH (s) WHERE s.name = ¦“Payal” RETURN s", "“", "straight ones"),
        ("MATCH (s) WHERE s.name ¦!= 'x' RETURN s", "!", "`<>`"),
        ("MATCH (s) WHERE s.name =¦= 'x' RETURN s", "=", "one sign"),
        ("MATCH (k:Skill {name: Machine ¦Learning}) RETURN k", "L", "'Machine Learning'"),
        ("M¦TCH (s:Student) RETURN s", "T", "is MATCH meant?"),
        ("MATCH (s:Student) RET¦RUN s", "R", "is RETURN meant?"),
        ("MATCH (s) WHERE s.year = 2 AND RETURN s¦", "end", "After `AND`"),
        ("MATCH (s) RETURN s.name,¦", "end", "After `,`"),
        ("MATCH (c:Club) RETURN c.name c¦.founded", ".", "comma missing before `c.founded`"),
    ],
)
def test_a_query_that_cannot_be_read(cypher: str, stopped_at: str, slip: str) -> None:
    """The place where the engine stopped is marked by a broken bar."""
    text, offset = cypher.replace("¦", ""), cypher.index("¦")
    assert text[offset:].startswith(stopped_at) or (stopped_at == "end" and offset == len(text))
    assert slip in name_slip(text, "errMsg: Invalid input", offset)


@pytest.mark.parametrize(
    "cypher",
    [
        "MATCH (s:Student) WHERE s.name STARTS WITH 'P' RETURN s.name AS name, count(*) AS n",
        "MATCH (s) WITH s, CASE s.year WHEN 1 THEN 'a' ELSE 'b' END AS x RETURN x ORDER BY x",
        "MATCH (n) WHERE n.text = 'a ( and a CASE' RETURN n // (",
    ],
)
def test_a_sound_query_has_no_slip(cypher: str) -> None:
    assert name_slip(cypher, "errMsg: Invalid input", len(cypher)) == ""
    assert name_slip(cypher, "Division by zero") == ""


@pytest.mark.parametrize("cypher", ["", "(", ")", "'", "`", "$", "-", "->", ":", "CASE", "AND", "MATCH", "…"])
def test_scraps_of_text_break_nothing(cypher: str) -> None:
    for offset in range(len(cypher) + 2):
        name_slip(cypher, "errMsg: Invalid input", offset)
    name_slip(cypher, f"'{cypher}' not defined")
