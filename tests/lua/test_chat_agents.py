"""`chat/command.lua`: the agents that `:ClaudeChat new` completes, as the options say."""

from typing import Any

import pytest

from claude_ide.agents.configured import configured
from claude_ide.config import decode
from support.neovim import Neovim
from support.panel import CONFIGURE

COMPLETED = "getcompletion('ClaudeChat new ', 'cmdline')"


async def test_the_agents_are_those_of_the_host(nvim: Neovim) -> None:
    otter = {"cmd": "otter"}
    agents: dict[str, Any] = {"otter": otter, "gemini": False, "qwen": 0, "crab": {"name": "Crab"}}
    await nvim.lua(CONFIGURE, {"agents": agents})
    kinds, _ = configured(decode({"agents": agents})[0], {})

    assert await nvim.eval(COMPLETED) == [*(kind.id for kind in kinds), "--worktree="]


async def test_claude_is_completed_unless_it_is_removed(nvim: Neovim) -> None:
    assert (await nvim.eval(COMPLETED))[0] == "claude"
    await nvim.lua(CONFIGURE, {"agents": {"claude": False}})
    assert "claude" not in await nvim.eval(COMPLETED)


@pytest.mark.parametrize(
    "agents",
    ["x", 5, ["x"], {"gemini": 5}, {"gemini": {"name": 5, "cmd": True}}, {"x": {"cmd": 5}}],
)
async def test_invalid_options_are_no_error_here(nvim: Neovim, agents: Any) -> None:
    await nvim.lua(CONFIGURE, {"agents": agents, "chat": agents})

    assert "gemini" in await nvim.eval(COMPLETED)
