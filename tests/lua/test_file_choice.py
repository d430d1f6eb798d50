"""`file/open.lua`: which window can show a file."""

from typing import Any

import pytest

from support.neovim import Neovim

NEW = "local bufnr = vim.fn.bufadd('new.txt')\n"


async def to_show(nvim: Neovim) -> Any:
    return await nvim.lua(NEW + "return require('claude_ide.file.open').to_show(bufnr)")


async def to_enter(nvim: Neovim) -> Any:
    return await nvim.lua(NEW + "return require('claude_ide.file.open').to_enter(bufnr)")


@pytest.mark.parametrize(
    "special",
    [
        "setlocal buftype=nofile",
        "setlocal previewwindow",
        "setlocal winfixbuf",
        "setlocal bufhidden=delete",
        "help",
        "copen",
        "terminal",
    ],
)
async def test_a_special_window_is_not_used_for_a_file(nvim: Neovim, special: str) -> None:
    await nvim.command("edit file.txt")
    await nvim.command(f"split special.txt | {special}")
    await nvim.command("only")
    window = await nvim.eval("win_getid()")

    assert await to_show(nvim) is None
    assert await to_enter(nvim) != window


async def test_a_window_other_than_the_users_own_can_show_a_file(nvim: Neovim) -> None:
    await nvim.command("edit file.txt | split mine.txt")

    assert await to_show(nvim) == await nvim.eval("win_getid(2)")


async def test_the_users_own_window_is_not_used_to_show_another_file(nvim: Neovim) -> None:
    await nvim.command("edit mine.txt")

    assert await to_show(nvim) is None


async def test_a_window_that_already_shows_the_file_is_preferred(nvim: Neovim) -> None:
    await nvim.command("edit new.txt | split file.txt | split mine.txt")

    shown = await nvim.eval("win_getid(3)")
    assert await to_show(nvim) == shown
    assert await to_enter(nvim) == shown


async def test_a_file_is_only_shown_in_the_current_tabpage(nvim: Neovim) -> None:
    await nvim.command("edit new.txt | tabnew")

    assert await to_show(nvim) is None


async def test_from_a_diff_the_user_enters_a_tabpage_that_shows_a_file(nvim: Neovim) -> None:
    await nvim.command("edit file.txt | tabnew | terminal")
    await nvim.command("tabnew one.txt | diffthis | vsplit two.txt | diffthis")

    assert await to_enter(nvim) == await nvim.eval("win_getid(1, 1)")


async def test_from_a_diff_in_the_first_tabpage_the_user_enters_the_next_one(nvim: Neovim) -> None:
    await nvim.command("edit one.txt | diffthis | vsplit two.txt | diffthis")
    await nvim.command("tabnew file.txt | tabfirst | tabonly | tabnew file.txt | tabprevious")

    assert await to_enter(nvim) == await nvim.eval("win_getid(1, 2)")


async def test_a_new_window_opens_above_the_largest_one(nvim: Neovim) -> None:
    await nvim.command("terminal")
    await nvim.command("only | topleft 20vnew | setlocal buftype=nofile")

    new = await to_enter(nvim)

    assert await nvim.eval("winlayout()") == [
        "row",
        [
            ["leaf", await nvim.eval("win_getid(1)")],
            ["col", [["leaf", new], ["leaf", await nvim.eval("win_getid(3)")]]],
        ],
    ]
