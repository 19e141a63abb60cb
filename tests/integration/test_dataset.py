"""Loading and restoring the college on the real engine."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from course_lib.college.spec import GraphSpec, LayerError, NodeTable, Property, RelationshipTable
from course_lib.college.tables import CollegeTables, DataError, default_folder, read_tables

if TYPE_CHECKING:
    from course_lib.college.graph import Graph

pytestmark = pytest.mark.engine

BOTH = ("people", "knowledge")


def counts(pair: Any) -> tuple[int, int]:
    return pair.nodes, pair.relationships


@pytest.fixture(scope="module")
def right_checksum() -> str:
    """What a graph's checksum is that holds exactly the college, loaded into nothing."""
    from course_lib.college.dataset import load_college
    from course_lib.college.graph import open_graph

    graph = open_graph(name="dataset_reference")
    graph.delete()
    load_college(graph)
    checksum = graph.checksum()
    graph.delete()
    graph.close()
    return checksum


class Cut(Exception):  # noqa: N818 (it stands for a crash, not for an error of the course)
    """The process ended here."""


class Watched:
    """A real graph that counts what is written, and can end in the middle."""

    def __init__(self, graph: Graph, allowed: float = float("inf")) -> None:
        self._graph = graph
        self.writes = 0
        self.allowed = allowed

    def write(self, *args: Any, **more: Any) -> Any:
        if self.writes >= self.allowed:
            raise Cut
        self.writes += 1
        return self._graph.write(*args, **more)

    def delete(self) -> None:
        self.writes += 1
        self._graph.delete()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


# ---------------------------------------------------------------------------------- loading


def test_layers_one_after_the_other_and_all_of_it_twice(graph: Graph, right_checksum: str) -> None:
    from course_lib.college.dataset import load_college

    assert counts(load_college(graph, layers=("people",))) == (20, 39)
    assert counts(load_college(graph, layers=("knowledge",))) == (75, 132)
    assert graph.checksum() == right_checksum
    assert counts(load_college(graph)) == (75, 132)
    assert graph.checksum() == right_checksum


def test_knowledge_without_people_is_refused_before_anything_is_written(graph: Graph) -> None:
    from course_lib.college.dataset import load_college

    with pytest.raises(LayerError, match="Load 'people' first"):
        load_college(graph, layers=("knowledge",))
    assert counts(graph.size()) == (0, 0)


def test_an_unknown_layer(graph: Graph) -> None:
    from course_lib.college.dataset import load_college

    with pytest.raises(LayerError, match="'people', 'knowledge'"):
        load_college(graph, layers=("persons",))


def test_loading_changes_nothing_that_is_there(graph: Graph) -> None:
    from course_lib.college.dataset import load_college

    load_college(graph)
    graph.write("MATCH (s:Student {id: 'S01'}) SET s.name = 'Aarav Sharma', s.nickname = 'Ari'")
    graph.write("MATCH (:Student {id: 'S04'})-[r:STUDIES]->(:Subject {code: 'CS201'}) SET r.grade = 'A'")
    graph.write("CREATE (:Student {id: 'S99', name: 'Me'})-[:STUDIES]->(:Course {name: 'Graphs'})")
    before = graph.checksum()
    assert counts(load_college(graph)) == (77, 133)
    assert graph.checksum() == before


def test_loading_brings_back_what_was_taken_away(graph: Graph, right_checksum: str) -> None:
    from course_lib.college.dataset import load_college

    load_college(graph)
    graph.write("MATCH (s:Student {id: 'S01'}) REMOVE s.name")
    graph.write("MATCH (:Student {id: 'S04'})-[r:STUDIES]->() REMOVE r.grade")
    graph.write("MATCH (s:Student {id: 'S02'}) DETACH DELETE s")
    graph.write("MATCH (:Concept)-[r:INCLUDES]->() DELETE r")
    load_college(graph)
    assert graph.checksum() == right_checksum


def test_a_broken_folder_leaves_the_graph_as_it_was(graph: Graph, tmp_path: Path) -> None:
    from course_lib.college.dataset import load_college, restore_college

    load_college(graph, layers=("people",))
    graph.write("CREATE (:Mine)")
    before = graph.checksum()
    folder = Path(shutil.copytree(default_folder(), tmp_path / "college"))
    with (folder / "Concept_INCLUDES_Concept.csv").open("a", encoding="utf-8") as file:
        file.write("C01,C99\n")
    for load in (load_college, restore_college):
        with pytest.raises(DataError, match=r"Concept_INCLUDES_Concept\.csv, line 15.*'C99'"):
            load(graph, folder=folder)
        assert graph.checksum() == before


