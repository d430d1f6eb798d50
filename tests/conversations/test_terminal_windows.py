"""The windows of Claude's terminal, in every way they are opened and closed."""

import functools
from pathlib import Path

import pytest

from support.chunks import chunk
from support.claude_code import claude_code
from support.claude_terminal import open_claude
from support.neovim import Neovim, until

FLOAT = chunk("terminal_windows/float")


IDLE = (
    "local n = 0; for _, c in ipairs(vim.api.nvim_list_chans()) do n = n + (c.pty and 1 or 0) end"
)


async def terminals(nvim: Neovim) -> int:
    """The number of programs that run in terminals."""
    running: int = await nvim.lua(f"{IDLE}; return n")
    return running


@pytest.mark.parametrize("alone", ["only", "wincmd o", "1close"])
@pytest.mark.parametrize("float_too", [False, True])
async def test_hiding_the_only_window_shows_the_file_in_it(
    nvim: Neovim, program: Path, alone: str, float_too: bool
) -> None:
    await nvim.command("edit a.txt")
    terminal = await open_claude(nvim)
    await nvim.command(alone)
    if float_too:
        await nvim.lua(FLOAT)

    await nvim.command("Claude")

    await until(lambda: nvim.eval("bufname() == 'a.txt' && mode() == 'n'"))
    assert await terminals(nvim) == 1
    await nvim.command("Claude")
    await until(lambda: nvim.eval(f"bufnr() == {terminal} && mode() == 't'"))
    assert "claude" not in await nvim.eval("v:errmsg")


async def test_hiding_the_only_window_shows_an_empty_buffer_if_there_is_no_file(
    nvim: Neovim, program: Path
) -> None:
    blank = await nvim.eval("bufnr()")
    await open_claude(nvim)
    await nvim.command(f"only | bwipeout {blank}")

    await nvim.command("Claude")

    await until(lambda: nvim.eval("bufname() == '' && &buflisted && &buftype == ''"))
    assert await terminals(nvim) == 1


async def test_hiding_the_only_window_of_a_tab_page_closes_the_tab_page(
    nvim: Neovim, program: Path
) -> None:
    terminal = await open_claude(nvim)
    await nvim.command("wincmd T")
    await nvim.lua(FLOAT)

    await nvim.command("Claude")

    await until(
        lambda: nvim.eval("tabpagenr('$') == 1 && bufnr() != ...".replace("...", str(terminal)))
    )
    await nvim.command("Claude")
    await until(lambda: nvim.eval(f"bufnr() == {terminal} && winnr('$') == 2"))


async def test_no_buffer_keeps_the_name_of_the_command(nvim: Neovim, program: Path) -> None:
    await nvim.command("edit a.txt")

    await open_claude(nvim)

    assert await nvim.eval("len(filter(getbufinfo(), 'v:val.name =~ \"^term:\"'))") == 0
    assert await nvim.eval("bufname('#')") == "a.txt"
    assert await nvim.eval("bufname() == 'Claude'")


async def test_a_program_can_end_in_its_own_tab_page_with_a_float(
    nvim: Neovim, program: Path
) -> None:
    """Neovim 0.11 crashes if such a window is closed from another tab page."""
    await open_claude(nvim)
    await nvim.command("wincmd T")
    await nvim.lua(FLOAT)
    job = await nvim.eval("b:terminal_job_id")
    await nvim.command("stopinsert | tabfirst")

    await nvim.command(f"call chansend({job}, 'quit\r')")

    await until(lambda: nvim.eval("tabpagenr('$') == 1"))
    assert await nvim.eval("1 + 1") == 2


@pytest.mark.parametrize("how", ["quit", "wincmd c", "bdelete!", "bwipeout!", "1wincmd w | only"])
async def test_the_terminal_reopens_however_its_window_was_closed(
    nvim: Neovim, program: Path, how: str
) -> None:
    await nvim.command("edit a.txt")
    await open_claude(nvim)
    await nvim.command(f"stopinsert | {how}")
    await until(lambda: nvim.eval("winnr('$') == 1"))

    await nvim.keys(":Claude<CR>")

    await until(lambda: nvim.eval("winnr('$') == 2 && mode() == 't'"))

    async def is_only_one() -> bool:
        return await terminals(nvim) == 1

    await until(is_only_one)
    assert await nvim.eval("bufname(winbufnr(1))") == "a.txt"


async def test_a_terminal_turned_into_a_float_is_hidden(nvim: Neovim, program: Path) -> None:
    await open_claude(nvim)
    await nvim.lua(
        "vim.api.nvim_win_set_config(0, { relative = 'editor', row = 1, col = 1, width = 40,"
        " height = 9 })"
    )

    await nvim.command("Claude")

    await until(lambda: nvim.eval("winnr('$') == 1 && &buftype == ''"))


async def test_the_terminal_of_a_client_is_marked_while_it_is_connected(
    serving: Neovim, config_folder: Path
) -> None:
    await serving.command("split | terminal cat")
    pid = await serving.eval("b:terminal_job_pid")
    is_marked = "return vim.b.claude_ide_terminal"

    async with claude_code(config_folder, pid=pid):
        await until(lambda: serving.lua(is_marked))

    await until(lambda: serving.lua("return vim.b.claude_ide_terminal == nil"))


async def test_the_terminal_of_the_command_is_marked_from_the_start(
    nvim: Neovim, program: Path
) -> None:
    await open_claude(nvim)

    assert await nvim.lua("return vim.b.claude_ide_terminal")


@pytest.mark.parametrize(
    ("side", "kind", "shares"),
    [
        ("right", "width", (40, 24, 40)),
        ("below", "height", (16, 10, 16)),
    ],
)
async def test_a_split_keeps_its_share_of_the_screen(
    nvim: Neovim, program: Path, side: str, kind: str, shares: tuple[int, ...]
) -> None:
    await nvim.lua(
        "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide, {terminal = {side = ...}})",
        side,
    )
    await nvim.command("set columns=100 lines=40")
    await open_claude(nvim)

    for columns, lines, size in zip((100, 60, 100), (40, 25, 40), shares, strict=True):
        await nvim.command(f"set columns={columns} lines={lines}")
        is_wanted = f"win{kind}(0) == {size}"
        await until(functools.partial(nvim.eval, is_wanted), is_wanted)

    await nvim.command("resize 8 | vertical resize 30")
    await until(lambda: nvim.eval("&columns == 100"))
    await nvim.command("set columns=50 lines=20")
    expected = 15 if kind == "width" else 4
    await until(lambda: nvim.eval(f"win{kind}(0) == {expected}"))
