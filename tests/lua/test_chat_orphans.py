"""`lua/claude_ide/chat/orphans.lua`: a panel without a host."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.config import decode
from support.neovim import Neovim, until

BEGIN = """
vim.g.claude_ide = { chat = ... }
require('claude_ide.chat.orphans').begin()
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


async def test_there_is_no_panel_where_no_host_can_start(nvim: Neovim) -> None:
    await nvim.command("let g:claude_ide = {'python': '/nowhere/python'}")

    await nvim.keys(":ClaudeChat<CR>")
    await until(lambda: "/nowhere/python" in nvim.screen.text(), "why there is no host")

    assert await nvim.eval("winnr('$')") == 1
    assert (await nvim.mode())["mode"] == "n"
    assert await nvim.lua("return require('claude_ide.chat.state').list()") == []


async def test_a_host_that_cannot_run_leaves_no_panel(nvim: Neovim, tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho no pynvim here >&2\nexit 1\n")
    program.chmod(0o755)
    await nvim.command(f"let g:claude_ide = {{'python': '{program}'}}")

    await nvim.keys(":ClaudeChat<CR>")

    await until(lambda: "no pynvim here" in nvim.screen.text(), "why there is no host")
    await until(lambda: nvim.eval("winnr('$') == 1"), "no panel is left")
    assert (await nvim.mode()) == {"mode": "n", "blocking": False}
