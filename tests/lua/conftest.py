"""Fixtures of the tests that drive one Lua module in a real Neovim."""

from pathlib import Path

import pytest

from support import opening, refining, selections
from support.answers import listen
from support.chats import Chats
from support.diffs import Diffs
from support.either_editor import Editor
from support.neovim import Neovim, until
from support.pushed_rules import push


@pytest.fixture
def path(request: pytest.FixtureRequest, project: Path) -> Path:
    """The file `FILE` of the test's module, or `a.txt`; with the text `OLD` if there is one."""
    file: Path = project / getattr(request.module, "FILE", "a.txt")
    if (old := getattr(request.module, "OLD", None)) is not None:
        file.write_text(old)
    return file


@pytest.fixture
def numbered_files(project: Path) -> None:
    """`a.txt`, `b.txt` and `c.txt` in the project, of a hundred numbered lines each."""
    for name in ("a.txt", "b.txt", "c.txt"):
        (project / name).write_text("".join(f"line {number}\n" for number in range(1, 101)))


@pytest.fixture
async def nvim(request: pytest.FixtureRequest, nvim: Editor) -> Editor:
    """An editor that knows which files are private, although it may have no host.

    With `IS_BARE` in the test's module, nothing of the plugin is loaded yet.
    """
    if not getattr(request.module, "IS_BARE", False):
        await push(nvim)
    return nvim


@pytest.fixture
async def diffs(nvim: Neovim) -> Diffs:
    """The diffs of a Neovim whose host is this test."""
    return await Diffs.start(nvim)


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    """The chats of a Neovim whose host is this test."""
    return await Chats.start(nvim)


@pytest.fixture
async def open_chat(chats: Chats) -> None:
    """A chat is on screen, with the user in its prompt."""
    await chats.open()


@pytest.fixture
async def form(nvim: Neovim) -> Neovim:
    await listen(nvim)
    return nvim


@pytest.fixture
async def plans(nvim: Neovim, project: Path) -> Neovim:
    (project / "a.txt").write_text("one\ntwo\nthree\n")
    (project / "b.txt").write_text("")
    (project / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 101)))
    await listen(nvim)
    return nvim


@pytest.fixture
async def typing(nvim: Neovim) -> Neovim:
    """A Neovim with some text and mappings."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'foo far', 'foo', 'foo' })")
    await nvim.command("set notimeout nomodified | nnoremap ,x <Nop>")
    await nvim.command("nnoremap <expr> Q getchar() > 0 ? '' : ''")
    return nvim


@pytest.fixture
async def editor(nvim: Neovim, project: Path) -> Neovim:
    """A Neovim that shows `a.txt` and reports its selection to this test."""
    (project / "a.txt").write_text(selections.TEXT, encoding="utf-8")
    await nvim.command("edit a.txt")
    await nvim.lua(
        "require('claude_ide.channel').id = ... require('claude_ide.selection').start()",
        await nvim.channel(),
    )
    return nvim


@pytest.fixture
async def terminal(nvim: Neovim, project: Path) -> int:
    """The window id of a terminal to the right of `left.txt`, in Terminal mode."""
    await nvim.command(f"edit {opening.write(project / 'left.txt')}")
    await nvim.command("botright vsplit | terminal cat")
    await nvim.keys("i")
    await until(lambda: nvim.lua("return vim.fn.mode() == 't'"))
    return int(await nvim.eval("win_getid()"))


@pytest.fixture
async def rewritable(nvim: Neovim) -> Neovim:
    """A Neovim with four lines in a buffer; its host is this test."""
    await nvim.lua("require('claude_ide.channel').id = ...", await nvim.channel())
    await nvim.request("nvim_buf_set_lines", 0, 0, -1, True, refining.LINES)
    return nvim


@pytest.fixture
async def proposed(rewritable: Neovim) -> Neovim:
    """The same, with the diff of a rewrite of the second and the third line."""
    await refining.propose(rewritable, "2,3ClaudeEdit shout", refining.PROPOSED)
    return rewritable
