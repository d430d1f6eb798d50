"""`window/scratch.lua`: a read-only text in its own window."""

import pytest

from support.neovim import Neovim, until

OPEN = "return require('claude_ide.window.scratch').open('Claude', ...)"


async def test_a_text_is_shown_below_and_q_closes_it(nvim: Neovim) -> None:
    await nvim.command("setlocal winbar=mine winfixbuf")

    await nvim.lua(OPEN, "a title", "one\r\ntwo", "diff")

    assert await nvim.eval("getline(1, '$')") == ["one", "two"]
    assert await nvim.eval("[&filetype, &modifiable, &winbar, &winfixbuf]") == ["diff", 0, "", 0]
    assert await nvim.eval("winnr()") == 2
    await nvim.keys("q")
    await until(lambda: nvim.eval("winnr('$') == 1"), "closed")
    assert await nvim.eval("len(getbufinfo())") == 1


async def test_a_text_can_be_opened_from_a_float(nvim: Neovim) -> None:
    await nvim.lua(
        "vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,"
        " { relative = 'editor', row = 1, col = 1, width = 9, height = 3 })"
    )

    await nvim.lua(OPEN, "a title", "one")

    assert await nvim.eval("nvim_win_get_config(0).relative") == ""
    assert await nvim.eval("getline(1)") == "one"


@pytest.mark.parametrize("how", ["q", ":quit<CR>", "ZZ"])
async def test_closing_a_text_returns_the_user_to_the_previous_window(
    nvim: Neovim, how: str
) -> None:
    await nvim.command("vsplit | split | vsplit")
    before = await nvim.eval("[winnr(), winnr('#')]")
    await nvim.lua(OPEN, "a title", "one")

    await nvim.keys(how)

    async def are_back() -> bool:
        return bool(await nvim.eval("[winnr(), winnr('#')]") == before)

    await until(are_back, "the window before")


async def test_closing_a_text_twice_does_no_harm(nvim: Neovim) -> None:
    bufnr = await nvim.lua(OPEN, "a title", "one")
    for _ in range(2):
        await nvim.lua("require('claude_ide.window.scratch').close(...)", bufnr)

    assert await nvim.eval(f"bufexists({bufnr})") == 0
    assert await nvim.eval("winnr('$')") == 1


REPLACE = "return require('claude_ide.window.scratch').replace(...)"


async def test_a_text_is_replaced_while_it_is_on_screen(nvim: Neovim) -> None:
    bufnr = await nvim.lua(OPEN, "a title", "one\ntwo")

    assert await nvim.lua(REPLACE, bufnr, "one\ntwo\nthree", True) is True
    assert await nvim.eval("[line('.'), line('$'), &modifiable]") == [3, 3, 0]
    await nvim.lua(REPLACE, bufnr, "one\ntwo\nthree\nfour")
    assert await nvim.eval("line('.')") == 4
    await nvim.keys("gg")
    await nvim.lua(REPLACE, bufnr, "one\ntwo\nthree\nfour\nfive")
    assert await nvim.eval("[line('.'), line('$')]") == [1, 5]
    await nvim.keys("q")

    assert await nvim.lua(REPLACE, bufnr, "six") is False
