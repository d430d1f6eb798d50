"""What the user sees, and where the user was."""

from typing import Annotated, Any

from msgspec import Meta

from claude_ide.mcp.client import Client
from claude_ide.mcp.model.pages import count, page
from claude_ide.mcp.tool import Arguments, Content, NoArguments, model_tool


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
        lines += map(_line, window.get("lines") or [])
    shown = count(len(found["windows"] or []), "window")
    return page(f"{shown} in this tab page; {count(found['tabpages'], 'tab page')}", lines)


@model_tool("selection", "The user's selection")
async def selection(client: Client, _arguments: NoArguments) -> Content:
    """Return what the user has selected; without a selection, the position of the cursor."""
    found = await client.tools.selection()
    if not found:
        return page("The user has not been in a file.", ())
    first, last = found["first"], found["last"]
    start = f"{found['path']}:{first['line']}:{first['column']}"
    if found["is_empty"]:
        return page(f"Nothing is selected; the cursor is at {start}", ())
    heading = f"Selected from {start} to {last['line']}:{last['column']} (exclusive)"
    return page(heading, found["text"].split("\n"))


@model_tool("marks", "The user's marks")
async def marks(client: Client, arguments: Marks) -> Content:
    """List the marks that the user has set: a to z of a file, and the global ones A to Z."""
    fields = {"file": arguments.file} if arguments.file else {}
    found = (await client.tools.marks(fields))["marks"] or []
    lines = (f"{mark['name']} {_place(mark)}" for mark in found)
    return page(count(len(found), "mark"), lines)


@model_tool("jumps", "Where the user was")
async def jumps(client: Client, _arguments: NoArguments) -> Content:
    """List where the user has jumped from and what the user has changed, the latest first."""
    found = await client.tools.jumps()
    jumped, changed = found["jumps"] or [], found["changes"] or []
    lines = [*map(_place, jumped), "Changes of the current file:", *map(_place, changed)]
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
    return f"  {shown['line']}\t{shown['text']}{folded}"


def _place(place: dict[str, Any]) -> str:
    return f"{place['path'] or '(no name)'}:{place['line']}:{place['column']}: {place['text']}"
