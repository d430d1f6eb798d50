"""Sessions of Vim, which the user or a plugin saves."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import answer, propose


@pytest.mark.parametrize("layout", ["tab", "vertical", "horizontal"])
@pytest.mark.parametrize("leave", ["qall", "qall!", "tabfirst | qall"])
async def test_a_session_saved_on_exit_contains_no_diff(
    vim: Vim, vim_client: ClaudeCode, project: Path, layout: str, leave: str
) -> None:
    (project / "a.txt").write_text("one\n")
    for command in (
        f"let g:claude_ide.diff = {{'layout': '{layout}'}}",
        "autocmd VimLeavePre * mksession! session.vim",
        "edit a.txt",
    ):
        await vim.command(command)
    asked = await propose(vim, vim_client, project / "a.txt", "two\n")

    await vim.keys(f":{leave}<CR>")

    assert (await answer(asked))[0] == "DIFF_REJECTED"
    await until(lambda: vim.process.returncode is not None)
    session = (project / "session.vim").read_text()
    assert "edit a.txt" in session
    assert "tabnew" not in session
    assert "claude-diff:" not in session
    assert "fdm=diff" not in session
    assert "foldmethod=diff" not in session
