"""The Neovims to compare: one without the plugin, one with a running server and a client."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from bench.wire import Wire
from support.claude_code import the_lock
from support.neovim import Neovim, until

LONGEST = 30.0
"""Seconds after which the benchmark gives up."""
INSTRUMENTS = Path(__file__).with_name("instruments.lua")
WITHOUT_PLUGIN = ("--cmd", "let g:loaded_claude_ide = 1")
LISTENING = "return require('claude_ide.host').server() ~= nil"


class Editor:
    """A Neovim with the instruments of `instruments.lua`."""

    def __init__(self, nvim: Neovim, folder: Path) -> None:
        self.nvim = nvim
        self.project = folder / "project"
        self.config_folder = folder / "home" / "claude"

    async def ask(self, function: str, *arguments: Any) -> Any:
        """Call one of the instruments."""
        call = self.nvim.send_request(
            "nvim_exec_lua", f"return bench.{function}(...)", list(arguments)
        )
        return await asyncio.wait_for(call, LONGEST)

    async def report(self, name: str) -> tuple[float, Any]:
        """Wait for the report of an instrument; return its time and payload, and forget it."""

        def find() -> Any:
            found = [
                (index, arguments)
                for index, (method, arguments) in enumerate(self.nvim.notifications)
                if method == "bench" and arguments[0] == name
            ]
            return found[:1]

        ((index, (_, at, payload)),) = await until(find, name, LONGEST)
        del self.nvim.notifications[index]
        return at, payload


@asynccontextmanager
async def editor(*, plugin: bool) -> AsyncIterator[Editor]:
    """Start a Neovim in an empty project."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        (folder / "project").mkdir()
        arguments = () if plugin else WITHOUT_PLUGIN
        nvim = await Neovim.start(*arguments, cwd=folder / "project", home=folder / "home")
        try:
            await nvim.lua(INSTRUMENTS.read_text(encoding="utf-8"), await nvim.channel())
            yield Editor(nvim, folder)
        finally:
            # End Neovim properly, so that the host ends before its folder is removed.
            nvim.send_request("nvim_command", "qa!")
            with suppress(TimeoutError):
                await asyncio.wait_for(nvim.process.wait(), LONGEST)
            await nvim.stop()


@asynccontextmanager
async def serving(path: str = "") -> AsyncIterator[tuple[Editor, Wire]]:
    """Start a Neovim with a server and a client that gets notifications; `/neovim` is a model's."""
    async with editor(plugin=True) as served:
        await served.nvim.command("ClaudeStart!")
        port, lock = await the_lock(served.config_folder)
        await until(lambda: served.nvim.lua(LISTENING), "listening")
        async with Wire.connected(port, lock["authToken"], path) as wire:
            await wire.introduce()
            yield served, wire


async def host_pid(served: Editor) -> int:
    """Return the process id of the host."""
    _, lock = await the_lock(served.config_folder)
    return int(lock["hostPid"])
