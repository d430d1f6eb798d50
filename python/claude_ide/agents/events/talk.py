"""Messages of the user, of the model and of the agent itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user in the history of a session; `prompt` is its id, if known."""

    text: str
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class ShellRan:
    """A shell command of the user in the history of a session, with its output."""

    command: str
    output: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of text; the pieces are a preview until `Text` arrives with the same block."""

    block: str
    text: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A complete text, which replaces the preview of its block, if there was one."""

    block: str
    text: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of thinking, like `TextDelta`."""

    block: str
    text: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Complete thinking, like `Text`; the text is empty if the model keeps it hidden."""

    block: str
    text: str
    parent: str = ""
    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class ThinkingTokens:
    """An estimate of the tokens used by the current thinking."""

    tokens: int


@dataclass(frozen=True, slots=True)
class PreviewVoided:
    """Blocks and tool uses that were abandoned; their previews must be deleted."""

    blocks: tuple[str, ...]
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """A message from neither the user nor the model; `reason` names the kind of an error.

    `level` is "info" for the answer to a command, in Markdown, and "notice", "warning" or "error"
    for a remark beside the conversation. With the reason `authentication_failed` the panel offers
    to log in.
    """

    text: str
    level: str = "info"
    reason: str = ""
    parent: str = ""
