"""`diagnostics/written.lua`: who is notified of a write that a buffer has reloaded."""

from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.claude_code import ClaudeCode
from support.language_client import attach
from support.neovim import Neovim, until
from support.reloading import expect

OLD = "one\ntwo\nthree\n"
NEW = "one\nTWO\nthree\n"
BOTH = ["FileChangedShellPost", "User"]

RECORD_EVENTS = chunk("written/record_events")
RECORD_OTHER_EVENTS = chunk("written/record_other_events")
PLACE = "[win_getid(), bufnr(), bufnr('#'), winnr('$'), mode(1), getpos('.'), winsaveview()]"


@pytest.fixture
async def path(nvim: Neovim, path: Path) -> Path:
    """A file that is being edited; its announcements are recorded."""
    await nvim.command("set hidden | edit a.txt")
    await nvim.lua(RECORD_EVENTS)
    return path


async def write_and_reload(nvim: Neovim, path: Path, text: str = NEW) -> None:
    """Write the file, and have Neovim reload it."""
    path.write_text(text)
    assert await nvim.lua("return require('claude_ide.disk_changes.reload').sync()")


async def announcements(nvim: Neovim) -> list[dict[str, Any]]:
    """Return the announcements so far."""
    got: list[dict[str, Any]] = await nvim.lua("return _G.events")
    return got


async def names(nvim: Neovim) -> list[str]:
    """Return the names of the events so far."""
    return [one["event"] for one in await announcements(nvim)]


async def log(nvim: Neovim) -> str:
    """Return the content of the log."""
    path = Path(await nvim.lua("return require('claude_ide.messages.log').path()"))
    return path.read_text(encoding="utf-8") if path.exists() else ""


WHERE = {
    "the current window": "",
    "another window": "botright new",
    "another tab page": "tabnew",
    "no window": "enew",
}


@pytest.mark.parametrize("where", WHERE)
async def test_each_write_is_announced_once_while_its_buffer_is_current(
    nvim: Neovim, path: Path, where: str
) -> None:
    bufnr = await nvim.eval("bufnr()")
    await nvim.command(WHERE[where])

    await write_and_reload(nvim, path)

    data = {"path": str(path), "bufnr": bufnr}
    common = {"bufnr": bufnr, "text": NEW, "modified": False}
    assert await announcements(nvim) == [
        {"event": "FileChangedShellPost", **common},
        {"event": "User", "data": data, **common},
    ]
    await write_and_reload(nvim, path, OLD)
    assert await names(nvim) == BOTH * 2


TYPED = {
    "Normal mode": ("botright new", "", "n"),
    "Insert mode": ("botright new", "itext", "i"),
    "Visual mode": ("botright new | call setline(1, ['a', 'b'])", "vj", "v"),
    "a terminal": ("botright split | terminal cat", "i", "t"),
    "Insert mode, the file hidden": ("enew", "itext", "i"),
}


@pytest.mark.parametrize("doing", TYPED)
async def test_an_announcement_does_not_disturb_the_user(
    nvim: Neovim, path: Path, doing: str
) -> None:
    command, keys, mode = TYPED[doing]
    await nvim.command(command)
    await nvim.keys(keys)
    await until(lambda: nvim.eval(f"mode(1) ==# '{mode}'"))
    await nvim.lua(RECORD_OTHER_EVENTS)
    before = await nvim.eval(PLACE)

    await write_and_reload(nvim, path)

    assert await names(nvim) == BOTH
    # A terminal updates its cursor a moment after each output.
    await until(lambda: nvim.eval(f"{PLACE} == {before}".replace("None", "v:null")))
    assert await nvim.lua("return _G.other_events") == []


async def test_a_write_below_unsaved_changes_is_announced(nvim: Neovim, path: Path) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    await expect(nvim, path)

    await write_and_reload(nvim, path)

    assert [(one["text"], one["modified"]) for one in await announcements(nvim)] == [
        ("mine\nTWO\nthree\n", True)
    ] * 2


async def test_a_write_that_is_not_merged_into_unsaved_changes_is_not_announced(
    nvim: Neovim, path: Path
) -> None:
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    path.write_text(f"{OLD}four\n")
    await expect(nvim, path)

    path.write_text(NEW)

    await until(lambda: "unsaved changes to an older" in nvim.screen.text())
    assert await announcements(nvim) == []


@pytest.mark.parametrize("where", WHERE)
async def test_a_file_that_neovim_reloads_by_itself_is_announced_too(
    nvim: Neovim, path: Path, where: str
) -> None:
    bufnr = await nvim.eval("bufnr()")
    await nvim.lua("require('claude_ide.diagnostics.written').watch(true)")
    await nvim.command(f"set autoread | {WHERE[where]}")
    path.write_text(NEW)

    await nvim.command(f"checktime {bufnr}")

    got = await announcements(nvim)
    assert sorted(one["event"] for one in got) == BOTH
    announced = next(one for one in got if one["event"] == "User")
    assert announced["bufnr"] == bufnr
    assert announced["text"] == NEW


