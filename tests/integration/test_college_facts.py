"""What must be true of the college for its questions and their traps, each asked of the real engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def college() -> Iterator[Graph]:
    """The whole college. The tests of this module only read it."""
    from course_lib.college.dataset import restore_college
    from course_lib.college.graph import open_graph

    graph = open_graph(name="facts_of_the_college")
    restore_college(graph)
    yield graph
    graph.delete()
    graph.close()


def ask(graph: Graph, cypher: str, **params: Any) -> list[Any]:
    """The rows; where there is one column, its values."""
    rows = graph.read(cypher, params)
    return [row[0] for row in rows] if len(rows.columns) == 1 else list(rows)


# ------------------------------------------------------------------------------------------------ the counts


def test_counts_of_the_whole_college(college: Graph) -> None:
    size = college.size()
    assert (size.nodes, size.relationships) == (75, 132)


def test_counts_of_each_label(college: Graph) -> None:
    rows = ask(college, "MATCH (n) RETURN labels(n), count(n)")
    assert {(tuple(labels), count) for labels, count in rows} == {
        (("Student",), 5),
        (("Subject",), 4),
        (("Club",), 3),
        (("Skill",), 5),
        (("Project",), 3),
        (("Concept",), 30),
        (("Note",), 25),
    }


def test_counts_of_each_pattern(college: Graph) -> None:
    rows = ask(college, "MATCH (a)-[r]->(b) RETURN labels(a)[0], type(r), labels(b)[0], count(r)")
    counts = {(start, kind, end): count for start, kind, end, count in rows}
    knowledge = {
        ("Subject", "COVERS", "Concept"): 30,
        ("Note", "EXPLAINS", "Concept"): 25,
        ("Concept", "PREREQUISITE_FOR", "Concept"): 25,
        ("Concept", "INCLUDES", "Concept"): 13,
    }
    people = {
        ("Student", "STUDIES", "Subject"),
        ("Student", "MEMBER_OF", "Club"),
        ("Student", "HAS_SKILL", "Skill"),
        ("Student", "WORKS_ON", "Project"),
        ("Student", "FRIENDS_WITH", "Student"),
        ("Subject", "PREREQUISITE_FOR", "Subject"),
        ("Project", "REQUIRES", "Skill"),
    }
    assert {pattern: counts[pattern] for pattern in knowledge} == knowledge
    assert set(counts) == set(knowledge) | people
    assert sum(counts[pattern] for pattern in people) == 39


def test_properties_of_each_label_and_pattern(college: Graph) -> None:
    nodes = ask(college, "MATCH (n) UNWIND keys(n) AS key RETURN labels(n)[0], collect(DISTINCT key)")
    assert {label: set(keys) for label, keys in nodes} == {
        "Student": {"id", "name", "year", "branch"},
        "Subject": {"code", "name", "credits"},
        "Club": {"name", "founded"},
        "Skill": {"name"},
        "Project": {"id", "name", "status"},
        "Concept": {"id", "name", "area"},
        "Note": {"id", "text"},
    }
    edges = ask(college, "MATCH ()-[r]->() UNWIND keys(r) AS key RETURN type(r), collect(DISTINCT key)")
    assert {kind: set(keys) for kind, keys in edges} == {
        "STUDIES": {"semester", "grade"},
        "MEMBER_OF": {"since", "role"},
        "HAS_SKILL": {"level"},
        "WORKS_ON": {"role"},
    }


def test_no_property_is_left_out(college: Graph) -> None:
    for label, count in {
        "Student": 4,
        "Subject": 3,
        "Club": 2,
        "Project": 3,
        "Concept": 3,
        "Note": 2,
    }.items():
        assert ask(college, f"MATCH (n:{label}) RETURN DISTINCT size(keys(n))") == [count]
    assert ask(college, "MATCH ()-[r:STUDIES]->() RETURN DISTINCT size(keys(r))") == [2]


def test_names_and_keys(college: Graph) -> None:
    assert ask(college, "MATCH (s:Student) RETURN s.name, s.id ORDER BY s.id") == [
        ("Aarav", "S01"),
        ("Payal", "S02"),
        ("Rahul", "S03"),
        ("Sneha", "S04"),
        ("Karan", "S05"),
    ]
    assert ask(college, "MATCH (s:Subject) RETURN s.name, s.code ORDER BY s.code") == [
        ("DBMS", "CS201"),
        ("DSA", "CS202"),
        ("Operating Systems", "CS301"),
        ("Computer Networks", "CS302"),
    ]
    assert set(ask(college, "MATCH (c:Club) RETURN c.name")) == {
        "Coding Club",
        "Robotics Club",
        "Debate Society",
    }
    assert set(ask(college, "MATCH (k:Skill) RETURN k.name")) == {
        "Python",
        "React",
        "SQL",
        "Machine Learning",
        "Docker",
    }
    assert set(ask(college, "MATCH (p:Project) RETURN p.name")) == {
        "Library Management System",
        "Campus Chatbot",
        "Attendance Tracker",
    }


CONCEPTS = {
    "CS201": "Normalization, 1NF, 2NF, 3NF, BCNF, Indexing, Query Optimization, Transactions",
    "CS202": "Arrays, Linked Lists, Trees, BST, Graphs, BFS, DFS, Dynamic Programming",
    "CS301": "Processes, Threads, Scheduling, Deadlocks, Memory Management, Paging, Virtual Memory",
    "CS302": "OSI Model, TCP/IP, HTTP, DNS, Routing, Subnetting, Firewalls",
}


def test_concepts_are_numbered_through_and_covered_by_one_subject_each(college: Graph) -> None:
    rows = ask(
        college,
        "MATCH (s:Subject)-[:COVERS]->(c:Concept) RETURN s.code, c.id, c.name, c.area = s.name ORDER BY c.id",
    )
    names = [(code, name) for code, listed in CONCEPTS.items() for name in listed.split(", ")]
    assert [(code, name) for code, _, name, _ in rows] == names
    assert [key for _, key, _, _ in rows] == [f"C{n:02d}" for n in range(1, 31)]
    assert all(same for *_, same in rows)


def test_notes(college: Graph) -> None:
    rows = ask(
        college,
        """
        MATCH (n:Note) OPTIONAL MATCH (n)-[:EXPLAINS]->(c:Concept)
        RETURN n.id, n.text, count(c) ORDER BY n.id
        """,
    )
    assert [key for key, _, _ in rows] == [f"N{n:02d}" for n in range(1, 26)]
    assert {explained for *_, explained in rows} == {1}
    assert len({text for _, text, _ in rows}) == 25
    # One or two sentences each.
    assert all(
        40 < len(text) < 250 and 1 <= text.count(". ") + text.endswith(".") <= 2 for _, text, _ in rows
    )
    texts = " ".join(text for _, text, _ in rows)
    assert all(mark in texts for mark in ("'", '"', "\\", "%"))


# -------------------------------------------------------------------------------------- facts about people


def test_payal(college: Graph) -> None:
    assert ask(college, "MATCH (s:Student {name: 'Payal'}) RETURN s.year, s.branch") == [(2, "CSE")]
    assert ask(
        college,
        "MATCH (:Student {name: 'Payal'})-[m:MEMBER_OF]->(c:Club) RETURN c.name ORDER BY c.name",
    ) == ["Coding Club", "Debate Society"]


def test_payal_alone_is_in_more_than_one_club(college: Graph) -> None:
    assert ask(
        college,
        """
        MATCH (s:Student)-[:MEMBER_OF]->(c:Club)
        WITH s, count(c) AS clubs WHERE clubs > 1 RETURN s.name, clubs
        """,
    ) == [("Payal", 2)]


def test_no_club_is_empty_and_nobody_is_in_all(college: Graph) -> None:
    assert ask(college, "MATCH (c:Club) WHERE NOT (:Student)-[:MEMBER_OF]->(c) RETURN c.name") == []
    assert (
        ask(
            college,
            "MATCH (s:Student)-[:MEMBER_OF]->(c:Club) WITH s, count(c) AS n WHERE n = 3 RETURN s.name",
        )
        == []
    )


def test_aarav_and_payal_study_the_same_two_subjects(college: Graph) -> None:
    rows = ask(
        college,
        """
        MATCH (s:Student)-[:STUDIES]->(x:Subject) WHERE s.name IN ['Aarav', 'Payal']
        WITH s, x ORDER BY x.name
        RETURN s.name, collect(x.name) ORDER BY s.name
        """,
    )
    assert rows == [("Aarav", ["DBMS", "DSA"]), ("Payal", ["DBMS", "DSA"])]


def test_grades_in_dbms(college: Graph) -> None:
    grades = dict(
        ask(
            college,
            "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name, r.grade",
        )
    )
    assert grades["Payal"] == "A+"
    assert grades["Aarav"] == "A"
    others = [grade for name, grade in grades.items() if name not in ("Payal", "Aarav")]
    assert "B+" in others
    assert not {"A+", "A"} & set(others)


def test_every_grade_is_one_of_four(college: Graph) -> None:
    assert set(ask(college, "MATCH (:Student)-[r:STUDIES]->(:Subject) RETURN r.grade")) == {
        "A+",
        "A",
        "B+",
        "B",
    }


def test_machine_learning_is_rahuls_and_karans_alone(college: Graph) -> None:
    assert ask(
        college,
        """
        MATCH (s:Student)-[h:HAS_SKILL]->(:Skill {name: 'Machine Learning'})
        RETURN s.name, h.level ORDER BY s.name
        """,
    ) == [("Karan", "Intermediate"), ("Rahul", "Advanced")]


def test_all_levels_occur(college: Graph) -> None:
    assert set(ask(college, "MATCH ()-[h:HAS_SKILL]->() RETURN h.level")) == {
        "Beginner",
        "Intermediate",
        "Advanced",
    }


def test_there_is_somebody_and_something_with_nothing(college: Graph) -> None:
    """So that an OPTIONAL MATCH shows what a MATCH drops."""
    assert ask(college, "MATCH (s:Student) WHERE NOT (s)-[:MEMBER_OF]->(:Club) RETURN s.name") == ["Sneha"]
    assert ask(college, "MATCH (s:Student) WHERE NOT (s)-[:WORKS_ON]->(:Project) RETURN s.name") == ["Karan"]
    assert ask(college, "MATCH (k:Skill) WHERE NOT (:Student)-[:HAS_SKILL]->(k) RETURN k.name") == ["Docker"]
    assert len(ask(college, "MATCH (c:Concept) WHERE NOT (:Note)-[:EXPLAINS]->(c) RETURN c.id")) == 6


# --------------------------------------------------------------------------------- questions and their traps


def test_best_person_for_dbms_by_rank(college: Graph) -> None:
    assert ask(
        college,
        """
        MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'})
        RETURN s.name, r.grade
        ORDER BY CASE r.grade WHEN 'A+' THEN 0 WHEN 'A' THEN 1 WHEN 'B+' THEN 2 ELSE 3 END LIMIT 2
        """,
    ) == [("Payal", "A+"), ("Aarav", "A")]


@pytest.mark.parametrize(("direction", "wrong"), [("DESC", ("Sneha", "B+")), ("ASC", ("Aarav", "A"))])
def test_trap_grades_sorted_as_text_name_the_wrong_student(
    college: Graph, direction: str, wrong: tuple[str, str]
) -> None:
    assert ask(
        college,
        f"""
        MATCH (s:Student)-[r:STUDIES]->(:Subject {{name: 'DBMS'}})
        RETURN s.name, r.grade ORDER BY r.grade {direction} LIMIT 1
        """,
    ) == [wrong]


def test_teachers_for_machine_learning_by_rank_and_the_trap_of_text_order(college: Graph) -> None:
    query = "MATCH (s:Student)-[h:HAS_SKILL]->(:Skill {name: 'Machine Learning'}) RETURN s.name ORDER BY "
    rank = "CASE h.level WHEN 'Advanced' THEN 0 WHEN 'Intermediate' THEN 1 ELSE 2 END"
    assert ask(college, query + rank) == ["Rahul", "Karan"]
    assert ask(college, query + "h.level DESC") == ["Karan", "Rahul"]


def test_trap_the_abbreviation_ml_is_in_no_name(college: Graph) -> None:
    assert ask(college, "MATCH (n) WHERE toLower(n.name) CONTAINS 'ml' RETURN n.name") == []


def test_trap_os_finds_a_concept_and_not_the_subject(college: Graph) -> None:
    assert ask(college, "MATCH (n) WHERE toLower(n.name) CONTAINS 'os' RETURN n.name") == ["OSI Model"]


def test_trap_dbms_and_debate_taken_literally(college: Graph) -> None:
    literal = """
        MATCH (s:Student)-[:STUDIES]->(x:Subject), (s)-[:MEMBER_OF]->(c:Club)
        WHERE x.name = 'dbms' AND c.name = 'debate-ye'
        RETURN s.name
        """
    loose = """
        MATCH (s:Student)-[:STUDIES]->(x:Subject), (s)-[:MEMBER_OF]->(c:Club)
        WHERE toLower(x.name) CONTAINS 'dbms' AND toLower(c.name) CONTAINS 'debate'
        RETURN s.name
        """
    assert ask(college, literal) == []
    assert ask(college, loose) == ["Payal"]


def test_who_studies_the_same_subjects_as_payal(college: Graph) -> None:
    exactly = ask(
        college,
        """
        MATCH (p:Student {name: 'Payal'})-[:STUDIES]->(x:Subject)
        WITH p, count(x) AS hers
        MATCH (p)-[:STUDIES]->(both:Subject)<-[:STUDIES]-(s:Student) WHERE s <> p
        WITH s, hers, count(both) AS shared
        MATCH (s)-[:STUDIES]->(y:Subject)
        WITH s, hers, shared, count(y) AS theirs
        WHERE shared = hers AND theirs = hers
        RETURN s.name
        """,
    )
    assert exactly == ["Aarav"]
    at_least_one = ask(
        college,
        """
        MATCH (p:Student {name: 'Payal'})-[:STUDIES]->(:Subject)<-[:STUDIES]-(s:Student)
        WHERE s <> p RETURN DISTINCT s.name ORDER BY s.name
        """,
    )
    assert at_least_one == ["Aarav", "Rahul", "Sneha"]


def test_trap_a_middle_that_nobody_names_is_walked_once(college: Graph) -> None:
    """The engine joins the two hops into one: one row a pair of ends, however many ways lead from one to the
    other, and Payal comes back to herself over her own relationship."""
    unnamed = "MATCH (p:Student {name: 'Payal'})-[:STUDIES]->(:Subject)<-[:STUDIES]-(s:Student) "
    named = unnamed.replace("(:Subject)", "(x:Subject)")
    assert sorted(ask(college, unnamed + "RETURN s.name, count(*)")) == [
        ("Aarav", 1),
        ("Payal", 1),
        ("Rahul", 1),
        ("Sneha", 1),
    ]
    assert sorted(ask(college, named + "RETURN s.name, count(x)")) == [
        ("Aarav", 2),
        ("Payal", 2),
        ("Rahul", 1),
        ("Sneha", 1),
    ]


def test_trap_an_invented_label_is_no_error(college: Graph) -> None:
    assert ask(college, "MATCH (p:Program) RETURN p.name") == []


# ----------------------------------------------------------------------------------------- the learning path

PATHS = """
    MATCH (a:Concept {name: $from}), (b:Concept {name: $to})
    CALL algo.SPpaths({
        sourceNode: a, targetNode: b, relTypes: ['PREREQUISITE_FOR', 'INCLUDES'],
        relDirection: $direction, pathCount: $count
    }) YIELD path
    RETURN [n IN nodes(path) | n.name] AS names
