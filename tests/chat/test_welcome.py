"""`welcome.py`: the content of a transcript without a conversation."""

from datetime import UTC, datetime
from typing import Any

import pytest

from claude_ide.agents import events
from claude_ide.agents.agent import SessionSummary
from claude_ide.chat.bar import Bar
from claude_ide.chat.chat_context import ChatContext
from claude_ide.chat.life import Life
from claude_ide.chat.settings import Settings
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.chat.welcome import WELCOME, Welcome
from claude_ide.ui.sheet import Resume
from support.another_agent import ALL
from support.chat_parts import PocketChat


def sessions() -> list[SessionSummary]:
    return [SessionSummary(f"s{n}", f"Title {n}", datetime.now(UTC)) for n in range(1, 6)]


@pytest.fixture
def chat() -> ChatContext:
    return PocketChat().context


@pytest.fixture
def transcript(chat: ChatContext) -> Transcript:
    return chat.transcript


@pytest.fixture
def welcome(chat: ChatContext) -> Welcome:
    welcome = Welcome(chat, Bar(), Settings(chat, Life(chat)))
    welcome.show()
    return welcome


def part_of(transcript: Transcript) -> int:
    [part] = [part.id for part in transcript.sheet.page.parts if part.kind == WELCOME]
    return part


def test_the_settings_and_keys_are_shown(transcript: Transcript, welcome: Welcome) -> None:
    welcome.update("small", "", "ask")

    first, blank, *keys = transcript.lines
    assert (first, blank) == ("Otter · small · ask", "")
    assert keys[0] == "  CTRL-S   sends the prompt"
    assert keys[-1] == "  all keys: g?"


def test_the_mode_key_is_shown_only_if_the_agent_has_modes(
    chat: ChatContext, transcript: Transcript, welcome: Welcome
) -> None:
    assert not [line for line in transcript.lines if "<S-Tab>" in line]

    agent: Any = chat.agent
    agent.capabilities = ALL
    welcome.update("small")

    assert "  <S-Tab>  changes the permission mode" in transcript.lines


def test_the_latest_sessions_can_be_resumed_in_place(
    transcript: Transcript, welcome: Welcome
) -> None:
    welcome.offer(sessions())

    lines = transcript.lines
    assert [line for line in lines if "Title" in line] == [
        "  » Title 1  now",
        "  » Title 2  now",
        "  » Title 3  now",
    ]
    at = lines.index("  » Title 2  now")
    assert transcript.press(part_of(transcript), at) == Resume("s2")
    assert transcript.press(part_of(transcript), 0) is None


@pytest.mark.parametrize("by", ["prompt", "event"])
def test_it_disappears_with_the_conversation(
    transcript: Transcript, welcome: Welcome, by: str
) -> None:
    assert transcript.sheet.is_empty
    if by == "prompt":
        transcript.queue.add("a", "Hello")
    else:
        transcript.apply(events.Notice("Hello", "error"))

    welcome.update("large")
    welcome.offer(sessions())
    welcome.show()

    assert WELCOME not in [part.kind for part in transcript.sheet.page.parts]
    assert "Otter" not in "\n".join(transcript.lines)
    assert "Hello" in "\n".join(transcript.lines)


def test_it_is_shown_once(transcript: Transcript, welcome: Welcome) -> None:
    welcome.show()

    assert len([line for line in transcript.lines if line == "Otter"]) == 1
