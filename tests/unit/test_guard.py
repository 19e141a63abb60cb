"""The guard on queries written by hand, each with the code that it must get."""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

import pytest

from course_lib.college.guard import CODES, LONGEST, check

OK = """
MATCH (s:Student) RETURN s.name
match (s:Student) return s.name
MATCH (s:Student {name: 'CREATE'}) RETURN s.name
MATCH (s:Student) WHERE s.name = 'DELETE me; SET x' RETURN s.name
MATCH (s:Student) WHERE s.name = "it's /* no */ // comment" RETURN s.name
MATCH (s:Student) WHERE s.name = 'a\\'b SET' RETURN s.name
MATCH (s:Student) RETURN s.createdAt, s.deleted, s.set, s.merge
MATCH (s:Student) RETURN s.create AS created
MATCH (s:Student {create: 1, set: 2}) RETURN s.name
MATCH (a)-[:CREATE]->(b) RETURN a.name
MATCH (a)-[:DELETE|SET|MERGE]->(b) RETURN a.name
MATCH (a:Set)-[r:REMOVE]->(b:Create) RETURN type(r)
MATCH (n:`DROP INDEX`) RETURN n.name
MATCH (n) WHERE n:Set RETURN n.name
WITH 1 AS set RETURN set
WITH 1 AS delete RETURN delete + 1
MATCH (set:Set) RETURN set.name
MATCH (create) RETURN create.name AS merge
UNWIND [1, 2] AS remove RETURN remove
UNWIND ['ASSET', 'OFFSET '] AS word RETURN word
MATCH (s:Student) RETURN s.name // then DELETE it
MATCH (s:Student) /* SET s.x = 1 */ RETURN s.name
MATCH (s:Student) RETURN s.name AS `SET x`
RETURN 'OUT_OF_SCOPE' AS status
RETURN 1;
RETURN 1;;
MATCH (s:Student) RETURN count(s)
MATCH (s:Student) RETURN count(*) AS total
MATCH (s:Student) WITH count(*) AS total RETURN total
MATCH (s:Student) WITH s.name AS s RETURN s
MATCH (s:Student) RETURN DISTINCT s.branch ORDER BY s.branch DESC SKIP 1 LIMIT 2
MATCH (s:Student) RETURN s.name ORDER BY s.year LIMIT 5
MATCH (s:Student) WITH s ORDER BY s.name LIMIT 3 RETURN s.name
MATCH (s:Student) RETURN id(s), labels(s), keys(s)
MATCH (s:Student)-[r]->(x) RETURN type(r), count(r)
MATCH (s:Student)-[r]->(x) RETURN DISTINCT type(r) AS kind
MATCH (s:Student) RETURN size(collect(s)) AS many
MATCH (s:Student) RETURN collect(s.name) AS names
MATCH (s:Student) RETURN [x IN collect(s) | x.name] AS names
MATCH (s:Student) RETURN head(collect(s)).name AS first
MATCH (s:Student) WITH collect(s) AS all RETURN [x IN all WHERE x.year = 2 | x.name]
MATCH (s:Student) WITH collect(s) AS all UNWIND all AS one RETURN one.name
MATCH (s:Student) WITH collect(s)[0] AS one RETURN one.name
MATCH (s:Student) WITH {who: s} AS m RETURN m.who.name
MATCH (s:Student) RETURN {name: s.name, year: s.year} AS person
MATCH (s:Student) RETURN s {.name, .year} AS person
MATCH (s:Student) RETURN properties(s) AS all
MATCH (s:Student) RETURN s IS NULL
MATCH (s:Student) OPTIONAL MATCH (s)-[:MEMBER_OF]->(c:Club) RETURN s.name, c IS NOT NULL AS in_club
MATCH (s:Student), (t:Student) WHERE s <> t RETURN s.name, t.name
MATCH (s:Student), (t:Student) RETURN s = t
MATCH (s:Student) RETURN s IN [s] AS there
MATCH (s:Student) RETURN s:Student AS is_one
MATCH (s:Student) RETURN exists((s)-[:STUDIES]->()) AS studies
MATCH (s:Student) WHERE (s)-[:STUDIES]->(:Subject) RETURN s.name
MATCH (s:Student) WHERE NOT (s)-[:MEMBER_OF]->() RETURN s.name
MATCH (s:Student) RETURN size([(s)-->(x) | x]) AS friends
MATCH (s:Student) RETURN [(s)-[:STUDIES]->(x) | x.name] AS subjects
MATCH (s:Student) RETURN any(x IN collect(s) WHERE x.year = 1) AS found
MATCH p = (a:Concept)-[:PREREQUISITE_FOR*1..3]->(b:Concept) RETURN length(p), [n IN nodes(p) | n.name]
MATCH p = (a)-->(b) RETURN [r IN relationships(p) | type(r)]
MATCH (a)-[r:KNOWS*1..2]->(b) RETURN size(r)
MATCH (a)-[r*1..2]->(b) RETURN [x IN r | type(x)]
MATCH (s:Student) RETURN CASE WHEN s.year > 2 THEN 'senior' ELSE 'junior' END AS kind
MATCH (s:Student)-[r:STUDIES]->(c) RETURN s.name ORDER BY CASE r.grade WHEN 'A+' THEN 1 ELSE 99 END
MATCH (s:Student) RETURN reduce(total = 0, x IN [1, 2] | total + x)
MATCH (s:Student) RETURN coalesce(s.nick, s.name) AS called
MATCH (s:Student) RETURN max(s.year), min(s.name), avg(s.year), sum(s.year)
MATCH (s:Student) RETURN s['name'] AS name
MATCH (s:Student) RETURN toLower(s.name) CONTAINS 'pay' AS pay
MATCH (s:Student) WHERE s.name STARTS WITH 'P' AND NOT s.name ENDS WITH 'l' RETURN s.name
MATCH (s:Student) RETURN s.name UNION MATCH (c:Club) RETURN c.name
MATCH (s:Student) RETURN s.name AS n UNION ALL MATCH (c:Club) RETURN c.name AS n
CALL db.labels() YIELD label RETURN label
CALL db.labels()
CALL DB.LABELS() YIELD label RETURN label
CALL `db.labels`()
CALL db.meta.stats() YIELD labels RETURN labels
MATCH (a), (b) CALL algo.SPpaths({sourceNode: a, targetNode: b}) YIELD path RETURN [n IN nodes(path) | n.x]
CALL { MATCH (s:Student) RETURN s } RETURN s.name
CALL { MATCH (s:Student) RETURN s.name AS n UNION MATCH (c:Club) RETURN c.name AS n } RETURN n
MATCH (s:Student) CALL { WITH s MATCH (s)-->(x) RETURN count(x) AS many } RETURN s.name, many
MATCH (s:Student) RETURN $set AS set
UNWIND $list AS x RETURN x
RETURN 0x1F, .5, 1e3, 1.5, -2
RETURN [1, 2, 3][0..2]
MATCH (s:Student) RETURN startNode(head([(s)-[r]->() | r])).name
WITH [1, 2] AS list RETURN list
MATCH (s:Student) WITH s.name AS name RETURN *
MATCH (s:Student) WITH *, s.name AS name RETURN name
MATCH (s:Student) WHERE EXISTS { MATCH (s)-[:STUDIES]->(:Subject) } RETURN s.name
MATCH (s:Student) RETURN COUNT { (s)-->() } AS out
"""
REFUSED = {
    "write_clause": """
CREATE (:X)
MATCH (n) DELETE n
MATCH (n) DETACH DELETE n
MATCH (n)DETACH DELETE n
match (n) detach delete n
MATCH (n) dEtAcH\tDeLeTe n
MATCH (n) SET n.x = 1
MATCH(n)SET n.x=1
MATCH (n) SET\tn.x = 1
MATCH (n) SET/**/n.x = 1
MATCH (n) SET n:Label
MATCH (n) SET n += {x: 1}
MATCH (n) REMOVE n.x
MATCH (n) REMOVE n:Label
MERGE (n:X {id: 1})
MERGE (n:X {id: 1}) ON CREATE SET n.x = 1 RETURN n.id
MATCH (n) WITH n SET n.x = 1 RETURN n.x
MATCH (n) WITH n LIMIT 1 DELETE n
MATCH (n) WITH n ORDER BY n.name DESC DELETE n
MATCH (n) WITH n SKIP 0 SET n.a = 2
MATCH (n) WHERE n.x IS NULL SET n.x = 1
MATCH (n) WHERE n.x IS NOT NULL SET n.x = 1
MATCH (n) WHERE n:Label SET n.x = 1
MATCH (n) WHERE n.name = 'y'SET n.h = 1
MATCH (n) WHERE (n)-->() SET n.x = 1
MATCH (n) WHERE n.name STARTS WITH 'x' SET n.e = 1
MATCH (n) UNWIND [1] AS x SET n.a = 3
MATCH (n) FOREACH (x IN [1] | SET n.q = 1)
FOREACH (x IN [1, 2] | CREATE (:X {v: x}))
MATCH (n) CALL { WITH n SET n.a = 4 } RETURN n.a
MATCH (n) CALL { WITH n DELETE n RETURN 1 AS one } RETURN one
CALL { CREATE (:Q) } RETURN 1
RETURN 1 AS x UNION CREATE (:Z) RETURN 1 AS x
RETURN 1 AS x UNION ALL MERGE (:Z) RETURN 1 AS x
OPTIONAL MATCH (n:Set) SET n.p = 1
MATCH (n) WITH n, 'a' AS as SET n.z = as
MATCH (n) WITH n AS set, 1 AS one SET set.k = one
MATCH (n) WITH n, 5 AS by ORDER BY by SET n.k = 1
MATCH (n) WITH n, 5 AS desc ORDER BY desc DESC SET n.k = 1
MATCH (n) WITH n, true AS not WHERE not DELETE n
MATCH (n) WITH n, true AS detach WHERE NOT detach DELETE n
MATCH (n) WITH n, CASE WHEN true THEN 1 END AS k SET n.k = k
MATCH (n) WITH n, [1] AS l SET n.k = l[0]
CREATE INDEX ON :Student(name)
CREATE INDEX FOR (n:Student) ON (n.name)
DROP INDEX ON :Student(name)
CALL db.labels() YIELD label CREATE (:X)
CALL db.labels() YIELD label WHERE label = 'B' CREATE (:X)
CALL db.labels YIELD label CREATE (:X)
MATCH (n) WITH n // a comment\\nSET n.k = 1
MATCH (n) RETURN n.name /* ' */ SET n.k = '*/'
MATCH (n) WHERE n.text = '// no comment' DELETE n
MATCH (n) WHERE n.text = '/*' DELETE n //*/
MATCH (n) WHERE n.x = "\\"" DELETE n //"
MATCH (n) WITH * DELETE n
MATCH (n) RETURN * ORDER BY n.name DELETE n
MATCH (n:`a\\`) DELETE n //`
MATCH (n) WITH n LIMIT 1SET n.h = 1
MATCH (n)-[r]->() DELETE r
INSERT (:X)
""",
    "load_csv": """
LOAD CSV FROM 'file:///etc/hostname' AS line RETURN line
LOAD CSV WITH HEADERS FROM 'https://example.org/x.csv' AS line RETURN line.a
load  csv from 'x' as l return l
LOAD/**/CSV FROM 'x' AS l RETURN l
MATCH (s:Student) LOAD CSV FROM 'file:///x' AS l RETURN s.name
MATCH (s:Student) WITH s LOAD\tCSV FROM 'x' AS l RETURN s.name, l
CALL { LOAD CSV FROM 'x' AS l RETURN l } RETURN l
""",
    "procedure": """
CALL db.idx.fulltext.createNodeIndex('Student', 'name')
CALL db.idx.fulltext.drop('Student')
CALL `db.idx.fulltext.drop`('Student')
CALL db . idx . fulltext . drop('Student')
CALL apoc.cypher.run('MATCH (n) DELETE n', {}) YIELD value RETURN value
MATCH (s:Student) CALL dbms.shutdown() RETURN s.name
CALL nothing.known() YIELD x RETURN x
""",
    "whole_node": """
MATCH (s:Student) RETURN s
MATCH (s:Student) RETURN s, s.name
MATCH (s:Student)-[:STUDIES]->(c:Subject) RETURN s, c
MATCH (s:Student) RETURN s.name, s
MATCH (s:Student) RETURN DISTINCT s
MATCH (s:Student) RETURN s AS x
MATCH (s:Student) RETURN s LIMIT 5
MATCH (s:Student) RETURN s ORDER BY s.name
MATCH (s:Student) RETURN *
MATCH (s:Student) RETURN collect(s)
MATCH (s:Student) RETURN collect(DISTINCT s) AS all
MATCH (s:Student) RETURN [s]
MATCH (s:Student) RETURN {who: s}
MATCH (s:Student) RETURN s {.name, friend: s}
MATCH (s:Student) RETURN (s)
MATCH (s:Student) RETURN head(collect(s))
MATCH (s:Student) RETURN coalesce(null, s)
MATCH (s:Student) RETURN max(s)
MATCH (s:Student) RETURN [s] + [1]
MATCH (s:Student) RETURN collect(s)[0]
MATCH (s:Student) RETURN collect(s)[0..2]
MATCH (s:Student) RETURN CASE WHEN true THEN s END
MATCH (s:Student) RETURN CASE s.year WHEN 1 THEN 'x' ELSE s END AS who
MATCH ()-[r]->() RETURN r
MATCH ()-[r:STUDIES]->() RETURN r AS edge
MATCH (a)-[r*1..2]->(b) RETURN r
MATCH p = (a)-->(b) RETURN p
MATCH p = (a)-->(b) RETURN nodes(p)
MATCH p = (a)-->(b) RETURN relationships(p) AS steps
MATCH (a)-[r]->(b) RETURN startNode(r)
MATCH (a)-[r]->(b) RETURN endNode(r) AS x
MATCH (s:Student) RETURN (s)-->()
MATCH (s:Student) RETURN [(s)-->(x) | x]
MATCH (s:Student) RETURN [x IN collect(s)]
MATCH (s:Student) RETURN [x IN collect(s) WHERE x.year = 1]
MATCH (s:Student) RETURN reduce(last = null, x IN collect(s) | x)
MATCH (s:Student) WITH s AS t RETURN t
MATCH (s:Student) WITH s.name AS n, s AS t RETURN n, t
MATCH (s:Student) WITH collect(s) AS all RETURN all
MATCH (s:Student) WITH collect(s) AS all UNWIND all AS one RETURN one
MATCH (s:Student) WITH {who: s} AS m RETURN m
MATCH (s:Student) WITH {who: s} AS m RETURN m.who
MATCH (s:Student) WITH {who: s} AS m RETURN m['who']
MATCH (s:Student) WITH *, 1 AS one RETURN *
MATCH (s:Student) RETURN s.name UNION MATCH (c:Club) RETURN c
MATCH (c:Club) RETURN c UNION MATCH (s:Student) RETURN s.name
CALL { MATCH (s:Student) RETURN s } RETURN s
CALL { MATCH (s:Student) RETURN s.name AS n UNION MATCH (c:Club) RETURN c AS n } RETURN n
MATCH (a), (b) CALL algo.SPpaths({sourceNode: a, targetNode: b}) YIELD path RETURN path
CALL db.idx.fulltext.queryNodes('Student', 'x') YIELD node RETURN node
CALL db.idx.fulltext.queryNodes('Student', 'x')
CALL algo.pageRank('Student', 'FRIENDS_WITH') YIELD node AS n, score RETURN n, score
MATCH (`odd name`:Student) RETURN `odd name`
MATCH (s) RETURN s
MATCH (s {name: 'x'}) RETURN s
MATCH (return:Student) RETURN return
""",
    "no_return": """
MATCH (s:Student)
MATCH (s:Student) WITH s.name AS n
UNWIND [1, 2] AS x
MATCH (s:Student) WHERE s.name = 'x'
CALL { MATCH (s:Student) RETURN s.name AS n }
""",
    "not_cypher": """
Payal is the best person.
Here is the query: MATCH (n) DELETE n
(s:Student) RETURN s.name
1 + 1
""",
    "several_statements": """
RETURN 1; RETURN 2
MATCH (s:Student) RETURN s.name; MATCH (n) DETACH DELETE n
; RETURN 1
RETURN 1;;RETURN 2
MATCH (s:Student) RETURN s.name MATCH (c:Club) RETURN c.name
MATCH (n) RETURN n WITH n RETURN n.name
""",
    "plan": """
EXPLAIN MATCH (n) RETURN n.name
PROFILE MATCH (n) RETURN n.name
explain CREATE (:Z)
/* x */ profile MATCH (n) DELETE n
""",
    "header": """
CYPHER x=1 RETURN $x
CYPHER x=1 MATCH (n) DELETE n
cypher RETURN 1
""",
    "unterminated": """
RETURN 'x
RETURN "x
MATCH (n:`x) RETURN n.name
RETURN 1 /* x
MATCH (n RETURN n.name
MATCH (n) RETURN n.name)
MATCH (n) RETURN [n.name)
MATCH (n) WHERE n.x = 'it's' RETURN n.name
""",
    "empty": """
;
// only a comment
/* SET */
""",
}


