"""`lua/claude_ide/message.lua`: what the user is told never asks for a key."""

import pytest

from support.neovim import Neovim, until

SHOW = "require('claude_ide.message').show('it went wrong', 'error')"


@pytest.mark.parametrize(
    "code",
    [f"{SHOW} vim.cmd.stopinsert()", f"vim.schedule(function() {SHOW} end) vim.cmd.stopinsert()"],
    ids=["told first", "told then"],
)
async def test_an_error_as_insert_mode_ends_is_no_prompt(nvim: Neovim, code: str) -> None:
    await nvim.keys("iwords")

    await nvim.lua(f"vim.schedule(function() {code} end)")

    await until(lambda: "it went wrong" in nvim.screen.text(), "the error is shown")
    await until(lambda: nvim.eval("mode() == 'n'"), "Insert mode has ended")
    assert "Press ENTER" not in nvim.screen.text()
