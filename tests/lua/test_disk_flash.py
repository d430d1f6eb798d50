"""`disk_changes/report.lua`: lines that Claude has written without a diff are highlighted."""

from pathlib import Path

import pytest

from claude_ide.editor.disk import HINT
from support.chunks import chunk
from support.disk_changes import NEW, OLD, edit_watched, messages, replace, shows
from support.neovim import Neovim, until

ROWS = chunk("flash/rows")
NAME = "vim.fn['claude_ide#agent_writes#Announce'](...)"


@pytest.fixture
async def path(nvim: Neovim, project: Path) -> Path:
    return await edit_watched(nvim, project)


async def test_the_lines_that_claude_wrote_are_highlighted_and_then_no_longer(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua(NAME, str(path))

    replace(path, NEW)

    await shows(nvim, path, NEW)
    assert await nvim.lua(ROWS) == [2]
    await until(lambda: nvim.lua(f"return #(function() {ROWS} end)() == 0"), "they vanish")


async def test_the_line_above_deleted_lines_is_highlighted(nvim: Neovim, path: Path) -> None:
    await nvim.lua(NAME, str(path))

    replace(path, "one\n")

    await shows(nvim, path, "one\n")
    assert await nvim.lua(ROWS) == [1]


async def test_the_lines_of_another_program_are_not_highlighted(nvim: Neovim, path: Path) -> None:
    replace(path, NEW)

    await shows(nvim, path, NEW)
    assert await nvim.lua(ROWS) == []


async def test_the_first_message_about_claudes_write_leads_to_diffs(
    nvim: Neovim, path: Path
) -> None:
    for text in (NEW, OLD):
        await nvim.lua(NAME, str(path))
        replace(path, text)
        await shows(nvim, path, text)
        await until(lambda: reported(nvim), "it is reported")

    said = (await messages(nvim)).splitlines()
    assert [line.endswith(HINT) for line in said if "Claude changed" in line] == [True, False]


async def reported(nvim: Neovim) -> bool:
    """Whether the last write to the file has been reported; forget that it was."""
    count = (await messages(nvim)).count("Claude changed")
    before = await nvim.eval("get(g:, 'reported')")
    await nvim.command(f"let g:reported = {count}")
    return bool(count > before)
