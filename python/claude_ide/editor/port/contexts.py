"""What the placeholders of a text mean where the user is, and texts that they send."""

from typing import Literal, Protocol

from msgspec import field

from claude_ide.editor.port.binding import Payload, request


class Quoted(Payload, frozen=True):
    """Lines of a buffer, 1-based and inclusive; `kind` says whether the text is a part of them."""

    first: int
    last: int
    lines: list[str] = field(default_factory=list)
    kind: Literal["lines", "part", "block"] = "lines"


class Place(Payload, frozen=True):
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
    diagnostics: list[str] = field(default_factory=list)
    """One in words each."""
    quickfix: list[Place] = field(default_factory=list)
    loclist: list[Place] = field(default_factory=list)
    buffers: list[Place] = field(default_factory=list)
    visible: list[Place] = field(default_factory=list)
    marks: list[Place] = field(default_factory=list)
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


class Contexts(Protocol):
    """Texts that the user sends."""

    @request("sending.take")
    async def take(self, number: int) -> Sent:
        """Return a text that the editor keeps until the host takes it."""
        ...
