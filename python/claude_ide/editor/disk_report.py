"""Reports writes to open files without a diff, in one line for all that occur together."""

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.editor.events import Events
from claude_ide.editor.port import Port
from claude_ide.editor.port.batch import Gate, Guard
from claude_ide.editor.port.binding import handles
from claude_ide.editor.port.events import FileFollowed, FileKept

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.3
LATEST_SECONDS = 5.0
"""How long a report waits at most for a pause between the writes."""

QUIET_SECONDS = 10.0
MOST_REPEATED = 3
"""How many writes to a file are reported if it has no pause of `QUIET_SECONDS`, such as a log."""

MOST_NAMED_FILES = 3
CLAUDE = "Claude"
HINT = "; review: :help claude-ide-mode"


class Written(msgspec.Struct):
    """All writes to a file since the last report.

    `steps` lead back to the text before them; 0 if the user has changed the file in between.
    """

    name: str
    agent: str = ""
    added: int = 0
    removed: int = 0
    steps: int = 0
    tick: int | None = None

    def add(self, write: FileFollowed) -> None:
        """Add the next write."""
        is_in_a_row = self.tick is None or (self.steps > 0 and self.tick == write.old_tick)
        self.steps = self.steps + 1 if is_in_a_row else 0
        self.agent = write.agent or self.agent
        self.added += write.added
        self.removed += write.removed
        self.tick = write.new_tick


class DiskReport:
    """Collects the writes until there is a pause, and until the editor can show a message."""

    def __init__(self, port: Port, events: Events, hinted: Path | None = None) -> None:
        self._port = port
        self._hinted = hinted
        """The file that exists once the user has been told how to review."""
        self._is_hinted = False
        self._followed: dict[str, Written] = {}
        self._kept: dict[str, str] = {}
        self._repeats: dict[str, tuple[int, float]] = {}
        self._columns = 0
        self._since: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._showing: asyncio.Task[None] | None = None
        events.register(self)

    @handles(FileFollowed)
    def add(self, write: FileFollowed) -> None:
        """Note that a buffer has got what was written."""
        if self._is_repeated(write.path):
            return
        self._kept.pop(write.path, None)
        self._followed.setdefault(write.path, Written(_name(write.path))).add(write)
        self._columns = write.columns
        self._report_soon()

    def keep(self, event: FileKept) -> None:
        """Note that a buffer keeps its unsaved changes."""
        self._followed.pop(event.path, None)
        self._kept[event.path] = _name(event.path)
        self._port.disk.judged(event.path)
        self._report_soon()

    def _is_repeated(self, path: str) -> bool:
        """Without this limit, a growing log would be reported constantly."""
        now = time.monotonic()
        self._repeats = {
            known: (count, at)
            for known, (count, at) in self._repeats.items()
            if now - at <= QUIET_SECONDS
        }
        count = self._repeats.get(path, (0, now))[0] + 1
        self._repeats[path] = count, now
        return count > MOST_REPEATED

    def _report_soon(self) -> None:
        now = time.monotonic()
        self._since = self._since or now
        if self._timer is not None:
            self._timer.cancel()
        pause = min(PAUSE_SECONDS, max(self._since + LATEST_SECONDS - now, 0))
        self._timer = asyncio.get_running_loop().call_later(pause, self._begin)

    def _begin(self) -> None:
        if self._showing is None or self._showing.done():
            self._showing = asyncio.ensure_future(self._show())

    async def _show(self) -> None:
        try:
            await self._port.batch((), Guard(Gate.NOTIFIABLE))
        except EditorError:
            return
        followed, kept, self._since = [*self._followed.values()], [*self._kept.values()], None
        self._followed, self._kept = {}, {}
        if text := "; ".join((*of_kept(kept), *of_followed(followed))):
            text = self._with_hint(text, followed)
            self._port.windows.notify(text, "warn" if kept else "info")

    def _with_hint(self, text: str, followed: Iterable[Written]) -> str:
        """Tell a user once how to review the edits. On a narrow screen, `text` matters more."""
        is_due = any(file.agent == CLAUDE for file in followed)
        if not is_due or len(text + HINT) > self._columns or not self._is_first():
            return text
        return text + HINT

    def _is_first(self) -> bool:
        """Return whether the user was never told, and know that they are now."""
        if self._is_hinted or (self._hinted and self._hinted.exists()):
            return False
        self._is_hinted = True
        if self._hinted is None:
            return True
        try:
            self._hinted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._hinted.touch(mode=0o600)
        except OSError as error:
            logger.warning("%s: %s", self._hinted, error)
        return True


def of_followed(files: Iterable[Written]) -> list[str]:
    """Return what was written, agent by agent, and which keys undo it."""
    files = sorted(files, key=lambda file: file.name)
    if not files:
        return []
    agents = dict.fromkeys(file.agent for file in files)
    if len(files) > MOST_NAMED_FILES:
        total = Written("", "", sum(f.added for f in files), sum(f.removed for f in files))
        agent = files[0].agent if len(agents) == 1 else ""
        return [_changed(f"{len(files)} files", _counts(total), agent), _remedy(files)]
    named = sorted(agents, key=lambda agent: not agent)
    parts = [_of_agent([f for f in files if f.agent == agent], agent) for agent in named]
    return [*parts, _remedy(files)]


def of_kept(names: Iterable[str]) -> list[str]:
    """Return which files have changed while their buffers had unsaved changes."""
    names = sorted(names)
    if not names:
        return []
    what = f"{len(names)} files" if len(names) > MOST_NAMED_FILES else ", ".join(names)
    return [f"{what} changed on disk; unsaved changes kept"]


def _of_agent(files: Sequence[Written], agent: str) -> str:
    if len(files) == 1:
        return _changed(files[0].name, _counts(files[0]), agent)
    listed = ", ".join(f"{file.name} {_counts(file)}" for file in files)
    return f"{agent} changed {listed}" if agent else f"{listed} changed on disk"


def _changed(what: str, counts: str, agent: str) -> str:
    return f"{agent} changed {what} {counts}" if agent else f"{what} changed on disk {counts}"


def _counts(file: Written) -> str:
    return f"(+{file.added} \N{MINUS SIGN}{file.removed})"


def _remedy(files: Sequence[Written]) -> str:
    """Return the keys that undo what is reported."""
    if len(files) > 1:
        is_plain = all(file.steps == 1 for file in files)
        return "u undoes each" if is_plain else "u undoes each write"
    steps = files[0].steps
    return f"{steps if steps > 1 else ''}u undoes" if steps else "u undoes the last write"


def _name(path: str) -> str:
    return PurePath(path).name
