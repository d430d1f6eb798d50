"""Running code; there is no kernel to run it."""

from typing import Annotated

from msgspec import Meta

from claude_ide.errors import ToolError
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Arguments, Content, tool


class ExecuteCode(Arguments, frozen=True):
    """Arguments of `executeCode`."""

    code: Annotated[str, Meta(description="Python code")]


@tool("executeCode")
async def execute_code(_client: Client, _arguments: ExecuteCode) -> Content:
    """Run Python in the notebook's kernel; fails while no kernel is attached to Neovim."""
    raise ToolError("No Jupyter kernel is attached to Neovim, so nothing was run")
