"""What the user sends to agents: prompts with placeholders, mentions, and one-off requests."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol

from msgspec import field

from claude_ide.editor.port.binding import Payload, request
from claude_ide.editor.port.events import Event

# Texts, and what their placeholders mean where the user is.


class Quoted(Payload, frozen=True):
    """Lines of a buffer, 1-based and inclusive; `kind` says whether the text is a part of them.

    `paths` are the files that the lines of a list of places are about, or empty.
    """

    first: int
    last: int
    lines: list[str] = field(default_factory=list)
    kind: Literal["lines", "part", "block"] = "lines"
    paths: list[str] = field(default_factory=list)


class NamedPlace(Payload, frozen=True):
    """A place, or all of a file. `line` and `last` are 1-based, 0 if unknown.

    `path` is absolute; it may be empty.
    """

    path: str = ""
    line: int = 0
    last: int = 0
    text: str = ""
    name: str = ""
    """Of a mark."""
    kind: str = ""
    """Of an entry of a list: a letter, or nothing."""


class Printed(Payload, frozen=True):
    """What a terminal shows; its working folder, if that is known."""

    name: str
    lines: list[str]
    folder: str = ""


class Facts(Payload, frozen=True):
    """What placeholders mean in one instant. Facts that no placeholder asks for are absent.

    `problems` says why a placeholder has nothing to say.
    """

    folder: str
    """The working folder."""
    path: str = ""
    """Of the file in the buffer; empty if it has none."""
    name: str = ""
    """Of the buffer."""
    line: int = 1
    column: int = 1
    """Of the cursor, in characters."""
    selection: Quoted | None = None
    """What is selected, or the range of the command."""
    current: Quoted | None = None
    """The line of the cursor."""
    function: Quoted | None = None
    enclosing_class: Quoted | None = None
    quickfix: list[NamedPlace] = field(default_factory=list)
    loclist: list[NamedPlace] = field(default_factory=list)
    buffers: list[NamedPlace] = field(default_factory=list)
    visible: list[NamedPlace] = field(default_factory=list)
    marks: list[NamedPlace] = field(default_factory=list)
    terminal: Printed | None = None
    own: dict[str, str] = field(default_factory=dict)
    """What the user's own functions have returned."""
    problems: dict[str, str] = field(default_factory=dict)


class Sent(Payload, frozen=True):
    """A text for the prompt of an agent.

    `to` is "chat", "terminal", the name of a CLI, or empty. With `is_typed` the user has typed the
    text as a question: an unknown word in braces belongs to it.
    """

    text: str
    facts: Facts
    to: str = ""
    submit: bool = False
    focus: bool = False
    is_typed: bool = False


class ContextsPort(Protocol):
    """Texts that the user sends."""

    @request("claude_ide#sending#Take")
    async def take(self, number: int) -> Sent:
        """Return a text that the editor keeps until the host takes it."""


class QuotationAsked(Event, frozen=True):
    """The prompt for a terminal is to quote the lines that are selected (`terminals.quoted`)."""

    EVENT: ClassVar = "quotation_asked"

    number: int
    facts: Facts


class MentionFacts(Payload, frozen=True):
    """The current folder, and the file of a buffer; "" if it has none.

    `current` is what `%` with modifiers means; "" if the current buffer has no file.
    """

    folder: str
    file: str
    current: str


class SelectionPort(Protocol):
    """The selection, and what a mention needs."""

    @request("selection.current")
    async def current(self) -> dict[str, Any] | None:
        """Return the selection or the cursor in the current file; None outside files."""

    @request("selection.latest")
    async def latest(self) -> dict[str, Any] | None:
        """Return the selection or the cursor in the file where the user was last."""

    @request("selection.is_shared")
    async def is_shared(self) -> bool:
        """Return whether the user lets the selection leave the editor."""

    @request("claude_ide#places#Here")
    async def mention_facts(self, buffer: int, modifiers: str) -> MentionFacts:
        """Return where the user is; `modifiers` are those of `%`."""

    @request("claude_ide#mentions#LineCount")
    async def line_count(self, path: str) -> int:
        """Return the lines of a file in its buffer; 0 if it is not loaded."""


# One-off requests (`headless/`), each with an id.


READING = ("Read", "Grep", "Glob")
"""The tools that a question may use; none of them changes or runs anything."""


class HeadlessAsked(Event, frozen=True, tag_field="kind"):
    """A new request; `cwd` is its folder."""

    EVENT: ClassVar = "question_asked"

    id: int
    cwd: str


