"""What the parts of one chat share, and which features of the panel its agent supports.

A feature has the name of its subcommand of `:ClaudeChat`, or of its key (`<Plug>(claude-chat-…)`).
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence, Sized
from enum import Enum, auto
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from claude_ide.agents.agent import Agent, AgentKind, Opening
from claude_ide.agents.events import Event, Notice, Ready
from claude_ide.agents.requests import Asked
from claude_ide.base.errors import UserError
from claude_ide.chat.transcript.transcript import Transcript
from claude_ide.config import Config
from claude_ide.editor.attention import CallingSession, chat_place
from claude_ide.editor.editor import Editor
from claude_ide.editor.events import Run
from claude_ide.editor.port.binding import Payload, handlers
from claude_ide.editor.port.panel import ChatEvent
from claude_ide.ui.sheet import Painter
from claude_ide.ui.text import one_line

logger = logging.getLogger(__name__)

NEEDS = {
    "aside": "side_question",
    "background": "background",
    "context": "context_usage",
    "continue": "resume",
    "cycle-mode": "modes",
    "edit": "branch",
    "effort": "effort",
    "fork": "fork",
    "login": "login",
    "logout": "logout",
    "mcp": "tool_servers",
    "mode": "modes",
    "model": "models",
    "paste-image": "images",
    "redirect": "redirect",
    "remote": "remote",
    "rename": "titles",
    "resume": "resume",
    "rewind": "rewind",
    "steer": "steer",
    "stop-task": "stop_task",
    "tasks": "tasks",
    "thinking": "thinking_tokens",
    "withdraw": "withdraw",
}
"""The features that not every agent supports, and the capabilities that they need."""

VERBS = {
    "background": "move a command to the background",
    "branch": "continue from an earlier prompt",
    "change_proposal": "accept your changes to its proposals",
    "context_usage": "report how full its context is",
    "effort": "change its reasoning effort",
    "fork": "fork a session",
    "images": "accept images",
    "logout": "log out",
    "models": "change its model",
    "modes": "change its permission mode",
    "redirect": "replace its turn with another prompt",
    "remote": "be controlled from elsewhere here",
    "resume": "resume a session",
    "rewind": "undo its changes to files",
    "settings": "change its settings",
    "side_question": "answer an aside",
    "steer": "accept a prompt during a turn",
    "stop_task": "stop a task in the background",
    "stored_history": "show earlier parts of a conversation again",
    "tasks": "list its tasks in the background",
    "thinking_tokens": "limit its thinking",
    "titles": "rename a session",
    "tool_servers": "list its MCP servers",
    "withdraw": "withdraw a queued prompt",
}

UNSHOWN = "a request could not be shown, see :ClaudeLog · <C-c> stops the turn"

LONGEST_NAME = 30
"""Characters."""

CONFIG = "config"
SETTINGS = ("settings", "modes", "models", "effort", "thinking_tokens")
"""The capabilities of which one is enough for the feature `CONFIG`."""


class Phase(Enum):
    """The phases in which the parts of a chat get each event, in their order."""

    SHOW = auto()
    """The transcript shows an event before anything follows from it."""
    RECORD = auto()
    """What records an event, and shows it elsewhere."""
    FOLLOW = auto()
    """What then ends, begins or goes on."""


class ChatContext:
    """One chat with one agent: `id` identifies it in the editor, `root` is the project's folder."""

    def __init__(
        self,
        id_: int,
        kind: AgentKind,
        agent: Agent,
        root: str,
        editor: Editor,
        config: Config,
        run: Run,
    ) -> None:
        self.id = id_
        self.kind = kind
        self.agent = agent
        self.name = agent.name
        self.root = root
        self.editor = editor
        self.config = config
        self.run = run
        self.panel = editor.port.panel(id_)
        self.transcript = Transcript(agent.name, root=root)
        self.transcript.resumes = lambda: self.has("resume")
        self.sheet = self.transcript.sheet
        self.sheet.page.renders = config.chat.render
        self.painter = self.bars = Painter(self.panel.draw, self.sheet)
        self.session = CallingSession(chat_place(id_), self.name, self._label)
        """As it calls the user."""
        self.title = ""
        self.shown = True
        self.requests: Sized = ()
        """Those that wait for the user."""
        self.is_held_back = False
        """Whether the agent's start waits for the user's trust in the folder."""
        self.tasks = 0
        """The number of tasks that run in the background."""
        self.edited = ""
        """The earlier prompt that the user is editing, in one line."""
        self.follows = config.chat.follow
        """Whether the agent's files are shown as it reads and edits them."""
        self.label: Callable[[], str] = str
        """Returns what tells the chat from the others, or nothing."""
        self.trust_changed: Callable[[], Awaitable[None]] = self._nothing
        """Has all chats follow the user's decision about a folder."""
        self.phases: Mapping[Phase, Sequence[ChatPart]] = {}

    async def _label(self) -> str:
        return self.label()

    async def _nothing(self) -> None:
        """Do nothing: there is no other chat."""

    @property
    def parts(self) -> list["ChatPart"]:
        """The parts in the order in which they get each event, and are closed."""
        return [part for phase in Phase for part in self.phases.get(phase, ())]

    def apply(self, event: Event) -> None:
        """Give an event of the agent to the parts."""
        if not isinstance(event, Asked):
            self._each(type(event).__name__, lambda part: part.apply(event))
        elif not self._each(type(event).__name__, lambda part: part.ask(event)):
            # The agent waits, and the user has to know.
            self.apply(Notice(UNSHOWN, "error"))

    async def handle(self, event: ChatEvent) -> None:
        """Have the parts handle an event of the panel."""
        for handled, act in self._handlers:
            if handled is type(event) and (work := act(event)) is not None:
                await work

    @cached_property
    def _handlers(self) -> list[tuple[type[Payload], Callable[..., Any]]]:
        return [found for part in self.parts for found in handlers(part)]

    def refresh(self) -> None:
        """Draw what has changed, also in the bars."""
        self.painter.soon()
        self.bars.soon()
        self._each("a refresh", lambda part: part.refresh())

    def tick(self) -> None:
        """Draw what has changed with time."""
        self.painter.soon()
        self._each("a tick", lambda part: part.tick())

    def close(self) -> None:
        """End the parts."""
        self._each("the end", lambda part: part.close())
        self.painter.close()

    def _each(self, what: str, act: Callable[["ChatPart"], object]) -> bool:
        """Act on each part; return whether none has failed."""
        failed = False
        for part in self.parts:
            try:
                act(part)
            except Exception:
                # One that fails must not keep a request open, or a prompt waiting.
                logger.exception("%s failed in %s", what, type(part).__name__)
                failed = True
        return not failed

    @property
    def waiting(self) -> int:
        """The number of requests that wait for the user, one for trust included."""
        return len(self.requests) + self.is_held_back

    def count(self) -> None:
        """Show how many requests wait."""
        self.run(self.panel.update({"requests": self.waiting}))
        self.bars.soon()

    @property
    def names(self) -> tuple[str, ...]:
        """What the user may know this chat by, the best first; some are empty."""
        first = next(iter(self.transcript.prompts.values()), "")
        title, prompt = (one_line(text, LONGEST_NAME) for text in (self.title, first))
        return title, prompt, Path(self.root).name

    def has(self, capability: str) -> bool:
        """Return whether the agent is known to have a capability."""
        return bool(getattr(self.agent.capabilities, capability))

    @property
    def lacks(self) -> list[str]:
        """The features that the agent lacks."""
        lacks = [feature for feature, needed in NEEDS.items() if not self.has(needed)]
        return lacks if any(map(self.has, SETTINGS)) else [*lacks, CONFIG]

    def require(self, *features: str) -> None:
        """Raise `UserError` if the agent lacks one of these features; every agent has others."""
        lacks = self.lacks
        for feature in features:
            if feature in lacks:
                self.require_capability(NEEDS.get(feature, "settings"))

    def require_capability(self, capability: str) -> None:
        """Raise `UserError` if the agent lacks a capability."""
        if not self.has(capability):
            raise UserError(f"{self.name} cannot {VERBS[capability]}")

    def note(self, kind: str, words: str) -> None:
        """Add a line of ours to the transcript."""
        self.transcript.note(kind, words)
        self.painter.now()


