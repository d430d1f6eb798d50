"""`format/checkpoint.lua`: restores a buffer to an earlier state."""

from typing import Any

import pytest

from support.chunks import chunk
from support.neovim import Neovim

STATE = """[getline(1, '$'), &modified, &buflisted, getpos("'a")[1:2], getpos("'B")[1:2]]"""


async def change_and_restore(nvim: Neovim, change: str) -> None:
    await nvim.lua(
        chunk("checkpoint/change"),
        change,
    )


@pytest.mark.parametrize(
    "change",
    [
        "call setline(2, 'other')",
        "call setline(1, ['a', 'b', 'c']) | 2delete",
        "%delete _",
        "normal! ggdGixyz\x1b",
        "set nobuflisted | 1,2delete",
    ],
)
@pytest.mark.parametrize("undolevels", [1000, -1])
async def test_text_marks_and_flags_are_restored(
    nvim: Neovim, project: Any, change: str, undolevels: int
) -> None:
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    await nvim.command(f"edit a.txt | setlocal undolevels={undolevels}")
    await nvim.command("3mark a | 2mark B")
    before = await nvim.eval(STATE)

    await change_and_restore(nvim, change)

    assert await nvim.eval(STATE) == before


async def test_unsaved_changes_stay_unsaved_and_can_be_undone(nvim: Neovim, project: Any) -> None:
    (project / "a.txt").write_text("one\ntwo\n")
    await nvim.command("edit a.txt | call setline(1, 'mine')")

    await change_and_restore(nvim, "call setline(2, 'other')")

    assert await nvim.eval("[getline(1, '$'), &modified]") == [["mine", "two"], 1]
    await nvim.command("undo")
    assert await nvim.eval("[getline(1, '$'), &modified]") == [["one", "two"], 0]


async def test_the_cursor_of_each_window_stays(nvim: Neovim) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'one', 'two', 'three' })")
    await nvim.command("2 | split | 3")

    await change_and_restore(nvim, "call setline(1, 'other')")

    assert await nvim.eval("[line('.', win_getid(1)), line('.', win_getid(2))]") == [3, 2]
