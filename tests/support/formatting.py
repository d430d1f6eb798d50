"""Reformatting files in a Neovim under test."""

from pathlib import Path
from typing import Any

from support.neovim import Neovim, until

UNTIDY = "one  \ntwo\nthree \t\n"
TIDY = "one\ntwo\nthree\n"
STRIP = r"sed 's/[ \t]*$//'"


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


async def start(nvim: Neovim, path: Path, token: str = "it") -> None:
    """Start to reformat a file."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.lua("require('claude_ide.format').reformat(...)", token, str(path))


async def answer(nvim: Neovim, token: str = "it") -> Any:
    """Wait for the answer to `start`: `ok`, and `report` or `error`."""

    def answers() -> list[Any]:
        return [event for event in nvim.events("reformatted") if event["token"] == token]

    [event] = await until(answers)
    return {key: value for key, value in event.items() if key != "token"}


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
