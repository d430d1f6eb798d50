"""One question that is being answered: who asks it, and what is told of it."""

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from claude_ide.agents.stream_json.headless import Ask, Question, Result
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.agents.stream_json.wire.launch import Launch
from claude_ide.config import Config
from claude_ide.editor.editor import Editor
from claude_ide.errors import AgentError
from claude_ide.headless.answer import Answer
from claude_ide.headless.telling import Telling

LOGIN = "run :Claude, then /login"

Follow = Callable[[Launch], AbstractContextManager[Launch]]


class Run:
    """One question under its id, open while its task answers it; `ask` asks the CLI."""

    def __init__(self, id_: int, editor: Editor, config: Config, follow: Follow) -> None:
        """Prepare a request; `follow` lets its CLI follow a folder that the user trusts."""
        self.id = id_
        self._follow = follow
        self.editor = editor
        self.config = config
        self.cancelled = False
        self.finished = False
        """Whether the editor has ended the question itself."""
        self._asking: Ask | None = None
        self._task: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> None:
        self._task = asyncio.current_task()
        if self.cancelled:
            raise asyncio.CancelledError

    async def __aexit__(self, *_exception: object) -> None:
        self._task = None

    async def ask(
        self, launch: Launch, question: Question, *, wants_events: bool = False
    ) -> Result:
        """Ask the CLI and tell the editor of the answer while it comes.

        Raises `AgentError` with one line of what went wrong.
        """
        with self._follow(launch) as followed:
            return await self._ask(followed, question, wants_events=wants_events)

    async def _ask(self, launch: Launch, question: Question, *, wants_events: bool) -> Result:
        answer = Answer()
        telling = Telling(answer, partial(self.editor.run, "question.update", self.id))

        def on_frame(frame: Frame) -> None:
            if wants_events:
                telling.put_event(frame)

        self._asking = asking = Ask(launch, question, on_frame)
        telling.changed()
        async with telling.running(), contextlib.aclosing(asking.events()) as events:
            async for event in events:
                answer.take(event)
                telling.changed()
        try:
            return asking.result()
        except AgentError as error:
            raise AgentError(_one_line(str(error), answer)) from None

    def cancel(self) -> None:
        """Answer no more; the CLI is ended."""
        self.cancelled = True
        if self._asking is not None:
            self._asking.cancel()
        if self._task is not None:
            self._task.cancel()


def _one_line(message: str, answer: Answer) -> str:
    line = message.strip().partition("\n")[0]
    is_login = answer.error is not None and answer.error.reason == "authentication_failed"
    return f"{line}; {LOGIN}" if is_login else line