class ChatPart:
    """A part of a chat. Its failure affects no other part."""

    def __init__(self, chat: ChatContext) -> None:
        self._chat = chat
        self._agent = chat.agent
        self._editor = chat.editor
        self._panel = chat.panel
        self._transcript = chat.transcript

    async def admit(self) -> None:
        """Return when the agent may start; raises `AgentError` if it may not."""

    async def prepare(self, opening: Opening) -> None:
        """Prepare for a start of the agent."""

    async def begin(self, ready: Ready) -> None:
        """Go on with an agent that has started."""

    def apply(self, event: Event) -> None:
        """Apply an event of the agent; most have no effect."""

    def ask(self, asked: Asked) -> None:
        """Ask the user."""

    def refresh(self) -> None:
        """Show what may have changed without an event."""

    def tick(self) -> None:
        """Show what has changed with time, while tools run."""

    def close(self) -> None:
        """End with the chat."""


Act = TypeVar("Act", bound=Callable[..., Awaitable[None]])

SUBCOMMAND = "__chat_subcommand__"
SUBCOMMANDS: dict[str, bool] = {}
"""The subcommands of `:ClaudeChat`, each with whether it takes an argument."""


def subcommand(name: str) -> Callable[[Act], Act]:
    """Bind a method to a subcommand of `:ClaudeChat`; a parameter of it gets the argument."""

    def bound(act: Act) -> Act:
        setattr(act, SUBCOMMAND, name)
        SUBCOMMANDS[name] = act.__code__.co_argcount > 1
        return act

    return bound


def subcommands(*owners: object) -> dict[str, Callable[..., Awaitable[None]]]:
    """Return the methods of objects that are subcommands, by their names."""
    return {
        getattr(method, SUBCOMMAND): getattr(owner, name)
        for owner in owners
        for name, method in vars(type(owner)).items()
        if hasattr(method, SUBCOMMAND)
    }
