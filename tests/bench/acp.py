"""The chat panel with an agent that speaks ACP, measured as `chat` measures it with the CLI.

The agent is `acp_talker.py`; the floor of the times is a bare client of it.
"""

import sys
from pathlib import Path
from typing import Any

from bench.chat import ENDLESS, Send, Speaker, load, times
from bench.measure import Effort, Table
from support.neovim import Neovim
from support.panel import CONFIGURE, Panel

TALKER = Path(__file__).with_name("acp_talker.py")
COMMAND = [sys.executable, "-I", str(TALKER)]


async def run(effort: Effort) -> list[Table]:
    """Measure a flood, two slower rates (the slowest with a long history), and the delays."""
    agent = Speaker("an ACP agent", COMMAND, _open, _bare)
    return [await load(effort, agent), await times(effort.runs(31), agent)]


async def _open(nvim: Neovim, **chat: Any) -> Panel:
    options = {"agents": {"talker": {"cmd": COMMAND}}, "chat": {"agent": "talker", **chat}}
    await nvim.lua(CONFIGURE, options)
    await nvim.command("ClaudeTrust yes")
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.wait_until_ready()
    return panel


async def _bare(until_line: Send) -> tuple[float, float, float]:
    def call(method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": method, "method": method, "params": params}

    prompt = [{"type": "text", "text": ENDLESS}]
    ready = await until_line(b'"initialize"', **call("initialize", protocolVersion=1))
    ready += await until_line(b'"session/new"', **call("session/new", cwd="/", mcpServers=[]))
    spoken = await until_line(b"chunk", **call("session/prompt", sessionId="1", prompt=prompt))
    cancel = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "1"}}
    return ready, spoken, await until_line(b"stopReason", **cancel)
