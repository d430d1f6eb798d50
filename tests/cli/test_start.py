"""The real CLI with the stand-in for the model, without an editor; the other tests rely on this."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from support.fake_api import FakeApi, edit, text
from support.neovim import until

from .conftest import StartClaude


async def test_a_prompt_is_sent_and_the_scripted_answer_is_on_the_screen(
    api: FakeApi, start_claude: StartClaude
) -> None:
    api.script([text("Hello from the script.")])
    claude = await start_claude()

    await claude.prompt("Say hello")

    await claude.shows("● Hello from the script.")
    assert "Say hello" in api.requests[0].new_text


async def test_without_an_editor_the_cli_asks_about_an_edit_in_its_terminal(
    api: FakeApi, start_claude: StartClaude, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("one\ntwo\n")
    api.script(*edit(path, "two", "TWO", then="All done."))
    claude = await start_claude("--permission-mode", "default")

    await claude.prompt("Shout")
    await claude.shows("Do you want to make this edit to a.py?")
    assert path.read_text() == "one\ntwo\n"
    await claude.answer("Enter")

    await claude.shows("● All done.")
    assert path.read_text() == "one\nTWO\n"
    assert "updated successfully" in api.requests[2].new_text


@dataclass
class Recorder:
    """An IDE that records the methods of requests and the headers of their connection."""

    port: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    methods: list[str] = field(default_factory=list)

    async def record(self, connection: ServerConnection) -> None:
        assert connection.request
        self.headers = {name.lower(): value for name, value in connection.request.headers.items()}
        async for message in connection:
            self.methods.append(json.loads(message)["method"])


@asynccontextmanager
async def recorder(config_folder: Path, workspace: Path) -> AsyncIterator[Recorder]:
    """Yield a recorder with a lock file, like an IDE that has `workspace` open."""
    ide = Recorder()
    async with serve(ide.record, "127.0.0.1", 0, subprotocols=[Subprotocol("mcp")]) as server:
        ide.port = next(iter(server.sockets)).getsockname()[1]
        fields = {
            "pid": os.getpid(),
            "workspaceFolders": [str(workspace)],
            "ideName": "Recorder",
            "transport": "ws",
            "runningInWindows": False,
            "authToken": "the-token",
        }
        lock = config_folder / "ide" / f"{ide.port}.lock"
        lock.parent.mkdir(parents=True)
        lock.write_text(json.dumps(fields))
        yield ide


@pytest.mark.parametrize("way", ["environment", "lock file"])
async def test_the_cli_finds_an_ide_and_initializes_it(
    start_claude: StartClaude, project: Path, config_folder: Path, way: str
) -> None:
    async with recorder(config_folder, project) as ide:
        if way == "environment":
            await start_claude(ide_port=ide.port)
        else:
            await start_claude("--ide")

        await until(lambda: ide.methods, "a request", 30)

    assert ide.methods[0] == "initialize"
    assert ide.headers["sec-websocket-protocol"] == "mcp"
    assert ide.headers["x-claude-code-ide-authorization"] == "the-token"
