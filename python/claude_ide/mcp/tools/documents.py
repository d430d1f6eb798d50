"""Documents: open, save and format files, and check them for unsaved changes."""

from typing import Annotated

from msgspec import Meta

from claude_ide.mcp import opening
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Arguments, CamelCase, Content, json_text, text, tool


class OpenFile(CamelCase, frozen=True):
    """Arguments of `openFile`."""

    file_path: Annotated[str, Meta(description="Absolute path of the file")]
    preview: Annotated[
        bool, Meta(description="Open as a preview; Neovim has no separate window for that")
    ] = False
    start_text: Annotated[
        str | None, Meta(description="Literal text that the selection begins with")
    ] = None
    end_text: Annotated[
        str | None,
        Meta(description="Literal text after startText that the selection ends with"),
    ] = None
    select_to_end_of_line: Annotated[
        bool, Meta(description="Extend the selection to the end of its last line")
    ] = False
    make_frontmost: Annotated[
        bool, Meta(description="Focus the file; if false, open it without focus")
    ] = True


class OpenFiles(Arguments, frozen=True):
    """Arguments of `open_files`."""

    file_paths: Annotated[list[str], Meta(description="Absolute paths of the files")]


class FilePath(CamelCase, frozen=True):
    """Arguments of the tools on one document."""

    file_path: Annotated[str, Meta(description="Absolute path of the file")]


class ReformatFile(Arguments, frozen=True):
    """Arguments of `reformat_file`."""

    file_path: Annotated[str, Meta(description="Absolute path of the file")]


@tool("openFile")
async def open_file(client: Client, arguments: OpenFile) -> Content:
    """Open a file in the editor and, if asked, select the text from startText to endText."""
    opened = await opening.open_file(
        client.editor.port,
        arguments.file_path,
        arguments.make_frontmost,
        start_text=arguments.start_text,
        end_text=arguments.end_text,
        to_end_of_line=arguments.select_to_end_of_line,
    )
    if not arguments.make_frontmost:
        return json_text({"success": True, "filePath": arguments.file_path, **opened})
    note = f" ({opened['note']})" if opened.get("note") else ""
    return text(f"Opened file: {arguments.file_path}{note}")


@tool("open_files")
async def open_files(client: Client, arguments: OpenFiles) -> Content:
    """Open several files; the answer lists those that are now open, and why others are not."""
    files = await client.editor.port.buffers.open_files(arguments.file_paths)
    errors = {"errors": files.errors} if files.errors else {}
    return json_text({"opened_files": files.opened} | errors)


@tool("saveDocument")
async def save_document(client: Client, arguments: FilePath) -> Content:
    """Save a file that is open in the editor, as the user would with :write."""
    path = arguments.file_path
    await client.editor.port.buffers.save(path)
    return json_text({"success": True, "filePath": path, "saved": True, "message": "Saved"})


@tool("checkDocumentDirty")
async def check_document_dirty(client: Client, arguments: FilePath) -> Content:
    """Return whether a file that is open in the editor has unsaved changes."""
    path = arguments.file_path
    known = await client.editor.dirty(path)
    if not known.isOpen:
        reason = f"Document not open: {path}"
        return json_text({"success": False, "filePath": path, "message": reason})
    return json_text(
        {
            "success": True,
            "filePath": path,
            "isDirty": known.isDirty,
            "isUntitled": known.isUntitled,
        }
    )


@tool("reformat_file")
async def reformat_file(client: Client, arguments: ReformatFile) -> Content:
    """Format a file with the user's own formatters, and save it; the answer says what changed."""
    return text(await client.editor.formatting.reformat(arguments.file_path))
