"""Checks on the real engine: scratch graphs, unseen colleges, lessons that are made whole again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from course_lib import lesson
from course_lib.classroom import session
from course_lib.classroom.functions import Case, FunctionCheck, judge_function
from course_lib.classroom.outcome import Outcome
from course_lib.classroom.queries import (
    TYPED_IN,
    ChangeCheck,
    NearMiss,
    Probe,
    QueryCheck,
    judge_change,
    judge_query,
    same_rows_as,
    without_strings,
    written,
)
from course_lib.classroom.room import Room, sweep
from course_lib.college.errors import ServerUnreachableError
from course_lib.college.graph import Counts, Graph, open_graph
from course_lib.settings import load_settings

pytestmark = pytest.mark.engine


@pytest.fixture
def room() -> Iterator[Room]:
    with Room(load_settings(), "people") as opened:
        yield opened


def exists(name: str) -> bool:
    graph = open_graph(name="looks_at_others")
    try:
        return bool(graph._link().owner("EXISTS", name))
    finally:
        graph.delete()
        graph.close()


# --------------------------------------------------------------------------------------------- the room


def test_a_room_leaves_nothing_behind_not_even_after_an_error() -> None:
    def fails() -> list[str]:
        with Room(load_settings(), "college") as opened:
            graphs = [opened.college(), opened.other_college(1), opened.graph()]
            assert [g.size().nodes > 0 for g in graphs] == [True, True, False]
            names.extend(g.name for g in graphs)
            assert all(exists(name) for name in names)
            raise RuntimeError("in the middle")

    names: list[str] = []
    with pytest.raises(RuntimeError):
        fails()
    assert len(set(names)) == 3
    assert not any(exists(name) for name in names)


def test_layers_are_those_of_the_lesson(room: Room) -> None:
    assert room.college().size() == Counts(20, 39)
    assert room.college(("people", "knowledge")).size() == Counts(75, 132)


def test_another_college_is_the_same_for_a_seed_and_different_from_ours(room: Room) -> None:
    ours, one, again, two = (
        room.college(),
        room.other_college(1),
        room.other_college(1),
        room.other_college(2),
    )
    assert one.checksum() == again.checksum()
    assert len({g.checksum() for g in (ours, one, two)}) == 3
    kept = room.other_college(1, keep=("Payal",))
    assert len(kept.read("MATCH (s:Student {name: 'Payal'}) RETURN s.id")) == 1


def test_a_college_to_read_is_kept_and_made_anew_when_it_was_changed(room: Room) -> None:
    kept = room.college_to_read()
    with Room(load_settings(), "people") as another:
        assert another.college_to_read().name == kept.name
        assert another.college_to_read(("people", "knowledge")).name != kept.name
        assert another.other_college_to_read(1).name == another.other_college_to_read(1).name
    assert exists(kept.name), "it outlives the room"
    whole = kept.checksum()
    kept.write("MATCH (s:Student {name: 'Payal'}) SET s.year = 4")
    mended = room.college_to_read()
    assert mended.name != kept.name
    assert mended.checksum() == whole
    mended.delete()
    assert room.college_to_read().checksum() == whole


KILLED = """
import sys
from course_lib.classroom.room import Room
from course_lib.settings import load_settings
room = Room(load_settings(), "people")
print(room.college().name, room.graph().name, room.college_to_read().name, flush=True)
sys.stdin.readline()
"""


def test_what_a_killed_kernel_left_is_swept_and_a_living_ones_is_not(room: Room) -> None:
    mine = room.college().name
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    left = process.stdout.readline().split()
    assert len(left) == 3
    home = load_settings().home
    assert sweep(home) == 0
    assert all(exists(name) for name in left)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert sweep(home) == 3
    assert not any(exists(name) for name in left)
    assert exists(mine)


# -------------------------------------------------------------------------------------------- lessons


@pytest.fixture
def fresh_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(session, "_memory", session._Memory())
    monkeypatch.setattr(session, "_books", {})
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("fresh_kernel")
def test_a_lesson_restores_its_own_graph_whatever_was_done_to_it(capfd: pytest.CaptureFixture[str]) -> None:
    college = lesson.start("00")
    assert college is not None
    assert college.size() == Counts(20, 39)
    whole = college.checksum()
    for damage in (
        "MATCH (n) DETACH DELETE n",
        "MATCH (s:Student {name: 'Payal'})-[r:STUDIES]->() SET r.grade = 'B'",
        "CREATE (:Student {id: 'S99', name: 'Nobody'}), (:Planet)",
        "MATCH (s:Student) REMOVE s.year",
        "MATCH (s:Student {id: 'S01'}) CREATE (s)-[:FRIENDS_WITH]->(s)",
    ):
        college.write(damage)
        again = lesson.start("00")
        assert again is not None
        assert again.checksum() == whole
        assert college.checksum() == whole, "the learner's older variable sees the same graph"
    college.delete()
    assert lesson.start("00").checksum() == whole  # type: ignore[union-attr]
    out, err = capfd.readouterr()
    assert set(out.splitlines()) == {
        "Lesson 00 · Start here. Your own graph is ready: 20 nodes, 39 relationships."
    }
    assert err == ""


@pytest.mark.usefixtures("fresh_kernel")
def test_lessons_out_of_order_have_graphs_of_their_own() -> None:
    third, zeroth = lesson.start("03"), lesson.start("0")
    assert third is not None
    assert zeroth is not None
    assert third.size() == Counts(0, 0)
    third.write("CREATE (:Student {id: 'S01'})")
    assert zeroth.size() == Counts(20, 39)
    lesson.start("03")
    assert third.size() == Counts(0, 0)


@pytest.mark.usefixtures("fresh_kernel")
def test_a_whole_lesson_starts_over(capfd: pytest.CaptureFixture[str]) -> None:
    college = lesson.start("00")
    assert college is not None
    lesson.check("00.1", 4)
    lesson.check("00.2", "MATCH (c:Club) RETURN c.name, c.founded")
    college.write("MATCH (n) DETACH DELETE n")
    lesson.reset()
    assert college.size() == Counts(20, 39)
    out = capfd.readouterr().out
    assert "Lesson 00 · Start here starts over" in out
    assert "20 nodes, 39 relationships" in out
    assert session.progress_book().entries() == {}
    lesson.progress()
    assert "0 of 3" in capfd.readouterr().out


@pytest.mark.usefixtures("fresh_kernel")
def test_a_lesson_that_is_whole_starts_at_once() -> None:
    lesson.start("00")
    began = time.perf_counter()
    lesson.start("00")
    assert time.perf_counter() - began < 0.5


@pytest.mark.usefixtures("fresh_kernel")
def test_learners_on_one_server_have_graphs_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FALKORDB_URL", "falkor://graphs.example:6379")
    names = []
    for learner in ("one", "two"):
        monkeypatch.setenv("COURSE_DIR", str(tmp_path / learner))
        names += [
            session._graph_name(session.load_manifest().lesson("00"), load_settings()) for _ in range(2)
        ]
    assert names[0] == names[1]
    assert names[2] == names[3]
    assert names[0] != names[2]


STARTS = """
from course_lib import lesson
import sys
print("ready", flush=True)
sys.stdin.readline()
for _ in range(5):
    college = lesson.start("00")
    assert str(college.size()) == "20 nodes, 39 relationships", college.size()
    college.write("MATCH (s:Student) SET s.year = 9")
