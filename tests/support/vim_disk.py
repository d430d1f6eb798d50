"""Files on disk and their buffers in Vim."""

from pathlib import Path

from support.neovim import until
from support.vim import Vim


async def edit(vim: Vim, path: Path, content: bytes) -> None:
    """Have a buffer of a file, with the defaults of Vim: 'autoread' is off."""
    path.write_bytes(content)
    await vim.command(f"edit {path}")


async def lines(vim: Vim, buffer: str = "%") -> list[str]:
    found: list[str] = await vim.eval(f"getbufline('{buffer}', 1, '$')")
    return found


async def follows(vim: Vim, expected: list[str]) -> None:
    async def is_there() -> bool:
        return await lines(vim) == expected

    await until(is_there, "the buffer follows")


async def asks_nothing(vim: Vim) -> None:
    """Check that neither `:checktime` nor `:write` has a question."""
    await vim.keys(":checktime<CR>")
    assert (await vim.mode())["mode"] == "n", vim.screen.text()
    await vim.keys(":write<CR>")
    assert (await vim.mode())["mode"] == "n", vim.screen.text()
    assert "WARNING" not in vim.screen.text()
