"""`:checkhealth claude_ide`: connects as the CLI would; reports the first step that fails."""

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
from claude_ide.transport.handshake import AUTHORIZATION, SUBPROTOCOL

SECONDS = 3.0


class Step(msgspec.Struct, frozen=True):
    """One step of connecting: its name, whether it succeeded, and the result in words."""

    name: str
    ok: bool
    seen: str


class _Steps:
    """The steps in order; each returns its result in words, and raises if it fails."""

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
    """Run the steps up to the first that fails, which is then the last in the list."""
    steps = _Steps(host, port, lock)
    runs: list[tuple[str, Callable[[], Awaitable[str]]]] = [
        ("lock file", steps.lock_file),
        ("token", steps.token),
        ("conversation", steps.conversation),
    ]
    results: list[Step] = []
    for name, run in runs:
        try:
            results.append(Step(name, True, await run()))
        except Exception as error:
            # The user needs to read every error, of any kind.
            results.append(Step(name, False, f"{type(error).__name__}: {error}"))
            break
    return results


async def _request(connection: ClientConnection, method: str, params: dict[str, Any]) -> Any:
    request = {"jsonrpc": "2.0", "id": method, "method": method, "params": params}
    await connection.send(msgspec.json.encode(request), text=True)
    while True:
        answer = msgspec.json.decode(await connection.recv())
        if answer.get("id") == method:
            return answer["result"]
