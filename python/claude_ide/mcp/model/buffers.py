"""Buffers and folders: what is open, texts that are not saved, and their undo history."""

import asyncio
import time
from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Meta

from claude_ide.base.errors import ToolError
from claude_ide.base.names import editor_name
from claude_ide.base.text_diff import unified
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.common import FilePath, Limit, Offset, count, page, remaining
from claude_ide.mcp.tool import Content, model_tool, text

CONTEXT_LINES = 3

State = Annotated[int, Meta(ge=0, description="Number of the state; 0 is the text as it was read")]


@model_tool("buffers", "List of open buffers")
async def buffers(client: Client) -> Content:
    """List the user's open buffers: path, filetype, and whether there are unsaved changes."""
    found = [each for each in await _all(client) if each["is_listed"] or _is_changed(each)]
    return page(count(len(found), "buffer"), map(_buffer, found))


@model_tool("buffer_text", "Text of a buffer")
async def buffer_text(
    client: Client,
    file: Annotated[str | None, Meta(description="Absolute path of the file")] = None,
    buffer: Annotated[
        int | None, Meta(description="Number of the buffer, for one that has no file")
    ] = None,
    offset: Annotated[int, Meta(ge=0, description="How many lines to skip")] = 0,
    limit: Annotated[int, Meta(ge=1, le=2000, description="How many lines at most")] = 500,
) -> Content:
    """Return lines of a buffer as the user sees them, saved or not.

    The file on disk may have another text, and a buffer without a file is on no disk.
    """
    if (file is None) == (buffer is None):
        raise ToolError("give either file or buffer")
    named = {"file": file} if file else {"bufnr": buffer}
    found = await client.tools.buffer_lines({"offset": offset, "limit": limit, **named})
    total = found["count"]
    if offset >= total:
        raise ToolError(f"the buffer has only {total} lines")
    shown = range(offset + 1, min(total, offset + limit) + 1)
    # Lines that quote private files are empty.
    lines = {each["line"]: each["text"] for each in not_private(client, found)}
    numbered = (f"{number}\t{lines.get(number, '')}" for number in shown)
    unsaved = ", with unsaved changes" if found["is_modified"] else ""
    heading = f"{count(total, 'line')}{unsaved}"
    return page(heading, numbered, remaining(total, offset, shown))


@model_tool("unsaved_changes", "Changes that are not saved")
async def unsaved_changes(
    client: Client,
    file: Annotated[
        str | None, Meta(description="Absolute path of the file; default: all open files")
    ] = None,
) -> Content:
    """Return a diff from the disk to the buffer for each open file with unsaved changes."""
    wanted = None
    if file:
        # Refused if it is private, or not open.
        named = {"file": file, "offset": 0, "limit": 0}
        wanted = (await client.tools.buffer_lines(named))["bufnr"]
    changed = [each for each in await _all(client) if _is_changed(each) and not each["buftype"]]
    files = [
        await client.tools.unsaved({"bufnr": each["bufnr"]})
        for each in changed
        if each["path"] and wanted in (None, each["bufnr"])
    ]
    if not files:
        return page("Everything is saved.", ())
    lines: list[str] = []
    for each in files:
        lines += [f"--- {each['path']} on disk", f"+++ {each['path']} in {editor_name()}"]
        lines += each["note"].splitlines() if "note" in each else await _difference(each)
    return page(f"{count(len(files), 'file')} with unsaved changes", lines)


@model_tool("undo_history", "Undo history of a buffer")
async def undo_history(
    client: Client, file: FilePath, offset: Offset = 0, limit: Limit = 50
) -> Content:
    """List the states of a file's text since it was opened, the newest last, with their ages.

    `undo_diff` shows what has changed between two of them.
    """
    found = await client.tools.undo_tree({"file": file})
    states = sorted(_states(found["tree"]["entries"], 0), key=lambda state: state["seq"])
    last = len(states) - offset
    shown = states[max(0, last - limit) : max(0, last)]
    lines = (_state(state, found["now"]) for state in shown)
    heading = f"{count(len(states), 'state')}; the text is state {found['tree']['seq_cur']}"
    return page(heading, lines, remaining(len(states), offset, shown))


