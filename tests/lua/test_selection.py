"""`selection/init.lua`: what is selected, and when the host is notified."""

import itertools
from pathlib import Path

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until
from support.selections import (
    Selection,
    end_of,
    latest,
    pause,
    selection_events,
    wait_for_cursor,
    wait_for_text,
)

# Notifications carry no time, so the time is recorded where they are sent.
TIMES = chunk("selection/times")


# A key that repeats like a held key, slowly enough for Neovim to idle in between.
HOLD_KEY = chunk("selection/hold_key")


async def current(nvim: Neovim) -> Selection:
    now: Selection = await nvim.lua("return require('claude_ide.selection').current()")
    return now


# When it is reported.


async def test_starting_reports_nothing_and_the_first_change_is_reported_immediately(
    editor: Neovim,
) -> None:
    await editor.keys("i<Esc>:<Esc>")
    await pause(editor)
    assert selection_events(editor) == []

    await editor.keys("l")

    assert await wait_for_cursor(editor, 0, 1) == await current(editor)


async def test_typing_while_the_popup_menu_is_shown_is_reported(editor: Neovim) -> None:
    await editor.keys("Got<C-n>")
    await until(lambda: editor.eval("pumvisible()"))
    await wait_for_cursor(editor, 5, 3)
    await pause(editor)
    await editor.keys("<C-n>")
    await wait_for_cursor(editor, 5, 5)


async def test_a_held_key_is_reported_at_a_limited_rate_and_to_its_end(editor: Neovim) -> None:
    await editor.lua(TIMES)
    await editor.lua("vim.fn.setline(1, vim.fn.range(200))")
    await editor.keys("v")

    await editor.lua(HOLD_KEY, "j", 60)
    await until(lambda: editor.eval("line('.') == 61"))

    lines = [str(number) for number in range(60)]
    last = await wait_for_text(editor, "\n".join([*lines, "6"]))
    assert end_of(last) == (60, 1)
    while_held = [end_of(selection)[0] for selection in selection_events(editor)]
    assert len(set(while_held)) > 5
    times = await editor.lua("return TIMES")
    assert all(later - earlier >= 50 for earlier, later in itertools.pairwise(times))


async def test_an_unchanged_selection_is_not_reported_again(editor: Neovim) -> None:
    await editor.keys("l")
    await wait_for_cursor(editor, 0, 1)

    await editor.keys("zza<Esc>:<Esc>:echo<CR>")
    await editor.command("doautocmd CursorMoved | doautocmd BufEnter")
    await pause(editor)
    await editor.command("call setline(4, 'elsewhere')")
    await pause(editor)
    await editor.keys("i")
    await pause(editor)

    assert len(selection_events(editor)) == 1


@pytest.mark.parametrize("option", ["filetype=netrw", "buftype=nofile"])
async def test_a_buffer_that_no_longer_holds_a_file_is_not_reported(
    editor: Neovim, option: str
) -> None:
    await editor.keys("wh")
    before = await wait_for_cursor(editor, 0, 3)

    await editor.command(f"setlocal {option}")
    await editor.keys("jj")
    await pause(editor)

    assert selection_events(editor)[-1] == before


# Clients that connect later; the end.


async def test_the_latest_selection_is_computed_when_none_was_reported(editor: Neovim) -> None:
    assert selection_events(editor) == []
    assert end_of(await latest(editor)) == (0, 0)


async def test_there_is_no_latest_selection_before_the_first_file(nvim: Neovim) -> None:
    assert await nvim.lua("return require('claude_ide.selection').latest()") is None


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("Vj", "a\0c\ndef"),
        ("lvj", "\0c\nde"),
        ("<C-v>jl", "a\0\nde"),
        ("G$v", ""),
        ("GV", "\n"),
        ("VG", "a\0c\ndef\n\n"),
    ],
)
async def test_the_latest_selection_is_available_without_a_start(
    nvim: Neovim, keys: str, text: str
) -> None:
    await nvim.command("edit a.txt | call setline(1, ['a\nc', 'def', ''])")
    await nvim.keys(keys)

    assert (await latest(nvim))["text"] == text


async def test_asking_for_the_latest_selection_hides_no_change_from_the_host(
    editor: Neovim,
) -> None:
    await editor.lua(
        """vim.api.nvim_win_set_cursor(0, {2, 0})
        require('claude_ide.selection').latest()"""
    )

    await wait_for_cursor(editor, 1, 0)


async def test_stopping_ends_the_reports_and_removes_the_autocommands(editor: Neovim) -> None:
    await editor.keys("j")
    await wait_for_cursor(editor, 1, 0)

    await editor.lua("local s = require('claude_ide.selection') s.stop() s.stop()")
    await editor.keys("j")
    await pause(editor)

    assert len(selection_events(editor)) == 1
    assert (
        await editor.lua("return vim.api.nvim_get_autocmds({group='claude_ide_selection'})") == []
    )
    assert end_of(await latest(editor)) == (2, 0)


async def test_after_another_start_each_change_is_reported_once(editor: Neovim) -> None:
    await editor.lua(
        """local s = require('claude_ide.selection')
        s.stop() s.start() s.start()"""
    )
    await editor.keys("j")
    await wait_for_cursor(editor, 1, 0)
    await pause(editor)

    assert len(selection_events(editor)) == 1


async def test_an_error_ends_the_reports_with_one_line_and_no_prompt(editor: Neovim) -> None:
    await editor.lua("require('claude_ide.file.text').to_lsp = function() error('broken') end")

    await editor.keys("jj")
    await until(lambda: "broken" in editor.screen.text())
    await editor.keys("j")

    await until(lambda: editor.eval("line('.') == 4"))
    assert await editor.mode() == {"mode": "n", "blocking": False}
    assert (
        await editor.lua("return vim.api.nvim_get_autocmds({group='claude_ide_selection'})") == []
    )


async def test_a_hidden_file_that_is_written_is_not_where_the_user_is(
    editor: Neovim, project: Path
) -> None:
    """A formatter on the write waits for its program, which lets timers run."""
    await editor.command("new")
    await editor.command("wincmd p")
    await editor.keys("jw")
    await wait_for_cursor(editor, 1, 4)
    await editor.command("wincmd p | set buftype=nofile")
    (project / "hidden.txt").write_text("hidden\n")

    await editor.lua(
        """
        local bufnr = vim.fn.bufadd(...)
        vim.fn.bufload(bufnr)
        vim.api.nvim_create_autocmd('BufWritePre', { callback = function() vim.wait(200) end })
        vim.api.nvim_buf_call(bufnr, vim.cmd.write)
        """,
        str(project / "hidden.txt"),
    )

    await pause(editor)
    assert {event["filePath"] for event in selection_events(editor)} == {str(project / "a.txt")}
