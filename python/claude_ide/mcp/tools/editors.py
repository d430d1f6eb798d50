"""Open files and working folders."""

from pathlib import Path

from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Content, NoArguments, json_text, text, tool
from claude_ide.paths import to_uri


@tool("getOpenEditors")
async def get_open_editors(client: Client, _arguments: NoArguments) -> Content:
    """List the open files: URI, label, language, whether active, whether changed."""
    return json_text({"tabs": await client.editor.editors()})


@tool("get_all_opened_file_paths")
async def get_all_opened_file_paths(client: Client, _arguments: NoArguments) -> Content:
    """List the absolute paths of the open files, one per line."""
    return text("\n".join(await client.editor.paths()))


@tool("getWorkspaceFolders")
async def get_workspace_folders(client: Client, _arguments: NoArguments) -> Content:
    """List Neovim's working directories: the global one, then those of tab pages and windows."""
    folders = await client.editor.folders()
    described = [
        {"name": Path(folder).name, "uri": to_uri(folder), "path": folder} for folder in folders
    ]
    root = folders[0] if folders else ""
    return json_text({"success": True, "folders": described, "rootPath": root})
