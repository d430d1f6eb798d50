"""`lua/claude_ide/message.lua`: what the user is told never asks for a key."""

import pytest

from support.neovim import Neovim, until

SHOW = "require('claude_ide.message').show(...)"
WRONG = "require('claude_ide.message').show('it went wrong', 'error')"


@pytest.mark.parametrize(
    "code",
    [f"{WRONG} vim.cmd.stopinsert()", f"vim.schedule(function() {WRONG} end) vim.cmd.stopinsert()"],
    ids=["told first", "told then"],
)
async def test_an_error_as_insert_mode_ends_is_no_prompt(nvim: Neovim, code: str) -> None:
    await nvim.keys("iwords")

    await nvim.lua(f"vim.schedule(function() {code} end)")

    await until(lambda: "it went wrong" in nvim.screen.text(), "the error is shown")
    await until(lambda: nvim.eval("mode() == 'n'"), "Insert mode has ended")
    assert "Press ENTER" not in nvim.screen.text()


@pytest.mark.parametrize("level", ["debug", "info", "warn", "error"])
async def test_without_a_command_line_no_message_is_a_prompt(nvim: Neovim, level: str) -> None:
    await nvim.command("set cmdheight=0")

    await nvim.lua(SHOW, "no such model", level)

    async def is_said() -> bool:
        return "no such model" in str(await nvim.eval("execute('messages')"))

    await until(is_said, "the message")
    assert not (await nvim.mode())["blocking"]
    await until(lambda: "no such model" in nvim.screen.text(), "the message is on the screen")


async def test_a_users_own_notifications_know_of_the_level(nvim: Neovim) -> None:
    await nvim.command("set cmdheight=0")
    await nvim.lua("vim.notify = function(...) _G.told = { ... } end")

    await nvim.lua(SHOW, "no such model", "error")

    told = await until(lambda: nvim.lua("return _G.told"), "a notification")
    assert told == ["claude-ide: no such model", 4]
