"""`disk_changes/watch.lua`: reports which files are loaded, for the host to watch."""

from pathlib import Path

import pytest

from support.chunks import chunk
from support.disk_changes import watch
from support.neovim import Neovim, until

LOAD = """
for _, path in ipairs(...) do
  vim.fn.bufload(vim.fn.bufadd(path))
end
"""


async def load(nvim: Neovim, paths: list[Path]) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one\n")
    await nvim.lua(LOAD, [str(path) for path in paths])


def reported(nvim: Neovim) -> dict[int, str]:
    """Return the paths of the files that Neovim has reported as loaded, by buffer."""
    files = [file for event in nvim.events("files_loaded") for file in event["files"]]
    latest = {file["bufnr"]: file["path"] for file in files}
    return {bufnr: path for bufnr, path in latest.items() if path}


async def reports(nvim: Neovim, *paths: Path) -> None:
    await until(lambda: sorted(reported(nvim).values()) == sorted(map(str, paths)))


async def test_files_loaded_before_and_after_the_start_are_reported(
    nvim: Neovim, project: Path
) -> None:
    paths = [project / "before.txt", project / "sub" / "after.txt"]
    await load(nvim, paths[:1])
    await watch(nvim)
    await load(nvim, paths[1:])
    await reports(nvim, *paths)


async def test_files_that_are_unloaded_or_renamed_are_reported(nvim: Neovim, project: Path) -> None:
    paths = [project / "a.txt", project / "b.txt", project / "c.txt", project / "d.txt"]
    await load(nvim, paths)
    await watch(nvim)

    await nvim.command("execute 'bunload' bufnr('a.txt') | execute 'bwipeout' bufnr('c.txt')")
    await nvim.command("execute 'buffer' bufnr('d.txt') | file new.txt")

    await reports(nvim, paths[1], project / "new.txt")


async def test_buffers_that_are_not_files_are_not_reported(nvim: Neovim, project: Path) -> None:
    await load(nvim, [project / "a.txt"])
    await watch(nvim)
    await nvim.command("silent! edit scheme://there/a.txt")
    await nvim.command("edit .")
    await nvim.command("new | setlocal buftype=nofile | file notes")
    await nvim.command("edit b.txt")

    await reports(nvim, project / "a.txt", project / "b.txt")


async def test_a_new_host_is_told_of_all_files(nvim: Neovim, project: Path) -> None:
    await load(nvim, [project / "a.txt"])
    await watch(nvim)
    nvim.notifications.clear()

    await nvim.lua("require('claude_ide.disk_changes.watch').report_all()")

    await reports(nvim, project / "a.txt")


COUNT_RELOADED = chunk("disk_watch/count_reloaded")


async def test_hundreds_of_changes_do_not_block_neovim(nvim: Neovim, project: Path) -> None:
    """A checkout of another branch causes so many; each file takes a few milliseconds."""
    paths = [project / f"{number}.txt" for number in range(200)]
    await load(nvim, paths)
    await watch(nvim)

    for path in paths:
        path.write_text("two\n")

    seen = set()

    async def have_followed() -> bool:
        seen.add(await nvim.lua(COUNT_RELOADED))
        return len(paths) in seen

    await until(have_followed)
    assert len(seen) > 3, "Neovim answers while they follow"


async def test_a_request_loads_a_file_written_just_before_it(nvim: Neovim, project: Path) -> None:
    paths = [project / folder / "a.txt" for folder in "xyz"]
    await load(nvim, paths)
    await watch(nvim)

    write_and_sync = chunk("disk_watch/write_and_sync")
    for number in range(30):
        path = str(paths[number % 3])
        assert await nvim.lua(write_and_sync, path, f"{number}") == [[path], [f"{number}"]]


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
    await watch(nvim)

    replace = f"{RENAME[renamed]}; vim.fn.writefile({{'two'}}, 'a/b/c.txt')"
    sync = "return #require('claude_ide.disk_changes.reload').sync()"
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
    await watch(nvim)

    other.write_text("two\n")

    await nvim.lua("require('claude_ide.disk_changes.reload').sync()")
    assert await nvim.eval("getline(1)") == "two"
