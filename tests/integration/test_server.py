"""The embedded server's life, on real processes: shared, kept, restarted, ended; nothing lost or left."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from course_lib.college import server as server_module
from course_lib.college.errors import EngineUnavailableError, ServerLostError
from course_lib.college.graph import Graph, open_graph
from course_lib.college.server import Endpoint, ensure_server, release_server
from tests.conftest import processes_of, wait_until
from tests.integration.conftest import Home, ask, hear

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(os.name == "nt", reason="the embedded server does not run on Windows"),
]

Homes = Callable[..., Home]


def is_alive(pid: int) -> bool:
    """Whether a process runs; one whose last thread has ended and that waits to be collected does not."""
    if not Path("/proc/self/stat").exists():
        return subprocess.run(["ps", "-p", str(pid)], capture_output=True, check=False).returncode == 0
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z" or len(list(Path(f"/proc/{pid}/task").iterdir())) > 1
    except OSError:
        return False


def answers(endpoint: Endpoint) -> bool:
    """Whether a server says PONG at its socket."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(endpoint.socket))
            line.sendall(b"PING\r\n")
            return line.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def servers_of(home: Home) -> list[str]:
    """The running servers of a course folder, their supervisor left out."""
    return [line for line in processes_of(home.path) if "supervisor.py" not in line and "redis" in line]


def kill_server(home: Home) -> None:
    """Starts the server where there is none, kills it, and waits until it is dead."""
    pid = ensure_server(home.settings).pid
    assert pid
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(pid), "the server is dead")


def graph_of(home: Home, name: str = "scratch") -> Graph:
    return open_graph(name=name, settings=home.settings)


# -- sharing and ending -----------------------------------------------------------------------------------


def test_two_processes_share_one_server_and_the_last_one_ends_it(home: Home) -> None:
    first, found_by_first = home.holder()
    second, found_by_second = home.holder()
    assert found_by_first == found_by_second

    first.communicate()
    assert ask(second, "__import__('os').path.exists(found.socket)")
    assert is_alive(found_by_second["pid"])

    second.communicate()
    wait_until(home.is_quiet, "server and supervisor have ended")
    assert not list(home.server_folder.glob("*.sock"))


def test_a_killed_holder_takes_the_server_with_it(home: Home) -> None:
    child, _ = home.holder()
    child.kill()
    wait_until(home.is_quiet, "server and supervisor have ended after a SIGKILL")


def test_all_holders_killed_at_once_leave_nothing(home: Home) -> None:
    children = [home.holder()[0] for _ in range(3)]
    for child in children:
        child.kill()
    wait_until(home.is_quiet, "server and supervisor have ended")


def test_a_holder_that_outlives_a_killed_one_keeps_its_server(home: Home) -> None:
    killed, found = home.holder()
    kept, _ = home.holder()
    killed.kill()
    killed.wait()
    assert ask(kept, "ensure_server().pid") == found["pid"]


def test_thirty_processes_at_once_get_one_server(home: Home) -> None:
    children = [home.start() for _ in range(30)]
    found = [hear(child) for child in children]

    assert len({one["pid"] for one in found}) == 1
    assert len(servers_of(home)) == 1
    for child in children:
        child.kill()
    wait_until(home.is_quiet, "server and supervisor have ended")


@pytest.mark.parametrize("long", [False, True])
def test_a_process_that_comes_while_the_server_ends_gets_a_living_one(
    make_home: Homes, tmp_path: Path, long: bool
) -> None:
    # With a long path the sockets have a folder of their own, which goes with the server.
    home = make_home(tmp_path / ("long-" * 25)) if long else make_home()
    seen = set()
    for turn in range(8):
        endpoint = ensure_server(home.settings)
        assert endpoint.socket is not None
        assert answers(endpoint)
        seen.add(endpoint.pid)
        release_server(home.settings)
        if turn % 2:
            # Its door is closed and it is about to end: the next one has to wait for that.
            door = endpoint.socket.with_name("control.sock")
            wait_until(lambda door=door: not door.exists(), "the supervisor has closed its door")  # type: ignore[misc]
    assert len(seen) >= 4


