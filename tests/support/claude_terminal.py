"""Claude's terminal in an editor under test."""

from support.either_editor import Editor
from support.neovim import until
from support.vim import Vim


async def open_claude(nvim: Editor) -> int:
    """Run `:Claude`, and return the buffer of its terminal, once the program has begun."""
    await nvim.keys(":Claude<CR>")
    await until(lambda: nvim.eval("mode() == 't'"))
    # The screen may still show the terminal of an earlier program.
    line = "term_getline('', v:val)" if isinstance(nvim, Vim) else "getline(v:val)"
    text = f"join(map(range(1, &lines), \"{line}\"), '')"
    await until(lambda: nvim.eval(f"{text} =~ 'given:'"), "the program has begun")
    bufnr: int = await nvim.eval("bufnr()")
    return bufnr
