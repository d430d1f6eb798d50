"""A client that behaves like Claude Code, over a real socket."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import websockets
from websockets.asyncio.client import ClientConnection, connect

from support.neovim import WAIT_SECONDS, until

AUTHORIZATION = "X-Claude-Code-Ide-Authorization"


class RpcFailure(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.message: str = error["message"]


OF_MODEL = {"progressToken": 3, "claudecode/toolUseId": "toolu_1"}


class ClaudeCode:
    """One connection; `notifications` collects those of the server, and its pings."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.notifications: list[tuple[str, Any]] = []
        self.answers_pings = True
        self.pong: dict[str, Any] = {"result": {}}
        self._ids = itertools.count(0)
        self._pending: dict[Any, asyncio.Future[Any]] = {}
        self._reader = asyncio.create_task(self._read())

    async def initialize(self, pid: int | None = None, **params: Any) -> Any:
        """Send the messages of the CLI's handshake, starting with `id` 0."""
        result = await self.request(
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {"roots": {"listChanged": True}},
                "clientInfo": {"name": "claude-code", "title": "Claude Code", "version": "2.1.330"},
                **params,
            },
        )
        await self.notify("notifications/initialized")
        if pid is not None:
            await self.notify("ide_connected", {"pid": pid})
        await self.request("tools/list")
        return result

    def send_request(self, method: str, params: Any = None) -> tuple[int, asyncio.Future[Any]]:
        """Send a request; return its id and the future of its result."""
        number = next(self._ids)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[number] = future
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            message["params"] = params
        self._sending = asyncio.create_task(self.connection.send(json.dumps(message)))
        return number, future

    async def request(self, method: str, params: Any = None, seconds: float = WAIT_SECONDS) -> Any:
        """Send a request and await its result; raises `RpcFailure`."""
        _, future = self.send_request(method, params)
        return await asyncio.wait_for(future, seconds)

    async def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        await self.connection.send(json.dumps(message))

    async def call(self, tool: str, arguments: Any = None, seconds: float = WAIT_SECONDS) -> Any:
        """Call a tool and return its whole result."""
        return await self.request(
            "tools/call", {"name": tool, "arguments": arguments or {}}, seconds
        )

    async def texts(
        self, tool: str, arguments: Any = None, seconds: float = WAIT_SECONDS
    ) -> list[str]:
        """Call a tool and return its text blocks."""
        result = await self.call(tool, arguments, seconds)
        return [block["text"] for block in result["content"]]

    async def json(self, tool: str, arguments: Any = None, seconds: float = WAIT_SECONDS) -> Any:
        """Call a tool and return the decoded JSON of its only text block."""
        (text,) = await self.texts(tool, arguments, seconds)
        return json.loads(text)

    async def json_for_model(self, tool: str, arguments: Any = None) -> Any:
        """Call a tool as the CLI does for the model; return the JSON, or the text of an error."""
        params = {"name": tool, "arguments": arguments or {}, "_meta": OF_MODEL}
        result = await self.request("tools/call", params)
        (block,) = result["content"]
        return block["text"] if result.get("isError") else json.loads(block["text"])

    def start_call(self, tool: str, arguments: Any) -> tuple[int, asyncio.Future[Any]]:
        """Call a tool without waiting; return the request's id and its future."""
        return self.send_request("tools/call", {"name": tool, "arguments": arguments})

    def notifications_of(self, method: str) -> list[Any]:
        """Return the parameters of the notifications of this method so far."""
        return [params for name, params in self.notifications if name == method]

    async def raw(self, frame: str | bytes) -> Any:
        """Send a frame unchanged, and return the next answer that belongs to no request."""
        before = len(self.notifications_of("?"))
        await self.connection.send(frame)
        await until(lambda: len(self.notifications_of("?")) > before, "an answer")
        return self.notifications_of("?")[before]

    async def _read(self) -> None:
        try:
            async for frame in self.connection:
                await self._receive(json.loads(frame))
        except websockets.ConnectionClosed:
            pass
        for future in self._pending.values():
            if not future.done():
                future.cancel()

    async def _receive(self, message: Any) -> None:
        match message:
            case {"method": "ping", "id": id_}:
                self.notifications.append(("ping", None))
                if self.answers_pings:
                    answer = {"jsonrpc": "2.0", "id": id_, **self.pong}
                    # The server may have left; its answers before that are still to be read.
                    with suppress(websockets.ConnectionClosed):
                        await self.connection.send(json.dumps(answer))
            case {"method": method}:
                self.notifications.append((method, message.get("params")))
            case {"id": id_} if id_ in self._pending:
                future = self._pending.pop(id_)
                if future.done():
                    return
                if "error" in message:
                    future.set_exception(RpcFailure(message["error"]))
                else:
                    future.set_result(message["result"])
            case _:
                self.notifications.append(("?", message))


def locks(folder: Path) -> list[tuple[int, dict[str, Any]]]:
    """Return port and fields of each lock file in a config folder."""
    found = []
    for path in sorted((folder / "ide").glob("*.lock")):
        # A starting host removes the lock of one that was killed.
        with contextlib.suppress(FileNotFoundError):
            found.append((int(path.stem), json.loads(path.read_text(encoding="utf-8"))))
    return found


async def the_lock(folder: Path) -> tuple[int, dict[str, Any]]:
    """Wait for the only lock file of a config folder; return its port and fields."""
    await until(lambda: len(locks(folder)) == 1, "one lock file")
    return locks(folder)[0]


@asynccontextmanager
async def connected(
    port: int, token: str, path: str = "/", **options: Any
) -> AsyncIterator[ClaudeCode]:
    """Connect as the CLI does, without sending a message."""
    async with connect(
        f"ws://127.0.0.1:{port}{path}",
        additional_headers={AUTHORIZATION: token},
        subprotocols=[websockets.Subprotocol("mcp")],
        max_size=None,
        **options,
    ) as connection:
        yield ClaudeCode(connection)


@asynccontextmanager
async def claude_code(folder: Path, pid: int | None = None) -> AsyncIterator[ClaudeCode]:
    """Find the server by the lock file in a config folder, connect and initialize."""
    port, lock = await the_lock(folder)
    async with connected(port, lock["authToken"]) as client:
        await client.initialize(pid)
        yield client
