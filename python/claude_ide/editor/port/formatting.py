"""The user's own formatters. A formatter computes a new text, which does not change the buffer.

A run is a number under which the editor keeps the text with which it began, and that of the last
formatter.
"""

from typing import Literal, Protocol

from msgspec import field

from claude_ide.editor.port.binding import Payload, notification, operation, request


class Formatter(Payload, frozen=True):
    """What can format a buffer.

    `is_own`: the user has set it for this buffer. `order` is when language servers format, too:
    `first`, `last`, or `prefer`, instead of it. `id` is the editor's for it.
    """

    kind: str
    name: str
    is_own: bool = False
    order: str = ""
    id: int | str | None = None


class Formatters(Payload, frozen=True):
    """What can format a buffer now, in the order in which the editor itself looks for it.

    `is_starting`: a server has not reported yet what it can do. `may_attach`: others may come.
    """

    candidates: list[Formatter] = field(default_factory=list)
    is_starting: bool = False
    may_attach: bool = False


class OpenedFile(Payload, frozen=True):
    """A file that is loaded. `is_new`: it was not; `is_made`: there was no buffer of it."""

    path: str
    bufnr: int
    is_new: bool = False
    is_made: bool = False


class Formatted(Payload, frozen=True):
    """What became of a formatter; of a program its `code`, its `signal` and what it `said`.

    `excess`: it was ended, because it has written more than this.
    """

    code: int = 0
    signal: int | str = 0
    said: str = ""
    is_empty: bool = False
    excess: str = ""


class Saved(Payload, frozen=True):
    """How many lines have changed; `refusal` is why these changes could not be saved."""

    is_saved: bool = False
    lines: int = 0
    refusal: str = ""


class Formatting(Protocol):
    """The formatters."""

    @request("format.formatters")
    async def formatters(self, buffer: int) -> Formatters | None:
        """Return what can format a buffer; None if it is not loaded."""
        ...

    @request("format.open")
    async def open(self, path: str) -> OpenedFile:
        """Load a file unseen."""
        ...

    @notification("format.close")
    def close(self, buffer: int, is_made: bool) -> None:
        """Unload a file that was loaded only for this, unless the user has opened it."""
        ...

    @request("format.begin")
    async def begin(self, run: int, buffer: int) -> bool:
        """Begin a run, unless the buffer has unsaved changes to an older text of the file."""
        ...

    @operation("format.start", "format.stop")
    async def start(self, run: int, formatter: Formatter) -> Formatted:
        """Have a formatter compute a text; cancelling this ends it."""
        ...

    @request("format.take")
    async def take(
        self, run: int, is_applied: bool
    ) -> Literal["closed", "changed", "same", "differs"]:
        """Return what stands in the way of using the last text; otherwise whether it differs.

        `is_applied`: if it does, apply it, as part of one undo step.
        """
        ...

    @request("format.save")
    async def save(self, run: int) -> Saved:
        """Write the buffer, unless it had unsaved changes before; or undo the run."""
        ...

    @notification("format.finish")
    def finish(self, run: int) -> None:
        """Forget a run."""
        ...
