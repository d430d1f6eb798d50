"""The events that the editor reports: a struct for each, by the name that the editor emits.

Absent fields have their default. Those of chats, prompts and reviews are beside the nouns of these.
"""

from typing import Any, ClassVar

import msgspec

from claude_ide.editor.port.binding import Payload


class Event(Payload, frozen=True):
    """An event, or the base of its kinds: these are told apart by the field of their tag."""

    EVENT: ClassVar[str]
    """Its name."""


class Whole(Event, frozen=True):
    """An event whose table is passed on as it is."""

    table: dict[str, Any]


# What the user looks at. `screen` of `editor/events.py` keeps private files out.


class SelectionChanged(Whole, frozen=True):
    """The selection or the cursor has moved. The table goes to clients as it is."""

    EVENT: ClassVar = "selection_changed"


class OpenBuffer(Payload, frozen=True, array_like=True):
    """An open file, or a buffer without a name that has been changed.

    Of one that is shown: whether that is in the current tab page, the tab page's number from 0, and
    the window's number.
    """

    bufnr: int
    name: str
    filetype: str
    is_modified: bool
    lines: int
    is_here: bool = False
    group: int = 0
    column: int | None = None


class EditorsChanged(Event, frozen=True):
    """The open files, and where the user is."""

    EVENT: ClassVar = "editors_changed"

    editors: list[OpenBuffer]
    """The most recently used first."""
    folders: list[str]
    """The working folders: the global one, then those of tab pages and windows."""
    active: int | None = None
    """The buffer of the file that the user works on."""


class Looked(Event, frozen=True):
    """Whether the user is in the editor, and at which windows of agents.

    A place is the launch of a terminal, `chat.` or `diff.` with an id, or the kind of an approval
    (`claude-plan`, `claude-run`).
    """

    EVENT: ClassVar = "looked"

    is_focused: bool = True
    here: str = ""
    """The place of the current window; empty for any other window."""
    shown: tuple[str, ...] = ()
    """The places of the windows of the current tab page."""


class Activity(Payload, frozen=True):
    """What an agent does; its model, the used percentage of its context, and its cost (dollars)."""

    is_working: bool = False
    model: str | None = None
    context: int | None = None
    cost: float | None = None


class StatusReported(Event, frozen=True):
    """What the status line shows, as far as the editor knows it (`status_line`)."""

    EVENT: ClassVar = "status_reported"

    clients: int | None = None
    """None if there is no server."""
    diffs: tuple[str, ...] = ()
    """For each proposal what tells its client from others, or nothing."""
    held: int = 0
    """How many edits and plans wait because of what the user is doing."""
    terminals: tuple[str, ...] = ()
    """The names of those in which CLIs run."""
    is_shared: bool = True
    """Whether the selection may leave the editor."""


class DiagnosticsChanged(Event, frozen=True):
    """Something has published, or the user has left Insert mode."""

    EVENT: ClassVar = "diagnostics_changed"

    keys: list[int | str] | None = None
    """Of the files for which something has published; None: that is not known."""


class PrivacyFacts(Event, frozen=True):
    """What the privacy rules depend on, beside settings, and what they have found."""

    EVENT: ClassVar = "privacy_facts"

    folders: list[str]
    """The working folders."""
    cwd: str
    privacy: Any = None
    """The option, unchecked."""
    named: list[str] = msgspec.field(default_factory=list)
    """The names of the private files so far."""
    renamed: dict[str, str] = msgspec.field(default_factory=dict)
    """Why the texts of renamed buffers are private, by their names now."""


# The ends of operations.


class Answered(Whole, frozen=True):
    """The result of an operation or a tool."""

    EVENT: ClassVar = "answered"

    @property
    def token(self) -> int:
        """The token that the operation got."""
        token: int = self.table["token"]
        return token


class FormPressed(Event, frozen=True):
    """A key in a form (`chat/form.lua`)."""

    EVENT: ClassVar = "form"

    token: int
    """That of the operation that has opened the form."""
    number: int
    """That of the key, from 1."""
    key: str
    """As `:map` names it; `typed` if the user has typed an answer."""
    row: int
    """The row of the cursor, from 0."""
    question: int = 0
    """The question that `text` answers, from 0."""
    text: str = ""


# Proposed edits, by the ids of `DiffsPort`.


class DiffShown(Event, frozen=True):
    """A proposal is on the screen."""

    EVENT: ClassVar = "diff_shown"

    id: int
    is_here: bool = False
    """Whether it is in the current tab page."""


class DiffFailed(Event, frozen=True):
    """A proposal cannot be shown; `message` is the reason in one line."""

    EVENT: ClassVar = "diff_failed"

    id: int
    message: str


class DiffComment(Payload, frozen=True):
    """A comment on lines of a proposal, or on those that it removes there; 1-based, inclusive."""

    first: int
    last: int
    lines: list[str]
    words: str
    is_removed: bool = False


class DiffDecided(Event, frozen=True):
    """The user's decision: the accepted `text`, or the `reason` of a rejection, with comments.

    `path` is as the user sees it. `hunks` are the first and last lines of those that are rejected
    with a reason.
    """

    EVENT: ClassVar = "diff_decided"

    id: int
    accepted: bool
    path: str = ""
    text: str = ""
    reason: str = ""
    hunks: list[tuple[int, int]] = msgspec.field(default_factory=list)
    comments: list[DiffComment] = msgspec.field(default_factory=list)


