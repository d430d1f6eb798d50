"""`terminal.side`: in a float, in a tab page, in tmux, as a function wants it, or not at all."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from support.claude_terminal import open_claude
from support.either_editor import BOTH, Editor, configure, name_of, on_screen, run
from support.neovim import Neovim, until
from support.tmux import Tmux, needs_tmux, tmux_around
from support.vim import Vim

IS_TYPING = "mode() == 't'"


async def choose(nvim: Editor, side: str, size: float = 0.4) -> None:
    """Set the option."""
    await configure(nvim, terminal={"side": side, "size": size})


async def test_a_float_is_hidden_and_shown(nvim: Neovim, program: Path) -> None:
    await choose(nvim, "float")
    terminal = await open_claude(nvim)
    assert await nvim.eval("nvim_win_get_config(0).relative") == "editor"
    await on_screen(nvim, "╭")
    await on_screen(nvim, " Claude ")

    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))
    await nvim.command("Claude")

    await until(lambda: nvim.eval(f"bufnr() == {terminal} && {IS_TYPING}"))
    assert await nvim.eval("nvim_win_get_config(0).relative") == "editor"


async def test_a_float_follows_the_size_of_the_screen(nvim: Neovim, program: Path) -> None:
    await choose(nvim, "float")
    await open_claude(nvim)
    before = await nvim.eval("winwidth(0)")

    await nvim.command("set columns=60 lines=20")

    await until(lambda: nvim.eval(f"winwidth(0) < {before}"))
    assert await nvim.eval("winwidth(0) + 2 <= &columns && winheight(0) + 2 < &lines")


async def test_a_float_closes_when_the_user_goes_to_a_file(nvim: Neovim, program: Path) -> None:
    await choose(nvim, "float")
    terminal = await open_claude(nvim)

    await nvim.keys("<C-\\><C-n>:ClaudeFocus<CR>")

    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))
    await nvim.keys(":ClaudeFocus<CR>")
    await until(lambda: nvim.eval(f"[bufnr(), mode(1)] == [{terminal}, 'nt']"))


async def test_closed_floats_leave_no_autocommands(nvim: Neovim, program: Path) -> None:
    await choose(nvim, "float")
    for _ in range(3):
        await open_claude(nvim)
        await nvim.command("Claude")
        await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))
    await nvim.command("new | close")

    watching = "return #vim.api.nvim_get_autocmds({ group = 'claude_ide_terminal_window' })"
    assert await nvim.lua(watching) == 0


@BOTH
async def test_a_tab_page_is_opened_left_and_found_again(nvim: Editor, program: Path) -> None:
    await choose(nvim, "tab")
    await nvim.command("edit a.txt")
    terminal = await open_claude(nvim)
    assert await nvim.eval("[tabpagenr(), tabpagenr('$'), winnr('$')]") == [2, 2, 1]
    await nvim.command("stopinsert | tabfirst")

    await nvim.keys(":Claude<CR>")
    await until(lambda: nvim.eval(f"bufnr() == {terminal} && tabpagenr('$') == 2 && {IS_TYPING}"))
    await nvim.command("Claude")

    await until(lambda: nvim.eval("[bufname(), tabpagenr('$'), mode()] == ['a.txt', 1, 'n']"))
    await nvim.keys(":Claude<CR>")
    await until(lambda: nvim.eval(f"bufnr() == {terminal} && tabpagenr('$') == 2 && {IS_TYPING}"))


@BOTH
async def test_without_a_terminal_the_command_is_shown(nvim: Editor) -> None:
    await choose(nvim, "none")
    await configure(nvim, cmd="mine")

    await nvim.keys(":Claude<CR>")

    await until(lambda: "· run mine --ide in a terminal of yours" in nvim.screen.text())
    assert await nvim.eval("winnr('$')") == 1


IN_LUA = """
    local options = vim.g.claude_ide
    options.terminal = {{ side = function(terminal) {} end }}
    vim.g.claude_ide = options
