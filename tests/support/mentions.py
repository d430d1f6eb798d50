"""Mentions that the host makes for an editor under test."""

from typing import Any

import msgspec

from claude_ide.base.errors import UserError
from claude_ide.editor.mentions import Listed, Mentioning
from claude_ide.editor.private_files import PrivateFiles
from support.either_editor import Editor, run
from support.pocket import pocket_port
from support.vim import Vim


def mentioning(editor: Editor) -> Mentioning:
    """Return what makes mentions for the editor."""

    async def answer(function: str, *arguments: Any) -> Any:
        return await run(editor, function, *arguments)

    port = pocket_port(answer)
    return Mentioning(port, PrivateFiles(port, [], None))


async def listed(editor: Editor, *lines: int) -> Any:
    """Return the mentions of what the current buffer lists, or their errors; None for no list."""
    if isinstance(editor, Vim):
        return await made(editor, await run(editor, "session.listed", list(lines)))
    return await made(editor, await run(editor, "selection.sources.listed", *lines))


async def made(editor: Editor, found: Any) -> Any:
    """Return the mentions of what a buffer lists."""
    if not found:
        return None
    mentions: list[dict[str, Any]] = []
    try:
        entries = msgspec.convert(found, Listed, strict=False).entries()
    except UserError as error:
        return [{"error": str(error)}]
    for entry in entries:
        made, errors = await mentioning(editor).of_entries([entry])
        mentions += made or [{"error": errors[0]}]
    return mentions


async def mention_buffer(editor: Editor, bufnr: int, *lines: int) -> dict[str, Any]:
    """Return the mention of lines of a buffer, or the error."""
    try:
        given = (lines[0], lines[-1]) if lines else None
        return await mentioning(editor).of_buffer(bufnr, given)
    except UserError as error:
        return {"error": str(error)}


async def mention_path(editor: Editor, typed: str, *lines: str, **how: Any) -> dict[str, Any]:
    """Return the mention of a path as typed, or the error."""
    try:
        return await mentioning(editor).of_path(typed, list(lines), **how)
    except UserError as error:
        return {"error": str(error)}
