"""Notices that the user has interrupted the turn of a CLI in a terminal.

No hook reports that; only the CLI's record of the conversation says so. During a turn it is looked
at again and again: Vim cannot watch a file, and has hooks as well as Neovim.
"""

import asyncio
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec

from claude_ide.agents.fields import mapping, sequence, text

MARK = "[Request interrupted by user"
PAUSE_SECONDS = 0.1
LONGEST = 1_000_000
"""Bytes that are read at once."""


class Interruptions:
    """The records of the running turns; `report` gets the launch, and the id of the prompt."""

    def __init__(self, report: Callable[[str, str], object]) -> None:
        self._report = report
        self._watching: dict[str, asyncio.Task[None]] = {}

    def watch(self, launch: str, path: str) -> None:
        """Watch the record of a turn, which may not exist yet, until `unwatch`."""
        if launch not in self._watching:
            work = self._watch(launch, Record(path))
            self._watching[launch] = asyncio.get_running_loop().create_task(work)

    def unwatch(self, launch: str) -> None:
        """Forget the turn: it has ended."""
        if watching := self._watching.pop(launch, None):
            watching.cancel()

    async def _watch(self, launch: str, record: "Record") -> None:
        # In a thread: the folder may be on a network drive that hangs.
        await asyncio.to_thread(record.skip)
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            for prompt in await asyncio.to_thread(record.interrupted):
                self._report(launch, prompt)


class Record:
    """The file to which a CLI adds a line for each message."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._read = 0

    def skip(self) -> None:
        """Ignore what the file contains so far."""
        self._read = self._size()

    def interrupted(self) -> list[str]:
        """Return the ids of the prompts whose interruption was added; empty ids are unknown."""
        return [
            prompt
            for line in self._added()
            if MARK.encode() in line and (prompt := interrupted_prompt(line)) is not None
        ]

    def _added(self) -> list[bytes]:
        """Return the whole lines that were added, of which long ones may be cut."""
        size = self._size()
        if size <= self._read:
            return []
        begin = max(self._read, size - LONGEST)
        try:
            with self._path.open("rb") as file:
                file.seek(begin)
                read = file.read(LONGEST)
        except OSError:
            return []
        whole = read[: read.rfind(b"\n") + 1]
        self._read = begin + len(whole)
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
