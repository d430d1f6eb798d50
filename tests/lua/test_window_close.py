"""`window/close.lua`: windows close whichever floats exist, and Neovim survives."""

import re
from pathlib import Path
from typing import Any

import pytest

from support.answers import listen
from support.chats import Chats
from support.chunks import chunk
from support.diffs import Diffs, everything
from support.neovim import ROOT, Neovim, until
from support.plans import ask

CLOSE = "require('claude_ide.window.close')"
OLD = "".join(f"line {number}\n" for number in range(1, 101))
NEW = OLD.replace("line 50\n", "LINE 50\n")
FLOAT = chunk("window_close/float")
FLOAT_BY = chunk("window_close/float_by")
FAIL_AT = """
for _, event in ipairs(...) do
  vim.api.nvim_create_autocmd(event, { callback = function() error('of another plugin') end })
end
"""
KEYS = [":w<CR>", ":q<CR>", "ZZ", ":bd<CR>", ":wq<CR>", ":ClaudeAccept<CR>", ":ClaudeReject<CR>"]
EVENTS = [
    *("WinNew", "WinEnter", "WinLeave", "WinClosed", "TabNew", "TabEnter", "TabLeave", "TabClosed"),
    *("BufEnter", "BufLeave", "BufWinEnter", "BufWinLeave", "BufHidden", "BufUnload"),
    *("BufDelete", "BufWipeout", "FileType", "BufNew", "BufAdd", "BufNewFile"),
]


@pytest.fixture
async def diffs(nvim: Neovim, project: Path) -> Diffs:
    for name in ("a.txt", "b.txt"):
        (project / name).write_text(OLD)
    await nvim.command("edit a.txt | split b.txt | resize 5")
    return await Diffs.start(nvim)


async def shape(nvim: Neovim) -> Any:
    state = await everything(nvim)
    return [state["tabpages"], state["win"], state["options"]["cmdheight"]]


async def assert_as_before(nvim: Neovim, before: Any) -> None:
    await nvim.command("redraw!")
    assert await shape(nvim) == before


@pytest.mark.parametrize("focusable", [True, False])
@pytest.mark.parametrize("keys", KEYS)
async def test_a_diff_with_a_float_in_its_tabpage_closes_on_a_decision(
    nvim: Neovim, diffs: Diffs, project: Path, keys: str, focusable: bool
) -> None:
    before = await shape(nvim)
    id_ = await diffs.open(project / "a.txt", NEW)
    await nvim.lua(FLOAT, focusable)

    await nvim.keys(keys)

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("close", ["close(...)", "close_all()", "accept(1)"])
async def test_a_diff_with_a_float_closes_while_the_user_is_in_another_tabpage(
    nvim: Neovim, diffs: Diffs, project: Path, close: str
) -> None:
    before = await shape(nvim)
    id_ = await diffs.open(project / "a.txt", NEW)
    await nvim.lua(FLOAT, True)
    await nvim.command("tabfirst")

    await nvim.lua(f"require('claude_ide.diff').{close}", id_)

    await diffs.closed(id_)
    await assert_as_before(nvim, before)


