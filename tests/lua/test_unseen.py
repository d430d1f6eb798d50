"""`unseen/`: signs at lines of open files that Claude has written and the user has not seen."""

from pathlib import Path

import pytest

from support.disk_changes import replace, shows, watch
from support.neovim import Neovim, until
from support.unseen import OFF, ON, autocommands, has_signs, signs, write

OLD = "".join(f"{number}\n" for number in range(1, 11))
NEW = OLD.replace("3\n", "3 or more\nand\n").replace("8\n", "eight\n")
SIGNS = "3 4 9"


@pytest.fixture
async def path(nvim: Neovim, path: Path) -> Path:
    """A file that Neovim shows and watches, with the cursor in its first line."""
    await nvim.lua(ON)
    await nvim.command(f"edit {path}")
    await watch(nvim)
    return path


async def test_nothing_has_a_sign_unless_the_user_wants_it(nvim: Neovim, path: Path) -> None:
    await nvim.lua(OFF)

    await write(nvim, path, NEW)

    assert await signs(nvim) == ""
    assert await autocommands(nvim) == 0


async def test_the_sign_of_a_line_is_gone_once_the_cursor_was_in_it(
    nvim: Neovim, path: Path
) -> None:
    await write(nvim, path, NEW)
    assert await signs(nvim) == SIGNS

    await nvim.keys("2j")
    await has_signs(nvim, "4 9")
    await nvim.keys("jj")
    await has_signs(nvim, "9")
    await nvim.keys("A<Down><Down><Down><Down><Esc>")

    await has_signs(nvim, "")
    assert await autocommands(nvim) == 0


async def test_each_line_that_a_held_key_passes_is_seen(nvim: Neovim, path: Path) -> None:
    await write(nvim, path, "".join(f"new {number}\n" for number in range(1, 200)))

    await nvim.keys("j" * 150)

    await has_signs(nvim, " ".join(str(number) for number in range(152, 200)))


async def test_the_line_that_the_user_is_in_has_no_sign(nvim: Neovim, path: Path) -> None:
    await nvim.keys("3G")
    await until(lambda: nvim.eval("line('.') == 3"))

    await write(nvim, path, NEW)

    assert await signs(nvim) == "4 9"


async def test_the_cursor_of_another_window_is_not_where_the_user_is(
    nvim: Neovim, path: Path
) -> None:
    await nvim.command("3 | new")
    await write(nvim, path, NEW)
    await nvim.command("wincmd p")

    await has_signs(nvim, "4 9")


async def test_the_lines_of_another_program_have_no_signs(nvim: Neovim, path: Path) -> None:
    replace(path, NEW)

    await shows(nvim, path, NEW)
    assert await signs(nvim) == ""


async def test_an_accepted_edit_was_seen(nvim: Neovim, path: Path) -> None:
    await nvim.lua("require('claude_ide.disk_changes.reload').expect(...)", str(path))

    replace(path, NEW)

    await shows(nvim, path, NEW)
    assert await signs(nvim) == ""


async def test_removed_lines_have_a_sign_where_they_were(nvim: Neovim, path: Path) -> None:
    await write(nvim, path, OLD.replace("1\n2\n", "", 1).replace("6\n7\n", ""))
    # The cursor is in the first line.
    assert await signs(nvim) == "3_"

    await nvim.keys("jj")
    await has_signs(nvim, "")


async def test_lines_removed_above_the_first_one_have_a_sign(nvim: Neovim, path: Path) -> None:
    await nvim.keys("G")
    await until(lambda: nvim.eval("line('.') == 10"))

    await write(nvim, path, OLD.replace("1\n2\n", "", 1))

    assert await signs(nvim) == "1^"
    await nvim.command("silent undo")
    await has_signs(nvim, "")


async def test_an_undo_of_the_write_removes_its_signs(nvim: Neovim, path: Path) -> None:
    await write(nvim, path, NEW.replace("6\n", ""))
    assert await signs(nvim) == "3 4 6_ 8"

    await nvim.command("call cursor(10, 1) | silent undo")
    await has_signs(nvim, "")
    await nvim.command("silent redo")

    await nvim.idle(200)
    assert await signs(nvim) == ""