def _cases() -> list[tuple[str, str]]:
    found = [(line, "ok") for line in OK.strip().splitlines()]
    for code, listed in REFUSED.items():
        found += [(line, code) for line in listed.strip().splitlines()]
    return [(query.replace("\\t", "\t").replace("\\n", "\n"), code) for query, code in found]


CASES = _cases()


def test_there_are_enough_cases_and_every_code_has_some() -> None:
    assert len(CASES) >= 150
    elsewhere = {"too_long", "too_deep", "bad_character"}
    assert {code for _, code in CASES} | elsewhere == set(CODES)


@pytest.mark.parametrize(("query", "code"), CASES)
def test_a_query_gets_its_code(query: str, code: str) -> None:
    verdict = check(query)
    assert (verdict.code, verdict.ok) == (code, code == "ok"), verdict
    assert verdict.ok or verdict.reason.endswith((".", query[-1:]))


@pytest.mark.parametrize("query", ["", "   \n\t", "RETURN 1" + " " * LONGEST])
def test_texts_of_odd_lengths(query: str) -> None:
    assert check(query).code in ("empty", "too_long")


@pytest.mark.parametrize("sign", ["\u00a0", "\u200b", "\u2003", "\ufeff", "\x00", "\x0b", "\x0c", "\u2028"])
def test_characters_that_hide(sign: str) -> None:
    assert check(f"MATCH (n){sign}RETURN n.name").code == "bad_character"
    assert check(f"MATCH (n) WHERE n.x = '{sign}' RETURN n.name").ok


