"""What the user allows the demo's chat to do: the mode, and answers to requests."""

import asyncio
from collections.abc import Callable

from demo import frames
from demo.frames import Frame

DEFAULT, ACCEPT_EDITS, PLAN = "default", "acceptEdits", "plan"
DONT_ASK, BYPASS = "dontAsk", "bypassPermissions"
NAMES = {"manual": DEFAULT} | {mode: mode for mode in (DEFAULT, ACCEPT_EDITS, PLAN, DONT_ASK)}
EDITS = ("Edit", "Write")
DIALOGUES = ("AskUserQuestion", "ExitPlanMode")
"""The tools that consist of a request to the user."""

SESSION = "session"
NO = "The user doesn't want to proceed with this tool use."


class Refused(Exception):
    """The user has not allowed a tool; the text is the reason, if there is one."""


class Permissions:
    """The permissions of one conversation; `write` sends frames."""

    def __init__(self, mode: str, write: Callable[[Frame], None]) -> None:
        self.mode = NAMES.get(mode, mode if mode == BYPASS else DEFAULT)
        self._write = write
        self._asked: dict[str, asyncio.Future[Frame]] = {}

    def answered(self, answer: Frame) -> None:
        """Take the user's answer to a request."""
        future = self._asked.pop(str(answer.get("request_id")), None)
        if future is not None and not future.done():
            future.set_result(answer.get("response") or {})

    def allows(self, name: str) -> bool:
        """Return whether a tool may be used without a request."""
        if name in DIALOGUES:
            return False
        return self.mode == BYPASS or (name in EDITS and self.mode == ACCEPT_EDITS)

    async def ask(self, tool: str, name: str, arguments: Frame) -> Frame:
        """Return the arguments that the user allows. Raises `Refused`."""
        if self.allows(name):
            return arguments
        if self.mode == DONT_ASK:
            raise Refused("in this mode, everything that would need a question is refused")
        mode = {"type": "setMode", "mode": ACCEPT_EDITS, "destination": SESSION}
        suggestions = [mode] * (name in EDITS)
        decision = await self._answer(frames.question(tool, name, arguments, suggestions))
        if decision.get("behavior") != "allow":
            reason = str(decision.get("message") or NO)
            raise Refused("" if reason == NO else reason)
        self._update(decision.get("updatedPermissions") or [])
        changed: Frame = decision.get("updatedInput") or arguments
        return changed

    async def _answer(self, question: Frame) -> Frame:
        request = str(question["request_id"])
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._asked[request] = answer
        self._write(question)
        try:
            return await answer
        except asyncio.CancelledError:
            if self._asked.pop(request, None) is not None:
                self._write({"type": "control_cancel_request", "request_id": request})
            raise

    def _update(self, updates: list[Frame]) -> None:
        for update in updates:
            if update.get("type") == "setMode":
                self.mode = NAMES.get(str(update.get("mode")), self.mode)
