"""Reformatting files in a Neovim under test."""

import asyncio
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from claude_ide.base.errors import EditorError
from claude_ide.editor.editor import Editor
from claude_ide.editor.formatting import Formatting
from support.chats_here import EVENT, Notifications, TestedNeovim
from support.neovim import WAIT_SECONDS, Neovim

UNTIDY = "one  \ntwo\nthree \t\n"
TIDY = "one\ntwo\nthree\n"
STRIP = r"sed 's/[ \t]*$//'"
UNTIL_GO = "until [ -e go ]; do sleep 0.01; done"
"""Lets a formatter wait for a file `go`: a pipe would hold the test if the formatter has ended."""


def write(path: Path, text: str = UNTIDY) -> Path:
    """Write a text with its line ends unchanged."""
    path.write_bytes(text.encode())
    return path


def read(path: Path) -> str:
    """Read a text with its line ends unchanged."""
    return path.read_bytes().decode()


async def set_option(nvim: Neovim, name: str, value: str) -> None:
    """Set an option as `:set` does."""
    await nvim.lua("vim.o[...] = select(2, ...)", name, value)


_formatting: WeakKeyDictionary[Neovim, tuple[Formatting, dict[str, asyncio.Task[str]]]]
_formatting = WeakKeyDictionary()


def _of(nvim: Neovim) -> tuple[Formatting, dict[str, "asyncio.Task[str]"]]:
    """Return what formats in a Neovim as its host, and what is being formatted, by token."""
    if nvim not in _formatting:
        editor = Editor(TestedNeovim(nvim))
        _formatting[nvim] = editor.formatting, {}

        def receive(name: str, arguments: list[Any]) -> None:
            if name == EVENT and arguments[0] == "answered":
                editor.events.dispatch(*arguments)

        nvim.notifications = Notifications(receive)
    return _formatting[nvim]


async def start(nvim: Neovim, path: Path, token: str = "it") -> None:
    """Start to reformat a file."""
    formatting, running = _of(nvim)
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    running[token] = asyncio.create_task(formatting.reformat(str(path)))
    # Until the buffer is there and the first formatter may have been started.
    await nvim.idle(50)


async def answer(nvim: Neovim, token: str = "it") -> Any:
    """Wait for the answer to `start`: `ok`, and `report` or `error`."""
    try:
        found = await asyncio.wait_for(_of(nvim)[1].pop(token), WAIT_SECONDS)
    except EditorError as error:
        return {"ok": False, "error": str(error)}
    return {"ok": True, "report": found}


async def is_over(nvim: Neovim, token: str = "it") -> bool:
    """Return whether there is an answer to `start`."""
    return _of(nvim)[1][token].done()


async def reformat(nvim: Neovim, path: Path, token: str = "it") -> Any:
    """Reformat a file, and return the answer."""
    await start(nvim, path, token)
    return await answer(nvim, token)


async def report(nvim: Neovim, token: str = "it") -> str:
    """Wait for a successful answer to `start`, and return its report."""
    result = await answer(nvim, token)
    assert result["ok"], result["error"]
    return str(result["report"])


async def succeed(nvim: Neovim, path: Path) -> str:
    """Reformat a file successfully, and return the report."""
    await start(nvim, path)
    return await report(nvim)


async def fail(nvim: Neovim, path: Path) -> str:
    """Fail to reformat a file, and return the error."""
    await start(nvim, path)
    result = await answer(nvim)
    assert not result["ok"], result["report"]
    return str(result["error"])
