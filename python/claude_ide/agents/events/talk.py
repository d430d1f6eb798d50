"""What is said: by the user, by the model, by the agent itself."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user said, when history is told; `prompt` is its id, if known."""

    text: str
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of text; what is shown is a preview until `Text` comes with the same block."""

    block: str
    text: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A whole text, which replaces the preview of its block; there may have been none."""

    block: str
    text: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """A piece of thinking, as `TextDelta`."""

    block: str
    text: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Whole thinking, as `Text`; empty where it is kept from us."""

    block: str
    text: str
    parent: str = ""
    milliseconds: int | None = None


@dataclass(frozen=True, slots=True)
class ThinkingTokens:
    """An estimate of what the present thinking has taken."""

    tokens: int


@dataclass(frozen=True, slots=True)
class PreviewVoided:
    """Blocks and tool uses that never came to be: what was shown of them is to be deleted."""

    blocks: tuple[str, ...]
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that neither the user nor the model said; `reason` names an error's kind.

    With `authentication_failed` the panel offers the login of the agent's kind.
    """

    text: str
    level: str = "info"
    reason: str = ""
