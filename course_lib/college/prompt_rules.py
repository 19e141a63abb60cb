"""The rules of the prompt, each under a name by which it can be left out, with a bad and a good example."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from course_lib.errors import CourseError


class UnknownRuleError(CourseError):
    """A rule was asked for that there is not."""


@dataclass(frozen=True)
class Rule:
    """One rule of the prompt."""

    name: str
    """What it is switched by."""
    text: str
    """What it asks for, in words that a model can follow."""
    bad: str = ""
    """How a reply looks that breaks it."""
    good: str = ""
    """How a reply looks that keeps it."""

    def line(self) -> str:
        """The rule as it stands in the prompt, examples included."""
        return "  ".join(
            part
            for part in (
                self.text,
                f"BAD: {self.bad}" if self.bad else "",
                f"GOOD: {self.good}" if self.good else "",
            )
            if part
        )


RULES: tuple[Rule, ...] = (
    Rule(
        "loose",
        "Match names loosely: people type them in their own way.",
        "(c:Subject {name: 'dbms'})",
        "(c:Subject) WHERE toLower(c.name) CONTAINS 'dbms'",
    ),
    Rule(
        "abbreviations",
        "Write abbreviations out as they stand in the values: 'ML' is Machine Learning, 'OS' is"
        " Operating Systems.",
        "CONTAINS 'os'",
        "CONTAINS 'operating systems'",
    ),
    Rule("properties", "Return specific properties, never whole nodes.", "RETURN s", "RETURN s.name"),
    Rule(
        "labels",
        "Put a label on every node.",
        "(s)-[:STUDIES]->(c)",
        "(s:Student)-[:STUDIES]->(c:Subject)",
    ),
    Rule(
        "ranks",
        "Grades and levels sort as text, so rank them: A+ > A > B+ > B, and Advanced > Intermediate"
        " > Beginner.",
        "ORDER BY r.grade DESC",
        "ORDER BY CASE r.grade WHEN 'A+' THEN 1 WHEN 'A' THEN 2 WHEN 'B+' THEN 3 WHEN 'B' THEN 4 ELSE 99 END",
    ),
    Rule(
        "paths",
        "For a path use algo.SPpaths.",
        "MATCH p = shortestPath((a)-[*]->(b))",
        "CALL algo.SPpaths({sourceNode: a, targetNode: b, relTypes: ['PREREQUISITE_FOR', 'INCLUDES'],"
        " pathCount: 1}) YIELD path",
    ),
    Rule(
        "outgoing",
        "Walk a path with relDirection 'outgoing': a learning order never runs backwards.",
        "relDirection: 'both'",
        "relDirection: 'outgoing'",
    ),
    Rule("reading", "Use reading clauses only.", "MATCH (n) DELETE n", "MATCH (s:Student) RETURN s.name"),
    Rule(
        "sentinel",
        "If the graph cannot answer the question, reply RETURN 'OUT_OF_SCOPE' AS status",
        "MATCH (p:Program) RETURN p.name",
        "RETURN 'OUT_OF_SCOPE' AS status",
    ),
    Rule(
        "common",
        "'Common in all the clubs' means people in more than one club.",
        "WHERE clubs = 3",
        "WITH s, count(DISTINCT c) AS clubs WHERE clubs > 1",
    ),
    Rule(
        "next",
        "'Next topics' are up to two prerequisite hops away from concepts of a subject the student takes,"
        " and not covered by that same subject.",
        "not covered by any of his subjects",
        "WHERE NOT (c)-[:COVERS]->(n)",
    ),
    Rule("cypher", "Reply with Cypher only, no prose and no markdown."),
)
"""The rules in the order in which they stand in the prompt.

On the practice model each changes the result of some question of the course's set, but for four: `labels` (an
unlabelled node gives the same rows and costs a scan), `outgoing` (it shows on a path that is asked for
backwards), `reading` (a write is refused behind the prompt as well) and `cypher` (prose around a query is
taken off). Real models need them."""

ALL: tuple[str, ...] = tuple(rule.name for rule in RULES)
"""The names of all rules."""


def chosen(names: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of these names, in the prompt's own order.

    Raises:
        UnknownRuleError: one of the names is no rule's.
    """
    wanted = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in wanted if name not in ALL]
    if unknown:
        raise UnknownRuleError(
            f"There is no rule called {unknown[0]!r}.", f"The rules are: {', '.join(ALL)}."
        )
    return tuple(rule for rule in RULES if rule.name in wanted)