async def test_while_neovim_is_watched_an_expected_write_is_announced_once(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua("require('claude_ide.diagnostics.written').watch(true)")
    await expect(nvim, path)
    path.write_text(NEW)

    await nvim.command("checktime")

    await until(lambda: nvim.eval("getline(2) ==# 'TWO'"))
    await nvim.command("checktime")
    assert await names(nvim) == BOTH


async def test_a_write_that_the_user_does_not_load_is_not_announced(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua("require('claude_ide.diagnostics.written').watch(true)")
    await nvim.keys("ccmine<Esc>")
    await until(lambda: nvim.eval("&modified"))
    path.write_text(NEW)

    await nvim.keys(":checktime<CR>")
    await until(lambda: "W12" in nvim.screen.text())
    await nvim.keys("<CR>")

    await until(lambda: names(nvim))
    assert await names(nvim) == ["FileChangedShellPost"]


async def test_only_neovims_own_event_fires_once_the_watch_has_stopped(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua("require('claude_ide.diagnostics.written').watch(true)")
    await nvim.lua("require('claude_ide.diagnostics.written').watch(false)")
    await nvim.command("set autoread")
    path.write_text(NEW)

    await nvim.command("checktime")

    assert await names(nvim) == ["FileChangedShellPost"]


async def test_the_watch_starts_when_a_client_connects(
    nvim: Neovim, claude: ClaudeCode, path: Path
) -> None:
    assert claude
    await nvim.command("set autoread")
    path.write_text(NEW)

    await nvim.command("checktime")

    async def is_announced() -> bool:
        return "User" in await names(nvim)

    await until(is_announced, "the write is announced")


RAISE = chunk("written/raise")


async def test_an_error_in_an_autocommand_is_logged_and_stops_no_other(
    nvim: Neovim, path: Path
) -> None:
    await nvim.lua(RAISE + RECORD_EVENTS)

    await write_and_reload(nvim, path)

    # Each is recorded twice: by the autocommands before the failure, and by those after it.
    assert await names(nvim) == [event for event in BOTH for _ in range(2)]
    assert await nvim.eval("execute('messages')") == ""
    logged = await log(nvim)
    for event in ("FileChangedShellPost", "ClaudeFileWritten"):
        assert any(event in line and "no such luck" in line for line in logged.splitlines())


async def test_a_message_of_an_autocommand_is_shown(nvim: Neovim, path: Path) -> None:
    await nvim.command("autocmd User ClaudeFileWritten echomsg 'written by Claude'")

    await write_and_reload(nvim, path)

    await until(lambda: "written by Claude" in nvim.screen.text())
    assert not (await nvim.mode())["blocking"]


async def test_the_users_own_warning_about_a_changed_file_is_not_shown(
    nvim: Neovim, path: Path
) -> None:
    """Many configurations have such a warning, for unexpected changes."""
    await nvim.command("autocmd FileChangedShellPost * echomsg 'changed!' | echomsg 'look!'")

    await write_and_reload(nvim, path)

    assert not (await nvim.mode())["blocking"]
    assert await nvim.eval("execute('messages')") == ""


ACTIONS = {
    "deletes the buffer": "bwipeout!",
    "opens another file": "edit b.txt",
    "opens a window": "split",
    "opens a tab page": "tabnew",
    "closes the window": "close!",
    "leaves only one window": "only",
    "enters another window": "wincmd w",
    "changes the text": "call setline(1, 'formatted')",
    "saves": "silent write!",
    "reads the file again": "edit!",
    "checks all files": "checktime",
    "throws": "throw 'no'",
}


@pytest.mark.parametrize("event", ["FileChangedShellPost *", "User ClaudeFileWritten"])
@pytest.mark.parametrize("where", ["the current window", "another window", "no window"])
@pytest.mark.parametrize("action", ACTIONS)
async def test_an_autocommand_can_do_anything_without_breaking_later_reloads(
    nvim: Neovim, path: Path, action: str, where: str, event: str
) -> None:
    await nvim.command(WHERE[where])
    await nvim.command(f"autocmd {event} ++once ++nested {ACTIONS[action]}")
    await nvim.lua("require('claude_ide.diagnostics.written').watch(true)")

    await write_and_reload(nvim, path)

    assert not (await nvim.mode())["blocking"]
    other = path.with_name("other.txt")
    other.write_text(OLD)
    await nvim.command("tabonly! | silent only! | edit! other.txt")
    await write_and_reload(nvim, other)
    assert await nvim.eval("getline(2)") == "TWO"


async def test_language_servers_have_the_text_before_any_autocommand_runs(
    nvim: Neovim, path: Path
) -> None:
    await attach(nvim, "--publish=push")
    await nvim.lua(chunk("written/count_unsettled"))

    await write_and_reload(nvim, path)

    assert await nvim.lua("return _G.asked") == 1
