"""The selection, or the cursor's position."""

from typing import Any

from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Content, NoArguments, json_text, tool


@tool("getCurrentSelection")
async def get_current_selection(client: Client, _arguments: NoArguments) -> Content:
    """Return the selected text and its range in the current file, or the cursor's position."""
    return _described(await client.editor.current_selection(), "No active editor found")


@tool("getLatestSelection")
async def get_latest_selection(client: Client, _arguments: NoArguments) -> Content:
    """Return the last selection in a file, also while the user is in a terminal."""
    return _described(await client.editor.latest_selection(), "No selection available")


def _described(selection: dict[str, Any] | None, otherwise: str) -> Content:
    if selection is None:
        return json_text({"success": False, "message": otherwise})
    return json_text({"success": True, **selection})
