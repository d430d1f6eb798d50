"""The user's screen: what the user sees there and has seen, and what the model shows there.

That are windows, places, lists, registers and messages. What the model shows takes nobody away from
what they do.
"""

import re
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from claude_ide.base.errors import ToolError
from claude_ide.editor.operations import unless_busy
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.buffers import not_private
from claude_ide.mcp.model.common import (
    FilePath,
    Limit,
    Line,
    Offset,
    column,
    count,
    lines_at,
    page,
    remaining,
)
from claude_ide.mcp.tool import Content, model_tool, text

LINE_CHARACTERS = 300
NOTE_CHARACTERS = 200
MOST_JUMPS = 50

READABLE = re.compile(r'[A-Za-z0-9"\-#%*+]')
"""Not `=`, which is evaluated when it is read."""

TYPED = ".:/"
"""What the user has typed, in whatever file or command."""

READ_AT_ONCE = 100
"""Entries that are read at once: an editor looks for each from the beginning of the list."""

MOST_ENTRIES = 1000
SET_AT_ONCE = 50
"""Entries that are added at once."""

KINDS = {"E": "error", "W": "warning", "I": "info", "N": "note", "H": "hint"}

List = Annotated[
    Literal["quickfix", "location"],
    Meta(
        description="The quickfix list, or the location list of the window that the user works in"
    ),
]

Column = Annotated[int | None, Meta(description="Column, from 1, in characters")]
EndLine = Annotated[int | None, Meta(description="Last line; default: the first one")]


class ListEntry(msgspec.Struct, frozen=True, omit_defaults=True):
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
    list[ListEntry],
    Meta(min_length=1, max_length=MOST_ENTRIES, description="The places, in the order to show"),
]
Title = Annotated[str, Meta(min_length=1, max_length=200, description="What the list is about")]


class HighlightedLines(msgspec.Struct, frozen=True, omit_defaults=True):
    """Lines to highlight."""

    file: FilePath
    line: Line
    end_line: EndLine = None
    note: Annotated[str, Meta(description="A few words, shown behind the first line")] = ""


# What the user sees.


@model_tool("windows", "Visible windows")
async def windows(
    client: Client,
    text: Annotated[
        bool, Meta(description="Whether to return the lines that are on screen")
    ] = True,
) -> Content:
    """Return what the user sees: the windows of the tab page, the cursors, the lines on screen."""
    found = await client.tools.windows({"text": text})
    lines: list[str] = []
    for window in found["windows"] or []:
        lines.append(_window(window))
        lines += map(_line, not_private(client, window))
    shown = count(len(found["windows"] or []), "window")
    return page(f"{shown} in this tab page; {count(found['tabpages'], 'tab page')}", lines)


@model_tool("selection", "The user's selection")
async def selection(client: Client) -> Content:
    """Return what the user has selected; without a selection, the position of the cursor."""
    reported = await unless_busy(client.editor.port.selection.latest())
    found = client.editor.private_files.selection(reported) or {}
    path = found.get("filePath")
    if not path:
        return page("The user has not been in a file.", ())
    first, last = found["selection"]["start"], found["selection"]["end"]
    lines = await lines_at(client.editor, ((path, each["line"]) for each in (first, last)))

    def place(at: dict[str, int]) -> str:
        line = at["line"]
        return f"{line + 1}:{column(lines.at(path, line), at['character'], 'utf-16')}"

    start = f"{path}:{place(first)}"
    if found["selection"]["isEmpty"]:
        return page(f"Nothing is selected; the cursor is at {start}", ())
    text = "\n".join(found["text"]) if isinstance(found["text"], list) else found["text"]
    return page(f"Selected from {start} to {place(last)} (exclusive)", text.split("\n"))


@model_tool("marks", "The user's marks")
async def marks(
    client: Client,
    file: Annotated[
        str | None, Meta(description="Absolute path of a file; default: the current one")
    ] = None,
) -> Content:
    """List the marks that the user has set: a to z of a file, and the global ones A to Z."""
    named = {"file": file} if file else {}
    bufnr = (await client.tools.evaluate({"expression": "0", **named}))["bufnr"]
    known = (await evaluated(client, f"[getmarklist({bufnr}), getmarklist()]"))["value"]
    # The others are positions of the last change, jump and so on.
    found = [mark for mark in chain(*known) if re.fullmatch("'[A-Za-z]", mark["mark"])]
    places = await _described(
        client, [(mark["pos"][0] if "file" in mark else bufnr, *mark["pos"][1:3]) for mark in found]
    )
    for number, each in places.items():
        if file_of := found[number].get("file"):
            each["path"] = str(Path(file_of).expanduser())
    shown = [(found[number]["mark"][1:], each) for number, each in places.items()]
    shown = await client.without_private(shown, lambda each: str(each[1]["path"]))
    return page(count(len(shown), "mark"), (f"{name} {_place(each)}" for name, each in shown))


