"""The guard against the real engine: whatever it lets through changes nothing and returns values.

Here the queries run as the owner, who may write: the guard is alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from course_lib.college.dataset import load_college
from course_lib.college.graph import Graph
from course_lib.college.guard import READ_PROCEDURES, check
from course_lib.college.results import CARRIERS
from course_lib.college.rows import EdgeValue, NodeValue, PathValue
from course_lib.errors import CourseError
from course_lib.models.practice.mind.lexicon import data_folder
from tests.support.practice_loop import read_questions

pytestmark = pytest.mark.engine

QUERIES = 5_000
EVERY = 50
"""After so many queries the graph is looked at; a change is then traced to its query."""
VALUE_FUNCTIONS = frozenset(
    word
    for line in (
        "abs acos all and any asin atan atan2 avg ceil contains cos cot count date date.transaction",
        "degrees distance div duration e ends with eq exists exp floor ge gt haslabels haversin id",
        "in indegree intern is not null isempty keys labels le left length localdatetime",
        "localdatetime.transaction localtime localtime.transaction log log10 lt ltrim mod mul neq",
        "none nop not or outdegree percentilecont pi point pow properties radians rand randomuuid",
        "range replace right round rtrim sign sin single size split sqrt starts stdev stdevp",
        "string.join string.matchregex string.replaceregex sub substring sum tan timestamp",
        "toboolean tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger",
        "tointegerlist tointegerornull tojson tolower tostring tostringlist tostringornull toupper",
        "trim type typeof vec.cosinedistance vec.euclideandistance vecf32 xor",
    )
    for word in line.split()
)


class Maker:
    """Makes queries: right ones, wrong ones, and ones that lie near the border."""

    NAMES = ("n", "m", "set", "create", "delete", "detach", "s", "x", "remove", "with", "as", "not", "`DROP`")
    WRITES = (
        "SET {v}.touched = 1",
        "DELETE {v}",
        "DETACH DELETE {v}",
        "REMOVE {v}.name",
        "CREATE (:Fuzz)",
        "MERGE (:Fuzz {{a: 1}})",
        "SET {v}:Fuzz",
        "FOREACH (q IN [1] | CREATE (:Fuzz))",
    )

    def __init__(self, rng: random.Random, read: list[str]) -> None:
        self.rng = rng
        self.read = read

    def queries(self) -> Iterator[str]:
        """Queries without end."""
        while True:
            yield self.rng.choice((self.pattern, self.chain, self.mutated, self.glued, self.projected))()

    def space(self) -> str:
        """What may stand between two words."""
        return self.rng.choice((" ", " ", " ", "\n", "\t", "/* SET */", " // DELETE\n", "/**/"))

    def name(self) -> str:
        """A name of a variable."""
        return self.rng.choice(self.NAMES)

    def any_case(self, text: str) -> str:
        """The text in capitals, in small letters, or mixed."""
        return self.rng.choice((str, str.lower, str.swapcase, str.title))(text)

    def write(self, v: str) -> str:
        """A clause that writes."""
        return self.any_case(self.rng.choice(self.WRITES)).replace("{V}", "{v}").format(v=v)

    def pattern(self) -> str:
        """A match, sometimes with a write behind it."""
        v = self.name()
        where = self.rng.choice(
            (
                "",
                f"WHERE {v}.name IS NOT NULL",
                f"WHERE {v}.name STARTS WITH 'P'",
                f"WHERE {v}.set = 'SET'",
                f"WHERE NOT ({v})-->()",
                f"WHERE {v}:Student",
                f'WHERE {v}.name = "it\'s /* "',
            )
        )
        write = self.write(v) if self.rng.random() < 0.4 else ""
        end = self.rng.choice((f"RETURN {v}.name AS a", f"RETURN {v}", f"RETURN count({v}) AS a", ""))
        clause = self.any_case(self.rng.choice(("MATCH", "OPTIONAL MATCH")))
        return self.space().join(filter(None, (clause, f"({v}:Student)", where, write, end)))

    def chain(self) -> str:
        """Clauses in a row."""
        v = self.name()
        parts = [f"MATCH ({v}:Club)"]
        for _ in range(self.rng.randint(1, 3)):
            parts.append(
                self.rng.choice(
                    (
                        f"WITH {v}",
                        f"WITH {v}, 1 AS one",
                        "WITH *",
                        f"WITH {v} ORDER BY {v}.name DESC",
                        f"WITH {v} LIMIT 2",
                        "UNWIND [1, 2] AS two",
                        f"CALL {{ WITH {v} {self.write(v)} RETURN 1 AS q }}",
                        f"CALL {{ WITH {v} MATCH ({v})--(b) RETURN count(b) AS c }}",
                        "CALL db.labels() YIELD label",
                    )
                )
            )
        if self.rng.random() < 0.3:
            parts.append(self.write(v))
        parts.append(
            self.rng.choice((f"RETURN {v}.name AS a", f"RETURN {v}.name AS a UNION RETURN 1 AS a", ""))
        )
        if self.rng.random() < 0.1:
            parts.append(f"UNION {self.write(v)} RETURN 1 AS a")
        return self.space().join(parts)

    def mutated(self) -> str:
        """A real query with a word put in, taken out or put elsewhere."""
        words = self.rng.choice(self.read).split(" ")
        place = self.rng.randrange(len(words))
        match self.rng.randrange(4):
            case 0:
                words.insert(place, self.write("s"))
            case 1:
                words.pop(place)
            case 2:
                words.insert(place, words.pop(self.rng.randrange(len(words))))
            case _:
                words.insert(
                    place, self.rng.choice(("SET", "DELETE", "'", '"', "`", "/*", "*/", "//", ";", "{", "}"))
                )
        return " ".join(words)

    def glued(self) -> str:
        """Two queries in one."""
        first, second = self.rng.choice(self.read), self.write("s")
        return first + self.rng.choice((";", " ", " UNION ", "\n", "//\n", " /* ' */ ", "\\", "'")) + second

    def projected(self) -> str:
        """A result of any kind."""
        return f"MATCH (s:Student)-[r:STUDIES]->(c:Subject) RETURN {self.expression(3)} AS a LIMIT 3"

    def expression(self, depth: int) -> str:
        """An expression over `s`, `r` and `c`."""
        if depth == 0 or self.rng.random() < 0.25:
            return self.rng.choice(("s", "r", "c", "s.name", "1", "'x'", "r.grade", "null", "[]"))
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        return self.rng.choice(
            (
                f"[{a}, {b}]",
                f"{{k: {a}, l: {b}}}",
                f"{{k: {a}}}.k",
                f"{{k: {a}}}['k']",
                f"coalesce({a}, {b})",
                f"CASE WHEN {b} IS NULL THEN {a} ELSE {b} END",
                f"collect({a})",
                f"head([{a}])",
                f"last([{a}, {b}])",
                f"[{a}][0]",
                f"[{a}, {b}][0..1]",
                f"[q IN [{a}] | q]",
                f"[q IN [{a}] WHERE q IS NOT NULL]",
                f"[q IN [{a}] | {b}]",
                f"reduce(q = {a}, w IN [{b}] | w)",
                f"reduce(q = {a}, w IN [{b}] | q)",
                f"({a})",
                f"[{a}] + [{b}]",
                f"{a} = {b}",
                f"{a} IN [{b}]",
                f"{a} IS NULL",
                f"size([{a}])",
                f"tail([{a}, {b}])",
                f"reverse([{a}, {b}])",
                "[(s)-->(q) | q]",
                "[(s)-->(q) | q.name]",
                "startNode(r)",
                "s {.name}",
                f"s {{.name, k: {a}}}",
                "exists((s)-->())",
                "(s)-->()",
                "nodes(head((s)-->()))",
                f"min({a})",
                "labels(s)",
            )
        )


@pytest.fixture
def college(graph: Graph) -> Graph:
    load_college(graph)
    return graph


def _holds_entity(cell: Any) -> bool:
    if isinstance(cell, NodeValue | EdgeValue | PathValue):
        return True
    if isinstance(cell, dict):
        return any(map(_holds_entity, cell.values()))
    return isinstance(cell, list | tuple) and any(map(_holds_entity, cell))


def _run(graph: Graph, query: str) -> tuple[bool, bool]:
    """Whether it ran, and whether there was an entity in its rows."""
    try:
        rows = graph.write(query, timeout_ms=2_000)
    except CourseError:
        return False, False
    return True, any(_holds_entity(cell) for row in rows for cell in row)


def test_what_passes_changes_nothing_and_returns_values(college: Graph) -> None:
    read = [q.reference for q in read_questions(data_folder() / "questions.toml") if q.reference]
    maker = Maker(random.Random(20_26), read)
    before = college.checksum()
    passed: list[str] = []
    ran = refused = 0
    for number, query in enumerate(islice(maker.queries(), QUERIES), 1):
        if check(query).ok:
            passed.append(query)
            done, entity = _run(college, query)
            ran += done
            assert not entity, query
        else:
            refused += 1
        if number % EVERY == 0:
            assert college.checksum() == before, passed[-EVERY:]
    # Both sides must have been tried, and much of what passes must be real Cypher.
    assert ran > QUERIES / 5, ran
    assert refused > QUERIES / 5, refused


def test_what_writes_is_refused_and_what_is_refused_for_its_result_holds_an_entity(college: Graph) -> None:
    maker = Maker(random.Random(11), [])
    wholes = held = 0
    for query in (maker.projected() for _ in range(600)):
        if check(query).code == "whole_node":
            done, entity = _run(college, query)
            wholes += done
            held += entity
    # The rest are entities that the data does not show: an empty list, a CASE that took the other way.
    assert wholes > 100
    assert held > 0.6 * wholes


def test_the_references_of_the_question_set_pass(college: Graph) -> None:
    for asked in read_questions(data_folder() / "questions.toml"):
        if asked.reference and "RETURN" in asked.reference:
            assert check(asked.reference).ok, asked.reference


def test_the_list_of_procedures_is_the_engines_own(college: Graph) -> None:
    listed = college.read("CALL dbms.procedures() YIELD name, mode RETURN name, mode")
    assert {str(name).lower() for name, mode in listed if mode == "READ"} == READ_PROCEDURES


def test_every_function_of_the_engine_is_known_to_carry_entities_or_to_make_values(college: Graph) -> None:
    names = {str(row[0]).lower() for row in college.read("CALL dbms.functions() YIELD name RETURN name")}
    spelled = VALUE_FUNCTIONS | {"is not null", "is null", "starts with", "ends with"} | set(CARRIERS)
    assert names - spelled == {"merge_maps"} - spelled, names - spelled
