"""Files that a client opens in a Neovim under test."""

from pathlib import Path
from typing import Any

from claude_ide.mcp.ide_tools import open_passage
from support.neovim import Neovim, until
from support.ports import port_of

TEXT = "alpha\nbeta gamma\ndelta\nepsilon zeta\n"


async def open_file(nvim: Neovim, path: Path | str, **request: Any) -> Any:
    if "start_text" in request:
        async with port_of(nvim) as port:
            return await open_passage(port, str(path), **request)
    return await nvim.lua(
        "return require('claude_ide.file.open').open_file(...)", {"path": str(path), **request}
    )


def write(path: Path, text: str = TEXT) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


async def here(nvim: Neovim) -> str:
    """Return the name of the file in the current window."""
    return str(await nvim.eval("expand('%:t')"))


async def names(nvim: Neovim) -> list[str]:
    """Return the names of the buffers in the windows of the current tabpage."""
    shown = await nvim.eval("map(tabpagebuflist(), 'bufname(v:val)')")
    return [name.split("/")[-1].split(":")[-1] for name in shown]


async def selected(nvim: Neovim) -> str:
    """Yank the selection and return it."""
    await until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode == 'v'"))
    await nvim.keys("y")
    await until(lambda: nvim.lua("return vim.fn.mode() == 'n'"))
    return str(await nvim.eval("@0"))
