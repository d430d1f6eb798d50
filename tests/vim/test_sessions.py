"""Sessions of Vim, which the user or a plugin saves."""

from pathlib import Path

import pytest

from support.claude_code import ClaudeCode, claude_code, the_lock
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import answer, are_shown, is_closed, propose

LOCAL = "[&diff, &scrollbind, &cursorbind, &wrap, &foldmethod, &foldcolumn, &statusline]"


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


@pytest.fixture
async def session(vim: Vim, vim_client: ClaudeCode, project: Path, layout: str, kept: str) -> Path:
    """A session that was saved while a diff was open beside the files a.txt and b.txt."""
    (project / "a.txt").write_text("one\n")
    for command in (
        f"set columns=160 sessionoptions{kept}",
        f"let g:claude_ide.diff = {{'layout': '{layout}'}}",
        "edit a.txt | split b.txt | wincmd j",
    ):
        await vim.command(command)
    asked = await propose(vim, vim_client, project / "a.txt", "two\n")
    await vim.keys(":mksession session.vim<CR>")
    await until((project / "session.vim").exists, "the session")
    await vim.keys(":q<CR>")
    assert (await answer(asked))[0] == "DIFF_REJECTED"
    assert "edit a.txt" in (project / "session.vim").read_text()
    await vim.stop()
    return project / "session.vim"


@pytest.mark.parametrize("layout", ["tab", "vertical", "horizontal"])
@pytest.mark.parametrize("kept", ["&", "-=options", "-=blank"])
async def test_a_diff_in_a_session_is_not_restored(
    session: Path, project: Path, config_folder: Path, tmp_path: Path
) -> None:
    vim = await Vim.start("-S", str(session), cwd=project, home=tmp_path / "home", columns=160)
    try:
        await vim.keys("<CR>")
        await is_closed(vim)
        names = "map(range(1, winnr('$')), {_, nr -> bufname(winbufnr(nr))})"
        assert await vim.eval(names) == ["b.txt", "a.txt"]
        assert await vim.eval("filter(range(1, bufnr('$')), 'buflisted(v:val)')->len()") == 2
        await vim.command("2wincmd w")
        assert await vim.eval(LOCAL) == [0, 0, 0, 1, "manual", 0, ""]

        await vim.command("ClaudeStart!")
        await the_lock(config_folder)
        async with claude_code(config_folder) as client:
            asked = await propose(vim, client, project / "a.txt", "two\n")
            await vim.keys(":w<CR>")
            assert await answer(asked) == ["FILE_SAVED", "two\n"]
            await is_closed(vim)
    finally:
        await vim.stop()


async def test_a_diff_opens_despite_the_buffer_of_another_vim(
    vim_client: ClaudeCode, vim: Vim, project: Path
) -> None:
    (project / "a.txt").write_text("one\n")
    await vim.command("badd claude-diff://1/Claude\\ (a.txt)")

    asked = await propose(vim, vim_client, project / "a.txt", "two\n")
    assert await vim.eval("bufname()") == "claude-diff://2/Claude (a.txt)"
    await vim.keys(":w<CR>")

    assert await answer(asked) == ["FILE_SAVED", "two\n"]


async def test_a_session_restored_while_a_diff_is_open_leaves_it_to_the_user(
    vim_client: ClaudeCode, vim: Vim, project: Path
) -> None:
    (project / "a.txt").write_text("one\n")
    asked = await propose(vim, vim_client, project / "a.txt", "")

    await vim.command("doautoall SessionLoadPost")
    await vim.idle(50)
    await are_shown(vim)
    await vim.keys(":w<CR>")

    assert (await answer(asked))[0] == "FILE_SAVED"
