"""Tells the editor why Claude makes the edits that are under way, and when each is over.

The CLI proposes a diff without saying why; only its terminal and the path connect it with the
words, which are in the transcript that its hooks name. The CLI writes a use of a tool there only
after the hook that announces it. Words that outlived their edit would be shown for the next one.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from claude_ide import files
from claude_ide.agents.fields import mapping, mappings, parsed, text
from claude_ide.last_words import sentence

TAIL = 2_000_000
"""Bytes at the end of a transcript that are read; it also has whole requests."""

POLL_SECONDS = 0.2
POLLS = 25


async def before(transcript: str, use: str) -> str:
    """Return the last text of the turn before a use of a tool; empty if there is none."""
    for _ in range(POLLS):
        said = await asyncio.to_thread(_read, Path(transcript), use)
        if said is not None:
            return said
        await asyncio.sleep(POLL_SECONDS)
    return ""


def _read(path: Path, use: str) -> str | None:
    """Return the text; None as long as the transcript does not have the use."""
    try:
        with files.open_regular(path) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            lines = file.read(TAIL).splitlines()
    except (OSError, ValueError):
        return None
    return _said(_messages(reversed(lines)), use)


def _said(messages: Iterable[Mapping[str, Any]], use: str) -> str | None:
    is_found = False
    for message in messages:
        content = message.get("content")
        blocks = [*mappings(content)] if isinstance(content, list) else []
        if message.get("role") == "user":
            is_prompt = not any(block.get("type") == "tool_result" for block in blocks)
            if is_found and is_prompt:
                return ""
            continue
        for block in reversed(blocks):
            if block.get("type") == "tool_use" and block.get("id") == use:
                is_found = True
            elif is_found and block.get("type") == "text" and text(block.get("text")).strip():
                return text(block.get("text"))
    return "" if is_found else None


def _messages(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    """Yield the messages of the main conversation in these lines."""
    for line in lines:
        if b'"role":"assistant"' not in line and b'"role":"user"' not in line:
            continue
        record = parsed(line)
        if record.get("type") in ("assistant", "user") and not record.get("isSidechain"):
            yield mapping(record.get("message"))


class Reasons:
    """The edits of one session. `explain` is called with a path, and words or an empty string.

    `start` runs a task.
    """

    def __init__(
        self,
        explain: Callable[[str, str], object],
        start: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._explain = explain
        self._start = start
        self._paths: dict[str, str] = {}
        """The files of the edits that are under way, by the tool use."""

    def begin(self, use: str, path: str, transcript: str) -> None:
        """Tell what was said before an edit as soon as the transcript (a path) has the edit."""
        self._paths[use] = path
        if transcript:
            self._start(self._tell(use, transcript))

    def end(self, use: str) -> None:
        """Forget what was said before an edit; uses of other tools are ignored."""
        if path := self._paths.pop(use, ""):
            self._explain(path, "")

    def end_all(self) -> None:
        """Forget what was said: no edit is under way."""
        for use in list(self._paths):
            self.end(use)

    async def _tell(self, use: str, transcript: str) -> None:
        words = sentence(await before(transcript, use))
        # The edit may be over by now.
        if words and use in self._paths:
            self._explain(self._paths[use], words)
