"""Installations in a Neovim under test."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from support.checkout import program
from support.either_editor import Editor
from support.neovim import Neovim, until

MINUTE = 60.0


READY = "claude-ide: Python is ready; :Claude opens Claude Code"


StartNeovim = Callable[..., Awaitable[Neovim]]


async def wait_for_message(nvim: Editor, text: str) -> str:
    """Wait for a message with `text`; it must be one line, and need no key."""

    async def message() -> str:
        lines = str(await nvim.eval("execute('messages')")).splitlines()
        return next((line for line in lines if text in line), "")

    line = str(await until(message, f"a message with {text!r}", MINUTE))
    assert (await nvim.mode())["blocking"] is False
    return line


def held_uv(tmp_path: Path) -> Callable[[], object]:
    """Put an installer on PATH that runs until the returned function is called, and then fails."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    program(tmp_path / "bin/uv", f"echo fetching things; read line < '{fifo}'; echo $line; exit 1")
    # Opened for reading, too: opening it only for writing blocks while no installer reads it.
    end = os.open(fifo, os.O_RDWR)
    return lambda: os.write(end, b"the end\n")
