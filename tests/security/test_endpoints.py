"""The token of an agent's endpoint: which processes have it, and which files."""

import sys
from pathlib import Path

import pytest

from claude_ide.mcp.registration import PORT, TOKEN
from claude_ide.transport.admission import TOOLS_PATH
from support.handshake import handshake, status
from support.mcp_stdio import STDIO
from support.neovim import ROOT, Neovim, until
from support.panel import CONFIGURE, Panel
from support.processes import under

AGENT = ROOT / "tests/support/tool_using_agent.py"
LOG_PATH = "return require('claude_ide.messages.log').path()"


@pytest.fixture
async def panel(nvim: Neovim) -> Panel:
    """A chat with an agent that has started the editor's MCP server; no server for the CLI runs."""
    agents = {"otter": {"cmd": [sys.executable, "-I", str(AGENT)]}}
    options = {"agents": agents, "chat": {"agent": "otter"}, "log_level": "debug"}
    await nvim.lua(CONFIGURE, options)
    await nvim.command("ClaudeTrust yes")
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.wait_until_ready()
    return panel


def read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def environment(pid: int) -> dict[str, str]:
    entries = read(pid, "environ").decode("utf-8", "surrogateescape").split("\0")
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def server(nvim: Neovim) -> int:
    """The process of the MCP server that the agent has started."""
    [pid] = [pid for pid in under(nvim.process.pid) if str(STDIO).encode() in read(pid, "cmdline")]
    return pid


async def test_only_the_mcp_server_has_the_token_and_no_command_line_does(
    panel: Panel, nvim: Neovim
) -> None:
    pid = server(nvim)
    token = environment(pid)[TOKEN]

    having = [pid for pid in under(nvim.process.pid) if token in environment(pid).values()]
    assert having == [pid]
    everyone = Path("/proc").glob("[0-9]*")
    assert not [each for each in everyone if token.encode() in read(int(each.name), "cmdline")]


async def test_no_log_has_the_token_even_if_the_agent_prints_it(
    panel: Panel, nvim: Neovim, tmp_path: Path
) -> None:
    token = environment(server(nvim))[TOKEN]
    await panel.send("call getWorkspaceFolders")
    await panel.shows("answer: ")
    await panel.send("tell")
    await panel.shows("told ")

    await nvim.command("stopinsert | ClaudeChat log")
    await until(lambda: nvim.eval("search('mcpServers', 'w') > 0"), "the traffic is shown")
    assert token not in "\n".join(await nvim.eval("getline(1, '$')"))
    await nvim.command("ClaudeChat end")
    log = Path(await nvim.lua(LOG_PATH))
    await until(lambda: "tools are on port" in log.read_text(), "the log")
    written = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert log in written
    assert not [path for path in written if token.encode() in path.read_bytes()]


async def test_the_endpoint_refuses_guesses_and_pages(panel: Panel, nvim: Neovim) -> None:
    given = environment(server(nvim))
    port, token = int(given[PORT]), given[TOKEN]

    async def answered(token: str, path: str = TOOLS_PATH, **headers: str) -> int:
        return await status(port, handshake(port, token, headers, path))

    assert await answered("guessed") == 401
    assert await answered(token, Origin="https://example.com") == 403
    assert await answered(token, Host=f"example.com:{port}") == 403
    assert await answered(token, "/") == 404
    assert await answered(token) == 101


async def test_the_token_is_worthless_once_the_chat_has_ended(panel: Panel, nvim: Neovim) -> None:
    given = environment(server(nvim))
    port = int(given[PORT])

    await panel.end()

    async def refused() -> bool:
        try:
            return await status(port, handshake(port, given[TOKEN], path=TOOLS_PATH)) == 0
        except ConnectionError:
            return True

    await until(refused, "the port is free")
    await nvim.command("ClaudeChat")
    await panel.wait_until_ready()
    assert environment(server(nvim))[TOKEN] != given[TOKEN]
