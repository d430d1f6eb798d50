"""Registers, quickfix and location lists, messages."""

import re
from typing import Annotated, Any, Literal

from msgspec import Meta

from claude_ide.errors import ToolError
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.pages import count, page, remaining
from claude_ide.mcp.model.place import Limit, Offset
from claude_ide.mcp.tool import Arguments, Content, model_tool

List = Annotated[
    Literal["quickfix", "location"],
    Meta(
        description="The quickfix list, or the location list of the window that the user works in"
    ),
]
READABLE = re.compile(r'[A-Za-z0-9"\-#%*+]')
"""Not `=`, which is evaluated when it is read."""

TYPED = ".:/"
"""What the user has typed, in whatever file or command."""

PORTION = 100
"""Entries that are read at once: an editor looks for each from the beginning of the list."""

KINDS = {"E": "error", "W": "warning", "I": "info", "N": "note", "H": "hint"}


class Register(Arguments, frozen=True):
    """Arguments of `register`."""

    name: Annotated[str, Meta(min_length=1, max_length=1, description='Its name, such as a or "')]


class Quickfix(Arguments, frozen=True):
    """Arguments of `quickfix`."""

    list: List = "quickfix"
    offset: Offset = 0
    limit: Limit = 200


class Messages(Arguments, frozen=True):
    """Arguments of `messages`."""

    limit: Annotated[int, Meta(ge=1, le=200, description="How many lines at most")] = 50


@model_tool("register", "A register")
async def register(client: Client, arguments: Register) -> Content:
    """Return the text of one of the user's registers. The clipboard is usually not allowed."""
    name, allows = arguments.name, client.config.tools.clipboard
    if name in TYPED:
        raise ToolError(f"register {name} has what the user has typed, which is not for the model")
    if not READABLE.fullmatch(name):
        raise ToolError(f"there is no register {name} to read")
    found = await client.tools.register({"name": name, "allows_clipboard": allows})
    if "is_clipboard" in found:
        raise ToolError("the clipboard is not for the model (tools.clipboard)")
    if "is_private" in found:
        raise ToolError("its text is from a file that the user keeps private")
    lines = found["lines"] or []
    heading = count(found["total"], "line") if lines else "The register is empty."
    left_out = found["total"] - len(lines)
    return page(heading, lines, f"({left_out:,} more lines)" if left_out else "")


@model_tool("quickfix", "Quickfix or location list")
async def quickfix(client: Client, arguments: Quickfix) -> Content:
    """Return the entries of the quickfix list or of the location list."""
    offset, end = arguments.offset, arguments.offset + arguments.limit
    entries: list[dict[str, Any]] = []
    for first in range(offset, end, PORTION):
        part = {"list": arguments.list, "offset": first, "limit": min(PORTION, end - first)}
        found = await client.tools.quickfix(part)
        entries += found["entries"] or []
        if first + PORTION >= found["size"]:
            break
    # Entries about private files are not counted.
    total = found["size"] - max(0, min(found["size"], end) - offset - len(entries))
    title = f"; title: {found['title']}" if found["title"] else ""
    current = f"; the user is at entry {found['current']}" if total else ""
    heading = f"{total:,} {'entry' if total == 1 else 'entries'}{title}{current}"
    is_named = client.editor.private_files.is_named
    lines = (
        "  " if not each["path"] and is_named(each["text"]) else _entry(each) for each in entries
    )
    return page(heading, lines, remaining(total, offset, entries))


@model_tool("messages", "Recent messages")
async def messages(client: Client, arguments: Messages) -> Content:
    """Return the last lines of Neovim's :messages, such as errors that the user has just seen."""
    lines = (await client.tools.messages())["lines"][-arguments.limit :]
    return page(count(len(lines), "line"), lines)


def _entry(entry: dict[str, Any]) -> str:
    if not entry["is_valid"]:
        return f"  {entry['text']}"
    kind = KINDS.get(entry["kind"].upper(), "")
    kind = f"{kind}: " if kind else ""
    return f"{entry['path']}:{entry['line']}:{entry['column']}: {kind}{entry['text']}"
