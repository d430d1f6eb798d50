"""A chat in a real Neovim with the agent of `another_agent.py`."""

from collections.abc import Awaitable, Callable
from typing import Any

from support.another_agent import AnotherAgent, AnotherKind
from support.chunks import chunk
from support.neovim import Neovim, until
from support.panel import Panel

REPORT = """
_G.reports = {}
vim.notify = function(text) table.insert(_G.reports, (text:gsub('%s+', ' '))) end
"""
FLOAT = chunk("river/float")
"""The text of a float on the screen, or the empty string."""

Begin = Callable[..., Awaitable["River"]]


class River:
    """A chat with the agent."""

    def __init__(self, nvim: Neovim, kind: AnotherKind) -> None:
        self.nvim = nvim
        self.kind = kind
        self.panel = Panel(nvim)

    @property
    def agent(self) -> AnotherAgent:
        return self.kind.agents[-1]

    async def command(self, words: str) -> None:
        """Run `:ClaudeChat`."""
        await self.nvim.command(f"stopinsert | ClaudeChat {words}")

    async def reports(self, words: str) -> None:
        """Wait for a message with `words`."""

        async def reported() -> bool:
            return any(words in text for text in await self.nvim.lua("return _G.reports"))

        await until(reported, f"{words!r} is reported")

    async def wait_for_call(self, kind: str) -> tuple[Any, ...]:
        """Wait until the agent has received a call of this kind; return the last one."""
        calls = self.agent.calls
        await until(lambda: any(call[0] == kind for call in calls), f"the agent receives {kind}")
        return [call for call in calls if call[0] == kind][-1]

    async def press(self, words: str, key: str, call: str) -> tuple[Any, ...]:
        """Press a key on a line of the transcript until the agent receives a call."""
        before = len(self.agent.calls)

        async def pressed() -> bool:
            if len(self.agent.calls) == before and await self.panel.go_to(words):
                await self.nvim.keys(key)
            return len(self.agent.calls) > before

        await until(pressed, f"{key} on {words}")
        return await self.wait_for_call(call)
