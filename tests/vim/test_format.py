"""The tool `reformat_file` in Vim."""

import os
import signal
from pathlib import Path

import pytest

from support.claude_code import ClaudeCode
from support.either_editor import jobs
from support.formatting import set_option
from support.neovim import until
from support.processes import alive, pid_in
from support.vim import Vim
from support.vim_plugins import load


async def three_lines(vim: Vim, project: Path) -> Path:
    """Edit a file of three lines, with the cursor and a mark in the last one."""
    path = project / "a.txt"
    path.write_text("b\na\nlast\n")
    await vim.command(f"edit {path} | normal! 3Gmx")
    return path


async def are_formatted(vim: Vim, path: Path) -> None:
    """Check that the lines are formatted and saved, and that one undo takes that back."""
    assert path.read_text() == "first\nb\nA\nlast\n"
    assert await vim.eval("[line('.'), line(\"'x\")]") == [4, 4]
    await vim.keys("u")
    assert await vim.eval("getline(1, '$')") == ["b", "a", "last"]


async def test_a_program_ends_when_vim_quits(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path
) -> None:
    path = await three_lines(serving_vim, project)
    program = "sh -c 'trap \"\" TERM; echo $$ > pid; sleep 1000; sleep 1000'"
    await set_option(serving_vim, "formatprg", program)
    vim_client.start_call("reformat_file", {"file_path": str(path)})
    pid = await pid_in(project / "pid")

    await serving_vim.keys(":qall!<CR>")

    await until(lambda: not alive(pid), "the program has ended")


UNTIDY = "import os\nx = {  'a':1 }\ny = 2\nprint( os , x,y )\n"
TIDY = 'import os\n\nx = {"a": 1}\ny = 2\nprint(os, x, y)\n'
NAMES = {"ale": "ALE", "vim-lsp": "ruff", "lsp": "ruff", "coc.nvim": "coc.nvim"}


async def is_attached(vim: Vim, path: Path) -> bool:
    """Return whether a plugin handles the current file."""
    if await vim.eval("exists('*CocHasProvider')"):
        return bool(
            await vim.eval("get(g:, 'coc_service_initialized') && CocHasProvider('format')")
        )
    number = await vim.eval(f"bufnr('{path}')")
    return bool(await vim.eval(f"claude_ide#diagnostics#sources#OfBuffer({number})"))


@pytest.mark.parametrize("shown", ["shown", "hidden", "closed"])
@pytest.mark.parametrize("name", NAMES)
async def test_a_plugin_formats_a_file_in_one_undo_step_and_keeps_cursor_and_mark(
    name: str, shown: str, vim_client: ClaudeCode, serving_vim: Vim, project: Path, tmp_path: Path
) -> None:
    await load(serving_vim, name, tmp_path, server="ruff")
    path = project / "a.py"
    path.write_text(UNTIDY)
    other = project / "other.py"
    other.write_text("x = 1\n")
    await serving_vim.command(f"set hidden | edit {other}")
    await until(lambda: is_attached(serving_vim, other), "the plugin handles a file")
    if shown != "closed":
        await serving_vim.command(f"edit {path} | normal! 3Gmx")
        await until(lambda: is_attached(serving_vim, path), "the plugin handles the file")
    if shown == "hidden":
        await serving_vim.command(f"edit {other}")
    before = await serving_vim.eval("[bufnr(), winnr('$'), getcurpos()]")

    report = await reformat(vim_client, path)

    assert str(report.get("report")).startswith(f"Reformatted with {NAMES[name]}: "), report
    assert path.read_text() == TIDY
    assert await serving_vim.eval("bufnr()") == before[0]
    assert await serving_vim.eval("winnr('$')") == before[1]
    assert await serving_vim.eval("popup_list()") == []
    if shown == "closed":
        assert await serving_vim.eval("getcurpos()") == before[2]
        return
    await serving_vim.command(f"buffer {path.name}")
    assert await serving_vim.eval('line("\'x")') == 4
    if shown == "shown" or name in {"vim-lsp", "lsp"}:
        # Vim itself moves the cursor of a buffer that a plugin changes while it is hidden.
        assert await serving_vim.eval("line('.')") == 4
    assert await serving_vim.eval("&modified") == 0
    await serving_vim.keys("u")
    assert await serving_vim.eval("getline(1, '$')") == UNTIDY.splitlines()


SERVER = jobs("info.cmd[0] =~# 'ruff$'")


@pytest.mark.parametrize("name", ["vim-lsp", "lsp"])
async def test_a_slow_server_does_not_block_vim(
    name: str, vim_client: ClaudeCode, serving_vim: Vim, project: Path, tmp_path: Path
) -> None:
    await load(serving_vim, name, tmp_path, server="ruff")
    path = project / "a.py"
    path.write_text(UNTIDY)
    await serving_vim.command(f"edit {path}")
    await until(lambda: is_attached(serving_vim, path), "the plugin handles the file")
    await until(lambda: serving_vim.eval(f"len({SERVER})"), "the server")
    (pid,) = await serving_vim.eval(SERVER)
    os.kill(pid, signal.SIGSTOP)
    try:
        _, answer = vim_client.start_call("reformat_file", {"file_path": str(path)})
        await vim_client.texts("getOpenEditors")
        assert not answer.done()
        await serving_vim.keys("G")
        await until(lambda: serving_vim.eval("line('.') == 4"), "keys are handled")
    finally:
        os.kill(pid, signal.SIGCONT)

    assert (await answer)["content"][0]["text"].startswith("Reformatted with ruff: ")
    assert path.read_text() == TIDY


async def test_formatexpr_of_the_user_formats(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path
) -> None:
    path = await three_lines(serving_vim, project)
    await serving_vim.command(
        "function! Tidy()\nfor l in range(v:lnum, v:lnum + v:count - 1)\n"
        "call setline(l, substitute(getline(l), '^a$', 'A', ''))\nendfor\n"
        "call append(0, 'first')\nendfunction"
    )
    await serving_vim.command("setlocal formatexpr=Tidy()")

    assert await reformat(vim_client, path) == {
        "ok": True,
        "report": "Reformatted with 'formatexpr': 2 lines changed, saved.",
    }
    assert await serving_vim.eval("&l:formatexpr") == "Tidy()"
    await are_formatted(serving_vim, path)


async def test_a_failing_formatexpr_changes_nothing(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("b\n")
    await serving_vim.command(f"edit {path}")
    await serving_vim.command("setlocal formatexpr=setline(1,'c')+Missing()")

    said = str((await reformat(vim_client, path))["error"])
    assert said == f"'formatexpr' could not reformat {path}: Unknown function: Missing"
    assert await serving_vim.eval("[getline(1, '$'), &modified]") == [["b"], 0]
    assert path.read_text() == "b\n"


async def test_a_file_without_a_formatter_is_an_error_that_names_what_is_missing(
    vim_client: ClaudeCode, serving_vim: Vim, project: Path
) -> None:
    path = project / "a.txt"
    path.write_text("b\n")
    await serving_vim.command(f"edit {path}")

    said = str((await reformat(vim_client, path))["error"])
    assert said.startswith(f"{path} has no formatter: no fixers of ALE, no 'formatexpr', ")


async def reformat(client: ClaudeCode, path: Path) -> dict[str, str | bool]:
    """Reformat a file, and return the report or the error."""
    answer = await client.call("reformat_file", {"file_path": str(path)})
    text, failed = str(answer["content"][0]["text"]), bool(answer.get("isError"))
    return {"ok": not failed, "error" if failed else "report": text}
