"""`diff/windows.lua`: borrows a window for a diff, and restores it."""

from pathlib import Path
from typing import Any

import pytest

from support.diffs import everything
from support.neovim import Neovim

BORROW = "_G.borrowed = require('claude_ide.diff.windows').borrow(vim.fn.win_getid())"
GIVE_BACK = "require('claude_ide.diff.windows').give_back(_G.borrowed)"


@pytest.fixture
async def window(nvim: Neovim, project: Path) -> Neovim:
    (project / "a.txt").write_text("".join(f"\tline {number}\n" for number in range(1, 101)))
    await nvim.command("edit a.txt | normal! 40Gzt3l")
    return nvim


async def state(nvim: Neovim) -> Any:
    return (await everything(nvim))["tabpages"][0]["windows"][0]


@pytest.mark.parametrize(
    "setup",
    [
        [],
        ["setlocal nowrap foldcolumn=2 winbar=mine scrollbind cursorbind"],
        ["10,20fold", "12,14fold", "30,35fold", "30foldopen"],
        ["setlocal foldmethod=indent foldlevel=0", "50foldopen"],
        ["setlocal foldmethod=marker nofoldenable foldlevel=3"],
        ["setlocal foldmethod=expr foldexpr=v:lnum%10>0 foldlevel=1", "15foldclose"],
        ["setlocal scrolloff=7 sidescrolloff=3"],
    ],
)
async def test_options_folds_and_view_are_restored(window: Neovim, setup: list[str]) -> None:
    for command in setup:
        await window.command(command)
    await window.command("normal! 40Gzt")
    before = await state(window)
    await window.lua(BORROW)
    await window.command("setlocal winbar=ours | diffthis | normal! gg")

    await window.lua(GIVE_BACK)

    after = await state(window)
    for name in before:
        assert after[name] == before[name], name


async def test_borrowing_a_window_changes_nothing(window: Neovim) -> None:
    await window.command("10,20fold | set hlsearch | nohlsearch")
    await window.command("let g:was_loaded = 0 | autocmd SessionLoadPost * let g:was_loaded = 1")
    before = await everything(window)

    await window.lua(BORROW)

    assert await everything(window) == before
    await window.lua(GIVE_BACK)
    assert await everything(window) == before
    assert await window.eval("[g:was_loaded, v:hlsearch]") == [0, 0]


async def test_a_buffer_that_the_user_opens_in_the_window_keeps_its_view(window: Neovim) -> None:
    await window.lua(BORROW)
    await window.command("enew | call setline(1, range(50)) | normal! 30G")

    await window.lua(GIVE_BACK)

    assert await window.eval("line('.')") == 30


async def test_returning_a_closed_window_is_no_error(window: Neovim) -> None:
    await window.command("split")
    await window.lua(BORROW)
    await window.command("close")

    await window.lua(GIVE_BACK)

    assert await window.eval("winnr('$')") == 1
