"""What the CLIs in terminals do, for the editor's status line: from their hooks and their own."""

import logging
from collections.abc import Callable
from typing import Any

import msgspec

from claude_ide.editor.editor import Editor
from claude_ide.hooks.conversation import Hook
from claude_ide.hooks.interruptions import Interruptions

logger = logging.getLogger(__name__)

IDLE = ("Stop", "StopFailure", "SessionEnd")
"""Hooks after which a CLI does nothing; before all others, and after them, it works."""

MOST = 50
"""Launches; a client can invent some."""


class _Model(msgspec.Struct, frozen=True):
    display_name: str | None = None


class _Cost(msgspec.Struct, frozen=True):
    total_cost_usd: float | None = None


class _Context(msgspec.Struct, frozen=True):
    used_percentage: float | None = None


class _Report(msgspec.Struct, frozen=True):
    """What the CLI tells its status line; versions differ."""

    model: _Model = _Model()
    cost: _Cost = _Cost()
    context_window: _Context = _Context()


class Activities:
    """The state and the figures of each terminal, by the id of its launch.

    `interrupted` gets the launch of a turn that the user has interrupted, and the prompt's id.
    """

    def __init__(self, editor: Editor, interrupted: Callable[[str, str], object]) -> None:
        self._editor = editor
        self._interruptions = Interruptions(interrupted)
        self._known: dict[str, dict[str, Any]] = {}
        self._prompts: dict[str, str] = {}
        """The ids of the prompts whose turns are running."""

    def follow(self, launch: str, hook: Hook) -> None:
        """Apply a hook."""
        if hook.hook_event_name in IDLE:
            self.rest(launch)
            return
        self._prompts[launch] = hook.prompt_id
        if hook.transcript_path:
            self._interruptions.watch(launch, hook.transcript_path)
        self._update(launch, {"is_working": True})

    def is_current(self, launch: str, prompt: str) -> bool:
        """Return whether the turn of the prompt with this id is running; all may be unknown."""
        known = self._prompts.get(launch)
        return known is not None and (prompt == known or "" in (prompt, known))

    def rest(self, launch: str) -> None:
        """Record the end of a turn."""
        self._prompts.pop(launch, None)
        self._interruptions.unwatch(launch)
        self._update(launch, {"is_working": False})

    def end(self, launch: str) -> None:
        """Forget a terminal that has ended."""
        self._prompts.pop(launch, None)
        self._interruptions.unwatch(launch)
        if self._known.pop(launch, None) is not None:
            self._editor.terminals.agent_ended(launch)

    def report(self, launch: str, body: bytes) -> None:
        """Apply what a CLI tells its status line."""
        try:
            report = msgspec.json.decode(body, type=_Report)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            logger.warning("a report for the status line could not be decoded: %s", error)
            return
        figures = {
            "model": report.model.display_name,
            "context": _rounded(report.context_window.used_percentage),
            "cost": report.cost.total_cost_usd,
        }
        self._update(launch, {key: value for key, value in figures.items() if value is not None})

    def _update(self, launch: str, changes: dict[str, Any]) -> None:
        before = self._known.pop(launch, {})
        after = self._known[launch] = {"is_working": False} | before | changes
        if after != before:
            self._editor.terminals.agent_does(launch, after)
        while len(self._known) > MOST:
            self.end(next(iter(self._known)))


def _rounded(number: float | None) -> int | None:
    return None if number is None else round(number)
