"""`file/written.lua`: who learns of a write that a buffer has taken over."""

from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.claude_code import ClaudeCode
from support.language_client import attach
from support.neovim import Neovim, until

OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"
BOTH = ["FileChangedShellPost", "User"]

REMEMBER = chunk("written/remember")
LISTEN = chunk("written/listen")
PLACE = "[win_getid(), bufnr(), bufnr('#'), winnr('$'), mode(1), getpos('.'), winsaveview()]"


@pytest.fixture
async def path(nvim: Neovim, path: Path) -> Path:
    """A file that is edited; what is announced of it is remembered."""
    await nvim.command("set hidden | edit a.txt")
    await nvim.lua(REMEMBER)
    return path


async def take(nvim: Neovim, path: Path, text: str = NEW) -> None:
    """Write the file, and have Neovim take it over."""
    path.write_text(text)
    assert await nvim.lua("return require('claude_ide.disk.reload').sync()")


async def heard(nvim: Neovim) -> list[dict[str, Any]]:
    """What was announced so far."""
    got: list[dict[str, Any]] = await nvim.lua("return _G.heard")
    return got


async def names(nvim: Neovim) -> list[str]:
    """The events so far."""
    return [one["event"] for one in await heard(nvim)]


async def log(nvim: Neovim) -> str:
    """What the log holds."""
    path = Path(await nvim.lua("return require('claude_ide.say.log').path()"))
    return path.read_text(encoding="utf-8") if path.exists() else ""


WHERE = {
    "the current window": "",
    "another window": "botright new",
    "another tab page": "tabnew",
    "no window": "enew",
}


@pytest.mark.parametrize("where", WHERE)
async def test_each_write_is_announced_once_where_its_buffer_is_current(
    nvim: Neovim, path: Path, where: str
) -> None:
    bufnr = await nvim.eval("bufnr()")
    await nvim.command(WHERE[where])

    await take(nvim, path)

    data = {"path": str(path), "bufnr": bufnr}
    common = {"bufnr": bufnr, "text": NEW, "modified": False}
    assert await heard(nvim) == [
        {"event": "FileChangedShellPost", **common},
        {"event": "User", "data": data, **common},
    ]
    await take(nvim, path, OLD)
    assert await names(nvim) == BOTH * 2


TYPED = {
    "Normal mode": ("botright new", "", "n"),
    "Insert mode": ("botright new", "itext", "i"),
    "Visual mode": ("botright new | call setline(1, ['a', 'b'])", "vj", "v"),
    "a terminal": ("botright split | terminal cat", "i", "t"),
    "Insert mode, the file hidden": ("enew", "itext", "i"),
}


@pytest.mark.parametrize("doing", TYPED)
async def test_the_user_notices_nothing_of_it(nvim: Neovim, path: Path, doing: str) -> None:
    command, keys, mode = TYPED[doing]
    await nvim.command(command)
    await nvim.keys(keys)
    await until(lambda: nvim.eval(f"mode(1) ==# '{mode}'"))
    await nvim.lua(LISTEN)
    before = await nvim.eval(PLACE)

    await take(nvim, path)

    assert await names(nvim) == BOTH
    # A terminal puts its cursor where it belongs a moment after each output.
    await until(lambda: nvim.eval(f"{PLACE} == {before}".replace("None", "v:null")))
    assert await nvim.lua("return _G.other") == []


