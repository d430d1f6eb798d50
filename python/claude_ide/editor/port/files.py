"""The files in the editor: their buffers, proposals for them, formatters, and privacy.

Paths are absolute.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import field

from claude_ide.base.errors import EditorError
from claude_ide.editor.port.batch import MISSING
from claude_ide.editor.port.binding import Payload, notification, operation, request
from claude_ide.editor.port.events import EditorsChanged, PrivacyFacts
from claude_ide.privacy.rules import Pushed

LINE_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}

BOM = "\ufeff"


class Buffer(Payload, frozen=True):
    """The buffer of a file; one that a plugin has loaded without showing it is not open."""

    bufnr: int
    modified: bool
    listed: bool
    is_open: bool = False


class Dirty(Payload, frozen=True):
    """The answer of `checkDocumentDirty`: the other two are None if the file is not open."""

    isOpen: bool
    isDirty: bool | None = None
    isUntitled: bool | None = None


class FileText(Payload, frozen=True):
    """A text as `:write` would put it on disk, without a byte order mark, with line feeds."""

    text: str


class BufferText(Payload, frozen=True):
    """The text of a file in the editor, and what a write would add to its lines.

    `version` is that of the text which a server knows, if it serves the buffer. A file that does
    not exist has no lines.
    """

    path: str
    bufnr: int = 0
    tick: int = 0
    version: int | None = None
    lines: list[str] = field(default_factory=list)
    fileformat: str = "unix"
    has_bom: bool = False
    is_ended: bool = True
    is_modified: bool = False
    is_writable: bool = True
    is_in_conflict: bool = False
    """Whether it has unsaved changes to an older text of the file."""
    digest: str = ""

    def with_lines(self, lines: list[str]) -> str:
        """Return what a write would put on disk if the buffer had these lines.

        Raises `EditorError` if that is no text.
        """
        end = LINE_ENDS[self.fileformat]
        text = f"{BOM * self.has_bom}{end.join(lines)}{end * self.is_ended}"
        # A NUL is a line feed within a line of a buffer.
        if any("\n" in line for line in lines):
            raise EditorError(f"{self.path}: contains NUL characters")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise EditorError(f"{self.path}: not valid UTF-8") from None
        return text


class CloseResult(Payload, frozen=True):
    """Whether a file is closed now."""

    closed: bool = False


class BufferBelow(Payload, frozen=True):
    """A file that has a buffer; `modified` says whether that has unsaved changes."""

    path: str
    modified: bool


class BuffersPort(Protocol):
    """The open files."""

    @request("editors.all", large=True)
    async def editors(self) -> EditorsChanged:
        """Return all open files."""

    @request("claude_ide#places#Folders")
    async def folders(self) -> list[str]:
        """Return the working folders: the global one, then those of tabpages and windows."""

    @request("getcwd")
    async def folder(self) -> str:
        """Return the working folder of the current window."""

    @request("file.buffers.text")
    async def text(self, path: str, real: bool = False) -> FileText | None:
        """Return the text of a loaded file, saved or not; None if it is not loaded.

        `real` says that `path` has no links, so that none is followed.
        """

    @request("claude_ide#tool_facts#Rows", large=True)
    async def lines(self, wanted: Sequence[Mapping[str, Any]]) -> list[list[str] | bool]:
        """Return lines of loaded files, for each `path` and its `rows`; False for another file."""

    @request("file.buffers.modified")
    async def modified(self, paths: Sequence[str]) -> list[str]:
        """Return those of the files whose buffers have unsaved changes."""

    @request("claude_ide#places#Below")
    async def below(self, folder: str) -> list[BufferBelow]:
        """Return the files below a folder, a real path, that have buffers."""

    @request("file.buffers.find")
    async def find(self, path: str, real: bool = False) -> Buffer | None:
        """Return a file's buffer. `real` is as in `text`."""

    @request("file.buffers.save")
    async def save(self, path: str) -> None:
        """Save a file's buffer as `:write` does."""

    @request("file.open.open_file")
    async def open_file(self, opening: dict[str, Any]) -> dict[str, Any]:
        """Open a file in a suitable window (`claude_ide.OpenFile`, `claude_ide.OpenedFile`)."""

    @request("file.open.close_file")
    async def close_file(self, path: str) -> CloseResult:
        """Close a file without losing changes."""


class FileBuffer(Payload, frozen=True):
    """A loaded file as somebody has to know it who wants to write it.

    `text` is what would be on disk; without it there is its `digest`. A buffer that is
    `is_only_shown` has no unsaved changes and does not let the user make any. With `is_behind`,
    another program may have written the file since, and the buffer cannot be updated now.
    """

    bufnr: int
    changedtick: int
    stamp: str
    is_modified: bool = False
    is_only_shown: bool = False
    is_behind: bool = False
    text: str | None = None
    digest: str = ""
    encoding: str = ""
    """That of the file; empty if a plugin makes the text from it, or the text cannot be told."""

    @property
    def is_gone(self) -> bool:
        """Whether the buffer only has the saved text of a file that no longer exists."""
        return not self.is_modified and self.stamp == MISSING


class NewText(Payload, frozen=True):
    """A text as it is to be on disk, in UTF-8, but the buffer may write another encoding.

    `joins`: it joins the change before it in one undo step. `encoding` is another one for the file.
    """

    text: str
    joins: bool = False
    encoding: str = ""


class Saved(Payload, frozen=True):
    """What has become of a text that was to be saved.

    With `refusal` it was not. `text` is what the file has instead, such as a formatted one; with
    `is_unsaved` the buffer has unsaved changes again.
    """

    refusal: str | None = None
    text: str | None = None
    is_unsaved: bool = False


