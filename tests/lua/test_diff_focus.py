"""`diff.focus = false`: a diff opens, and the user stays where they are."""

from pathlib import Path

import pytest

from support.diffs import Diffs
from support.layouts import prepare
from support.neovim import Neovim, until
from support.permissions import NOTICED

pytestmark = pytest.mark.usefixtures("numbered_files", "unfocused")

NEW = "".join(f"LINE {number}\n" for number in range(1, 101))
WHERE = "[win_getid(), tabpagenr(), mode(), line('.'), col('.')]"
LAYOUTS = ["tab", "vertical", "horizontal", "inline"]


@pytest.fixture
async def unfocused(nvim: Neovim) -> None:
    await nvim.command("let g:claude_ide = #{diff: #{focus: v:false}}")
    await nvim.command("set columns=180 lines=40")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("keys", ["10G4l", "10Go", "10GA"])
async def test_the_user_keeps_window_cursor_and_mode(
    nvim: Neovim, diffs: Diffs, project: Path, layout: str, keys: str
) -> None:
    await prepare(nvim, ["edit a.txt", "split b.txt"])
    await nvim.keys(keys)
    before = await nvim.eval(WHERE)

    id_ = await diffs.open(project / "a.txt", NEW, layout)

    assert await nvim.eval(WHERE) == before
    assert await nvim.eval("tabpagenr('$')") == (2 if layout == "tab" else 1)
    await nvim.idle(NOTICED)
    await nvim.keys("<Esc>:ClaudeAccept<CR>")
    decision = await diffs.decision(id_)
    assert decision["text"] == NEW
    await diffs.closed(id_)
    assert await nvim.eval("[win_getid(), tabpagenr('$'), winnr('$')]") == [before[0], 1, 2]


async def test_every_key_that_is_typed_meanwhile_arrives(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await nvim.command("edit b.txt")
    await nvim.keys("ione ")

    id_ = await diffs.ask(project / "a.txt", NEW)
    await nvim.keys("two ")
    await diffs.ready(id_)
    await nvim.keys("three ")

    assert await nvim.eval("getline(1)") == "one two three line 1"


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_a_terminal_stays_in_its_mode(
    nvim: Neovim, diffs: Diffs, project: Path, layout: str
) -> None:
    await nvim.command("edit a.txt | vsplit | terminal cat")
    await nvim.keys("i")
    await until(lambda: nvim.eval("mode() == 't'"))

    id_ = await diffs.open(project / "a.txt", NEW, layout)

    await nvim.keys("meow")
    await until(lambda: "meow" in nvim.screen.text(), "the terminal receives keys")
    assert await nvim.eval("mode()") == "t"
    await nvim.lua("require('claude_ide.diff').decide(false)")
    await diffs.closed(id_)
    await nvim.keys("purr")
    await until(lambda: "purr" in nvim.screen.text(), "the terminal still receives keys")


async def test_an_inline_diff_leaves_the_window_of_the_user_alone(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await nvim.command("edit a.txt")

    await diffs.open(project / "a.txt", NEW, "inline")

    assert await nvim.eval("[expand('%:t'), tabpagenr(), tabpagenr('$')]") == ["a.txt", 1, 2]


async def test_the_tabpage_behind_is_one_to_work_in(
    nvim: Neovim, diffs: Diffs, project: Path
) -> None:
    await nvim.command("edit b.txt")
    id_ = await diffs.open(project / "a.txt", NEW)

    await nvim.keys("gt")
    await until(lambda: nvim.eval("tabpagenr() == 2"))
    assert await nvim.eval("map(range(1, winnr('$')), 'getwinvar(v:val, \"&diff\")')") == [1, 1]
    await nvim.keys("<C-w>l:w<CR>")

    assert (await diffs.decision(id_))["accepted"]
    await diffs.closed(id_)
    assert await nvim.eval("[expand('%:t'), tabpagenr('$')]") == ["b.txt", 1]
