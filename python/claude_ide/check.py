"""`:checkhealth claude_ide`: goes the way that the CLI goes, and names the first broken step."""

import json
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from claude_ide.mcp.lock_file import LockFile
from claude_ide.transport.websocket import AUTHORIZATION, SUBPROTOCOL

SECONDS = 3.0


class Step(msgspec.Struct, frozen=True):
    """One step of the way, whether it holds, and what was seen."""

    name: str
    ok: bool
    seen: str


class _Way:
    """The steps in their order; each raises when it does not hold."""

    def __init__(self, host: str, port: int, lock: LockFile) -> None:
        self._host = host
        self._port = port
        self._lock = lock
        self._fields: dict[str, Any] = {}

    async def lock_file(self) -> str:
        path = Path(self._lock.path)
        self._fields = json.loads(path.read_text(encoding="utf-8"))
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            raise PermissionError(f"{path} can be read by others (mode {mode:o})")
        return f"{path}, for {', '.join(self._fields['workspaceFolders'])}"

    async def token(self) -> str:
        try:
            async with self._connect("not the token"):
                raise PermissionError("a client with a wrong token was let in")
        except InvalidStatus as refused:
            return f"a wrong one is refused with {refused.response.status_code}"

    async def conversation(self) -> str:
        async with self._connect(self._fields["authToken"]) as connection:
            information = {"name": "claude-ide-check", "version": "1"}
            opened = await _request(
                connection,
                "initialize",
                {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {},
                    "clientInfo": information,
                },
            )
            listed = await _request(connection, "tools/list", {})
        version = opened["protocolVersion"]
        return f"MCP {version}, {len(listed['tools'])} tools, at {self._host}:{self._port}"

    def _connect(self, token: str) -> connect:
        return connect(
            f"ws://{self._host}:{self._port}/",
            additional_headers={AUTHORIZATION: token},
            subprotocols=[Subprotocol(SUBPROTOCOL)],
            open_timeout=SECONDS,
            proxy=None,
        )


async def check(host: str, port: int, lock: LockFile) -> list[Step]:
    """Go each step; the first that does not hold is the last in the list."""
    way = _Way(host, port, lock)
    steps: list[tuple[str, Callable[[], Awaitable[str]]]] = [
        ("lock file", way.lock_file),
        ("token", way.token),
        ("conversation", way.conversation),
    ]
    taken: list[Step] = []
    for name, go in steps:
        try:
            taken.append(Step(name, True, await go()))
        except Exception as error:
            # Whatever it is, it is what the user has to read.
            taken.append(Step(name, False, f"{type(error).__name__}: {error}"))
            break
    return taken


async def _request(connection: ClientConnection, method: str, params: dict[str, Any]) -> Any:
    request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    await connection.send(msgspec.json.encode(request), text=True)
    while True:
        answer = msgspec.json.decode(await connection.recv())
        if answer.get("id") == method:
            return answer["result"]