async def test_a_proposal_that_is_alone_with_a_float_closes(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    id_ = await diffs.open(project / "a.txt", NEW)
    await nvim.lua(FLOAT, True)
    await nvim.keys("<C-w>h:close<CR>")
    await until(lambda: nvim.eval("winnr('$') == 2 && tabpagenr() == 2"))

    await nvim.keys(":w<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), winnr('$'), &cmdheight]") == [1, 2, 1]


@pytest.mark.parametrize("keys", [":w<CR>", ":q<CR>"])
async def test_a_plan_with_a_float_in_its_tabpage_closes(
    nvim: Neovim, diffs: Diffs, keys: str
) -> None:
    await listen(nvim)
    before = await shape(nvim)
    await ask(nvim, "one")
    await until(lambda: nvim.eval("bufname() =~# '^Claude plan' && &modifiable"))
    await nvim.lua(FLOAT, True)

    await nvim.keys(keys)

    await until(lambda: nvim.eval("tabpagenr('$') == 1"))
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("how", ["hide", "close"])
@pytest.mark.parametrize("is_there", [True, False])
async def test_a_chat_with_a_float_in_its_tabpage_closes(
    nvim: Neovim, diffs: Diffs, how: str, is_there: bool
) -> None:
    before = await shape(nvim)
    chats = await Chats.start(nvim)
    await chats.open(side="tab")
    await nvim.lua(FLOAT, True)
    if not is_there:
        await nvim.command("stopinsert | tabfirst")

    await nvim.lua(f"require('claude_ide.chat.panel').{how}(1)")

    await chats.hidden()
    await until(lambda: nvim.eval("mode() ==# 'n'"))
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("event", ["WinClosed", "BufWinLeave", "BufLeave", "WinEnter", "TabLeave"])
async def test_a_float_that_an_autocommand_opens_while_a_diff_closes_does_no_harm(
    nvim: Neovim, diffs: Diffs, project: Path, event: str
) -> None:
    id_ = await diffs.open(project / "a.txt", NEW)
    await nvim.lua(FLOAT_BY, event)

    await nvim.keys(":w<CR>")

    await diffs.closed(id_)
    assert await nvim.lua("return _G.opened") > 0
    assert await nvim.eval("[tabpagenr('$'), &cmdheight]") == [1, 1]


@pytest.mark.parametrize("layout", ["tab", "vertical"])
@pytest.mark.parametrize("event", EVENTS)
async def test_a_failing_autocommand_leaves_no_diff_half_open(
    nvim: Neovim, diffs: Diffs, project: Path, event: str, layout: str
) -> None:
    before = await shape(nvim)
    await nvim.lua(FAIL_AT, [event])
    id_ = await diffs.open(project / "a.txt", NEW, layout)
    assert await nvim.eval("[winnr('$') % 2, &diff, &modifiable]") == [layout == "vertical", 1, 1]

    await nvim.lua("require('claude_ide.diff').accept(1)")

    await diffs.closed(id_)
    await nvim.lua("vim.api.nvim_clear_autocmds({ event = ... })", event)
    assert not (await nvim.mode())["blocking"]
    await assert_as_before(nvim, before)


@pytest.mark.parametrize("side", ["right", "tab", "float"])
async def test_failing_autocommands_leave_no_chat_half_open(
    nvim: Neovim, diffs: Diffs, side: str
) -> None:
    before = await shape(nvim)
    await nvim.lua(FAIL_AT, EVENTS)
    chats = await Chats.start(nvim)

    await chats.open(side=side)
    assert sorted(await chats.windows()) == ["prompt", "transcript"]
    await nvim.lua("require('claude_ide.chat.panel').close(1)")

    await chats.hidden()
    await until(lambda: nvim.eval("mode() ==# 'n'"))
    await nvim.lua("vim.api.nvim_clear_autocmds({ event = ... })", EVENTS)
    assert not (await nvim.mode())["blocking"]
    await assert_as_before(nvim, before)


async def test_failing_autocommands_leave_no_plan_half_open(nvim: Neovim, diffs: Diffs) -> None:
    await listen(nvim)
    before = await shape(nvim)
    await nvim.lua(FAIL_AT, EVENTS)
    await ask(nvim, "one")
    await until(lambda: nvim.eval("bufname() =~# '^Claude plan' && &modifiable"))

    await nvim.keys(":w<CR>")

    await until(lambda: nvim.eval("tabpagenr('$') == 1"))
    await nvim.lua("vim.api.nvim_clear_autocmds({ event = ... })", EVENTS)
    await assert_as_before(nvim, before)


async def test_neovims_last_window_shows_the_most_recent_file(nvim: Neovim, diffs: Diffs) -> None:
    await nvim.command("only | enew | setlocal buftype=nofile")

    await nvim.lua(f"{CLOSE}.window(vim.api.nvim_get_current_win())")

    assert await nvim.eval("[bufname(), winnr('$')]") == ["b.txt", 1]


async def test_a_window_that_cannot_be_closed_keeps_its_tabpage(nvim: Neovim, diffs: Diffs) -> None:
    await nvim.command("set nohidden | tabnew | call setline(1, 'unsaved')")
    win = await nvim.eval("win_getid()")
    await nvim.command("tabfirst")

    refused = await nvim.lua(f"return not pcall({CLOSE}.window, ..., false)", win)

    assert refused
    assert await nvim.eval(f"getbufline(winbufnr({win}), 1)") == ["unsaved"]
    assert await nvim.eval("tabpagewinnr(2, '$')") == 1


async def test_a_tabpage_without_room_for_another_window_closes_with_its_last_one(
    nvim: Neovim, diffs: Diffs
) -> None:
    await nvim.command("only | tabnew | set columns=12 winminwidth=9")
    win = await nvim.eval("win_getid()")
    await nvim.lua(FLOAT, True)
    await nvim.command("tabfirst")

    await nvim.lua(f"{CLOSE}.window(...)", win)

    assert await nvim.eval("tabpagenr('$')") == 1


async def test_deleting_the_only_buffer_of_another_tabpage_closes_the_tabpage(
    nvim: Neovim, diffs: Diffs
) -> None:
    await nvim.command("tabnew | split")
    bufnr = await nvim.eval("bufnr()")
    await nvim.lua(FLOAT, True)
    await nvim.command("tabfirst")

    await nvim.lua(f"{CLOSE}.buffer(...)", bufnr)

    assert await nvim.eval(f"[tabpagenr('$'), bufexists({bufnr})]") == [1, 0]


def test_only_this_module_closes_windows_or_deletes_buffers() -> None:
    closing = re.compile(r"nvim_win_close|nvim_win_hide|nvim_buf_delete|tabclose|bwipe|winrestcmd")
    found = {
        path.relative_to(ROOT / "lua/claude_ide").as_posix()
        for path in (ROOT / "lua").rglob("*.lua")
        if any(
            closing.search(line)
            for line in path.read_text(encoding="utf-8").splitlines()
            if not line.lstrip().startswith("--")
        )
    }

    assert found == {"window/close.lua"}
