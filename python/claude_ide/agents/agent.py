"""The port to an agent: what the panel needs of one, whatever protocol it speaks.

`Kind` opens agents, one for each chat; `Agent` holds one session. A second protocol implements
both, and nothing else changes: `stream_json.claude.Claude` is the first kind.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from claude_ide.agents.answer import Answer
from claude_ide.agents.events import Event, Ready
from claude_ide.agents.prompt import Prompt
from claude_ide.agents.session_state import SessionState
from claude_ide.agents.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an agent can do. They can shrink while it runs: a request was not known to it."""

    images: bool = False
    steer: bool = False
    """A prompt can reach the model in the middle of a turn."""
    redirect: bool = False
    """A prompt can end the turn and start at once."""
    withdraw: bool = False
    """A prompt that has not begun can be withdrawn."""
    resume: bool = False
    fork: bool = False
    modes: bool = False
    models: bool = False
    effort: bool = False
    thinking_tokens: bool = False
    change_proposal: bool = False
    """The user can change what a tool is allowed to do."""
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

    With `fork` it continues under a new id, and the old one stays as it is.
    """

    id: str = ""
    fork: bool = False


Opening = NewSession | ResumeSession


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """How full the context is, in tokens, and with what."""

    used: int
    size: int
    categories: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Rewind:
    """Which changes on disk a rewind to before a prompt undoes, or why it is not possible."""

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
    """An agent and the one session that it holds.

    What `capabilities` lacks is not asked of it; it raises `UnsupportedError` all the same.
    """

    @property
    def name(self) -> str:
        """Its name in messages to the user, such as `Claude`."""

    @property
    def capabilities(self) -> Capabilities:
        """What it can do, as far as it is known; complete once the agent is `Ready`."""

    @property
    def state(self) -> SessionState:
        """What it is doing."""

    @property
    def session(self) -> str:
        """The session's id; empty until the agent has reported it."""

    async def history(self, session: str) -> list[Event]:
        """Return the whole conversation of a session that is about to be resumed.

        It is called at most once before `start(ResumeSession(session))`: an agent that reports
        the past only while it resumes may do so here. Raises `UnknownSessionError`.
        """

    async def start(self, opening: Opening) -> Ready:
        """Start it, or start it again after its death.

        Raises `UnknownSessionError`, or `AgentError` with the agent's last words if it ended.
        """

    def events(self) -> AsyncIterator[Event]:
        """Give every event from the start until the agent is `Dead`, to one reader.

        A `ToolStarted` comes before everything else about a tool, requests included.
        """

    async def stop(self) -> None:
        """End it: interrupt, close, terminate, kill, whichever it takes."""

    def kill(self) -> None:
        """End it without waiting: terminate, then kill what remains."""

    async def prompt(self, prompt: Prompt) -> str:
        """Send a prompt, which runs after the present turn; return its id."""

    async def steer(self, prompt: Prompt) -> str:
        """Send a prompt that reaches the model within the present turn."""

    async def redirect(self, prompt: Prompt) -> str:
        """End the present turn and send a prompt instead."""

    async def withdraw(self, prompt: str) -> bool:
        """Withdraw a prompt that has not begun; return whether that was in time."""

    async def interrupt(self) -> None:
        """End the present turn; queued prompts run next."""

    async def answer(self, request: str, answer: Answer) -> None:
        """Answer a request; one that was withdrawn since is ignored."""

    async def set_mode(self, mode: str) -> None:
        """Set the permission mode, by its id."""

    async def set_model(self, model: str) -> None:
        """Set the model; offer only those that the agent has listed."""

    async def set_effort(self, effort: str) -> None:
        """Set the reasoning effort."""

    async def set_thinking_tokens(self, most: int | None) -> None:
        """Limit the tokens of thinking; 0 turns it off, None is the agent's own limit."""

    async def context_usage(self) -> ContextUsage:
        """Ask how full the context is."""

    async def rename(self, title: str) -> None:
        """Give the session a title."""

    async def rewind(self, prompt: str, *, dry_run: bool) -> Rewind:
        """Restore the files as they were before a prompt, or report what that would change."""

    async def ask_aside(self, question: str) -> str:
        """Ask something that does not become part of the conversation."""

    def log(self) -> str:
        """Return the recent traffic with the agent, one JSON object a line; for bug reports."""


class Kind(Protocol):
    """An agent that the user has configured, and the sessions that it keeps."""

    @property
    def name(self) -> str:
        """Its name in messages to the user."""

    @property
    def chooses_settings(self) -> bool:
        """Whether the user's own command line decides which settings of a folder are followed."""

    def open(self, folder: Path, workbench: Workbench) -> Agent:
        """Return an agent for a folder, not started yet.

        Raises `AgentError` with what to do if it is not installed.
        """

    async def sessions(self, folder: Path) -> list[SessionSummary]:
        """List the sessions of a folder, the latest first.

        Raises `UnsupportedError` if the agent cannot list them.
        """

    async def check_session(self, folder: Path, session: str) -> None:
        """Raise `UnknownSessionError` if the folder is known not to have this session."""

    def login(self) -> list[str]:
        """Return the command that logs the user in, in a terminal.

        Raises `AgentError` if it is not installed, `UnsupportedError` if it has no login.
        """