def test_a_folder_of_ones_own(graph: Graph, tmp_path: Path) -> None:
    from course_lib.college.dataset import load_college

    folder = Path(shutil.copytree(default_folder(), tmp_path / "college"))
    with (folder / "Club.csv").open("a", encoding="utf-8") as file:
        file.write("Chess Club,2026\n")
    assert counts(load_college(graph, folder=str(folder))) == (76, 132)


def test_a_note_may_look_like_cypher(graph: Graph) -> None:
    from course_lib.college.dataset import load_tables

    text = "Nice!'}) WITH n MATCH (s) DETACH DELETE s // \\\" $rows {} `x`"
    tables = read_tables()
    rows = dict(tables.rows) | {"Note": [{**n, "text": text} for n in tables["Note"]]}
    assert counts(load_tables(graph, CollegeTables(tables.spec, rows))) == (75, 132)
    assert list(graph.read("MATCH (n:Note) RETURN DISTINCT n.text")) == [(text,)]


@pytest.mark.parametrize("size", [1, 7, 5_000])
def test_the_size_of_the_batches_changes_nothing(graph: Graph, right_checksum: str, size: int) -> None:
    from course_lib.college.dataset import load_tables

    load_tables(graph, read_tables(), batch_size=size)
    assert graph.checksum() == right_checksum


def test_a_batch_of_nothing_is_refused(graph: Graph) -> None:
    from course_lib.college.dataset import load_tables

    with pytest.raises(ValueError, match="batch_size"):
        load_tables(graph, read_tables(), batch_size=0)


def test_row_by_row_gives_the_same_graph_with_a_query_for_each_row(graph: Graph, right_checksum: str) -> None:
    from course_lib.college.dataset import load_row_by_row, load_tables

    watched = Watched(graph)
    load_row_by_row(watched, read_tables())  # type: ignore[arg-type]
    assert graph.checksum() == right_checksum
    indexes = 7
    assert watched.writes == indexes + 75 + 132
    graph.delete()
    batched = Watched(graph)
    load_tables(batched, read_tables())  # type: ignore[arg-type]
    assert batched.writes == indexes + 18  # one query for each of the 7 labels and 11 patterns


def test_keys_are_looked_up_in_an_index(graph: Graph) -> None:
    from course_lib.college.dataset import load_college

    load_college(graph)
    for label, key in {"Student": "id", "Subject": "code", "Club": "name", "Concept": "id"}.items():
        plan = graph.explain(f"MATCH (n:{label} {{{key}: $key}}) RETURN n.name", {"key": "S01"})
        assert "Node By Index Scan" in plan


def test_tables_whose_relationships_point_to_nobody_are_noticed(graph: Graph) -> None:
    from course_lib.college.dataset import load_tables

    tables = read_tables(layers=("people",))
    rows = dict(tables.rows) | {"Student_FRIENDS_WITH_Student": [{"student": "S01", "friend": "S77"}]}
    with pytest.raises(DataError, match="1 relationships have no Student"):
        load_tables(graph, CollegeTables(tables.spec, rows))


# ---------------------------------------------------------------------------------- after a crash


def test_wherever_a_load_was_cut_off_a_rerun_mends_it(graph: Graph, right_checksum: str) -> None:
    from course_lib.college.dataset import load_college

    total = 7 + 18
    for allowed in range(0, total, 3):
        graph.delete()
        with pytest.raises(Cut):
            load_college(Watched(graph, allowed))  # type: ignore[arg-type]
        load_college(graph)
        assert graph.checksum() == right_checksum, f"cut off after {allowed} writes"


@pytest.mark.parametrize("allowed", [0, 3, 12, 20])
def test_wherever_a_restore_was_cut_off_a_rerun_mends_it(
    graph: Graph, right_checksum: str, allowed: int
) -> None:
    from course_lib.college.dataset import load_college, restore_college

    load_college(graph)
    graph.write("CREATE (:Mine)")
    with pytest.raises(Cut):
        restore_college(Watched(graph, allowed + 1))  # type: ignore[arg-type]
    restore_college(graph)
    assert graph.checksum() == right_checksum


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows, and no embedded engine")
def test_a_loader_that_was_killed_leaves_nothing_that_a_rerun_cannot_mend(graph: Graph) -> None:
    from course_lib.college.dataset import differs, load_tables
    from course_lib.college.generator import generate_college

    tables = generate_college(200, seed=5)
    code = (
        "from course_lib.college.dataset import load_row_by_row\n"
        "from course_lib.college.generator import generate_college\n"
        "from course_lib.college.graph import open_graph\n"
        f"load_row_by_row(open_graph(name={graph.name!r}), generate_college(200, seed=5))\n"
    )
    loader = subprocess.Popen([sys.executable, "-c", code])
    try:
        deadline = time.monotonic() + 60
        while graph.size().relationships < 50:
            assert time.monotonic() < deadline, "the loader wrote nothing in a minute"
            assert loader.poll() is None, "the loader ended before it could be killed"
    finally:
        loader.kill()
    assert loader.wait() == -signal.SIGKILL
    assert graph.size().relationships < tables.relationship_count()
    assert counts(load_tables(graph, tables)) == (tables.node_count(), tables.relationship_count())
    assert not differs(graph, tables)


