"""An agent that may only start in a folder that the user trusts."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from claude_ide.agents.agent import SessionSummary
from claude_ide.agents.kinds import Kinds
from support.either_editor import choose
from support.lists import ListWindow
from support.neovim import Neovim, until
from support.pond import Pond

QUESTION = "? Trust "
OLD = SessionSummary("b-old", "Old wood", datetime(2026, 1, 3, tzinfo=UTC))
REFUSED = "Beaver starts only in a trusted folder: :ClaudeTrust yes · R retries"


@pytest.fixture
async def pond(nvim: Neovim, tmp_path: Path) -> AsyncIterator[Pond]:
    """A chat with Beaver that asks."""
    pond = Pond(nvim, tmp_path, needs_trust=True)
    await pond.start()
    await pond.command("new beaver")
    await pond.panel.shows(QUESTION)
    yield pond
    await pond.close()


async def waiting(pond: Pond, count: int) -> None:
    """Wait until this number of requests waits for the user."""
    code = "return (require('claude_ide.chat.state').list()[1] or { requests = 0 }).requests"
    await until(lambda: _is(pond, code, count), f"{count} waiting")


async def _is(pond: Pond, code: str, value: int) -> bool:
    return bool(await pond.nvim.lua(code) == value)


async def press(pond: Pond, key: str) -> None:
    """Press a key on the question until it is gone: keys do not count before it can be read."""

    async def pressed() -> bool:
        if await pond.panel.go_to(QUESTION):
            await pond.nvim.keys(key)
        return QUESTION not in await pond.panel.text()

    await until(pressed, f"{key} answers")


async def test_nothing_is_started_before_the_user_agrees(pond: Pond, project: Path) -> None:
    question = (
        f"? Trust {project}? Beaver uses the folder's settings y trust this folder · n not now"
    )
    assert question in (await pond.panel.text()).replace("\n", "")
    await pond.panel.bar_shows("1 request waiting")
    await waiting(pond, 1)
    await pond.panel.send("hello")
    await pond.panel.shows("⧗ hello")
    assert (await pond.agent(pond.beaver)).calls == []

    await press(pond, "y")

    assert await pond.calls(pond.beaver.agents[0], "prompt") == [("prompt", "hello")]
    assert pond.here.trust.is_trusted(project)
    await waiting(pond, 0)


async def test_the_greeting_does_not_offer_the_session_that_has_just_begun(pond: Pond) -> None:
    new = replace(OLD, id="s-1", title="New session")
    pond.beaver.stored = [new, OLD]

    await press(pond, "y")

    await pond.panel.shows("» Old wood")
    assert "New session" not in await pond.panel.text()


async def test_a_no_leaves_a_line_that_says_how_to_trust_later(pond: Pond) -> None:
    await press(pond, "n")
    await pond.panel.shows(REFUSED)
    await pond.panel.bar_shows("ended")
    assert pond.beaver.agents[0].calls == []

    await pond.panel.go_to(REFUSED)
    await pond.nvim.keys("R")

    await pond.panel.shows(QUESTION)
    assert pond.beaver.agents[0].calls == []


async def test_the_agent_starts_when_the_folder_is_trusted_later(pond: Pond, project: Path) -> None:
    await press(pond, "n")
    await pond.panel.shows(REFUSED)

    pond.here.trust.grant(project)
    await pond.here.chats.trust_changed()

    await pond.panel.bar_shows("Ask first")


async def test_an_answer_counts_in_every_chat_of_the_folder(pond: Pond) -> None:
    await pond.command("new beaver")
    await pond.agent(pond.beaver, 2)
    await pond.panel.shows(QUESTION)

    await press(pond, "y")

    for agent in pond.beaver.agents:
        await pond.calls(agent, "start")


async def test_the_question_can_be_answered_from_the_prompt(pond: Pond) -> None:
    await pond.panel.write()
    await pond.nvim.keys("<C-s>")
    await until(lambda: "1: Yes, trust" in pond.nvim.screen.text(), "the list")
    assert "Show details" not in pond.nvim.screen.text()

    await choose(pond.nvim, 1)

    await pond.calls(pond.beaver.agents[0], "start")


async def test_a_revocation_stops_the_agent_and_asks_again(pond: Pond, project: Path) -> None:
    await press(pond, "y")
    agent = pond.beaver.agents[0]
    await pond.calls(agent, "start")
    await pond.panel.wait_until_ready()

    pond.here.trust.revoke(project)
    await pond.here.chats.trust_changed()

    await pond.panel.shows(f"{project} is not trusted: Beaver stops")
    await pond.panel.shows(QUESTION)
    assert len(await pond.calls(agent, "start")) == 1
    assert agent.state.state.value == "dead"


async def test_an_end_of_the_chat_needs_no_answer(pond: Pond) -> None:
    await pond.panel.end()

    assert pond.beaver.agents[0].calls == []
    await waiting(pond, 0)


async def test_an_agent_is_not_asked_for_sessions_in_a_folder_that_is_not_trusted(
    pond: Pond, project: Path
) -> None:
    await pond.command("list")
    await ListWindow(pond.nvim).shows("An old swim")
    await pond.nvim.keys("q")
    assert pond.beaver.listed == 0

    pond.here.trust.grant(project)
    await pond.command("list")

    await until(lambda: pond.beaver.listed, "Beaver lists its sessions")


async def test_the_latest_session_needs_trust_too(pond: Pond) -> None:
    pond.here.chats._kinds = Kinds([pond.beaver])

    await pond.command("continue")

    await pond.reports("Beaver starts only in a trusted folder: :ClaudeTrust yes")
    assert pond.beaver.listed == 0


async def test_a_trusted_folder_raises_no_question(pond: Pond) -> None:
    await press(pond, "y")
    await pond.calls(pond.beaver.agents[0], "start")

    await pond.command("new beaver")

    await pond.calls(await pond.agent(pond.beaver, 2), "start")
    assert QUESTION not in await pond.panel.text()
