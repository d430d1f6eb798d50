"""Steps that the tests of one-off requests in Vim share."""

from pathlib import Path

from support.fake_headless import FakeHeadless
from support.neovim import until
from support.vim import Vim


async def answers_with(vim: Vim, claude: FakeHeadless) -> None:
    """Have Vim start the CLI that the test plays."""
    command = str(claude.command).replace("'", '"')
    await vim.command(f"let g:claude_ide.cmd = {command}")


async def file_of(vim: Vim, path: Path, text: list[str]) -> Path:
    """Write a file, and edit it."""
    path.write_text("\n".join(text) + "\n")
    await vim.command(f"edit {path}")
    return path


async def lines(vim: Vim, buffer: int | str = "%") -> list[str]:
    """Return the lines of a buffer."""
    name = buffer if isinstance(buffer, int) else f"'{buffer}'"
    got: list[str] = await vim.eval(f"getbufline({name}, 1, '$')")
    return got


async def holds(vim: Vim, expected: list[str]) -> bool:
    """Return whether the current buffer has these lines."""
    return await lines(vim) == expected


async def shown(vim: Vim, words: str) -> None:
    """Wait until words are on the screen."""
    await until(lambda: words in vim.screen.text(), f"{words!r} on the screen")


async def hidden(vim: Vim, words: str) -> None:
    """Wait until words have left the screen."""
    await until(lambda: words not in vim.screen.text(), f"{words!r} not on the screen")
