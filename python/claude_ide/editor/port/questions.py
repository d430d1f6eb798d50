"""Events of one-off requests (`headless/`), which have an id; and of the windows of answers."""

from typing import ClassVar, Literal

from claude_ide.editor.port.binding import Payload
from claude_ide.editor.port.contexts import Facts
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
    facts: Facts | None = None
    """What the placeholders of the prompt mean."""
    is_kept: bool = False
    """Whether the answer can be continued in the chat until `question_closed`."""
    agent: str = ""
    """The id of the agent that answers; empty for the user's choice."""


class RewriteRequest(QuestionAsked, frozen=True, tag="rewrite"):
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


class CommitRequest(QuestionAsked, frozen=True, tag="commit"):
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
