"""Proposed edits: opened as diffs, decided by the user, closed by either side."""

import asyncio
import contextlib
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from claude_ide.editor.diffs import Decision, Diff
from claude_ide.errors import EditorError, ToolError, UserError
from claude_ide.mcp.baseline import load
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Arguments, Content, NoArguments, text, tool
from claude_ide.mentions import check_private
from claude_ide.paths import exists, normalized

CHECK_AFTER_SECONDS = 1.0
"""How long a diff is on the screen before its file is kept loaded for what checks it."""

ANSWER_SECONDS = 3.0
"""How long the CLI may take to follow an answer to its dialog that is not that to `openDiff`."""


class OpenDiff(Arguments, frozen=True):
    """Arguments of `openDiff`."""

    old_file_path: Annotated[
        str, Meta(description="Absolute path of the file to compare with; it need not exist")
    ]
    new_file_contents: Annotated[str, Meta(description="The complete proposed text")]
    new_file_path: Annotated[
        str | None, Meta(description="Absolute path of the file to write, if different")
    ] = None
    tab_name: Annotated[
        str | None, Meta(description="A key for this diff, to close it with close_tab")
    ] = None


class TabName(Arguments, frozen=True):
    """Arguments of `close_tab`."""

    tab_name: Annotated[
        str, Meta(description="The tab_name that openDiff was given, or a file's absolute path")
    ]


@tool("openDiff", asks_user=True)
async def open_diff(client: Client, arguments: OpenDiff) -> Content:
    """Show a proposed change next to the file and wait until the user accepts or rejects it.

    The answer is FILE_SAVED and the accepted text, which the user may have edited, or
    DIFF_REJECTED. The tool does not write the file; the caller does.
    """
    path = arguments.new_file_path or arguments.old_file_path
    for given in (path, arguments.old_file_path):
        if not Path(given).is_absolute():
            raise ToolError(f"{given}: not an absolute path")
    name = arguments.tab_name or path
    is_new = not exists(path)
    diff = await client.editor.diffs.show(
        name,
        normalized(path),
        arguments.new_file_contents,
        client.shown_name,
        client.config.diff.layout,
        **await _who(client),
        **_compared(arguments),
    )
    client.diffs.append(diff)
    # Existing problems are found while the user looks at the diff.
    checking = None if is_new else asyncio.ensure_future(_have_checked(client, diff, path))
    try:
        decision = await diff.decision
        appeared = decision.accepted and is_new and exists(path)
        if decision.accepted and not appeared:
            await _answer_otherwise(client, diff, decision)
    finally:
        if checking is not None:
            checking.cancel()
        client.diffs.remove(diff)
        client.editor.diffs.close(diff)
    if decision.words:
        # The CLI drops everything in an answer but the text. It has to end its dialog first.
        await _say(client, decision.words)
    if appeared:
        # CLI 2.1.330 would overwrite the file.
        client.editor.diffs.settle(diff, is_written=False)
        client.editor.notify(f"not accepted: {Path(path).name} already exists", "warn")
    elif decision.accepted:
        return text("FILE_SAVED", decision.text)
    return text("DIFF_REJECTED", name)


async def _have_checked(client: Client, diff: Diff, path: str) -> None:
    await diff.shown.wait()
    await asyncio.sleep(CHECK_AFTER_SECONDS)
    await load(client.editor, path)


async def _answer_otherwise(client: Client, diff: Diff, decision: Decision) -> None:
    """Give the CLI the answer that accepts further edits, too, and wait until it has closed ours.

    If it does not, the answer to `openDiff` accepts the edit alone.
    """
    if diff.offer is None or not diff.offer.is_chosen:
        return
    how = ""
    if _plain(decision.text) == _plain(diff.text):
        diff.offer.answer()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(diff.withdrawn.wait(), ANSWER_SECONDS)
            return
    else:
        # The CLI asks again for an edit that a hook has changed.
        how = " with your changes"
    shown = f"{Path(diff.path).name} accepted{how}; Claude still asks before each edit"
    client.editor.notify(shown, "warn")


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


async def _who(client: Client) -> dict[str, int | str]:
    """Return what tells the client from others, for its diff."""
    if not client.pid:
        return {}
    label = await client.editor.terminals.label(pid=client.pid)
    return {"pid": client.pid, **({"label": label} if label else {})}


@tool("close_tab")
async def close_tab(client: Client, arguments: TabName) -> Content:
    """Close the diff with this name, or the file at this path unless it has unsaved changes."""
    named = [diff for diff in client.diffs if diff.name == arguments.tab_name]
    if named:
        await _withdraw(client, named)
        return text("TAB_CLOSED")
    if Path(arguments.tab_name).is_absolute():
        result = await client.editor.port.buffers.close_file(arguments.tab_name)
        if result.closed:
            return text("TAB_CLOSED")
    return text("Tab not found")


@tool("closeAllDiffTabs")
async def close_all_diff_tabs(client: Client, _arguments: NoArguments) -> Content:
    """Close the diffs that this client has opened, and nothing else."""
    diffs = list(client.diffs)
    await _withdraw(client, diffs)
    return text(f"CLOSED_{len(diffs)}_DIFF_TABS")


def _compared(arguments: OpenDiff) -> dict[str, str]:
    """Return the file to compare with, if it is not the one to write; only its path is checked."""
    is_other = arguments.new_file_path not in (None, "", arguments.old_file_path)
    return {"old_path": normalized(arguments.old_file_path)} if is_other else {}


async def _say(client: Client, words: str) -> None:
    try:
        await check_private(client.editor, words, await client.editor.folders())
        await client.editor.typing.say(words, client.pid or 0)
    except (EditorError, UserError) as error:
        client.editor.notify(str(error), "warn")


async def _withdraw(client: Client, diffs: list[Diff]) -> None:
    for diff in diffs:
        # The user answered in the terminal; after a yes the CLI writes the file next.
        diff.withdraw()
        await client.editor.port.disk.expect_write(diff.path)
