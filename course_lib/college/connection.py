"""Two ways into one server: the owner, who may do anything, and readers, who may read one graph.

A reader is a user of the server, made by its access control list: it may run `GRAPH.RO_QUERY` on one key,
and the few commands that the client needs to say hello. That is the boundary that keeps a query which a model
wrote from doing harm; whatever a check in Python lets through ends here. What it does not keep out is
`LOAD CSV` from a web address: to the engine that is reading.

Readers are gone when a server restarts. They are made when a client connects, and again when the server no
longer knows them.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from course_lib.college.address import ServerAddress, unusable
from course_lib.college.errors import (
    NotAllowedError,
    ReaderNotAllowedError,
    ServerBusyError,
    ServerLostError,
    ServerUnreachableError,
    WrongPasswordError,
)
from course_lib.college.refusals import disk_full
from course_lib.college.server import Endpoint, ensure_server
from course_lib.settings import Settings

if TYPE_CHECKING:
    import socket

    import falkordb
    import redis

READER_COMMANDS = ("graph.ro_query", "info", "ping", "hello", "client|setinfo")
"""All that a reader may do. `info` is how the client finds out what kind of server it talks to."""
CLUSTER_COMMANDS = ("command", "cluster|slots", "cluster|shards", "cluster|nodes", "readonly")
"""What a reader of a cluster needs on top, to find the node that has its key."""
CONNECT_SECONDS = 10.0
"""How long a connection may take to open, the exchange of user and password included."""
PATIENCE_SECONDS = (20.0, 120.0, 1200.0, None)
"""How long to wait for an answer. The engine stops a query at its own time limit; this is for an engine that
no longer does. Each has a client of its own; a call takes the first that is ten seconds above its limit."""
BREAKS = 2
"""How many broken connections a call outlives, when it does no harm to send it again."""
BASE_SECONDS = 120.0
"""How long the server may take to write its whole state to the disk."""

_UNASKED = object()
_NOT_SENT = ("course_not_sent", "_falkordb_not_executed")


@dataclass(frozen=True)
class Role:
    """Who a call is made as: the owner (no key), or the reader of one key."""

    key: str | None = None


OWNER = Role()


class Connection:
    """This process's clients of one server. Safe to use from several threads, and across a fork."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.forget_all()

    def forget_all(self) -> None:
        """Drops every client without a word to the server: in a forked child they are the parent's."""
        self._lock = threading.RLock()
        self._endpoint: Endpoint | None = None
        self._clients: dict[tuple[Role, float | None], falkordb.FalkorDB] = {}
        self._users: dict[str, int] = {}
        self._row_limit: object = _UNASKED

    @property
    def embedded(self) -> bool:
        """Whether this is the course's own server, whose settings we know."""
        return self._settings.falkordb_url is None

    @property
    def address(self) -> str:
        """Where the server is, fit to be shown: never with a user or a password."""
        url = self._settings.falkordb_url
        return "the embedded server" if url is None else ServerAddress.parse(url).shown

    def call(self, role: Role, *command: Any, timeout_ms: int = 5_000, repeatable: bool = True) -> Any:
        """Runs one command and gives its raw reply.

        Args:
            role: as whom.
            command: the command and its arguments.
            timeout_ms: the command's own time limit, in milliseconds; we wait a good deal longer.
            repeatable: whether it does no harm to run it twice. One that is not is repeated only when it
                certainly did not reach the server.

        Raises:
            ServerLostError: the connection broke, or no answer came.
            EngineError: the server cannot be reached, or does not let us in.
            redis.exceptions.ResponseError: the server's own refusal, for the caller to make sense of.
        """
        from redis import exceptions

        patience = next(p for p in PATIENCE_SECONDS if p is None or p > timeout_ms / 1000 + 10)
        refused = False
        breaks = 0
        while True:
            seen = self._endpoint
            try:
                return self._client(role, patience).execute_command(*command)
            except exceptions.AuthenticationError as error:
                if role == OWNER or refused:
                    raise self._wrong_password(error) from None
                refused = True
                self._forget(role)
            except exceptions.NoPermissionError as error:
                # A reader that somebody changed is made anew once; the owner's rights are not ours to change.
                if role == OWNER or refused:
                    raise NotAllowedError(
                        f"The server does not allow this: {error}.", "Use an address whose user may do it."
                    ) from error
                refused = True
                self._forget(role)
            except exceptions.BusyLoadingError as error:
                breaks += 1
                if breaks > BREAKS or not self.embedded:
                    raise ServerBusyError(
                        f"The server at {self.address} is still reading its data.", "Try again in a moment."
                    ) from error
                self._renew(seen)
            except (exceptions.ConnectionError, exceptions.TimeoutError, OSError) as error:
                sent = not any(getattr(error, mark, False) for mark in _NOT_SENT)
                in_time = not isinstance(error, exceptions.TimeoutError)
                breaks += 1
                if breaks > BREAKS or not in_time or (sent and not repeatable):
                    raise self._lost(error, sent=sent, repeatable=repeatable) from error
                self._renew(seen)

    def owner(self, *command: Any, timeout_ms: int = 5_000, repeatable: bool = True) -> Any:
        """Runs a command as the owner, see `call`."""
        return self.call(OWNER, *command, timeout_ms=timeout_ms, repeatable=repeatable)

    def reader(self, key: str, *command: Any, timeout_ms: int = 5_000) -> Any:
        """Runs a reading command as the reader of one key, see `call`."""
        if self._settings.reads_as_owner and not self.embedded:
            return self.call(OWNER, *command, timeout_ms=timeout_ms)
        return self.call(Role(key), *command, timeout_ms=timeout_ms)

    def remove_reader(self, key: str) -> None:
        """Takes the reader of a deleted graph off the server, so that scratch graphs leave nothing behind."""
        from redis import exceptions

        with self._lock:
            known = self._forget(Role(key))
        if known:
            with contextlib.suppress(exceptions.RedisError):
                self._everywhere("ACL DELUSER", self._reader_name(key))

    def row_limit(self) -> int | None:
        """After how many rows the server cuts a result off without a word; None when it does not, or will not
        say. The embedded one does not."""
        from redis import exceptions

        if self.embedded:
            return None
        if self._row_limit is _UNASKED:
            try:
                limit = int(self.owner("GRAPH.CONFIG", "GET", "RESULTSET_SIZE")[1])
            except (exceptions.ResponseError, NotAllowedError):
                limit = -1
            self._row_limit = limit if limit > 0 else None
        return cast("int | None", self._row_limit)

    def write_base(self) -> None:
        """Has the embedded server write its whole state to the disk, and waits for it. See `stored_log`.

        Raises:
            ServerFullError: the disk is full; the change is in memory.
        """
        from redis import exceptions

        deadline = time.monotonic() + BASE_SECONDS
        asked = False
        while time.monotonic() < deadline:
            if not asked:
                try:
                    self.owner("BGREWRITEAOF")
                    asked = True
                except exceptions.ResponseError as error:
                    # One that began earlier may lack our change: wait for it, then ask again.
                    if "in progress" not in str(error):
                        raise disk_full(str(error)) from error
            found = self.owner("INFO", "persistence")
            if asked and not found["aof_rewrite_in_progress"] and not found["aof_rewrite_scheduled"]:
                if found["aof_last_bgrewrite_status"] == "ok" and found["aof_last_write_status"] == "ok":
                    return
                raise disk_full("The server could not write its state to the disk.")
            time.sleep(0.003)
        raise ServerLostError(
            "The change was made, but the server takes too long to write it to the disk.",
            "Look whether the disk is very slow or full.",
            may_have_been_applied=True,
        )

    def take(self, key: str) -> None:
        """Notes one more user of a key's reader in this process."""
        with self._lock:
            self._users[key] = self._users.get(key, 0) + 1

    def let_go(self, key: str) -> None:
        """Notes one user less; after the last one the reader's connections are closed."""
        with self._lock:
            left = self._users.get(key, 1) - 1
            if left > 0:
                self._users[key] = left
                return
            self._users.pop(key, None)
            self._forget(Role(key))

    # -- clients ------------------------------------------------------------------------------------------

    def _client(self, role: Role, patience: float | None) -> falkordb.FalkorDB:
        client = self._clients.get((role, patience))
        if client is not None:
            return client
        with self._lock:
            if self._endpoint is None:
                # Once for all roles: the server is there, and this process holds it.
                self._endpoint = ensure_server(self._settings)
            if role.key is not None and not any(known == role for known, _ in self._clients):
                self._make_reader(role.key)
            client = self._open(role, patience)
            self._clients[role, patience] = client
            return client

    def _open(self, role: Role, patience: float | None) -> falkordb.FalkorDB:
        import falkordb
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        assert self._endpoint is not None
        options: dict[str, Any] = {
            # The client repeats a command by itself when a connection breaks, writes included. It must not.
            "retry": Retry(NoBackoff(), 0),
            "socket_timeout": patience,
            "socket_connect_timeout": CONNECT_SECONDS,
            "decode_responses": True,
            "encoding_errors": "replace",
            "protocol": 2,
            "username": None,
            "password": None,
        }
        reader = None if role.key is None else (self._reader_name(role.key), self._reader_password(role.key))
        tls = False
        if self._endpoint.url is None:
            pool = redis.ConnectionPool(
                connection_class=redis.UnixDomainSocketConnection, path=str(self._endpoint.socket), **options
            )
        else:
            address = ServerAddress.parse(self._endpoint.url)
            tls = address.scheme == "rediss"
            if address.scheme != "unix":
                options["socket_keepalive"] = True
            try:
                pool = redis.ConnectionPool.from_url(address.url.reveal(), **options)
            except ValueError:
                raise unusable() from None
        if reader is not None:
            master = self._sentinel_pool(reader, patience)
            if master is not None:
                return falkordb.FalkorDB(connection_pool=master)
            pool.connection_kwargs.update(username=reader[0], password=reader[1])
        pool.connection_class = _marking(pool.connection_class)
        return falkordb.FalkorDB(connection_pool=pool, ssl=tls)

    def _sentinel_pool(self, reader: tuple[str, str], patience: float | None) -> redis.ConnectionPool | None:
        """Where the owner came in through a sentinel: a pool of the reader's to the same master. The sentinel
        itself does not know the reader."""
        owner = self._client(OWNER, patience)
        sentinel = getattr(owner, "sentinel", None)
        if sentinel is None:
            return None
        user, password = reader
        master = sentinel.master_for(
            owner.service_name,
            connection_class=owner.connection.connection_pool.connection_class,
            username=user,
            password=password,
        )
        pool: redis.ConnectionPool = master.connection_pool
        return pool

    def _forget(self, role: Role) -> bool:
        """Closes a role's clients. True when there were any."""
        with self._lock:
            gone = [self._clients.pop(known) for known in list(self._clients) if known[0] == role]
        for client in gone:
            _close(client)
        return bool(gone)

    def _renew(self, seen: Endpoint | None) -> None:
        """After a broken connection: sees to it that the server is there; drops an earlier one's clients."""
        with self._lock:
            if self._endpoint is not seen or not self.embedded:
                return
            endpoint = ensure_server(self._settings)
            if endpoint != self._endpoint:
                gone = list(self._clients.values())
                self._clients.clear()
                for client in gone:
                    _close(client)
                self._endpoint = endpoint

    # -- readers ------------------------------------------------------------------------------------------

    def _make_reader(self, key: str) -> None:
        from redis import exceptions

        cluster = _is_cluster(self._client(OWNER, PATIENCE_SECONDS[0]))
        allowed = READER_COMMANDS + (CLUSTER_COMMANDS if cluster else ())
        # The server is given the password's hash only: no log and no error of its can hold the password.
        proof = hashlib.sha256(self._reader_password(key).encode()).hexdigest()
        rules = [
            "reset",
            "on",
            f"#{proof}",
            "resetkeys",
            f"~{key}",
            "-@all",
            *(f"+{name}" for name in allowed),
        ]
        try:
            self._everywhere("ACL SETUSER", self._reader_name(key), *rules)
        except (exceptions.NoPermissionError, exceptions.ResponseError, NotAllowedError) as error:
            raise ReaderNotAllowedError(
                f"The user in FALKORDB_URL may not make a read-only user at {self.address}.",
                "Ask for the right to run ACL SETUSER, or use an address whose user has it. To read as that "
                "user without the second wall, set COURSE_READS_AS_OWNER=1.",
            ) from error

    def _everywhere(self, command: str, *arguments: str) -> None:
        """Runs an administrative command as the owner; in a cluster on every node."""
        client = self._client(OWNER, PATIENCE_SECONDS[0])
        if _is_cluster(client):
            client.connection.execute_command(command, *arguments, target_nodes="all")
        else:
            self.owner(*command.split(), *arguments)

    def _reader_name(self, key: str) -> str:
        # With a mark of the secret in it: courses that share a server but not its password do not take each
        # other's reader away.
        return f"course-reader:{self._derive('name')[:8]}:{key}"

    def _reader_password(self, key: str) -> str:
        return self._derive(f"password:{key}")

    def _derive(self, purpose: str) -> str:
        assert self._endpoint is not None
        if self._endpoint.url is None:
            assert self._endpoint.secret is not None
            secret = self._endpoint.secret.read_bytes()
        else:
            secret = ServerAddress.parse(self._endpoint.url).password.encode()
        return hmac.new(b"course reader:" + secret, purpose.encode(), hashlib.sha256).hexdigest()

    # -- failures -----------------------------------------------------------------------------------------

    def _wrong_password(self, error: Exception) -> Exception:
        if self.embedded:
            return ServerLostError(
                "The embedded server does not take this course's own password.",
                "Close the other notebooks and JupyterLab, so that it starts again.",
            )
        return WrongPasswordError(
            f"The server at {self.address} refused the user or the password in FALKORDB_URL ({error}).",
            "Put the right ones into the address: falkor://user:password@host:port, with special characters "
            "in them percent-encoded (@ is %40, / is %2F).",
        )

    def _lost(self, error: Exception, *, sent: bool, repeatable: bool) -> Exception:
        from redis import exceptions

        if not sent and not self.embedded:
            tls = "If it does not speak TLS, write falkor://. " if "falkors:" in self.address else ""
            return ServerUnreachableError(
                f"The server at {self.address} cannot be reached ({_reason(error)}).",
                f"Check FALKORDB_URL and that the server runs, or unset it. {tls}".strip(),
            )
        if isinstance(error, exceptions.TimeoutError):
            what = "The graph server did not answer in time."
        elif "max number of clients" in str(error):
            return ServerBusyError(f"{self.address} takes no more connections.", "Close some notebooks.")
        else:
            what = "The graph server went away in the middle of the call."
        if repeatable:
            return ServerLostError(what, "Nothing was changed. Run it again.")
        if not sent:
            return ServerLostError(what, "The change was not made. Run it again.")
        return ServerLostError(
            what,
            "The change may have been made or not: look before you run it again.",
            may_have_been_applied=True,
        )


