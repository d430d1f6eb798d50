"""What the user sends: prompts with the editor's context, and answers to requests."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from claude_ide.agents.events import Replacement, Value


class Words(Struct, frozen=True):
    """Text that the user typed."""

    text: str


class Image(Struct, frozen=True):
    """An image that the user pasted."""

    data: bytes
    media_type: str = "image/png"


class Selection(Struct, frozen=True):
    """The selected text; lines are 1-based and inclusive."""

    path: str
    first: int
    last: int
    text: str


class OpenFile(Struct, frozen=True):
    """The file in the editor's current window.

    `text` is its text, saved or not; None if the agent does not take it, or it is too large.
    """

    path: str
    text: str | None = None


class Mention(Struct, frozen=True):
    """A file that the words mention, or lines of it, which are 1-based and inclusive.

    `path` is absolute; `name` is the mention as it was typed, without its `@`.
    """

    path: str
    name: str
    first: int | None = None
    last: int | None = None


class ShellResult(Struct, frozen=True):
    """A shell command that the user has run, and its output; it failed if it was interrupted."""

    command: str
    output: str
    failed: bool = False


Prompt = Sequence[Words | Image | Selection | OpenFile | Mention | ShellResult]


class Rule(Struct, frozen=True):
    """A rule in the agent's syntax; `scope` is the id of one of the request's scopes."""

    text: str
    scope: str


class Allow(Struct, frozen=True):
    """Let the tool run; `options` are the ids of any "always" options that the user chose.

    `rule` allows later uses as well; the agent raises `InvalidRuleError` if it is malformed.
    `edits` are the user's own versions of proposed edits, one for each file that they have changed;
    `plan` is that of the proposed plan, `code` that of code that the editor runs. `unsaved` names
    the files that have unsaved text: `new` is the whole text that the user accepts, and `old` the
    text that they have seen it replace.
    """

    options: tuple[str, ...] = ()
    edits: tuple[Replacement, ...] = ()
    plan: str = ""
    rule: Rule | None = None
    code: str = ""
    unsaved: tuple[Replacement, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether the user has changed the proposal."""
        return bool(self.edits or self.plan)


class Reject(Struct, frozen=True):
    """Don't let the tool run; the model reads the reason. `option` is the id of a chosen option."""

    reason: str = ""
    option: str = ""


class Reply(Struct, frozen=True):
    """Answers to questions, by the keys of the questions; without those that were not answered."""

    answers: Mapping[str, Value]


class Dismiss(Struct, frozen=True):
    """End a request without a decision, if the agent accepts that; otherwise as `Reject`."""


Answer = Allow | Reject | Reply | Dismiss
