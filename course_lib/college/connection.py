"""Two ways into one server: the owner, who may do anything, and readers, who may read one graph."""

from __future__ import annotations

import hashlib
import hmac
import threading
from typing import TYPE_CHECKING, Any

from course_lib.college.server import Endpoint, ensure_server
from course_lib.settings import Settings

if TYPE_CHECKING:
    import falkordb

READER_COMMANDS = ("graph.ro_query", "info", "ping", "hello", "client|setinfo")


class Connection:
    """The owner's and the readers' clients of one process."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        self.endpoint: Endpoint | None = None
        self._owner: falkordb.FalkorDB | None = None
        self._readers: dict[str, falkordb.FalkorDB] = {}

    def _client(self, user: str | None = None, password: str | None = None) -> falkordb.FalkorDB:
        import falkordb
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        endpoint = ensure_server(self.settings)
        self.endpoint = endpoint
        return falkordb.FalkorDB(
            unix_socket_path=str(endpoint.socket),
            username=user,
            password=password,
            retry=Retry(NoBackoff(), 0),
        )

    def owner(self, *args: Any) -> Any:
        with self.lock:
            if self._owner is None:
                self._owner = self._client()
        return self._owner.execute_command(*args)

    def reader(self, key: str, *args: Any) -> Any:
        with self.lock:
            client = self._readers.get(key)
            if client is None:
                user, password = f"reader:{key}", self._password(key)
                rules = ["reset", "on", f">{password}", "resetkeys", f"~{key}", "-@all"]
                self.owner("ACL", "SETUSER", user, *rules, *(f"+{name}" for name in READER_COMMANDS))
                client = self._readers[key] = self._client(user, password)
        return client.execute_command(*args)

    def _password(self, key: str) -> str:
        assert self.endpoint is not None and self.endpoint.secret is not None
        secret = self.endpoint.secret.read_bytes()
        return hmac.new(secret, key.encode(), hashlib.sha256).hexdigest()


_connections: dict[tuple[object, ...], Connection] = {}
_guard = threading.Lock()


def connection_for(settings: Settings) -> Connection:
    """This process's connection to the server of these settings."""
    url = settings.falkordb_url
    key = (settings.home, url.reveal() if url else None)
    with _guard:
        if key not in _connections:
            _connections[key] = Connection(settings)
        return _connections[key]