# ---------------------------------------------------------------------------------- restoring

DAMAGE = {
    "a stranger": "CREATE (:Ghost)",
    "a stranger of a known label": "CREATE (:Student {id: 'S99'})",
    "a double": "CREATE (:Skill {name: 'SQL'})",
    "a changed name": "MATCH (s:Student {id: 'S01'}) SET s.name = 'X'",
    "a changed key": "MATCH (s:Student {id: 'S01'}) SET s.id = 'S10'",
    "a number as text": "MATCH (s:Student {id: 'S01'}) SET s.year = '2'",
    "a surplus property": "MATCH (s:Student {id: 'S01'}) SET s.nickname = 'X'",
    "a missing property": "MATCH (s:Student {id: 'S01'}) REMOVE s.branch",
    "a surplus label": "MATCH (s:Student {id: 'S01'}) SET s:Topper",
    "a missing label": "MATCH (s:Student {id: 'S01'}) REMOVE s:Student",
    "a missing node": "MATCH (s:Student {id: 'S01'}) DETACH DELETE s",
    "no nodes": "MATCH (n) DETACH DELETE n",
    "no relationships": "MATCH ()-[r]->() DELETE r",
    "a missing relationship": "MATCH (:Student {id: 'S01'})-[r:FRIENDS_WITH]->() DELETE r",
    "a relationship twice": (
        "MATCH (a:Student {id: 'S01'}), (b:Student {id: 'S02'}) CREATE (a)-[:FRIENDS_WITH]->(b)"
    ),
    "one relationship gone and another twice": (
        "MATCH (a:Student {id: 'S01'})-[r:FRIENDS_WITH]->(:Student {id: 'S03'}) DELETE r "
        "WITH a MATCH (b:Student {id: 'S02'}) CREATE (a)-[:FRIENDS_WITH]->(b)"
    ),
    "a flipped relationship": (
        "MATCH (a:Student {id: 'S01'})-[r:STUDIES]->(x:Subject {code: 'CS201'}) DELETE r "
        "CREATE (x)-[:STUDIES {semester: 4, grade: 'A'}]->(a)"
    ),
    "a changed grade": (
        "MATCH (:Student {id: 'S04'})-[r:STUDIES]->(:Subject {code: 'CS201'}) SET r.grade = 'A+'"
    ),
    "a stray property name": "MATCH (s:Student {id: 'S01'}) SET s.mood = 1 REMOVE s.mood",
    "a stray label": "CREATE (g:Ghost) DELETE g",
    "a surplus index": "CREATE INDEX FOR (s:Student) ON (s.name)",
    "a missing index": "DROP INDEX FOR (s:Student) ON (s.id)",
    "a vector index": (
        "CREATE VECTOR INDEX FOR (n:Note) ON (n.vector) OPTIONS {dimension: 3, similarityFunction: 'cosine'}"
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_restoring_makes_the_graph_exactly_the_college(graph: Graph, right_checksum: str, name: str) -> None:
    from course_lib.college.dataset import differs, load_college, restore_college

    load_college(graph)
    assert not differs(graph, read_tables())
    graph.write(DAMAGE[name])
    assert differs(graph, read_tables())
    assert counts(restore_college(graph)) == (75, 132)
    assert graph.checksum() == right_checksum
    assert not differs(graph, read_tables())


def test_restoring_a_graph_that_is_right_writes_nothing(graph: Graph) -> None:
    from course_lib.college.dataset import restore_college

    restore_college(graph)
    watched = Watched(graph)
    assert counts(restore_college(watched)) == (75, 132)  # type: ignore[arg-type]
    assert watched.writes == 0


def test_restoring_one_layer_takes_the_other_away(graph: Graph) -> None:
    from course_lib.college.dataset import restore_college

    assert counts(restore_college(graph)) == (75, 132)
    assert counts(restore_college(graph, layers=("people",))) == (20, 39)
    assert list(graph.read("CALL db.labels() YIELD label RETURN label ORDER BY label")) == [
        ("Club",),
        ("Project",),
        ("Skill",),
        ("Student",),
        ("Subject",),
    ]
    with pytest.raises(LayerError):
        restore_college(graph, layers=("knowledge",))
    assert counts(graph.size()) == (20, 39)


def test_restoring_a_graph_that_was_deleted(graph: Graph) -> None:
    from course_lib.college.dataset import restore_college

    graph.delete()
    assert counts(restore_college(graph)) == (75, 132)


def test_a_table_with_no_rows_is_restored_once(graph: Graph) -> None:
    from course_lib.college.dataset import differs, restore_tables

    tables = read_tables(layers=("people",))
    rows = dict(tables.rows) | {"Student_FRIENDS_WITH_Student": ()}
    without = CollegeTables(tables.spec, rows)
    restore_tables(graph, without)
    assert not differs(graph, without)


# ---------------------------------------------------------------------------------- other domains


def test_another_domain_declares_its_own_tables(graph: Graph, tmp_path: Path) -> None:
    from course_lib.college.dataset import differs, load_tables

    spec = GraphSpec(
        nodes=(
            NodeTable("Station", (Property("code"), Property("order", "integer", required=False)), "rail"),
            NodeTable("Line", (Property("name"),), "rail"),
        ),
        relationships=(
            # `order`, `end` and `match` are words of the query language too.
            RelationshipTable(
                "ON", "Station", "Line", "match", "end", "rail", (Property("order", "integer"),)
            ),
        ),
    )
    (tmp_path / "Station.csv").write_text("code,order\nA,1\nB,\n", encoding="utf-8")
    (tmp_path / "Line.csv").write_text("name\nBlue\n", encoding="utf-8")
    (tmp_path / "Station_ON_Line.csv").write_text("match,end,order\nA,Blue,1\nB,Blue,2\n", encoding="utf-8")
    tables = read_tables(tmp_path, spec)
    assert counts(load_tables(graph, tables)) == (3, 2)
    assert not differs(graph, tables)
    assert list(
        graph.read("MATCH (s:Station)-[r:ON]->(l:Line) RETURN s.code, s.`order`, r.`order` ORDER BY s.code")
    ) == [("A", 1, 1), ("B", None, 2)]


# ---------------------------------------------------------------------------------- generated colleges


def test_a_generated_college_loads_whole_and_twice(graph: Graph) -> None:
    from course_lib.college.dataset import differs, load_tables
    from course_lib.college.generator import generate_college

    tables = generate_college(60, seed=11)
    wanted = (tables.node_count(), tables.relationship_count())
    assert counts(load_tables(graph, tables)) == wanted
    assert counts(load_tables(graph, tables)) == wanted
    assert not differs(graph, tables)


def test_batches_are_at_least_five_times_faster_than_a_query_per_row() -> None:
    from course_lib.college.dataset import measure_loading
    from course_lib.college.generator import generate_college

    times = measure_loading(generate_college(120, seed=3), rounds=1)
    assert times.ratio >= 5, str(times)
    assert f"{times.ratio:.1f} times faster" in str(times)


def on_every_seed() -> Iterable[int]:
    return range(6)


@pytest.mark.parametrize("seed", on_every_seed())
def test_lucky_queries_go_wrong_on_a_varied_college(graph: Graph, seed: int) -> None:
    """Answers that hold on the shipped college by luck, or because they were typed in, must not hold here."""
    from course_lib.college.dataset import load_tables
    from course_lib.college.generator import vary_college

    load_tables(graph, vary_college(seed))
    best = {
        row[0]
        for row in graph.read(
            "MATCH (s:Student)-[r:STUDIES {grade: 'A+'}]->(:Subject {name: 'DBMS'}) RETURN s.name"
        )
    }
    query = "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name, r.grade ORDER BY "
    for order in ("r.grade DESC", "r.grade", "s.name", "s.name DESC", "s.id", "s.id DESC"):
        first = graph.read(query + order + " LIMIT 1")[0]
        assert first[0] not in best, order
    shipped = {"Aarav", "Payal", "Rahul", "Sneha", "Karan"}
    assert not shipped & {row[0] for row in graph.read("MATCH (s:Student) RETURN s.name")}
    skilled = "MATCH (s:Student)-[h:HAS_SKILL]->(:Skill {name: 'Machine Learning'}) RETURN h.level ORDER BY "
    assert graph.read(skilled + "h.level DESC LIMIT 1")[0][0] == "Intermediate"
    assert [row[0] for row in graph.read(skilled + "h.level")] != sorted(
        [row[0] for row in graph.read(skilled + "h.level")],
        key=["Advanced", "Intermediate", "Beginner"].index,
    )
    paths = graph.read(
        """
        MATCH (a:Concept {name: '1NF'}), (b:Concept {name: 'BCNF'})
        CALL algo.SPpaths({
            sourceNode: a, targetNode: b, relTypes: ['PREREQUISITE_FOR', 'INCLUDES'],
            relDirection: 'outgoing', pathCount: 0
        }) YIELD path
        RETURN [n IN nodes(path) | n.name]
        """
    )
    assert len(paths) == 1
    assert paths[0][0][0] == "1NF"
    assert paths[0][0][-1] == "BCNF"
