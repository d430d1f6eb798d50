"""`:ClaudeFix`: diagnostics as a prompt, to the chat or to a CLI in a terminal."""

from pathlib import Path

import pytest

from support.box_cli import BoxCli
from support.either_editor import BOTH, Editor, edit, on_screen
from support.neovim import until
from support.vim import Vim

pytestmark = BOTH

SET = """
vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, {
  { lnum = 2, col = 0, severity = 2, message = 'third', source = 'quickfix' },
  { lnum = 0, col = 0, end_lnum = 1, end_col = 1, severity = 1,
    message = 'first\\nof {two}', source = 'quickfix' },
})
"""
FIRST = "- line 1, error: first of {two} (quickfix)"
THIRD = "- line 3, warning: third (quickfix)"


async def diagnose(nvim: Editor) -> None:
    """Have the current buffer two diagnostics, in Neovim the first one over two lines."""
    if isinstance(nvim, Vim):
        items = [
            {"lnum": 1, "end_lnum": 2, "end_col": 1, "type": "E", "text": "first of {two}"},
            {"lnum": 3, "type": "W", "text": "third"},
        ]
        bufnr = await nvim.eval("bufnr()")
        await nvim.call("setqflist", [each | {"bufnr": bufnr} for each in items])
    else:
        await nvim.lua(SET)


@pytest.fixture
async def claude(nvim: Editor, tmp_path: Path, path: Path) -> BoxCli:
    """A CLI beside a file of three lines with two diagnostics."""
    path.write_text("one\ntwo\nthree\n")
    await nvim.command("edit!")
    cli = BoxCli(nvim, tmp_path)
    await cli.install()
    await cli.open()
    await diagnose(nvim)
    return cli


@pytest.mark.parametrize(
    ("lines", "prompt", "count"),
    [
        ("", f"@a.py\nFix these:\n{FIRST}\n{THIRD}", "2 diagnostics"),
        ("3", f"a.py, line 3:\n> three\nFix this:\n{THIRD}", "1 diagnostic"),
        ("2", f"a.py, line 2:\n> two\nFix this:\n{FIRST}", "1 diagnostic"),
        ("%", f"a.py, lines 1-3:\n> one\n> two\n> three\nFix these:\n{FIRST}\n{THIRD}", "2 "),
    ],
)
async def test_the_diagnostics_are_sent_with_the_lines_of_a_range(
    nvim: Editor, claude: BoxCli, lines: str, prompt: str, count: str
) -> None:
    await nvim.keys(f":{lines}ClaudeFix<CR>")

    # A popup of Vim goes by itself.
    await on_screen(nvim, f"Claude is to fix {count}")
    assert await claude.sent() == [prompt]


async def test_the_visual_map_means_the_selected_lines(nvim: Editor, claude: BoxCli) -> None:
    await nvim.command("xmap Q <Plug>(claude-fix)")
    await nvim.keys("GVQ")

    assert await claude.sent() == [f"a.py, line 3:\n> three\nFix this:\n{THIRD}"]


async def test_the_path_begins_no_command(nvim: Editor, claude: BoxCli, project: Path) -> None:
    path = project / "!touch made;" / "a.py"
    path.parent.mkdir()
    path.write_text("one\n")
    await edit(nvim, path)
    await diagnose(nvim)

    await nvim.keys(":1ClaudeFix<CR>")

    assert await claude.sent() == [f"./!touch made;/a.py, line 1:\n> one\nFix this:\n{FIRST}"]


@pytest.mark.parametrize(
    ("setup", "lines", "line"),
    [
        ("none", "", "nothing to fix: this buffer has no diagnostics"),
        ("none", "2", "nothing to fix: these lines have no diagnostics"),
        ("new", "", "this buffer has no file"),
        ("edit .env", "", ".env stays in"),
        ("edit .env", "1", ".env stays in"),
    ],
)
async def test_one_line_says_why_nothing_is_sent(
    nvim: Editor, claude: BoxCli, project: Path, setup: str, lines: str, line: str
) -> None:
    (project / ".env").write_text("KEY=1\n2\n3\n")
    if setup == "none":
        vim = isinstance(nvim, Vim)
        await nvim.command("call setqflist([])" if vim else "lua vim.diagnostic.reset()")
    else:
        await nvim.command(setup)
    if setup == "edit .env":
        await diagnose(nvim)

    await nvim.keys(f":{lines}ClaudeFix<CR>")

    await on_screen(nvim, line)
    await until(lambda: nvim.eval("mode() ==# 'n'"))
    assert claude.all_sent() == []
