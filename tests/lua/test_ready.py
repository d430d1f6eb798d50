"""`autoload/claude_ide/ready.vim`: commands that wait for an installation."""

import pytest

from support.chunks import chunk
from support.neovim import Neovim, until

IS_SCHEDULED = chunk("ready/is_scheduled")


@pytest.mark.parametrize(
    ("options", "reason", "waits"),
    [
        ({"python": "/no/python"}, "/no/python", True),
        ({"host": "192.0.2.1"}, "cannot listen on 192.0.2.1", False),
    ],
)
async def test_only_a_command_that_lacks_python_waits_for_an_installation(
    nvim: Neovim, options: dict[str, str], reason: str, waits: bool
) -> None:
    change = "vim.g.claude_ide = vim.tbl_extend('force', vim.g.claude_ide or {}, ...)"
    await nvim.lua(change, options)

    await nvim.command("ClaudeStart")

    await until(lambda: nvim.eval(f"execute('messages') =~ '{reason}'"), "it fails", 10)
    await until(lambda: nvim.lua("return require('claude_ide.channel').id == nil"))
    assert await nvim.lua(IS_SCHEDULED) is waits
