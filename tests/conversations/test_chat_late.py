"""A chat whose agent does not answer after its start."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from claude_ide.chat import life
from support.another_agent import AnotherKind
from support.chats_here import ChatsHere
from support.neovim import Neovim, until
from support.panel import holds
from support.river import REPORT, River

LINE = "Otter has not answered yet (:ClaudeLog) · R restarts it"


@pytest.fixture
async def silent(
    nvim: Neovim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[River]:
    """A chat with an agent that does not answer until its gate opens."""
    monkeypatch.setattr(life, "LATE_SECONDS", 0.2)
    river = River(nvim, AnotherKind())
    river.kind.gate.clear()
    here = await ChatsHere.start(nvim, river.kind, tmp_path)
    await nvim.lua(REPORT)
    await nvim.command("ClaudeChat")
    await until(lambda: river.kind.agents, "there is an agent")
    yield river
    await here.close()


async def test_silence_is_reported_until_the_agent_answers(silent: River) -> None:
    await silent.panel.send("hello")
    await silent.panel.shows(LINE)

    silent.kind.gate.set()

    assert await silent.wait_for_call("prompt") == ("prompt", "hello")
    await silent.panel.shows_no_more(LINE)


async def test_the_greeting_outlasts_the_report(silent: River) -> None:
    await silent.panel.shows(LINE)
    assert "sends the prompt" in await silent.panel.text()

    silent.kind.gate.set()

    await silent.panel.shows_no_more(LINE)
    assert "sends the prompt" in await silent.panel.text()


async def test_r_restarts_an_agent_that_does_not_answer(silent: River) -> None:
    await silent.panel.send("hello")
    await silent.panel.shows(LINE)

    await silent.panel.go_to(LINE)
    await silent.nvim.keys("R")
    starts = silent.agent.calls
    await until(lambda: [call[0] for call in starts] == ["start"] * 2, "a second start")
    await silent.panel.shows(LINE)
    assert "⧗ hello" in await silent.panel.text()
    silent.kind.gate.set()

    assert await silent.wait_for_call("prompt") == ("prompt", "hello")
    await silent.panel.bar_shows("Ask first")


async def test_stop_returns_the_prompt_and_then_stops_the_start(silent: River) -> None:
    await silent.panel.send("hello")
    await silent.panel.shows(LINE)

    await silent.nvim.keys("<C-c>")
    await until(lambda: holds(silent.panel, "hello"), "the prompt is back")
    assert LINE in await silent.panel.text()
    await silent.nvim.keys("<C-c>")

    await silent.panel.shows("Otter did not answer and was stopped · R retries")
    assert LINE not in await silent.panel.text()
    assert await holds(silent.panel, "hello")


async def test_a_prompt_that_the_user_has_taken_back_causes_no_error(silent: River) -> None:
    await silent.panel.send("hello")
    await silent.panel.shows(LINE)
    await silent.nvim.keys("<C-c>")
    await until(lambda: holds(silent.panel, "hello"), "the prompt is back")

    await silent.nvim.keys("<C-c>")
    await silent.panel.shows("Otter did not answer and was stopped · R retries")
    await silent.nvim.keys("<Esc>cc!<C-s>")

    await silent.reports("there is no command after the !")
    assert await silent.nvim.lua("return #_G.reports") == 1


async def test_the_end_of_a_silent_chat_keeps_its_prompt(silent: River) -> None:
    await silent.panel.send("hello")
    await silent.panel.shows(LINE)

    await silent.command("end")

    await silent.reports("prompt: your text is kept in buffer")
    assert await silent.nvim.lua("return require('claude_ide.chat.state').list()") == []