async def test_a_write_below_unsaved_changes_is_announced(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await nvim.lua("require('claude_ide.disk.reload').expect(...)", str(path))

    await take(nvim, path)

    assert [(one["text"], one["modified"]) for one in await heard(nvim)] == [
        ("mine\nTWO\nthree\n", True)
    ] * 2


async def test_unsaved_changes_that_are_kept_as_they_are_announce_nothing(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    path.write_text(f"{OLD}four\n")
    await nvim.lua("require('claude_ide.disk.reload').expect(...)", str(path))

    path.write_text(NEW)

    await until(lambda: "unsaved changes to an older" in nvim.screen.text())
    assert await heard(nvim) == []


@pytest.mark.parametrize("where", WHERE)
async def test_what_neovim_reads_again_by_itself_is_announced_too(
    nvim: Neovim, path: Path, where: str
) -> None:
    bufnr = await nvim.eval("bufnr()")
    await nvim.lua("require('claude_ide.file.written').watch(true)")
    await nvim.command(f"set autoread | {WHERE[where]}")
    path.write_text(NEW)

    await nvim.command(f"checktime {bufnr}")

    got = await heard(nvim)
    assert sorted(one["event"] for one in got) == BOTH
    announced = next(one for one in got if one["event"] == "User")
    assert announced["bufnr"] == bufnr
    assert announced["text"] == NEW


async def test_while_neovim_is_watched_an_adopted_write_is_announced_once(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua("require('claude_ide.file.written').watch(true)")
    await nvim.lua("require('claude_ide.disk.reload').expect(...)", str(path))
    path.write_text(NEW)

    await nvim.command("checktime")

    await until(lambda: nvim.eval("getline(2) ==# 'TWO'"))
    await nvim.command("checktime")
    assert await names(nvim) == BOTH


async def test_a_write_that_the_user_does_not_take_is_not_announced(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua("require('claude_ide.file.written').watch(true)")
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    path.write_text(NEW)

    await nvim.keys(":checktime<CR>")
    await until(lambda: "W12" in nvim.screen.text())
    await nvim.keys("<CR>")

    await until(lambda: names(nvim))
    assert await names(nvim) == ["FileChangedShellPost"]


async def test_no_longer_watched_neovim_says_what_it_always_does(nvim: Neovim, path: Path) -> None:
    await nvim.lua("require('claude_ide.file.written').watch(true)")
    await nvim.lua("require('claude_ide.file.written').watch(false)")
    await nvim.command("set autoread")
    path.write_text(NEW)

    await nvim.command("checktime")

    assert await names(nvim) == ["FileChangedShellPost"]


async def test_a_client_that_connects_has_neovim_watched(
    nvim: Neovim, claude: ClaudeCode, path: Path
) -> None:
    assert claude
    await nvim.command("set autoread")
    path.write_text(NEW)

    await nvim.command("checktime")

    async def is_announced() -> bool:
        return "User" in await names(nvim)

    await until(is_announced, "the write is announced")


FAILING = chunk("written/failing")


async def test_what_fails_in_an_autocommand_is_logged_and_stops_no_other(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua(FAILING + REMEMBER)

    await take(nvim, path)

    # Each is remembered twice: by what was there before, and by what comes after the failure.
    assert await names(nvim) == [event for event in BOTH for _ in range(2)]
    assert await nvim.eval("execute('messages')") == ""
    said = await log(nvim)
    for event in ("FileChangedShellPost", "ClaudeFileWritten"):
        assert any(event in line and "no such luck" in line for line in said.splitlines())


async def test_what_an_autocommand_says_can_be_read(nvim: Neovim, path: Path) -> None:
    await nvim.command("autocmd User ClaudeFileWritten echomsg 'written by Claude'")

    await take(nvim, path)

    await until(lambda: "written by Claude" in nvim.screen.text())
    assert not (await nvim.mode())["blocking"]


async def test_a_warning_of_a_change_on_disk_is_not_shown(nvim: Neovim, path: Path) -> None:
    """Many have one in their configuration, for changes that they do not expect."""
    await nvim.command("autocmd FileChangedShellPost * echomsg 'changed!' | echomsg 'look!'")

    await take(nvim, path)

    assert not (await nvim.mode())["blocking"]
    assert await nvim.eval("execute('messages')") == ""


DEEDS = {
    "deletes the buffer": "bwipeout!",
    "opens another file": "edit b.txt",
    "opens a window": "split",
    "opens a tab page": "tabnew",
    "closes the window": "close!",
    "leaves only one window": "only",
    "goes to another window": "wincmd w",
    "changes the text": "call setline(1, 'formatted')",
    "saves": "silent write!",
    "reads the file again": "edit!",
    "looks at all files": "checktime",
    "throws": "throw 'no'",
}


@pytest.mark.parametrize("event", ["FileChangedShellPost *", "User ClaudeFileWritten"])
@pytest.mark.parametrize("where", ["the current window", "another window", "no window"])
@pytest.mark.parametrize("deed", DEEDS)
async def test_an_autocommand_may_do_anything(
    nvim: Neovim, path: Path, deed: str, where: str, event: str
) -> None:
    await nvim.command(WHERE[where])
    await nvim.command(f"autocmd {event} ++once ++nested {DEEDS[deed]}")
    await nvim.lua("require('claude_ide.file.written').watch(true)")

    await take(nvim, path)

    assert not (await nvim.mode())["blocking"]
    other = path.with_name("other.txt")
    other.write_text(OLD)
    await nvim.command("tabonly! | silent only! | edit! other.txt")
    await take(nvim, other)
    assert await nvim.eval("getline(2)") == "TWO"


async def test_its_servers_know_the_text_before_any_autocommand_runs(
    nvim: Neovim, path: Path
) -> None:
    await attach(nvim, "--publish=push")
    await nvim.lua(chunk("written/its_servers_know_the_text_before_any_autocommand_runs"))

    await take(nvim, path)

    assert await nvim.lua("return _G.asked") == 1
