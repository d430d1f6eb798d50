"""Calls the model's tools."""

from typing import Any

from support.either_editor import type_answer
from support.mcp_stdio import McpStdio
from support.neovim import Neovim, until

READY = "filter(luaeval(\"require('claude_ide.diff').list()\"), 'v:val.shown')"


class ModelTools:
    """The tools of a client."""

    def __init__(self, client: McpStdio) -> None:
        self.client = client

    async def text(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must succeed, and return its text."""
        result = await self.client.call(tool, **arguments)
        text: str = result["content"][0]["text"]
        assert not result.get("isError"), text
        return text

    async def error(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail, and return the reason."""
        result = await self.client.call(tool, **arguments)
        text: str = result["content"][0]["text"]
        assert result.get("isError"), text
        return text


class Reviewed:
    """A call whose changes the user reviews."""

    def __init__(self, tools: ModelTools, nvim: Neovim) -> None:
        self.client = tools.client
        self.nvim = nvim
        self.number = 0

    async def begin(self, tool: str, **arguments: Any) -> None:
        """Call a tool without waiting."""
        self.number = await self.client.begin(tool, **arguments)

    async def choose(self, choice: str, question: str) -> None:
        """Answer a question of Neovim's own `vim.ui.select`."""
        await until(lambda: question in self.nvim.screen.text(), question)
        await type_answer(self.nvim, f"{choice}<CR>")

    async def shown(self, text: str = "") -> None:
        """Wait for a diff that accepts keys, with this text on the screen."""
        await until(lambda: self.nvim.eval(f"len({READY})"), "a diff is shown")
        await until(lambda: text in self.nvim.screen.text(), text)

    async def decide(self, command: str, text: str = "") -> None:
        """Wait for a diff, and answer it with an Ex command."""
        await self.shown(text)
        number = await self.nvim.eval(f"{READY}[0].id")
        await self.nvim.keys(f":{command}<CR>")
        still = f"len(filter({READY}, 'v:val.id == {number}'))"
        await until(lambda: self.nvim.eval(f"!{still}"), "the diff is decided")

    async def result(self) -> Any:
        """Return the result of the call."""
        answer = await self.client.read()
        assert answer["id"] == self.number
        return answer["result"]

    async def text(self) -> str:
        """Return the text of a call that must succeed."""
        result = await self.result()
        text: str = result["content"][0]["text"]
        assert not result.get("isError"), text
        return text

    async def error(self) -> str:
        """Return the reason of a call that must fail."""
        result = await self.result()
        text: str = result["content"][0]["text"]
        assert result.get("isError"), text
        return text
