"""An agent that logs the user in in a terminal, over the protocol."""

from pathlib import Path

import pytest

from support.acp import script as acp
from support.acp.chatting import TRUST, press
from support.acp.script import Fake, Make, Script
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Panel

NEEDED = "Authentication required · L logs in"


@pytest.fixture
def done(tmp_path: Path) -> Path:
    """The file that says that the user is logged in."""
    return tmp_path / "logged-in"


async def begin(nvim: Neovim, fake: Fake) -> Panel:
    """Open a chat in a folder that the user then trusts."""
    agents = {"fake": {"cmd": [*fake.command, "--acp"], "env": {"FAKE": "yes"}}}
    await nvim.lua(CONFIGURE, {"agents": agents, "chat": {"agent": "fake"}})
    await nvim.command("ClaudeChat")
    panel = Panel(nvim)
    await panel.shows(TRUST)
    await press(panel, TRUST, "y")
    return panel


async def log_in(panel: Panel, fake: Fake, words: str, answer: str) -> None:
    """Open the terminal from a line of the transcript, and answer its question."""
    nvim = panel.nvim
    before = len(fake.entries("login"))
    await panel.go_to(words)
    await nvim.keys("L")
    await until(lambda: len(fake.entries("login")) > before, "the login")
    await until(lambda: nvim.eval("mode() ==# 't'"), "the terminal")
    await nvim.keys(f"{answer}<CR>")


async def test_the_agent_starts_after_the_login_and_goes_on(
    nvim: Neovim, fake_agent: Make, done: Path
) -> None:
    hello = Script(
        initialize=[acp.terminal_login(done)], new=[acp.need_login(done)], prompt=[acp.say("Hello")]
    )
    fake = fake_agent(hello)
    panel = await begin(nvim, fake)
    await panel.shows(NEEDED)

    await log_in(panel, fake, NEEDED, "carp")

    await until(lambda: len(fake.received("session/new")) == 2, "it starts")
    await panel.send("hi")
    await panel.shows("Hello")
    assert fake.received("authenticate") == []
    (login,) = fake.entries("login")
    assert login["tty"]
    assert login["env"] == {"POND": "deep", "FAKE": "yes"}
    # The agent's own command line, but for what makes it speak the protocol.
    assert login["argv"] == [*fake.command[4:], "--log-in", str(done)]
    assert "Pike" not in nvim.screen.text()


async def test_a_login_that_fails_stays_on_the_screen_and_can_be_repeated(
    nvim: Neovim, fake_agent: Make, done: Path
) -> None:
    script = Script(initialize=[acp.terminal_login(done)], new=[acp.need_login(done)])
    fake = fake_agent(script)
    panel = await begin(nvim, fake)
    await panel.shows(NEEDED)

    await log_in(panel, fake, NEEDED, "pike")
    await until(lambda: "that is no login" in nvim.screen.text(), "the reason")
    await until(lambda: len(fake.received("session/new")) == 2, "it tries again")
    await nvim.command("close")

    await log_in(panel, fake, NEEDED, "carp")
    await until(lambda: len(fake.received("session/new")) == 3, "it starts")


async def test_the_session_goes_on_after_a_login_that_has_run_out(
    nvim: Neovim, fake_agent: Make, done: Path
) -> None:
    prompts = [[acp.say("First")], [acp.need_login(done)]]
    fake = fake_agent(Script(initialize=[acp.terminal_login(done)], prompt=prompts))
    panel = await begin(nvim, fake)
    await panel.wait_until_ready()
    await panel.send("one")
    await panel.shows("First")
    await panel.send("two")
    await panel.shows("Authentication required")

    await log_in(panel, fake, "Authentication required", "carp")

    await until(lambda: fake.received("session/resume"), "the session is resumed")
    assert fake.received("session/resume")[0]["sessionId"] == "s-1"
    await panel.wait_until_ready()
    await panel.send("three")
    await until(lambda: len(fake.received("session/prompt")) == 3, "the prompt")
    assert "First" in await panel.text()
