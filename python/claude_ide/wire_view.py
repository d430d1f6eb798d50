"""`:ClaudeWire`: the live traffic with clients and agents in a window, and in a file."""

import asyncio
import json
import time
from collections import OrderedDict
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec

from claude_ide.base import files
from claude_ide.base.errors import UserError
from claude_ide.base.redaction import in_environment, masked
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Run
from claude_ide.transport.wire import (
    FROM,
    KEPT_BYTES,
    STDERR,
    TO,
    Message,
    Party,
    Traffic,
    recording,
)
from claude_ide.ui.text import harmless

UPDATE_SECONDS = 0.1
"""Seconds between two updates of the window."""
MOST_BYTES_AT_ONCE = 2**20
"""Bytes of the messages in one update."""

ARROWS = {TO: "→", FROM: "←", STDERR: "!"}
OVERWRITE = ["Overwrite it", "Keep it"]
INDENT = "  "


class MessageLines(msgspec.Struct, frozen=True):
    """A message in the window: its lines, and the bytes at which the parts of the first one end."""

    number: int
    ends: list[int]
    lines: list[str]


MOST_ASKED = 1_000
"""The number of unanswered requests that are remembered."""
LONGEST_TEXT = 120
"""Characters of a text in a line."""

OPPOSITE = {TO: FROM, FROM: TO}


class WireView:
    """The window, and the file. `run` starts a task, and shows its errors to the user."""

    def __init__(self, editor: Editor, run: Run, wire: Traffic | None = None) -> None:
        self._editor = editor
        self._run = run
        self._wire = wire or recording()
        self._arrived = asyncio.Event()
        self._shown = 0
        """The number of the last message that is in the window."""
        self._lengths: list[tuple[int, int]] = []
        """The numbers of the messages there, and of their lines; an empty one has a line, too."""
        self._summaries = Summaries()
        self._known: tuple[str, ...] = ()
        self._task: object = None

    async def open(self) -> None:
        """Open the window and begin to record; if it is open already, move the cursor there."""
        is_recording = self._wire.is_watched
        await self._editor.port.wire.open(is_recording)
        if not is_recording:
            self._known = tuple(in_environment())
            self._summaries = Summaries()
            self._wire.watch(self._arrived.set)
            self._task = self._run(self._follow())

    def closed(self) -> None:
        """End the recording: the window is closed. What was recorded can still be saved."""
        self._wire.unwatch()
        self._arrived.set()

    async def save(self, name: str) -> None:
        """Write what was recorded to a file, one JSON object per line. Asks before it overwrites.

        Raises `UserError` if there is nothing to write, or the file cannot be written.
        """
        if not (kept := self._wire.kept):
            raise UserError("nothing is recorded (:ClaudeWire begins a recording)")
        folder = await self._editor.port.buffers.folder()
        path = Path(folder, Path(name).expanduser()).resolve()
        if not path.parent.is_dir():
            raise UserError(f"cannot write {name}: there is no folder {path.parent}")
        if path.exists():
            if not path.is_file():
                raise UserError(f"{name} is not a regular file")
            if await self._editor.select(f"{name} exists", OVERWRITE) != 0:
                return
        try:
            heads = [self._head(message) for message in kept]
            await asyncio.to_thread(self._write, path, heads, kept)
        except OSError as error:
            raise UserError(f"cannot write {name}: {error.strerror or error}") from None
        count = f"{len(kept):,} message{'' if len(kept) == 1 else 's'}"
        self._editor.notify(f"wrote {count} to {name}")

    def _write(self, path: Path, heads: list[dict[str, Any]], kept: tuple[Message, ...]) -> None:
        lines = (
            json.dumps(head | {"m": self._body(message)}, ensure_ascii=False)
            for head, message in zip(heads, kept, strict=True)
        )
        files.write_private(
            path, b"".join(f"{line}\n".encode("utf-8", "replace") for line in lines)
        )

    def _head(self, message: Message) -> dict[str, Any]:
        at = datetime.fromtimestamp(message.at, UTC).isoformat(timespec="milliseconds")
        cut = {"size": message.size} if message.size > KEPT_BYTES else {}
        client = self._wire.label(message.party)
        return {"time": at, "client": client, "dir": message.way, **cut}

    def _body(self, message: Message) -> Any:
        """Return the decoded message without secrets; one that is cut, or no JSON, as a text."""
        return masked(decoded(message.body), self._known)

    async def _follow(self) -> None:
        """Update the window until it is closed."""
        self._shown = 0
        self._lengths = [(0, 1)]
        while self._wire.is_watched:
            await self._arrived.wait()
            await asyncio.sleep(UPDATE_SECONDS)
            self._arrived.clear()
            while self._wire.is_watched and (new := self._unshown()):
                if not await self._append([self._entry(message) for message in new]):
                    return self.closed()
                self._shown = new[-1].number

    async def _append(self, entries: list[MessageLines]) -> bool:
        """Append messages, as soon as the text can be changed; False if the window is closed."""
        lines: list[str] = []
        heads: list[list[int]] = []
        for entry in entries:
            heads.append([len(lines), *entry.ends])
            lines += entry.lines
        while self._wire.is_watched:
            first = self._wire.kept[0].number
            dropped = sum(length for number, length in self._lengths if number < first)
            match await self._editor.port.wire.append(lines, heads, dropped):
                case "done":
                    added = [(entry.number, len(entry.lines)) for entry in entries]
                    kept = [each for each in self._lengths if each[0] >= first]
                    self._lengths = [*kept, *added]
                    return True
                case "closed":
                    return False
            await asyncio.sleep(UPDATE_SECONDS)
        return False

    def _unshown(self) -> list[Message]:
        """Return the messages that the window lacks, as many as one update can have."""
        found: list[Message] = []
        size = 0
        for message in self._wire.kept:
            if message.number > self._shown and size < MOST_BYTES_AT_ONCE:
                found.append(message)
                size += len(message.body)
        return found

    def _entry(self, message: Message) -> MessageLines:
        body = self._body(message)
        at = time.strftime("%H:%M:%S", time.localtime(message.at))
        when = f"{at}.{int(message.at % 1 * 1000):03}"
        client = self._wire.label(message.party)
        text = body if isinstance(body, str) else json.dumps(body, indent=2, ensure_ascii=False)
        cut = [f"… {message.size - KEPT_BYTES:,} more bytes"] if message.size > KEPT_BYTES else []
        parts = [f"{when} {bytes_of(message.size):>8} ", f"{ARROWS[message.way]} ", f"{client}  "]
        shown = [*map(_in_line, parts)]
        head = "".join([*shown, _in_line(self._summaries.of(message, body))])
        rest = [*text.split("\n"), *cut]
        ends = [*accumulate(len(part.encode()) for part in shown)]
        return MessageLines(
            message.number, ends, [head, *(f"{INDENT}{harmless(row)}" for row in rest)]
        )


