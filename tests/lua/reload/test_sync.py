"""`disk_changes/reload.lua`: buffers are brought up to date immediately."""

from pathlib import Path

from support.neovim import Neovim, until
from support.reloading import expect, state, sync, text, write

OLD = "one\ntwo\nthree\n"


NEW = "one\nTWO\nthree\n"


async def test_sync_loads_an_expected_write_immediately(nvim: Neovim, path: Path) -> None:
    before = await state(nvim)
    await expect(nvim, path)
    write(path, NEW)

    assert await sync(nvim) == [await nvim.eval("bufnr()")]

    assert await text(nvim, path) == NEW
    assert await state(nvim) == before


async def test_sync_loads_a_write_that_was_not_announced(nvim: Neovim, path: Path) -> None:
    before = await state(nvim)
    write(path, NEW)

    assert await sync(nvim) == [await nvim.eval("bufnr()")]

    assert await text(nvim, path) == NEW
    assert await state(nvim) == before
    assert await sync(nvim) == []
    await nvim.command("silent undo")
    assert await text(nvim, path) == OLD


async def test_sync_of_unchanged_files_changes_nothing(nvim: Neovim, path: Path) -> None:
    before = [await state(nvim), await nvim.eval("b:changedtick")]

    assert await sync(nvim) == []

    assert [await state(nvim), await nvim.eval("b:changedtick")] == before


async def test_sync_leaves_unsaved_changes_to_neovim(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    write(path, NEW)

    assert await sync(nvim) == []

    assert await text(nvim, path) == "mine\ntwo\nthree\n"
    await nvim.keys(":checktime<CR>")
    await until(lambda: "W12" in nvim.screen.text())


async def test_sync_fills_an_empty_buffer_whose_file_was_created(
    nvim: Neovim, project: Path
) -> None:
    await nvim.command("edit new.txt")
    (project / "new.txt").write_text(NEW)

    assert await sync(nvim) == [await nvim.eval("bufnr()")]

    assert await text(nvim, project / "new.txt") == NEW
    assert not (await nvim.mode())["blocking"]


async def test_sync_ignores_buffers_that_are_not_files(nvim: Neovim, project: Path) -> None:
    await nvim.command("enew | setlocal buftype=nofile | file a.txt")
    await nvim.command("split | terminal cat")
    await nvim.command("split scheme://host/a.txt")
    (project / "a.txt").write_text(NEW)

    assert await sync(nvim) == []


async def test_sync_under_textlock_leaves_the_write_to_the_next_sync(
    nvim: Neovim, path: Path
) -> None:
    await nvim.command("nnoremap <expr> Q getchar() > 0 ? '' : ''")
    write(path, NEW)
    await nvim.keys("Q")
    await until(lambda: nvim.lua("return not require('claude_ide.timing.moment').is_possible()"))

    assert await sync(nvim) == []

    await nvim.keys("x")
    await until(lambda: nvim.lua("return require('claude_ide.timing.moment').is_possible()"))
    assert await sync(nvim) == [await nvim.eval("bufnr()")]
    assert await text(nvim, path) == NEW
