"""Announces what an agent does, to the user's autocommands: the same for each source of events.

`:help claude-ide-events` describes the events and their data.
"""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import asdict

from claude_ide.agents.events import Change, FileWritten, Happened, ToolStatus, TurnEndReason
from claude_ide.config import ReviewConfig
from claude_ide.editor.attention import Attention, CallingSession
from claude_ide.review.snapshot import ChangedFile
from claude_ide.review.texts import decoded, readable

Announce = Callable[[str, dict[str, Any]], object]
"""Raises a `User` event with this data."""

LARGEST_HUNKS = 200_000
"""Characters in the hunks of one file. Neovim handles one event after the other."""

EVENTS = {
    "Notification": "ClaudeNotification",
    "PermissionDenied": "ClaudePermissionDenied",
    "SubagentStart": "ClaudeSubagentStart",
    "SubagentStop": "ClaudeSubagentStop",
    "PreCompact": "ClaudePreCompact",
}
"""The events about what is no part of a turn."""

REASONS = {
    TurnEndReason.COMPLETED: "completed",
    TurnEndReason.INTERRUPTED: "interrupted",
    TurnEndReason.REDIRECTED: "interrupted",
}
"""Every other reason is a failure."""

STOPPED = (TurnEndReason.INTERRUPTED, TurnEndReason.REDIRECTED)
"""Ends that the user has brought about."""


class Announcer:
    """Announces one conversation; it adds the end of whatever its source leaves open.

    `agent` is the name for the user, `chat` the number of the chat; 0 for a CLI in a terminal.
    """

    def __init__(self, announce: Announce, agent: str, folder: str, chat: int = 0) -> None:
        self._announce = announce
        self._agent = agent
        self._folder = folder
        self._chat = chat
        self._session: str | None = None
        """None while no session is open; empty if its id is not known yet."""
        self._is_in_turn = False
        self._tools: dict[str, dict[str, Any]] = {}
        """The tools that are running, by the ids of their uses."""
        self._paths: dict[str, None] = {}

    def session(self, id_: str) -> None:
        """Begin a session, unless it has begun; another one ends.

        During a turn, it is the same session under the id that is known now.
        """
        if self._session == id_:
            return
        if self._session == "" or self._is_in_turn:
            self._session = id_
            return
        self.session_ended()
        self._session = id_
        self._raise("ClaudeSessionStart", folder=self._folder)

    def session_ended(self) -> None:
        """End the session, if there is one."""
        if self._session is None:
            return
        self.turn_ended(TurnEndReason.INTERRUPTED)
        self._raise("ClaudeSessionEnd", folder=self._folder)
        self._session = None

    def prompted(self, prompt: str) -> None:
        """Begin a turn."""
        self.turn_ended(TurnEndReason.INTERRUPTED)
        self._begin()
        self._raise("ClaudePrompt", prompt=prompt)

    def goes_on(self) -> bool:
        """Begin a turn without a prompt of the user's; return False if one is running."""
        was_in_turn = self._is_in_turn
        self._begin()
        return not was_in_turn

    def tool_started(self, use: str, name: str, path: str = "", command: str = "") -> None:
        """Announce a use of a tool; if it was announced, know what its end says more."""
        described = {"id": use, "tool": name, "path": path, "command": command}
        known = {key: value for key, value in described.items() if value}
        if use in self._tools:
            self._tools[use] |= known
            return
        self._begin()
        self._tools[use] = known
        self._raise("ClaudeToolStart", **known)

    def tool_ended(self, use: str, status: ToolStatus, changes: Iterable[Change] = ()) -> None:
        """Announce the end of a use of a tool, which has changed files."""
        if use not in self._tools:
            return
        files = [_file(change) for change in changes]
        self.touched(file["path"] for file in files)
        described = self._tools.pop(use)
        self._raise("ClaudeToolEnd", **described, status=status.value, files=files)

    def happened(self, happened: Happened) -> None:
        """Announce what is no part of a turn."""
        self._raise(EVENTS[happened.name], **happened.data)

    def touched(self, paths: Iterable[str]) -> None:
        """Record files that were changed in this turn."""
        self._paths |= dict.fromkeys(paths)

    def turn_ended(self, reason: TurnEndReason) -> None:
        """End the turn, if there is one, and the tools that are still running."""
        if not self._is_in_turn:
            return
        for use in list(self._tools):
            self.tool_ended(use, ToolStatus.INTERRUPTED)
        self._is_in_turn = False
        paths, self._paths = [*self._paths], {}
        self._raise("ClaudeTurnEnd", reason=REASONS.get(reason, "failed"), paths=paths)

    def _begin(self) -> None:
        if self._session is None:
            self.session("")
        self._is_in_turn = True

    def _raise(self, event: str, **data: Any) -> None:
        source = {"agent": self._agent, "session": self._session or ""}
        chat = {"chat": self._chat} if self._chat else {}
        self._announce(event, source | chat | data)


def whole(changes: Iterable[Change], written: Iterable[FileWritten]) -> list[Change]:
    """Return the changes of a tool with the hunks that only the texts it has written show."""
    texts = {each.path: each for each in written if each.after is not None}
    known = {change.path: change for change in changes}
    for path, each in texts.items():
        if path not in known or not known[path].hunks:
            known[path] = Change.between(path, each.before, each.after or "")
    return [*known.values()]


def found_change(found: ChangedFile) -> Change:
    """Return a change that was found on disk."""
    contents = (found.before, found.after)
    before, after = (None if each is None else decoded(each) for each in contents)
    if found.obstacle or contents.count(None) != (before, after).count(None):
        return Change(found.path, added=0, removed=0)
    old = None if before is None else readable(before)
    return Change.between(found.path, old, readable(after or ""))


def _file(change: Change) -> dict[str, Any]:
    """Return a changed file; without hunks if its earlier text is unknown, or they are too long."""
    size = sum(len(line) for hunk in change.hunks for line in hunk.lines)
    has_hunks = bool(change.hunks) and size <= LARGEST_HUNKS
    hunks = [asdict(hunk) | {"lines": [*hunk.lines]} for hunk in change.hunks if has_hunks]
    return {"path": change.path} | ({"hunks": hunks} if hunks else {})


def tell_turn_end(
    attention: Attention,
    config: ReviewConfig,
    session: CallingSession,
    reason: TurnEndReason,
    counts: tuple[int, int, int],
) -> None:
    """Say how a turn has ended, if it has left something to review, or calls the user."""
    is_told = bool(counts[0]) and config.notify
    calls = reason not in STOPPED
    attention.turn_ended(session, _turn_end_words(reason, counts), is_told=is_told, calls=calls)


def _turn_end_words(reason: TurnEndReason, counts: tuple[int, int, int]) -> str:
    """Return the line; `counts` are the changed files, the added lines and the removed ones."""
    is_done = reason is TurnEndReason.COMPLETED
    ended = "done" if is_done else "stopped" if reason in STOPPED else "failed"
    files, added, removed = counts
    if not files:
        return ended
    noun = "file" if files == 1 else "files"
    return f"{ended}, {files} {noun} +{added} \N{MINUS SIGN}{removed} · :ClaudeReview"
