"""How a CLI or another host learns of the model's tools: the options and the JSON to give it.

Source: doc/protocol.md, "The model's tools".
"""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.base.names import SERVER, known_as
from claude_ide.mcp.address import FOLDER, LAUNCH, PORT, TOKEN
from claude_ide.transport.handshake import AUTHORIZATION, TOOLS_PATH

COMMAND = (sys.executable, "-I", str(Path(__file__).resolve().with_name("stdio.py")))
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
