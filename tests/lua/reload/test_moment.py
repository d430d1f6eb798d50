"""`disk_changes/reload.lua`: buffers follow a write when that does not interrupt the user."""

from pathlib import Path

import pytest

from support.neovim import Neovim, until
from support.reloading import expect, shows, text, write

OLD = "one\ntwo\nthree\n"


NEW = "one\nTWO\nthree\n"


async def test_a_write_is_shown_while_the_user_types_in_another_window(
    nvim: Neovim, path: Path
) -> None:
    await nvim.command("botright new")
    await nvim.keys("itypi")
    await until(lambda: nvim.eval("mode() == 'i'"))
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    await nvim.keys("ng")
    await until(lambda: nvim.eval("getline(1) ==# 'typing' && mode() ==# 'i'"))


async def test_a_write_is_shown_while_the_user_is_in_a_terminal(nvim: Neovim, path: Path) -> None:
    await nvim.command("botright split")
    await nvim.command("terminal cat")
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 't'"))
    await expect(nvim, path)

    write(path, NEW)

    await shows(nvim, path, NEW)
    assert await nvim.eval("mode()") == "t"


@pytest.mark.parametrize(("enter", "leave"), [("v", "<Esc>"), ("i", "<Esc>"), ("d", "<Esc>")])
async def test_in_the_users_own_window_a_write_is_shown_when_the_mode_ends(
    nvim: Neovim, path: Path, enter: str, leave: str
) -> None:
    await nvim.keys(enter)
    await until(lambda: nvim.lua("return vim.api.nvim_get_mode().mode ~= 'n'"))
    await expect(nvim, path)

    write(path, NEW)
    await nvim.idle(300)

    assert await text(nvim, path) == OLD
    await nvim.keys(leave)
    await shows(nvim, path, NEW)


async def test_a_write_is_shown_when_textlock_ends(nvim: Neovim, path: Path) -> None:
    await nvim.command("nnoremap <expr> Q getchar() > 0 ? '' : ''")
    await nvim.keys("Q")
    await until(lambda: nvim.lua("return not pcall(vim.api.nvim_buf_set_lines, 0, 0, 0, true, {})"))
    await expect(nvim, path)

    write(path, NEW)
    await nvim.idle(300)

    assert await text(nvim, path) == OLD
    await nvim.keys("x")
    await shows(nvim, path, NEW)
