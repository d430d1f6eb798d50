"""How a CLI, or another host, learns of the model's tools, and how `stdio.py` finds the server.

A CLI gets options and a host gets JSON. A server that is started looks into its environment, or
into the lock file for its folder. Little is imported: an agent waits for this. Source:
doc/protocol.md, "The model's tools".
"""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from claude_ide.base.names import SERVER, known_as
from claude_ide.transport.admission import AUTHORIZATION, TOOLS_PATH

if TYPE_CHECKING:
    from claude_ide.mcp.lock_file import LockFile


PORT = "CLAUDE_IDE_MCP_PORT"
TOKEN = "CLAUDE_IDE_MCP_TOKEN"
"""Variables of the environment."""
FOLDER = "CLAUDE_CONFIG_DIR"
"""The CLI's own variable: the folder that has the lock files."""

LAUNCH = "X-Claude-Ide-Launch"
"""The header with the id of the terminal in which a CLI runs."""

_HERE = os.path.dirname(os.path.realpath(__file__))
COMMAND = sys.executable, "-I", os.path.join(_HERE, "stdio.py")
"""Starts `stdio.py`. `-I` keeps modules of the agent's working folder off the import path, and
ignores the variables of Python in the environment."""


def options(host: str, port: int, allowed: Iterable[str], launch: str = "") -> list[str]:
    """Return the options that give a CLI the tools; those in `allowed` need no permission.

    `launch` is the id of its terminal, by which we know what it has read. The token is in the CLI's
    environment (`TOKEN`): other users can read a command line. With `=` an option takes no further
    word, such as a prompt.
    """
    names = ",".join(map(known_as, allowed))
    given = [f"--mcp-config={_json(_over_websocket(host, port, launch))}"]
    return [*given, f"--allowedTools={names}"] if names else given


def over_stdio(port: int, environment: Mapping[str, str]) -> str:
    """Return the JSON for hosts that start servers themselves.

    `stdio.py` finds the token in the lock file of the port, in the folder that the variable FOLDER
    of our `environment` names.
    """
    program, *arguments = COMMAND
    folder = environment.get(FOLDER)
    variables = {PORT: str(port)} | ({FOLDER: folder} if folder else {})
    server = {"command": program, "args": arguments, "env": variables}
    return msgspec.json.format(_json(_servers(server)), indent=2)


def _over_websocket(host: str, port: int, launch: str) -> dict[str, Any]:
    url = f"ws://{f'[{host}]' if ':' in host else host}:{port}{TOOLS_PATH}"
    headers = {AUTHORIZATION: f"${{{TOKEN}}}"} | ({LAUNCH: launch} if launch else {})
    return _servers({"type": "ws", "url": url, "headers": headers})


def _servers(server: dict[str, Any]) -> dict[str, Any]:
    return {"mcpServers": {SERVER: server}}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class NoServer(Exception):
    """There is no server to connect to; the text is one line with the reason."""


def find(environment: Mapping[str, str], folder: Callable[[], str]) -> tuple[int, str]:
    """Return the port and the token that a server requires, of which the environment tells.

    The token may be in the lock file of the port.
    Without either, they are those of the only server for the working `folder`. Raises `NoServer`.
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
    return (int(port), token) if token else _on_port(environment, int(port))


def _on_port(environment: Mapping[str, str], port: int) -> tuple[int, str]:
    for lock in _announced(environment):
        if lock.port == port:
            return (port, lock.authToken)
    raise NoServer(
        f"no lock file is for the port {port}: :ClaudeMcpConfig in the editor shows the "
        f"{PORT} and, if it needs one, the {FOLDER} to set"
    )


def _for_folder(environment: Mapping[str, str], folder: str) -> tuple[int, str]:
    locks = [lock for lock in _announced(environment) if lock.holds(folder)]
    if not locks:
        raise NoServer(f"no editor serves {folder} (:ClaudeStart starts a server)")
    if len(locks) > 1:
        names = ", ".join(sorted(f"{lock.port} ({lock.ideName})" for lock in locks))
        raise NoServer(f"several editors serve {folder}; set {PORT} to one of {names}")
    return (locks[0].port, locks[0].authToken)


def _announced(environment: Mapping[str, str]) -> list["LockFile"]:
    # An agent's child has its address in the environment, and needs no JSON here.
    from claude_ide.mcp import lock_file

    return lock_file.announced(lock_file.folder(environment))
