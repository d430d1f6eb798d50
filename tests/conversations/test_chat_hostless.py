"""A chat whose host has ended, and one without a CLI."""

import os
import sys

import pytest

from support.neovim import Neovim, until
from support.panel import CONFIGURE, PATIENCE, Open, Panel, counts, holds

HEAR = """
_G.told = {}
vim.notify = function(text) table.insert(_G.told, text) end
"""


async def kill_the_host(nvim: Neovim) -> None:
    """End the process of the Python host, and wait until the panel says so."""
    os.kill(await nvim.lua("return vim.fn.jobpid(require('claude_ide.channel').id)"), 9)
    await Panel(nvim).bar_shows("not running")


async def test_a_chat_in_which_nothing_was_said_goes_on_without_its_host(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("plain_thinking")
    await kill_the_host(nvim)

    await panel.say("hello there")

    await panel.shows("Hello! **How** can I help?")
    assert (await panel.look())["count"] == 1


async def test_nothing_is_lost_with_the_host(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")
    await panel.say("hello there")
    await panel.shows("── ")
    await kill_the_host(nvim)

    await panel.say("and you?")

    await until(lambda: "there is no session" in nvim.screen.text(), "it is told", PATIENCE)
    await until(lambda: holds(panel, "and you?"), "the prompt comes back", PATIENCE)
    assert "Hello! **How** can I help?" in await panel.text()


async def test_a_new_chat_is_not_mistaken_for_one_of_the_host_before(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("plain_thinking")
    await panel.say("hello there")
    await panel.shows("── ")
    await kill_the_host(nvim)

    await nvim.command("ClaudeChat new")

    await panel.is_new(2)
    assert await panel.text() == ""


async def test_what_waited_in_a_chat_does_not_wait_without_its_host(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("ask_user")
    await panel.say("Which library?")
    await panel.shows("? ")
    await panel.go_to("? ")
    await nvim.keys("<CR>")
    await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0).relative ~= ''"), "a form")

    await kill_the_host(nvim)

    await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0).relative == ''"), "no form")
    await counts(nvim, "")


async def test_without_a_cli_one_line_says_how_to_get_one(nvim: Neovim) -> None:
    await nvim.lua(HEAR)
    await nvim.lua(CONFIGURE, {"cmd": "no-such-claude"})

    await nvim.command("ClaudeChat")

    told = await until(lambda: nvim.lua("return _G.told"), "a message", PATIENCE)
    assert told == ["claude-ide: no-such-claude is not on PATH"]
    await until(lambda: nvim.eval("winnr('$') == 1"), "no panel is left")
    assert (await nvim.mode())["mode"] == "n"


async def test_without_a_cli_what_was_typed_stays(nvim: Neovim) -> None:
    await nvim.lua(CONFIGURE, {"cmd": "no-such-claude"})

    await nvim.keys(":ClaudeChat<CR>hello there")

    panel = Panel(nvim)
    await panel.bar_shows("not running")
    assert await holds(panel, "hello there")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("nonsense", ':ClaudeChat: no subcommand "nonsense"'),
        ("new please", ":ClaudeChat new takes no argument: please"),
        ("stop", "there is no chat (:ClaudeChat starts one)"),
        ("resume nonsense", "there is no session nonsense"),
        ("continue", "there is no earlier session in this folder"),
        ("answer", "there is no chat (:ClaudeChat starts one)"),
    ],
)
async def test_what_is_asked_wrongly_is_told(nvim: Neovim, arguments: str, says: str) -> None:
    await nvim.lua(HEAR)
    await nvim.lua(CONFIGURE, {"cmd": [sys.executable]})

    await nvim.command(f"ClaudeChat {arguments}")

    told = await until(lambda: nvim.lua("return _G.told"), "a message", PATIENCE)
    assert says[:60] in told[0]
