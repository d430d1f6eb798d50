"""A client of `mcp/stdio.py`: a real process, spoken to over its pipes."""

import asyncio
import itertools
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from support.neovim import ROOT, WAIT_SECONDS

PORT, TOKEN = "CLAUDE_IDE_MCP_PORT", "CLAUDE_IDE_MCP_TOKEN"
STDIO = ROOT / "python/claude_ide/mcp/stdio.py"
LONGEST_LINE = 100 * 2**20


class McpStdio:
    """A running process. `answers` has the messages that it wrote."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._ids = itertools.count(1)
        self.wait = WAIT_SECONDS

    @classmethod
    async def start(cls, environment: Mapping[str, str], cwd: Path) -> "McpStdio":
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", str(STDIO)),
            env=environment,
            cwd=cwd,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=LONGEST_LINE,
        )
        return cls(process)

    async def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        await self.process.stdin.drain()

    async def read(self) -> Any:
        """Return the next message."""
        assert self.process.stdout is not None
        line = await asyncio.wait_for(self.process.stdout.readline(), self.wait)
        assert line.endswith(b"\n"), "the process has ended"
        return json.loads(line)

    async def send(self, method: str, params: Any = None, **id_: Any) -> None:
        message = {"jsonrpc": "2.0", **id_, "method": method, "params": params or {}}
        await self.write(json.dumps(message).encode())

    async def begin(self, tool: str, **arguments: Any) -> int:
        """Call a tool without waiting; return the id of the request."""
        number = next(self._ids)
        await self.send("tools/call", {"name": tool, "arguments": arguments}, id=number)
        return number

    async def request(self, method: str, params: Any = None) -> Any:
        """Send a request, and return the next message, which must be its answer."""
        number = next(self._ids)
        await self.send(method, params, id=number)
        answer = await self.read()
        assert answer["id"] == number
        return answer

    async def initialize(self) -> Any:
        """Send the first messages of every client; return the server's answer."""
        information = {"name": "tester", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": information}
        answer = await self.request("initialize", params)
        await self.send("notifications/initialized")
        assert "result" in answer, answer
        return answer["result"]

    async def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool and return its result."""
        answer = await self.request("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        return answer["result"]

    async def end(self) -> tuple[int, str]:
        """Close the process's stdin; return its exit code, and what is on stderr."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return await self.ended()

    async def ended(self) -> tuple[int, str]:
        """Wait for the process's end; return its exit code, and what is on stderr."""
        assert self.process.stderr is not None
        code = await asyncio.wait_for(self.process.wait(), WAIT_SECONDS)
        return code, (await self.process.stderr.read()).decode()

    async def rest(self) -> list[Any]:
        """Return the messages up to the end of stdout."""
        assert self.process.stdout is not None
        return [json.loads(line) for line in (await self.process.stdout.read()).splitlines()]


@asynccontextmanager
async def mcp_stdio(environment: Mapping[str, str], cwd: Path) -> AsyncIterator[McpStdio]:
    """Start a process, and kill it at the end if it still runs."""
    client = await McpStdio.start(environment, cwd)
    try:
        yield client
    finally:
        if client.process.returncode is None:
            client.process.kill()
        await client.process.communicate()


def address(port: int, token: str) -> dict[str, str]:
    """Return the environment that names a server."""
    return {PORT: str(port), TOKEN: token}
