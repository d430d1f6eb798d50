"""`window/label.lua`: a restored session of Neovim shows no empty panel."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

LAZY = "let g:loaded_claude_ide = 1"
"""The plugin is not loaded yet when the session is sourced."""


@pytest.fixture
async def session(nvim: Neovim, project: Path) -> Path:
    """The session file of a Neovim that shows a panel next to a file."""
    (project / "a.txt").write_text("one\n")
    await nvim.command("set noswapfile | edit a.txt")
    await (await Chats.start(nvim)).open()
    file = project / "Session.vim"
    await nvim.command(f"stopinsert | mksession {file}")
    return file


async def test_a_restored_session_has_no_empty_panel(
    nvim: Neovim, session: Path, project: Path, tmp_path: Path
) -> None:
    other = await Neovim.start("-n", cwd=project, home=tmp_path / "home")
    try:
        await other.command(f"silent source {session}")

        await until(lambda: other.eval("winnr('$') == 1"), "the file is alone")

        assert await other.eval("expand('%:t')") == "a.txt"
        assert await other.eval("bufname('claude-')") == ""
    finally:
        await other.stop()


async def test_a_chat_opens_despite_the_leftover_buffers_of_a_session(
    nvim: Neovim, session: Path, project: Path, tmp_path: Path
) -> None:
    other = await Neovim.start("-n", "--cmd", LAZY, cwd=project, home=tmp_path / "home")
    try:
        await other.command(f"silent source {session}")
        names = [f"claude-{kind}://{number}" for kind in ("chat", "prompt") for number in range(20)]
        for name in names:
            await other.command(f"badd {name}")

        await (await Chats.start(other)).open()

        assert await other.eval("winnr('$')") == 3
    finally:
        await other.stop()


async def test_clearing_leftovers_keeps_a_panel_in_use(nvim: Neovim, session: Path) -> None:
    await nvim.lua("require('claude_ide.window.label').clear_leftovers()")

    assert await nvim.eval("winnr('$')") == 3


@pytest.mark.parametrize("name", ["Claude", "Claude 2", "Claude (a.py)", "Otter: log", "Kept (b)"])
async def test_every_kind_of_leftover_is_removed(nvim: Neovim, name: str) -> None:
    await nvim.command(f"edit {name.replace(' ', chr(92) + ' ')}")

    await nvim.lua("require('claude_ide.window.label').clear_leftovers()")

    assert await nvim.eval(f"bufexists('{name}')") == 0


@pytest.mark.parametrize("name", ["Claude", "Claude chat", "Claude notes", "Claude (a.py)"])
@pytest.mark.parametrize("state", ["on disk", "typed"])
async def test_a_file_of_the_user_with_such_a_name_stays(
    nvim: Neovim, project: Path, name: str, state: str
) -> None:
    if state == "on disk":
        (project / name).write_text("")
    await nvim.command(f"edit {name.replace(' ', chr(92) + ' ')}")
    if state == "typed":
        await nvim.command("call setline(1, 'mine')")

    await nvim.lua("require('claude_ide.window.label').clear_leftovers()")

    assert await nvim.eval("bufname()") == name
