"""A session with Neovim, language servers and Claude, in which every edit is accepted."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from real.installed import node_path, search_path
from real.scene import Scene
from support.chunks import chunk
from support.claude_cli import CARET, ClaudeCli, cli_path, environment, settle_in
from support.claude_code import locks
from support.fake_api import FakeApi, Request
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Panel

HERE = Path(__file__).parent
SHOWN = "return (require('claude_ide.diff').list()[1] or {}).shown"


@dataclass
class TimedApi(FakeApi):
    """A replacement of the model that records the time of each request."""

    arrivals: list[float] = field(default_factory=list)

    def answer(self, request: Request) -> tuple[str, bytes]:
        """Record the time, and answer."""
        answered = super().answer(request)
        self.arrivals.extend([time.time()] * (len(self.requests) - len(self.arrivals)))
        return answered


class Conversation(Protocol):
    """The user's conversation with Claude."""

    async def send(self, words: str) -> None:
        """Send a prompt."""

    async def shows(self, words: str) -> None:
        """Wait until Claude has answered with these words."""


class OwnTerminal:
    """The CLI in its own terminal; Neovim shows the file."""

    def __init__(self, claude: ClaudeCli) -> None:
        self._claude = claude

    async def send(self, words: str) -> None:
        """Send a prompt."""
        await self._claude.prompt(words)

    async def shows(self, words: str) -> None:
        """Wait until Claude has answered with these words."""
        await self._claude.shows(f"● {words}")


class NeovimsTerminal:
    """`:Claude`; the cursor is in the terminal."""

    def __init__(self, nvim: Neovim) -> None:
        self._nvim = nvim

    async def wait_until_ready(self) -> None:
        """Wait until the CLI accepts prompts and is connected."""
        await self._drawn(CARET)
        await self._drawn("⧉")

    async def send(self, words: str) -> None:
        """Send a prompt."""
        if (await self._nvim.mode())["mode"] != "t":
            await self._nvim.keys("i")
        await until(self._accepts_keys, "the terminal accepts keys")
        await self._nvim.keys(words)
        await self._drawn(words)
        await self._nvim.keys("<CR>")

    async def shows(self, words: str) -> None:
        """Wait until Claude has answered with these words."""
        await self._drawn(f"● {words}")

    async def _accepts_keys(self) -> bool:
        return bool((await self._nvim.mode())["mode"] == "t")

    async def _drawn(self, words: str) -> None:
        try:
            await until(lambda: words in self._nvim.screen.text(), f"{words!r}")
        except AssertionError as error:
            error.add_note(self._nvim.screen.text())
            raise


class Chat:
    """`:ClaudeChat`; the cursor is in its prompt."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel

    async def send(self, words: str) -> None:
        """Send a prompt."""
        await self._panel.send(words)

    async def shows(self, words: str) -> None:
        """Wait until Claude has answered with these words."""
        await self._panel.shows(words)


@dataclass
class Session:
    """Neovim, the model, and the conversation."""

    nvim: Neovim
    api: TimedApi
    project: Path
    conversation: Conversation

    async def prompt(self, words: str, answer: str, diffs: int) -> None:
        """Send a prompt, accept `diffs` diffs, and wait for the last words of the answer."""
        await self.conversation.send(words)
        for _ in range(diffs):
            await until(lambda: self.nvim.lua(SHOWN), "the diff is shown")
            await self.nvim.keys(":w<CR>")
            await until(self._is_decided, "the diff is closed")
        await self.conversation.shows(answer)

    async def findings(self) -> list[dict[str, Any]]:
        """Return Neovim's current diagnostics."""
        found: list[dict[str, Any]] = await self.nvim.lua("return Real.findings()")
        return found

    async def drain(self) -> list[dict[str, Any]]:
        """Return the states of Neovim's diagnostics since the last call."""
        found: list[dict[str, Any]] = await self.nvim.lua("return Real.drain()")
        return found

    async def _is_decided(self) -> bool:
        return not await self.nvim.lua(SHOWN)


