"""`FALKORDB_URL`: what can be read out of it, and what of it may be shown.

It may hold a password. Nothing that this module raises or shows does.
"""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass

from course_lib.college.errors import BadServerUrlError
from course_lib.settings import Secret

SCHEMES = {"falkor": "redis", "falkors": "rediss", "redis": "redis", "rediss": "rediss", "unix": "unix"}
"""The schemes of `FALKORDB_URL` -> what the client calls them."""


@dataclass(frozen=True)
class ServerAddress:
    """A server's address, taken apart."""

    scheme: str
    """What the client calls the scheme."""
    shown: str
    """The address without user and password."""
    url: Secret
    """The address as the client takes it."""
    password: str
    """Empty where there is none."""

    @staticmethod
    def parse(secret: Secret) -> ServerAddress:
        """Takes an address apart.

        Raises:
            BadServerUrlError: it is none, or cannot be read.
        """
        text = secret.reveal()
        scheme, mark, rest = text.partition("://")
        if not mark or scheme.lower() not in SCHEMES:
            raise BadServerUrlError(
                f"FALKORDB_URL begins with {scheme + '://'!r}, which is no kind of FalkorDB address."
                if mark and scheme.isalnum()
                else "FALKORDB_URL is no address: it does not begin with falkor://.",
                "Write falkor://host:6379, falkors:// for TLS, or unix:///path/to/socket.",
            )
        client_scheme = SCHEMES[scheme.lower()]
        url = Secret(f"{client_scheme}://{rest}")
        try:
            parts = urllib.parse.urlsplit(url.reveal())
            port = parts.port
        except ValueError:
            raise unusable() from None
        if client_scheme == "unix":
            shown = f"unix://{parts.path}"
            asked = urllib.parse.parse_qs(parts.query)
            password = asked.get("password", [parts.password or ""])[0]
        elif not parts.hostname or "@" in parts.path + parts.query + parts.fragment:
            # What stands before the @ was cut short by a / or # in it: host and port are parts of a password.
            raise unusable()
        else:
            shown = f"{scheme.lower()}://{parts.hostname}:{port or 6379}"
            password = urllib.parse.unquote(parts.password or "")
        return ServerAddress(client_scheme, shown, url, password)


def unusable() -> BadServerUrlError:
    """The error for an address that cannot be read.

    The parser's own message is left out on purpose: it quotes the part that it could not read, which is the
    password when that holds a / or a #.
    """
    return BadServerUrlError(
        "FALKORDB_URL cannot be read as an address.",
        "Write falkor://user:password@host:6379, with special characters in the user and the password "
        "percent-encoded (@ is %40, / is %2F, # is %23).",
    )
