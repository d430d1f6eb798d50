"""Fuzzing: the server keeps answering, and the user sees nothing of it.

The random data comes from a seed, so that failures can be reproduced.
"""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import websockets

from claude_ide.mcp.server import METHODS
from claude_ide.mcp.tool import IDE_TOOLS
from support.claude_code import ClaudeCode, connected, the_lock
from support.either_editor import BOTH, Editor, run
from support.handshake import handshake, tcp
from support.neovim import WAIT_SECONDS, until

pytestmark = BOTH

SEED = 4711


@pytest.fixture
def chance() -> random.Random:
    return random.Random(SEED)


@pytest.fixture
async def address(config_folder: Path, serving: Editor) -> tuple[int, str]:
    """The port and token of the server."""
    port, lock = await the_lock(config_folder)
    return port, lock["authToken"]


@asynccontextmanager
async def undisturbed(nvim: Editor, claude: ClaudeCode) -> AsyncIterator[None]:
    """Check afterwards that no one except the fuzzing client was disturbed."""
    await nvim.command("silent edit notes.txt | call setline(1, ['one', 'two']) | silent write")
    await until(lambda: "two" in nvim.screen.text())
    messages = await nvim.eval("execute('messages')")
    screen = nvim.screen.text()

    yield

    assert await claude.request("ping") == {}
    assert await claude.json("getWorkspaceFolders")
    await until(lambda: nvim.eval("tabpagenr('$') == 1 && winnr('$') == 1"))
    assert await nvim.mode() == {"mode": "n", "blocking": False}
    assert await nvim.eval("execute('messages')") == messages
    await until(lambda: nvim.screen.text() == screen, "the same screen")
    log = Path(await run(nvim, "messages.log.path"))
    assert [line for line in log.read_text().splitlines() if " ERROR " in line] == []


# Handshakes.


def nonsense(chance: random.Random, request: bytes) -> bytes:
    """A handshake with something wrong in it, or random bytes."""
    kind = chance.randrange(5)
    if kind == 0:
        return chance.randbytes(chance.randrange(1, 400))
    if kind == 1:
        return request[: chance.randrange(len(request))]
    if kind == 2:
        lines = request.split(b"\r\n")
        chance.shuffle(lines)
        return b"\r\n".join(lines)
    if kind == 3:
        return request.replace(b"\r\n", chance.choice([b"\n", b"\r", b"\0", b"\r\n\r\n"]))
    spoiled = bytearray(request)
    for _ in range(chance.randrange(1, 6)):
        spoiled[chance.randrange(len(spoiled))] = chance.randrange(256)
    return bytes(spoiled)


async def test_random_handshakes_do_no_harm(
    serving: Editor, claude: ClaudeCode, address: tuple[int, str], chance: random.Random
) -> None:
    async def attempt(sent: bytes) -> None:
        async with tcp(address[0]) as (reader, writer):
            # Of so many at once the server keeps only the latest.
            with suppress(OSError):
                writer.write(sent)
                writer.write_eof()
            with suppress(ConnectionResetError):
                await asyncio.wait_for(reader.read(), WAIT_SECONDS)

    async with undisturbed(serving, claude):
        sent = [nonsense(chance, handshake(*address)) for _ in range(300)]
        await asyncio.gather(*map(attempt, sent))


# Frames.


async def test_random_frames_do_no_harm(
    serving: Editor, claude: ClaudeCode, address: tuple[int, str], chance: random.Random
) -> None:
    def frame() -> bytes:
        size = chance.choice([0, 1, 125, 126, 127])
        head = bytes([chance.randrange(256), chance.choice([0, 128]) | size])
        return head + chance.randbytes(chance.randrange(300))

    async def talk(sent: bytes) -> None:
        async with tcp(address[0]) as (reader, writer):
            writer.write(handshake(*address))
            await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), WAIT_SECONDS)
            writer.write(sent)
            writer.write_eof()
            with suppress(ConnectionResetError):
                await asyncio.wait_for(reader.read(), WAIT_SECONDS)

    async with undisturbed(serving, claude):
        frames = [b"".join(frame() for _ in range(chance.randrange(1, 4))) for _ in range(200)]
        await asyncio.gather(*map(talk, frames))


# JSON.

TEXTS = ["", "x", "ü🎉", "\0", "a\nb", "~", "..", "/nowhere/x", "x" * 2000, "%{1}", "file:///%"]
# Without `content`, so that no file is created that could then be opened.
PARAMETERS = sorted(
    {name for tool in IDE_TOOLS.values() for name in tool.describe()["inputSchema"]["properties"]}
    | {"path", "pattern", "name", "arguments", "requestId", "pid", "level"}
    | {"protocolVersion", "clientInfo", "title", "version", "_meta"}
)


def value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(8 if depth < 3 else 6)
    if kind == 0:
        return None
    if kind == 1:
        return chance.choice([True, False])
    if kind == 2:
        return chance.choice([0, -1, 1, 2**31, 2**64, -(2**70), 1.5, 1e300])
    if kind < 6:
        return chance.choice(TEXTS)
    if kind == 6:
        return [value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {
        chance.choice([*PARAMETERS, *TEXTS]): value(chance, depth + 1)
        for _ in range(chance.randrange(4))
    }


def message(chance: random.Random) -> Any:
    """A value shaped like a message; the method it calls usually exists."""
    shape: dict[str, Any] = {"jsonrpc": chance.choice(["2.0", "2.0", "2.0", "1.0", None])}
    if chance.random() < 0.8:
        shape["id"] = chance.choice([value(chance), chance.randrange(10), "a"])
    if chance.random() < 0.1:
        shape[chance.choice(["result", "error"])] = value(chance)
        return shape
    notifications = ["notifications/initialized", "notifications/cancelled", "ide_connected"]
    shape["method"] = chance.choice([*METHODS, *notifications, "tools/call", value(chance)])
    params = {name: value(chance) for name in chance.sample(PARAMETERS, 4)}
    if shape["method"] == "tools/call":
        name = chance.choice(list(IDE_TOOLS))
        known = IDE_TOOLS[name].describe()["inputSchema"]["properties"]
        params = {"name": name, "arguments": {each: value(chance) for each in known}}
    shape["params"] = chance.choice([params, params, params, value(chance)])
    return shape


async def test_random_json_does_no_harm(
    serving: Editor, claude: ClaudeCode, address: tuple[int, str], chance: random.Random
) -> None:
    async with undisturbed(serving, claude), connected(*address) as client:
        for _ in range(500):
            await client.connection.send(json.dumps(value(chance)))

        # No value breaks its own connection.
        assert await client.request("ping") == {}


async def test_random_messages_do_no_harm(
    serving: Editor, claude: ClaudeCode, address: tuple[int, str], chance: random.Random
) -> None:
    async with undisturbed(serving, claude):
        for _ in range(4):
            async with connected(*address) as client:
                await client.initialize()
                for _ in range(100):
                    batch = [message(chance) for _ in range(chance.randrange(3))]
                    sent = chance.choice([batch, message(chance), message(chance)])
                    await client.connection.send(json.dumps(sent))

                # A random id may have answered one of the server's own requests.
                answer = await asyncio.wait_for(client.connection.ping(), WAIT_SECONDS)
                await asyncio.wait_for(answer, WAIT_SECONDS)
                assert client.connection.state is websockets.State.OPEN
