"""`window/exiting.lua`: temporary windows close before Neovim exits."""

from pathlib import Path

from support.answers import listen
from support.neovim import Neovim, until

WATCH = "require('claude_ide.window.exiting').watch(function() vim.g.count = vim.g.count + 1 end)"


async def test_closing_a_window_without_quitting_neovim_does_not_call_back(nvim: Neovim) -> None:
    await nvim.command("let g:count = 0")
    await nvim.lua(WATCH)

    await nvim.command("split | enew | close | tabnew | tabclose")

    assert await nvim.eval("g:count") == 0


async def test_the_callback_runs_before_neovim_announces_its_exit(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("let g:count = 0")
    await nvim.command("autocmd VimLeavePre * call writefile([g:count], 'count')")
    await nvim.lua(WATCH)

    await nvim.keys(":qall<CR>")

    await until(lambda: (project / "count").exists())
    await nvim.process.wait()
    assert int((project / "count").read_text()) > 0


async def test_a_session_that_is_written_on_exit_contains_no_plan(
    nvim: Neovim, project: Path
) -> None:
    (project / "a.txt").write_text("one\n")
    await nvim.command("edit a.txt")
    await nvim.command("autocmd VimLeavePre * mksession! session.vim")
    await listen(nvim)
    await nvim.lua("require('claude_ide.chat.plan').open(1, { title = 'Plan', text = 'one' })")
    await until(lambda: nvim.eval("bufname() =~# '^Claude plan' && &modifiable"))

    await nvim.keys(":qall<CR>")

    await until(lambda: (project / "session.vim").exists())
    await nvim.process.wait()
    session = (project / "session.vim").read_text()
    assert "tabnew" not in session
    assert "Claude" not in session
