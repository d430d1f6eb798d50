"""Nothing takes rows on one side of a diff."""

from pathlib import Path
from typing import Any

import pytest

from support.diffs import Diffs
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("numbered_files")

OLD = "".join(f"line {number}\n" for number in range(1, 101))
NEW = OLD.replace("line 5\n", "line 5\nline 5½\n")
MARKS = "return vim.api.nvim_buf_get_extmarks(..., -1, 0, -1, { details = true })"
PUBLISH = """
local bufnr, rows = ...
vim.diagnostic.config({ virtual_lines = true })
vim.diagnostic.set(vim.api.nvim_create_namespace('x'), bufnr, vim.tbl_map(function(row)
  return { lnum = row, col = 0, message = 'odd', severity = vim.diagnostic.severity.WARN }
end, rows))
"""


@pytest.fixture(params=["tab", "vertical"])
async def layout(request: pytest.FixtureRequest, nvim: Neovim) -> str:
    await nvim.command("set columns=160 lines=40 | edit a.txt")
    return str(request.param)


async def lines_up(nvim: Neovim) -> None:
    """Wait until the first lines of both sides are beside each other."""

    def are_beside() -> bool:
        rows = [row.split("│") for row in nvim.screen.lines() if row.count("line ") == 2]
        numbers = [[half.split()[-1] for half in row] for row in rows[:6]]
        return numbers == [[number] * 2 for number in "123456"]

    await until(are_beside, "the lines are beside each other")


async def published(nvim: Neovim, bufnr: int, *rows: int) -> Any:
    """Publish diagnostics for some rows, and return the extmarks of the buffer."""
    await nvim.lua(PUBLISH, bufnr, rows)
    return await nvim.lua(MARKS, bufnr)


async def test_virtual_lines_come_back_as_they_were(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    bufnr = await nvim.eval("bufnr()")
    before = await published(nvim, bufnr, 1, 3)

    id_ = await diffs.open(path, NEW, layout)
    await lines_up(nvim)
    await nvim.keys(":q<CR>")
    await diffs.closed(id_)

    after = await nvim.lua(MARKS, bufnr)
    assert sorted(mark[1:3] for mark in after) == sorted(mark[1:3] for mark in before)
    assert {row for _, row, _, details in after if "virt_lines" in details} == {1, 3}


async def test_what_is_published_meanwhile_is_shown_afterwards(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    bufnr = await nvim.eval("bufnr()")
    await published(nvim, bufnr, 1, 3)
    id_ = await diffs.open(path, NEW, layout)

    await published(nvim, bufnr, 0)
    await lines_up(nvim)
    await nvim.keys(":q<CR>")
    await diffs.closed(id_)

    marks = await nvim.lua(MARKS, bufnr)
    assert {row for _, row, _, details in marks if "virt_lines" in details} == {0}


async def test_diagnostics_that_take_no_rows_stay(
    nvim: Neovim, diffs: Diffs, path: Path, layout: str
) -> None:
    bufnr = await nvim.eval("bufnr()")
    await published(nvim, bufnr, 1)
    await nvim.lua("vim.diagnostic.config({ virtual_lines = false })")

    await diffs.open(path, NEW, layout)

    assert await nvim.lua("return vim.diagnostic.is_enabled({ bufnr = ... })", bufnr)
