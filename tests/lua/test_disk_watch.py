"""`lua/claude_ide/disk_watch.lua`: it names the buffers whose files something has happened to."""

from pathlib import Path

from support.neovim import Neovim, until

WATCH = """
_G.touched = {}
require('claude_ide.disk_watch').start(function(bufnr)
  _G.touched[vim.fs.basename(vim.api.nvim_buf_get_name(bufnr))] = true
end)
"""
LOAD = """
for _, path in ipairs(...) do
  vim.fn.bufload(vim.fn.bufadd(path))
end
"""
STATE = "return require('claude_ide.disk_watch').state()"


async def touched(nvim: Neovim, name: str) -> None:
    await until(lambda: nvim.lua("return _G.touched[...]", name), f"{name} is named")


async def load(nvim: Neovim, paths: list[Path]) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one\n")
    await nvim.lua(LOAD, [str(path) for path in paths])


async def test_files_that_were_loaded_before_and_after_are_watched(
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


async def test_what_is_no_file_is_not_watched(nvim: Neovim, project: Path) -> None:
    await nvim.lua(WATCH)
    await nvim.command("help")
    await nvim.command("silent! edit scheme://there/a.txt")
    await nvim.command("edit .")
    await nvim.command("new | setlocal buftype=nofile | file notes")

    watched = await nvim.lua(STATE)

    assert watched["folders"] <= 1, "the help's own folder"
    assert str(project) not in str(watched)


async def test_a_folder_behind_a_link_is_watched_once(nvim: Neovim, project: Path) -> None:
    await load(nvim, [project / "real" / "a.txt"])
    (project / "link").symlink_to(project / "real")
    await nvim.command("edit link/b.txt")
    await nvim.lua(WATCH)
    await until(lambda: nvim.lua(f"{STATE}.folders == 1"))

    (project / "real" / "b.txt").write_text("new\n")

    await touched(nvim, "b.txt")


async def test_beyond_the_most_folders_files_are_looked_at_now_and_then(
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
    await nvim.lua("vim.wait(100)")

    async def is_named() -> bool:
        paths[-1].write_text("two\n" + await nvim.eval("reltimestr(reltime())"))
        return bool(await nvim.lua("return _G.touched[...]", paths[-1].name))

    await until(is_named)
    await nvim.lua("require('claude_ide.disk_watch').stop()")
    assert await nvim.lua(STATE) == {"folders": 0, "polled": 0}


FOLLOWED = """
local count = 0
for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
  count = count + (vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == 'two' and 1 or 0)
end
return count
"""


async def test_hundreds_of_changes_leave_room_for_keys(nvim: Neovim, project: Path) -> None:
    """What a checkout of another branch does: a file takes a few milliseconds."""
    paths = [project / f"{number}.txt" for number in range(200)]
    await load(nvim, paths)
    await nvim.lua("require('claude_ide.disk_change').watch('server', true)")
    await until(lambda: nvim.lua(f"{STATE}.folders == 1"))

    for path in paths:
        path.write_text("two\n")

    seen = set()
    while (count := await nvim.lua(FOLLOWED)) < len(paths):
        seen.add(count)
    assert len(seen) > 3, "Neovim answers while they follow"
