"""`terminal/typing_mode.lua`: the keys that lead out of Claude's terminal."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.neovim import Neovim, until

OPEN = """
    local command = ...
    vim.cmd.vsplit()
    vim.cmd.wincmd('l')
    local bufnr = vim.api.nvim_create_buf(false, false)
    vim.api.nvim_win_set_buf(0, bufnr)
    vim.fn.jobstart(command, { term = true })
    require('claude_ide.terminal.typing_mode').attach(bufnr, true)
    vim.cmd.startinsert()
"""


@pytest.fixture
async def terminal(nvim: Neovim) -> AsyncIterator[Neovim]:
    """Two windows, with a terminal that shows what it receives on the right."""
    await nvim.lua(OPEN, ["cat", "-v"])
    await until(lambda: is_typing(nvim))
    yield nvim


async def is_typing(nvim: Neovim) -> bool:
    return bool(await nvim.eval("[winnr(), mode()] == [2, 't']"))


@pytest.mark.parametrize("key", ["h", "p"])
async def test_a_key_leaves_the_terminal_and_typing_continues_on_return(
    terminal: Neovim, key: str
) -> None:
    await terminal.keys(f"<C-w>{key}")
    await until(lambda: terminal.eval("[winnr(), mode()] == [1, 'n']"))

    await terminal.keys("<C-w>l")

    await until(lambda: is_typing(terminal))


DIALOG = [
    "python3",
    "-uc",
    "import time, os\n"
    "print('text\\n' * 60 + '\\033[5A', end='')\n"
    "while not os.path.exists('answered'): time.sleep(0.02)\n"
    "print('\\033[5B' + 'more\\n' * 60 + 'the end', end='')\n"
    "time.sleep(60)\n",
]
"""A program whose cursor is above its last line, as in a dialog, until it is answered."""


async def test_a_terminal_that_was_left_in_a_dialog_shows_what_comes_after_it(
    nvim: Neovim, project: Path
) -> None:
    await nvim.lua(OPEN, DIALOG)
    await until(lambda: nvim.eval("mode() == 't' && line('$') > 50"), "the dialog")

    await nvim.keys("<C-w>h")
    await until(lambda: nvim.eval("mode() == 'n' && &buftype == ''"), "the user has left")
    (project / "answered").touch()

    await until(lambda: "the end" in nvim.screen.text(), "the end")


async def test_keys_typed_right_after_the_return_reach_the_terminal(terminal: Neovim) -> None:
    await terminal.keys("<C-w>h<C-w>lsoon")

    await until(lambda: "soon" in terminal.screen.text())
    assert await is_typing(terminal)


async def test_typing_continues_after_the_cli_has_moved_the_user_to_a_file(
    terminal: Neovim,
) -> None:
    await terminal.lua("vim.api.nvim_set_current_win(vim.fn.win_getid(1))")
    await until(lambda: terminal.eval("[winnr(), mode()] == [1, 'n']"))

    await terminal.keys("<C-w>l")

    await until(lambda: is_typing(terminal))


async def test_the_mode_stays_without_a_window_in_this_direction(terminal: Neovim) -> None:
    await terminal.keys("<C-w>l<C-w>jtyped")

    await until(lambda: "typed" in terminal.screen.text())
    assert await is_typing(terminal)


async def test_ctrl_w_twice_sends_it_once_and_escape_is_sent(terminal: Neovim) -> None:
    await terminal.keys("<C-v><C-w><C-w>|<C-v><Esc>|<CR>")

    await until(lambda: "^W|^[|" in terminal.screen.text())
    assert await is_typing(terminal)


async def test_a_terminal_that_was_left_in_normal_mode_stays_in_it(terminal: Neovim) -> None:
    await terminal.keys(r"<C-\><C-n><C-w>h<C-w>l")

    await terminal.idle(100)
    assert await terminal.eval("[winnr(), mode(1)]") == [2, "nt"]


@pytest.mark.parametrize("command", ["tabnew", "split a.txt", "edit a.txt", "wincmd h"])
async def test_a_window_that_opens_from_the_terminal_does_not_get_its_mode(
    terminal: Neovim, command: str
) -> None:
    await terminal.keys("<C-w>h")
    await until(lambda: terminal.eval("winnr() == 1"))

    await terminal.command(f"wincmd l | {command}")

    await terminal.idle(100)
    assert await terminal.eval("mode()") == "n"


async def test_each_key_has_a_description(terminal: Neovim) -> None:
    described = await terminal.lua("""
        local found = {}
        for _, map in ipairs(vim.api.nvim_buf_get_keymap(0, 't')) do
          found[map.lhs] = map.desc ~= nil
        end
        return found
    """)

    keys = ("<C-W>h", "<C-W>j", "<C-W>k", "<C-W>l", "<C-W>p", "<C-W><C-W>", "<C-Z>")
    assert described == dict.fromkeys(keys, True)


async def test_suspending_suspends_neovim_and_not_the_cli(terminal: Neovim) -> None:
    await terminal.command("autocmd VimSuspend * let g:was_suspended = 1")

    await terminal.keys("<C-z>")
    await until(lambda: terminal.eval("get(g:, 'was_suspended')"), "Neovim is suspended")
    await terminal.keys("on")

    await until(lambda: "on" in terminal.screen.text(), "the program goes on")
