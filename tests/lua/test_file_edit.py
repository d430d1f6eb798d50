"""`file/edit.lua`: a buffer adopts the text on disk as one edit."""

import os
import random
from pathlib import Path
from typing import Any

import pytest

from support.edits import OLD, adopt, lines, write
from support.neovim import Neovim, until


@pytest.fixture
async def path(nvim: Neovim, project: Path) -> Path:
    """A file of a hundred lines, open in Neovim."""
    file = project / "a.txt"
    write(file, OLD)
    await nvim.command("edit a.txt")
    return file


EDITS = {
    "a line changed": [*OLD[:49], "LINE 50", *OLD[50:]],
    "a line inserted": [*OLD[:49], "new", *OLD[49:]],
    "a line removed": [*OLD[:49], *OLD[50:]],
    "the first line changed": ["FIRST", *OLD[1:]],
    "the first line removed": OLD[1:],
    "a line before the first": ["new", *OLD],
    "the last line changed": [*OLD[:-1], "LAST"],
    "the last line removed": OLD[:-1],
    "a line after the last": [*OLD, "new"],
    "several places": [*OLD[:9], "a", "b", *OLD[12:40], *OLD[45:], "end"],
    "everything": [f"other {number}" for number in range(50)],
    "an empty file": [],
    "one empty line": [""],
    "nothing changed": OLD,
    "swapped": [*OLD[:20], *OLD[40:60], *OLD[20:40], *OLD[60:]],
}


@pytest.mark.parametrize("new", EDITS.values(), ids=EDITS)
async def test_a_buffer_adopts_the_text_on_disk_and_one_undo_reverts_it(
    nvim: Neovim, path: Path, new: list[str]
) -> None:
    write(path, new)

    assert await adopt(nvim)

    assert await lines(nvim) == (new or [""])
    assert await nvim.eval("&modified") == 0
    if new != OLD:
        await nvim.keys("u")
        await until(lambda: nvim.eval("&modified"))
        assert await lines(nvim) == OLD


async def test_random_edits_are_adopted_and_undone(nvim: Neovim, path: Path) -> None:
    rng = random.Random(1)
    alphabet = [
        "",
        "a",
        "b",
        "ab",
        "ä",
        "äb",
        "bä",
        "a\tb",
        "日本",
        "日木",
        "👩\u200d👧",
        "👩\u200d👦",
    ]
    for _ in range(150):
        before = [rng.choice(alphabet) for _ in range(rng.randint(1, 8))]
        after = [rng.choice(alphabet) for _ in range(rng.randint(0, 8))]
        write(path, before)
        await adopt(nvim)
        assert await lines(nvim) == before
        write(path, after)

        await adopt(nvim)

        assert await lines(nvim) == (after or [""])
        await nvim.command("silent undo")
        assert await lines(nvim) == before
        await nvim.command("silent redo")
        assert await lines(nvim) == (after or [""])


async def test_lines_other_than_those_on_disk_become_unsaved_changes(
    nvim: Neovim, path: Path
) -> None:
    new = ["CLAUDE", *OLD[1:]]
    write(path, new)

    await nvim.lua(
        """
        local edit, lines = require('claude_ide.file.edit'), ...
        edit.adopt(0, edit.read(0), lines)
        """,
        [*new, "mine"],
    )

    assert await lines(nvim) == [*new, "mine"]
    assert await nvim.eval("&modified") == 1
    await nvim.command("silent undo")
    assert await lines(nvim) == OLD
    assert await nvim.eval("&modified") == 1
    await nvim.command("edit!")
    assert await lines(nvim) == new
    assert await nvim.eval("&modified") == 0


