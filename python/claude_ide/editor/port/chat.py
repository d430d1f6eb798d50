"""Events of the panels of chats (`chat/state.lua`). Only Neovim has them.

A part is one of the transcript, by its number; an offset is a row of it, from 0.
"""

from typing import ClassVar

from claude_ide.editor.port.binding import Payload
from claude_ide.editor.port.events import Event


class Revival(Payload, frozen=True):
    """What a new host needs to continue a chat whose host has ended."""

    root: str
    is_empty: bool
    """Whether nothing is shown that an agent would have to know."""
    agent: str = ""
    asks: bool = False
    """Whether the user chooses the agent, if several are installed."""
    session: str = ""


class ChatEvent(Event, frozen=True, tag_field="event", kw_only=True):
    """An event of the panel of a chat."""

    EVENT: ClassVar = "chat"

    chat: int
    revival: Revival | None = None


# Windows.


class Placed(ChatEvent, frozen=True, tag="placed"):
    """The panel has been shown, hidden or resized."""

    shown: bool
    columns: int
    """That of the screen."""
    width: int = 0
    """That of the transcript; 0 if it was never shown."""


class Closed(ChatEvent, frozen=True, tag="closed"):
    """The panel is gone for good."""


class RedrawAsked(ChatEvent, frozen=True, tag="redraw"):
    """The transcript has to be drawn from the beginning."""


# Prompts.


class PromptSent(ChatEvent, frozen=True, tag="send"):
    """A prompt, which the panel keeps by its number."""

    number: int
    text: str
    how: str = "send"
    """`send`, `steer` or `redirect`."""
    images: tuple[dict[str, str], ...] = ()
    """Each with `data`, in base64, and `media_type`."""


class PromptEdited(ChatEvent, frozen=True, tag="edit"):
    """The user wants to edit the prompt in a part, or no longer."""

    part: int


class PromptWithdrawn(ChatEvent, frozen=True, tag="withdraw"):
    """The user wants back a prompt that has not begun."""

    part: int


class ContextDropped(ChatEvent, frozen=True, tag="drop_context"):
    """The next prompt goes without the file or selection."""


# The transcript.


class Pressed(ChatEvent, frozen=True, tag="press"):
    """The user opens or folds what is in a row."""

    part: int
    offset: int


class LocationWanted(ChatEvent, frozen=True, tag="go_to"):
    """The user goes to the file that is named at the cursor; `column` is in bytes, from 0."""

    part: int
    offset: int
    column: int


class ChangesWanted(ChatEvent, frozen=True, tag="changes"):
    """The user reviews the changes of the turn of a part."""

    part: int


class RequestAnswered(ChatEvent, frozen=True, tag="answer"):
    """A key on the request in a part."""

    part: int
    kind: str
    """What the user has seen of it: the kind of the part."""
    key: str
    reason: str = ""
    """Why `n` rejects it."""


class AnswerWanted(ChatEvent, frozen=True, tag="answers"):
    """The user answers the oldest request from a list."""


# The agent.


class ModeCycled(ChatEvent, frozen=True, tag="cycle_mode"):
    """The next permission mode."""


class TodosToggled(ChatEvent, frozen=True, tag="todos"):
    """The list of todos is hidden or shown."""


class Stopped(ChatEvent, frozen=True, tag="stop"):
    """The user ends the turn, and has taken back the prompts with the numbers `taken`."""

    taken: list[int]


class Restarted(ChatEvent, frozen=True, tag="restart"):
    """The agent begins again."""


class BackgroundAsked(ChatEvent, frozen=True, tag="background"):
    """The command in a part goes on in the background."""

    part: int


class LoginWanted(ChatEvent, frozen=True, tag="login"):
    """The user logs in to the agent."""


class LoggedIn(ChatEvent, frozen=True, tag="logged_in"):
    """The terminal of a login has ended."""

    succeeded: bool
