"""`unseen/walk.lua`: from unseen change to unseen change; `:ClaudeSeen` and its map."""

from pathlib import Path

import pytest

from support.neovim import Neovim, until
from support.unseen import OFF, ON, autocommands, has_signs, hunk, report, signs

OLD = "".join(f"{number}\n" for number in range(1, 21))
HUNKS = (hunk(4, 4, "+4", "+5", "+6"), hunk(10, 10, "+10"), hunk(15, 15, "+15", "+16"))
SIGNS = "4 5 6 10 15 16"
MAPS = (
    "map ]v <Plug>(claude-unseen-next)",
    "map [v <Plug>(claude-unseen-previous)",
    "map gs <Plug>(claude-seen)",
)
HEAR = "vim.notify = function(text) vim.g.said = text:gsub('%s+', ' ') end"


@pytest.fixture
async def path(nvim: Neovim, path: Path) -> Path:
    """A file that Neovim shows, with three unseen changes."""
    await nvim.lua(ON)
    await nvim.lua(HEAR)
    for each in MAPS:
        await nvim.command(each)
    await nvim.command(f"edit {path}")
    await report(nvim, path, *HUNKS)
    assert await signs(nvim) == SIGNS
    return path


async def is_in(nvim: Neovim, line: int, name: str = "a.txt") -> None:
    """Wait until the cursor is in this line of this file."""
    place = [name, line]
    await until(lambda: is_at(nvim, place), f"the cursor is at {place}")


async def is_at(nvim: Neovim, place: list[object]) -> bool:
    return bool(await nvim.eval("[expand('%:t'), line('.')]") == place)


async def says(nvim: Neovim, text: str) -> None:
    await until(lambda: nvim.eval(f"get(g:, 'said', '') =~ '{text}$'"), text)
    await nvim.command("let g:said = ''")


async def test_the_user_walks_from_change_to_change(nvim: Neovim, path: Path) -> None:
    for line in (4, 10, 15):
        await nvim.keys("]v")
        await is_in(nvim, line)
    await has_signs(nvim, "5 6 16")

    # The rest of the change that the cursor is in does not count as the next one.
    await nvim.keys("]v")
    await says(nvim, "no unseen change below")
    await nvim.keys("[v")
    await is_in(nvim, 5)
    await nvim.keys("[v")
    await says(nvim, "no unseen change above")
    await nvim.keys("<C-o>")
    await is_in(nvim, 15)


async def test_a_count_skips_changes(nvim: Neovim, path: Path) -> None:
    await nvim.keys("2]v")
    await is_in(nvim, 10)
    await nvim.keys("9]v")
    await is_in(nvim, 15)
    await nvim.keys("2[v")
    await is_in(nvim, 4)


async def test_a_change_right_below_the_cursor_is_the_next_one(nvim: Neovim, path: Path) -> None:
    await nvim.keys("3G")
    await is_in(nvim, 3)

    await nvim.keys("]v")

    await is_in(nvim, 4)
    await nvim.keys("j]v")
    await is_in(nvim, 10)


async def test_a_fold_opens(nvim: Neovim, path: Path) -> None:
    await nvim.command("8,12fold")

    await nvim.keys("2]v")

    await is_in(nvim, 10)
    assert await nvim.eval("foldclosed(10)") == -1


async def test_the_maps_move_in_visual_and_operator_pending_mode(nvim: Neovim, path: Path) -> None:
    await nvim.keys("V]v")
    await is_in(nvim, 4)
    assert await nvim.eval("mode()") == "V"
    await nvim.keys("9]v]v")
    await is_in(nvim, 15)
    assert await nvim.eval("mode()") == "V"
    await nvim.keys("<Esc>gg")
    await nvim.keys("y]v")
    assert await nvim.eval("@0") == "1\n2\n3\n4\n"


