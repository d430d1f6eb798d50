"""Which requests our listeners admit, and what a client has to know to be admitted.

The rules are the same for WebSockets and for HTTP. A web page in a browser can reach loopback, too.
The token keeps out other users of the machine. Source: doc/protocol.md.
"""

import hmac
import ipaddress
from collections.abc import Iterable
from http import HTTPStatus
from typing import TypeVar

import msgspec
from websockets.datastructures import Headers

LOOPBACK = "127.0.0.1"

AUTHORIZATION = "X-Claude-Code-Ide-Authorization"
"""The header with the token."""

SUBPROTOCOL = "mcp"

PATHS = ("/", "/mcp")
"""The paths of the server that the CLI connects to."""

TOOLS_PATH = "/neovim"
"""The path at which a client gets the editor's tools, and hears of nothing but their changes."""

MESSAGE_BYTES = 64 * 2**20
"""A larger message ends the connection."""


class Refused(Exception):
    """A refused request, with the HTTP status and the header fields to answer."""

    def __init__(self, status: HTTPStatus, reason: str, *headers: tuple[str, str]) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = headers


class Endpoint(msgspec.Struct, frozen=True):
    """A way in that requires one of its paths, and the token of its clients."""

    paths: tuple[str, ...]
    token: str


Way = TypeVar("Way", bound=Endpoint)


def admit(
    ways: Iterable[Way], address: tuple[str, int], target: str, fields: Headers, token: str
) -> Way:
    """Return the way in for a request to a listener at an address; `token` is the one it sends.

    Raises `Refused`.
    """
    path = target.partition("?")[0]
    here = [way for way in ways if path in way.paths]
    if not here:
        raise Refused(HTTPStatus.NOT_FOUND, "there is nothing at this path")
    if fields.get_all("Origin"):
        # Only a web page sends an Origin.
        raise Refused(HTTPStatus.FORBIDDEN, "a page may not connect")
    if not _is_our_host(single(fields, "Host"), *address):
        raise Refused(HTTPStatus.FORBIDDEN, "the Host is not this server's")
    given = token.encode("utf-8", "surrogateescape")
    fitting = [way for way in here if hmac.compare_digest(given, way.token.encode())]
    if not fitting:
        raise Refused(HTTPStatus.UNAUTHORIZED, "no token, or a wrong one")
    return fitting[0]


def single(fields: Headers, name: str) -> str:
    """Return the value of a field that is there once; otherwise ""."""
    values = fields.get_all(name)
    return values[0] if len(values) == 1 else ""


def _is_our_host(host: str, address: str, port: int) -> bool:
    name, separator, given = host.rpartition(":")
    if not separator or given != str(port):
        return False
    if name in ("localhost", address, f"[{address}]"):
        return True
    # Other names are refused: an attacker's DNS may resolve them to this machine.
    try:
        named = ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return ipaddress.ip_address(address).is_unspecified or named.is_loopback
