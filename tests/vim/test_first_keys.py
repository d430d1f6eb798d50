"""The first key after a callback of the plugin is handled as any other.

Between the callback and the key nothing may ask Vim anything: a request makes it look around, too.
"""

from pathlib import Path

from support.claude_code import ClaudeCode
from support.either_editor import configure
from support.neovim import until
from support.vim import Vim
from support.vim_diffs import answer, ask, propose


async def note(vim: Vim, event: str, path: Path, later: int = 0) -> None:
    """Have Vim write a file at the next such event, or if given so many milliseconds later."""
    await vim.command(f"let g:Note = {{-> timer_start({later}, {{-> writefile([], '{path}')}})}}")
    await vim.command(f"autocmd User {event} ++once call g:Note()")


async def test_a_key_that_ends_the_wait_after_a_popup_is_mapped(
    vim: Vim, vim_client: ClaudeCode, project: Path, tmp_path: Path
) -> None:
    await note(vim, "ClaudeDiffOpened", tmp_path / "opened")
    asked = ask(vim_client, project / "a.txt", "text\n")
    await until(lambda: "a.txt" in vim.screen.text(), "the diff is on the screen")
    await vim.keys("x")  # is discarded, and the wait for the next key begins
    await until((tmp_path / "opened").exists, "the diff accepts keys")

    await vim.keys("ZZ")

    assert await answer(asked) == ["FILE_SAVED", "text\n"]


async def test_the_first_key_in_a_terminal_is_for_its_program(vim: Vim, tmp_path: Path) -> None:
    script = tmp_path / "program"
    script.write_text(f"#!/bin/sh\n: >{tmp_path}/started; exec cat\n")
    script.chmod(0o755)
    await configure(vim, cmd=str(script))
    await vim.keys(":Claude<CR>")
    await until((tmp_path / "started").exists, "the program runs")

    await vim.keys("ty")

    await until(lambda: "ty" in vim.screen.text(), "the program has read both keys")


async def test_the_first_key_on_the_way_back_to_a_terminal_is_for_its_program(
    vim: Vim, vim_client: ClaudeCode, project: Path, tmp_path: Path
) -> None:
    await vim.keys(":terminal ++curwin cat<CR>")
    await until(lambda: vim.eval("mode() ==# 't'"), "the terminal takes keys")
    asked = await propose(vim, vim_client, project / "a.txt", "text\n")
    await note(vim, "ClaudeDiffClosed", tmp_path / "closed")
    await vim.keys(":w<CR>")
    await until((tmp_path / "closed").exists, "the diff is closed")

    await vim.keys("ty")

    await until(lambda: "ty" in vim.screen.text(), "the program has read both keys")
    assert await answer(asked) == ["FILE_SAVED", "text\n"]
