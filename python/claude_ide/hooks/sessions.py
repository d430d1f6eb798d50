"""The sessions of the CLIs in terminals, and the service that takes their hooks."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

import msgspec

from claude_ide.announcer import Announcer
from claude_ide.editor.editor import Editor
from claude_ide.hooks import registration
from claude_ide.hooks.activities import Activities
from claude_ide.hooks.changes import AllChanges
from claude_ide.hooks.conversation import AGENT, Conversation, Hook
from claude_ide.hooks.permissions import Permissions
from claude_ide.hooks.reasons import Reasons
from claude_ide.review.commands import Commands
from claude_ide.transport.admission import single
from claude_ide.transport.http import Request, Response, Service
from claude_ide.unicode import readable
from claude_ide.wire import FROM, TO, Party

WAIT_SECONDS = 0.5
"""How long a CLI waits for us: a tool must not run before the files were looked at."""
MOST_SESSIONS = 50

PROMPTED = "UserPromptSubmit"


def _answer(content: Mapping[str, Any]) -> Response:
    encoded = msgspec.json.encode(readable(content))
    return Response(HTTPStatus.OK, encoded, (("Content-Type", "application/json"),))


_NOTHING = _answer({})
"""It leaves every decision to the CLI."""


class Sessions:
    """All sessions, by the id of their terminal and their own."""

    def __init__(self, editor: Editor, run: Callable[[Awaitable[Any]], object]) -> None:
        self._editor = editor
        self.permissions = Permissions(editor, run)
        self.activities = Activities(editor, self._interrupted)
        self.changes = AllChanges(editor, AGENT)
        self._open: dict[tuple[str, str], Conversation] = {}
        self._following: set[asyncio.Task[None]] = set()
        self._party = Party(lambda: f"{AGENT} (hooks)")

    def service(self, token: str) -> Service:
        """Return the service for the hooks of clients with this token."""
        return Service((registration.PATH,), token, ("POST",), self._answer)

    def terminal_ended(self, launch: str) -> None:
        """End the sessions of a terminal that its CLI has not ended."""
        self.permissions.terminal_ended(launch)
        self.activities.end(launch)
        for key in [key for key in self._open if key[0] == launch]:
            self._start(self._open.pop(key).close())

    def _interrupted(self, launch: str, prompt: str) -> None:
        """End the turn of a terminal, unless another prompt has ended it."""
        if not self.activities.is_current(launch, prompt):
            return
        self.activities.rest(launch)
        for key in [key for key in self._open if key[0] == launch]:
            self._start(self._open[key].interrupt())

    async def _answer(self, request: Request) -> Response:
        try:
            hook = msgspec.json.decode(request.body, type=Hook)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return Response(HTTPStatus.BAD_REQUEST)
        self._party.note(FROM, request.body)
        launch = single(request.headers, registration.LAUNCH)
        session = self._find(launch, hook)
        if hook.hook_event_name == registration.ASKING:
            return await self._ask(launch, hook)
        self.permissions.follow(launch, hook)
        self.activities.follow(launch, hook)
        task = self._start(session.follow(hook))
        await asyncio.wait((task,), timeout=WAIT_SECONDS)
        is_prompt = hook.hook_event_name == PROMPTED
        note = await session.changes.note() if is_prompt else ""
        return self._told(PROMPTED, additionalContext=note) if note else _NOTHING

    async def _ask(self, launch: str, hook: Hook) -> Response:
        decision = await self.permissions.ask(launch, hook)
        if decision is None:
            return _NOTHING
        return self._told(registration.ASKING, decision=decision)

    def _told(self, event: str, **more: Any) -> Response:
        answer = {"hookSpecificOutput": {"hookEventName": event, **more}}
        self._party.note(TO, answer)
        return _answer(answer)

    def _find(self, launch: str, hook: Hook) -> Conversation:
        """Return the session of a hook; the least recently used one of too many ends."""
        key = launch, hook.session_id
        session = self._open.pop(key, None)
        changes = self.changes.of(launch, hook.session_id, hook.cwd)
        if hook.hook_event_name == PROMPTED:
            self.changes.forget()
        if session is None:
            announcer = Announcer(self._editor.announce, AGENT, hook.cwd)
            commands = Commands(self._editor)
            reasons = Reasons(partial(self._editor.explain, launch), self._start)
            session = Conversation(announcer, commands, changes, reasons)
        session.changes = changes
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
