"""Prompts by their names: `:ClaudePrompt /name` and `:ClaudeAsk /name`."""

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


async def said(nvim: Neovim) -> str:
    """What was sent to the terminal."""
    (event,) = await until(lambda: nvim.events("commented"))
    words: str = event["words"]
    return words


async def asked(nvim: Neovim) -> str:
    """The question that the host got."""
    (event,) = await until(lambda: nvim.events("question_asked"))
    words: str = event["prompt"]
    return words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("2ClaudePrompt /explain", "Explain this:\na.py, line 2:\n> two"),
        ("ClaudePrompt /explain", "Explain this:\n@a.py"),
        ("ClaudePrompt /why", "Why {this}, @a.py?\n- line 2, error: wrong"),
        ("3ClaudePrompt /why", "Why {this}, @a.py?\nno diagnostics"),
    ],
)
async def test_a_named_prompt_is_sent_with_its_placeholders_filled(
    host: Neovim, command: str, words: str
) -> None:
    await host.command(command)

    assert await said(host) == words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("2,3ClaudeAsk /explain", "Explain this:\na.py, lines 2-3"),
        ("ClaudeAsk /explain", "Explain this:\n@a.py"),
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
    await host.command("ClaudePrompt /")

    assert await said(host) == "Hello"


async def test_a_private_file_is_not_named(host: Neovim) -> None:
    await host.command("edit .env | ClaudePrompt /explain | ClaudePrompt /hello")

    assert await said(host) == "Hello"


async def test_an_unknown_name_is_reported(host: Neovim) -> None:
    await host.command("ClaudePrompt /tests")

    assert 'there is no prompt "/tests"' in await host.eval("execute('messages')")
    assert host.events("commented") == []


@pytest.mark.parametrize("command", ["ClaudePrompt", "2ClaudeAsk"])
async def test_names_are_completed(host: Neovim, command: str) -> None:
    async def completed(line: str) -> object:
        return await host.lua("return vim.fn.getcompletion(..., 'cmdline')", line)

    assert await completed(f"{command} /") == ["/explain", "/hello", "/why"]
    assert await completed(f"{command} /h") == ["/hello"]
    assert await completed("ClaudeAsk what /h") == []
