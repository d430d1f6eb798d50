"""The tools that the CLI calls itself; importing this registers them."""

import asyncio
import contextlib
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from claude_ide.base import files
from claude_ide.base.errors import EditorError, ToolError, UserError
from claude_ide.base.paths import exists, named_by, normalized, to_uri
from claude_ide.editor.diffs import Decision, Diff
from claude_ide.editor.events import Diagnostics
from claude_ide.editor.mentions import check_private
from claude_ide.editor.port import Port
from claude_ide.mcp.baseline import PUBLISH_SECONDS, diagnosed, load
from claude_ide.mcp.client import Client
from claude_ide.mcp.tool import Caller, Content, json_text, text, tool

CHECK_AFTER_SECONDS = 1.0
"""How long a diff is on the screen before its file is kept loaded for what checks it."""

ANSWER_SECONDS = 3.0
"""How long the CLI may take to follow an answer to its dialog that is not that to `openDiff`."""

LARGEST_BYTES = 50_000_000
"""The editor does not load larger files, either (`file/path`)."""

NO_START = "The file does not contain the start text."
NO_END = "The file does not contain the end text after the start text."

FilePath = Annotated[str, Meta(description="Absolute path of the file")]
Code = Annotated[str, Meta(description="Code in the kernel's language, usually Python")]


