"""In VS Code (`g:vscode`, set by vscode-neovim) the plugin stays out of the way."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.neovim import ROOT, Neovim

OPTIONS = "{'auto_start': v:true, 'keys': v:true}"


@pytest.fixture
async def vscode(project: Path, tmp_path: Path) -> AsyncIterator[Neovim]:
    """A Neovim inside VS Code, with options that would have an effect elsewhere."""
    inside = ["--cmd", "let g:vscode = 1", "--cmd", f"let g:claude_ide = {OPTIONS}"]
    nvim = await Neovim.start(*inside, cwd=project, home=tmp_path / "home")
    yield nvim
    await nvim.stop()


async def test_nothing_is_defined(vscode: Neovim) -> None:
    await vscode.lua("require('claude_ide').setup({ auto_start = true, keys = true })")

    assert await vscode.eval("getcompletion('Claude', 'command')") == []
    assert await vscode.eval("getcompletion('claude_ide', 'augroup')") == []
    assert "claude" not in (await vscode.eval("execute('map')")).lower()
    assert await vscode.lua("return require('claude_ide').statusline()") == ""


async def test_nothing_is_said_and_nothing_is_started(vscode: Neovim) -> None:
    await vscode.lua("require('claude_ide').setup({ auto_start = true })")

    assert await vscode.eval("execute('messages')") == ""
    assert await vscode.lua("return package.loaded['claude_ide.host'] == nil")


async def test_a_question_is_answered_with_an_error(vscode: Neovim) -> None:
    code = "local said; require('claude_ide').ask('x', {}, function(e) said = e end) return said"

    assert await vscode.lua(code) == "claude-ide is off in VS Code"


async def test_lazy_nvim_defines_no_commands(vscode: Neovim, nvim: Neovim) -> None:
    condition = f"return dofile('{ROOT}/lazy.lua').cond"

    assert await vscode.lua(condition) is False
    assert await nvim.lua(condition) is True
