"""Files and folders: where the user works, and saving what is open."""

from claude_ide.mcp.client import Client
from claude_ide.mcp.model.pages import count, page
from claude_ide.mcp.model.place import File
from claude_ide.mcp.tool import Content, NoArguments, model_tool, text


@model_tool("working_folders", "Working folders")
async def working_folders(client: Client, _arguments: NoArguments) -> Content:
    """List the user's working folders, the current one first."""
    known = await client.tools.named({"files": [], "buffers": []})
    found = [*dict.fromkeys((client.editor.private_files.cwd, *known["folders"]))]
    return page(count(len(found), "folder"), found)


@model_tool("save_file", "Save a file", is_read_only=False, is_destructive=True)
async def save_file(client: Client, arguments: File) -> Content:
    """Save an open file with the user's unsaved changes, as `:write` does.

    The user's autocommands run; they may format the file.
    """
    await client.tools.save(arguments.fields())
    return text(f"Saved {arguments.file}")
