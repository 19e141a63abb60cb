"""Keeps keys out of the logs of the HTTP libraries and SDKs.

They do not log the headers that they send. But they log those that come back, and addresses, and a server may
repeat a key in either. So each of their loggers gets a filter that puts stars in place of every key that this
process has used.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Iterable

_LIBRARIES = ("httpx", "httpx2", "httpcore", "httpcore2", "openai", "groq", "anthropic")
_PARTS = (
    "",
    ".connection",
    ".http11",
    ".http2",
    ".proxy",
    ".socks",
    "._base_client",
    "._response",
    "._client",
)
"""A filter holds for the one logger that it is put on, not for those below it, so each is named."""


class _Stars(logging.Filter):
    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._secrets: tuple[str, ...] = ()

    def add(self, secrets: Iterable[str]) -> None:
        with self._lock:
            self._secrets = tuple(sorted({*self._secrets, *secrets}, key=len, reverse=True))

    def filter(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        hidden = self._hide(message)
        if hidden != message:
            record.msg, record.args = hidden, ()
        if record.exc_info and record.exc_info[0] is not None:
            trace = "".join(traceback.format_exception(*record.exc_info))
            hidden = self._hide(trace)
            if hidden != trace:
                record.exc_text, record.exc_info = hidden.rstrip("\n"), None
        return True

    def _hide(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


_STARS = _Stars()


def keep_out_of_logs(secrets: Iterable[str]) -> None:
    """From now on the libraries' logs show stars in place of these texts.

    Args:
        secrets: the texts, keys above all. Very short ones are passed over: they would star half the log.
    """
    _STARS.add(secret for secret in secrets if len(secret) >= 6)
    for library in _LIBRARIES:
        for part in _PARTS:
            logger = logging.getLogger(library + part)
            if _STARS not in logger.filters:
                logger.addFilter(_STARS)
