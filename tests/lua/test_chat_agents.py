"""`chat/agents.lua`: the agents that a new chat can have, as the options say."""

import sys
from typing import Any

import pytest

from claude_ide.agents.acp.known import known
from claude_ide.config import decode
from claude_ide.configured_agents import configured
from support.neovim import Neovim
from support.panel import CONFIGURE

AGENTS = "require('claude_ide.chat.agents')"
PYTHON = {"cmd": sys.executable}


async def test_the_agents_are_those_of_the_host(nvim: Neovim) -> None:
    agents: dict[str, Any] = {"otter": PYTHON, "gemini": False, "qwen": 0, "crab": {"name": "Crab"}}
    await nvim.lua(CONFIGURE, {"agents": agents})
    kinds, _ = configured(decode({"agents": agents})[0], {})

    assert sorted(await nvim.lua(f"return {AGENTS}.ids()")) == sorted(kind.id for kind in kinds)


async def test_claude_is_the_first_unless_it_is_removed(nvim: Neovim) -> None:
    assert (await nvim.lua(f"return {AGENTS}.ids()"))[0] == "claude"
    await nvim.lua(CONFIGURE, {"agents": {"claude": False}})
    assert "claude" not in await nvim.lua(f"return {AGENTS}.ids()")


async def test_an_entry_changes_the_name_of_a_built_in_agent(nvim: Neovim) -> None:
    await nvim.lua(CONFIGURE, {"agents": {"gemini": {"name": "G"}, "codex": {"env": {"A": "1"}}}})

    assert (await nvim.lua(f"return {AGENTS}.find('gemini')"))["name"] == "G"
    codex = await nvim.lua(f"return {AGENTS}.find('codex')")
    assert (codex["name"], codex["cmd"]) == ("Codex", list(known()["codex"].cmd))


@pytest.mark.parametrize(
    "agents",
    ["x", 5, ["x"], {"gemini": 5}, {"gemini": {"name": 5, "cmd": True}}, {"x": {"cmd": 5}}],
)
async def test_invalid_options_are_no_error_here(nvim: Neovim, agents: Any) -> None:
    await nvim.lua(CONFIGURE, {"agents": agents, "chat": agents})

    assert (await nvim.lua(f"return {AGENTS}.find('gemini')"))["name"] == "Gemini"
    assert (await nvim.lua(f"return {AGENTS}.usual()"))["id"]


@pytest.mark.parametrize(
    ("options", "usual"),
    [
        ({"cmd": sys.executable}, "claude"),
        ({"cmd": "no-such-claude"}, "otter"),
        ({"cmd": sys.executable, "chat": {"agent": "goose"}}, "goose"),
        ({"cmd": sys.executable, "chat": {"agent": "none"}}, "claude"),
    ],
)
async def test_the_usual_agent_is_chosen_or_the_first_that_is_installed(
    nvim: Neovim, options: dict[str, Any], usual: str
) -> None:
    removed: dict[str, Any] = dict.fromkeys(known(), False)
    removed.pop("goose")
    await nvim.lua(CONFIGURE, options | {"agents": removed | {"otter": PYTHON}})
    await nvim.command("let $PATH = '/nowhere'")

    assert (await nvim.lua(f"return {AGENTS}.usual()"))["id"] == usual


@pytest.mark.parametrize("cmd", [[sys.executable, "-x"], sys.executable, f"{sys.executable} -x"])
async def test_a_command_can_be_a_list_or_a_line(nvim: Neovim, cmd: Any) -> None:
    await nvim.lua(CONFIGURE, {"cmd": "no-such-claude", "agents": {"a-first": {"cmd": cmd}}})

    assert (await nvim.lua(f"return {AGENTS}.usual()"))["id"] == "a-first"


async def test_nothing_is_asked_if_one_agent_is_installed_or_one_is_chosen(nvim: Neovim) -> None:
    choose = (
        f"local asked = 0; {AGENTS}.choose(function(agent) asked = agent or 1 end); return asked"
    )
    await nvim.command("let $PATH = '/nowhere'")
    await nvim.lua(CONFIGURE, {"cmd": sys.executable})
    assert await nvim.lua(choose) == 1

    await nvim.lua(CONFIGURE, {"agents": {"otter": PYTHON}, "chat": {"agent": "otter"}})
    assert await nvim.lua(choose) == 1
