"""What the user allows the demo's chat to do: the mode, rules, and answers to requests."""

import asyncio
import fnmatch
from collections.abc import Callable
from pathlib import Path
from typing import Any

from claude_ide.demo import frames
from claude_ide.demo.frames import Frame

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
        self.rules: list[Frame] = []
        self.is_overstated = False
        """Whether a rule should outlast the demo, which keeps it only in its memory."""
        self._write = write
        self._asked: dict[str, asyncio.Future[Frame]] = {}

    def answered(self, answer: Frame) -> None:
        """Take the user's answer to a request."""
        future = self._asked.pop(str(answer.get("request_id")), None)
        if future is not None and not future.done():
            future.set_result(answer.get("response") or {})

    def allows(self, name: str, arguments: Frame) -> bool:
        """Return whether a tool may be used without a request."""
        if name in DIALOGUES:
            return False
        by_mode = self.mode == BYPASS or (name in EDITS and self.mode == ACCEPT_EDITS)
        return by_mode or any(_matches(rule, name, arguments) for rule in self.rules)

    async def ask(self, tool: str, name: str, arguments: Frame) -> Frame:
        """Return the arguments that the user allows. Raises `Refused`."""
        if self.allows(name, arguments):
            return arguments
        if self.mode == DONT_ASK:
            raise Refused("in this mode, everything that would need a question is refused")
        decision = await self._answer(
            frames.question(tool, name, arguments, _suggestions(name, arguments))
        )
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
            elif update.get("type") == "addRules" and update.get("behavior") == "allow":
                self.rules += update.get("rules") or []
                self.is_overstated |= update.get("destination") != SESSION


def _suggestions(name: str, arguments: Frame) -> list[Frame]:
    if name in EDITS:
        return [{"type": "setMode", "mode": ACCEPT_EDITS, "destination": SESSION}]
    if name != "Bash":
        return []
    rules = [{"toolName": name, "ruleContent": arguments["command"]}]
    return [{"type": "addRules", "rules": rules, "behavior": "allow", "destination": SESSION}]


def _matches(rule: dict[str, Any], name: str, arguments: Frame) -> bool:
    wanted = "Edit" if name in EDITS else name
    if rule.get("toolName") not in (name, wanted):
        return False
    pattern = str(rule.get("ruleContent") or "*").replace(":*", "*")
    if name == "Bash":
        return fnmatch.fnmatchcase(str(arguments["command"]), pattern)
    path = Path(str(arguments.get("file_path", "")))
    return fnmatch.fnmatchcase(path.name, pattern) or fnmatch.fnmatchcase(str(path), pattern)
