"""Diagnostics, and the waits for them. Positions are 0-based, in UTF-16."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from msgspec import field

from claude_ide.base.paths import from_uri
from claude_ide.editor.port.binding import Payload, notification, request

Name = int | str
"""What the editor calls a file or a set: a number or a text."""


class SetLook(Payload, frozen=True):
    """What one has published for a file. Each publish gives the set another `version`."""

    id: Name
    version: int
    counts: list[int]
    """The numbers of errors, warnings, infos and hints."""


class FileLook(Payload, frozen=True):
    """The sets of a file. `is_checked`: something publishes for it, or has done so."""

    key: Name
    uri: str
    sets: list[SetLook]
    is_checked: bool = False

    @property
    def path(self) -> str:
        """Its path."""
        return from_uri(self.uri)

    @property
    def count(self) -> int:
        """The number of all its diagnostics."""
        return sum(sum(each.counts) for each in self.sets)


class Look(Payload, frozen=True):
    """Files, in an order that stays the same; `is_typing`: the user is in Insert mode."""

    files: list[FileLook]
    is_typing: bool = False


class LoadedFile(Payload, frozen=True):
    """A file that is loaded now.

    `is_cold` is whether it was not loaded before, and `is_checked` whether it was and a server or
    linter has checked it since; `obstacle` is why it could not be loaded.
    """

    bufnr: int = 0
    is_cold: bool = False
    is_checked: bool = False
    obstacle: str = ""


class Publication(Payload, frozen=True):
    """What one has published for a buffer since a text: milliseconds after it, and how often."""

    first_ms: float
    last_ms: float
    count: int = 1


class Work(Payload, frozen=True):
    """Work that a server has reported after a text: milliseconds after it; None if it goes on."""

    name: str
    title: str
    began_ms: float
    ended_ms: float | None = None


class CheckedText(Payload, frozen=True):
    """A text that a buffer has got from its file; `answers` by the name of the publisher."""

    number: int
    age_ms: float
    answers: dict[str, Publication] = field(default_factory=dict)
    works: list[Work] = field(default_factory=list)


class Checker(Payload, frozen=True):
    """One that checks a buffer.

    A server publishes unasked, unless it is pulled. `published` is how often it has published for
    any buffer. `is_busy`: it has been asked and has not answered, or its process runs.
    `reads_code`: it is more than an assistant.
    """

    name: str
    kind: Literal["server", "pulled", "linter"] = "server"
    published: int = 0
    is_busy: bool = False
    reads_code: bool = False


class BufferCheck(Payload, frozen=True):
    """The check of a loaded buffer: its last texts, the newest first, and who checks it.

    `starting` are the numbers of servers that have not reported yet what they can do.
    """

    bufnr: int
    texts: list[CheckedText]
    checkers: list[Checker] = field(default_factory=list)
    starting: list[int] = field(default_factory=list)


class Checks(Payload, frozen=True):
    """The checks of some buffers; `quiet_ms` is since something was published for any buffer."""

    buffers: list[BufferCheck] = field(default_factory=list)
    quiet_ms: float = 0


class DiagnosticsPort(Protocol):
    """The diagnostics of files. `editor/diagnostics.py` decides which are read."""

    @request("diagnostics.look")
    async def look(self, which: str | list[Name] | Literal[False]) -> Look:
        """Return the sets of one file, of those with some keys, or of all.

        All are those for which something has published. Vim knows no keys that have changed.
        """

    @request("diagnostics.slice", large=True)
    async def slice(
        self, key: Name, set_: Name, version: int, severity: int, first: int
    ) -> list[dict[str, Any]]:
        """Return some diagnostics of a set, as sent to clients, from number `first` on.

        `severity` is from 1 (error) to 4. The list is empty if the set has another version by now.
        """

    @request("diagnostics.unopened.load")
    async def load(self, path: str) -> LoadedFile:
        """Load a file for a while, unseen, so that it is checked even if it is not open."""

    @notification("diagnostics.unopened.release")
    def release(self) -> None:
        """Unload the files that were loaded only to be checked."""

    @request("diagnostics.texts.recent")
    async def recent_checks(self) -> Checks:
        """Return the checks of buffers that have just got a new text."""

    @request("diagnostics.texts.follow")
    async def follow_checks(self, buffers: Sequence[int]) -> Checks:
        """Return the checks of loaded buffers; that of one without a text from its file begins."""
