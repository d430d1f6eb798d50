"""The user's own MCP servers for an agent of the chat."""

import json
import sys
from pathlib import Path

from support.acp.chatting import Start
from support.acp.script import Make, Script
from support.neovim import Neovim, until


async def test_an_agent_gets_those_of_the_trusted_folder_and_a_wrong_one_is_named(
    start: Start, fake_agent: Make, nvim: Neovim, project: Path
) -> None:
    fish = {"command": sys.executable, "args": ["-V"], "env": {"POND": "deep-and-dark"}}
    servers = {"fish": fish, "crab": {"command": "no-such-crab"}}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    fake = fake_agent(Script())

    await start(fake)

    (opened,) = fake.received("session/new")
    given = {each["name"]: each for each in opened["mcpServers"]}
    assert given.keys() == {"neovim", "fish"}
    assert given["fish"]["env"] == [{"name": "POND", "value": "deep-and-dark"}]

    async def named() -> bool:
        return ".mcp.json.crab: no-such-crab is not on PATH" in str(
            await nvim.eval("execute('messages')")
        )

    await until(named, "the wrong one is named")
    await nvim.command("ClaudeChat log")
    await until(lambda: nvim.eval("bufname() =~ 'traffic.jsonl'"), "the traffic")
    text = "\n".join(await nvim.eval("getline(1, '$')"))
    assert "fish" in text
    assert "deep-and-dark" not in text
