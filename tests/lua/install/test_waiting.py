"""`:ClaudeInstall`: commands that run during an installation."""

import sys
from pathlib import Path

from support.checkout import arguments, copy_plugin, program
from support.either_editor import BOTH, Editor, has_host
from support.installations import MINUTE, StartNeovim, held_uv, wait_for_message
from support.neovim import Neovim, until


@BOTH
async def test_a_command_that_is_typed_during_an_installation_runs_after_it(nvim: Editor) -> None:
    await nvim.command("ClaudeInstall | ClaudeStart")

    assert await wait_for_message(nvim, "runs afterwards") == (
        "claude-ide: Python is being installed; :ClaudeStart runs afterwards"
    )
    assert await wait_for_message(nvim, "ready (127.0.0.1:")
    messages = await nvim.eval("execute('messages')")
    assert "lacks" not in messages
    assert "already running" not in messages


async def test_a_chat_that_is_requested_during_an_installation_opens_after_it(nvim: Neovim) -> None:
    await nvim.lua("vim.cmd.ClaudeInstall() vim.cmd.ClaudeChat()")

    assert await nvim.eval("winnr('$')") == 1 or "ClaudeInstall" in nvim.screen.text()
    await until(lambda: nvim.eval("&filetype == 'claude-prompt'"), "the chat", MINUTE)


@BOTH
async def test_a_question_that_is_asked_during_an_installation_is_asked_after_it(
    nvim: Editor,
) -> None:
    await nvim.command("ClaudeInstall | ClaudeAsk why?")

    assert await wait_for_message(nvim, "runs afterwards") == (
        "claude-ide: Python is being installed; :ClaudeAsk runs afterwards"
    )
    await until(lambda: "claude is not on PATH" in nvim.screen.text(), "the answer", MINUTE)


@BOTH
async def test_the_user_is_asked_to_repeat_a_question_if_the_text_has_changed_since(
    nvim: Editor,
) -> None:
    await nvim.command("ClaudeInstall | ClaudeAsk why?")

    await nvim.command("call setline(1, 'changed')")

    assert await wait_for_message(nvim, "again") == (
        "claude-ide: Python is ready; run :ClaudeAsk again"
    )


async def test_a_repeated_command_runs_once(nvim: Neovim) -> None:
    await nvim.lua("vim.cmd.ClaudeInstall() vim.cmd.ClaudeChat() vim.cmd.ClaudeChat()")

    await until(lambda: nvim.eval("&filetype == 'claude-prompt'"), "the chat", MINUTE)
    assert await wait_for_message(nvim, "is ready for") == (
        "claude-ide: Python is ready for :ClaudeChat"
    )


async def test_a_command_that_lacked_python_runs_after_the_installation(
    start_neovim: StartNeovim, tmp_path: Path
) -> None:
    nvim = await start_neovim(*arguments(copy_plugin(tmp_path / "checkout")))
    program(tmp_path / "bin/python3", f"exec '{sys.base_prefix}/bin/python3' \"$@\"")
    await nvim.command("ClaudeStart!")
    await wait_for_message(nvim, "Run :ClaudeInstall")

    await nvim.command("ClaudeInstall")

    assert await wait_for_message(nvim, "is ready for") == (
        "claude-ide: Python is ready for :ClaudeStart"
    )
    await until(lambda: nvim.lua("return require('claude_ide.host').server() ~= nil"), "server")


@BOTH
async def test_no_command_runs_after_an_installation_that_failed(
    nvim: Editor, tmp_path: Path
) -> None:
    end = held_uv(tmp_path)
    await nvim.command("ClaudeInstall | ClaudeStart")
    await wait_for_message(nvim, "runs afterwards")

    end()

    await wait_for_message(nvim, "Cannot install")
    await nvim.idle(500)
    assert not await has_host(nvim)