async def test_the_next_change_may_be_in_another_file(nvim: Neovim, path: Path) -> None:
    closed, loaded = path.with_name("b.txt"), path.with_name("c.txt")
    for each in (closed, loaded):
        each.write_text(OLD)
        await report(nvim, each, *HUNKS)
    await nvim.command(f"split {loaded} | wincmd p")

    await nvim.keys("3]v]v")
    await is_in(nvim, 4, "b.txt")
    await nvim.keys("9]v")
    await is_in(nvim, 15, "b.txt")
    await nvim.keys("]v")
    await is_in(nvim, 4, "c.txt")
    # After the last file comes the first one.
    await nvim.keys("9]v")
    await is_in(nvim, 15, "c.txt")
    await nvim.keys("]v")
    await is_in(nvim, 4, "a.txt")
    await nvim.keys("[v")
    await is_in(nvim, 16, "c.txt")
    assert await nvim.eval("winnr('$')") == 2


async def test_files_that_are_gone_or_have_other_lines_are_skipped(
    nvim: Neovim, path: Path
) -> None:
    gone, other, last = (path.with_name(name) for name in ("b.txt", "c.txt", "d.txt"))
    for each in (gone, other, last):
        each.write_text(OLD)
        await report(nvim, each, *HUNKS)
    gone.unlink()
    other.write_text("other\n")

    await nvim.keys("9]v]v")

    await is_in(nvim, 4, "d.txt")
    await nvim.command("ClaudeSeen | edit a.txt | ClaudeSeen")
    assert await autocommands(nvim) == 0


async def test_a_window_that_must_keep_its_buffer_keeps_it(nvim: Neovim, path: Path) -> None:
    other = path.with_name("b.txt")
    other.write_text(OLD)
    await report(nvim, other, *HUNKS)
    await nvim.command("set winfixbuf")

    await nvim.keys("9]v]v")

    await says(nvim, ".*winfixbuf.*")
    await is_in(nvim, 15)
    await nvim.command("copen")
    await nvim.keys("]v")
    await says(nvim, "no unseen change is here")
    assert await nvim.eval("&buftype") == "quickfix"


async def test_the_change_under_the_cursor_is_marked_as_seen_and_dot_repeats_it(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("]vgs")
    await has_signs(nvim, "10 15 16")

    await nvim.keys("2]v.")
    await has_signs(nvim, "10")
    await nvim.keys("gs")
    await says(nvim, "no unseen change is here")
    await nvim.keys("u")
    assert await nvim.eval("getline(1, '$')") == OLD.split()


async def test_a_count_marks_more_changes(nvim: Neovim, path: Path) -> None:
    await nvim.keys("5G2gs")

    await has_signs(nvim, "15 16")


async def test_the_lines_of_a_selection_are_marked(nvim: Neovim, path: Path) -> None:
    await nvim.keys("6GV15Ggs")

    await has_signs(nvim, "4 5 16")


async def test_the_command_marks_a_range_or_the_file(nvim: Neovim, path: Path) -> None:
    await nvim.command("5,10ClaudeSeen | let g:next = 1")
    assert await signs(nvim) == "4 15 16"
    assert await nvim.eval("g:next") == 1
    await says(nvim, "3 lines marked as seen")

    await nvim.command("15ClaudeSeen")
    await says(nvim, "1 line marked as seen")
    await nvim.command("ClaudeSeen")

    assert await signs(nvim) == ""
    await says(nvim, "2 lines marked as seen")
    await nvim.command("ClaudeSeen")
    await says(nvim, "no unseen change is here")


async def test_the_command_marks_all_files(nvim: Neovim, path: Path) -> None:
    for name in ("b.txt", "c.txt"):
        path.with_name(name).write_text(OLD)
        await report(nvim, path.with_name(name), *HUNKS)
    await nvim.command("split c.txt | enew")

    await nvim.command("ClaudeSeen!")

    await says(nvim, "18 lines marked as seen")
    for name in ("a.txt", "b.txt", "c.txt"):
        await nvim.command(f"edit {name}")
        assert await signs(nvim) == ""


async def test_without_the_option_the_user_is_told_about_it(nvim: Neovim, path: Path) -> None:
    await nvim.lua(OFF)

    for keys in ("]v", ":ClaudeSeen<CR>"):
        await nvim.keys(keys)
        await says(nvim, "(:help claude-ide-changes.signs)")
