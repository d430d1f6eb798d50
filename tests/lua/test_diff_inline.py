"""`diff.layout = "inline"`: the proposal in the window of its file (`diff/inline*.lua`)."""

from pathlib import Path
from typing import Any

import pytest

from support.diffs import Diffs
from support.hunks import FIRST, LAST, NEW, OLD, REMOVED, counts, has_text, without
from support.neovim import Neovim, until

assert OLD

MARKS = """
local namespace = vim.api.nvim_get_namespaces().claude_ide_inline
local function text(line)
  return vim.trim(table.concat(vim.tbl_map(function(chunk) return chunk[1] end, line)))
end
return vim.tbl_map(function(mark)
  local options = mark[4]
  if options.virt_lines then
    return { 'removed', mark[2] + 1, vim.tbl_map(text, options.virt_lines) }
  elseif options.hl_group == 'ClaudeIdeAdded' then
    return { 'added', mark[2] + 1, options.end_row }
  end
  return { 'changed', mark[2] + 1, { mark[3], options.end_col } }
end, vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true }))
"""


@pytest.fixture(autouse=True)
async def in_the_file(nvim: Neovim, path: Path) -> None:
    await nvim.command("set columns=180 lines=40 noswapfile")
    await nvim.command(f"edit {path}")


async def marks(nvim: Neovim) -> list[Any]:
    found: list[Any] = await nvim.lua(MARKS)
    return sorted(found, key=lambda mark: (mark[1], mark[0]))


ALL = [
    ["added", 1, 1],
    ["changed", 1, [0, 4]],
    ["removed", 1, ["line 1"]],
    ["added", 21, 22],
    ["removed", 42, ["line 40"]],
    ["added", 61, 61],
    ["changed", 61, [0, 4]],
    ["removed", 61, ["line 60"]],
]


