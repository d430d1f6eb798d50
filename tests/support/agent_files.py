"""The files of an agent, in a real Neovim."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.editor_services import WrittenText
from claude_ide.base.errors import AgentError
from claude_ide.chat.agent_files import AgentFiles
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from support import chats_here
from support.disk_changes import watch_with
from support.neovim import Neovim, until

FILE = "a.txt"
OLD = "one\ntwo\nthree\nfour\nfive\n"
NEW = OLD.replace("two\n", "TWO\nmore\n")
READY = "filter(luaeval(\"require('claude_ide.diff').list()\"), 'v:val.shown')"


class Here:
    """The files of an agent, and the writes that were announced to its journal."""

    def __init__(self, nvim: Neovim, folder: Path) -> None:
        self.nvim = nvim
        self.announced: list[str] = []
        self.written: list[tuple[str, bool]] = []
        """The files that were written, and whether the user has seen their texts."""
        self.replaced_texts: list[tuple[str | None, str]] = []
        """The texts on disk and in the buffer, for each unsaved text that was replaced."""
        editor = Editor(chats_here.TestedNeovim(nvim), [str(folder)])
        watch_with(editor)
        edits: Any = self
        self.files = AgentFiles("Otter", folder, editor, Config(), edits)
        nvim.notifications = chats_here.Notifications(
            lambda name, given: editor.events.dispatch(*given) if name == chats_here.EVENT else None
        )

    async def before_write(self, path: str) -> None:
        self.announced.append(path)

    async def wrote(self, path: str, *, is_seen: bool) -> None:
        self.written.append((path, is_seen))

    def replaced(self, path: str, saved: str | None, unsaved: str) -> None:
        self.replaced_texts.append((saved, unsaved))

    def write(self, path: Path, text: str, **more: Any) -> "asyncio.Task[WrittenText]":
        """Begin to write a file."""
        return asyncio.create_task(self.files.write(str(path), text, **more))

    async def asked(self) -> None:
        """Wait until a diff asks the user."""
        await until(lambda: self.nvim.eval(f"len({READY})"), "a diff is shown")

    async def text(self) -> str:
        """Return the text of the current buffer."""
        return "".join(f"{line}\n" for line in await self.nvim.eval("getline(1, '$')"))


async def refused(work: Awaitable[Any]) -> str:
    with pytest.raises(AgentError) as error:
        await asyncio.wait_for(work, 10)
    return str(error.value)


async def messages(nvim: Neovim) -> str:
    found: str = await nvim.eval("execute('messages')")
    return found
