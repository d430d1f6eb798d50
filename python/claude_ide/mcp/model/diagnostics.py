"""Errors and warnings, and how to mend them."""

import asyncio
import contextlib
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any, Literal

from msgspec import Meta

from claude_ide.base.names import NEOVIM, editor_name
from claude_ide.editor.editor import PENDING
from claude_ide.editor.events import Diagnostics
from claude_ide.editor.port.tools import ServerDiagnostic
from claude_ide.editor.protocol import character_of, index_of, listed
from claude_ide.editor.servers import LanguageServers, ServerQuestion
from claude_ide.mcp.baseline import PUBLISH_SECONDS, diagnosed
from claude_ide.mcp.client import Client
from claude_ide.mcp.model.common import (
    Limit,
    Offset,
    Words,
    column,
    count,
    excerpt,
    lines_at,
    page,
    remaining,
)
from claude_ide.mcp.model.edits import CODE_ACTION
from claude_ide.mcp.tool import Content, model_tool

SEVERITIES = ("error", "warning", "info", "hint")

DETAILS_SECONDS = 6.0
"""How long to wait for fixes and for Neovim. Without them the diagnostics are still useful."""

FIRST_PUBLISH_SECONDS = 3.0
"""How long servers may take that do not know the file yet, and publish nothing."""

FIXES_SECONDS = 4.0

MOST_ASKED, MOST_FIXES = 100, 5
"""For how many diagnostics fixes are asked for, and how many are listed for each."""

LONGEST_TITLE = 200

Item = dict[str, Any]


@model_tool("diagnostics", "Errors and warnings", is_always_loaded=True)
async def diagnostics(
    client: Client,
    file: Annotated[
        Words | None,
        Meta(description="Absolute path of a file, open or not; default: all open files"),
    ] = None,
    severity: Annotated[
        Literal["error", "warning", "info", "hint"], Meta(description="The least severe to list")
    ] = "hint",
    offset: Offset = 0,
    limit: Limit = 100,
) -> Content:
    """Return the errors and warnings of one file, with the fixes on offer, or of all open files.

    Changes on disk are loaded first, and the language servers and linters have checked them.
    """
    bufnr = None
    if file:
        bufnr, known = await _of_file(client, file)
    else:
        known = await diagnosed(client.editor, None)
    wanted = SEVERITIES[: SEVERITIES.index(severity) + 1]
    entries = [entry for path in sorted(known) for entry in _entries(path, known[path], wanted)]
    shown = entries[offset : offset + limit]
    shown = await client.without_private(shown, lambda entry: str(entry["path"]))
    await _add_details(client, shown, bufnr)
    heading = _heading(entries) if entries else "No problem was found."
    return page(heading, [*_notes(known), *_lines(shown)], remaining(len(entries), offset, shown))


async def _of_file(client: Client, path: str) -> tuple[int, dict[str, Diagnostics]]:
    """Return the buffer and the diagnostics of a file; what does not know it yet gets more time."""
    prepared = await client.tools.load({"file": path})
    bufnr, was_cold = prepared["bufnr"], prepared["is_new"]
    if editor_name() == NEOVIM:
        was_cold = not await client.editor.servers.read(bufnr, FIRST_PUBLISH_SECONDS) or was_cold
    is_settled = not was_cold or await client.editor.checks.wait([bufnr], PUBLISH_SECONDS)
    known = await diagnosed(client.editor, path)
    known[path].note = known[path].note or ("" if is_settled else PENDING)
    return bufnr, known


def _entries(path: str, known: Diagnostics, wanted: tuple[str, ...]) -> list[Item]:
    """Return the wanted items of a file in the order of their places."""
    entries = [
        {**item, "path": path, "severity": item["severity"].lower(), **item["range"]["start"]}
        for item in known.items
        if item["severity"].lower() in wanted
    ]
    return sorted(entries, key=lambda entry: (entry["line"], entry["character"]))


