"""Claude's terminal in a editor under test."""

from support.either_editor import Editor
from support.neovim import until


async def open_claude(nvim: Editor) -> int:
    """Run `:Claude`, and return the buffer of its terminal."""
    await nvim.keys(":Claude<CR>")
    await until(lambda: "given:" in nvim.screen.text())
    await until(lambda: nvim.eval("mode() == 't'"))
    bufnr: int = await nvim.eval("bufnr()")
    return bufnr
