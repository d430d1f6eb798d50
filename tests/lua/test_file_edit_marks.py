"""`file/edit.lua`: marks stay with their lines when a text changes."""

import random
from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim

OLD = [f"line {number}" for number in range(1, 101)]

CHANGE = "require('claude_ide.file.edit').change(vim.api.nvim_get_current_buf(), ...)"


async def hold(nvim: Neovim, lines: list[str]) -> None:
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", lines)


async def change(nvim: Neovim, lines: list[str]) -> None:
    await nvim.lua(CHANGE, lines)


async def set_marks(nvim: Neovim, marks: dict[str, tuple[int, int]]) -> None:
    await nvim.lua(
        """
        for name, position in pairs(...) do
          vim.api.nvim_buf_set_mark(0, name, position[1], position[2], {})
        end
        """,
        marks,
    )


async def mark(nvim: Neovim, name: str) -> list[int]:
    """Line and column; the line is 0 for a deleted mark."""
    position: list[int] = await nvim.lua("return vim.api.nvim_buf_get_mark(0, ...)", name)
    return position


async def line_of(nvim: Neovim, name: str) -> int:
    return (await mark(nvim, name))[0]


async def test_a_mark_on_a_changed_line_stays_there(nvim: Neovim) -> None:
    await hold(nvim, OLD)
    await set_marks(nvim, {"a": (50, 2), "B": (50, 0)})

    await change(nvim, [*OLD[:49], "LINE 50", *OLD[50:]])

    assert [await mark(nvim, "a"), await mark(nvim, "B")] == [[50, 2], [50, 0]]


async def test_marks_stay_when_every_line_changes(nvim: Neovim) -> None:
    await hold(nvim, OLD)
    await set_marks(nvim, {"a": (1, 0), "b": (50, 0), "Z": (100, 0)})

    await change(nvim, [f"    {line}" for line in OLD])

    assert [await line_of(nvim, name) for name in "abZ"] == [1, 50, 100]


async def test_marks_stay_in_a_change_too_large_to_pair_its_lines(nvim: Neovim) -> None:
    before = [f"line {number}" for number in range(5000)]
    await hold(nvim, before)
    await set_marks(nvim, {"a": (2500, 0), "b": (5000, 0)})

    await change(nvim, [f"    {line}" for line in before] + ["more"])

    assert [await line_of(nvim, name) for name in "ab"] == [2500, 5000]


async def test_the_last_selection_stays_with_its_lines(nvim: Neovim) -> None:
    await hold(nvim, OLD)
    await nvim.command("normal! 50GVjj\x1b1G")

    await change(nvim, ["new", *OLD[:49], "LINE 50", "line fifty-one", *OLD[51:]])

    assert [await line_of(nvim, name) for name in "<>"] == [51, 53]


async def test_jumps_and_the_last_insertion_stay_with_their_lines(nvim: Neovim) -> None:
    await hold(nvim, OLD)
    await nvim.command("normal! 70GAx\x1b")
    await nvim.command("normal! 50G1G")

    text = [*OLD[:69], "line 70x", *OLD[70:]]
    changed = {49: "LINE 50", 50: "LINE 51", 69: "LINE 70x"}
    await change(nvim, [changed.get(row, line) for row, line in enumerate(text)])

    assert await line_of(nvim, "^") == 70
    assert 50 in [jump["lnum"] for jump in await nvim.eval("getjumplist()[0]")]


async def test_a_quickfix_entry_stays_valid(nvim: Neovim) -> None:
    await hold(nvim, OLD)
    await nvim.command("call setqflist([{'bufnr': bufnr(), 'lnum': 50, 'text': 'here'}])")

    await change(nvim, ["new", *OLD[:49], "LINE 50", *OLD[50:]])

    await nvim.command("cc 1")
    assert await nvim.eval("line('.')") == 51


