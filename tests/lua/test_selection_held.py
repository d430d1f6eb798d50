"""`selection/init.lua`: a selection is kept while the user is in a terminal."""

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until
from support.selections import latest, pause, selection_events, wait_for_cursor, wait_for_text


async def open_terminal(nvim: Neovim) -> None:
    """Show a terminal on the right; the file keeps the focus."""
    await nvim.lua(
        """vim.cmd('botright vsplit | terminal cat')
        TERMINAL = vim.api.nvim_get_current_win()
        vim.cmd('wincmd p')"""
    )


async def in_terminal(nvim: Neovim) -> bool:
    return bool(await nvim.eval("&buftype == 'terminal'"))


# When the user enters a terminal.


async def test_a_click_into_the_terminal_keeps_the_selection(editor: Neovim) -> None:
    await open_terminal(editor)
    await editor.keys("vj")
    await wait_for_text(editor, "one é\nt")

    await editor.keys("l")
    await editor.request("nvim_input_mouse", "left", "press", "", 0, 5, 80)
    await editor.request("nvim_input_mouse", "left", "release", "", 0, 5, 80)
    await until(lambda: in_terminal(editor))
    await pause(editor)

    assert selection_events(editor)[-1]["text"] == "one é\ntw"


async def test_a_script_that_enters_the_terminal_keeps_the_selection(editor: Neovim) -> None:
    """`nvim_set_current_win()` does not end Visual mode."""
    await open_terminal(editor)
    await editor.command("xnoremap Q <Cmd>lua vim.api.nvim_set_current_win(TERMINAL)<CR>")

    await editor.keys("vjlQ")
    await until(lambda: in_terminal(editor))

    await wait_for_text(editor, "one é\ntw")
    assert (await latest(editor))["text"] == "one é\ntw"


async def test_a_click_elsewhere_in_the_file_ends_the_kept_selection(editor: Neovim) -> None:
    await open_terminal(editor)
    await editor.keys("vj<C-w>l")
    await pause(editor)
    assert selection_events(editor)[-1]["text"] == "one é\nt"

    await editor.request("nvim_input_mouse", "left", "press", "", 0, 4, 2)
    await editor.request("nvim_input_mouse", "left", "release", "", 0, 4, 2)

    await wait_for_cursor(editor, 4, 2)


async def test_a_selection_that_the_user_has_ended_is_not_kept(editor: Neovim) -> None:
    await open_terminal(editor)
    await editor.keys("vj")
    await wait_for_text(editor, "one é\nt")
    await editor.keys("<Esc>")
    await wait_for_cursor(editor, 1, 0)

    await editor.keys("<C-w>l")
    await until(lambda: in_terminal(editor))
    await pause(editor)

    await wait_for_cursor(editor, 1, 0)


# When a command takes the user to a terminal.


async def define_command(nvim: Neovim) -> None:
    """Define a command that enters the terminal as `:Claude` does: once the host has answered."""
    await nvim.lua(chunk("selection_held/define_command"))
    await open_terminal(nvim)


@pytest.mark.parametrize("keys", [":Go<CR>", "Q", "K"])
async def test_a_command_from_visual_mode_holds_the_selection(editor: Neovim, keys: str) -> None:
    await define_command(editor)

    await editor.keys("jv2l" + keys)
    await until(lambda: in_terminal(editor))
    await pause(editor)

    assert selection_events(editor)[-1]["text"] == "two"
    assert (await latest(editor))["text"] == "two"


@pytest.mark.parametrize("keys", [":Go<CR>", "Q"])
async def test_a_command_holds_the_selection_before_reports_have_started(
    editor: Neovim, keys: str
) -> None:
    await define_command(editor)
    await editor.lua("require('claude_ide.selection').stop()")

    await editor.keys("jv2l" + keys)
    await until(lambda: in_terminal(editor))

    assert (await latest(editor))["text"] == "two"


async def test_a_selection_held_before_the_start_is_the_latest_afterwards(editor: Neovim) -> None:
    await define_command(editor)
    await editor.lua("require('claude_ide.selection').stop()")
    await editor.keys("Vj:Go<CR>")

    await editor.lua("require('claude_ide.selection').start()")

    assert (await latest(editor))["text"] == "one é\ntwo 😀 two"
    await until(lambda: in_terminal(editor))
    assert (await latest(editor))["text"] == "one é\ntwo 😀 two"


async def test_a_held_selection_ends_when_the_user_moves_before_the_terminal_opens(
    editor: Neovim,
) -> None:
    await editor.command("command -range Go lua require('claude_ide.selection').hold()")
    await editor.keys("v2l:Go<CR>")
    await wait_for_text(editor, "one")

    await editor.keys("j")

    await wait_for_cursor(editor, 1, 0)


@pytest.mark.parametrize("lines", ["1", "2", "2,3"])
async def test_a_typed_range_does_not_hold_an_old_visual_area(editor: Neovim, lines: str) -> None:
    await define_command(editor)
    await editor.keys("vj<Esc>")

    await editor.keys(f"4G:{lines}Go<CR>")
    await until(lambda: in_terminal(editor))

    await wait_for_cursor(editor, 3, 0)


async def test_a_command_from_the_terminal_keeps_the_held_selection(editor: Neovim) -> None:
    await open_terminal(editor)
    await editor.keys("vj<C-w>l")
    await wait_for_text(editor, "one é\nt")

    await editor.lua("require('claude_ide.selection').hold()")

    assert (await latest(editor))["text"] == "one é\nt"
