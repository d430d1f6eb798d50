"""A minimal editor: two functions that get every call."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

from claude_ide.editor.events import EditorState, Events
from claude_ide.editor.operations import Operations
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import Channel
from claude_ide.editor.remote import Remote

Answer = Callable[..., Awaitable[Any]]
"""Answers a request: `(function, *arguments)`."""

Notice = Callable[..., object]
"""Gets a notification: `(function, *arguments)`."""


def _ignore(_function: str, *_arguments: Any) -> None:
    """No notification matters."""


class PocketChannel:
    """A channel that calls these functions (implements `Channel`)."""

    def __init__(self, answer: Answer, notice: Notice) -> None:
        self._answer = answer
        self._notice = notice

    def call(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        return asyncio.ensure_future(self._answer(function, *arguments))

    def json(self, function: str, *arguments: Any) -> "asyncio.Future[Any]":
        return self.call(function, *arguments)

    def notify(self, function: str, *arguments: Any) -> None:
        self._notice(function, *arguments)

    def close(self) -> None:
        pass


def pocket_port(answer: Answer, notice: Notice = _ignore, events: Events | None = None) -> Port:
    """Return a port that calls these functions; `events` bring the results of operations."""
    channel, events = PocketChannel(answer, notice), events or Events(EditorState())
    operations = Operations(channel, events)
    return port_of_channel(channel, operations)


def port_of_channel(channel: Channel, operations: Operations) -> Port:
    """Return a port that sends its calls through a channel."""
    return cast(Port, Remote(channel, operations))