"""


def test_two_notebooks_may_start_the_same_lesson_at_once() -> None:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    kernels = [subprocess.Popen([sys.executable, "-c", STARTS], text=True, **pipes) for _ in range(2)]
    for kernel in kernels:
        assert kernel.stdout.readline() == "ready\n"
    for kernel in kernels:
        kernel.stdin.write("go\n")
        kernel.stdin.flush()
    for kernel in kernels:
        _, errors = kernel.communicate(timeout=60)
        assert errors == ""
        assert kernel.returncode == 0


@pytest.mark.usefixtures("fresh_kernel")
def test_without_an_engine_the_error_has_a_name_and_the_rest_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("FALKORDB_URL", f"falkor://127.0.0.1:{port}")
    with pytest.raises(ServerUnreachableError):
        lesson.start("00")
    with pytest.raises(ServerUnreachableError):
        lesson.check("00.2", "MATCH (c:Club) RETURN c.name, c.founded")
    assert lesson.check("00.1", 4).right
    assert session.progress_book().entry("00.2").attempts == 0


# -------------------------------------------------------------------------------------------- queries

GRADES = QueryCheck(
    reference="MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) RETURN s.name, r.grade, "
    "CASE r.grade WHEN 'A+' THEN 0 WHEN 'A' THEN 1 WHEN 'B+' THEN 2 WHEN 'B' THEN 3 ELSE 4 END AS _rank "
    "ORDER BY _rank",
    learnt="A grade needs a rank.",
    ordered=True,
    extra_columns=True,
    near_misses=(
        NearMiss(
            same_rows_as(
                "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) "
                "RETURN s.name, r.grade ORDER BY r.grade DESC",
                ordered=True,
            ),
            "Sorted as text.",
            near=False,
        ),
        NearMiss(written(r"\blimit\b"), "Who is next?"),
    ),
)
DBMS = "MATCH (s:Student)-[r:STUDIES]->(:Subject {name: 'DBMS'}) "


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        (
            DBMS + "WITH s.name AS who, r.grade AS g, s.year AS y "
            "RETURN who, g, y ORDER BY CASE g WHEN 'A+' THEN 4 WHEN 'A' THEN 3 WHEN 'B+' THEN 2 "
            "WHEN 'B' THEN 1 ELSE 0 END DESC",
            "right",
            "A grade needs a rank.",
        ),
        (DBMS + "RETURN s.name, r.grade ORDER BY r.grade DESC", "wrong", "Sorted as text."),
        (DBMS + "RETURN s.name, r.grade ORDER BY r.grade = 'A+' DESC LIMIT 1", "nearly", "Who is next?"),
        (DBMS + "RETURN s.name, r.grade, s.year LIMIT 0", "nearly", "Who is next?"),
        ("MATCH (s:Student) SET s.year = 9 RETURN s.name, s.year", "wrong", "Your query writes"),
        (DBMS + "RETURN s.name, x.grade", "wrong", "could not run your query"),
        (DBMS + "RETURN s.name, $grade", "wrong", "parameter"),
        ("MATCH (a), (b), (c), (d), (e), (f), (g) RETURN count(*)", "wrong", "was stopped"),
        ("RETURN 1; RETURN 2", "wrong", "could not run your query"),
        ("// nothing", "wrong", "could not run your query"),
    ],
)
def test_queries_are_judged_by_their_rows(
    room: Room, query: str, status: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_QUERY_TIMEOUT_MS", "400")
    outcome = judge_query(query, room, GRADES)
    assert says in outcome.message
    assert outcome.status == status


def typed_in(graph: Graph) -> str:
    rows = graph.read(GRADES.reference)
    return "UNWIND [" + ", ".join(f"['{n}', '{g}']" for n, g, _ in rows) + "] AS r RETURN r[0], r[1]"


def test_typed_in_rows_are_noticed_and_values_that_differ_by_luck_too(room: Room) -> None:
    outcome = judge_query(typed_in(room.college()), room, GRADES)
    assert outcome == Outcome("wrong", TYPED_IN, outcome.yours)
    assert len(outcome.yours) == len(room.college().read(GRADES.reference))
    lucky = DBMS + "RETURN s.name, r.grade ORDER BY s.name = 'Payal' DESC, r.grade"
    assert judge_query(lucky, room, GRADES).status == "nearly"


def test_other_things_than_a_query_are_told_what_is_wanted(room: Room) -> None:
    rows = room.college().read(GRADES.reference)
    assert "You handed in the rows" in judge_query(rows, room, GRADES).message
    assert "a function" in judge_query(typed_in, room, GRADES).message
    assert "not a int" in judge_query(3, room, GRADES).message


def test_twists_change_facts_about_the_same_people(room: Room) -> None:
    check = QueryCheck(
        reference="MATCH (s:Student {name: 'Payal'}) RETURN s.year",
        learnt="x",
        seeds=(),
        twists=("MATCH (s:Student {name: 'Payal'}) SET s.year = 4",),
    )
    assert judge_query("MATCH (s {name: 'Payal'}) RETURN s.year AS y", room, check).status == "right"
    assert judge_query("RETURN 2", room, check).message == TYPED_IN


PAYAL = "MATCH (s:Student {name: 'Payal'}) RETURN s.year"


@pytest.mark.parametrize(
    ("where", "says", "message"),
    [
        ("both", "The year is wrong.", "Right on this college. On another one: the year is wrong."),
        ("both", "A year is wrong.", "Right on this college. On another one: a year is wrong."),
        ("both", "Payal is older.", "Right on this college. On another one: Payal is older."),
        ("both", "`year` is wrong.", "Right on this college. On another one: `year` is wrong."),
        ("both", "Right on this college, by luck.", "Right on this college, by luck."),
        ("elsewhere", "Elsewhere Payal is older.", "Elsewhere Payal is older."),
        ("here", "Look at your rows.", "Right on this college. On another one: none of your rows"),
    ],
)
def test_a_near_miss_never_speaks_of_rows_that_the_learner_does_not_see(
    room: Room, where: Any, says: str, message: str
) -> None:
    check = QueryCheck(
        reference=PAYAL,
        learnt="x",
        seeds=(),
        twists=("MATCH (s:Student {name: 'Payal'}) SET s.year = 4",),
        near_misses=(NearMiss(lambda _attempt: True, says, where=where),),
    )
    lucky = "MATCH (s:Student {name: 'Payal'}) RETURN CASE s.year WHEN 4 THEN 0 ELSE s.year END"
    outcome = judge_query(lucky, room, check)
    assert outcome.status == "nearly"
    assert outcome.message.startswith(message)
    assert list(outcome.yours) == list(room.college().read(PAYAL))
    assert outcome.heading == "Your rows, on this college"
    here = judge_query("MATCH (s:Student {name: 'Payal'}) RETURN s.name", room, check)
    assert (here.message == says) is (where != "elsewhere")


CLUBS = QueryCheck(
    reference="MATCH (s:Student)-[:MEMBER_OF]->(c:Club) RETURN s.name, c.founded",
    learnt="x",
    near_misses=(NearMiss(lambda _attempt: True, "Something else."),),
)


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        (
            "MATCH (s:Students)-[:MEMBER_OF]->(c:Club) RETURN s.name, c.founded",
            "nearly",
            "no label `Students`",
        ),
        ("MATCH (s:Person)-[:MEMBER_OF]->(c:Club) RETURN s.name, c.founded", "wrong", "no label `Person`"),
        (
            "MATCH (s)-[m:STUDIES|Member_of]->(c) WHERE c:Klub RETURN s.name, c.founded",
            "nearly",
            "`Member_of`",
        ),
        ("MATCH (s) WHERE s:Klub RETURN s.name, s.founded", "nearly", "no label `Klub`"),
        ("MATCH (s)-[:HAS*1..2]->(c:Club) RETURN s.name, c.founded", "wrong", "no relationship type `HAS`"),
        ("MATCH (s {nam: 'Payal'})--(c:Club) RETURN s.name, c.founded", "nearly", "a property `nam`"),
        ("MATCH (s:Student)--(c:Club) RETURN s.name, c.since_when", "wrong", "a property `since_when`"),
        ("MATCH (s:Student)--(c:Clubb) RETURN 0, count(c)", "nearly", "no label `Clubb`"),
        # Nothing here is misspelt, whatever stands in strings, comments, maps and other names.
        ("MATCH (s:Student) WHERE s.name = ':Klub' RETURN s.name, 1 // (:Klub)", "nearly", "Something else."),
        ("UNWIND [{a: 1}] AS row RETURN row.b, {x: 1, y: row.z}", "nearly", "Something else."),
        (
            "MATCH (c:Club)-[:MEMBER_OF]->(s) RETURN c.name, collect({who: s.name})",
            "nearly",
            "Something else.",
        ),
        (
            "MATCH (s:Student)-[m:MEMBER_OF {role: 'x'}]->(c:`Club`) RETURN s.name, c",
            "nearly",
            "Something else.",
        ),
    ],
)
def test_a_name_that_the_graph_does_not_know_is_named_first(
    room: Room, query: str, status: str, says: str
) -> None:
    outcome = judge_query(query, room, CLUBS)
    assert says in outcome.message
    assert outcome.status == status


@pytest.mark.parametrize(
    ("query", "says"),
    [
        (
            "MATCH (c:Club)\n\tWHERE c.name != 'x'\nRETURN c",
            "It says: Invalid input '!' (line 2, column 15).\n"
            "    WHERE c.name != 'x'\n                 ^\nNot equal is written `<>`.",
        ),
        (
            "MATCH (n) RETRUN n",
            "Invalid input 'R', expected RETURN (line 1, column 14).\n    MATCH (n) RETRUN n\n",
        ),
        ("RETURN x.name", "It says: 'x' not defined"),
    ],
)
def test_the_engines_words_are_cut_to_what_helps(room: Room, query: str, says: str) -> None:
    message = judge_query(query, room, CLUBS).message
    assert says in message
    assert len(message) < 300


@pytest.mark.parametrize("before", [0, 30, 200])
def test_the_caret_stands_below_the_slip_however_long_the_line(room: Room, before: int) -> None:
    query = f"MATCH (c:Club) RETURN c.{'a' * before}é AS b WHERE 1 = 1"
    shown = [line for line in judge_query(query, room, CLUBS).message.splitlines() if line.startswith("    ")]
    assert len(shown) == 2
    slip, caret = shown
    assert slip[caret.index("^")] in query
    assert len(slip) <= 80


def test_words_inside_strings_and_comments_do_not_count() -> None:
    text = without_strings("MATCH (n {x: 'LIMIT \\' 1'}) /* LIMIT */ RETURN n.`LIMIT` // LIMIT\n, \"LIMIT\"")
    assert text.count("LIMIT") == 1


def test_a_query_that_deletes_does_not_reach_the_lessons_graph(fresh_kernel: None) -> None:
    college = lesson.start("00")
    assert college is not None
    assert lesson.check("00.2", "MATCH (n) DETACH DELETE n").status == "wrong"
    assert college.size() == Counts(20, 39)


# -------------------------------------------------------------------------------------------- changes

MEMBER = ChangeCheck(
    reference="MATCH (s:Student {id: $id}) MATCH (c:Club {name: $club}) MERGE (s)-[:MEMBER_OF]->(c)",
    params=({"id": "S05", "club": "Robotics Club"}, {"id": "S05", "club": "Robotics Club"}),
    probes=(
        Probe("MATCH (n) RETURN count(n)", "There are nodes now that were not there before."),
        Probe("MATCH (:Student)-[m:MEMBER_OF]->(c:Club) RETURN c.name, count(m)", "Twice.", near=True),
    ),
    learnt="MERGE.",
)
ENDS = "MATCH (s:Student {id: $id}) MATCH (c:Club {name: $club}) "


@pytest.mark.parametrize(
    ("query", "status", "says"),
    [
        (ENDS + "MERGE (c)<-[:MEMBER_OF]-(s) RETURN s.name", "right", "MERGE."),
        (ENDS + "CREATE (s)-[:MEMBER_OF]->(c)", "nearly", "Twice."),
        ("MERGE (s:Student {id: $id})-[:MEMBER_OF]->(c:Club {name: $club})", "wrong", "not there before"),
        ("MERGE (s:Student {id: 'S05'})", "wrong", "It is run with: $id, $club"),
        (ENDS + "MERGE (s)-[:$club]->(c)", "wrong", "could not run"),
        (3, "wrong", "Hand in a query"),
    ],
)
def test_changes_are_judged_by_what_stands_in_the_graph(
    room: Room, query: Any, status: str, says: str
) -> None:
    outcome = judge_change(query, room, MEMBER)
    assert says in outcome.message
    assert outcome.status == status


def test_a_function_is_judged_by_what_it_did_to_a_graph(room: Room) -> None:
    def one_student(value: Any, args: tuple[Any, ...]) -> str | None:
        return None if args[0].size().nodes == 1 else "There should be one student."

    check = FunctionCheck(
        cases=(Case(lambda r: (r.graph(), "O'Hara"), judge=one_student),),
        learnt="x",
        finished=("course_lib.college.dataset:load_college",),
    )

    def mine(graph: Graph, name: str) -> None:
        graph.write("MERGE (:Student {name: $name})", {"name": name})

    def by_text(graph: Graph, name: str) -> None:
        graph.write(f"MERGE (:Student {{name: '{name}'}})")

    def nothing(graph: Graph, name: str) -> None:
        return None

    assert judge_function(mine, room, check).status == "right"
    assert "Line 2 of your `by_text` raised QueryError" in judge_function(by_text, room, check).message
    assert judge_function(nothing, room, check).message == "There should be one student."


# ------------------------------------------------------------------------------------- in a real kernel

CELLS = [
    "from course_lib import lesson\ncollege = lesson.start('00')",
    "lesson.check('00.1', 7)",
    "lesson.check('00.1', 7); lesson.check('00.1', 4)\nlesson.check('00.1', 3)",
    "outcome = lesson.check('00.2', 'MATCH (s:Student) RETURN s.name')",
    "outcome",
    "lesson.hint()",
    "lesson.progress()",
    "def loop():\n    while True:\n        pass\nfrom course_lib.classroom.deadline import call\n"
    "call(loop, seconds=0.2).late",
]


def test_in_a_kernel_each_check_shows_once_in_both_faces_and_nothing_goes_to_stderr(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    client = NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    outputs = [cell.outputs for cell in notebook.cells]
    assert all(
        output.output_type != "stream" or output.name == "stdout" for some in outputs for output in some
    )
    assert [len(some) for some in outputs] == [1, 1, 3, 1, 1, 1, 1, 1]
    for some in outputs[1:7]:
        for output in some:
            assert output.output_type == "display_data"
            assert set(output.data) == {"text/plain", "text/html"}
            assert len(output.data["text/html"]) < 5_000
    assert "✗ wrong" in outputs[4][0].data["text/plain"]
    assert outputs[7][0].data["text/plain"] == "True"


def test_an_interrupt_ends_a_check_and_stops_the_learners_function(tmp_path: Path) -> None:
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel(cwd=str(tmp_path), env={**os.environ}, startup_timeout=60)
    try:
        code = (
            "import threading\nfrom course_lib.classroom.deadline import call\n"
            "def loop():\n    print('in it', file=real, flush=True)\n    while True:\n        pass\n"
            "import sys; real = sys.stdout\ncall(loop, seconds=60)"
        )
        request = client.execute(code)
        said = ""
        while "in it" not in said:
            message = client.get_iopub_msg(timeout=60)
            said += message["content"].get("text", "") if message["msg_type"] == "stream" else ""
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=30)
        while reply["parent_header"].get("msg_id") != request:
            reply = client.get_shell_msg(timeout=30)
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        after = client.execute_interactive(
            "for t in threading.enumerate():\n    if t.name.startswith('a learner'):\n        t.join(5)\n"
            "assert not [t for t in threading.enumerate() if t.name.startswith('a learner')]",
            timeout=30,
        )
        assert after["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