def _in_line(part: str) -> str:
    """Return a part of a line; the blanks between the parts stay."""
    return harmless(part.replace("\n", " "))


def decoded(body: bytes) -> Any:
    """Return the value of a JSON text; of another, or of one that is cut, the text."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode("utf-8", "replace")


def bytes_of(size: int) -> str:
    """Return `345 B`, `1.2 kB` or `3.4 MB`."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} kB" if size < 999_950 else f"{size / 1e6:.1f} MB"


# What a message is about, in a few words: its method, its id, the request that it answers.


class Summaries:
    """Summarizes messages in their order."""

    def __init__(self) -> None:
        self._asked: OrderedDict[tuple[Party, str, str], str] = OrderedDict()
        """The requests by client, direction and id."""

    def of(self, message: Message, body: Any) -> str:
        """Return the summary of a message with this decoded body."""
        if not isinstance(body, dict) or message.way == STDERR:
            return _short(str(body))
        if "method" in body or "id" in body:
            return self._of_rpc(message, body)
        return _of_frame(body)

    def _of_rpc(self, message: Message, body: dict[str, Any]) -> str:
        number = f" #{body['id']}" if body.get("id") is not None else ""
        key = message.party, message.way, str(body.get("id"))
        if "method" in body:
            method = _short(str(body["method"]) + _about(body.get("params")))
            if number:
                self._asked[key] = method
                while len(self._asked) > MOST_ASKED:
                    self._asked.popitem(last=False)
            return method + number
        asked = self._asked.pop((message.party, OPPOSITE[message.way], key[2]), "a request")
        error = body.get("error")
        if isinstance(error, dict):
            return f"error to {asked}{number}: {_short(str(error.get('message', '')))}"
        return f"answer to {asked}{number}"


def _about(params: Any) -> str:
    """Return the name of the tool that is called, or what an update of a session is about."""
    if not isinstance(params, dict):
        return ""
    update = params.get("update")
    told = update.get("sessionUpdate") if isinstance(update, dict) else params.get("name")
    return f" {told}" if isinstance(told, str) else ""


def _of_frame(frame: dict[str, Any]) -> str:
    """Summarize a frame of the CLI, or a hook, which have no method."""
    words = [frame.get("type") or frame.get("hook_event_name"), frame.get("subtype")]
    for name in ("request", "response", "event"):
        if isinstance(inner := frame.get(name), dict):
            words += [inner.get("subtype") or inner.get("type"), inner.get("tool_name")]
    words.append(frame.get("tool_name"))
    message = frame.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict):
            words += [block.get("type"), block.get("name")]
    said = " ".join(word for word in words if isinstance(word, str))
    return _short(said or ", ".join(map(str, frame)))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1]}…"