"""
IN_VIMSCRIPT = """
    function! Side(terminal) abort
      {}
    endfunction
    let g:claude_ide.terminal = {{'side': function('Side')}}
"""


async def call(nvim: Editor, lua: str, vimscript: str) -> None:
    """Have a function with this body open the terminal, in the language of the editor."""
    if isinstance(nvim, Vim):
        await nvim.call("execute", IN_VIMSCRIPT.format(vimscript).splitlines())
    else:
        await nvim.lua(IN_LUA.format(lua))


BESIDE_IN_LUA = """
    local asked = vim.g.asked or {}
    table.insert(asked, terminal)
    vim.g.asked = asked
    vim.cmd('topleft 12split')
    if terminal.bufnr then
      vim.cmd.buffer(terminal.bufnr)
    else
      vim.cmd.enew()
      -- Neovim 0.11 loses what the program prints before these have run.
      vim.o.eventignore = 'BufFilePre,BufFilePost'
      vim.fn.jobstart(terminal.cmd, { term = true, cwd = terminal.cwd, env = terminal.env })
      vim.o.eventignore = ''
    end
    vim.cmd.startinsert()
    return vim.api.nvim_get_current_buf()
"""
BESIDE_IN_VIMSCRIPT = """
      let g:asked = get(g:, 'asked', []) + [a:terminal]
      topleft 12split
      if has_key(a:terminal, 'bufnr')
        execute 'buffer' a:terminal.bufnr
      else
        let options = {'curwin': 1, 'cwd': a:terminal.cwd, 'env': a:terminal.env}
        call term_start(a:terminal.cmd, options)
        setlocal bufhidden=hide
      endif
      return bufnr()
