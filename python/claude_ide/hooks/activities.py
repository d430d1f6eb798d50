"""What the CLIs in terminals do, for the editor's status line: from their hooks and their own.

No hook reports that the user has interrupted a turn; only the CLI's record of the conversation
says so. During a turn it is looked at again and again: Vim cannot watch a file, and has hooks as
well as Neovim.
"""

import asyncio
import contextlib
import logging
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.agents.fields import mapping, sequence, text
from claude_ide.editor.editor import Editor
from claude_ide.editor.port.events import Activity
from claude_ide.hooks.conversation import Hook

logger = logging.getLogger(__name__)

MARK = "[Request interrupted by user"
SHORTEST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 0.5
GROWTH = 1.5
"""The factor by which the pause grows while nothing is recorded, as during a long command."""
LONGEST = 1_000_000
"""Bytes that are read at once."""


class Interruptions:
    """The records of the running turns; `report` gets the launch, and the id of the prompt."""

    def __init__(self, report: Callable[[str, str], object]) -> None:
        self._report = report
        self._records: dict[str, Record] = {}
        self._watching: asyncio.Task[None] | None = None
        self._is_new = asyncio.Event()

    def watch(self, launch: str, path: str) -> None:
        """Watch the record of a turn, which may not exist yet, from now on until `unwatch`."""
        if launch in self._records:
            return
        self._records[launch] = Record(path)
        self._is_new.set()
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    def unwatch(self, launch: str) -> None:
        """Forget the turn: it has ended."""
        self._records.pop(launch, None)

    async def _watch(self) -> None:
        """Look at all records until there are none."""
        pause = SHORTEST_PAUSE_SECONDS
        while self._records:
            self._is_new.clear()
            records = dict(self._records)
            # In a thread: the folder may be on a network drive that hangs.
            has_grown, found = await asyncio.to_thread(_look, records)
            for launch, prompt in found:
                if self._records.get(launch) is records[launch]:
                    self._tell(launch, prompt)
            is_short = has_grown or self._is_new.is_set()
            pause = (
                SHORTEST_PAUSE_SECONDS if is_short else min(pause * GROWTH, LONGEST_PAUSE_SECONDS)
            )
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._is_new.wait()
        self._watching = None

    def _tell(self, launch: str, prompt: str) -> None:
        try:
            self._report(launch, prompt)
        except Exception:
            # The other turns go on.
            logger.exception("an interruption could not be reported")


def _look(records: "Mapping[str, Record]") -> tuple[bool, list[tuple[str, str]]]:
    """Return whether a record has grown, and the launches and prompts of new interruptions."""
    before = [record.size for record in records.values()]
    found = [(launch, each) for launch, record in records.items() for each in record.interrupted()]
    return before != [record.size for record in records.values()], found


class Record:
    """The file to which a CLI adds a line for each message."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self.size: int | None = None
        """The bytes that were looked at; None before the first look, which ignores them."""

    def interrupted(self) -> list[str]:
        """Return the ids of the prompts whose interruption was added; empty ids are unknown."""
        return [
            prompt
            for line in self._added()
            if MARK.encode() in line and (prompt := interrupted_prompt(line)) is not None
        ]

    def _added(self) -> list[bytes]:
        """Return the whole lines that were added, of which long ones may be cut."""
        size, known = self._size(), self.size
        if known is None:
            self.size = size
            return []
        if size <= known:
            return []
        begin = max(known, size - LONGEST)
        try:
            with self._path.open("rb") as file:
                file.seek(begin)
                read = file.read(LONGEST)
        except OSError:
            return []
        whole = read[: read.rfind(b"\n") + 1]
        self.size = begin + len(whole)
        return whole.splitlines()

    def _size(self) -> int:
        try:
            found = self._path.stat()
        except (OSError, ValueError):
            return 0
        return found.st_size if stat.S_ISREG(found.st_mode) else 0


def interrupted_prompt(line: bytes) -> str | None:
    """Return the id of the prompt whose interruption a line records; None if it does not."""
    try:
        entry = mapping(msgspec.json.decode(line))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    content = sequence(mapping(entry.get("message")).get("content"))
    first = text(mapping(content[0]).get("text")) if content else ""
    is_mark = entry.get("type") == "user" and first.startswith(MARK)
    return text(entry.get("promptId")) if is_mark else None


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
        self._update(launch, **{key: value for key, value in figures.items() if value is not None})

    def _update(self, launch: str, **changes: Any) -> None:
        before = self._known.pop(launch, None)
        after = self._known[launch] = msgspec.structs.replace(before or Activity(), **changes)
        if after != before:
            self._editor.status.agent_does(launch, after)
        while len(self._known) > MOST:
            self.end(next(iter(self._known)))


def _rounded(number: float | None) -> int | None:
    return None if number is None else round(number)
