"""`diff.layout` as a function of the user's, which shows the two buffers (`diff/custom.lua`)."""

from pathlib import Path

import pytest

from claude_ide.config import A_FUNCTION
from support.diffs import Diffs, everything
from support.layouts import prepare, with_successors
from support.neovim import Neovim, until

pytestmark = pytest.mark.usefixtures("numbered_files")

OLD = "".join(f"line {number}\n" for number in range(1, 101))
NEW = OLD.replace("line 50\n", "LINE 50\n").replace("line 9\n", "line 9\nline 9½\n")
SIDE_BY_SIDE = """
vim.cmd.tabnew()
vim.api.nvim_win_set_buf(0, ctx.original)
vim.cmd.diffthis()
vim.cmd('botright vertical sbuffer ' .. ctx.proposed)
vim.cmd.diffthis()
"""
IN_PLACE = """
vim.api.nvim_win_set_buf(0, ctx.proposed)
vim.cmd.diffthis()
"""
FLOAT = """
vim.api.nvim_open_win(ctx.proposed, true,
  { relative = 'editor', row = 1, col = 1, width = 60, height = 20 })
"""


async def use(nvim: Neovim, body: str) -> None:
    await nvim.lua(
        "vim.g.claude_ide = { diff = { layout = function(ctx) _G.ctx = ctx\n" + body + "end } }"
    )


@pytest.mark.parametrize("body", [SIDE_BY_SIDE, IN_PLACE, FLOAT], ids=["tab", "here", "float"])
@pytest.mark.parametrize("keys", [":w<CR>", ":ClaudeReject<CR>", "2]cgX:w<CR>"])
async def test_the_diff_is_decided_and_closed_as_in_any_layout(
    nvim: Neovim, diffs: Diffs, path: Path, body: str, keys: str
) -> None:
    before = await prepare(nvim, ["edit a.txt", "split b.txt", "resize 5", "normal! 30Gzt"])
    await use(nvim, body)
    id_ = await diffs.open(path, NEW)
    assert await nvim.eval("bufname()") == await nvim.lua("return vim.fn.bufname(_G.ctx.proposed)")
    assert await nvim.lua("return { _G.ctx.path, _G.ctx.title }") == [str(path), "Claude Code"]

    await nvim.keys(keys)

    decision = await diffs.decision(id_)
    assert decision["accepted"] == (":w" in keys)
    if "gX" in keys:
        assert decision["text"] == NEW.replace("LINE 50", "line 50")
    await diffs.closed(id_)
    after = with_successors(await everything(nvim), before)
    for key in ("tabpages", "win"):
        for window in after["tabpages"][0]["windows"] + before["tabpages"][0]["windows"]:
            window["jumps"] = window["alternate"] = None
        assert after[key] == before[key]


@pytest.mark.parametrize("body", [SIDE_BY_SIDE, "vim.cmd.new() " + FLOAT], ids=["unused", "used"])
async def test_an_empty_buffer_that_the_function_has_added_goes(
    nvim: Neovim, diffs: Diffs, path: Path, body: str
) -> None:
    await nvim.command("edit a.txt")
    await use(nvim, body)
    before = await nvim.eval("map(getbufinfo({'buflisted': 1}), 'v:val.bufnr')")
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":q<CR>")

    await diffs.closed(id_)
    assert await nvim.eval("map(getbufinfo({'buflisted': 1}), 'v:val.bufnr')") == before
    assert await nvim.eval("filter(getbufinfo(), 'v:val.name == \"\"')") == []


async def test_closing_the_window_rejects(nvim: Neovim, diffs: Diffs, path: Path) -> None:
    await use(nvim, SIDE_BY_SIDE)
    id_ = await diffs.open(path, NEW)

    await nvim.keys(":q<CR>")

    assert not (await diffs.decision(id_))["accepted"]
    await diffs.closed(id_)
    assert await nvim.eval("[tabpagenr('$'), winnr('$'), &diff]") == [1, 1, 0]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("error('no such plugin')", "no such plugin"),
        ("vim.cmd.tabnew() error({})", "diff.layout"),
        ("vim.cmd.vnew()", "the function shows no proposal"),
        ("vim.cmd.sbuffer(ctx.proposed) vim.cmd.close()", "the function shows no proposal"),
        ("vim.cmd.bwipeout(ctx.proposed)", "the function has wiped out the proposal"),
    ],
)
async def test_a_function_that_fails_is_reported_in_one_line(
    nvim: Neovim, diffs: Diffs, path: Path, body: str, reason: str
) -> None:
    await use(nvim, body)

    id_ = await diffs.ask(path, NEW)

    if "wiped" in reason:
        await until(lambda: diffs.of("diff_decided", id_) or diffs.of("diff_failed", id_))
        return
    await diffs.ready(id_)
    assert await nvim.eval("[tabpagenr(), tabpagenr('$'), winnr('$'), &diff]") == [2, 2, 2, 1]
    messages = await nvim.eval("execute('messages')")
    (line,) = [line for line in messages.splitlines() if line]
    assert reason in line


async def test_functions_stay_in_neovim(nvim: Neovim) -> None:
    await nvim.lua(
        "_G.options = { cmd = { 'a', print, 'b' }, keys = true, tools = print, chat = {},"
        " diff = { layout = print, focus = true } }"
    )
    found = await nvim.lua("return require('claude_ide.host.process').sendable(_G.options)")

    cmd, tools = ["a", A_FUNCTION, "b"], A_FUNCTION
    diff = {"focus": True}
    assert found == {"cmd": cmd, "keys": True, "tools": tools, "chat": {}, "diff": diff}
