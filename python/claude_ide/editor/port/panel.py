"""The panel of a chat: its events, windows, forms and lists. Only Neovim has it.

A part is one of the transcript, by its number; an offset is a row of it, from 0.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol

from claude_ide.editor.port.binding import Payload, notification, operation, request
from claude_ide.editor.port.events import Event, FormPressed


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


class TrustAnswered(ChatEvent, frozen=True, tag="trust"):
    """A key on the question, in a part, of trust in the folder."""

    part: int
    key: str


class RequestAnswered(ChatEvent, frozen=True, tag="request"):
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


# Nouns.


Rows = Sequence[Any]
"""Rows as `ui/page.py` encodes them: a list of `[text, highlight group]` for each."""


class FoundChat(Payload, frozen=True):
    """A chat. If its host has ended, `revival` is what a new one needs to continue it.

    `is_here` is whether it is on the screen, in this tab page.
    """

    chat: int
    is_here: bool = False
    revival: Revival | None = None


class PanelsPort(Protocol):
    """The chats that the editor has windows for."""

    @request("chat.state.new_id")
    async def new_id(self) -> int:
        """Return a new id, unique in this Neovim also after the end of the host."""

    @request("chat.panel.here")
    async def here(self) -> FoundChat | bool:
        """Return the chat for a command: this tab page's, else the one used last; False if none."""

    @request("chat.panel.of_tabpage")
    async def of_tabpage(self) -> FoundChat | bool:
        """Return the chat of the current tab page; False if there is none."""

    @request("chat.prompt.completion.show")
    async def show_completion(self, number: int, paths: str) -> None:
        """Offer paths, separated by NULs, for the completion of this number."""

    @request("chat.prompt.completion.offer_commands")
    async def offer_commands(self, buffer: int, commands: Sequence[Mapping[str, str]]) -> None:
        """Set the commands of a prompt, as entries of its menu."""

    @request("chat.prompt.buffer.mark_mentions")
    async def mark_mentions(self, buffer: int, tick: int, unknown: Sequence[Any]) -> None:
        """Mark mentions without a file (`context.Unknown`), unless the prompt has changed since."""

    @request("chat.prompt.insert_image")
    async def paste_image(self, buffer: int, mark: int, image: Mapping[str, str]) -> None:
        """Insert an image at a mark in a prompt, or say why there is none."""

    @request("chat.prompt.buffer.put_dropped")
    async def put_dropped(
        self, buffer: int, mark: int, words: Sequence[str], images: Sequence[Mapping[str, str]]
    ) -> None:
        """Replace what was dropped at a mark by words, in which images replace empty ones.

        Without words it stays as it is.
        """

    @request("chat.command.know_sessions")
    async def know_sessions(self, folder: str, ids: Sequence[str]) -> None:
        """Set the sessions of a folder that `:ClaudeChat resume` completes, the latest first."""


class PanelPort(Protocol):
    """The panel of one chat, whose id is the first argument of each call."""

    # Windows.

    @request("chat.panel.open")
    async def open(self, options: Mapping[str, Any]) -> None:
        """Show the panel, and move the cursor to its prompt."""

    @request("chat.panel.hide")
    async def hide(self) -> None:
        """Hide the panel."""

    @request("chat.panel.adopt")
    async def adopt(self, options: Mapping[str, Any]) -> None:
        """Take over a panel whose host has ended."""

    @request("chat.panel.give_up")
    async def give_up(self, reason: str) -> None:
        """Show why a panel whose host has ended cannot be taken over."""

    @request("chat.login.open")
    async def open_login(self, request: Mapping[str, Any]) -> None:
        """Run a login in a terminal (`chat/login.lua`); its end is the event `logged_in`."""

    @request("chat.panel.close")
    async def close(self) -> None:
        """Close the panel and forget the chat."""

    @request("chat.panel.enter_prompt")
    async def write(self) -> None:
        """Move the cursor to the prompt."""

    @request("chat.placement.hide_float")
    async def uncover(self) -> None:
        """Make a file visible that was opened from the panel."""

    @request("chat.following.show")
    async def show_file(self, path: str, first: int, last: int) -> str:
        """Show a file without moving the user; return why that is not possible now, or "".

        `first` is the line to go to, or 0; `last` is the last changed line, or 0. Both are 1-based.
        """

    # Content.

    @request("chat.transcript.draw")
    async def draw(self, frame: Mapping[str, Any]) -> None:
        """Draw a frame of the transcript."""

    @request("chat.transcript.follow")
    async def follow(self) -> None:
        """Show the end of the transcript, and follow it."""

    @request("chat.state.set")
    async def update(self, facts: Mapping[str, Any]) -> None:
        """Set what is known about the chat (`claude_ide.ChatFacts` in `chat/state.lua`)."""

    # Prompt.

    @request("chat.sent.shown")
    async def shown_prompt(self, number: int) -> None:
        """Report that the transcript shows a prompt that the user has sent."""

    @request("chat.sent.claim")
    async def claim_prompt(self, number: int) -> bool:
        """Claim a prompt for the agent; False if the user has taken it back."""

    @request("chat.sent.take")
    async def forget_prompts(self, numbers: Sequence[int]) -> None:
        """Report that prompts have begun, so that they need not be kept."""

    @request("chat.prompt.take_back")
    async def take_back(self, numbers: Sequence[int] = ...) -> list[int]:
        """Return unclaimed prompts, or those of these numbers, to the prompt window.

        Returns the numbers of those that are back.
        """

    @request("chat.prompt.give_back")
    async def give_back(self, numbers: Sequence[int]) -> None:
        """Return prompts to the prompt window that will not be carried out."""

    @request("chat.prompt.say_composed")
    async def say(self, text: str) -> None:
        """Send a text as a prompt; it is put into the prompt window if that is impossible."""

    @request("chat.prompt.write")
    async def write_prompt(self, text: str) -> None:
        """Put a text, such as a mention, at the end of the prompt."""

    @request("chat.prompt.suggest")
    async def suggest(self, text: str) -> None:
        """Show what the user may want to send next, in an empty prompt; "" shows nothing."""

    @request("chat.prompt.put_if_empty")
    async def put_if_empty(self, text: str) -> bool:
        """Put a text into the prompt window if that is empty; return whether it was."""

    @request("chat.prompt.replace")
    async def replace_prompt(self, text: str, images: Sequence[Mapping[str, str]] = ()) -> str:
        """Replace the text of the prompt, which remains in the history; return it."""

    # Requests.

    @request("chat.transcript.seen")
    async def seen(self, part: int) -> str:
        """Return the kind of a part that is completely visible now; empty if it is not."""

    @request("chat.panel.go_to_part")
    async def lead(self, part: int, key: str) -> None:
        """Scroll to the beginning of a part; say that this key has not answered it yet, if any."""


