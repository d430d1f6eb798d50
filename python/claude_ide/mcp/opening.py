"""Opens files for clients, and selects the passage that they name by its text."""

import asyncio
from pathlib import Path
from typing import Any

from claude_ide import files
from claude_ide.editor.port import Port

LARGEST = 50_000_000
"""Bytes. The editor does not load larger files, either (`file/path`)."""

NO_START = "The file does not contain the start text."
NO_END = "The file does not contain the end text after the start text."


async def open_file(
    port: Port,
    path: str,
    make_frontmost: bool = True,
    *,
    start_text: str | None = None,
    end_text: str | None = None,
    to_end_of_line: bool = False,
) -> dict[str, Any]:
    """Open a file and select from one text to the end of another, or the first one alone.

    Returns what the editor does (`claude_ide.OpenedFile`), and whether the texts were `found`.
    """
    request: dict[str, Any] = {"path": path, "make_frontmost": make_frontmost}
    if not start_text:
        return await port.buffers.open_file(request)
    text = await _text(port, path)
    found, missing = passage(text, start_text, end_text or "", to_end_of_line)
    opened = await port.buffers.open_file(request | ({"passage": found} if found else {}))
    note = " ".join(filter(None, (opened.get("note"), missing)))
    return opened | {"found": not missing} | ({"note": note} if note else {})


async def _text(port: Port, path: str) -> str:
    """Return the text of a buffer or a file; empty if there is neither."""
    loaded = await port.buffers.text(path)
    if loaded is not None:
        return loaded.text
    content = await asyncio.to_thread(files.read_if_sound, Path(path), LARGEST) or b""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def passage(
    text: str, start: str, end: str, to_end_of_line: bool
) -> tuple[dict[str, dict[str, int]] | None, str]:
    """Return the passage from `start` to the end of the next `end`, or of `start` if that is empty.

    Its `first` and `last` have a `row` and a `col` in bytes, from 0; `last` is exclusive. The other
    value is a sentence on a text that is missing, or empty.
    """
    text, start, end = (each.replace("\r\n", "\n") for each in (text, start, end))
    text = text.removesuffix("\n")
    first = text.find(start)
    if first < 0:
        return None, NO_START
    last, missing = first + len(start), ""
    if end:
        stop = text.find(end, last)
        last, missing = (stop + len(end), "") if stop >= 0 else (last, NO_END)
    if to_end_of_line:
        stop = text.find("\n", last)
        last = stop if stop >= 0 else len(text)
    return {"first": _position(text, first), "last": _position(text, last)}, missing


def _position(text: str, offset: int) -> dict[str, int]:
    before = text[:offset]
    line = before.rpartition("\n")[2]
    return {"row": before.count("\n"), "col": len(line.encode("utf-8", "surrogateescape"))}
