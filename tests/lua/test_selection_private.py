"""`selection/init.lua`: what stays here: in a private file, or unshared."""

from pathlib import Path
from typing import Any

import pytest

from support.neovim import Neovim, until
from support.pushed_rules import push
from support.selections import latest, pause, selection_events, wait_for_cursor, wait_for_text

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


async def current(nvim: Neovim) -> Any:
    return await nvim.lua("return require('claude_ide.selection').current()")


async def test_entering_a_private_file_clears_the_selection(editor: Neovim, secret: Path) -> None:
    await editor.command("edit .env")
    await is_cleared(editor)

    count = len(selection_events(editor))
    await editor.keys("ggVjyjx")
    await pause(editor)

    assert len(selection_events(editor)) == count
    assert ".env" not in said(editor)
    assert "KEY" not in said(editor)
    assert await latest(editor) is None
    assert await current(editor) is None


async def test_the_next_file_is_reported_again(editor: Neovim, secret: Path, project: Path) -> None:
    await editor.command("edit .env")
    await is_cleared(editor)

    await editor.command("edit a.txt | 2")

    await wait_for_cursor(editor, 1, 0)
    assert selection_events(editor)[-1]["filePath"] == str(project / "a.txt")


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


# `:ClaudeShare`.


async def test_nothing_is_reported_until_the_selection_is_shared_again(
    editor: Neovim, secret: Path
) -> None:
    await editor.keys("<Esc>")
    await wait_for_cursor(editor, 0, 0)

    await editor.command("ClaudeShare off")
    await is_cleared(editor)
    await editor.keys("jVj")
    await pause(editor)
    assert selection_events(editor)[-1] == NOTHING
    assert await latest(editor) is None
    assert await current(editor) is None

    await editor.command("ClaudeShare on")
    await until(lambda: selection_events(editor)[-1] != NOTHING, "it is shared again")
    assert await editor.eval("mode()") == "V"
    assert selection_events(editor)[-1]["text"] == "two 😀 two\n\tthree"


async def test_sharing_can_be_toggled_with_a_key(editor: Neovim, secret: Path) -> None:
    await editor.lua(
        "_G.shared = {}; vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeShared',"
        " callback = function(event) table.insert(_G.shared, event.data.shared) end })"
    )
    await editor.command("nmap gs <Plug>(claude-share)")
    await editor.keys("<Esc>gs")
    await is_cleared(editor)

    await editor.keys("gs")

    await wait_for_cursor(editor, 0, 0)
    assert await editor.lua("return _G.shared") == [False, True]


async def test_an_unknown_word_changes_nothing(editor: Neovim, secret: Path) -> None:
    await editor.command("ClaudeShare of")

    await until(lambda: "not off, on or toggle: of" in editor.screen.text(), "the reason")
    assert await editor.lua("return require('claude_ide.selection').is_shared()")


async def test_the_words_are_completed(nvim: Neovim) -> None:
    assert await nvim.eval("getcompletion('ClaudeShare o', 'cmdline')") == ["off", "on"]
