"""The sessions of the CLIs in terminals, whose hooks are answered here."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import msgspec

from claude_ide.announcer import Announcer
from claude_ide.editor.editor import Editor
from claude_ide.hooks import registration
from claude_ide.hooks.activities import Activities
from claude_ide.hooks.changes import AllChanges
from claude_ide.hooks.conversation import AGENT, Conversation, Hook, Reasons
from claude_ide.hooks.permissions import Permissions
from claude_ide.mcp.reading import Readings
from claude_ide.review.commands import Commands
from claude_ide.unicode import readable
from claude_ide.wire import FROM, TO, Party

logger = logging.getLogger(__name__)

WAIT_SECONDS = 0.5
"""How long a CLI waits for us: a tool must not run before the files were looked at."""
MOST_SESSIONS = 50

PROMPTED = "UserPromptSubmit"


class Sessions:
    """All sessions, by the id of their terminal and their own."""

    def __init__(
        self,
        editor: Editor,
        run: Callable[[Awaitable[Any]], object],
        readings: Readings | None = None,
    ) -> None:
        self._editor = editor
        self._readings = readings or Readings()
        self.permissions = Permissions(editor, run)
        self.activities = Activities(editor, self._interrupted)
        self.changes = AllChanges(editor, AGENT)
        self._open: dict[tuple[str, str], Conversation] = {}
        self._following: set[asyncio.Task[None]] = set()
        self._party = Party(lambda: f"{AGENT} (hooks)")

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

    async def answer(self, launch: str, body: bytes) -> bytes:
        """Handle a hook; return JSON for the CLI, or nothing, which leaves all decisions to it."""
        try:
            hook = msgspec.json.decode(body, type=Hook)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            logger.warning("a hook could not be decoded: %s", error)
            return b""
        self._party.note(FROM, body)
        session = self._find(launch, hook)
        if hook.hook_event_name == registration.ASKING:
            decision = await self.permissions.ask(launch, hook)
            return self._told(registration.ASKING, decision=decision) if decision else b""
        self.permissions.follow(launch, hook)
        self.activities.follow(launch, hook)
        if path := hook.accessed:
            self._readings.of(launch).add(path)
        task = self._start(session.follow(hook))
        await asyncio.wait((task,), timeout=WAIT_SECONDS)
        is_prompt = hook.hook_event_name == PROMPTED
        note = await session.changes.note() if is_prompt else ""
        return self._told(PROMPTED, additionalContext=note) if note else b""

    def _told(self, event: str, **more: Any) -> bytes:
        answer = {"hookSpecificOutput": {"hookEventName": event, **more}}
        self._party.note(TO, answer)
        return msgspec.json.encode(readable(answer))

    def _find(self, launch: str, hook: Hook) -> Conversation:
        """Return the session of a hook; the least recently used one of too many ends."""
        key = launch, hook.session_id
        session = self._open.pop(key, None)
        changes = self.changes.of(launch, hook.session_id, hook.cwd)
        if hook.hook_event_name == PROMPTED:
            self.changes.forget()
        if session is None:
            announcer = Announcer(self._editor.port.windows.announce, AGENT, hook.cwd)
            commands = Commands(self._editor)
            reasons = Reasons(partial(self._editor.port.diffs.explain, launch), self._start)
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
