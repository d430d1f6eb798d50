"""A chat whose host has ended, and one without a CLI."""

import os
import signal
import sys

import pytest

from support.neovim import Neovim, until
from support.panel import CONFIGURE, Open, Panel, counts, holds
from support.processes import alive

RECORD = """
_G.notified = {}
vim.notify = function(text) table.insert(_G.notified, (text:gsub('%s+', ' '))) end
"""


async def host_pid(nvim: Neovim) -> int:
    """Return the process id of the Python host."""
    return int(await nvim.lua("return vim.fn.jobpid(require('claude_ide.channel').id)"))


async def kill_the_host(nvim: Neovim) -> None:
    """Kill the Python host and wait until the panel reports it."""
    os.kill(await host_pid(nvim), signal.SIGKILL)
    await Panel(nvim).bar_shows("not running")


async def test_a_chat_without_messages_continues_after_its_host_dies(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("plain_thinking")
    await kill_the_host(nvim)

    await panel.send("hello there")

    await panel.shows("Hello! **How** can I help?")
    assert (await panel.look())["count"] == 1


async def test_a_key_of_the_transcript_says_that_there_is_no_host(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("plain_thinking")
    await panel.send("hello there")
    await panel.shows("── ")
    await kill_the_host(nvim)

    assert await panel.go_to("» hello there")
    await nvim.keys("e")

    await until(lambda: "R restarts it" in nvim.screen.lines()[-1], "a message")


async def test_a_chat_that_cannot_be_resumed_keeps_its_transcript_and_prompt(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("plain_thinking")
    await panel.send("hello there")
    await panel.shows("── ")
    await kill_the_host(nvim)

    await panel.send("and you?")

    await until(lambda: "there is no session" in nvim.screen.text(), "a message")
    await until(lambda: holds(panel, "and you?"), "the prompt is restored")
    assert "Hello! **How** can I help?" in await panel.text()


async def test_a_new_chat_is_not_confused_with_one_of_the_earlier_host(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("plain_thinking")
    await panel.send("hello there")
    await panel.shows("── ")
    await kill_the_host(nvim)

    await nvim.command("ClaudeChat new")

    await panel.wait_for_chats(2)
    assert "hello there" not in await panel.shows("CTRL-S   sends the prompt")


async def test_r_replaces_a_host_that_hangs(nvim: Neovim, replay: Open) -> None:
    panel = await replay("plain_thinking")
    hung = await host_pid(nvim)
    await nvim.lua("require('claude_ide.chat.sent').timeout_ms = 300")
    os.kill(hung, signal.SIGSTOP)
    await panel.send("hello there")
    silent = "return require('claude_ide.chat.state').list()[1].is_silent"
    await until(lambda: nvim.lua(silent), "the host is silent")
    await until(lambda: "has not answered yet" in nvim.screen.text(), "a line about it")

    await panel.go_to("")
    await nvim.keys("R")

    await until(lambda: holds(panel, "hello there"), "the prompt is restored")
    await until(lambda: not alive(hung), "the host is dead")
    await panel.bar_shows("manual")
    assert not await nvim.lua(silent)
    await nvim.keys("i<C-s>")
    await panel.shows("Hello! **How** can I help?")


async def test_a_pending_request_is_withdrawn_when_the_host_dies(
    nvim: Neovim, replay: Open
) -> None:
    panel = await replay("ask_user")
    await panel.send("Which library?")
    await panel.shows("? ")
    await panel.go_to("? ")
    await nvim.keys("<CR>")
    await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0).relative ~= ''"), "a form")

    await kill_the_host(nvim)

    await until(lambda: nvim.lua("return vim.api.nvim_win_get_config(0).relative == ''"), "no form")
    await counts(nvim, "")


async def test_a_missing_cli_is_reported_in_one_line(nvim: Neovim) -> None:
    await nvim.lua(RECORD)
    await nvim.lua(CONFIGURE, {"cmd": "no-such-claude"})

    await nvim.command("ClaudeChat")

    notified = await until(lambda: nvim.lua("return _G.notified"), "a message")
    assert notified == ["no-such-claude is not on PATH (g:claude_ide.cmd)"]
    await until(lambda: nvim.eval("winnr('$') == 1"), "the panel is closed")
    assert (await nvim.mode())["mode"] == "n"


async def test_the_prompt_is_kept_if_the_cli_is_missing(nvim: Neovim) -> None:
    await nvim.lua(CONFIGURE, {"cmd": "no-such-claude"})

    await nvim.keys(":ClaudeChat<CR>hello there")

    panel = Panel(nvim)
    await panel.bar_shows("not running")
    assert await holds(panel, "hello there")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nonsense", ':ClaudeChat: no subcommand "nonsense"'),
        ("new please", 'there is no agent "please" (g:claude_ide.agents)'),
        ("new claude --worktree", "--worktree needs the name of a worktree: --worktree=NAME"),
        ("new --worktree=", "--worktree needs the name of a worktree: --worktree=NAME"),
        ("stop", "there is no chat (:ClaudeChat starts one)"),
        ("resume nonsense", "there is no session nonsense"),
        ("continue", "there is no earlier session in this folder"),
        ("answer", "there is no chat (:ClaudeChat starts one)"),
    ],
)
async def test_an_invalid_command_is_reported(nvim: Neovim, arguments: str, message: str) -> None:
    await nvim.lua(RECORD)
    await nvim.lua(CONFIGURE, {"cmd": [sys.executable]})

    await nvim.command(f"ClaudeChat {arguments}")

    notified = await until(lambda: nvim.lua("return _G.notified"), "a message")
    assert message[:60] in notified[0]
