"""The user's own formatters. A formatter computes a new text, which does not change the buffer."""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import field

from claude_ide.editor.port.binding import Payload, operation, request
from claude_ide.editor.port.buffers import BufferText


class Formatter(Payload, frozen=True):
    """What can format a buffer.

    `is_own`: the user has set it for this buffer. `order` is when language servers format, too:
    `first`, `last`, or `prefer`, instead of it. `id` is the editor's for it. A language server that
    the host asks has an `encoding`, and `parameters` of the request, as JSON.
    """

    kind: str
    name: str
    is_own: bool = False
    order: str = ""
    id: int | str | None = None
    encoding: str = ""
    parameters: str = ""


class Formatters(Payload, frozen=True):
    """What can format a buffer now, in the order in which the editor itself looks for it.

    `is_starting`: a server has not reported yet what it can do. `may_attach`: others may come.
    """

    candidates: list[Formatter] = field(default_factory=list)
    is_starting: bool = False
    may_attach: bool = False


class Formatted(Payload, frozen=True):
    """What a formatter has made of a buffer: the new lines, or edits of a language server.

    `bits` are those of the units in which that counts characters.
    """

    lines: list[str] | None = None
    edits: Any = None
    bits: int = 16


class ShellFacts(Payload, frozen=True):
    """How the user's shell runs a command for a buffer.

    `names` are the paths that were asked for, each also escaped for the shell; empty for none.
    """

    shell: list[str]
    folder: str
    environment: dict[str, str]
    names: list[tuple[str, str]] = field(default_factory=list)


class Formatting(Protocol):
    """The formatters."""

    @request("format.formatters")
    async def formatters(self, buffer: int) -> Formatters | None:
        """Return what can format a buffer; None if it is not loaded."""
        ...

    @request("format.text", large=True)
    async def text(self, buffer: int, path: str) -> BufferText | None:
        """Return the text of a buffer after it has followed the disk; None if it is not loaded."""
        ...

    @operation("format.start")
    async def start(self, buffer: int, formatter: Formatter) -> Formatted:
        """Have a plugin compute a text; the buffer stays as it is, also if this is given up."""
        ...

    @request("format.shell")
    async def shell(self, buffer: int, names: Sequence[str]) -> ShellFacts:
        """Return how to run a command; `names` are such as `%:p`, to be expanded."""
        ...
