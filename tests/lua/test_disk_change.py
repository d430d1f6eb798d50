"""`disk_changes/reload.lua`: buffers follow files that change on disk."""

import os
from pathlib import Path

import pytest

from support.disk_changes import (
    MINUS,
    NEW,
    OLD,
    all_reported,
    edit_watched,
    messages,
    replace,
    shows,
    text,
    wait_for_changes,
)
from support.neovim import Neovim, until


@pytest.fixture
async def path(nvim: Neovim, project: Path) -> Path:
    return await edit_watched(nvim, project)


@pytest.mark.parametrize("way", ["in place", "by another file", "after it was deleted"])
async def test_a_buffer_follows_its_file_without_a_key(nvim: Neovim, path: Path, way: str) -> None:
    if way == "after it was deleted":
        path.unlink()
    if way == "by another file":
        replace(path, NEW)
    else:
        path.write_text(NEW)

    await shows(nvim, path, NEW)
    assert await nvim.eval("&modified") == 0
    await until(lambda: f"a.txt changed on disk (+1 {MINUS}1); u undoes" in nvim.screen.text())
    await nvim.keys("u")
    await shows(nvim, path, OLD)


async def test_a_hidden_buffer_follows_its_file(nvim: Neovim, path: Path) -> None:
    await nvim.command("set hidden | enew")

    path.write_text(NEW)

    await shows(nvim, path, NEW)


async def test_successive_writes_are_followed(nvim: Neovim, path: Path) -> None:
    for number in range(5):
        replace(path, f"{number}\n")
        await shows(nvim, path, f"{number}\n")


async def test_cursor_and_folds_are_kept(nvim: Neovim, path: Path) -> None:
    lines = [f"line {number}" for number in range(1, 101)]
    await nvim.lua("vim.fn.writefile(...)", lines, str(path))
    await until(lambda: nvim.eval("line('$') == 100"))
    await nvim.command("setlocal foldmethod=manual | 60,70fold")
    await nvim.keys("50Gma")
    await until(lambda: nvim.eval("line('.') == 50"))

    replace(path, "".join(f"{line}\n" for line in ["new", "newer", *lines]))

    await until(lambda: nvim.eval("getline(1) ==# 'new'"))
    assert await nvim.eval("[getline('.'), getline(\"'a\")]") == ["line 50", "line 50"]
    assert await nvim.eval("[foldclosed(62), foldclosedend(62)]") == [62, 72]


async def test_a_change_without_new_text_is_ignored(nvim: Neovim, path: Path) -> None:
    os.utime(path)
    await wait_for_changes(nvim, path)
    path.chmod(0o600)
    await wait_for_changes(nvim, path)
    replace(path, OLD)
    await wait_for_changes(nvim, path)
    await until(
        lambda: nvim.lua(
            "return #vim.api.nvim_get_autocmds({ event = 'FileChangedShell', buffer = 1 }) == 0"
        )
    )

    assert await nvim.eval("[undotree().seq_last, &modified]") == [0, 0]
    await all_reported(nvim, path)
    assert "a.txt" not in await messages(nvim)
    await nvim.command("write")
    assert (await nvim.mode())["blocking"] is False


async def test_a_write_by_the_user_is_not_reported(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>:silent write<CR>")
    await until(lambda: path.read_text() == "mine\ntwo\nthree\n")
    await all_reported(nvim, path)
    assert "a.txt" not in await messages(nvim)


async def test_unsaved_changes_are_kept_and_reported_once(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))

    replace(path, NEW)

    await until(lambda: "a.txt changed on disk; unsaved changes kept" in nvim.screen.text())
    assert await text(nvim, path) == "mine\ntwo\nthree\n"
    os.utime(path)
    await nvim.keys(":checktime<CR>")
    await wait_for_changes(nvim, path)
    assert (await messages(nvim)).count("a.txt") <= 2
    assert "W12" not in await messages(nvim)
    await nvim.keys(":write<CR>")
    await until(lambda: "really want to write" in nvim.screen.text())
    await nvim.keys("n")
    assert path.read_text() == NEW


async def test_a_buffer_follows_once_its_unsaved_changes_are_undone(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    replace(path, NEW)
    await until(lambda: "a.txt changed on disk; unsaved changes kept" in nvim.screen.text())

    await nvim.keys("u")

    await shows(nvim, path, NEW)
    assert await nvim.eval("&modified") == 0


async def test_a_reload_waits_for_the_end_of_insert_mode(nvim: Neovim, path: Path) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))

    replace(path, NEW)
    await wait_for_changes(nvim, path)

    assert await text(nvim, path) == OLD
    await nvim.keys("<Esc>")
    await shows(nvim, path, NEW)


async def test_text_typed_before_a_reload_is_kept(nvim: Neovim, path: Path) -> None:
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 'i'"))
    replace(path, NEW)
    await wait_for_changes(nvim, path)

    await nvim.keys("mine <Esc>")

    await until(lambda: "a.txt changed on disk; unsaved changes kept" in nvim.screen.text())
    assert await text(nvim, path) == f"mine {OLD}"


async def test_a_change_is_shown_while_the_user_types_elsewhere(nvim: Neovim, path: Path) -> None:
    await nvim.command("botright new")
    await nvim.keys("itypi")
    await until(lambda: nvim.eval("mode() == 'i'"))

    replace(path, NEW)

    await shows(nvim, path, NEW)
    await nvim.keys("ng")
    await until(lambda: nvim.eval("getline(1) ==# 'typing' && mode() ==# 'i'"))


@pytest.mark.parametrize("setting", ["set noautoread", "setlocal noautoread"])
async def test_without_autoread_neovim_handles_the_change(
    nvim: Neovim, path: Path, setting: str
) -> None:
    await nvim.command(setting)
    replace(path, NEW)
    await wait_for_changes(nvim, path)

    assert await text(nvim, path) == OLD
    await nvim.keys(":checktime<CR>")
    await until(lambda: "W11" in nvim.screen.text())


async def test_without_autoread_files_that_claude_names_are_followed(
    nvim: Neovim, path: Path
) -> None:
    await nvim.command("set noautoread")
    await nvim.lua("vim.fn['claude_ide#agent_writes#Announce'](...)", str(path))

    replace(path, NEW)

    await shows(nvim, path, NEW)
    await until(lambda: f"Claude changed a.txt (+1 {MINUS}1); u undoes" in nvim.screen.text())


async def test_a_new_file_is_shown_when_it_is_created(nvim: Neovim, path: Path) -> None:
    await nvim.command("edit new/deep.txt")
    new = path.parent / "new" / "deep.txt"
    new.parent.mkdir()

    new.write_text(NEW)

    await shows(nvim, new, NEW)
    await until(lambda: f"deep.txt changed on disk (+3 {MINUS}0)" in nvim.screen.text())


async def test_a_buffer_saved_under_a_new_name_is_watched_there(nvim: Neovim, path: Path) -> None:
    await nvim.command("silent saveas b.txt")
    other = path.with_name("b.txt")

    replace(other, NEW)

    await shows(nvim, other, NEW)
