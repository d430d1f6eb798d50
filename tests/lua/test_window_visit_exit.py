"""`window/visit.lua`: temporary windows close before Neovim exits."""

from pathlib import Path

from support.answers import listen
from support.neovim import Neovim, until
from support.plans import ask


async def test_a_session_that_is_written_on_exit_contains_no_plan(
    nvim: Neovim, project: Path
) -> None:
    (project / "a.txt").write_text("one\n")
    await nvim.command("edit a.txt")
    await nvim.command("autocmd VimLeavePre * mksession! session.vim")
    await listen(nvim)
    await ask(nvim, "one")
    await until(lambda: nvim.eval("bufname() =~# '^Claude plan' && &modifiable"))

    await nvim.keys(":qall<CR>")

    await until(lambda: (project / "session.vim").exists())
    await nvim.process.wait()
    session = (project / "session.vim").read_text()
    assert "tabnew" not in session
    assert "Claude" not in session