@tool("openDiff", asks_user=True)
async def open_diff(
    client: Client,
    old_file_path: Annotated[
        str, Meta(description="Absolute path of the file to compare with; it need not exist")
    ],
    new_file_contents: Annotated[str, Meta(description="The complete proposed text")],
    new_file_path: Annotated[
        str | None, Meta(description="Absolute path of the file to write, if different")
    ] = None,
    tab_name: Annotated[
        str | None, Meta(description="A key for this diff, to close it with close_tab")
    ] = None,
) -> Content:
    """Show a proposed change next to the file and wait until the user accepts or rejects it.

    The answer is FILE_SAVED and the accepted text, which the user may have edited, or
    DIFF_REJECTED. The tool does not write the file; the caller does.
    """
    path = new_file_path or old_file_path
    for given in (path, old_file_path):
        if not Path(given).is_absolute():
            raise ToolError(f"{given}: not an absolute path")
    name, is_new = tab_name or path, not exists(path)
    shown: dict[str, Any] = await _who(client)
    caller = await client.editor.terminals.session_of_client(client.shown_name, client.pid or 0)
    if path != old_file_path:
        shown["old_path"] = normalized(old_file_path)
    diff = await client.editor.diffs.show(
        name,
        normalized(path),
        new_file_contents,
        client.shown_name,
        client.config.diff.layout,
        caller,
        **shown,
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


async def _who(client: Client) -> dict[str, int | str]:
    """Return what tells the client from others, for its diff."""
    if not client.pid:
        return {}
    label = await client.editor.terminals.label(pid=client.pid)
    return {"pid": client.pid, **({"label": label} if label else {})}


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
    if decision.text.replace("\r\n", "\n") == diff.text.replace("\r\n", "\n"):
        diff.offer.answer()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(diff.withdrawn.wait(), ANSWER_SECONDS)
            return
    else:
        # The CLI asks again for an edit that a hook has changed.
        how = " with your changes"
    shown = f"{Path(diff.path).name} accepted{how}; Claude still asks before each edit"
    client.editor.notify(shown, "warn")


async def _say(client: Client, words: str) -> None:
    try:
        await check_private(client.editor, words, await client.editor.folders())
        await client.editor.typing.say(words, client.pid or 0)
    except (EditorError, UserError) as error:
        client.editor.notify(str(error), "warn")


@tool("close_tab")
async def close_tab(
    client: Client,
    tab_name: Annotated[
        str, Meta(description="The tab_name that openDiff was given, or a file's absolute path")
    ],
) -> Content:
    """Close the diff with this name, or the file at this path unless it has unsaved changes."""
    named = [diff for diff in client.diffs if diff.name == tab_name]
    await _withdraw(client, named)
    is_path = not named and Path(tab_name).is_absolute()
    if named or (is_path and (await client.editor.port.buffers.close_file(tab_name)).closed):
        return text("TAB_CLOSED")
    return text("Tab not found")


@tool("closeAllDiffTabs")
async def close_all_diff_tabs(client: Client) -> Content:
    """Close the diffs that this client has opened, and nothing else."""
    diffs = list(client.diffs)
    await _withdraw(client, diffs)
    return text(f"CLOSED_{len(diffs)}_DIFF_TABS")


async def _withdraw(client: Client, diffs: list[Diff]) -> None:
    for diff in diffs:
        # The user answered in the terminal; after a yes the CLI writes the file next.
        diff.withdraw()
        await client.editor.port.disk.expect_write(diff.path)


@tool("openFile", rename="camel")
async def open_file(
    client: Client,
    file_path: FilePath,
    preview: Annotated[
        bool, Meta(description="Open as a preview; Neovim has no separate window for that")
    ] = False,
    start_text: Annotated[
        str | None, Meta(description="Literal text that the selection begins with")
    ] = None,
    end_text: Annotated[
        str | None, Meta(description="Literal text after startText that the selection ends with")
    ] = None,
    select_to_end_of_line: Annotated[
        bool, Meta(description="Extend the selection to the end of its last line")
    ] = False,
    make_frontmost: Annotated[
        bool, Meta(description="Focus the file; if false, open it without focus")
    ] = True,
) -> Content:
    """Open a file in the editor and, if asked, select the text from startText to endText."""
    selected = start_text, end_text, select_to_end_of_line
    opened = await open_passage(client.editor.port, file_path, make_frontmost, *selected)
    if not make_frontmost:
        return json_text({"success": True, "filePath": file_path, **opened})
    note = f" ({opened['note']})" if opened.get("note") else ""
    return text(f"Opened file: {file_path}{note}")


async def open_passage(
    port: Port,
    path: str,
    make_frontmost: bool = True,
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
    content = await asyncio.to_thread(files.read_if_sound, Path(path), LARGEST_BYTES) or b""
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


@tool("open_files")
async def open_files(
    client: Client,
    file_paths: Annotated[list[str], Meta(description="Absolute paths of the files")],
) -> Content:
    """Open several files; the answer lists those that are now open, and why others are not."""
    opened, errors = list[str](), list[str]()
    for path in file_paths:
        # Only the first one is shown.
        how = {"make_frontmost": not opened, "is_unseen": bool(opened)}
        try:
            await client.editor.port.buffers.open_file({"path": path} | how)
        except EditorError as error:
            errors.append(str(error))
        else:
            opened.append(path)
    return json_text({"opened_files": opened} | ({"errors": errors} if errors else {}))


@tool("saveDocument", rename="camel")
async def save_document(client: Client, file_path: FilePath) -> Content:
    """Save a file that is open in the editor, as the user would with :write."""
    await client.editor.port.buffers.save(file_path)
    return json_text({"success": True, "filePath": file_path, "saved": True, "message": "Saved"})


@tool("checkDocumentDirty", rename="camel")
async def check_document_dirty(client: Client, file_path: FilePath) -> Content:
    """Return whether a file that is open in the editor has unsaved changes."""
    known = await client.editor.dirty(file_path)
    if not known.isOpen:
        reason = f"Document not open: {file_path}"
        return json_text({"success": False, "filePath": file_path, "message": reason})
    flags = {"isDirty": known.isDirty, "isUntitled": known.isUntitled}
    return json_text({"success": True, "filePath": file_path, **flags})


@tool("reformat_file")
async def reformat_file(client: Client, file_path: FilePath) -> Content:
    """Format a file with the user's own formatters, and save it; the answer says what changed."""
    return text(await client.editor.formatting.reformat(file_path))


@tool("getOpenEditors")
async def get_open_editors(client: Client) -> Content:
    """List the open files: URI, label, language, whether active, whether changed."""
    found = await client.editor.editors()
    return json_text({"tabs": [each for each in found if client.may_learn(named_by(each["uri"]))]})


@tool("get_all_opened_file_paths")
async def get_all_opened_file_paths(client: Client) -> Content:
    """List the absolute paths of the open files, one per line."""
    return text("\n".join(filter(client.may_learn, await client.editor.paths())))


@tool("getWorkspaceFolders")
async def get_workspace_folders(client: Client) -> Content:
    """List Neovim's working directories: the global one, then those of tab pages and windows."""
    folders = await client.editor.folders()
    described = [
        {"name": Path(folder).name, "uri": to_uri(folder), "path": folder} for folder in folders
    ]
    root = folders[0] if folders else ""
    return json_text({"success": True, "folders": described, "rootPath": root})


@tool("getCurrentSelection")
async def get_current_selection(client: Client) -> Content:
    """Return the selected text and its range in the current file, or the cursor's position."""
    return _selection(client, await client.editor.current_selection(), "No active editor found")


@tool("getLatestSelection")
async def get_latest_selection(client: Client) -> Content:
    """Return the last selection in a file, also while the user is in a terminal."""
    return _selection(client, await client.editor.latest_selection(), "No selection available")


def _selection(client: Client, selection: dict[str, Any] | None, otherwise: str) -> Content:
    if selection is None or not client.may_learn(selection["filePath"]):
        return json_text({"success": False, "message": otherwise})
    return json_text({"success": True, **selection})


@tool("getDiagnostics", is_always_loaded=True)
async def get_diagnostics(
    client: Client,
    caller: Caller,
    uri: Annotated[
        str | None, Meta(description="URI or absolute path of a file; default: all files")
    ] = None,
) -> Content:
    """Return errors, warnings and hints of one file, or of all open files, grouped by file.

    Recent changes on disk are loaded and checked first. A note says so if nothing has checked a
    file.
    """
    editor, path = client.editor, named_by(uri) if uri else None
    if caller.is_model:
        known = await diagnosed(editor, path)
    elif path is not None:
        known = {path: await client.baseline.prepare(editor, path)}
    else:
        await client.baseline.load_written(editor)
        known = client.baseline.without_old(await editor.all_diagnostics(PUBLISH_SECONDS))
    return json_text([_diagnostics(path, found) for path, found in known.items()])


def _diagnostics(path: str, found: Diagnostics) -> dict[str, Any]:
    """Describe the diagnostics of a file; the uri is unencoded, as the CLI compares it so."""
    described: dict[str, Any] = {"uri": f"file://{path}", "diagnostics": found.items}
    cut = [f"{found.omitted} more are not listed"] if found.omitted else []
    if notes := [*cut, *filter(None, [found.note])]:
        described["note"] = "; ".join(notes)
    return described


@tool("executeCode", asks_user=True)
async def execute_code(client: Client, code: Code, caller: Caller) -> Content:
    """Run code in the user's live Jupyter kernel; the user may edit or refuse it."""
    # Few users have code run, and the start need not wait for this.
    from claude_ide.mcp.model.commands import CODE_SECONDS, execute

    return await execute(client, code, CODE_SECONDS, caller)