async def test_the_hunks_are_marked_in_the_window_of_the_file(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    win = await nvim.eval("win_getid()")

    await diffs.open(path, NEW, "inline")

    assert await nvim.eval("[win_getid(), winnr('$'), tabpagenr('$'), &diff]") == [win, 1, 1, 0]
    await has_text(nvim, NEW)
    assert await marks(nvim) == ALL
    await until(lambda: "line 1" in nvim.screen.text(), "removed lines above the first")


async def test_words_that_change_within_a_line_are_marked(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    path.write_text("def add(one, two):\n    return one + two\n")
    await nvim.command("edit!")

    await diffs.open(path, "def add(one, other):\n    return one + other\n", "inline")

    assert await marks(nvim) == [
        ["added", 1, 2],
        ["changed", 1, [13, 18]],
        ["removed", 1, ["def add(one, two):", "return one + two"]],
        ["changed", 2, [17, 22]],
    ]


async def test_marks_follow_edits_and_decisions(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await diffs.open(path, NEW, "inline")

    await nvim.keys("]cgX")
    await until_gone(nvim, 21)
    await nvim.keys("30GOmine<Esc>")

    await has_mark(nvim, ["added", 30, 30])
    await nvim.keys("uu")
    await has_mark(nvim, ["added", 21, 22])


async def has_mark(nvim: Neovim, mark: list[Any]) -> None:
    async def is_there() -> bool:
        return mark in await marks(nvim)

    await until(is_there, f"the mark {mark}")


async def until_gone(nvim: Neovim, line: int) -> None:
    async def is_gone() -> bool:
        return all(mark[1] != line for mark in await marks(nvim))

    await until(is_gone, f"no mark in line {line}")


async def test_the_bar_counts_and_a_merged_text_is_accepted(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW, "inline")
    await counts(nvim, "hunk 1/4")

    await nvim.keys("2]c")
    await counts(nvim, "hunk 3/4")
    await nvim.keys("gX]c.")
    await has_text(nvim, without(REMOVED, LAST))
    await nvim.keys("u")
    await has_text(nvim, without(REMOVED))
    await nvim.keys("ggVgX:w<CR>")

    decision = await diffs.decision(id_)
    assert decision["accepted"]
    assert decision["text"] == without(REMOVED, FIRST)
    await diffs.closed(id_)
    assert await nvim.eval("[expand('%:t'), winnr('$'), &winbar, &modifiable]") == [
        path.name,
        1,
        "",
        1,
    ]


async def test_without_any_hunk_writing_rejects(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    id_ = await diffs.open(path, NEW, "inline")

    await nvim.keys("ggVGgX:w<CR>")

    assert not (await diffs.decision(id_))["accepted"]


async def test_quitting_the_only_window_keeps_neovim_and_the_file(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("setlocal number nowrap | normal! 30Gzt")
    id_ = await diffs.open(path, NEW, "inline")

    await nvim.keys(":q<CR>")

    assert not (await diffs.decision(id_))["accepted"]
    await diffs.closed(id_)
    assert await nvim.eval(
        "[expand('%:t'), winnr('$'), line('.'), line('w0'), &number, &wrap]"
    ) == [path.name, 1, 30, 30, 1, 0]


@pytest.mark.parametrize("key", [":w<CR>", ":q<CR>"])
async def test_whoever_was_typing_in_claudes_terminal_goes_on(
    nvim: Neovim, diffs: Diffs, path: Path, key: str
) -> None:
    await nvim.command("rightbelow vsplit | terminal cat")
    await nvim.lua("require('claude_ide.terminal.typing_mode').attach(vim.fn.bufnr(), true)")
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 't'"))
    id_ = await diffs.open(path, NEW, "inline")
    assert await nvim.eval("[winnr(), mode()]") == [1, "n"]

    await nvim.keys(key)

    await diffs.closed(id_)
    await until(lambda: nvim.eval("mode() == 't'"))
    assert await nvim.eval("winnr()") == 2


async def test_a_removed_line_wider_than_the_window_is_shown_whole(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    path.write_text("one\n" + "x" * 200 + "\n\ttwo\n")
    await nvim.command("edit! | set columns=80")

    await diffs.open(path, "one\n\ttwo\n", "inline")

    assert await marks(nvim) == [["removed", 2, ["x" * 80, "x" * 80, "x" * 40]]]


async def test_a_file_that_no_window_shows_opens_in_a_tabpage(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("enew")

    id_ = await diffs.open(path, NEW, "inline")

    assert await nvim.eval("[tabpagenr(), winnr('$')]") == [2, 1]
    await nvim.keys(":w<CR>")
    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), winnr('$')]") == [1, 1]


async def test_a_buffer_that_would_be_wiped_out_survives(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    await nvim.command("setlocal bufhidden=wipe")
    number = await nvim.eval("bufnr()")
    id_ = await diffs.open(path, NEW, "inline")

    await nvim.keys(":w<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("[bufnr(), &bufhidden]") == [number, "wipe"]


async def test_of_many_removed_lines_the_first_are_shown(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    path.write_text("".join(f"old {number}\n" for number in range(1, 702)))
    await nvim.command("edit!")

    await diffs.open(path, "new\n", "inline")

    (removed,) = [mark for mark in await marks(nvim) if mark[0] == "removed"]
    assert removed[2][499:] == ["old 500", "… and 201 more lines"]


async def test_leaving_for_another_file_says_that_the_edit_is_rejected(
    nvim: Neovim, diffs: Diffs, path: Path
) -> None:
    id_ = await diffs.open(path, NEW, "inline")

    await nvim.keys(f":edit {path.parent}/other.txt<CR>")

    assert (await diffs.closed(id_))["accepted"] is False
    message = f"edit of {path.name} rejected: other.txt is in its window now"
    await until(lambda: message in nvim.screen.text())
    assert await nvim.eval("expand('%:t')") == "other.txt"


@pytest.mark.parametrize("keys", [":q<CR>", ":ClaudeReject<CR>"])
async def test_a_plain_rejection_needs_no_explanation(
    nvim: Neovim, diffs: Diffs, path: Path, keys: str
) -> None:
    id_ = await diffs.open(path, NEW, "inline")

    await nvim.keys(keys)

    await diffs.closed(id_)
    await nvim.idle(100)
    assert "rejected:" not in nvim.screen.text()
