"""`window/location.lua`: where the user is, and how to return there."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.chunks import chunk
from support.diffs import Diffs
from support.neovim import Neovim, NvimError, until
from support.plans import ask

REMEMBER = "_G.location = require('claude_ide.window.location').current()"
GO_BACK = "require('claude_ide.window.location').go_back(_G.location)"
HERE = "[tabpagenr(), winnr(), winnr('#'), tabpagenr('#')]"


@pytest.fixture
async def tabs(nvim: Neovim) -> Neovim:
    """Three tabpages; the second has three windows: the first current, the last previous."""
    for command in ("tabnew", "vsplit", "vsplit", "tabnew", "tabprevious", "3wincmd w"):
        await nvim.command(command)
    await nvim.command("1wincmd w")
    assert await nvim.eval(HERE) == [2, 1, 3, 3]
    return nvim


@pytest.mark.parametrize(
    "away",
    [
        ["2wincmd w"],
        ["tabfirst"],
        ["tabfirst", "tablast"],
        ["tablast", "vsplit", "wincmd p"],
        ["2wincmd w", "3wincmd w", "tabfirst"],
    ],
)
async def test_going_back_restores_the_current_and_the_previous_window_and_tabpage(
    tabs: Neovim, away: list[str]
) -> None:
    await tabs.lua(REMEMBER)
    for command in away:
        await tabs.command(command)

    await tabs.lua(GO_BACK)

    assert await tabs.eval(HERE) == [2, 1, 3, 3]


async def test_going_back_fires_autocommands_only_for_the_final_window(tabs: Neovim) -> None:
    await tabs.lua(REMEMBER)
    await tabs.command("tabfirst")
    await tabs.command("let g:entered = 0 | autocmd WinEnter * let g:entered += 1")

    await tabs.lua(GO_BACK)

    assert await tabs.eval("g:entered") == 1
    assert await tabs.eval("&eventignore") == ""


async def test_going_back_to_a_closed_window_returns_to_its_tabpage(tabs: Neovim) -> None:
    await tabs.lua(REMEMBER)
    await tabs.command("close | tabfirst")

    await tabs.lua(GO_BACK)

    assert await tabs.eval("tabpagenr()") == 2


async def test_going_back_to_a_closed_tabpage_changes_nothing(tabs: Neovim) -> None:
    await tabs.lua(REMEMBER)
    await tabs.command("tabclose | tabfirst")

    await tabs.lua(GO_BACK)

    assert await tabs.eval("tabpagenr()") == 1


async def test_going_back_works_when_the_previous_window_has_closed(tabs: Neovim) -> None:
    await tabs.lua(REMEMBER)
    await tabs.command("call win_execute(win_getid(3), 'close') | tabfirst")

    await tabs.lua(GO_BACK)

    assert await tabs.eval("[tabpagenr(), winnr()]") == [2, 1]


async def test_going_back_to_a_terminal_restores_terminal_mode(nvim: Neovim) -> None:
    await nvim.command("terminal cat")
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 't'"))
    await nvim.lua(REMEMBER)
    await nvim.command("tabnew")
    await until(lambda: nvim.eval("mode() == 'n'"))

    await nvim.lua(GO_BACK)

    await until(lambda: nvim.eval("mode() == 't'"))


SELF_CLOSING = chunk("location/self_closing")
LEAVE = "require('claude_ide.window.location').leave(vim.cmd.tabnew)"
HAS_FLOAT = "return vim.api.nvim_win_is_valid(_G.float)"


@pytest.mark.parametrize("is_claudes", [False, True])
async def test_only_claudes_own_float_is_left_without_autocommands(
    nvim: Neovim, is_claudes: bool
) -> None:
    await nvim.lua(SELF_CLOSING, is_claudes)

    await nvim.lua(LEAVE)

    assert await nvim.eval("tabpagenr()") == 2
    assert await nvim.lua(HAS_FLOAT) == is_claudes
    assert await nvim.eval("&eventignore") == ""


async def test_autocommands_fire_again_after_leaving_a_float_has_failed(nvim: Neovim) -> None:
    await nvim.lua(SELF_CLOSING, True)

    with pytest.raises(NvimError, match="no such luck"):
        await nvim.lua(
            "require('claude_ide.window.location').leave(function() error('no such luck', 0) end)"
        )

    assert await nvim.eval("&eventignore") == ""
    await nvim.command("tabnew")
    assert not await nvim.lua(HAS_FLOAT)


@pytest.fixture
async def chats(nvim: Neovim, project: Path) -> Chats:
    """A chat with the user in its prompt."""
    (project / "a.txt").write_text("one\n")
    await nvim.command("edit a.txt")
    chats = await Chats.start(nvim)
    await chats.open()
    return chats


@pytest.mark.parametrize("keys", [":w<CR>", ":q<CR>", "ZZ"])
async def test_after_a_diff_the_user_continues_typing_in_the_prompt(
    nvim: Neovim, chats: Chats, project: Path, keys: str
) -> None:
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(project / "a.txt", "two\n")

    await nvim.keys(keys)

    await diffs.decision(id_)
    await until(chats.is_typing, "the user is in the prompt, in Insert mode")
    await nvim.keys("dont worry")
    await until(lambda: nvim.eval("getline(1) == 'dont worry'"))


async def test_after_two_diffs_the_user_continues_typing_in_the_prompt(
    nvim: Neovim, chats: Chats, project: Path
) -> None:
    diffs = await Diffs.start(nvim)
    first = await diffs.open(project / "a.txt", "two\n")
    second = await diffs.open(project / "b.txt", "new\n")

    await nvim.keys(":q<CR>")
    await diffs.decision(second)
    await until(lambda: nvim.eval("bufname() =~ 'a.txt'"))
    await nvim.keys(":q<CR>")

    await diffs.decision(first)
    await until(chats.is_typing, "the user is in the prompt, in Insert mode")


async def test_after_a_plan_the_user_continues_typing_in_the_prompt(
    nvim: Neovim, chats: Chats
) -> None:
    await ask(nvim, "one")
    await until(lambda: nvim.eval("bufname() =~# '^Claude plan' && &modifiable"))

    await nvim.keys(":w<CR>")

    await until(chats.is_typing, "the user is in the prompt, in Insert mode")


@pytest.mark.parametrize("keys", ["<Esc>", "<Esc>i<Esc>", "not empty<Esc>"])
async def test_a_diff_returns_the_user_to_normal_mode_in_the_prompt(
    nvim: Neovim, chats: Chats, project: Path, keys: str
) -> None:
    await nvim.keys(keys)
    await until(lambda: nvim.eval("mode() == 'n'"))
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(project / "a.txt", "two\n")

    await nvim.keys(":w<CR>")

    await diffs.closed(id_)
    await until(lambda: nvim.eval("&filetype == 'claude-prompt'"))
    assert (await nvim.mode())["mode"] == "n"


async def test_closing_a_diff_does_not_move_a_user_in_another_window(
    nvim: Neovim, chats: Chats, project: Path
) -> None:
    diffs = await Diffs.start(nvim)
    id_ = await diffs.open(project / "a.txt", "two\n")
    await nvim.command("tabfirst | 1wincmd w")

    await diffs.close(id_)

    await diffs.closed(id_)
    assert await nvim.eval("[bufname(), mode()]") == ["a.txt", "n"]