async def _add_details(client: Client, entries: list[Item], bufnr: int | None) -> None:
    """Add the column and the line of each entry, and, to those of a buffer, fixes on offer."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DETAILS_SECONDS):
            places = ((entry["path"], entry["line"]) for entry in entries)
            lines = await lines_at(client.editor, places)
            for entry in entries:
                line = entry["row"] = lines.at(entry["path"], entry["line"])
                entry["column"] = column(line, entry["character"], "utf-16")
                entry["text"] = excerpt(line, index_of(line, entry["character"], "utf-16"))
            if entries and bufnr is not None and editor_name() == NEOVIM:
                await _add_fixes(client.editor.servers, bufnr, entries[:MOST_ASKED])


async def _add_fixes(servers: LanguageServers, bufnr: int, entries: list[Item]) -> None:
    view = await servers.look(ServerQuestion(CODE_ACTION, {}), bufnr)
    offering = {server.id for server in view.servers}
    published: dict[tuple[int, str], list[ServerDiagnostic]] = {}
    for each in await servers.diagnostics(bufnr):
        if each.client in offering and "range" in each.raw:
            published.setdefault((each.row, each.message), []).append(each)
    asked: list[tuple[Item, ServerDiagnostic]] = []
    for entry in entries:
        for each in published.get((entry["line"], entry["message"]), ()):
            start = index_of(entry["row"], each.col, "utf-8")
            if character_of(entry["row"], start, "utf-16") == entry["character"]:
                asked.append((entry, each))
                break
    requests = [(each.client, _wish(view.uri, each.raw)) for _, each in asked]
    replies = await servers.send(CODE_ACTION, requests, bufnr, FIXES_SECONDS) if requests else []
    for (entry, _), reply in zip(asked, replies, strict=True):
        fixes = [action for action in listed(reply.result) if _is_fix(action)]
        entry["fixes"] = [_fix(action) for action in fixes[:MOST_FIXES]]


def _wish(uri: str, raw: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a request for the fixes of a diagnostic."""
    context = {"diagnostics": [raw], "only": ["quickfix"], "triggerKind": 1}
    return {"textDocument": {"uri": uri}, "range": raw["range"], "context": context}


def _is_fix(action: Any) -> bool:
    """Return whether an action is a fix: servers that ignore `only` answer refactorings, too."""
    if not isinstance(action, dict) or action.get("disabled"):
        return False
    title, kind = action.get("title"), action.get("kind", "quickfix")
    is_fix = not isinstance(kind, str) or kind.startswith("quickfix")
    return isinstance(title, str) and bool(title) and is_fix


def _heading(entries: list[Item]) -> str:
    counts = {
        severity: sum(entry["severity"] == severity for entry in entries) for severity in SEVERITIES
    }
    nouns = {"info": "remark"}
    listed = (count(counts[each], nouns.get(each, each)) for each in SEVERITIES if counts[each])
    files = count(len({entry["path"] for entry in entries}), "file")
    return f"{', '.join(listed)} in {files}"


def _notes(known: dict[str, Diagnostics]) -> list[str]:
    """Return what limits the answer, such as a file that nothing has checked."""
    notes: list[str] = []
    for path, diagnostics in known.items():
        if diagnostics.note:
            notes.append(f"Note on {path}: {diagnostics.note}")
        if diagnostics.omitted:
            notes.append(f"Note on {path}: {diagnostics.omitted:,} more are not known here")
    return notes


def _lines(entries: list[Item]) -> Iterator[str]:
    for path, group in groupby(entries, key=lambda entry: entry["path"]):
        yield path
        for entry in group:
            known = (str(entry[key]) for key in ("source", "code") if entry.get(key) is not None)
            rule = f" ({rule})" if (rule := " ".join(known)) else ""
            first, *more = list(filter(str.strip, entry["message"].splitlines())) or [""]
            place = f"{entry['line'] + 1}:{entry.get('column', entry['character'] + 1)}"
            yield f"  {place}: {entry['severity']}: {first}{rule}"
            yield from (f"    {line}" for line in more)
            yield from [f"    | {entry['text']}"] if entry.get("text") else []
            yield from (f"    fix: {fix}" for fix in entry.get("fixes", ()))


def _fix(action: Item) -> str:
    title = re.sub(r"\s+", " ", action["title"])[:LONGEST_TITLE]
    return f"{title}{' (preferred)' if action.get('isPreferred') is True else ''}"
