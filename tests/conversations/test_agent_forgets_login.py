"""An agent that wants a login in each process, in the chat of a real Neovim and over two hosts."""

from typing import Any

from support.acp import script as acp
from support.acp.script import Fake, Make, Script
from support.either_editor import choose
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Panel

METHODS = [{"id": "fish", "name": "With a fish"}, {"id": "tree", "name": "With a tree"}]
LOADS = {"loadSession": True}
OFFERS = acp.result({"protocolVersion": 1, "agentCapabilities": LOADS, "authMethods": METHODS})
NEEDED = [acp.error(-32000, "Authentication required")]
OPENED = [acp.result({"sessionId": "s-1"})]
LINE = "Authentication required · L logs in · R retries"
TRUST = "? Trust "
KILL = "require('claude_ide.host').kill()"


async def press(panel: Panel, words: str, key: str) -> None:
    """Press a key on a line of the transcript until the line is gone."""

    async def pressed() -> bool:
        if await panel.go_to(words):
            await panel.nvim.keys(key)
        return words not in await panel.text()

    await until(pressed, f"{key} on {words}")


def requested(fake: Fake) -> list[Any]:
    return [params["methodId"] for params in fake.received("authenticate")]


async def logged_in(fake: Fake, panel: Panel, count: int) -> None:
    """Wait until the agent was asked to log in so often, and has then opened a session."""
    await until(lambda: len(requested(fake)) == count, f"login {count}")

    async def is_idle() -> bool:
        bar = (await panel.look())["bar"]
        return not any(word in bar for word in ("starting", "ended", "not running"))

    await until(is_idle, "the agent is idle")
    assert set(requested(fake)) == {"tree"}


async def test_the_login_that_the_user_has_chosen_is_repeated_by_the_next_host(
    nvim: Neovim, fake_agent: Make
) -> None:
    calls = [NEEDED, OPENED]
    fake = fake_agent(Script(initialize=[OFFERS], new=calls, load=calls))
    agents = {"fake": {"cmd": [*fake.command], "name": "Otter"}}
    await nvim.lua(CONFIGURE, {"agents": agents, "chat": {"agent": "fake"}})
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.shows(TRUST)
    await press(panel, TRUST, "y")
    await panel.shows(LINE)
    await panel.go_to(LINE)
    await nvim.keys("L")
    await until(lambda: "2: With a tree" in nvim.screen.text(), "the list")
    assert requested(fake) == []

    await choose(nvim, 2)

    await logged_in(fake, panel, 2)
    await nvim.lua(KILL)
    await panel.bar_shows("not running")
    await nvim.keys("R")
    await logged_in(fake, panel, 3)
    assert len(fake.received("initialize")) == 3
