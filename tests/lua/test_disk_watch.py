"""`disk/watch.lua`: reports the buffers whose files have changed."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until

WATCH = chunk("disk_watch/watch")
LOAD = """
for _, path in ipairs(...) do
  vim.fn.bufload(vim.fn.bufadd(path))
end
"""
STATE = "return require('claude_ide.disk.folders').state()"


async def touched(nvim: Neovim, name: str) -> None:
    await until(lambda: nvim.lua("return _G.touched[...]", name), f"{name} is named")


async def load(nvim: Neovim, paths: list[Path]) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one\n")
    await nvim.lua(LOAD, [str(path) for path in paths])


async def test_files_loaded_before_and_after_the_start_are_watched(
    nvim: Neovim, project: Path
) -> None:
    paths = [project / "before.txt", project / "sub" / "after.txt"]
    await load(nvim, paths[:1])
    await nvim.lua(WATCH)
    await load(nvim, paths[1:])
    await until(lambda: nvim.lua(f"{STATE}.folders == 2"))

    for path in paths:
        path.write_text("two\n")
        await touched(nvim, path.name)


async def test_only_loaded_files_are_named(nvim: Neovim, project: Path) -> None:
    paths = [project / "a.txt", project / "b.txt", project / "c.txt"]
    await load(nvim, paths)
    await nvim.lua(WATCH)
    await until(lambda: nvim.lua(f"{STATE}.folders == 1"))
    await nvim.command("execute 'bunload' bufnr('a.txt')")

    (project / "new.txt").write_text("new\n")
    paths[0].write_text("two\n")
    paths[1].write_text("two\n")

    await touched(nvim, "b.txt")
    assert await nvim.lua("return _G.touched") == {"b.txt": True}
    await nvim.command("execute 'bunload' bufnr('b.txt') | execute 'bwipeout' bufnr('c.txt')")
    assert await nvim.lua(STATE) == {"folders": 0, "polled": 0}


async def test_buffers_that_are_not_files_are_not_watched(nvim: Neovim, project: Path) -> None:
    await nvim.lua(WATCH)
    await nvim.command("help")
    await nvim.command("silent! edit scheme://there/a.txt")
    await nvim.command("edit .")
    await nvim.command("new | setlocal buftype=nofile | file notes")

    watched = await nvim.lua(STATE)

    assert watched["folders"] <= 1, "the help's own folder"
    assert str(project) not in str(watched)


async def test_a_folder_behind_a_symlink_is_watched_once(nvim: Neovim, project: Path) -> None:
    await load(nvim, [project / "real" / "a.txt"])
    (project / "link").symlink_to(project / "real")
    await nvim.command("edit link/b.txt")
    await nvim.lua(WATCH)
    await until(lambda: nvim.lua(f"{STATE}.folders == 1"))

    (project / "real" / "b.txt").write_text("new\n")

    await touched(nvim, "b.txt")


async def test_files_beyond_the_folder_limit_are_polled(
    nvim: Neovim, project: Path, tmp_path: Path
) -> None:
    paths = [project / f"d{number}" / f"{number}.txt" for number in range(513)]
    await load(nvim, paths)
    await nvim.lua(WATCH)
    await until(
        lambda: nvim.lua(f"local s = {STATE[7:]}; return s.folders == 512 and s.polled == 1")
    )
    assert "512 other folders are" in (await nvim.lua(STATE))["refusal"]
    log = next((tmp_path / "home" / "state").rglob("claude_ide.log"))
    assert log.read_text().count("is not watched") == 1
    await nvim.idle(100)

    async def is_named() -> bool:
        paths[-1].write_text("two\n" + await nvim.eval("reltimestr(reltime())"))
        return bool(await nvim.lua("return _G.touched[...]", paths[-1].name))

    await until(is_named)
    await nvim.lua("require('claude_ide.disk.watch').stop()")
    assert await nvim.lua(STATE) == {"folders": 0, "polled": 0}


async def test_a_file_written_while_the_watch_starts_is_named(nvim: Neovim, project: Path) -> None:
    """Its folder is already watched because of another file."""
    paths = [project / f"{number}.txt" for number in range(30)]
    await load(nvim, paths)
    await nvim.lua(chunk("disk_watch/slow_paths"))
    await nvim.lua(WATCH)

    await nvim.lua(chunk("disk_watch/write_when_watched"), str(paths[-1]))

    await touched(nvim, paths[-1].name)


COUNT_RELOADED = chunk("disk_watch/count_reloaded")


async def test_hundreds_of_changes_do_not_block_neovim(nvim: Neovim, project: Path) -> None:
    """A checkout of another branch causes so many; each file takes a few milliseconds."""
    paths = [project / f"{number}.txt" for number in range(200)]
    await load(nvim, paths)
    await nvim.lua("require('claude_ide.disk.change').watch('server', true)")
    await until(lambda: nvim.lua(f"{STATE}.folders == 1"))

    for path in paths:
        path.write_text("two\n")

    seen = set()

    async def have_followed() -> bool:
        seen.add(await nvim.lua(COUNT_RELOADED))
        return len(paths) in seen

    await until(have_followed)
    assert len(seen) > 3, "Neovim answers while they follow"


async def begin(nvim: Neovim) -> None:
    """Start the watch, and check the loaded files once."""
    await nvim.lua("require('claude_ide.disk.change').watch('server', true)")
    await until(lambda: nvim.lua("return require('claude_ide.disk.watch').suspects() ~= nil"))
    await nvim.lua("require('claude_ide.disk.reload').sync()")


async def test_a_request_loads_a_file_written_just_before_it(nvim: Neovim, project: Path) -> None:
    paths = [project / folder / "a.txt" for folder in "xyz"]
    await load(nvim, paths)
    await begin(nvim)

    write_and_sync = chunk("disk_watch/write_and_sync")
    for number in range(30):
        path = str(paths[number % 3])
        assert await nvim.lua(write_and_sync, path, f"{number}") == [[path], [f"{number}"]]


async def test_a_request_checks_only_changed_files(nvim: Neovim, project: Path) -> None:
    await load(nvim, [project / f"{number}.txt" for number in range(50)])
    await begin(nvim)
    await nvim.lua(
        """
        _G.checks = 0
        local stat = vim.uv.fs_stat
        vim.uv.fs_stat = function(...) _G.checks = _G.checks + 1; return stat(...) end
        """
    )
    assert await nvim.lua("return require('claude_ide.disk.reload').sync()") == []

    (project / "7.txt").write_text("two\n")
    assert len(await nvim.lua("return require('claude_ide.disk.reload').sync()")) == 1
    assert await nvim.lua("return _G.checks") < 25


RENAME = {
    "its folder": "vim.uv.fs_rename('a/b', 'a/old'); vim.fn.mkdir('a/b', 'p')",
    "a folder above": "vim.uv.fs_rename('a', 'old'); vim.fn.mkdir('a/b', 'p')",
}


@pytest.mark.parametrize("renamed", RENAME)
async def test_a_file_in_a_replaced_folder_is_noticed(
    nvim: Neovim, project: Path, renamed: str
) -> None:
    path = project / "a" / "b" / "c.txt"
    await load(nvim, [path])
    await begin(nvim)

    replace = f"{RENAME[renamed]}; vim.fn.writefile({{'two'}}, 'a/b/c.txt')"
    sync = "return #require('claude_ide.disk.reload').sync()"
    assert await nvim.lua(f"{replace}; {sync}") == 1

    assert await nvim.lua(f"vim.fn.writefile({{'three'}}, 'a/b/c.txt'); {sync}") == 1
    assert await nvim.lua("return vim.fn.getbufline(...)", str(path), 1) == ["three"]


@pytest.mark.parametrize("link", ["hard", "to the file", "to the folder"])
async def test_a_write_through_another_name_is_noticed(
    nvim: Neovim, project: Path, link: str
) -> None:
    path, other = project / "a" / "b.txt", project / "other" / "c.txt"
    other.parent.mkdir()
    other.write_text("one\n")
    if link == "to the folder":
        path.parent.symlink_to(other.parent)
        path = project / "a" / "c.txt"
    else:
        path.parent.mkdir()
        (path.hardlink_to if link == "hard" else path.symlink_to)(other)
    await nvim.command(f"edit {path}")
    await begin(nvim)

    other.write_text("two\n")

    await nvim.lua("require('claude_ide.disk.reload').sync()")
    assert await nvim.eval("getline(1)") == "two"


async def test_a_folder_that_cannot_be_watched_is_polled_and_logged_once(
    nvim: Neovim, project: Path
) -> None:
    await nvim.lua(chunk("disk_watch/fail_to_watch"))
    paths = [project / folder / "a.txt" for folder in "xyz"]
    await load(nvim, paths)
    await begin(nvim)

    for path in paths:
        path.write_text("two\n")
        assert len(await nvim.lua("return require('claude_ide.disk.reload').sync()")) == 1
    paths[0].write_text("three\n")
    shown = f"getbufline('{paths[0]}', 1)[0] ==# 'three'"
    await until(lambda: nvim.eval(shown), "the folder is polled")
    log = Path(await nvim.lua("return require('claude_ide.say.log').path()")).read_text()
    assert log.count("is not watched: ENOSPC") == 1