def test_a_refusal_says_where() -> None:
    query = "MATCH (n) WHERE n.set = 'SET' SET n.x = 1"
    verdict = check(query)
    assert verdict.span is not None
    assert query[slice(*verdict.span)] == "SET"
    assert verdict.span[0] == query.rindex("SET")
    whole = check("MATCH (s:Student) RETURN s.name, s AS who")
    assert whole.span is not None
    assert "s.name" in whole.reason


@pytest.mark.parametrize(
    "deep", ["(" * 5_000 + "1" + ")" * 5_000, "[" * 3_000, "CALL {" * 2_000, "((" * 9_000]
)
def test_deep_brackets_do_no_harm(deep: str) -> None:
    assert check(f"RETURN {deep} AS x").code == "too_deep"


def test_the_work_grows_with_the_length_and_no_faster() -> None:
    def calls(query: str) -> int:
        count = 0

        def counted(frame: object, event: str, argument: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(counted)
        try:
            check(query)
        finally:
            sys.setprofile(None)
        return count

    for piece, end in (
        (" AND n.x = 'a'", " RETURN n.name"),
        (" AND (n)-->()", " RETURN n.name"),
        (" OR [x IN n.l | x.y]", " RETURN 1"),
        (" MATCH (a)-[r]->(b) WITH *", " RETURN 1"),
        (";", ""),
        ("//\n", "RETURN 1"),
        ("(", ""),
    ):
        short, long = (calls("MATCH (n) WHERE true" + piece * times + end) for times in (100, 400))
        assert long < 5 * short, piece


def test_any_text_gets_a_verdict() -> None:
    rng = random.Random(7)
    words = [
        *"()[]{}.,:;|*<>-=+'\"`$/\\ \n",
        "MATCH",
        "RETURN",
        "WITH",
        "SET",
        "n",
        "CASE",
        "END",
        "AS",
        "UNION",
    ]
    words += [
        "CALL",
        "YIELD",
        "WHERE",
        "NOT",
        "//",
        "/*",
        "*/",
        "..",
        "1",
        "s.name",
        "UNWIND",
        "IN",
        "reduce(",
    ]
    for _ in range(5_000):
        text = " ".join(rng.choices(words, k=rng.randint(1, 25)))
        assert check(text).code in CODES


OPUS = Path(__file__).parents[3] / "shared" / "data" / "text2cypher-opus.csv"


@pytest.mark.skipif(not OPUS.is_file(), reason="the 4,970 queries lie beside the checkout, and not in it")
def test_no_query_that_a_model_wrote_to_read_is_taken_for_a_write() -> None:
    csv.field_size_limit(10_000_000)
    with OPUS.open(encoding="utf-8") as file:
        queries = [row["cypher"] for row in csv.DictReader(file)]
    assert len(queries) == 4_970
    codes = [check(query).code for query in queries]
    assert not {"write_clause", "load_csv", "procedure"} & set(codes)
    # Replies with prose around the query are no queries; they are taken off before the guard looks.
    assert sum(code not in ("ok", "whole_node") for code in codes) <= 6
