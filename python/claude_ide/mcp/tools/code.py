"""Running code in the Jupyter kernel of Neovim."""

from typing import Annotated

from msgspec import Meta

from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Arguments, Caller, Content, tool


class ExecuteCode(Arguments, frozen=True):
    """Arguments of `executeCode`."""

    code: Annotated[str, Meta(description="Code in the kernel's language, usually Python")]


@tool("executeCode", asks_user=True)
async def execute_code(client: Client, arguments: ExecuteCode, caller: Caller) -> Content:
    """Run code in the user's live Jupyter kernel; the user may edit or refuse it."""
    # Few users have code run, and the start need not wait for this.
    from claude_ide.mcp.execution import SECONDS, execute

    return await execute(client, arguments.code, SECONDS, caller)
