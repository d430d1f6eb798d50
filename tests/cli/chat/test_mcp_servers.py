"""`:ClaudeChat mcp` with the real CLI and real MCP servers."""

import json
import sys
from pathlib import Path

import pytest

from support.fake_api import FakeApi, text
from support.lists import ListWindow
from support.neovim import Neovim, until
from support.panel import Panel

SERVER = Path(__file__).parents[2] / "support/tool_server.py"


@pytest.fixture
def dry(tmp_path: Path) -> Path:
    """A file; while it exists, the server cannot start."""
    (tmp_path / "dry").touch()
    return tmp_path / "dry"


@pytest.fixture
async def panel(nvim: Neovim, cli: Path, path: Path, tmp_path: Path, dry: Path) -> Panel:
    """A chat whose CLI has the server `river`, which cannot start."""
    config = tmp_path / "mcp.json"
    server = {"command": sys.executable, "args": ["-I", str(SERVER), str(dry)]}
    pond = {"url": "http://127.0.0.1:9/"}
    config.write_text(json.dumps({"mcpServers": {"river": server, "pond": pond}}))
    await nvim.command(f"edit {path}")
    return await Panel.open(nvim, [cli, "--mcp-config", config], mode="default")


async def test_a_broken_server_is_reported_once(panel: Panel, api: FakeApi) -> None:
    api.script([text("One.")], [text("Two.")])
    await panel.send("First")
    await panel.shows("MCP server not connected: river · :ClaudeChat mcp shows why")
    await panel.shows("One.")
    unread = await panel.shows("MCP server pond: ")
    assert 'add "type": "http"' in " ".join(unread.split())

    await panel.send("Second")

    shown = await panel.shows("Two.")
    assert (shown.count("not connected"), shown.count("MCP server pond: ")) == (1, 1)


async def test_a_server_is_reconnected_and_turned_off(
    nvim: Neovim, panel: Panel, dry: Path
) -> None:
    await nvim.command("stopinsert | ClaudeChat mcp")
    list_ = ListWindow(nvim)
    await list_.shows("failed       river", "Connection closed", "connected    neovim")

    await list_.press("r", "neovim")
    await until(lambda: "neovim is the server of this Neovim" in nvim.screen.text(), "the reason")
    await list_.press("r", "river")
    await until(lambda: "river: " in nvim.screen.text(), "the reason")
    dry.unlink()
    await list_.press("r", "river")
    await list_.shows("connected    river  1 tool")
    await list_.press("x", "river")
    await list_.shows("off          river")
    await list_.press("x", "river")
    await list_.shows("connected    river  1 tool")