async def test_marks_on_deleted_lines_are_deleted(nvim: Neovim) -> None:
    await hold(nvim, OLD)
    await set_marks(nvim, {"a": (50, 0), "b": (51, 0)})

    await change(nvim, [*OLD[:49], *OLD[50:]])

    assert [await line_of(nvim, name) for name in "ab"] == [0, 50]


async def test_marks_stay_with_their_lines_through_undo_and_redo(nvim: Neovim) -> None:
    await hold(nvim, OLD)
    await set_marks(nvim, {"a": (50, 0), "b": (60, 0)})
    await change(nvim, ["new", *OLD[:49], "LINE 50", *OLD[50:]])

    for command, lines in (("undo", [50, 60]), ("redo", [51, 61])):
        await nvim.command(f"silent {command}")
        assert [await line_of(nvim, name) for name in "ab"] == lines


async def test_marks_in_a_hidden_buffer_stay_with_their_lines(nvim: Neovim) -> None:
    await hold(nvim, OLD)
    await set_marks(nvim, {"a": (50, 0)})
    bufnr: int = await nvim.eval("bufnr()")
    await nvim.command("set hidden | enew")

    await nvim.lua(
        "require('claude_ide.file.edit').change(...)", bufnr, ["new", *OLD[:49], "LINE 50"]
    )

    assert await nvim.lua("return vim.api.nvim_buf_get_mark(..., 'a')", bufnr) == [51, 0]


def edit(rng: random.Random, before: list[str]) -> tuple[list[str], dict[int, int]]:
    """Change, insert and delete some lines; also return the new number of each kept line."""
    after: list[str] = []
    kept: dict[int, int] = {}
    for number, line in enumerate(before, 1):
        match rng.randrange(12):
            case 0:
                after.append(f"inserted before {number}")
                after.append(line)
            case 1:
                after.append(line.replace("line", "changed"))
            case 2:
                continue
            case _:
                after.append(line)
        kept[number] = len(after)
    return after or ["left"], kept


@pytest.mark.parametrize("seed", range(25))
async def test_marks_on_unchanged_lines_stay_with_their_text(nvim: Neovim, seed: int) -> None:
    rng = random.Random(seed)
    before = [f"line {number} of {rng.randrange(1000)}" for number in range(1, 60)]
    after, kept = edit(rng, before)
    await hold(nvim, before)
    rows = rng.sample(range(1, len(before) + 1), 26)
    names = "abcdefghijklmnopqrstuvwxyz"
    await set_marks(nvim, {name: (row, 0) for name, row in zip(names, rows, strict=True)})

    await change(nvim, after)

    for name, row in zip(names, rows, strict=True):
        if row in kept and after[kept[row] - 1] == before[row - 1]:
            assert (row, await line_of(nvim, name)) == (row, kept[row])


@pytest.mark.parametrize("seed", range(25))
async def test_marks_do_not_move_when_lines_only_change(nvim: Neovim, seed: int) -> None:
    rng = random.Random(seed)
    before = [f"line {number} of {rng.randrange(1000)}" for number in range(1, 60)]
    after = [rng.choice((line, line.upper(), line[:3], f"  {line}")) for line in before]
    rows = rng.sample(range(1, len(before) + 1), 26)
    names = "abcdefghijklmnopqrstuvwxyz"
    await hold(nvim, before)
    await set_marks(nvim, {name: (row, 0) for name, row in zip(names, rows, strict=True)})

    await change(nvim, after)

    found: dict[str, Any] = {name: await line_of(nvim, name) for name in names}
    assert found == dict(zip(names, rows, strict=True))


async def test_a_mark_past_the_end_of_a_shortened_line_still_works(
    nvim: Neovim, project: Path
) -> None:
    (project / "a.txt").write_text("a long line\n")
    await nvim.command("edit a.txt")
    await set_marks(nvim, {"a": (1, 10)})

    await change(nvim, ["short"])

    await nvim.command("normal! `a")
    assert await nvim.eval("[line('.'), col('.')]") == [1, 5]
