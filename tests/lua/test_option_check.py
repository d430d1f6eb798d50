"""`option_check.lua`: `setup()` has the options checked (`config.py`) without starting a host."""

from pathlib import Path

import pytest

from support.neovim import Neovim, until

CHECKED = "state/nvim/claude_ide/checked_options"
SETUP = "require('claude_ide').setup(...)"
IS_BARE = True


async def test_setup_reports_a_wrong_option(nvim: Neovim) -> None:
    await nvim.lua(SETUP, {"diff": "tab"})

    await until(lambda: "g:claude_ide.diff must be a table, not a string" in nvim.screen.text())


async def test_setup_names_several_wrong_options_and_starts_nothing(nvim: Neovim) -> None:
    await nvim.lua(SETUP, {"terminal": {"mode": "maual"}, "bogus": 1})

    await until(lambda: "wrong options: " in nvim.screen.text(), "the message")
    assert "bogus" in nvim.screen.text()
    assert "terminal.mode" in nvim.screen.text()
    assert (await nvim.mode())["blocking"] is False
    assert await nvim.lua("return require('claude_ide.channel').id == nil")
    log = await nvim.lua("return vim.fn.readfile(require('claude_ide.messages.log').path())")
    assert any(
        'g:claude_ide.terminal.mode: "maual" is not one of "manual", ' in line for line in log
    )


@pytest.mark.parametrize("code", ["{ cmd = print }", "{ chat = { side = function() end } }"])
async def test_setup_reports_a_function_that_no_option_takes(nvim: Neovim, code: str) -> None:
    await nvim.lua(f"require('claude_ide').setup({code})")

    await until(lambda: "must not be a function" in nvim.screen.text(), "the message")


async def test_setup_shows_options_without_names(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide').setup({ cmd = { 'a', x = 1 } })")

    assert 'setup(): not options: { cmd = { "a", x = 1 } }' in nvim.screen.text()


async def test_right_options_are_checked_once(nvim: Neovim, tmp_path: Path) -> None:
    checked = tmp_path / "home" / CHECKED
    options = {"terminal": {"mode": "plan"}}
    await nvim.lua(SETUP, options)
    await until(checked.exists, "the check")
    assert "claude-ide" not in nvim.screen.text()

    await nvim.lua(
        "_G.runs = 0; local run = vim.system;"
        " vim.system = function(...) _G.runs = _G.runs + 1; return run(...) end"
    )
    await nvim.lua(SETUP, options)
    assert await nvim.lua("return _G.runs") == 0

    await nvim.lua(SETUP, {"terminal": {"mode": "auto"}})
    assert await nvim.lua("return _G.runs") == 1


async def test_wrong_options_are_reported_each_time(nvim: Neovim) -> None:
    for _ in range(2):
        await nvim.lua(SETUP, {"diff": "tab"})
        await until(lambda: "must be a table" in nvim.screen.text(), "the message")
        await nvim.command("mode | messages clear | redraw!")
        await until(lambda: "must be a table" not in nvim.screen.text(), "a clean screen")
