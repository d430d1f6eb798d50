"""`:ClaudeMcpConfig`: how another program gets the model's tools."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import the_lock
from support.either_editor import BOTH, Editor, configure, float_text, name_of, set_size
from support.installations import wait_for_message
from support.mcp_stdio import mcp_stdio
from support.neovim import Neovim, until

REGISTER = "getreg('\"')"


async def yanked(nvim: Editor, arguments: str = "") -> str:
    """Return what the command yanks."""
    await nvim.command("let @@ = ''")
    await nvim.command(f"ClaudeMcpConfig! {arguments}".strip())
    await wait_for_message(nvim, "yanked: put it with p")
    text: str = await nvim.eval(REGISTER)
    return text


async def is_closed(nvim: Editor) -> bool:
    return not await float_text(nvim)


@BOTH
async def test_a_host_that_starts_its_servers_gets_the_tools_from_any_folder(
    serving: Editor, config_folder: Path, tmp_path: Path
) -> None:
    server = json.loads(await yanked(serving))["mcpServers"]["neovim"]

    port, lock = await the_lock(config_folder)
    assert lock["authToken"] not in json.dumps(server)
    expected = {"CLAUDE_IDE_MCP_PORT": str(port), "CLAUDE_CONFIG_DIR": str(config_folder)}
    assert server["env"] == expected
    async with mcp_stdio(server["env"], tmp_path) as client:
        assert (await client.initialize())["serverInfo"]["title"] == name_of(serving)
    assert server["command"] and server["args"][1].endswith("mcp/stdio.py")


@BOTH
async def test_the_command_for_a_cli_gives_what_that_of_the_terminal_gives(
    nvim: Editor, config_folder: Path
) -> None:
    await configure(nvim, cmd=["/opt/my claude", "--verbose"])

    text = await yanked(nvim, "ws")

    port, lock = await the_lock(config_folder)
    token, program, verbose, config, allowed = shlex.split(text)
    assert token == f"CLAUDE_IDE_MCP_TOKEN={lock['authToken']}"
    assert (program, verbose) == ("/opt/my claude", "--verbose")
    server = json.loads(config.removeprefix("--mcp-config="))["mcpServers"]["neovim"]
    assert server["url"] == f"ws://127.0.0.1:{port}/neovim"
    # Only a variable of the environment: every user can read a command line.
    assert [*server["headers"].values()] == ["${CLAUDE_IDE_MCP_TOKEN}"]
    names = allowed.removeprefix("--allowedTools=").split(",")
    assert {"mcp__neovim__buffers", "mcp__neovim__quickfix"} <= {*names}
    assert "mcp__neovim__save_file" not in names


@BOTH
@pytest.mark.parametrize("what", ["", "ws"])
async def test_the_float_shows_all_of_the_text(serving: Editor, what: str) -> None:
    await set_size(serving, 100, 60)
    await serving.command("set linebreak")
    text = await yanked(serving, what)

    await serving.command(f"ClaudeMcpConfig {what}".strip())

    await until(lambda: float_text(serving), "a float")
    assert await float_text(serving) == text.rstrip("\n")
    end = re.sub(r"\W", "", text)[-20:]
    await until(lambda: end in re.sub(r"\W", "", serving.screen.text()), "its end is seen")
    await serving.keys("q")
    await until(lambda: is_closed(serving), "it is closed")


async def provide_clipboard(nvim: Editor) -> None:
    """Have a function keep what is copied; Vim's own clipboard needs a display."""
    if isinstance(nvim, Neovim):
        await nvim.lua(
            "vim.g.clipboard = { name = 'test', cache_enabled = 0,"
            " copy = { ['+'] = function(lines) vim.g.copied = lines end, ['*'] = function() end },"
            " paste = { ['+'] = function() return vim.g.copied end, ['*'] = function() end } }"
        )
        return
    if not await nvim.eval("has('clipboard_provider')"):
        pytest.skip("Vim has clipboard providers from 9.2 on")
    await nvim.command(
        "let v:clipproviders.test = {"
        "'copy': {'+': {register, type, lines -> extend(g:, {'copied': lines})}},"
        " 'paste': {'+': {register -> ['V', g:copied]}}}"
    )
    await nvim.command("set clipmethod=test")


@BOTH
async def test_the_text_is_yanked_into_the_clipboard_that_p_uses(serving: Editor) -> None:
    await provide_clipboard(serving)
    await serving.command("set clipboard=unnamedplus")

    await serving.keys(":ClaudeMcpConfig!<CR>")

    await until(lambda: serving.eval("len(get(g:, 'copied', []))"), "it is copied")
    assert json.loads("\n".join(await serving.eval("g:copied")))


@BOTH
@pytest.mark.parametrize("arguments", ["http", "ws stdio", "WS"])
async def test_a_wrong_argument_is_named(serving: Editor, arguments: Any) -> None:
    await serving.command(f"ClaudeMcpConfig {arguments}")

    reason = f':ClaudeMcpConfig: no subcommand "{arguments}" (stdio, ws)'
    await wait_for_message(serving, reason)


@BOTH
async def test_its_arguments_are_completed(nvim: Editor) -> None:
    assert await nvim.eval("getcompletion('ClaudeMcpConfig ', 'cmdline')") == ["stdio", "ws"]
    assert await nvim.eval("getcompletion('ClaudeMcpConfig! w', 'cmdline')") == ["ws"]
    assert await nvim.eval("getcompletion('ClaudeMcpConfig ws ', 'cmdline')") == []


@BOTH
async def test_without_a_server_one_is_started(nvim: Editor, config_folder: Path) -> None:
    text = await yanked(nvim)

    port, _ = await the_lock(config_folder)
    assert str(port) in text