async def test_adopting_is_a_separate_undo_step_between_user_edits(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("ccmine<Esc>")
    await nvim.command("silent write")
    write(path, ["mine", *OLD[1:50], "CLAUDE", *OLD[51:]])
    await adopt(nvim)
    await nvim.keys("Goafter<Esc>")

    await nvim.keys("u")
    await until(lambda: nvim.eval("line('$') == 100"))
    assert await nvim.eval("[getline(1), getline(51), &modified]") == ["mine", "CLAUDE", 0]
    await nvim.keys("u")
    await until(lambda: nvim.eval("getline(51) ==# 'line 51'"))
    assert await nvim.eval("[getline(1), &modified]") == ["mine", 1]
    await nvim.keys("u")
    await until(lambda: nvim.eval("getline(1) ==# 'line 1'"))
    assert await nvim.eval("&modified") == 1
    await nvim.keys("3<C-r>")
    await until(lambda: nvim.eval("getline('$') ==# 'after'"))


async def test_adopting_is_a_separate_undo_step_within_a_script(nvim: Neovim, path: Path) -> None:
    write(path, ["CLAUDE", *OLD[1:]])
    await nvim.lua(
        "local function change(line) vim.api.nvim_buf_set_lines(0, 0, 1, true, { line }) end;"
        "local edit = require('claude_ide.file.edit');"
        "change('before');"
        "edit.adopt(vim.api.nvim_get_current_buf(), edit.read(0));"
        "change('after')"
    )

    seen = []
    for _ in range(3):
        await nvim.command("silent undo")
        seen.append(await nvim.eval("getline(1)"))

    assert seen == ["CLAUDE", "before", "line 1"]


async def test_redoing_an_adopted_text_leaves_the_buffer_unmodified(
    nvim: Neovim, path: Path
) -> None:
    write(path, EDITS["a line changed"])
    await adopt(nvim)

    await nvim.command("silent undo | silent redo")

    assert await nvim.eval("&modified") == 0


async def test_one_undo_restores_unsaved_changes(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>Goalso mine<Esc>")
    unsaved = await lines(nvim)
    write(path, EDITS["a line changed"])

    await adopt(nvim)

    assert await lines(nvim) == EDITS["a line changed"]
    assert await nvim.eval("&modified") == 0
    await nvim.keys("u")
    await until(lambda: nvim.eval("&modified"))
    assert await lines(nvim) == unsaved


async def test_a_write_after_adopting_causes_no_prompt(nvim: Neovim, path: Path) -> None:
    """Neither W11 nor W12, nor the question whether to overwrite a changed file."""
    write(path, EDITS["a line changed"])
    os.utime(path, (1, 1))
    await adopt(nvim)

    await nvim.keys("Gomine<Esc>:checktime<CR>:write<CR>")

    await until(lambda: path.read_text().endswith("mine\n"))
    assert not (await nvim.mode())["blocking"]
    assert "W1" not in await nvim.eval("execute('messages')")
    assert "WARNING" not in await nvim.eval("execute('messages')")


async def test_adopting_does_not_write_the_file(nvim: Neovim, path: Path) -> None:
    write(path, EDITS["a line changed"])
    before = path.stat()

    await adopt(nvim)

    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


async def test_the_cursor_stays_with_its_text(nvim: Neovim, path: Path) -> None:
    await nvim.command("normal! 60G3l")
    write(path, ["new", "new", *OLD])

    await adopt(nvim)

    assert await nvim.eval("[line('.'), col('.'), getline('.')]") == [62, 4, "line 60"]


async def test_the_view_of_every_window_stays_with_its_text(nvim: Neovim, path: Path) -> None:
    await nvim.command("normal! 60Gzt")
    await nvim.command("split | normal! 30Gzt")
    write(path, ["new", "new", *OLD])

    await adopt(nvim)

    await nvim.command("redraw")
    state = "map([1, 2], {_, w -> [line('w0', win_getid(w)), line('.', win_getid(w))]})"
    assert await nvim.eval(state) == [[32, 32], [62, 62]]


async def test_marks_folds_and_the_jump_list_stay_with_their_text(nvim: Neovim, path: Path) -> None:
    await nvim.command("setlocal foldmethod=manual | 70,80fold | 20,30fold | 20foldopen")
    await nvim.command("normal! 75Gma10GmB90G10G")
    write(path, ["new", *OLD[:40], "LINE 41", *OLD[41:]])

    await adopt(nvim)

    assert await nvim.eval('[line("\'a"), getpos("\'B")[1]]') == [76, 11]
    assert await nvim.eval("[foldclosed(71), foldclosedend(71), foldlevel(21)]") == [71, 81, 1]
    assert await nvim.eval("foldclosed(21)") == -1
    assert [jump["lnum"] for jump in await nvim.eval("getjumplist()[0]")][-1] == 91


async def extmarks(nvim: Neovim) -> Any:
    return await nvim.lua(
        "return vim.tbl_map(function(mark) return { mark[2], mark[3] } end,"
        " vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('test'), 0, -1, {}))"
    )


async def set_extmark(nvim: Neovim, row: int, col: int) -> None:
    await nvim.lua(
        "vim.api.nvim_buf_set_extmark(0, vim.api.nvim_create_namespace('test'), ...)", row, col, {}
    )


async def test_extended_marks_stay_with_their_text(nvim: Neovim, path: Path) -> None:
    for row, col in ((10, 2), (49, 0), (49, 2), (50, 7), (99, 0)):
        await set_extmark(nvim, row, col)
    write(path, ["new", *OLD[:49], "line fifty", *OLD[50:]])

    await adopt(nvim)

    assert await extmarks(nvim) == [[11, 2], [50, 0], [50, 2], [51, 7], [100, 0]]


async def test_a_mark_within_a_line_stays_with_its_text(nvim: Neovim, path: Path) -> None:
    write(path, ["call(old, argument)"])
    await adopt(nvim)
    await set_extmark(nvim, 0, 10)
    write(path, ["call(brand_new, argument)"])

    await adopt(nvim)

    assert await extmarks(nvim) == [[0, 16]]


async def test_a_mark_stays_with_a_changed_line_below_a_new_one(nvim: Neovim, path: Path) -> None:
    write(path, ["first = 1", "second = 2"])
    await adopt(nvim)
    await set_extmark(nvim, 1, 0)
    write(path, ["other(zero)", "first = 10", "second = 20"])

    await adopt(nvim)

    assert await extmarks(nvim) == [[2, 0]]


async def test_the_last_change_mark_is_at_the_edit(nvim: Neovim, path: Path) -> None:
    write(path, EDITS["a line changed"])

    await adopt(nvim)

    assert await nvim.eval('line("\'.")') == 50


@pytest.mark.parametrize("option", ["readonly", "nomodifiable"])
async def test_a_read_only_buffer_still_adopts_the_text(
    nvim: Neovim, path: Path, option: str
) -> None:
    await nvim.command(f"setlocal {option}")
    write(path, EDITS["a line changed"])

    await adopt(nvim)

    assert await lines(nvim) == EDITS["a line changed"]
    assert f"  {option}" in await nvim.eval(f"execute('setlocal {option}?')") or await nvim.eval(
        f"execute('setlocal {option.removeprefix('no')}?') =~ '{option}'"
    )
    assert not (await nvim.mode())["blocking"]


async def test_a_hidden_buffer_adopts_the_text(nvim: Neovim, path: Path) -> None:
    bufnr = await nvim.eval("bufnr()")
    await nvim.command("enew")
    before = await nvim.eval("[win_getid(), bufnr(), bufnr('#'), winnr('$')]")
    write(path, EDITS["a line changed"])

    await adopt(nvim, bufnr)

    assert await nvim.eval(f"getbufline({bufnr}, 50)") == ["LINE 50"]
    assert await nvim.eval("[win_getid(), bufnr(), bufnr('#'), winnr('$')]") == before
    assert len(await nvim.eval("getbufinfo()")) == 2


async def test_adopting_triggers_no_read_or_write_autocommands(nvim: Neovim, path: Path) -> None:
    await nvim.command("let g:events = []")
    await nvim.command("autocmd BufWritePre,BufWritePost * call add(g:events, 'written')")
    await nvim.command("autocmd BufReadPost,FileReadPre,FileReadPost * call add(g:events, 'read')")
    write(path, EDITS["a line changed"])

    await adopt(nvim)

    assert await nvim.eval("g:events") == []


@pytest.mark.parametrize("kind", ["missing", "folder", "unreadable"])
async def test_an_unreadable_file_is_not_adopted(nvim: Neovim, path: Path, kind: str) -> None:
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "unreadable":
        path.symlink_to(path)

    assert not await adopt(nvim)

    assert await lines(nvim) == OLD
    assert not (await nvim.mode())["blocking"]
    assert len(await nvim.eval("getbufinfo()")) == 1


async def test_ten_megabytes_are_adopted(nvim: Neovim, project: Path) -> None:
    big = [f"line {number} {'x' * 48}" for number in range(170_000)]
    file = project / "big.txt"
    write(file, big)
    await nvim.command("edit big.txt | normal! 160000G")
    big[85_000:85_001] = ["changed", "and more"]
    write(file, big)

    await adopt(nvim)

    assert await nvim.eval("[line('.'), getline('.')]") == [160_001, big[160_000]]
    assert await nvim.eval("getline(85001, 85002)") == ["changed", "and more"]


async def test_given_lines_become_one_change(nvim: Neovim, path: Path) -> None:
    await nvim.command("50")

    await nvim.lua("require('claude_ide.file.edit').change(0, ...)", ["new", *OLD[:70], "end"])

    assert await lines(nvim) == ["new", *OLD[:70], "end"]
    assert await nvim.eval("[line('.'), &modified]") == [51, 1]
    await nvim.command("undo")
    assert await lines(nvim) == OLD
