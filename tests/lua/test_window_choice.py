"""`file/choice.lua`: which window a file may take."""

from typing import Any

import pytest

from support.neovim import Neovim

NEW = "local bufnr = vim.fn.bufadd('new.txt')\n"


async def to_show(nvim: Neovim) -> Any:
    return await nvim.lua(NEW + "return require('claude_ide.file.choice').to_show(bufnr)")


async def to_enter(nvim: Neovim) -> Any:
    return await nvim.lua(NEW + "return require('claude_ide.file.choice').to_enter(bufnr)")


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
async def test_a_special_window_is_not_taken(nvim: Neovim, special: str) -> None:
    await nvim.command("edit file.txt")
    await nvim.command(f"split special.txt | {special}")
    await nvim.command("only")
    taken = await nvim.eval("win_getid()")

    assert await to_show(nvim) is None
    assert await to_enter(nvim) != taken


async def test_a_window_beside_the_users_own_can_show_a_file(nvim: Neovim) -> None:
    await nvim.command("edit file.txt | split mine.txt")

    assert await to_show(nvim) == await nvim.eval("win_getid(2)")


async def test_the_users_own_window_is_not_shown_another_file(nvim: Neovim) -> None:
    await nvim.command("edit mine.txt")

    assert await to_show(nvim) is None


async def test_a_window_that_shows_the_file_already_comes_first(nvim: Neovim) -> None:
    await nvim.command("edit new.txt | split file.txt | split mine.txt")

    shown = await nvim.eval("win_getid(3)")
    assert await to_show(nvim) == shown
    assert await to_enter(nvim) == shown


async def test_only_the_current_tabpage_counts_for_what_is_shown_beside(nvim: Neovim) -> None:
    await nvim.command("edit new.txt | tabnew")

    assert await to_show(nvim) is None


async def test_from_a_diff_the_way_leads_to_any_tabpage_with_a_file(nvim: Neovim) -> None:
    await nvim.command("edit file.txt | tabnew | terminal")
    await nvim.command("tabnew one.txt | diffthis | vsplit two.txt | diffthis")

    assert await to_enter(nvim) == await nvim.eval("win_getid(1, 1)")


async def test_from_a_diff_in_the_first_tabpage_the_way_leads_to_the_next(nvim: Neovim) -> None:
    await nvim.command("edit one.txt | diffthis | vsplit two.txt | diffthis")
    await nvim.command("tabnew file.txt | tabfirst | tabonly | tabnew file.txt | tabprevious")

    assert await to_enter(nvim) == await nvim.eval("win_getid(1, 2)")


async def test_a_new_window_is_made_above_the_largest_one(nvim: Neovim) -> None:
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
