"""The windows of Claude's terminal, in every way they are opened and closed."""

import functools
from pathlib import Path

import pytest

from support.chunks import chunk
from support.claude_code import claude_code
from support.claude_terminal import open_claude
from support.either_editor import (
    BOTH,
    Editor,
    configure,
    open_terminal,
    pid_of,
    set_size,
    type_into,
)
from support.neovim import Neovim, until
from support.vim import Vim

FLOAT = chunk("terminal_windows/float")
POPUP = "call popup_create('x', {'line': 2, 'col': 2})"


IDLE = (
    "local n = 0; for _, c in ipairs(vim.api.nvim_list_chans()) do n = n + (c.pty and 1 or 0) end"
)


async def terminals(nvim: Editor) -> int:
    """The number of programs that run in terminals."""
    running: int
    if isinstance(nvim, Vim):
        running = await nvim.eval(
            "len(filter(term_list(), 'term_getstatus(v:val) =~ \"running\"'))"
        )
    else:
        running = await nvim.lua(f"{IDLE}; return n")
    return running


async def open_float(nvim: Editor) -> None:
    """Show the float, or popup in Vim, of another plugin."""
    if isinstance(nvim, Vim):
        await nvim.command(POPUP)
    else:
        await nvim.lua(FLOAT)


@BOTH
@pytest.mark.parametrize("alone", ["only", "wincmd o", "1close"])
@pytest.mark.parametrize("float_too", [False, True])
async def test_hiding_the_only_window_shows_the_file_in_it(
    nvim: Editor, program: Path, alone: str, float_too: bool
) -> None:
    await nvim.command("set hidden | edit a.txt")
    terminal = await open_claude(nvim)
    await nvim.command(alone)
    if float_too:
        await open_float(nvim)

    await nvim.command("Claude")

    await until(lambda: nvim.eval("bufname() == 'a.txt' && mode() == 'n'"))
    assert await terminals(nvim) == 1
    await nvim.command("Claude")
    await until(lambda: nvim.eval(f"bufnr() == {terminal} && mode() == 't'"))
    assert "claude" not in await nvim.eval("v:errmsg")


@BOTH
async def test_hiding_the_only_window_shows_an_empty_buffer_if_there_is_no_file(
    nvim: Editor, program: Path
) -> None:
    blank = await nvim.eval("bufnr()")
    await open_claude(nvim)
    await nvim.command(f"only | bwipeout {blank}")

    await nvim.command("Claude")

    await until(lambda: nvim.eval("bufname() == '' && &buflisted && &buftype == ''"))
    assert await terminals(nvim) == 1


@BOTH
async def test_hiding_the_only_window_of_a_tab_page_closes_the_tab_page(
    nvim: Editor, program: Path
) -> None:
    terminal = await open_claude(nvim)
    await nvim.command("wincmd T")
    await open_float(nvim)

    await nvim.command("Claude")

    await until(
        lambda: nvim.eval("tabpagenr('$') == 1 && bufnr() != ...".replace("...", str(terminal)))
    )
    await nvim.command("Claude")
    await until(lambda: nvim.eval(f"bufnr() == {terminal} && winnr('$') == 2"))


@BOTH
async def test_no_buffer_keeps_the_name_of_the_command(nvim: Editor, program: Path) -> None:
    await nvim.command("edit a.txt")

    await open_claude(nvim)

    assert await nvim.eval("len(filter(getbufinfo(), 'v:val.name =~ \"^term:\"'))") == 0
    assert await nvim.eval("bufname('#')") == "a.txt"
    assert await nvim.eval("bufname() == 'Claude'")


@BOTH
async def test_a_program_can_end_in_its_own_tab_page_with_a_float(
    nvim: Editor, program: Path
) -> None:
    """Neovim 0.11 crashes if such a window is closed from another tab page."""
    await open_claude(nvim)
    await nvim.command("wincmd T")
    await open_float(nvim)
    terminal = await nvim.eval("bufnr()")
    await nvim.command("stopinsert | tabfirst")

    await type_into(nvim, terminal, "quit\r")

    await until(lambda: nvim.eval("tabpagenr('$') == 1"))
    assert await nvim.eval("1 + 1") == 2


