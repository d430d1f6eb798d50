"""`:ClaudeFix`: diagnostics as a prompt, to the chat of the tab page or to a CLI in a terminal."""

from pathlib import Path

import pytest

from support.chats import Chats
from support.diffs import Diffs
from support.neovim import Neovim, until

FILE = "a.py"
OLD = "one\ntwo\nthree\n"

SET = """
vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, {
  { lnum = 2, col = 0, severity = 2, message = 'third', source = 'ruff', code = 'F821' },
  { lnum = 0, col = 0, end_lnum = 1, end_col = 1, severity = 1, message = 'first\\nof two' },
})
"""
FIRST = "- line 1, error: first of two"
THIRD = "- line 3, warning: third (ruff F821)"


@pytest.fixture
async def host(nvim: Neovim, diffs: Diffs, path: Path) -> Neovim:
    """A Neovim that shows a file with two diagnostics; its host is this test."""
    await nvim.command(f"edit {path}")
    await nvim.lua(SET)
    return nvim


async def said(nvim: Neovim) -> str:
    """What was sent to the terminal."""
    (event,) = await until(lambda: nvim.events("commented"))
    words: str = event["words"]
    return words


async def test_without_a_range_all_are_sent(host: Neovim) -> None:
    await host.command("ClaudeFix")

    assert await said(host) == f"a.py:\nFix these:\n{FIRST}\n{THIRD}"


@pytest.mark.parametrize(
    ("lines", "prompt"),
    [
        ("3", f"a.py, line 3:\n> three\nFix this:\n{THIRD}"),
        ("2", f"a.py, line 2:\n> two\nFix this:\n{FIRST}"),
        ("1,3", f"a.py, lines 1-3:\n> one\n> two\n> three\nFix these:\n{FIRST}\n{THIRD}"),
    ],
)
async def test_a_range_is_quoted(host: Neovim, lines: str, prompt: str) -> None:
    await host.command(f"{lines}ClaudeFix")

    assert await said(host) == prompt


async def test_the_visual_map_means_the_selected_lines(host: Neovim) -> None:
    await host.command("xmap Q <Plug>(claude-fix)")
    await host.keys("GVQ")

    assert await said(host) == f"a.py, line 3:\n> three\nFix this:\n{THIRD}"


async def test_the_chat_of_the_tab_page_gets_the_prompt(host: Neovim, chats: Chats) -> None:
    await chats.open()
    await host.keys("<Esc><C-w>h")
    await until(lambda: host.eval("bufname() =~ 'a.py'"))

    await host.keys(":3ClaudeFix<CR>")

    event = await chats.wait_for_event("send")
    assert event["text"] == f"a.py, line 3:\n> three\nFix this:\n{THIRD}"
    assert not host.events("commented")


@pytest.mark.parametrize(
    ("setup", "lines", "line"),
    [
        ("lua vim.diagnostic.reset()", "", "nothing to fix: this buffer has no diagnostics"),
        ("lua vim.diagnostic.reset()", "2", "nothing to fix: these lines have no diagnostics"),
        ("new", "", "this buffer has no file"),
        ("call writefile(['X=1'], '.env') | edit .env", "", "stays"),
    ],
    ids=["none", "none in the range", "no file", "private"],
)
async def test_one_line_says_why_nothing_is_sent(
    host: Neovim, setup: str, lines: str, line: str
) -> None:
    await host.command(setup)
    await host.lua(SET if "edit" in setup else "")

    await host.keys(f":{lines}ClaudeFix<CR>")

    await until(lambda: line in host.screen.text(), line)
    assert not host.events("commented")
