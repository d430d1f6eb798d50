"""A chat in which something of ours fails: what is beside it goes on."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from claude_ide.agents.events import TextDelta
from claude_ide.agents.requests import Option, OptionKind, PermissionAsked, RequestWithdrawn
from claude_ide.chat.chat import Chat
from claude_ide.chat.chat_context import UNSHOWN
from support.another_agent import ALL, AnotherKind
from support.chats_here import ChatsHere
from support.neovim import Neovim, until
from support.river import REPORT, River

ALLOW = Option("allow", "Allow", OptionKind.ALLOW_ONCE)


def fail(*_: Any) -> None:
    raise RuntimeError("a mistake of ours")


@pytest.fixture
async def both(nvim: Neovim, tmp_path: Path) -> AsyncIterator[tuple[River, Chat]]:
    """A chat in the process of the test."""
    river = River(nvim, AnotherKind(ALL))
    here = await ChatsHere.start(nvim, river.kind, tmp_path)
    await nvim.lua(REPORT)
    await nvim.command("ClaudeChat")
    await until(lambda: river.kind.agents, "there is an agent")
    await until(here.all, "there is a chat")
    await river.panel.bar_shows("Ask first")
    yield river, here.all()[0]
    await here.close()


async def test_what_follows_an_event_does_not_depend_on_what_shows_it(
    both: tuple[River, Chat], monkeypatch: pytest.MonkeyPatch
) -> None:
    river, chat = both
    for part in (chat.reviewing, chat.settings, chat.background):
        monkeypatch.setattr(part, "apply", fail)

    await river.panel.send("one")
    await river.wait_for_call("prompt")
    river.agent.emit(TextDelta("x", "said"))
    await river.panel.shows("said")
    river.agent.emit(PermissionAsked("r", "t", "Bash", {"command": "ls"}, (ALLOW,)))
    await river.panel.shows("ls")
    river.agent.emit(RequestWithdrawn("r"))

    await until(lambda: not chat.requests, "the request is over")


async def test_a_request_that_cannot_be_shown_is_reported(
    both: tuple[River, Chat], monkeypatch: pytest.MonkeyPatch
) -> None:
    river, chat = both
    monkeypatch.setattr(chat.answers, "ask", fail)

    river.agent.emit(PermissionAsked("r", "t", "Bash", {"command": "ls"}, (ALLOW,)))

    await river.panel.shows(UNSHOWN)
