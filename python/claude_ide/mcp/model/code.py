"""Running code in the user's Jupyter kernel."""

from typing import Annotated

from msgspec import Meta

from claude_ide.mcp.client import Client
from claude_ide.mcp.execution import SECONDS, execute
from claude_ide.mcp.tool import Caller, Content, model_tool
from claude_ide.mcp.tools.code import ExecuteCode
from claude_ide.tool_names import EXECUTE_CODE, EXECUTE_CODE_TITLE


class ExecuteCodeFor(ExecuteCode, frozen=True):
    """Arguments of `execute_code`."""

    seconds: Annotated[
        int, Meta(ge=1, le=3600, description="Time limit, after which the code is interrupted")
    ] = SECONDS


@model_tool(
    EXECUTE_CODE,
    EXECUTE_CODE_TITLE,
    is_read_only=False,
    asks_user=True,
    asks_in_request=True,
)
async def execute_code(client: Client, arguments: ExecuteCodeFor, caller: Caller) -> Content:
    """Run code in the user's live Jupyter kernel, which keeps its variables between calls.

    The user sees each call, and may edit or refuse it. Returns output, values, errors and images.
    """
    return await execute(client, arguments.code, arguments.seconds, caller)