class DiskPort(Protocol):
    """What others write to the files of buffers."""

    @request("disk_changes.agent_file.look")
    async def look(self, path: str, has_text: bool) -> FileBuffer | None:
        """Return a file's buffer, after it has followed the disk; None if it is not loaded."""

    @request("disk_changes.agent_file.check")
    async def check(self, bufnr: int, text: NewText) -> bool:
        """Return whether a buffer has unsaved changes, or the present text of its file.

        Raises `EditorError` if its encoding lacks characters of the text.
        """

    @request("disk_changes.agent_file.replace")
    async def replace(self, bufnr: int, text: NewText) -> int:
        """Replace a buffer's text in one undo step; return the new 'changedtick'."""

    @request("disk_changes.agent_file.save")
    async def save(self, bufnr: int, path: str, agent: str, is_accepted: bool) -> Saved:
        """Save a buffer after `replace`; if that fails, the text before comes back.

        `is_accepted` is whether the user has seen the change.
        """

    @request("disk_changes.reload.acknowledge")
    async def acknowledge(self, bufnr: int) -> None:
        """Have unsaved changes count as based on the present file: a write does not ask about it.

        They stay as they are.
        """

    @request("disk_changes.reload.sync_one")
    async def sync(self, bufnr: int) -> bool:
        """Have a buffer without unsaved changes follow the disk now; return whether it has."""

    @request("host.server")
    async def is_responding(self) -> Any:
        """Return at once, unless the editor is busy."""

    @request("disk_changes.reload.sync")
    async def reload(self) -> list[int]:
        """Reload buffers whose files were written on disk, as one undoable change each.

        Returns the numbers of the reloaded buffers.
        """

    @request("disk_changes.reload.is_behind")
    async def is_behind(self, bufnr: int) -> bool:
        """Return whether a loaded buffer does not hold the last write to its file."""

    @request("disk_changes.reload.expect")
    async def expect_write(self, path: str) -> None:
        """Have a file's buffer follow the next write, which a client is about to make."""

    @notification("claude_ide#agent_writes#Announce")
    def announce_write(self, path: str, agent: str = "Claude") -> None:
        """Announce that an agent writes a file without a diff."""

    @notification("claude_ide#agent_writes#Judged")
    def judged(self, path: str) -> None:
        """Know that a write below unsaved changes is not merged: `:write` asks about it."""

    @request("disk_changes.reload.changed_in")
    async def changed_in(
        self, files: Sequence[tuple[int, str]]
    ) -> list[Literal["busy", "followed", ""]]:
        """Have buffers follow their files, which have changed and are no longer being written.

        `files` are buffers, each with the stamp of its file. Returns for each: "busy" if this has
        to be called again, because the file has another stamp by now, or the text cannot be
        replaced while the user types there; "followed"; or "" if the buffer stays as it is.
        """


class DiffsPort(Protocol):
    """Proposals, each by an id of ours; their events are in `editor/events.py`."""

    @request("diff.open")
    async def open(self, id_: int, diff: Mapping[str, Any]) -> None:
        """Show a proposal as soon as this disturbs nobody (`claude_ide.DiffRequest`)."""

    @notification("diff.offer")
    def offer(self, id_: int, what: str) -> None:
        """Offer to accept a proposal together with the edits that follow; `what` that allows."""

    @request("diff.accept")
    async def accept(self, id_: int) -> None:
        """Accept a proposal with its current text."""

    @notification("diff.close")
    def close(self, id_: int) -> None:
        """Close a proposal that is no longer needed."""

    @notification("diff.accepted.settle")
    def report_written(self, id_: int, is_written: bool = ...) -> None:
        """Report whether an accepted text was written; otherwise the editor looks at the file.

        A text that the user had edited, and that was not written, stays in a buffer.
        """

    @notification("diff.winbar.tell")
    def explain(self, launch: str, path: str, words: str) -> None:
        """Say why the CLI of a launch edits a file; empty if the edit is over.

        Its diff may open later.
        """


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


class FormattingPort(Protocol):
    """The formatters."""

    @request("format.formatters")
    async def formatters(self, buffer: int) -> Formatters | None:
        """Return what can format a buffer; None if it is not loaded."""

    @request("format.text", large=True)
    async def text(self, buffer: int, path: str) -> BufferText | None:
        """Return the text of a buffer after it has followed the disk; None if it is not loaded."""

    @operation("format.start")
    async def start(self, buffer: int, formatter: Formatter) -> Formatted:
        """Have a plugin compute a text; the buffer stays as it is, also if this is given up."""

    @request("claude_ide#tool_facts#Shell")
    async def shell(self, buffer: int, names: Sequence[str]) -> ShellFacts:
        """Return how to run a command; `names` are such as `%:p`, to be expanded."""


class PrivacyPort(Protocol):
    """The rules in the editor, and what they depend on there."""

    @notification("privacy.apply")
    def apply(self, rules: Pushed) -> None:
        """Judge by these rules from now on."""

    @notification("privacy.deny")
    def deny(self, path: str, reason: str) -> None:
        """Keep a file in the editor that the rules there cannot tell from others."""

    @request("privacy.facts", large=True)
    async def facts(self) -> PrivacyFacts:
        """Return what the rules depend on, and what they have found."""

    @request("privacy.why")
    async def why(self, bufnr: int) -> str | None:
        """Return a sentence that says why a buffer is private; None, or empty, if it is not."""

    @request("privacy.of_buffer")
    async def of_buffer(self, bufnr: int) -> str | None:
        """Return why the text of a buffer is private; None, or empty, if it is not."""
