"""The port to an agent: what a panel can ask of one, whatever it speaks.

`StreamJsonAgent` implements it for the Claude CLI. What an agent cannot do is told by its
`capabilities`, and refused with `AgentError` if asked all the same.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from claude_ide.agents.events import Event, Ready
from claude_ide.agents.prompt import Prompt
from claude_ide.agents.session_state import SessionState


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an agent can do; it can shrink when the agent turns out not to know something."""

    images: bool = False
    steer: bool = False
    """A prompt can reach the model in the middle of a turn."""
    redirect: bool = False
    """A prompt can end the turn and start at once."""
    withdraw: bool = False
    resume: bool = False
    fork: bool = False
    modes: bool = False
    models: bool = False
    effort: bool = False
    thinking_tokens: bool = False
    change_proposal: bool = False
    """What a tool is allowed to do can be changed by the user first."""
    reject_with_reason: bool = False
    rewind: bool = False
    context_usage: bool = False
    titles: bool = False
    side_question: bool = False


@dataclass(frozen=True, slots=True)
class NewSession:
    """Open a new session, with this id if the agent lets us choose."""

    id: str = ""


@dataclass(frozen=True, slots=True)
class ResumeSession:
    """Open the session with this id, or the latest of the folder if it is empty.

    With `fork` it goes on under a new id, and the old one stays as it is.
    """

    id: str = ""
    fork: bool = False


Opening = NewSession | ResumeSession


@dataclass(frozen=True, slots=True)
class Allow:
    """Let the tool do it, with `arguments` where the user changed them.

    `options` are the ids of those "always" options that the user chose besides.
    """

    options: tuple[str, ...] = ()
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """Don't let the tool do it; the model reads the reason. `stop` ends the turn as well."""

    reason: str = ""
    stop: bool = False
    option: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers to questions: the question's text, and what was chosen or typed."""

    answers: Mapping[str, str | Sequence[str]]


Answer = Allow | Reject | Reply


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """How full the context is, in tokens, and with what."""

    used: int
    size: int
    categories: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Rewind:
    """What going back to before a prompt changes on disk, or why that is not possible."""

    possible: bool
    files: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session that can be resumed."""

    id: str
    title: str
    changed: datetime
    first_prompt: str = ""


class Agent(Protocol):
    """An agent and the one session that it holds."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can do."""

    @property
    def state(self) -> SessionState:
        """What it is doing."""

    @property
    def session(self) -> str:
        """The session's id; empty until the agent has told it."""

    async def start(self, opening: Opening) -> Ready:
        """Start it, or start it again after its death.

        Raises `UnknownSessionError`, or `AgentError` with what it said when it ended.
        """

    def events(self) -> AsyncIterator[Event]:
        """Give every event from the start on, until the agent is `Dead`; to be read by one."""

    async def stop(self) -> None:
        """End it: interrupt, close, terminate, kill, whichever it takes."""

    def kill(self) -> None:
        """End it without waiting for that: terminate, then kill what is left."""

    async def prompt(self, prompt: Prompt) -> str:
        """Say something, after what runs now; return the prompt's id."""

    async def steer(self, prompt: Prompt) -> str:
        """Say something that the model is to learn within the present turn, if that can be."""

    async def redirect(self, prompt: Prompt) -> str:
        """End the present turn and say something else instead."""

    async def withdraw(self, prompt: str) -> bool:
        """Take back a prompt that has not begun; return whether that was in time."""

    async def interrupt(self, *, withdraw_queued: bool = False) -> None:
        """End the present turn; what waits in line runs then, unless it is withdrawn too."""

    async def answer(self, request: str, answer: Answer) -> None:
        """Answer what was asked; a request that was withdrawn meanwhile is left alone."""

    async def set_mode(self, mode: str) -> None:
        """Set the permission mode."""

    async def set_model(self, model: str) -> None:
        """Set the model; offer only those that the agent has listed."""

    async def set_effort(self, effort: str) -> None:
        """Set how much the model is to think."""

    async def set_thinking_tokens(self, most: int | None) -> None:
        """Limit the tokens of thinking; 0 turns it off, None is the agent's own limit."""

    async def context_usage(self) -> ContextUsage:
        """Ask how full the context is."""

    async def rename(self, title: str) -> None:
        """Give the session a title."""

    async def rewind(self, prompt: str, *, dry_run: bool) -> Rewind:
        """Put the files back as they were before a prompt, or tell what that would change."""

    async def ask_aside(self, question: str) -> str:
        """Ask something that does not become part of the conversation."""

    async def sessions(self) -> list[SessionSummary]:
        """List the sessions of this folder, the latest first."""

    async def history(self, session: str) -> list[Event]:
        """Tell what was said in a session, as events, whole."""

    def log(self) -> str:
        """Return what went over the wire of late, one JSON object a line; for who seeks a fault."""
