"""`disk_changes/report.lua` and its host: messages about files that change on disk."""

from pathlib import Path

import pytest

from support.disk_changes import (
    NEW,
    OLD,
    all_reported,
    edit_watched,
    messages,
    replace,
    shows,
    wait_for_changes,
)
from support.either_editor import BOTH, Editor, edit, run
from support.neovim import Neovim, until
from support.vim import Vim


@pytest.fixture
async def path(nvim: Neovim, project: Path) -> Path:
    return await edit_watched(nvim, project)


@pytest.mark.parametrize(
    ("texts", "remedy", "undone"),
    [
        (["b"], "u undoes", "u"),
        (["b", "c", "d"], "3u undoes", "3u"),
        (["b", "user: x", "c"], "u undoes the last write", "u"),
    ],
)
@BOTH
async def test_the_report_of_several_writes_says_how_to_undo_them(
    serving: Editor, project: Path, texts: list[str], remedy: str, undone: str
) -> None:
    nvim = serving
    (project / "a.txt").write_text("a\n")
    await edit(nvim, project / "a.txt")
    bufnr = await nvim.eval("bufnr()")
    for each in texts:
        before = await run(nvim, "disk_changes.report.before", bufnr)
        after = [each.removeprefix("user: ")]
        if isinstance(nvim, Vim):
            await nvim.command(f"call claude_ide#file#edit#Change({bufnr}, {after})")
        else:
            await run(nvim, "file.edit.change", bufnr, after)
        if not each.startswith("user: "):
            await run(nvim, "disk_changes.report.followed", bufnr, before)

    await until(lambda: f"; {remedy}" in nvim.screen.text())

    await nvim.keys(undone)
    assert await nvim.eval("getline(1, '$')") == ["x" if "user: x" in texts else "a"]


async def test_a_report_waits_while_a_command_is_typed(nvim: Neovim, path: Path) -> None:
    await nvim.keys(":echo 'half'")
    await until(lambda: nvim.eval("mode() == 'c'"))

    replace(path, NEW)
    await wait_for_changes(nvim, path.with_name("b.txt"))

    assert "changed on disk" not in nvim.screen.text()
    await nvim.keys("<CR>")
    await shows(nvim, path, NEW)
    await until(lambda: "changed on disk" in nvim.screen.text())


async def test_an_accepted_diff_is_not_reported(nvim: Neovim, path: Path) -> None:
    await nvim.lua("require('claude_ide.disk_changes.reload').expect(...)", str(path))

    replace(path, NEW)

    await shows(nvim, path, NEW)
    await all_reported(nvim, path)
    assert "a.txt" not in await messages(nvim)


@pytest.mark.parametrize("name", ["b.txt", "a{b,c}.txt", "é#x%20 [1].txt"])
async def test_an_unlisted_buffer_follows_its_file_without_a_report(
    nvim: Neovim, path: Path, name: str
) -> None:
    other = path.with_name(name)
    other.write_text(OLD)
    bufnr = await nvim.lua("return vim.fn.bufadd(...)", str(other))
    await nvim.lua("vim.fn.bufload(...)", bufnr)
    await wait_for_changes(nvim, path)

    replace(other, NEW)

    await until(lambda: nvim.eval(f"getbufline({bufnr}, 2) ==# ['TWO']"))
    await all_reported(nvim, path)
    assert name not in await messages(nvim)
