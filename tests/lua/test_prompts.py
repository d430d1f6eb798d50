"""Prompts by their names: `:ClaudeAsk /name`. `test_sending.py` has `:ClaudePrompt /name`."""

from pathlib import Path

import pytest

from support.diffs import Diffs
from support.neovim import Neovim, until

FILE = "a.py"
OLD = "one\ntwo\nthree\n"

SET = """
vim.g.claude_ide = { prompts = {
  why = 'Why {this}, {file}?\\n{diagnostics}',
  hello = 'Hello',
  tests = false,
} }
vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), 0, {
  { lnum = 1, col = 0, severity = 1, message = 'wrong' },
})
"""


@pytest.fixture
async def host(nvim: Neovim, diffs: Diffs, path: Path) -> Neovim:
    """A Neovim that shows a file with a diagnostic; its host is this test."""
    await nvim.command(f"edit {path}")
    await nvim.lua(SET)
    return nvim


async def asked(nvim: Neovim) -> str:
    """The question that the host got."""
    (event,) = await until(lambda: nvim.events("question_asked"))
    words: str = event["prompt"]
    return words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("2,3ClaudeAsk /explain", "Explain this:\n{selection}"),
        ("ClaudeAsk /explain", "Explain this:\n{selection}"),
        ("ClaudeAsk /tests", "/tests"),
        ("ClaudeAsk /explain it", "/explain it"),
    ],
)
async def test_a_question_may_be_the_name_of_a_prompt(
    host: Neovim, command: str, words: str
) -> None:
    await host.command(command)

    assert await asked(host) == words


async def test_without_a_name_the_user_chooses(host: Neovim) -> None:
    await host.lua("vim.ui.select = function(items, _, chosen) chosen(items[2], 2) end")
    await host.command("ClaudeAsk /")

    assert await asked(host) == "Hello"


async def test_an_unknown_name_is_reported(host: Neovim) -> None:
    await host.command("ClaudePrompt /tests")

    assert 'there is no prompt "/tests"' in await host.eval("execute('messages')")


@pytest.mark.parametrize("command", ["ClaudePrompt", "2ClaudeAsk"])
async def test_names_are_completed(host: Neovim, command: str) -> None:
    async def completed(line: str) -> object:
        return await host.lua("return vim.fn.getcompletion(..., 'cmdline')", line)

    assert await completed(f"{command} /") == ["/explain", "/hello", "/why"]
    assert await completed(f"{command} /h") == ["/hello"]
    assert await completed("ClaudeAsk what /h") == []
