"""Events of one-off requests (`headless/`), which have an id; and of the windows of answers."""

from typing import ClassVar, Literal

from claude_ide.editor.port.binding import Payload
from claude_ide.editor.port.events import Event

READING = ("Read", "Grep", "Glob")
"""The tools that a question may use; none of them changes or runs anything."""


class QuestionAsked(Event, frozen=True, tag_field="kind"):
    """A new request; `cwd` is its folder."""

    EVENT: ClassVar = "question_asked"

    id: int
    cwd: str


class Lines(Payload, frozen=True):
    """Lines of a buffer, 1-based and inclusive; `name` is its path or another name."""

    name: str
    first: int
    last: int
    text: str


class AskRequest(QuestionAsked, frozen=True, tag="ask"):
    """A question, about `lines` or `file` if given."""

    prompt: str
    format: Literal["text", "json", "stream-json"] = "text"
    schema: str = ""
    model: str = ""
    tools: tuple[str, ...] = READING
    lines: Lines | None = None
    file: str = ""
    wants_events: bool = False
    is_kept: bool = False
    """Whether the answer can be continued in the chat until `question_closed`."""


class RewriteRequest(QuestionAsked, frozen=True, tag="rewrite"):
    """Lines to rewrite; `text` has all lines of their buffer, without a last line feed."""

    instruction: str
    name: str
    filetype: str
    text: str
    first: int
    """0-based."""
    last: int
    """0-based, exclusive."""


class Original(Payload, frozen=True):
    """Lines as they were before they were rewritten."""

    text: str


class RefineRequest(QuestionAsked, frozen=True, tag="refine"):
    """A rewrite to refine; `text` has all lines of the proposal, `first` and `last` mark some."""

    instruction: str
    earlier: list[str]
    """The instructions so far, the oldest first."""
    original: Original
    name: str
    filetype: str
    text: str
    first: int
    """0-based."""
    last: int
    """0-based, exclusive."""


class CommitRequest(QuestionAsked, frozen=True, tag="commit"):
    """A message for the staged changes; `path` is the file of the message, if it is open."""

    path: str = ""


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
    """The user commits what is staged in `cwd` with the message `text` of a window."""

    EVENT: ClassVar = "commit_asked"

    window: int
    """The number of its buffer."""
    cwd: str
    text: str
