"""Calls the model's tools."""

from typing import Any

from support.mcp_stdio import McpStdio


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
