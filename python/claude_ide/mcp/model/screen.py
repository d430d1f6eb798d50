"""What the user sees, and where the user was."""

import re
from typing import Annotated, Any

from msgspec import Meta

from claude_ide.mcp.client import Client
from claude_ide.mcp.lsp.source import column, lines_at
from claude_ide.mcp.model.buffers import not_private
from claude_ide.mcp.model.pages import count, page
from claude_ide.mcp.tool import Arguments, Content, NoArguments, model_tool

LONGEST = 300
"""Characters of a line."""

MOST_JUMPS = 50


class Windows(Arguments, frozen=True):
    """Arguments of `windows`."""

    text: Annotated[bool, Meta(description="Whether to return the lines that are on screen")] = True


class Marks(Arguments, frozen=True):
    """Arguments of `marks`."""

    file: Annotated[
        str | None, Meta(description="Absolute path of a file; default: the current one")
    ] = None


@model_tool("windows", "Visible windows")
async def windows(client: Client, arguments: Windows) -> Content:
    """Return what the user sees: the windows of the tab page, the cursors, the lines on screen."""
    found = await client.tools.windows({"text": arguments.text})
    lines: list[str] = []
    for window in found["windows"] or []:
        lines.append(_window(window))
        lines += map(_line, not_private(client, window))
    shown = count(len(found["windows"] or []), "window")
    return page(f"{shown} in this tab page; {count(found['tabpages'], 'tab page')}", lines)


@model_tool("selection", "The user's selection")
async def selection(client: Client, _arguments: NoArguments) -> Content:
    """Return what the user has selected; without a selection, the position of the cursor."""
    found = client.editor.private_files.selection(await client.tools.selection()) or {}
    path = found.get("filePath")
    if not path:
        return page("The user has not been in a file.", ())
    first, last = found["selection"]["start"], found["selection"]["end"]
    line_at = await lines_at(client.editor, ((path, each["line"]) for each in (first, last)))

    def place(at: dict[str, int]) -> str:
        line = at["line"]
        return f"{line + 1}:{column(line_at(path, line), at['character'], 'utf-16')}"

    start = f"{path}:{place(first)}"
    if found["selection"]["isEmpty"]:
        return page(f"Nothing is selected; the cursor is at {start}", ())
    text = "\n".join(found["text"]) if isinstance(found["text"], list) else found["text"]
    return page(f"Selected from {start} to {place(last)} (exclusive)", text.split("\n"))


@model_tool("marks", "The user's marks")
async def marks(client: Client, arguments: Marks) -> Content:
    """List the marks that the user has set: a to z of a file, and the global ones A to Z."""
    fields = {"file": arguments.file} if arguments.file else {}
    found = (await client.tools.marks(fields))["marks"] or []
    # The others are positions of the last change, jump and so on.
    found = [mark for mark in found if re.fullmatch("[A-Za-z]", mark["name"])]
    lines = (f"{mark['name']} {_place(mark)}" for mark in found)
    return page(count(len(found), "mark"), lines)


@model_tool("jumps", "Where the user was")
async def jumps(client: Client, _arguments: NoArguments) -> Content:
    """List where the user has jumped from and what the user has changed, the latest first."""
    found = await client.tools.jumps()
    jumped, changed = (
        [_place(each) for each in reversed((found[key] or [])[-MOST_JUMPS:])]
        for key in ("jumps", "changes")
    )
    lines = [*jumped, "Changes of the current file:", *changed]
    return page("Jumps in the current window:", lines)


def _window(window: dict[str, Any]) -> str:
    facts = [
        window["filetype"],
        window["buftype"],
        f"cursor {window['line']}:{window['column']}",
        f"lines {window['first']}-{window['last']}",
        "current" if window["is_current"] else "",
    ]
    named = window["name"] or "(no name)"
    return f"Window {window['window']}: {named} ({', '.join(filter(None, facts))})"


def _line(shown: dict[str, Any]) -> str:
    last = shown.get("folded_to")
    folded = f" (a closed fold, lines {shown['line']}-{last})" if last else ""
    return f"  {shown['line']}\t{_cut(shown['text'])}{folded}"


def _place(place: dict[str, Any]) -> str:
    named, text = place["path"] or "(no name)", _cut(place["text"].strip())
    return f"{named}:{place['line']}:{place['column']}: {text}"


def _cut(text: str) -> str:
    return f"{text[:LONGEST]}…" if len(text) > LONGEST else text