@model_tool("jumps", "Where the user was")
async def jumps(client: Client) -> Content:
    """List where the user has jumped from and what the user has changed, the latest first."""
    found = await evaluated(client, "[getjumplist()[0], getchangelist()[0]]")
    jumped, changed = (reversed(each[-MOST_JUMPS:]) for each in found["value"])
    before = [(each["bufnr"], each["lnum"], each["col"] + 1) for each in jumped]
    changes = [(found["bufnr"], each["lnum"], each["col"] + 1) for each in changed]
    places = await _described(client, before + changes)
    lines = {number: _place(each) for number, each in places.items()}
    return page(
        "Jumps in the current window:",
        [
            *(line for number, line in lines.items() if number < len(before)),
            "Changes of the current file:",
            *(line for number, line in lines.items() if number >= len(before)),
        ],
    )


async def evaluated(client: Client, expression: str) -> dict[str, Any]:
    """Return the `value` of an expression in the window that the user works in, and its `bufnr`."""
    return await client.tools.evaluate({"expression": expression})


async def _described(
    client: Client, places: list[tuple[int, int, int]]
) -> dict[int, dict[str, Any]]:
    """Return places by their numbers, without those in private files; columns are from 1."""
    given = [(bufnr, line, col - 1) for bufnr, line, col in places]
    found = (await client.tools.places({"places": given}))["places"] or []
    return {each["number"]: each for each in found}


@model_tool("register", "A register")
async def register(
    client: Client,
    name: Annotated[str, Meta(min_length=1, max_length=1, description='Its name, such as a or "')],
) -> Content:
    """Return the text of one of the user's registers. The clipboard is usually not allowed."""
    if name in TYPED:
        raise ToolError(f"register {name} has what the user has typed, which is not for the model")
    if not READABLE.fullmatch(name):
        raise ToolError(f"there is no register {name} to read")
    allows = client.config.tools.clipboard
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
async def quickfix(
    client: Client, list_: List = "quickfix", offset: Offset = 0, limit: Limit = 200
) -> Content:
    """Return the entries of the quickfix list or of the location list."""
    get = "getqflist(" if list_ == "quickfix" else "getloclist(0, "
    facts = (await evaluated(client, get + "{'title': 0, 'idx': 0, 'size': 0})"))["value"]
    end, size = offset + limit, facts["size"]
    entries: list[dict[str, Any]] = []
    for first in range(offset, min(end, size), READ_AT_ONCE):
        rows = f"range({first + 1}, {min(first + READ_AT_ONCE, end, size)})"
        items = f"""map({rows}, '{get}{{"idx": v:val, "items": 0}}).items[0]')"""
        part = (await evaluated(client, items))["value"]
        at = [(each["bufnr"], each["lnum"], each["col"]) for each in part]
        places = await _described(client, at)
        for number, each in places.items():
            entry = part[number]
            is_exact = entry["col"] > 0 and not entry["vcol"]
            column = each["column"] if is_exact else entry["col"]
            entries.append({**entry, "path": each["path"], "column": column})
    # Entries about private files are not counted.
    total = size - max(0, min(size, end) - offset - len(entries))
    title = f"; title: {facts['title']}" if facts["title"] else ""
    current = f"; the user is at entry {facts['idx']}" if total else ""
    heading = f"{total:,} {'entry' if total == 1 else 'entries'}{title}{current}"
    is_named = client.editor.private_files.is_named
    lines = (
        "  " if not each["path"] and is_named(each["text"]) else _entry(each) for each in entries
    )
    return page(heading, lines, remaining(total, offset, entries))


@model_tool("messages", "Recent messages")
async def messages(
    client: Client,
    limit: Annotated[int, Meta(ge=1, le=200, description="How many lines at most")] = 50,
) -> Content:
    """Return the last lines of Neovim's :messages, such as errors that the user has just seen."""
    lines = (await client.tools.messages())["lines"][-limit:]
    return page(count(len(lines), "line"), lines)


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


def _entry(entry: dict[str, Any]) -> str:
    if not entry["valid"]:
        return f"  {entry['text']}"
    kind = KINDS.get(entry["type"].upper(), "")
    kind = f"{kind}: " if kind else ""
    return f"{entry['path']}:{entry['lnum']}:{entry['column']}: {kind}{entry['text']}"


def _cut(text: str) -> str:
    return f"{text[:LINE_CHARACTERS]}…" if len(text) > LINE_CHARACTERS else text


# What the model shows.


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
        list[HighlightedLines],
        Meta(min_length=1, max_length=100, description="The lines, with notes"),
    ],
) -> Content:
    """Highlight lines in the user's windows, each with a note, until the user dismisses them.

    Call `open_file` as well to have the user look at them.
    """
    fields: list[dict[str, Any]] = msgspec.to_builtins(ranges)
    for each in fields:
        if len(each.get("note", "")) > NOTE_CHARACTERS:
            each["note"] = f"{each['note'][:NOTE_CHARACTERS]}…"
    await client.tools.highlight({"ranges": fields})
    return text(f"Highlighted {count(len(ranges), 'range')}.")


@model_tool("clear_highlights", "Remove the highlights")
async def clear_highlights(client: Client) -> Content:
    """Remove all lines that were highlighted."""
    await client.tools.clear_highlights()
    return text("There are no highlights any more.")


async def _set_list(
    client: Client, title: str, wanted: list[ListEntry], list_: str, how: str
) -> None:
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
    for first in range(0, len(entries), SET_AT_ONCE):
        part = entries[first : first + SET_AT_ONCE]
        set_ = await client.tools.set_list({**fields, "entries": part})
        fields = {"list": list_, "how": "more", "id": set_["id"]}