"""


@pytest.mark.parametrize("direction", ["outgoing", "both"])
@pytest.mark.parametrize("count", [0, 1])  # 0: all shortest paths, so a tie would show
def test_one_shortest_path_leads_from_1nf_to_bcnf(college: Graph, direction: str, count: int) -> None:
    cypher = PATHS.replace("$direction", f"'{direction}'").replace("$count", str(count))
    assert ask(college, cypher, **{"from": "1NF", "to": "BCNF"}) == [["1NF", "2NF", "3NF", "BCNF"]]


def test_no_other_path_of_three_hops_or_fewer_in_any_direction(college: Graph) -> None:
    rows = ask(
        college,
        """
        MATCH path = (:Concept {name: '1NF'})-[:PREREQUISITE_FOR|INCLUDES*1..3]-(:Concept {name: 'BCNF'})
        RETURN [n IN nodes(path) | n.name]
        """,
    )
    assert rows == [["1NF", "2NF", "3NF", "BCNF"]]


def test_trap_backwards_works_only_when_direction_is_both(college: Graph) -> None:
    cypher = PATHS.replace("$count", "1")
    ends = {"from": "BCNF", "to": "1NF"}
    assert ask(college, cypher.replace("$direction", "'both'"), **ends) == [["BCNF", "3NF", "2NF", "1NF"]]
    assert ask(college, cypher.replace("$direction", "'outgoing'"), **ends) == []


def test_trap_a_path_in_both_directions_cuts_through_a_parent(college: Graph) -> None:
    cypher = PATHS.replace("$count", "1")
    ends = {"from": "HTTP", "to": "Routing"}
    assert ask(college, cypher.replace("$direction", "'both'"), **ends) == [["HTTP", "TCP/IP", "Routing"]]
    assert ask(college, cypher.replace("$direction", "'outgoing'"), **ends) == []


def test_normalization_includes_only_the_first_two_normal_forms(college: Graph) -> None:
    assert ask(
        college,
        "MATCH (:Concept {name: 'Normalization'})-[r]-(c:Concept) RETURN type(r), c.name ORDER BY c.name",
    ) == [("INCLUDES", "1NF"), ("INCLUDES", "2NF")]


def test_the_named_prerequisites_are_there(college: Graph) -> None:
    pairs = ask(college, "MATCH (a:Concept)-[:PREREQUISITE_FOR]->(b:Concept) RETURN a.id, b.id")
    assert {("C02", "C03"), ("C03", "C04"), ("C04", "C05"), ("C04", "C06"), ("C06", "C07")} <= set(pairs)


def test_some_prerequisites_cross_subjects(college: Graph) -> None:
    crossing = ask(
        college,
        """
        MATCH (s:Subject)-[:COVERS]->(a:Concept)-[:PREREQUISITE_FOR]->(b:Concept)<-[:COVERS]-(t:Subject)
        WHERE s <> t RETURN a.name, b.name
        """,
    )
    assert {("BST", "Indexing"), ("Graphs", "Transactions")} <= set(crossing)


@pytest.mark.parametrize("label", ["Subject", "Concept"])
def test_no_prerequisites_in_a_circle(college: Graph, label: str) -> None:
    assert ask(college, f"MATCH (c:{label})-[:PREREQUISITE_FOR*1..]->(c) RETURN c.name") == []


def test_no_parts_in_a_circle(college: Graph) -> None:
    assert ask(college, "MATCH (c:Concept)-[:INCLUDES*1..]->(c) RETURN c.name") == []


def test_no_two_concepts_are_joined_twice(college: Graph) -> None:
    """A pair that is joined by both types, or both ways, would make every path through it a tie."""
    rows = ask(
        college,
        """
        MATCH (a:Concept)-[r]-(b:Concept) WHERE a.id < b.id
        WITH a, b, count(r) AS ways WHERE ways > 1 RETURN a.id, b.id
        """,
    )
    assert rows == []


# ---------------------------------------------------------------------------------------- Aarav's next topics


def test_next_topics_outside_the_subject_that_they_start_in(college: Graph) -> None:
    rows = ask(
        college,
        """
        MATCH (:Student {name: 'Aarav'})-[:STUDIES]->(x:Subject)-[:COVERS]->(:Concept)
              -[:PREREQUISITE_FOR*1..2]->(next:Concept)
        WHERE NOT (x)-[:COVERS]->(next)
        RETURN DISTINCT next.id, next.name ORDER BY next.id
        """,
    )
    assert rows == [("C06", "Indexing"), ("C07", "Query Optimization"), ("C08", "Transactions")]


def test_trap_read_as_covered_by_none_of_his_subjects_the_answer_is_nothing(college: Graph) -> None:
    rows = ask(
        college,
        """
        MATCH (s:Student {name: 'Aarav'})-[:STUDIES]->(:Subject)-[:COVERS]->(:Concept)
              -[:PREREQUISITE_FOR*1..2]->(next:Concept)<-[:COVERS]-(x:Subject)
        WHERE NOT (s)-[:STUDIES]->(x)
        RETURN DISTINCT next.name
        """,
    )
    assert rows == []


def test_trap_a_flipped_arrow_loses_every_row(college: Graph) -> None:
    assert len(ask(college, "MATCH (s:Student)-[:STUDIES]->(x:Subject) RETURN s.name, x.name")) == 11
    assert ask(college, "MATCH (s:Student)<-[:STUDIES]-(x:Subject) RETURN s.name, x.name") == []
