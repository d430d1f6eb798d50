"""The sessions of the CLIs in terminals, whose hooks are answered here."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import msgspec

from claude_ide.agents.stream_json.notices import BESIDE
from claude_ide.base.unicode import readable
from claude_ide.editor.editor import Editor
from claude_ide.hooks import registration
from claude_ide.hooks.activities import Activities
from claude_ide.hooks.conversation import AGENT, Conversation, Hook, Reasons
from claude_ide.hooks.permissions import Permissions
from claude_ide.mcp.reading import Readings
from claude_ide.review.announcer import Announcer
from claude_ide.review.recorder import Recorder
from claude_ide.review.service import ReviewService
from claude_ide.transport.wire import FROM, TO, Party

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
        review: ReviewService,
        readings: Readings | None = None,
    ) -> None:
        self._editor = editor
        self._readings = readings or Readings()
        self.permissions = Permissions(editor, run)
        self.activities = Activities(editor, self._interrupted)
        self._review = review
        self._recorders: dict[str, Recorder] = {}
        """By session, the last active one last."""
        self._open: dict[tuple[str, str], Conversation] = {}
        self._following: set[asyncio.Task[None]] = set()
        self._party = Party(lambda: f"{AGENT} (hooks)")

    def terminal_ended(self, launch: str) -> None:
        """End the sessions of a terminal that its CLI has not ended."""
        self.permissions.terminal_ended(launch)
        self.activities.end(launch)
        for key in [key for key in self._open if key[0] == launch]:
            self._start(self._open.pop(key).close())

    def of(self, launch: str) -> str:
        """Return the session of a terminal that was active last; empty if there is none."""
        return next((session for each, session in reversed(self._open) if each == launch), "")

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
            if path := hook.edited:
                session.recorder.asked(path)
            decision = await self.permissions.ask(launch, hook)
            return self._told(registration.ASKING, decision=decision) if decision else b""
        self.permissions.follow(launch, hook)
        if hook.hook_event_name not in BESIDE:
            self.activities.follow(launch, hook)
        self._follow_turn(launch, hook.hook_event_name)
        if path := hook.accessed:
            self._readings.of(launch).add(path)
        task = self._start(session.follow(hook))
        await asyncio.wait((task,), timeout=WAIT_SECONDS)
        is_prompt = hook.hook_event_name == PROMPTED
        note = await session.recorder.note() if is_prompt else ""
        return self._told(PROMPTED, additionalContext=note) if note else b""

    def _follow_turn(self, launch: str, event: str) -> None:
        attention = self._editor.attention
        session = self._editor.terminals.session(AGENT, launch)
        if event == PROMPTED:
            attention.prompted(session)
        elif event not in registration.ENDS:
            attention.works(session)

    def _told(self, event: str, **more: Any) -> bytes:
        answer = {"hookSpecificOutput": {"hookEventName": event, **more}}
        self._party.note(TO, answer)
        return msgspec.json.encode(readable(answer))

    def _find(self, launch: str, hook: Hook) -> Conversation:
        """Return the session of a hook; the least recently used one of too many ends."""
        key = launch, hook.session_id
        session = self._open.pop(key, None)
        recorder = self._recorder(hook)
        if session is None:
            announcer = Announcer(self._editor.port.windows.announce, AGENT, hook.cwd)
            explain = partial(self._editor.port.diffs.explain, launch)
            reasons = Reasons(explain, self._start, recorder.explain)
            ended = partial(self._review.turn_ended, self._editor.terminals.session(AGENT, launch))
            session = Conversation(announcer, recorder, ended, reasons)
        session.recorder = recorder
        if hook.hook_event_name != "SessionEnd":
            self._open[key] = session
        while len(self._open) > MOST_SESSIONS:
            self._start(self._open.pop(next(iter(self._open))).close())
        return session

    def _tell(self, what: str) -> None:
        self._editor.notify(f"{AGENT} now knows that you {what}")

    def _recorder(self, hook: Hook) -> Recorder:
        """Return what records a session; its terminal may be another one than before."""
        known = self._recorders.pop(hook.session_id, None)
        given = self._review, self._editor, hook.session_id, hook.cwd, self._tell
        self._recorders[hook.session_id] = known or Recorder(*given)
        while len(self._recorders) > MOST_SESSIONS:
            del self._recorders[next(iter(self._recorders))]
        return self._recorders[hook.session_id]

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        return task