def _marking(base: type[Any]) -> type[Any]:
    """A connection class that notes on an error that it came before any command was sent.

    The client lets the first exchange (TLS, user, password) take as long as a query. Somebody who accepts and
    then says nothing would be waited for that long; this one gives up after `CONNECT_SECONDS`.
    """

    class Marking(base):  # type: ignore[misc]
        socket_timeout: float | None

        def connect_check_health(self, *args: Any, **kwargs: Any) -> Any:
            if self._sock is not None:
                return super().connect_check_health(*args, **kwargs)
            patience = self.socket_timeout
            self.socket_timeout = CONNECT_SECONDS
            try:
                done = super().connect_check_health(*args, **kwargs)
            except Exception as error:
                error.course_not_sent = True  # type: ignore[attr-defined]
                raise
            finally:
                self.socket_timeout = patience
            cast("socket.socket", self._sock).settimeout(patience)
            self._parser.on_connect(self)
            return done

    return Marking


def _is_cluster(client: falkordb.FalkorDB) -> bool:
    return hasattr(client.connection, "get_primaries")


def _close(client: falkordb.FalkorDB) -> None:
    """Closes a client's idle connections; one in use by another thread ends with that call."""
    pool = getattr(client.connection, "connection_pool", None)
    if pool is None:
        client.close()
    else:
        pool.disconnect(inuse_connections=False)


def _reason(error: Exception) -> str:
    """The reason in a connection error, without the address that the client repeats."""
    text = str(error)
    cause = error.__context__ or error.__cause__
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return text.rpartition(". ")[2].rstrip(".") or type(error).__name__


_connections: dict[tuple[object, ...], Connection] = {}
_guard = threading.Lock()


def connection_for(settings: Settings) -> Connection:
    """This process's connection to the server of these settings.

    Raises:
        BadServerUrlError: `FALKORDB_URL` is not an address.
    """
    url = settings.falkordb_url
    if url is not None:
        ServerAddress.parse(url)
    key = (settings.home, url.reveal() if url else None, settings.reads_as_owner)
    with _guard:
        if key not in _connections:
            _connections[key] = Connection(settings)
        return _connections[key]


def _forget_in_child() -> None:
    global _guard
    _guard = threading.Lock()
    for connection in _connections.values():
        connection.forget_all()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