@BOTH
@pytest.mark.parametrize("how", ["quit", "wincmd c", "bdelete!", "bwipeout!", "1wincmd w | only"])
async def test_the_terminal_reopens_however_its_window_was_closed(
    nvim: Editor, program: Path, how: str
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


@BOTH
async def test_the_terminal_of_a_client_is_marked_while_it_is_connected(
    serving: Editor, config_folder: Path
) -> None:
    await open_terminal(serving, "split")
    is_marked = "get(b:, 'claude_ide_terminal', 0)"

    async with claude_code(config_folder, pid=await pid_of(serving)):
        await until(lambda: serving.eval(is_marked))

    await until(lambda: serving.eval(f"!{is_marked}"))


@BOTH
async def test_the_terminal_of_the_command_is_marked_from_the_start(
    nvim: Editor, program: Path
) -> None:
    await open_claude(nvim)

    assert await nvim.eval("b:claude_ide_terminal")


@BOTH
@pytest.mark.parametrize(
    ("side", "kind", "shares"),
    [("right", "width", (40, 24, 40)), ("below", "height", (16, 10, 16))],
)
async def test_a_split_keeps_its_share_of_the_screen(
    nvim: Editor, program: Path, side: str, kind: str, shares: tuple[int, ...]
) -> None:
    await configure(nvim, terminal={"side": side})
    await set_size(nvim, 100, 40)
    await until(lambda: nvim.eval("[&columns, &lines] == [100, 40]"))
    await open_claude(nvim)

    for columns, lines, size in zip((100, 60, 100), (40, 25, 40), shares, strict=True):
        await set_size(nvim, columns, lines)
        is_wanted = f"win{kind}(0) == {size}"
        await until(functools.partial(nvim.eval, is_wanted), is_wanted)

    await nvim.keys("<C-\\><C-n>:resize 8 | vertical resize 30<CR>")
    resized = f"win{kind}(0) == {30 if kind == 'width' else 8} && mode() == 'n'"
    await until(lambda: nvim.eval(resized), resized)
    await set_size(nvim, 50, 20)
    expected = 15 if kind == "width" else 4
    await until(lambda: nvim.eval(f"win{kind}(0) == {expected}"))


@BOTH
@pytest.mark.parametrize("opening", ["edit other.txt", "buffer a.txt", "Bufdelete"])
async def test_a_file_opened_in_claudes_window_moves_to_a_window_for_files(
    nvim: Editor, program: Path, project: Path, opening: str
) -> None:
    await nvim.command("command Bufdelete edit a.txt")
    await nvim.command("set hidden | edit a.txt")
    terminal = await open_claude(nvim)
    window = await nvim.eval("win_getid()")
    await nvim.keys(r"<C-\><C-n>")
    await until(lambda: nvim.eval("mode(1) != 't'"))

    await nvim.keys(f":{opening}<CR>")

    name = "other.txt" if "other" in opening else "a.txt"
    await until(lambda: nvim.eval(f"bufname() == '{name}' && win_getid() != {window}"))
    assert await nvim.eval(f"[winbufnr({window}), winnr('$')]") == [terminal, 2]


@BOTH
async def test_another_terminal_of_claude_may_take_its_window(nvim: Editor, program: Path) -> None:
    await nvim.command("set hidden | edit a.txt")
    first = await open_claude(nvim)
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1 && mode() == 'n'"))
    await nvim.keys(":Claude --verbose<CR>")
    await until(lambda: nvim.eval("bufname() == 'Claude 2' && mode() == 't'"))
    await nvim.keys(r"<C-\><C-n>")
    await until(lambda: nvim.eval("mode(1) != 't'"))

    await nvim.keys(f":buffer {first}<CR>")
    await nvim.idle(100)
    assert await nvim.eval("bufnr()") == first

    await nvim.keys(r"<C-\><C-n>:edit other.txt<CR>")
    await until(lambda: nvim.eval(f"bufname() == 'other.txt' && bufwinnr({first}) > 0"))
