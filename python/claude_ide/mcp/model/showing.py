"""What the model shows the user, without taking them away from what they do."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from claude_ide.base.errors import ToolError
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.common import FilePath, Line, count
from claude_ide.mcp.model.screen import List
from claude_ide.mcp.tool import Content, model_tool, text

MOST = 1000
PORTION = 50
"""Entries that are added at once."""

LONGEST_NOTE = 200
"""Characters."""

Column = Annotated[int | None, Meta(description="Column, from 1, in characters")]
EndLine = Annotated[int | None, Meta(description="Last line; default: the first one")]


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One place in a list."""

    file: FilePath
    line: Line
    column: Column = None
    end_line: EndLine = None
    text: Annotated[str, Meta(description="What the user reads about the place")] = ""
    kind: Annotated[
        Literal["E", "W", "I", "N", ""], Meta(description="Error, warning, information or note")
    ] = ""


Entries = Annotated[
    list[Entry], Meta(min_length=1, max_length=MOST, description="The places, in the order to show")
]
Title = Annotated[str, Meta(min_length=1, max_length=200, description="What the list is about")]


class Range(msgspec.Struct, frozen=True, omit_defaults=True):
    """Lines to highlight."""

    file: FilePath
    line: Line
    end_line: EndLine = None
    note: Annotated[str, Meta(description="A few words, shown behind the first line")] = ""


@model_tool("open_file", "Show a file")
async def open_file(
    client: Client,
    file: FilePath,
    line: Annotated[int | None, Meta(description="Line to go to, from 1")] = None,
    end_line: Annotated[int | None, Meta(description="Select from line to this one")] = None,
) -> Content:
    """Show the user a file, at a line or with lines selected."""
    at = {} if line is None else {"line": line}
    last = {} if end_line is None else {"end_line": end_line}
    opened = await client.tools.show_file({"file": file, **at, **last})
    if "error" in opened:
        return text(opened["error"])
    shown = "" if opened["isShown"] else " in the background"
    note = f" {opened['note']}" if opened.get("note") else ""
    return text(f"Opened {opened['path']}{shown}.{note}")


@model_tool("show_places", "Show a list of places")
async def show_places(client: Client, title: Title, entries: Entries) -> Content:
    """Show the user a list of places as a new quickfix list; earlier lists are kept."""
    await _set_list(client, title, entries, "quickfix", "new")
    await client.tools.open_list({"count": len(entries)})
    return text(f"The user sees {count(len(entries), 'place')} in the quickfix window.")


@model_tool("set_list", "Set the quickfix or location list", is_read_only=False)
async def set_list(
    client: Client,
    title: Title,
    entries: Entries,
    list_: List = "quickfix",
    append: Annotated[
        bool, Meta(description="Append to the current list, which keeps its title")
    ] = False,
) -> Content:
    """Set a new quickfix or location list, or append to the current one, without showing it.

    The user's own lists are kept; a list that was set before by this tool is replaced.
    """
    await _set_list(client, title, entries, list_, "append" if append else "set")
    return text(f"{'Appended' if append else 'Set'} {count(len(entries), 'place')}.")


@model_tool("highlight", "Highlight lines")
async def highlight(
    client: Client,
    ranges: Annotated[
        list[Range], Meta(min_length=1, max_length=100, description="The lines, with notes")
    ],
) -> Content:
    """Highlight lines in the user's windows, each with a note, until the user dismisses them.

    Call `open_file` as well to have the user look at them.
    """
    fields: list[dict[str, Any]] = msgspec.to_builtins(ranges)
    for each in fields:
        if len(each.get("note", "")) > LONGEST_NOTE:
            each["note"] = f"{each['note'][:LONGEST_NOTE]}…"
    await client.tools.highlight({"ranges": fields})
    return text(f"Highlighted {count(len(ranges), 'range')}.")


@model_tool("clear_highlights", "Remove the highlights")
async def clear_highlights(client: Client) -> Content:
    """Remove all lines that were highlighted."""
    await client.tools.clear_highlights()
    return text("There are no highlights any more.")


async def _set_list(client: Client, title: str, wanted: list[Entry], list_: str, how: str) -> None:
    """Set a list, in parts: each is one instant in the editor."""
    files = [{"file": entry.file} for entry in wanted]
    named = (await client.tools.named({"files": files, "buffers": []}))["files"]
    for file in named:
        if file["refusal"]:
            raise ToolError(file["refusal"])
    places = [(file["path"], entry) for file, entry in zip(named, wanted, strict=True)]
    # The columns in bytes are those of loaded buffers.
    rows = [{"path": path, "rows": [entry.line - 1]} for path, entry in places if entry.column]
    lines = iter(await client.editor.port.buffers.lines(rows) if rows else [])
    entries = []
    for path, entry in places:
        column, found = entry.column or 0, next(lines) if entry.column else False
        if isinstance(found, list) and found[0]:
            column = len(found[0][: column - 1].encode("utf-8", "surrogateescape")) + 1
        item = {"filename": path, "lnum": entry.line, "col": column, "type": entry.kind}
        entries.append({**item, "end_lnum": entry.end_line or 0, "text": entry.text})
    fields: dict[str, Any] = {"list": list_, "title": title, "how": how}
    for first in range(0, len(entries), PORTION):
        part = entries[first : first + PORTION]
        set_ = await client.tools.set_list({**fields, "entries": part})
        fields = {"list": list_, "how": "more", "id": set_["id"]}
