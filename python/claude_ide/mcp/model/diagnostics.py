"""Errors and warnings, and how to mend them."""

import asyncio
from itertools import groupby
from typing import Annotated, Any, Literal

from msgspec import Meta

from claude_ide.editor.editor import PENDING
from claude_ide.editor.state import Diagnostics
from claude_ide.mcp.client import Client
from claude_ide.mcp.diagnosed import PUBLISH_SECONDS, diagnosed
from claude_ide.mcp.model.pages import count, page, remaining
from claude_ide.mcp.model.place import Limit, Offset
from claude_ide.mcp.tool import Arguments, Content, model_tool

SEVERITIES = ("error", "warning", "info", "hint")

DETAILS_SECONDS = 6.0
"""How long to wait for fixes and for Neovim. Without them the diagnostics are still useful."""

Item = dict[str, Any]


class DiagnosticsOf(Arguments, frozen=True):
    """Arguments of `diagnostics`."""

    file: Annotated[
        Annotated[str, Meta(min_length=1)] | None,
        Meta(description="Absolute path of a file, open or not; default: all open files"),
    ] = None
    severity: Annotated[
        Literal["error", "warning", "info", "hint"], Meta(description="The least severe to list")
    ] = "hint"
    offset: Offset = 0
    limit: Limit = 100


@model_tool("diagnostics", "Errors and warnings", is_always_loaded=True)
async def diagnostics(client: Client, arguments: DiagnosticsOf) -> Content:
    """Return the errors and warnings of one file, with the fixes on offer, or of all open files.

    Changes on disk are loaded first, and the language servers and linters have checked them.
    """
    known = await (_of_file(client, arguments.file) if arguments.file else diagnosed(client, None))
    wanted = SEVERITIES[: SEVERITIES.index(arguments.severity) + 1]
    entries = [entry for path in sorted(known) for entry in _entries(path, known[path], wanted)]
    shown = entries[arguments.offset : arguments.offset + arguments.limit]
    details = await _details(client, shown, wants_fixes=arguments.file is not None)
    lines = [
        *_notes(known),
        *_lines([{**entry, **more} for entry, more in zip(shown, details, strict=True)]),
    ]
    heading = _heading(entries) if entries else "No problem was found."
    return page(heading, lines, remaining(len(entries), arguments.offset, shown))


async def _of_file(client: Client, path: str) -> dict[str, Diagnostics]:
    """Return the diagnostics of a file; servers that do not know it yet get more time."""
    prepared = await client.editor.use("tools.diagnostics.prepare", {"file": path})
    buffers = [prepared["bufnr"]]
    is_settled = not prepared["was_cold"] or await client.editor.published(buffers, PUBLISH_SECONDS)
    known = await diagnosed(client, path)
    known[path].note = known[path].note or ("" if is_settled else PENDING)
    return known


def _entries(path: str, known: Diagnostics, wanted: tuple[str, ...]) -> list[Item]:
    """Return the wanted items of a file in the order of their places."""
    entries = [
        {**item, "path": path, "severity": item["severity"].lower(), **item["range"]["start"]}
        for item in known.items
        if item["severity"].lower() in wanted
    ]
    return sorted(entries, key=lambda entry: (entry["line"], entry["character"]))


async def _details(client: Client, entries: list[Item], *, wants_fixes: bool) -> list[Item]:
    """Return the column and the line of each entry, and the fixes on offer."""
    keys = ("path", "line", "character", "message")
    items = [{key: entry[key] for key in keys} for entry in entries]
    if not items:
        return []
    try:
        async with asyncio.timeout(DETAILS_SECONDS):
            found = await client.editor.use(
                "tools.diagnostics.describe", {"items": items, "wants_fixes": wants_fixes}
            )
    except TimeoutError:
        return [{"column": entry["character"] + 1, "text": ""} for entry in entries]
    return list(found["items"])


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


def _lines(entries: list[Item]) -> list[str]:
    lines: list[str] = []
    for path, group in groupby(entries, key=lambda entry: entry["path"]):
        lines.append(path)
        for entry in group:
            lines += _diagnostic(entry)
            lines += [f"    | {entry['text']}"] if entry["text"] else []
            lines += (f"    fix: {_fix(fix)}" for fix in entry.get("fixes") or [])
    return lines


def _diagnostic(entry: Item) -> list[str]:
    rule = " ".join(str(entry[key]) for key in ("source", "code") if entry.get(key) is not None)
    rule = f" ({rule})" if rule else ""
    first, *more = list(filter(str.strip, entry["message"].splitlines())) or [""]
    place = f"{entry['line'] + 1}:{entry['column']}"
    return [f"  {place}: {entry['severity']}: {first}{rule}", *(f"    {line}" for line in more)]


def _fix(fix: Item) -> str:
    return f"{fix['title']}{' (preferred)' if fix['is_preferred'] else ''}"
