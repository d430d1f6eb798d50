"""`selection/init.lua`: what stays here: in a private file."""

from pathlib import Path

import pytest

from support.neovim import Neovim, until
from support.pushed_rules import push
from support.selections import latest, pause, selection_events, wait_for_text

NOTHING = {"filePath": ""}


@pytest.fixture
async def secret(editor: Neovim, project: Path) -> Path:
    """A private file, and a selection in another one that was reported."""
    path = project / ".env"
    path.write_text("KEY=1\nOTHER=2\n")
    await editor.lua("require('claude_ide.privacy').watch(true)")
    await editor.lua("require('claude_ide.selection').start()")
    await editor.keys("v")
    await wait_for_text(editor, "o")
    return path


async def is_cleared(nvim: Neovim) -> None:
    await until(lambda: selection_events(nvim)[-1:] == [NOTHING], "the selection is cleared")


def said(nvim: Neovim) -> str:
    """Everything that was reported about selections."""
    return str(selection_events(nvim))


async def test_leaving_a_private_file_for_a_terminal_reports_nothing(
    editor: Neovim, secret: Path
) -> None:
    await editor.keys("<Esc>:edit .env<CR>Vj")
    await is_cleared(editor)

    await editor.lua("require('claude_ide.selection').hold({ 1, 2 })")
    await editor.command("terminal cat")
    await pause(editor)

    assert "KEY" not in said(editor)
    assert await latest(editor) is None


async def test_a_buffer_that_gets_a_private_name_is_private(editor: Neovim, secret: Path) -> None:
    await editor.keys("<Esc>")
    await editor.command("file server.key")

    await is_cleared(editor)


async def test_new_rules_clear_the_selection(editor: Neovim, secret: Path) -> None:
    await push(editor, {"deny": ["a.txt"]})
    await is_cleared(editor)

    await push(editor)
    await wait_for_text(editor, "o")


async def test_new_rules_clear_the_selection_behind_a_terminal(
    editor: Neovim, secret: Path
) -> None:
    await editor.keys("<Esc>:terminal cat<CR>")

    await push(editor, {"deny": ["a.txt"]})

    await is_cleared(editor)
    assert await latest(editor) is None