@model_tool("undo_diff", "Difference of two states of a buffer")
async def undo_diff(
    client: Client,
    file: FilePath,
    older: State,
    newer: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="Number of the other state; default: the current text"),
    ] = None,
) -> Content:
    """Return what the user or others have changed between two states of a file's text."""
    tree = (await client.tools.undo_tree({"file": file}))["tree"]
    newer = tree["seq_cur"] if newer is None else newer
    for state in (older, newer):
        if state > tree["seq_last"]:
            raise ToolError(f"there is no state {state}; they are 0 to {tree['seq_last']}")
    found = await client.tools.undo_difference({"file": file, "from": older, "to": newer})
    heading = f"From state {older} to state {newer}"
    return page(heading, await _difference(found) or ["There is no difference."])


@model_tool("working_folders", "Working folders")
async def working_folders(client: Client) -> Content:
    """List the user's working folders, the current one first."""
    known = await client.tools.named({"files": [], "buffers": []})
    found = [*dict.fromkeys((client.editor.private_files.cwd, *known["folders"]))]
    return page(count(len(found), "folder"), found)


@model_tool("save_file", "Save a file", is_read_only=False, is_destructive=True)
async def save_file(client: Client, file: FilePath) -> Content:
    """Save an open file with the user's unsaved changes, as `:write` does.

    The user's autocommands run; they may format the file.
    """
    await client.tools.save({"file": file})
    return text(f"Saved {file}")


async def _all(client: Client) -> list[dict[str, Any]]:
    return list((await client.tools.buffers())["buffers"] or [])


def _is_changed(each: dict[str, Any]) -> bool:
    return bool(each["is_modified"] and each["is_loaded"])


def not_private(client: Client, shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines of a buffer, without those of one that has no file and names private ones.

    What a quickfix list has about such a file is no longer there.
    """
    lines = shown.get("lines") or []
    is_named = client.editor.private_files.is_named
    return [each for each in lines if not shown["buftype"] or not is_named(each["text"])]


async def _difference(found: dict[str, Any]) -> list[str]:
    """Return the lines of a diff: Neovim has made it; Vim, which often cannot, sends both texts."""
    if "diff" in found:
        return list(found["diff"].splitlines())
    older, newer = found["older"], found["newer"]
    lines = await asyncio.to_thread(unified, older, newer, CONTEXT_LINES)
    return [*lines] if lines or older == newer else ["too large to compare"]


def _buffer(each: dict[str, Any]) -> str:
    flags = {
        "current": each["is_current"],
        "shown": each["is_shown"] and not each["is_current"],
        "unsaved changes": each["is_modified"],
        "not loaded": not each["is_loaded"],
        each["buftype"]: each["buftype"] != "",
    }
    named = each["path"] or each["name"] or "(no name)"
    size = count(each["lines"], "line") if each["is_loaded"] else ""
    facts = [each["filetype"], size, *(flag for flag, is_set in flags.items() if is_set)]
    return f"{each['bufnr']}: {named} ({', '.join(filter(None, facts))})"


def _states(entries: Any, branch: int) -> Iterator[dict[str, Any]]:
    """Yield the states of an undo tree with how many branches each is away from the text."""
    for entry in entries or []:
        yield entry | {"branch": branch}
        yield from _states(entry.get("alt"), branch + 1)


def _state(state: dict[str, Any], now: int) -> str:
    age = max(0, now - state["time"])
    facts = [
        f"{age} s ago" if age < 120 else time.strftime("%F %T", time.localtime(state["time"])),
        "saved" if state.get("save") else "",
        f"on branch {state['branch']}" if state["branch"] else "",
    ]
    return f"{state['seq']}: {', '.join(filter(None, facts))}"
