"""The sessions of the CLIs in terminals, and the service that takes their hooks."""

import asyncio
from collections.abc import Coroutine
from http import HTTPStatus
from typing import Any

import msgspec

from claude_ide.announcer import Announcer
from claude_ide.editor.editor import Editor
from claude_ide.hooks import registration
from claude_ide.hooks.conversation import Conversation, Hook
from claude_ide.review.commands import Commands
from claude_ide.transport.admission import single
from claude_ide.transport.http import Request, Response, Service

AGENT = "Claude"
WAIT_SECONDS = 0.5
"""How long a CLI waits for us: a tool must not run before the files were looked at."""
MOST_SESSIONS = 50

_ANSWER = Response(HTTPStatus.OK, b"{}", (("Content-Type", "application/json"),))
"""It leaves every decision to the CLI."""


class Sessions:
    """All sessions, by the id of their terminal and their own."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._open: dict[tuple[str, str], Conversation] = {}
        self._following: set[asyncio.Task[None]] = set()

    def service(self, token: str) -> Service:
        """Return the service for the hooks of clients with this token."""
        return Service((registration.PATH,), token, ("POST",), self._answer)

    def terminal_ended(self, launch: str) -> None:
        """End the sessions of a terminal that its CLI has not ended."""
        for key in [key for key in self._open if key[0] == launch]:
            self._start(self._open.pop(key).close())

    async def _answer(self, request: Request) -> Response:
        try:
            hook = msgspec.json.decode(request.body, type=Hook)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return Response(HTTPStatus.BAD_REQUEST)
        session = self._find(single(request.headers, registration.LAUNCH), hook)
        task = self._start(session.follow(hook))
        await asyncio.wait((task,), timeout=WAIT_SECONDS)
        return _ANSWER

    def _find(self, launch: str, hook: Hook) -> Conversation:
        """Return the session of a hook; the least recently used one of too many ends."""
        key = launch, hook.session_id
        session = self._open.pop(key, None)
        if session is None:
            announcer = Announcer(self._editor.announce, AGENT, hook.cwd)
            commands = Commands(self._editor)
            session = Conversation(announcer, commands, self._editor.explain, self._start)
        if hook.hook_event_name != "SessionEnd":
            self._open[key] = session
        while len(self._open) > MOST_SESSIONS:
            self._start(self._open.pop(next(iter(self._open))).close())
        return session

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        return task
