"""Notices that the user has interrupted the turn of a CLI in a terminal.

No hook reports that; only the CLI's record of the conversation says so. During a turn it is looked
at again and again: Vim cannot watch a file, and has hooks as well as Neovim.
"""

import asyncio
import contextlib
import logging
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from claude_ide.agents.fields import mapping, sequence, text

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
