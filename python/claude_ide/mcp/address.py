"""Where `stdio.py` finds its server: in its environment, or in the lock file for its folder.

Little is imported: an agent waits for this.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from claude_ide.mcp.lock_file import LockFile

PORT = "CLAUDE_IDE_MCP_PORT"
TOKEN = "CLAUDE_IDE_MCP_TOKEN"
"""Variables of the environment."""
FOLDER = "CLAUDE_CONFIG_DIR"
"""The CLI's own variable: the folder that has the lock files."""

LAUNCH = "X-Claude-Ide-Launch"
"""The header with the id of the terminal in which a CLI runs."""


class NoServer(Exception):
    """There is no server to connect to; the text is one line with the reason."""


class Address(namedtuple("Address", "port token")):
    """The port of a server on loopback, and the token that it requires."""

    __slots__ = ()


def find(environment: Mapping[str, str], folder: Callable[[], str]) -> Address:
    """Return the address in the environment; the token may be in the lock file of the port.

    Without either, it is that of the only server for the working `folder`. Raises `NoServer`.
    """
    port, token = environment.get(PORT, ""), environment.get(TOKEN, "")
    if not port:
        if token:
            raise NoServer(f"{PORT} is not set, but {TOKEN} is")
        try:
            return _for_folder(environment, folder())
        except FileNotFoundError:
            raise NoServer("the working folder does not exist") from None
    if not (port.isascii() and port.isdecimal() and 0 < int(port) < 2**16):
        raise NoServer(f"{PORT} is not a port: {port!r}")
    if not (token.isascii() and token.isprintable()):
        raise NoServer(f"{TOKEN} is not a token")
    return Address(int(port), token) if token else _on_port(environment, int(port))


def _on_port(environment: Mapping[str, str], port: int) -> Address:
    for lock in _announced(environment):
        if lock.port == port:
            return Address(port, lock.authToken)
    raise NoServer(
        f"no lock file is for the port {port}: :ClaudeMcpConfig in the editor shows the "
        f"{PORT} and, if it needs one, the {FOLDER} to set"
    )


def _for_folder(environment: Mapping[str, str], folder: str) -> Address:
    locks = [lock for lock in _announced(environment) if lock.holds(folder)]
    if not locks:
        raise NoServer(f"no editor serves {folder} (:ClaudeStart starts a server)")
    if len(locks) > 1:
        names = ", ".join(sorted(f"{lock.port} ({lock.ideName})" for lock in locks))
        raise NoServer(f"several editors serve {folder}; set {PORT} to one of {names}")
    return Address(locks[0].port, locks[0].authToken)


def _announced(environment: Mapping[str, str]) -> list["LockFile"]:
    # An agent's child has its address in the environment, and needs no JSON here.
    from claude_ide.mcp import lock_file

    return lock_file.announced(lock_file.folder(environment))
