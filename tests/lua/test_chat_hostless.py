"""A panel without a host."""

import sys
from pathlib import Path
from typing import Any

import pytest

from claude_ide.config import decode
from support.neovim import Neovim, until
from support.transcripts import FAKE_CLI, GOLDEN

BEGIN = """
vim.g.claude_ide = { chat = ... }
require('claude_ide.chat.panel').begin({})
return require('claude_ide.chat.state').list()[1].options
"""


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"side": "below", "size": 12},
        {"side": "float"},
        {"side": "nowhere", "size": -1},
        {"side": 1, "size": "wide"},
        7,
    ],
)
async def test_a_panel_opens_as_the_host_would_open_it(nvim: Neovim, options: Any) -> None:
    opened = await nvim.lua(BEGIN, options)

    wanted = decode({"chat": options})[0].chat
    assert (opened["side"], opened["size"]) == (wanted.side, wanted.size)


async def test_no_panel_opens_when_no_host_can_start(nvim: Neovim) -> None:
    await nvim.command("let g:claude_ide = {'python': '/nowhere/python'}")

    await nvim.keys(":ClaudeChat<CR>")
    await until(lambda: "/nowhere/python" in nvim.screen.text(), "the reason for the missing host")

    assert await nvim.eval("winnr('$')") == 1
    assert (await nvim.mode())["mode"] == "n"
    assert await nvim.lua("return require('claude_ide.chat.state').list()") == []


async def test_a_host_that_cannot_run_leaves_no_panel(nvim: Neovim, tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho no pynvim here >&2\nexit 1\n")
    program.chmod(0o755)
    await nvim.command(f"let g:claude_ide = {{'python': '{program}'}}")

    await nvim.keys(":ClaudeChat<CR>")

    await until(lambda: "no pynvim here" in nvim.screen.text(), "the reason for the missing host")
    await until(lambda: nvim.eval("winnr('$') == 1"), "the panel is closed")
    assert (await nvim.mode()) == {"mode": "n", "blocking": False}


@pytest.mark.parametrize("command", ["ClaudeChat", "ClaudeStatus", "ClaudeStart", "Claude"])
async def test_a_command_for_a_host_that_has_just_died_causes_no_prompt(
    nvim: Neovim, command: str
) -> None:
    """Its channel closes some time before Neovim reports its exit."""
    await nvim.lua("require('claude_ide.channel').id = 9999")

    await nvim.keys(f":{command}<CR>")

    await until(lambda: nvim.eval("histget(':') != ''"), "the command has run")
    assert (await nvim.mode())["blocking"] is False
    assert await nvim.eval("v:errmsg") == ""


@pytest.fixture
async def broken(nvim: Neovim, tmp_path: Path) -> Path:
    """A Python that exits with an error, until a test replaces it."""
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nsleep 0.5\necho SyntaxError: in your file >&2\nexit 1\n")
    program.chmod(0o755)
    cmd = [sys.executable, "-I", str(FAKE_CLI), str(GOLDEN / "plain_thinking.jsonl")]
    await nvim.lua("vim.g.claude_ide = ...", {"python": str(program), "cmd": cmd})
    return program


async def test_a_chat_whose_host_dies_immediately_shows_why_and_how_to_retry(
    nvim: Neovim, broken: Path
) -> None:
    await nvim.keys(":ClaudeChat<CR>half typed")

    await until(lambda: "not running" in nvim.screen.text(), "the chat has no host")
    await until(lambda: "SyntaxError: in your file" in nvim.screen.text())
    await until(lambda: "see :ClaudeLog; R retries" in nvim.screen.text())
    await until(lambda: "half typed" in nvim.screen.text())
    assert "starting…" not in nvim.screen.text()
    await nvim.keys("<Esc>")
    await until(lambda: nvim.eval("mode() == 'n'"))
    await nvim.command("ClaudeLog")
    assert "SyntaxError: in your file" in "\n".join(await nvim.eval("getline(1, '$')"))


@pytest.mark.parametrize("keys", ["<C-w>kR", ":ClaudeChat<CR>"])
async def test_a_failed_host_can_be_started_again(nvim: Neovim, broken: Path, keys: str) -> None:
    await nvim.keys(":ClaudeChat<CR>half typed")
    await until(lambda: "SyntaxError: in your file" in nvim.screen.text())
    broken.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')

    await nvim.keys("<Esc>" + keys)

    await until(lambda: "not running" not in nvim.screen.text(), "the chat has a host")
    await until(lambda: "see :ClaudeLog" not in nvim.screen.text())
    await until(lambda: "half typed" in nvim.screen.text())


async def test_a_chat_can_be_hidden_before_its_host_answers(nvim: Neovim, broken: Path) -> None:
    await nvim.keys(":ClaudeChat<CR>half typed")
    await until(lambda: "half typed" in nvim.screen.text())

    await nvim.keys("<Cmd>ClaudeChat<CR>")

    await until(lambda: nvim.eval("winnr('$') == 1"), "the panel is hidden")
    assert await nvim.eval("mode()") == "n"
    wanted = "return require('claude_ide.chat.state').list()[1].is_wanted"
    assert await nvim.lua(wanted) is False
