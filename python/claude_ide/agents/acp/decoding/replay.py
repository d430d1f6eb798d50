"""The conversation that an agent repeats when it loads a session."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from claude_ide.agents.events import (
    Event,
    FileWritten,
    Notice,
    Text,
    TextDelta,
    Thinking,
    ThinkingDelta,
    TodoList,
    ToolEnded,
    ToolInput,
    ToolOutput,
    ToolStarted,
    UserMessage,
)
from claude_ide.agents.fields import mapping, text

OF_TALK = (
    *(UserMessage, TextDelta, ThinkingDelta, TodoList),
    *(ToolStarted, ToolInput, ToolOutput, ToolEnded, FileWritten),
)
"""The events that belong to the conversation."""

_Piece = tuple[type[Text | Thinking | UserMessage], str, str]
"""A kind of message, the id of the message, and its words."""

LATE_SECONDS = 0.5
"""How long an agent may take to repeat a conversation after its answer."""

PAUSE_SECONDS = 0.05
"""An agent that is silent for this long has repeated all of it."""


async def settled(events: Sequence[Event]) -> None:
    """Wait for the rest of a conversation: some agents repeat it only after they have answered.

    `events` is the list to which it is added.
    """
    loop = asyncio.get_running_loop()
    end, known = loop.time() + LATE_SECONDS, -1
    while loop.time() < end and (
        known < len(events) or not any(isinstance(event, OF_TALK) for event in events)
    ):
        known = len(events)
        await asyncio.sleep(PAUSE_SECONDS)


def present(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events that describe the session as it is now."""
    return (event for event in events if not isinstance(event, OF_TALK))


def history(name: str, events: Iterable[Event]) -> list[Event]:
    """Return a repeated conversation, or a notice that the agent with this name repeats none."""
    silent = Notice(f"{name} does not repeat the conversation, but continues it", "notice")
    return [*conversation(events)] or [silent]


def conversation(events: Iterable[Event]) -> Iterator[Event]:
    """Yield a repeated conversation with whole texts in place of their pieces."""
    whole: _Piece | None = None
    for event in (each for each in events if isinstance(each, OF_TALK)):
        piece: _Piece | None = None
        match event:
            case TextDelta(block, words):
                piece = Text, block, words
            case ThinkingDelta(block, words):
                piece = Thinking, block, words
            case UserMessage(words, prompt):
                piece = UserMessage, prompt, words
        if piece is not None and whole is not None and piece[:2] == whole[:2]:
            whole = (*piece[:2], whole[2] + piece[2])
            continue
        yield from _shown(whole)
        whole = piece
        if piece is None and not isinstance(event, FileWritten):
            yield event
    yield from _shown(whole)


def _shown(whole: _Piece | None) -> Iterator[Event]:
    match whole:
        case (kind, prompt, words) if kind is UserMessage:
            if own := typed(words):
                yield UserMessage(own, prompt)
        case (kind, block, words):
            yield kind(block, words)


MODEL = "assistant"
"""The audience of texts that are not for the user."""

_MARKED = re.compile(r'\s*<context ref="[^"\n]*">\n.*?\n</context>', re.DOTALL)
_FILE = re.compile(r"\[/[^\]\n]+\]\n")
"""opencode repeats an embedded file in a text of its own, with the path at its beginning."""

_BY_THE_AGENT = re.compile(r"\s*<session_context>\n.*?\n</session_context>", re.DOTALL)
"""Gemini's own first message, which it repeats as if the user had sent it."""

_LINK = re.compile(r"\[@[^\]\n]*\]\(file://[^)\n]*\)")


def is_context(content: dict[str, Any]) -> bool:
    """Return whether a part of a prompt was not typed: a link, a file, a text for the model."""
    audience = mapping(content.get("annotations")).get("audience")
    is_file = _FILE.match(text(content.get("text"))) is not None
    return is_file or content.get("type") in ("resource_link", "resource") or audience == [MODEL]


def marked(source: str, words: str) -> str:
    """Return a text that the prompt takes along; `source` says where it is from."""
    return f'<context ref="{source}">\n{words}\n</context>'


def typed(words: str) -> str:
    """Return what the user has typed of a prompt that an agent repeats."""
    return _LINK.sub("", _MARKED.sub("", _BY_THE_AGENT.sub("", words))).strip()