"""


@BOTH
async def test_a_function_opens_the_terminal_and_shows_it_again(
    nvim: Editor, program: Path, project: Path
) -> None:
    await call(nvim, BESIDE_IN_LUA, BESIDE_IN_VIMSCRIPT)
    await nvim.command("set hidden")
    terminal = await open_claude(nvim)
    assert await nvim.eval("[winnr(), winheight(0)]") == [1, 12]
    assert await nvim.eval("g:asked[0].cwd") == str(project)
    assert str(program) in await nvim.eval("g:asked[0].cmd")
    assert "tools" not in await nvim.eval("keys(g:asked[0])")

    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"))
    await nvim.keys(":Claude<CR>")

    await until(lambda: nvim.eval(f"bufnr() == {terminal} && {IS_TYPING}"))
    assert await nvim.eval("g:asked[1]") == {"bufnr": terminal}
    assert await nvim.eval("[winnr(), winheight(0)]") == [1, 12]


@BOTH
async def test_a_function_that_runs_the_cli_elsewhere_is_called_each_time(
    nvim: Editor, program: Path
) -> None:
    await nvim.command("let g:count = 0")
    await call(nvim, "vim.g.count = vim.g.count + 1", "let g:count += 1")

    await nvim.keys(":Claude<CR>")
    await until(lambda: nvim.eval("g:count == 1"))
    await nvim.keys(":Claude<CR>")

    await until(lambda: nvim.eval("g:count == 2"))


@BOTH
async def test_an_error_of_the_function_is_shown_in_one_line(nvim: Editor, program: Path) -> None:
    await call(nvim, "error('no room', 0)", "throw 'no room'")

    await nvim.keys(":Claude<CR>")

    await until(lambda: "terminal.side: no room" in nvim.screen.text())


@BOTH
async def test_a_result_that_is_no_buffer_is_named(nvim: Editor, program: Path) -> None:
    await call(nvim, "return vim.api.nvim_get_current_win()", "return win_getid()")

    await nvim.keys(":Claude<CR>")

    window = await nvim.eval("win_getid()")
    await until(lambda: f"terminal.side returned {window}, not a buffer" in nvim.screen.text())


@BOTH
async def test_outside_tmux_a_split_is_used_and_one_line_says_so(
    nvim: Editor, program: Path
) -> None:
    says = f"this {name_of(nvim)} does not run in tmux"
    await nvim.command("unlet! $TMUX")
    await choose(nvim, "tmux")

    await nvim.keys(":Claude<CR>")

    await until(lambda: nvim.eval(f"winnr('$') == 2 && {IS_TYPING}"))
    await until(lambda: says in nvim.screen.text())
    assert await nvim.eval("[&cmdheight, winwidth(0)]") == [1, await nvim.eval("&columns * 4 / 10")]
    await nvim.idle(100)
    assert says in nvim.screen.text()


@pytest.fixture
async def tmux(nvim: Editor, tmp_path: Path) -> AsyncIterator[Tmux]:
    """Run commands of a tmux of its own, whose first pane is as if the editor ran in it."""
    async with tmux_around(nvim, tmp_path) as run:
        yield run


@BOTH
@needs_tmux
async def test_a_pane_of_tmux_is_hidden_shown_and_reused(
    nvim: Editor, program: Path, tmux: Tmux
) -> None:
    await choose(nvim, "tmux", 0.5)

    async def panes() -> list[str]:
        listed = await tmux("list-panes", "-a", "-F", "#{window_index} #{pane_index} #{pane_width}")
        return listed.splitlines()

    async def text() -> str:
        return await tmux("capture-pane", "-p", "-t", ":0.1")

    await nvim.keys(":Claude<CR>")
    await until(lambda: contains(text, "given:"))
    assert await panes() == ["0 0 59", "0 1 60"]
    assert await tmux("display-message", "-p", "#{pane_index}") == "1"
    assert await nvim.eval("winnr('$')") == 1

    await nvim.keys(":Claude<CR>")
    await until(lambda: equals(panes, ["0 0 120", "1 0 120"]))
    await nvim.keys(":Claude<CR>")
    await until(lambda: equals(panes, ["0 0 59", "0 1 60"]))

    await tmux("select-pane", "-t", ":0.0")
    await nvim.keys(":ClaudeFocus<CR>")
    await until(lambda: equals(lambda: tmux("display-message", "-p", "#{pane_index}"), "1"))
    await tmux("send-keys", "-t", ":0.1", "quit", "Enter")
    await until(lambda: equals(panes, ["0 0 120"]))
    await nvim.keys(":Claude<CR>")
    await until(lambda: equals(panes, ["0 0 59", "0 1 60"]))


@BOTH
@needs_tmux
async def test_a_pane_of_tmux_gets_the_environment_and_no_secret_in_a_command_line(
    nvim: Editor, program: Path, tmux: Tmux, tmp_path: Path
) -> None:
    given = tmp_path / "environment"
    program.write_text(f"#!/bin/sh\nenv > {given}.new\nmv {given}.new {given}\nexec cat\n")
    await nvim.command('let $A_QUOTE = "it\'s"')
    await choose(nvim, "tmux")

    await nvim.keys(":Claude<CR>")

    await until(given.exists)
    environment = dict(line.split("=", 1) for line in given.read_text().splitlines() if "=" in line)
    token = (await run(nvim, "host.server"))["token"]
    assert environment["A_QUOTE"] == "it's"
    assert environment["CLAUDE_CODE_SSE_PORT"]
    assert token in environment.values()
    assert not {"NVIM", "VIM", "VIMRUNTIME"} & environment.keys()
    started = await tmux("list-panes", "-a", "-F", "#{pane_start_command}")
    script = started.splitlines()[-1].strip('"').split()[-1]
    assert token not in started
    assert not Path(script).exists()


async def contains(text: Callable[[], Awaitable[str]], words: str) -> bool:
    return words in await text()


async def equals(actual: Callable[[], Awaitable[object]], expected: object) -> bool:
    return await actual() == expected