class DiffEditsAccepted(Event, frozen=True):
    """The user accepts a proposal together with the edits that follow."""

    EVENT: ClassVar = "diff_accept_edits"

    id: int


class Commented(Event, frozen=True):
    """The user's comments on an edit that was decided elsewhere."""

    EVENT: ClassVar = "commented"

    path: str
    """As the user sees it."""
    comments: list[DiffComment]


# Terminals, and what they ask.


class TerminalEnded(Event, frozen=True):
    """The CLI in a terminal has ended; `launch` is the id of its launch."""

    EVENT: ClassVar = "terminal_ended"

    launch: str


class PaneWanted(Event, frozen=True):
    """The user goes to the CLI in a pane of tmux."""

    EVENT: ClassVar = "pane_wanted"

    id: str


class PermissionPressed(Event, frozen=True):
    """A key of the float with permissions, which has shown the one with this id."""

    EVENT: ClassVar = "permission"

    id: int
    key: str
    """A letter; `resized` if the float has another width; `left` for the CLI's own dialog."""
    kind: str
    """How much of it the user has seen (`view.SHOWN`)."""
    reason: str = ""
    """Why `n` rejects it."""


# Prompts that the user writes, in buffers.


class FilesAsked(Event, frozen=True):
    """The user has typed `@` and a pattern in a prompt about a folder."""

    EVENT: ClassVar = "prompt_files"

    number: int
    root: str
    pattern: str


class MentionsAsked(Event, frozen=True):
    """The lines of a prompt have changed; `tick` says when."""

    EVENT: ClassVar = "prompt_mentions"

    bufnr: int
    tick: int
    root: str
    lines: list[str]


class CommandsAsked(Event, frozen=True):
    """The user opens a prompt for the CLI in a terminal, which is in a folder."""

    EVENT: ClassVar = "prompt_commands"

    bufnr: int
    root: str


class ImageAsked(Event, frozen=True):
    """The user pastes an image from the clipboard at an extmark."""

    EVENT: ClassVar = "prompt_image"

    bufnr: int
    mark: int


class FilesDropped(Event, frozen=True):
    """The user has dropped files on a prompt: the terminal has pasted `paths` as one text.

    An extmark, `mark`, is around it. `takes_images` is whether the prompt can have images.
    """

    EVENT: ClassVar = "prompt_dropped"

    bufnr: int
    mark: int
    root: str
    paths: str
    takes_images: bool = False


# Lists and tools.


class ListPressed(Event, frozen=True):
    """A key on an item of a list (`lists.vim`)."""

    EVENT: ClassVar = "chat_list"

    name: str = msgspec.field(name="list")
    key: str
    """`closed` at the end of the list."""
    id: str
    """Empty where there is no item."""
    is_seen: bool = False
    """Whether all of the item is on the screen."""


class SessionsAsked(Event, frozen=True):
    """Somebody wants to know all sessions, the stored ones, too."""

    EVENT: ClassVar = "sessions_asked"


class QuitAsked(Event, frozen=True):
    """The editor is about to exit, and waits for `answer_quit`; if it `is_certain`, it will."""

    EVENT: ClassVar = "quit_asked"

    how: str
    """The option `terminal.quit`: "ask" or "background"."""
    is_certain: bool
    is_drawn: bool = True
    """Whether the editor still draws its terminals."""


class OwnToolsChanged(Event, frozen=True):
    """The tools that were added in the editor, and the names of those that are off, as JSON."""

    EVENT: ClassVar = "own_tools"

    json: str


# The host itself, and the disk.


class CheckAsked(Event, frozen=True):
    """`:checkhealth` wants to know about the server."""

    EVENT: ClassVar = "check"


class WireClosed(Event, frozen=True):
    """The window of `:ClaudeWire` is closed."""

    EVENT: ClassVar = "wire_closed"


class LoadedBuffer(Payload, frozen=True):
    """A loaded buffer of a file; without a path it is no longer one.

    `stamp` is that of the file when the editor read or wrote it, if that is known.
    """

    bufnr: int
    path: str
    stamp: str = ""


class FilesLoaded(Event, frozen=True):
    """Buffers that were loaded, renamed or unloaded."""

    EVENT: ClassVar = "files_loaded"

    files: list[LoadedBuffer]


class FilesUnwatched(Event, frozen=True):
    """The editor no longer wants to know about changed files."""

    EVENT: ClassVar = "files_unwatched"


class FileFollowed(Event, frozen=True):
    """A buffer has got what was written to its file."""

    EVENT: ClassVar = "file_followed"

    path: str
    added: int
    """How many lines."""
    removed: int
    old_tick: int
    """The buffer's 'changedtick' before."""
    new_tick: int
    columns: int
    """The room that a message has."""
    agent: str = ""
    """The name of the agent that has announced the write."""


class FileKept(Event, frozen=True):
    """A buffer keeps its unsaved changes, although its file has changed."""

    EVENT: ClassVar = "file_kept"

    path: str
    agent: str = ""
    """Who has announced the change; empty for another program."""
    stamp: str = ""
    """That of the text which the unsaved changes are based on, if it is known."""
    is_earlier: bool = False
    """Whether the unsaved changes are based on an even earlier text."""


class PortHoldOpened(Event, frozen=True):
    """The program that holds the port of Vim's host listens on the Unix socket `path`."""

    EVENT: ClassVar = "port_hold_opened"

    path: str
