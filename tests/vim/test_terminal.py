"""`:Claude` in Vim's terminal, with a script instead of the CLI."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.neovim import until
from support.vim import Vim

SCRIPT = """#!/bin/sh
for word; do given="$given $(printf %.30s "$word")"; done
echo "given:$given" "port: $CLAUDE_CODE_SSE_PORT" "colours: $COLORTERM"
while read -r line; do
  [ "$line" = quit ] && exit 0
  [ "$line" = fail ] && exit 3
  echo "read: $line"
done
"""
"""It prints its arguments and runs until it reads `quit` or `fail`."""

MAP = "|".join(f"{kind} <F2> <Plug>(claude-focus)" for kind in ("map", "map!", "tmap"))


@pytest.fixture
async def program(vim: Vim, tmp_path: Path) -> Path:
    """A program instead of the CLI."""
    script = tmp_path / "claude-stand-in"
    script.write_text(SCRIPT)
    script.chmod(0o755)
    await configure(vim, cmd=str(script))
    return script


async def configure(vim: Vim, **options: Any) -> None:
    """Set options."""
    given = json.dumps(options).replace("'", "''")
    await vim.command(f"call extend(g:claude_ide, json_decode('{given}'))")


async def open_claude(vim: Vim) -> int:
    """Run `:Claude`, and return the buffer of its terminal."""
    await vim.keys(":Claude<CR>")
    await until(lambda: "given:" in vim.screen.text(), "the program runs")
    await until(lambda: vim.eval("mode() == 't'"), "the user types there")
    bufnr: int = await vim.eval("bufnr()")
    return bufnr


async def test_claude_hides_and_shows_its_terminal_and_the_job_goes_on(
    vim: Vim, program: Path
) -> None:
    terminal = await open_claude(vim)

    await vim.command("Claude")
    await until(lambda: vim.eval("winnr('$') == 1 && mode() == 'n'"))
    assert "running" in await vim.eval(f"term_getstatus({terminal})")

    await vim.command("Claude")
    await until(lambda: vim.eval("winnr('$') == 2 && mode() == 't'"))
    assert await vim.eval("bufnr()") == terminal
    await vim.keys("typed<CR>")
    await until(lambda: "read: typed" in vim.screen.text(), "no key was lost")


async def test_the_window_closes_when_the_program_exits_and_nothing_else_changes(
    vim: Vim, program: Path
) -> None:
    await vim.command("edit a.txt | split b.txt | 5wincmd _ | vsplit c.txt | vertical resize 20")
    before = await vim.eval("[winlayout(), winrestcmd(), win_getid()]")
    await open_claude(vim)

    await vim.keys("quit<CR>")

    await until(lambda: vim.eval("winnr('$') == 3"))
    assert await vim.eval("[winlayout(), winrestcmd(), win_getid()]") == before
    assert await vim.eval("mode()") == "n"
    await vim.keys("ix<Esc>")
    assert await vim.call("getline", 1) == "x"


async def test_a_program_that_ends_leaves_the_user_in_another_window(
    vim: Vim, program: Path
) -> None:
    await vim.command("edit a.txt")
    terminal = await open_claude(vim)
    await vim.keys("<C-w>pihello")

    await vim.command(f'call term_sendkeys({terminal}, "quit\\<CR>")')

    await until(lambda: vim.eval("winnr('$') == 1"))
    await vim.keys(" you")
    assert await vim.eval("[bufname(), mode(), getline(1)]") == ["a.txt", "i", "hello you"]


async def test_instead_of_a_float_a_split_opens_and_one_line_says_why(
    vim: Vim, program: Path
) -> None:
    await configure(vim, terminal={"side": "float"})

    await vim.keys(":Claude<CR>")

    await until(lambda: vim.eval("[winnr('$'), mode(), winwidth(0)] == [2, 't', 40]"))
    says = "a terminal in a popup cannot be left, so Claude opens in a split"
    await until(lambda: says in vim.screen.text(), says)


@pytest.mark.parametrize(
    ("option", "told"), [("termguicolors", "truecolor"), ("notermguicolors", "")]
)
async def test_the_cli_is_told_of_exact_colours_if_vim_shows_them(
    vim: Vim, program: Path, option: str, told: str
) -> None:
    await vim.command(f"set {option}")

    await open_claude(vim)

    await until(lambda: vim.eval(f"join(getline(1, '$'), '') =~ 'colours: {told}\\s*$'"))


async def test_suspending_suspends_vim_and_not_the_cli(vim: Vim, program: Path) -> None:
    await open_claude(vim)
    await vim.command("autocmd VimSuspend * let g:was_suspended = 1")

    await vim.keys("<C-z>")
    await until(lambda: vim.eval("get(g:, 'was_suspended')"), "Vim is suspended")
    await vim.keys("on<CR>")

    await until(lambda: "read: on" in vim.screen.text(), "the program goes on")


async def test_a_session_does_not_restore_the_terminal(
    vim: Vim, program: Path, project: Path
) -> None:
    await vim.command("edit a.txt")
    await open_claude(vim)

    await vim.command("mksession session.vim")

    session = (project / "session.vim").read_text()
    assert "edit a.txt" in session
    assert program.name not in session


async def test_quitting_vim_ends_the_cli(vim: Vim, program: Path) -> None:
    await open_claude(vim)
    pid = await vim.eval("job_info(term_getjob(bufnr())).process")

    await vim.keys("<C-w>:qa<CR>")

    await until(lambda: vim.process.returncode is not None, "Vim has ended")
    await until(lambda: not Path(f"/proc/{pid}").exists(), "the program has ended")


@pytest.mark.parametrize("keys", ["ggwi", "gg", "gg<C-v>l", "ggV", "ggR"])
async def test_the_key_leads_into_the_terminal_and_back_from_each_mode(
    vim: Vim, program: Path, keys: str
) -> None:
    await vim.command(f"edit a.txt | {MAP}")
    await vim.command("call setline(1, ['one two', 'three'])")
    terminal = await open_claude(vim)
    await vim.keys("<F2>")
    await until(lambda: vim.eval("[bufname(), mode()] == ['a.txt', 'n']"))
    await vim.keys(keys)

    await vim.keys("<F2>")
    await until(lambda: vim.eval(f"bufnr() == {terminal} && mode() == 't'"))
    await vim.keys("hello<CR>")
    await until(lambda: "read: hello" in vim.screen.text())
    await vim.keys("<F2>")

    mode = keys[-1] if keys[-1] in "iR" else "n"
    await until(lambda: vim.eval(f"[bufname(), mode()] == ['a.txt', '{mode}']"))
    if keys == "ggwi":
        await vim.keys("x")
        assert await vim.call("getline", 1) == "one xtwo"


@pytest.mark.parametrize("keys", ["ityping", ":call getline(", "d", "vj"])
async def test_the_terminal_opens_when_the_user_has_finished_what_they_type(
    vim: Vim, program: Path, keys: str
) -> None:
    await vim.command("call setline(1, ['one', 'two'])")

    await vim.keys(f":Claude<CR>{keys}")
    await vim.idle(300)
    if keys in (":call getline(", "d"):
        assert await vim.eval("winnr('$')") == 1
        await vim.keys("<Esc>" if keys == "d" else "1)<CR>")

    await until(lambda: vim.eval("winnr('$') == 2 && mode() == 't'"))
    await vim.keys("hello<CR>")
    await until(lambda: "read: hello" in vim.screen.text())
