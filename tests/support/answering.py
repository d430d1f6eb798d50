"""An editor that reports prepared answers to one operation of the port."""

import asyncio
from typing import Any, cast

from claude_ide.editor.events import EditorState, Events
from claude_ide.editor.operations import Operations
from claude_ide.editor.port import Port
from claude_ide.editor.remote import Remote
from support.pocket import PocketChannel


class Answering:
    """Records calls, and answers each of this function, whose first argument is a token."""

    def __init__(self, function: str) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.answers: list[dict[str, Any]] = []
        self._function = function
        self._events = Events(EditorState())
        channel = PocketChannel(self._answer, self._record)
        operations = Operations(channel, self._events)
        self.port = cast(Port, Remote(channel, operations))

    def _record(self, *call: Any) -> None:
        self.calls.append(call)

    async def _answer(self, function: str, *arguments: Any) -> None:
        self.calls.append((function, *arguments))
        if function == self._function and self.answers:
            answer = {"token": arguments[0], **self.answers.pop(0)}
            asyncio.get_running_loop().call_soon(self._events.dispatch, "answered", answer)