def test_data_is_there_again_on_the_next_day(home: Home) -> None:
    graph_of(home).write("CREATE (:Student {name: 'Payal'})")
    release_server(home.settings)
    wait_until(home.is_quiet, "the server has ended")

    assert graph_of(home).read("MATCH (s:Student) RETURN s.name") == [("Payal",)]


def test_an_interrupt_of_the_process_group_reaches_neither_server_nor_supervisor(home: Home) -> None:
    code = """
import json, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are born without it
from course_lib.college.server import ensure_server
found = ensure_server()
try:
    print(json.dumps(found.pid), flush=True)
    sys.stdin.readline()
except KeyboardInterrupt:
    print(json.dumps("interrupted"), flush=True)
print(json.dumps(ensure_server().pid), flush=True)
sys.stdin.read()
"""
    child = home.start(code, start_new_session=True)
    pid = hear(child)
    os.killpg(child.pid, signal.SIGINT)

    assert hear(child) == "interrupted"
    assert hear(child) == pid
    assert is_alive(pid)


def test_an_interrupt_while_the_server_starts_does_no_harm(home: Home, monkeypatch: Any) -> None:
    def interrupted(self: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(server_module._Holder, "wait_until_listening", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ensure_server(home.settings)
    wait_until(home.is_quiet, "the supervisor that nobody waited for has ended")
    assert answers(ensure_server(home.settings))


# -- forks ------------------------------------------------------------------------------------------------


def _write_in_child(home: Home, graph: Graph) -> None:
    graph.write("CREATE (:FromChild)")
    assert ensure_server(home.settings).pid


def test_a_forked_child_can_use_the_graph_it_was_given(home: Home) -> None:
    graph = graph_of(home)
    graph.write("CREATE (:FromParent)")
    child = multiprocessing.get_context("fork").Process(target=_write_in_child, args=(home, graph))
    child.start()
    child.join(30)

    assert child.exitcode == 0
    graph.write("CREATE (:FromParentAgain)")
    assert graph.size().nodes == 3


def test_a_forked_child_that_needs_no_graph_does_not_keep_the_server(home: Home) -> None:
    ensure_server(home.settings)
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:  # pragma: no cover - the child
        os.close(write_end)
        os.read(read_end, 1)  # lives until the parent closes its end
        os._exit(0)
    os.close(read_end)
    try:
        release_server(home.settings)
        wait_until(home.is_quiet, "the server has ended although the child lives")
        assert is_alive(pid)
    finally:
        os.close(write_end)
        os.waitpid(pid, 0)


# -- killed servers and supervisors -----------------------------------------------------------------------


def test_a_killed_server_comes_back_with_its_data_and_its_reader(home: Home) -> None:
    graph = graph_of(home)
    graph.write("CREATE (:Student {name: 'Payal'})")
    assert graph.read("MATCH (s) RETURN s.name") == [("Payal",)]
    before = home.recorded()["pid"]
    os.kill(before, signal.SIGKILL)

    assert graph.read("MATCH (s) RETURN s.name") == [("Payal",)]
    assert home.recorded()["pid"] != before


def test_a_write_after_a_kill_is_made_once(home: Home) -> None:
    graph = graph_of(home)
    pid = home.recorded()["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(pid), "the server is dead")

    graph.write("CREATE (:Once)")  # the connection is broken before anything is sent: it may be sent again
    assert graph.size().nodes == 1


def test_a_write_that_is_cut_off_says_that_it_may_have_been_made(home: Home) -> None:
    graph, other = graph_of(home), graph_of(home, "other")
    pid = home.recorded()["pid"]
    # A query that keeps the server busy for longer than it will live.
    slow = (
        "UNWIND range(1, 20000) AS x UNWIND range(1, 20000) AS y WITH x, y WHERE x + y = -1 "
        "CREATE (:Never {x: x})"
    )
    failure: list[BaseException] = []

    def run() -> None:
        try:
            graph.write(slow)
        except ServerLostError as error:
            failure.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: "Never" in str(other._link().owner("GRAPH.INFO")), "the query runs")
    os.kill(pid, signal.SIGKILL)
    thread.join(30)

    assert [error.may_have_been_applied for error in failure] == [True]  # type: ignore[attr-defined]
    assert graph.size().nodes == 0


@pytest.mark.parametrize("round_number", range(3))
def test_no_answered_write_is_lost_when_the_server_is_killed(home: Home, round_number: int) -> None:
    graph = graph_of(home)
    pid = home.recorded()["pid"]
    answered: list[int] = []
    enough = threading.Event()

    def write() -> None:
        number = 0
        while not enough.is_set():
            number += 1
            try:
                graph.write("CREATE (:Item {number: $number})", {"number": number})
            except ServerLostError:
                return
            answered.append(number)

    thread = threading.Thread(target=write)
    thread.start()
    wait_until(lambda: len(answered) > 300 + 100 * round_number, "a few hundred writes")
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not is_alive(pid), "the server is dead")
    enough.set()
    thread.join(30)

    stored = {row[0] for row in graph.read("MATCH (i:Item) RETURN i.number")}
    assert set(answered) <= stored


def test_a_killed_supervisor_takes_its_server_along_and_the_next_call_works(home: Home) -> None:
    graph = graph_of(home)
    graph.write("CREATE (:Student {name: 'Payal'})")
    before = home.recorded()
    os.kill(before["supervisor"], signal.SIGKILL)

    # The first of these may still be answered by a server that is about to end.
    assert graph.read("MATCH (s) RETURN s.name") == [("Payal",)]
    wait_until(lambda: not is_alive(before["pid"]), "the first server is gone")
    assert graph.read("MATCH (s) RETURN s.name") == [("Payal",)]
    assert len(servers_of(home)) == 1


def test_server_and_supervisor_killed_together(home: Home) -> None:
    graph = graph_of(home)
    graph.write("CREATE (:Student {name: 'Payal'})")
    before = home.recorded()
    os.kill(before["supervisor"], signal.SIGKILL)
    os.kill(before["pid"], signal.SIGKILL)

    assert graph.read("MATCH (s) RETURN s.name") == [("Payal",)]


def test_a_server_that_outlived_its_supervisor_is_ended_before_another_starts(home: Home) -> None:
    # Linux ends a server with its supervisor; elsewhere it stays, and the next start has to deal with it.
    import fcntl

    from course_lib.college.engine_check import engine_files

    graph_of(home).write("CREATE (:Student {name: 'Payal'})")
    release_server(home.settings)
    wait_until(home.is_quiet, "the server has ended")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    program, module = engine_files()
    orphan_socket = home.server_folder / "server-00000000.sock"
    with (home.server_folder / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        orphan = subprocess.Popen(
            [
                *(str(program), "--port", "0", "--unixsocket", str(orphan_socket), "--appendonly", "yes"),
                *("--save", "", "--appendfsync", "no", "--loadmodule", str(module)),
            ],
            cwd=home.server_folder / "data",
            pass_fds=[lock.fileno()],
            stdout=subprocess.DEVNULL,
        )
    record = {"pid": orphan.pid, "supervisor": gone.pid, "socket": str(orphan_socket)}
    (home.server_folder / "server.json").write_text(json.dumps(record))
    wait_until(lambda: answers(Endpoint(socket=orphan_socket)), "the orphan answers")

    assert graph_of(home).read("MATCH (s) RETURN s.name") == [("Payal",)]
    assert orphan.wait(20) == 0
    assert len(servers_of(home)) == 1


def test_an_interrupted_query_leaves_a_graph_that_works(home: Home) -> None:
    code = """
import json, sys
from course_lib.college.graph import open_graph
graph = open_graph(name="scratch")
slow = "UNWIND range(1, 20000) AS x UNWIND range(1, 20000) AS y WITH x, y WHERE x + y = -1 RETURN count(x)"
try:
    print(json.dumps("reading"), flush=True)
    graph.read(slow, timeout_ms=2000)
except KeyboardInterrupt:
    print(json.dumps("interrupted"), flush=True)
print(json.dumps(graph.read("RETURN 42").scalar()), flush=True)
"""
    child = home.start(code, start_new_session=True)
    assert hear(child) == "reading"
    os.killpg(child.pid, signal.SIGINT)
    assert hear(child) == "interrupted"
    assert hear(child) == 42


def test_a_terminated_supervisor_ends_its_server_in_good_order(home: Home) -> None:
    graph = graph_of(home)
    graph.write("CREATE (:Student {name: 'Payal'})")
    before = home.recorded()
    os.kill(before["supervisor"], signal.SIGTERM)
    wait_until(lambda: not is_alive(before["pid"]), "the server has ended")

    assert graph.read("MATCH (s) RETURN s.name") == [("Payal",)]


def test_a_server_that_keeps_dying_is_given_up_and_tried_again_when_asked(home: Home) -> None:
    for _ in range(6):
        kill_server(home)

    with pytest.raises(EngineUnavailableError, match="died several times") as caught:
        ensure_server(home.settings)
    assert "server.log" in caught.value.next_step
    assert answers(ensure_server(home.settings))


def test_the_folder_deleted_under_a_running_server(home: Home) -> None:
    import shutil

    graph = graph_of(home)
    before = home.recorded()
    shutil.rmtree(home.server_folder)
    wait_until(lambda: not is_alive(before["pid"]), "the server whose folder is gone has ended")

    graph.write("CREATE (:Student)")
    assert graph.size().nodes == 1
    assert (home.server_folder / "lock").exists()


# -- what lies in the folder ------------------------------------------------------------------------------


def test_folder_and_secret_are_for_this_user_only(home: Home) -> None:
    ensure_server(home.settings)
    assert stat.S_IMODE(home.server_folder.stat().st_mode) == 0o700
    for name in ("reader.secret", "lock", "server.log"):
        assert stat.S_IMODE((home.server_folder / name).stat().st_mode) & 0o077 == 0, name


def test_the_server_is_not_given_keys_and_passwords(home: Home, monkeypatch: Any) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-very-secret")
    endpoint = ensure_server(home.settings)
    environment = Path(f"/proc/{endpoint.pid}/environ")
    if not environment.exists():
        pytest.skip("needs /proc to look at another process's environment")
    assert b"very-secret" not in environment.read_bytes()


def test_stale_files_of_a_crashed_machine_are_no_hindrance(home: Home) -> None:
    folder = home.server_folder
    folder.mkdir(mode=0o755)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(folder / "control.sock"))  # closed without being removed, as by a power cut
    (folder / "server-0badcafe.sock").touch()
    (folder / "lock").write_text("old")
    (folder / "start.lock").touch()
    (folder / "server.json").write_text(json.dumps({"pid": 1, "supervisor": 1, "socket": "/nowhere"}))

    assert answers(ensure_server(home.settings))
    assert not (folder / "server-0badcafe.sock").exists()


def test_a_torn_record_is_no_hindrance(home: Home) -> None:
    home.server_folder.mkdir()
    (home.server_folder / "server.json").write_text('{"pid": 12')
    assert answers(ensure_server(home.settings))


def test_a_folder_locked_by_a_stranger_is_named(home: Home, monkeypatch: Any) -> None:
    import fcntl

    monkeypatch.setattr(server_module, "LOCK_SECONDS", 0.3)
    home.server_folder.mkdir()
    with (home.server_folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(EngineUnavailableError, match="Another graph server still uses"):
            ensure_server(home.settings)
    assert answers(ensure_server(home.settings))


def test_a_long_path_moves_the_sockets_and_nothing_else(make_home: Homes, tmp_path: Path) -> None:
    home = make_home(tmp_path / ("long-" * 12) / ("path-" * 12))
    graph = graph_of(home)
    graph.write("CREATE (:Student)")

    endpoint = ensure_server(home.settings)
    assert endpoint.socket is not None
    assert home.path not in endpoint.socket.parents
    assert len(os.fsencode(endpoint.socket)) <= server_module.SOCKET_PATH_BYTES
    assert stat.S_IMODE(endpoint.socket.parent.stat().st_mode) == 0o700
    assert list((home.server_folder / "data").rglob("*.aof"))
    release_server(home.settings)
    wait_until(lambda: not endpoint.socket.parent.exists(), "the sockets' folder is gone with the server")


def test_a_path_with_spaces_and_accents(make_home: Homes, tmp_path: Path) -> None:
    home = make_home(tmp_path / "Café, my (course) $HOME 'x'")
    graph = graph_of(home)
    graph.write("CREATE (:Student)")
    os.kill(home.recorded()["pid"], signal.SIGKILL)
    assert graph.size().nodes == 1
