"""Placeholders that need more than a buffer: syntax trees, git, a shell; and the chat."""

import subprocess
from pathlib import Path

import pytest

from support.box_cli import BoxCli
from support.either_editor import BOTH, Editor, on_screen, open_terminal
from support.neovim import Neovim, until
from support.panel import Open

LUA = """\
local M = {}

function M.outer()
  local x = 1
  return x
end

return M
"""


@pytest.fixture
async def claude(nvim: Editor, tmp_path: Path, path: Path) -> BoxCli:
    """A CLI that runs, beside a file of three lines."""
    cli = BoxCli(nvim, tmp_path)
    await cli.install()
    await cli.open()
    return cli


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True)


async def test_the_function_around_the_cursor_is_quoted(
    nvim: Neovim, claude: BoxCli, project: Path
) -> None:
    (project / "m.lua").write_text(LUA)
    await nvim.command("edit m.lua | 4")
    await nvim.keys(":ClaudeType {function}<CR>")
    assert await claude.pasted() == [
        "m.lua, lines 3-6:\n> function M.outer()\n>   local x = 1\n>   return x\n> end"
    ]

    await nvim.keys("gg:ClaudeType {function}<CR>")
    await on_screen(nvim, "{function}: the cursor is in no function")
    await nvim.keys(":ClaudeType {class}<CR>")
    await on_screen(nvim, "{class}: the cursor is in no class")
    await nvim.keys(":edit a.txt<CR>:ClaudeType {function}<CR>")
    await on_screen(nvim, "{function}: there is no tree-sitter parser")


@BOTH
async def test_the_changes_are_told_without_private_files(
    nvim: Editor, claude: BoxCli, project: Path
) -> None:
    git(project, "init", "-q")
    (project / ".env").write_text("KEY=1\n")
    await nvim.keys(":ClaudeType {diff}<CR>")
    await on_screen(nvim, "{diff}: nothing has changed")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "One")
    (project / ".env").write_text("KEY=2\n")
    await nvim.keys(":ClaudeType {diff}<CR>")
    await on_screen(nvim, "{diff}: only files that stay in")

    (project / "a.py").write_text("one\nTWO\nthree\n")
    await nvim.keys(":ClaudeType {diff}<CR>")
    (text,) = await claude.pasted()
    assert text.startswith("the changes since the last commit:\n```diff\ndiff --git")
    assert "\n-two\n+TWO\n" in text
    assert "KEY" not in text


async def test_the_last_command_of_a_terminal_is_told(
    nvim: Neovim, claude: BoxCli, project: Path
) -> None:
    shell = project / "shell"
    shell.write_text(
        "#!/bin/sh\n"
        "printf 'old\\n\\033]133;A\\007$ first\\nout one\\n\\033]133;A\\007$ second\\n'\n"
        "printf 'out two\\n\\033]133;A\\007$ '; read -r line\n"
    )
    shell.chmod(0o755)
    await open_terminal(nvim, "new", str(shell))
    await on_screen(nvim, "out two")
    await nvim.command("wincmd p")
    await nvim.keys(":ClaudeType {terminal}<CR>")

    (text,) = await claude.pasted()
    assert text.partition("\n")[2] == "> $ second\n> out two"


@BOTH
async def test_a_terminal_that_shows_a_private_file_is_refused(
    nvim: Editor, claude: BoxCli, project: Path
) -> None:
    (project / ".env").write_text("KEY=1\n")
    script = project / "say"
    script.write_text("#!/bin/sh\necho 'cat .env'; echo KEY=1; exec cat\n")
    script.chmod(0o755)
    await open_terminal(nvim, "new", str(script))
    await on_screen(nvim, "KEY=1")
    await nvim.command("wincmd p")
    await nvim.keys(":ClaudeType {terminal}<CR>")

    await on_screen(nvim, "{terminal}: .env stays in")
    assert claude.all_pasted() == []


async def test_a_text_enters_the_prompt_of_the_chat(nvim: Neovim, replay: Open, path: Path) -> None:
    panel = await replay("plain_thinking")
    await nvim.keys("<Esc><C-w>h")
    await until(lambda: nvim.eval("&filetype !=# 'claude-prompt'"), "in the file")

    await nvim.keys(":2ClaudeType why {this}<CR>")
    lines = (
        "return vim.iter(vim.api.nvim_list_bufs()):map(function(b) "
        "return vim.bo[b].filetype == 'claude-prompt' and "
        "table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), '\\n') or nil end):totable()"
    )
    await until(lambda: _is(nvim, lines, ["why a.py, line 2:\n> two\n"]), "the text in the prompt")
    assert await nvim.eval("&filetype !=# 'claude-prompt'")

    await nvim.keys(":ClaudeType! hello there<CR>")
    await panel.shows("» hello there")
    assert await nvim.lua(lines) == ["why a.py, line 2:\n> two\n"]


async def _is(nvim: Neovim, code: str, expected: object) -> bool:
    return bool(await nvim.lua(code) == expected)
