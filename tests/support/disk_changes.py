"""Writes to files that a Neovim under test watches."""

import asyncio
from pathlib import Path

from claude_ide.editor.disk import DiskReport, DiskWatch
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import FileKept
from support.chats_here import EVENT, Notifications, TestedNeovim
from support.chunks import chunk
from support.neovim import Neovim, until

OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"
MINUS = "\N{MINUS SIGN}"
CHANGE = "require('claude_ide.disk_changes.watch')"

# In Neovim's own loop, so that a busy machine cannot delay the pieces.
WRITE_IN_PIECES = chunk("disk_changes/write_in_pieces")


def watch_with(editor: Editor) -> None:
    """Watch and report as the host does, until the test ends."""
    report = DiskReport(editor.port, editor.events)
    editor.events.subscribe(FileKept, report.keep)
    loop, changes = asyncio.get_running_loop(), editor.file_changes
    DiskWatch(editor.port, editor.events, lambda: True, changes).start(loop)
    changes.start(loop)


async def watch(nvim: Neovim) -> None:
    """Watch for changes on disk: Neovim, and the test as its host."""
    editor = Editor(TestedNeovim(nvim))
    nvim.notifications = Notifications(
        lambda name, given: editor.events.dispatch(*given) if name == EVENT else None
    )
    watch_with(editor)
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.lua(f"{CHANGE}.watch('server', true)")
    await until(lambda: nvim.events("files_loaded"))


async def edit_watched(nvim: Neovim, project: Path) -> Path:
    """Edit a file that Neovim watches."""
    file = project / "a.txt"
    file.write_text(OLD)
    await nvim.command("edit a.txt")
    await watch(nvim)
    return file


def replace(path: Path, text: str) -> None:
    """Write as most programs do: rename a new file."""
    new = path.with_name("new.tmp")
    new.write_text(text)
    new.replace(path)


async def text(nvim: Neovim, path: Path) -> str:
    """Return the text of a file's buffer."""
    lines = await nvim.lua("return vim.fn.getbufline(vim.fn.bufnr(...), 1, '$')", str(path))
    return "".join(f"{line}\n" for line in lines)


async def shows(nvim: Neovim, path: Path, wanted: str) -> None:
    """Wait until a file's buffer has this text."""

    async def is_shown() -> bool:
        return await text(nvim, path) == wanted

    await until(is_shown, f"the buffer of {path.name} follows")


async def wait_for_changes(nvim: Neovim, path: Path) -> None:
    """Wait until earlier changes are noticed, by changing another file in the same folder."""
    other = path.with_name("last.txt")
    other.write_text("before\n")
    load = "local b = vim.fn.bufadd(...); vim.fn.bufload(b); vim.bo[b].autoread = true"
    await nvim.lua(load, str(other))
    other.write_text("after\n")
    await shows(nvim, other, "after\n")


async def messages(nvim: Neovim) -> str:
    """Return all messages so far."""
    found: str = await nvim.eval("execute('messages')")
    return found


async def all_reported(nvim: Neovim, path: Path) -> None:
    """Wait until earlier changes are reported, by changing another file, which is reported, too."""
    other = path.with_name("other.txt")
    other.write_text(OLD)
    await nvim.command(f"split {other} | wincmd p")
    replace(other, NEW)

    async def is_reported() -> bool:
        return other.name in await messages(nvim)

    await until(is_reported, "another file is reported")
