"""Claude's terminal in a Neovim under test."""

from support.neovim import Neovim, until


async def open_claude(nvim: Neovim) -> int:
    """Run `:Claude`, and return the buffer of its terminal."""
    await nvim.keys(":Claude<CR>")
    await until(lambda: "given:" in nvim.screen.text())
    await until(lambda: nvim.eval("mode() == 't'"))
    bufnr: int = await nvim.eval("bufnr()")
    return bufnr
