"""`window/exiting.lua`: what is only shown goes before Neovim exits."""

from pathlib import Path

from support.answers import listen
from support.neovim import Neovim, until

WATCH = "require('claude_ide.window.exiting').watch(function() vim.g.count = vim.g.count + 1 end)"


async def test_a_window_that_goes_while_neovim_stays_means_nothing(nvim: Neovim) -> None:
    await nvim.command("let g:count = 0")
    await nvim.lua(WATCH)

    await nvim.command("split | enew | close | tabnew | tabclose")

    assert await nvim.eval("g:count") == 0


async def test_it_is_called_before_neovim_says_that_it_leaves(nvim: Neovim, project: Path) -> None:
    await nvim.command("let g:count = 0")
    await nvim.command("autocmd VimLeavePre * call writefile([g:count], 'count')")
    await nvim.lua(WATCH)

    await nvim.keys(":qall<CR>")

    await until(lambda: (project / "count").exists())
    await nvim.process.wait()
    assert int((project / "count").read_text()) > 0


async def test_a_session_written_on_leaving_has_no_plan(nvim: Neovim, project: Path) -> None:
    (project / "a.txt").write_text("one\n")
    await nvim.command("edit a.txt")
    await nvim.command("autocmd VimLeavePre * mksession! session.vim")
    await listen(nvim)
    await nvim.lua("require('claude_ide.chat.plan').open(1, { title = 'Plan', text = 'one' })")
    await until(lambda: nvim.eval("bufname() =~# '^claude-plan://' && &modifiable"))

    await nvim.keys(":qall<CR>")

    await until(lambda: (project / "session.vim").exists())
    await nvim.process.wait()
    session = (project / "session.vim").read_text()
    assert "tabnew" not in session
    assert "claude-plan" not in session
