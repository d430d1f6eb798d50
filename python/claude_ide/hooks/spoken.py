"""What Claude has said before it uses a tool, from the transcript that the CLI's hooks name.

The CLI writes the use into the transcript only after the hook that announces it.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from claude_ide import files
from claude_ide.agents.fields import mapping, mappings, text

TAIL = 2_000_000
"""Bytes at the end of a transcript that are read; it also has whole requests."""

POLL_SECONDS = 0.2
POLLS = 25


async def before(transcript: str, use: str) -> str:
    """Return the last text of the turn before a use of a tool; empty if there is none."""
    for _ in range(POLLS):
        said = await asyncio.to_thread(_read, Path(transcript), use)
        if said is not None:
            return said
        await asyncio.sleep(POLL_SECONDS)
    return ""


def _read(path: Path, use: str) -> str | None:
    """Return the text; None as long as the transcript does not have the use."""
    try:
        with files.open_regular(path) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            lines = file.read(TAIL).splitlines()
    except (OSError, ValueError):
        return None
    return _said(_messages(reversed(lines)), use)


def _said(messages: Iterable[Mapping[str, Any]], use: str) -> str | None:
    is_found = False
    for message in messages:
        content = message.get("content")
        blocks = [*mappings(content)] if isinstance(content, list) else []
        if message.get("role") == "user":
            is_prompt = not any(block.get("type") == "tool_result" for block in blocks)
            if is_found and is_prompt:
                return ""
            continue
        for block in reversed(blocks):
            if block.get("type") == "tool_use" and block.get("id") == use:
                is_found = True
            elif is_found and block.get("type") == "text" and text(block.get("text")).strip():
                return text(block.get("text"))
    return "" if is_found else None


def _messages(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """Yield the messages of the main conversation in these lines."""
    for line in lines:
        if b'"role":"assistant"' not in line and b'"role":"user"' not in line:
            continue
        try:
            record = mapping(msgspec.json.decode(line))
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            continue
        if record.get("type") in ("assistant", "user") and not record.get("isSidechain"):
            yield mapping(record.get("message"))