class Proposed(Payload, frozen=True):
    """A text that the user edits and approves. `more` is another way to approve it, if any."""

    what: Literal["plan", "code"]
    label: str
    """The buffer's short name."""
    title: str
    text: str
    filetype: str
    more: str = ""

    @classmethod
    def code(cls, asker: str, text: str, kernel: str, filetype: str, more: str = "") -> "Proposed":
        """Return code that an agent wants to run in a kernel."""
        title = f"{asker} asks to run this in {kernel}"
        return cls("code", f"Code ({asker})", title, text, filetype, more)


class Reviewed(Payload, frozen=True):
    """What the user has decided about `text`, which they may have changed.

    Without a decision they may still answer later.
    """

    decision: Literal["approve", "approve_more", "reject", ""] = ""
    text: str = ""
    comments: str = ""


class FilledIn(Payload, frozen=True):
    """How a form has ended: with the `answer` of a key, or without an answer at all."""

    answer: str = ""
    declined: bool = False


class FormsPort(Protocol):
    """What the user edits or fills in to answer.

    With the same `token` it opens again with what they wrote. Cancelling closes it.
    """

    @operation("chat.form.open", "chat.form.close")
    async def fill_in(
        self,
        page: Mapping[str, Any],
        *,
        token: int,
        step: Callable[[FormPressed], None] | None = None,
    ) -> FilledIn:
        """Show a form; `step` gets each key, after which `show` shows the next page."""

    @notification("chat.form.show")
    def show(self, token: int, page: Mapping[str, Any]) -> None:
        """Show another page of a form."""

    @operation("approval_buffer.open", "approval_buffer.close")
    async def review(self, proposed: Proposed, *, token: int = 0) -> Reviewed:
        """Show a text to edit; return the user's decision."""

    @request("approval_buffer.is_read")
    async def is_read(self, token: int) -> bool:
        """Return whether all of such a text has been on the screen."""


class Key(Payload, frozen=True):
    """A key of a list. `desc` is for `:map`; `plug` is the name of its `<Plug>` map, if given.

    One that `is_usual` does what it usually does on an item that lacks it.
    """

    key: str
    name: str
    desc: str
    plug: str = ""
    is_usual: bool = False


class ListLook(Payload, frozen=True):
    """How a list looks, and which keys close it."""

    title: str
    keys: list[Key]
    filetype: str = ""
    closing: tuple[str, ...] = ("q",)


class ListsPort(Protocol):
    """Lists with keys, each by its name. A key is the event `chat_list`."""

    @request("claude_ide#lists#Open")
    async def open(self, name: str, look: ListLook) -> bool:
        """Open a list, and enter it; False if the user has closed its window meanwhile."""

    @request("claude_ide#lists#Show")
    async def show(self, name: str, title: str, items: Sequence[Mapping[str, Any]]) -> bool:
        """Show the items of an open list; False if they could not be shown."""

    @request("claude_ide#lists#Close")
    async def close(self, name: str) -> None:
        """Close a list, and return the user to where they came from."""
