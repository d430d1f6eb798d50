"""Chats with two agents: Otter, the usual one, and Beaver."""

import sys
from pathlib import Path
from typing import Any

from support.another_agent import ALL, AnotherAgent, AnotherKind
from support.chats_here import ChatsHere
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Panel
from support.river import REPORT

AGENTS = {
    "otter": {"cmd": [sys.executable], "name": "Otter"},
    "beaver": {"cmd": [sys.executable], "name": "Beaver"},
}


class Pond:
    """The chats; `otter` and `beaver` are the kinds of agents."""

    def __init__(self, nvim: Neovim, folder: Path, *, needs_trust: bool) -> None:
        self.nvim = nvim
        self.panel = Panel(nvim)
        self.otter = AnotherKind()
        self.beaver = AnotherKind(ALL, "beaver", "Beaver", needs_trust=needs_trust)
        self.folder = folder
        self._running: list[ChatsHere] = []

    async def start(self) -> None:
        """Make this test the host; call it again for a new host."""
        here = await ChatsHere.start(self.nvim, self.otter, self.folder, self.beaver)
        self._running.append(here)
        await self.nvim.lua(CONFIGURE, {"agents": AGENTS})
        await self.nvim.lua(REPORT)

    async def close(self) -> None:
        """Stop all hosts."""
        for here in self._running:
            await here.close()

    @property
    def here(self) -> ChatsHere:
        """The host."""
        return self._running[-1]

    async def command(self, words: str) -> None:
        """Run `:ClaudeChat`."""
        await self.nvim.command(f"stopinsert | ClaudeChat {words}")

    async def agent(self, kind: AnotherKind, count: int = 1) -> AnotherAgent:
        """Wait until `count` agents of a kind exist; return the last one."""
        await until(lambda: len(kind.agents) >= count, f"agent {count} of {kind.id}")
        return kind.agents[-1]

    async def calls(self, agent: AnotherAgent, kind: str) -> list[tuple[Any, ...]]:
        """Wait until an agent has received a call of a kind; return all of these."""
        found = lambda: [call for call in agent.calls if call[0] == kind]  # noqa: E731
        return list(await until(found, f"{kind} of {agent.name}"))

    async def reports(self, words: str) -> str:
        """Wait for a message with `words`; return it."""

        async def reported() -> str:
            texts = await self.nvim.lua("return _G.reports")
            return next((text for text in texts if words in text), "")

        return str(await until(reported, f"{words!r} is reported"))
