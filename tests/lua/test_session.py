"""`session.lua`: features run while a host serves, and end with it."""

import os
import signal
from pathlib import Path

from support.chunks import chunk
from support.claude_code import ClaudeCode, locks, the_lock
from support.neovim import Neovim, until

IS_BARE = True
LOADED_AT_SPAWN = chunk("session/loaded_before_start")
NO_HOST = "return require('claude_ide.channel').id == nil"
LISTENING = "return require('claude_ide.host').server() ~= nil"
MOST_MODULES, MOST_LINES = 60, 8000
"""Of ours, after the first diff of a session."""
LOADED = "return package.loaded['claude_ide.' .. ...] ~= nil"
WATCHES = "return #vim.api.nvim_get_autocmds({ group = 'claude_ide_buffers' }) > 0"


async def test_a_host_is_started_before_any_feature_is_loaded(nvim: Neovim) -> None:
    """The user has to wait for every module that is loaded by then."""
    loaded = await nvim.lua(LOADED_AT_SPAWN)

    assert [name.removeprefix("claude_ide.") for name in loaded] == [
        "channel",
        "host",
        "host.port_hold",
        "host.process",
        "host.ready",
        "messages.log",
        "session",
        "system.program",
    ]


async def test_the_features_watch_buffers_while_a_host_serves(serving: Neovim) -> None:
    assert await serving.lua(WATCHES)

    await serving.command("ClaudeStop")

    await until(lambda: serving.lua(f"{LISTENING.replace('~=', '==')}"), "stopped")
    assert not await serving.lua(WATCHES)


async def test_the_features_watch_buffers_again_after_the_host_has_died(
    serving: Neovim, config_folder: Path
) -> None:
    _, lock = await the_lock(config_folder)
    os.kill(lock["hostPid"], signal.SIGKILL)

    def has_another_host() -> bool:
        return any(other["hostPid"] != lock["hostPid"] for _, other in locks(config_folder))

    await until(has_another_host)
    await until(lambda: serving.lua(WATCHES))


async def test_the_end_of_a_host_loads_no_unused_feature(serving: Neovim) -> None:
    await serving.lua("vim.fn.jobstop(require('claude_ide.channel').id)")
    await until(lambda: serving.lua(NO_HOST), "the host has ended")

    for feature in ("diff", "dialogue", "question", "diagnostics.unopened", "chat.state"):
        assert not await serving.lua(LOADED, feature), feature


async def test_a_question_ends_with_its_host(nvim: Neovim) -> None:
    """Even if `ask()` is the first use of the plugin."""
    await nvim.lua(chunk("session/ask_and_stop_host"))

    await until(lambda: nvim.lua("return _G.err"), "the question has ended")
    assert "the Python host has ended" in await nvim.lua("return _G.err")


async def test_a_diff_finds_its_modules_loaded_and_loads_no_language_client(
    nvim: Neovim, claude: ClaudeCode, project: Path
) -> None:
    path = project / "a.py"
    path.write_text("one = 1\n")
    await until(lambda: nvim.lua("return package.loaded['claude_ide.diff'] ~= nil"), "loaded")
    had_client = await nvim.lua("return package.loaded['vim.lsp'] ~= nil")

    claude.start_call("openDiff", {"old_file_path": str(path), "new_file_contents": "two = 2\n"})

    await until(lambda: nvim.lua("return (require('claude_ide.diff').list()[1] or {}).shown"))
    assert await nvim.lua("return package.loaded['vim.lsp'] ~= nil") == had_client
    modules, lines = await nvim.lua(chunk("session/count_loaded"))
    assert modules <= MOST_MODULES
    assert lines <= MOST_LINES