class AskedLines(Payload, frozen=True):
    """AskedLines of a buffer, 1-based and inclusive; `name` is its path or another name.

    `paths` are the files that the lines of a list of places are about, or empty.
    """

    name: str
    first: int
    last: int
    text: str
    paths: list[str] = field(default_factory=list)


class AskRequest(HeadlessAsked, frozen=True, tag="ask"):
    """A question, about `lines` or `file` if given."""

    prompt: str
    format: Literal["text", "json", "stream-json"] = "text"
    schema: str = ""
    model: str = ""
    tools: tuple[str, ...] = READING
    lines: AskedLines | None = None
    file: str = ""
    wants_events: bool = False
    facts: Facts | None = None
    """What the placeholders of the prompt mean."""
    is_kept: bool = False
    """Whether the answer can be continued in the chat until `question_closed`."""
    agent: str = ""
    """The id of the agent that answers; empty for the user's choice."""


class RewriteRequest(HeadlessAsked, frozen=True, tag="rewrite"):
    """Rows of a buffer to rewrite, whose lines are `text`, each with its end; the file's name."""

    instruction: str
    name: str
    filetype: str
    bufnr: int
    text: str
    rows: tuple[int, int]
    """0-based, the second one exclusive. Both are 0: refine all that has been rewritten."""
    refines: int = 0
    """The id of a rewrite, if the buffer is its proposal."""
    version: int = 0
    """Of the proposal."""
    facts: Facts | None = None
    """What the placeholders of the instruction mean."""
    agent: str = ""
    """The id of the agent that answers; empty for the user's choice."""


class CommitRequest(HeadlessAsked, frozen=True, tag="commit"):
    """A message for the staged changes; `path` is the file of the message, if it is in a buffer."""

    path: str = ""
    bufnr: int = 0
    agent: str = ""
    """The id of the agent that answers; empty for the user's choice."""
    typed: str = ""
    """What follows the command: `@` and an agent."""


class QuestionCancelled(Event, frozen=True):
    """The user no longer wants an answer."""

    EVENT: ClassVar = "question_cancelled"

    id: int


class QuestionClosed(Event, frozen=True):
    """The answer is no longer on the screen."""

    EVENT: ClassVar = "question_closed"

    id: int


class QuestionContinued(Event, frozen=True):
    """The user continues in a chat in the folder `cwd`, whose panel the editor has opened."""

    EVENT: ClassVar = "question_continued"

    id: int
    chat: int
    cwd: str


class CommitAsked(Event, frozen=True):
    """The user commits what is staged in `cwd` with the answer of a request, as `text` has it."""

    EVENT: ClassVar = "commit_asked"

    id: int
    cwd: str
    text: str


class BufferLines(Payload, frozen=True):
    """All lines of a buffer, each with its end, and its 'changedtick'."""

    tick: int
    text: str

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return lines_of(self.text)


class Lines(Payload, frozen=True):
    """Lines, each with its end."""

    text: str


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, each of which has its end."""
    return text.split("\n")[:-1]


def with_ends(lines: Sequence[str]) -> Lines:
    """Return a text of lines."""
    return Lines("".join(f"{line}\n" for line in lines))


class QuestionPort(Protocol):
    """One-off requests, each by the id that the editor has given it."""

    @request("headless.update")
    async def update(self, id_: int, frame: Mapping[str, Any]) -> None:
        """Show what a running request has got: its answer so far, or its progress, in a `row`."""

    @request("headless.finish")
    async def finish(self, id_: int, ended: Mapping[str, Any]) -> None:
        """Report the end of a request: `text`, `result` or `error`."""

    @request("headless.rewrite.look")
    async def look(self, buffer: int) -> BufferLines:
        """Return the lines of a buffer. Raises `EditorError` if they cannot be changed."""

    @request("file.edit.change")
    async def replace(self, buffer: int, lines: Sequence[str]) -> None:
        """Give a buffer these lines, in one undo step."""

    @request("headless.rewrite.show")
    async def show_rewrite(self, diff: int, id_: int, proposal: Mapping[str, Any]) -> None:
        """Show a rewrite as a diff: the `text` of the buffer, made from its lines `base`.

        Its events are those of `DiffsPort`, without the text.
        """

    @request("headless.rewrite.revise")
    async def revise(self, id_: int, lines: Lines) -> int:
        """Replace the text of a rewrite's proposal; return the number of this version."""

    @request("headless.rewrite.keep")
    async def keep_rewrite(self, id_: int, lines: Lines, why: str) -> None:
        """Keep lines of a rewrite in a buffer of their own; say why they were not put in."""

    @request("headless.answer.close")
    async def close_answer(self, id_: int) -> None:
        """Close an answer that goes on in the chat, or has been committed."""