async def test_a_line_that_the_user_changes_from_elsewhere_loses_its_sign(
    nvim: Neovim, path: Path
) -> None:
    await write(nvim, path, NEW)

    await nvim.command("4substitute/and/or/ | 1")

    await has_signs(nvim, "3 9")
    # Lines move with their signs.
    await nvim.command("1put! ='mine' | 10delete | 1")
    await has_signs(nvim, "4")


async def test_a_change_in_a_buffer_that_is_not_current_counts_too(
    nvim: Neovim, path: Path
) -> None:
    await write(nvim, path, NEW)
    change = "vim.api.nvim_buf_set_lines(vim.fn.bufnr(...), 3, 4, true, { 'or' })"

    await nvim.command("new")
    await nvim.lua(change, str(path))

    await nvim.idle(200)
    await nvim.command("noautocmd wincmd p")
    assert await signs(nvim) == "3 9"


async def test_another_write_keeps_the_signs_of_the_one_before(nvim: Neovim, path: Path) -> None:
    await write(nvim, path, NEW)

    await write(nvim, path, f"first\nsecond\n{NEW.replace('eight', 'huit')}")

    assert await signs(nvim) == "1 2 5 6 11"


async def test_the_signs_of_a_file_are_back_when_it_is_opened_again(
    nvim: Neovim, path: Path
) -> None:
    await write(nvim, path, NEW)
    await nvim.command("enew | bdelete #")
    assert await autocommands(nvim) == 1

    path.write_text(f"mine\n{NEW.replace('and', 'AND')}")
    await nvim.command(f"edit {path}")

    await has_signs(nvim, "4 10")
    await nvim.keys("4G")
    await has_signs(nvim, "10")


@pytest.mark.parametrize("command", ["edit", "edit!"])
async def test_the_signs_survive_edit(nvim: Neovim, path: Path, command: str) -> None:
    await write(nvim, path, NEW)
    if command == "edit!":
        await nvim.command("1put! ='discarded'")

    await nvim.command(command)

    await has_signs(nvim, SIGNS)
    await nvim.command("silent 4substitute/and/or/ | 1")
    await has_signs(nvim, "3 9")


async def test_a_reload_by_neovim_keeps_the_signs_of_lines_that_stay(
    nvim: Neovim, path: Path
) -> None:
    await write(nvim, path, NEW)
    await nvim.lua("require('claude_ide.disk_changes.watch').watch('server', false)")

    path.write_text(NEW.replace("eight", "huit and more"))
    await nvim.command("set autoread | checktime")

    await has_signs(nvim, "3 4")


async def test_the_signs_follow_the_option(nvim: Neovim, path: Path) -> None:
    await write(nvim, path, NEW)
    await nvim.lua(OFF)
    assert await signs(nvim) == ""
    assert await autocommands(nvim) == 0

    await nvim.command("let g:claude_ide.changes = {'signs': 1}")
    await write(nvim, path, OLD)

    assert await signs(nvim) == "3 8"


async def test_the_signs_are_on_the_screen_below_those_of_diagnostics(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua(
        """
        local ns = vim.api.nvim_create_namespace('errors')
        vim.diagnostic.set(ns, 0, { { lnum = 7, col = 0, message = 'no', severity = 1 } })
        vim.fn.sign_define('GitSignsChange', { text = '┃' })
        """
    )
    await nvim.command("set signcolumn=yes:1")
    other = "vim.api.nvim_buf_set_extmark(0, ..., 2, 0, { sign_text = '┃', priority = 6 })"
    await nvim.lua(other, await nvim.lua("return vim.api.nvim_create_namespace('gitsigns')"))

    await write(nvim, path, NEW)

    await until(lambda: "▎ 3 or more" in nvim.screen.text(), "the sign is above that of git")
    assert "E eight" in nvim.screen.text()


async def test_a_very_long_file_has_signs_at_its_first_lines(nvim: Neovim, path: Path) -> None:
    await write(nvim, path, "".join(f"new {number}\n" for number in range(12_000)))

    assert len((await signs(nvim)).split()) == 9_999


async def test_the_signs_of_a_buffer_end_with_neovim(nvim: Neovim, path: Path) -> None:
    await write(nvim, path, NEW)

    nvim.send_request("nvim_command", "qall!")

    await until(lambda: nvim.process.returncode is not None, "Neovim ends")
    assert nvim.process.returncode == 0
