"""`:ClaudeMcpConfig`: how another program gets the model's tools."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from support.claude_code import the_lock
from support.installations import wait_for_message
from support.mcp_stdio import mcp_stdio
from support.neovim import Neovim, until

REGISTER = "getreg('\"')"


async def yanked(nvim: Neovim, arguments: str = "") -> str:
    """Return what the command yanks."""
    await nvim.command("let @@ = ''")
    await nvim.command(f"ClaudeMcpConfig! {arguments}".strip())
    await wait_for_message(nvim, "yanked: put it with p")
    text: str = await nvim.eval(REGISTER)
    return text


async def float_text(nvim: Neovim) -> str:
    """Wait for a float, and return its text."""
    await until(lambda: nvim.eval("win_gettype() == 'popup'"), "a float")
    lines: list[str] = await nvim.eval("getline(1, '$')")
    return "\n".join(lines)


async def test_a_host_that_starts_its_servers_gets_the_tools_from_any_folder(
    serving: Neovim, config_folder: Path, tmp_path: Path
) -> None:
    server = json.loads(await yanked(serving))["mcpServers"]["neovim"]

    port, lock = await the_lock(config_folder)
    assert lock["authToken"] not in json.dumps(server)
    assert server["env"] == {"CLAUDE_IDE_MCP_PORT": str(port)}
    environment = {**server["env"], "CLAUDE_CONFIG_DIR": str(config_folder)}
    async with mcp_stdio(environment, tmp_path) as client:
        assert (await client.initialize())["serverInfo"]["title"] == "Neovim"
    assert server["command"] and server["args"][1].endswith("mcp/stdio.py")


async def test_the_command_for_a_cli_gives_what_that_of_the_terminal_gives(
    nvim: Neovim, config_folder: Path
) -> None:
    await nvim.lua("require('claude_ide').setup({ cmd = { '/opt/my claude', '--verbose' } })")

    text = await yanked(nvim, "ws")

    port, lock = await the_lock(config_folder)
    program, verbose, config, allowed = shlex.split(text)
    assert (program, verbose) == ("/opt/my claude", "--verbose")
    server = json.loads(config.removeprefix("--mcp-config="))["mcpServers"]["neovim"]
    assert server["url"] == f"ws://127.0.0.1:{port}/neovim"
    assert [*server["headers"].values()] == [lock["authToken"]]
    names = allowed.removeprefix("--allowedTools=").split(",")
    assert {"mcp__neovim__references", "mcp__neovim__rename"} <= {*names}
    assert "mcp__neovim__save_file" not in names


@pytest.mark.parametrize("what", ["", "ws"])
async def test_the_float_shows_all_of_the_text(serving: Neovim, what: str) -> None:
    await serving.command("set linebreak columns=100 lines=60")
    text = await yanked(serving, what)

    await serving.command(f"ClaudeMcpConfig {what}".strip())

    assert await float_text(serving) == text.rstrip("\n")
    end = re.sub(r"\W", "", text)[-20:]
    await until(lambda: end in re.sub(r"\W", "", serving.screen.text()), "its end is seen")
    await serving.keys("q")
    await until(lambda: serving.eval("win_gettype() == ''"), "it is closed")


async def test_the_text_is_yanked_into_the_register_that_p_uses(serving: Neovim) -> None:
    await serving.lua(
        "vim.g.clipboard = { name = 'test', cache_enabled = 0,"
        " copy = { ['+'] = function(lines) vim.g.copied = lines end, ['*'] = function() end },"
        " paste = { ['+'] = function() return vim.g.copied end, ['*'] = function() end } }"
    )
    await serving.command("set clipboard=unnamedplus")

    await serving.keys(":ClaudeMcpConfig!<CR>")

    await until(lambda: serving.eval("len(get(g:, 'copied', []))"), "it is copied")
    assert json.loads("\n".join(await serving.eval("g:copied")))


@pytest.mark.parametrize("arguments", ["http", "ws stdio", "WS"])
async def test_a_wrong_argument_is_named(serving: Neovim, arguments: Any) -> None:
    await serving.command(f"ClaudeMcpConfig {arguments}")

    reason = f':ClaudeMcpConfig: no subcommand "{arguments}" (stdio, ws)'
    await wait_for_message(serving, reason)


async def test_its_arguments_are_completed(nvim: Neovim) -> None:
    assert await nvim.eval("getcompletion('ClaudeMcpConfig ', 'cmdline')") == ["stdio", "ws"]
    assert await nvim.eval("getcompletion('ClaudeMcpConfig! w', 'cmdline')") == ["ws"]
    assert await nvim.eval("getcompletion('ClaudeMcpConfig ws ', 'cmdline')") == []


async def test_without_a_server_one_is_started(nvim: Neovim, config_folder: Path) -> None:
    text = await yanked(nvim)

    port, _ = await the_lock(config_folder)
    assert str(port) in text
