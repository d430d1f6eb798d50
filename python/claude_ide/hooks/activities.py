"""What the CLIs in terminals do, for the editor's status line: from their hooks and their own.

No hook reports that the user has interrupted a turn; only the CLI's record of the conversation
says so. During a turn it is looked at again and again: Vim cannot watch a file, and has hooks as
well as Neovim.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.agents.fields import mapping, number, parsed, sequence, text
from claude_ide.agents.stream_json import turn
from claude_ide.base import files
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import Activity
from claude_ide.editor.status_line import CONTROLS, figures_of
from claude_ide.hooks.conversation import Hook

logger = logging.getLogger(__name__)

MARK = "[Request interrupted by user"
PAUSE_SECONDS = 0.2
LONGEST_BYTES = 1_000_000
"""What is read of a record at once."""


class Interruptions:
    """The records of the running turns; `report` gets the launch, and the id of the prompt."""

    def __init__(self, report: Callable[[str, str], object]) -> None:
        self._report = report
        self._watching: dict[str, asyncio.Task[None]] = {}

    def watch(self, launch: str, path: str) -> None:
        """Watch the record of a turn, which may not exist yet, from now on until `unwatch`."""
        if launch not in self._watching:
            watch = self._watch(launch, Record(path))
            self._watching[launch] = asyncio.get_running_loop().create_task(watch)

    def unwatch(self, launch: str) -> None:
        """Forget the turn: it has ended."""
        if task := self._watching.pop(launch, None):
            task.cancel()

    async def _watch(self, launch: str, record: "Record") -> None:
        while True:
            # In a thread: the folder may be on a network drive that hangs.
            for prompt in await asyncio.to_thread(record.interrupted):
                try:
                    self._report(launch, prompt)
                except Exception:
                    logger.exception("an interruption could not be reported")
            await asyncio.sleep(PAUSE_SECONDS)


class Record:
    """The file to which a CLI adds a line for each message."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._size: int | None = None
        """The bytes that were looked at; None before the first look, which ignores them."""

    def interrupted(self) -> list[str]:
        """Return the ids of the prompts whose interruption was added; empty ids are unknown."""
        found = (_interrupted_prompt(line) for line in self._added() if MARK.encode() in line)
        return [prompt for prompt in found if prompt is not None]

    def _added(self) -> list[bytes]:
        """Return the whole lines that were added, of which long ones may be cut."""
        try:
            with files.open_regular(self._path) as file:
                size = file.seek(0, 2)
                begin = max(size if self._size is None else self._size, size - LONGEST_BYTES)
                file.seek(begin)
                read = file.read(LONGEST_BYTES)
        except (OSError, ValueError):
            self._size = self._size or 0
            return []
        whole = read[: read.rfind(b"\n") + 1]
        self._size = begin + len(whole)
        return whole.splitlines()


def _interrupted_prompt(line: bytes) -> str | None:
    """Return the id of the prompt whose interruption a line records; None if it does not."""
    entry = parsed(line)
    content = sequence(mapping(entry.get("message")).get("content"))
    first = text(mapping(content[0]).get("text")) if content else ""
    is_mark = entry.get("type") == "user" and first.startswith(MARK)
    return text(entry.get("promptId")) if is_mark else None


IDLE = ("Stop", "StopFailure", "SessionEnd")
"""Hooks after which a CLI does nothing; before all others, and after them, it works."""

MOST = 50
"""Launches; a client can invent some."""


class Activities:
    """The state and the figures of each terminal, by the id of its launch.

    `interrupted` gets the launch of a turn that the user has interrupted, and the prompt's id.
    """

    def __init__(self, editor: Editor, interrupted: Callable[[str, str], object]) -> None:
        self._editor = editor
        self._interruptions = Interruptions(interrupted)
        self._known: dict[str, Activity] = {}
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
        self._update(launch, is_working=True)

    def of(self, launch: str) -> Activity | None:
        """Return what is known of a terminal."""
        return self._known.get(launch)

    def is_current(self, launch: str, prompt: str) -> bool:
        """Return whether the turn of the prompt with this id is running; all may be unknown."""
        known = self._prompts.get(launch)
        return known is not None and (prompt == known or "" in (prompt, known))

    def rest(self, launch: str) -> None:
        """Record the end of a turn."""
        self._prompts.pop(launch, None)
        self._interruptions.unwatch(launch)
        self._update(launch, is_working=False)

    def end(self, launch: str) -> None:
        """Forget a terminal that has ended."""
        self._prompts.pop(launch, None)
        self._interruptions.unwatch(launch)
        if self._known.pop(launch, None) is not None:
            self._editor.status.agent_does(launch, None)

    def report(self, launch: str, body: bytes) -> str:
        """Apply what a CLI tells its status line; versions differ. Return a row for it to show."""
        report = parsed(body)
        context = number(mapping(report.get("context_window")).get("used_percentage"))
        figures = {
            "model": text(mapping(report.get("model")).get("display_name")) or None,
            "context": None if context is None else round(context),
            "cost": number(mapping(report.get("cost")).get("total_cost_usd")),
        }
        self._update(launch, **{key: value for key, value in figures.items() if value is not None})
        self._editor.limits.learn(launch, turn.of_status_line(report))
        used = [each for each in self._editor.limits.known if each.used is not None]
        return CONTROLS.sub("?", figures_of(self._known[launch], used))

    def _update(self, launch: str, **changes: Any) -> None:
        before = self._known.pop(launch, None)
        after = self._known[launch] = msgspec.structs.replace(before or Activity(), **changes)
        if after != before:
            self._editor.status.agent_does(launch, after)
        while len(self._known) > MOST:
            self.end(next(iter(self._known)))