def is_cli_there() -> bool:
    """Return whether the CLI is installed."""
    return os.access(cli_path(), os.X_OK)


@asynccontextmanager
async def session(
    scene: Scene, mode: str, focus: str, folder: Path, nvim_lint: Path | None
) -> AsyncIterator[Session]:
    """Start Neovim with the scene's project and servers, and Claude in the window for `focus`."""
    project, home = folder / "project", folder / "home"
    config = home / "claude"
    settle_in(home, config, folder, project)
    for name, text in scene.texts.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    async with AsyncExitStack() as running:
        server = await running.enter_async_context(TimedApi.serve())
        given = environment(server, home, config) | {
            "PATH": search_path(),
            "REAL_SERVERS": str(HERE / "servers.lua"),
            "NODE_PATH": str(node_path()),
            "CARGO_NET_OFFLINE": "true",
        }
        nvim = await Neovim.start(
            *("--cmd", "syntax on", "--cmd", "filetype plugin indent on"),
            *("--cmd", f"set runtimepath^={nvim_lint or HERE}"),
            cwd=project,
            home=home,
            env=given,
            columns=160,
            rows=45,
        )
        running.push_async_callback(nvim.stop)
        await open_project(nvim, scene)
        conversation = await CONVERSATIONS[focus](running, nvim, server, project, home, mode)
        yield Session(nvim, server, project, conversation)


async def open_project(nvim: Neovim, scene: Scene) -> None:
    """Configure the servers, open the files, and wait until the servers answer."""
    await nvim.lua(
        chunk("real/enable"), scene.clients, [*reversed(scene.opened)], bool(scene.linter)
    )

    async def ready() -> bool:
        state = await nvim.lua("return Real.ready()")
        return all(state.get(name) for name in scene.clients)

    await until(ready, "the servers are initialized", 60)
    await quiet(nvim)


async def quiet(nvim: Neovim, seconds: float = 2.0) -> None:
    """Wait until all servers are idle and have sent nothing for some seconds."""
    loop = asyncio.get_running_loop()
    since = loop.time()

    async def nothing_new() -> bool:
        nonlocal since
        if await nvim.lua("return #Real.drain() > 0 or Real.is_busy()"):
            since = loop.time()
        return loop.time() - since > seconds

    await until(nothing_new, "the servers are idle", 60)


async def in_the_file(
    running: AsyncExitStack, nvim: Neovim, api: FakeApi, project: Path, home: Path, mode: str
) -> Conversation:
    """Start the CLI in its own terminal."""
    config = home / "claude"
    await nvim.command("ClaudeStart")

    def port() -> int | None:
        ports = [port for port, lock in locks(config) if lock["pid"] == nvim.process.pid]
        return ports[0] if ports else None

    claude = await ClaudeCli.launch(
        *("--permission-mode", mode),
        api=api,
        cwd=project,
        home=home,
        config=config,
        ide_port=await until(port, "a lock file"),
    )
    running.push_async_callback(claude.stop)
    await claude.shows("⧉ In ")
    return OwnTerminal(claude)


async def in_the_terminal(
    _: AsyncExitStack, nvim: Neovim, __: FakeApi, ___: Path, ____: Path, mode: str
) -> Conversation:
    """Start the CLI with `:Claude`."""
    await nvim.lua(CONFIGURE, {"cmd": [str(cli_path())]})
    await nvim.command(f"Claude --permission-mode {mode}")
    terminal = NeovimsTerminal(nvim)
    await terminal.wait_until_ready()
    return terminal


async def in_the_chat(
    _: AsyncExitStack, nvim: Neovim, __: FakeApi, ___: Path, ____: Path, mode: str
) -> Conversation:
    """Start a chat."""
    return Chat(await Panel.open(nvim, [cli_path()], mode=mode))


CONVERSATIONS = {"file": in_the_file, "terminal": in_the_terminal, "chat": in_the_chat}
