"""Files in a Neovim under test, and calls of `file/buffers.lua` and `editors.lua`."""

from pathlib import Path
from typing import Any

from claude_ide.editor.events import EditorState
from claude_ide.editor.port.binding import convert
from claude_ide.editor.port.events import EditorsChanged
from support.either_editor import Editor, run
from support.neovim import Neovim

TRICKY_NAMES = [
    "plain.txt",
    "sp ace.txt",
    "br[ac]ket.txt",
    "st*r.txt",
    "qu?stion.txt",
    "com,ma.txt",
    "ü#%.txt",
]
"""Names of files with characters that are special in patterns or on the command line."""


async def call(nvim: Neovim, function: str, *arguments: Any) -> Any:
    """Call a function of `file/buffers.lua`, as the host does."""
    return await nvim.lua(f"return require('claude_ide.file.buffers').{function}(...)", *arguments)


def snapshot(state: EditorState) -> dict[str, Any]:
    """Return what the host knows of the open files."""
    current = {"current": state.current} if state.current else {}
    return {"editors": state.editors, "paths": state.paths, "folders": state.folders, **current}


def report(payload: Any) -> EditorsChanged:
    """Return a report of the open files as the host gets it."""
    found: EditorsChanged = convert(payload, EditorsChanged)
    return found


async def open_editors(editor: Editor, what: str) -> Any:
    """Return what the host makes of the open files: `editors`, `paths`, or the `snapshot`."""
    state = EditorState()
    state.apply_editors(report(await run(editor, "editors.all")))
    found = snapshot(state)
    return found if what == "snapshot" else found[what]


def reported(nvim: Neovim) -> list[dict[str, Any]]:
    """Return what the host has known after each report."""
    state, known = EditorState(), []
    for event in nvim.events("editors_changed"):
        state.apply_editors(report(event))
        known.append(snapshot(state))
    return known


async def edit(nvim: Neovim, path: Path) -> None:
    await nvim.lua("vim.cmd.edit(vim.fn.fnameescape(...))", str(path))


def write(path: Path, text: str = "one\ntwo\n") -> Path:
    path.write_text(text, encoding="utf-8")
    return path
