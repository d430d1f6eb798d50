"""The port to an agent: what the panel needs of an agent, independent of its protocol.

`AgentKind` opens agents, one for each chat; `Agent` holds one session. A new protocol implements
these two and changes nothing else. `stream_json.claude.Claude` is the first kind.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from claude_ide.agents.editor_services import EditorServices
from claude_ide.agents.events import Event, Ready
from claude_ide.agents.requests import Answer
from claude_ide.agents.session_state import SessionState
from claude_ide.base.errors import UnsupportedError


class Capabilities(Struct, frozen=True):
    """What an agent can do. A capability disappears when the agent rejects its request."""

    images: bool = False
    open_file: bool = False
    """A prompt takes the text of the open file along, saved or not."""
    steer: bool = False
    """A prompt can reach the model in the middle of a turn."""
    redirect: bool = False
    """A prompt can end the turn and start immediately."""
    withdraw: bool = False
    """A prompt that has not started can be withdrawn."""
    resume: bool = False
    stored_history: bool = False
    """The history of a session can be read at any time."""
    fork: bool = False
    branch: bool = False
    """A conversation can continue from before an earlier prompt, in a session of its own."""
    modes: bool = False
    models: bool = False
    effort: bool = False
    thinking_tokens: bool = False
    login: bool = False
    """A way to log in is known."""
    logout: bool = False
    settings: bool = False
    """It has settings of its own, which `SettingsChanged` reports."""
    change_proposal: bool = False
    """The user can change a tool's input before allowing it."""
    editor_files: bool = False
    """It reads or writes files through the editor: its edits may be for unsaved text."""
    reject_with_reason: bool = False
    rewind: bool = False
    context_usage: bool = False
    limits: bool = False
    """It tells how much of the user's plan is used."""
    titles: bool = False
    tasks: bool = False
    """It reports its tasks in the background, and the output of each can be read."""
    stop_task: bool = False
    background: bool = False
    """A running command or subagent can be moved to the background."""
    side_question: bool = False
    remote: bool = False
    """Its session can be continued from elsewhere, such as a phone."""
    tool_servers: bool = False
    """Its MCP servers can be listed, reconnected and turned off."""


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


class NewSession(Struct, frozen=True):
    """Open a new session, with this id if the agent lets us choose it."""

    id: str = ""


class ResumeSession(Struct, frozen=True):
    """Open the session with this id, or the folder's latest session if `id` is empty.

    With `fork` the conversation continues under a new id; the old session is unchanged. A fork with
    `until` continues after the message with this id, in the agent's terms.
    """

    id: str = ""
    fork: bool = False
    until: str = ""


Opening = NewSession | ResumeSession


class Earlier(Struct, frozen=True):
    """An earlier prompt, and how to open a session that continues from before it."""

    opening: Opening
    text: str
    """The prompt as the user typed it, without the context that the editor added."""
    images: tuple[Image, ...] = ()


class ContextUsage(Struct, frozen=True):
    """The size of the context and its used part, in tokens; each category has a name and tokens."""

    used: int
    size: int
    categories: tuple[tuple[str, int], ...] = ()


class Rewind(Struct, frozen=True):
    """The changes on disk that a rewind undoes, or the reason why it is not possible."""

    possible: bool
    files: tuple[str, ...] = ()
    insertions: int = 0
    deletions: int = 0
    reason: str = ""


class ServerState(Enum):
    """Whether an agent can use an MCP server."""

    CONNECTED = "connected"
    CONNECTING = "connecting"
    FAILED = "failed"
    NEEDS_LOGIN = "needs login"
    OFF = "off"
    UNKNOWN = "unknown"


class ToolServer(Struct, frozen=True):
    """An MCP server of an agent; `place` is how it is reached and where it is configured."""

    name: str
    state: ServerState
    error: str = ""
    tools: int = 0
    place: str = ""


class TaskOutput(Struct, frozen=True):
    """The end of a task's output; `size` is that of the whole in bytes, `path` its file, if known.

    `is_cut` means that the output is longer than `text`.
    """

    text: str
    size: int
    is_cut: bool = False
    path: str = ""


class SessionSummary(Struct, frozen=True):
    """A session that can be resumed."""

    id: str
    title: str
    changed: datetime
    first_prompt: str = ""
    process: int = 0
    """The id of the process that holds the session now; 0 if there is none."""


class Login(Struct, frozen=True):
    """A way to log in: a command for a terminal, or without one, a request to the agent itself.

    `problem` says why the user must do something else first, such as setting a variable.
    """

    id: str
    name: str
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    problem: str = ""
    stays: bool = False
    """Whether the command goes on after the login, and the user ends it."""


class Agent(Protocol):
    """An agent and the one session that it holds.

    A method that `capabilities` excludes is not called; it raises `UnsupportedError` nevertheless.
    """

    @property
    def name(self) -> str:
        """The agent's name in messages to the user, such as `Claude`."""

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities known so far; complete once the agent is `Ready`."""

    @property
    def state(self) -> SessionState:
        """The session's state."""

    @property
    def session(self) -> str:
        """The session's id; empty until the agent has reported it."""

    async def history(self, session: str) -> list[Event]:
        """Return the whole conversation of a session that is about to be resumed.

        Without `stored_history` it is called at most once, before `start(ResumeSession(session))`,
        so an agent that reports history only while it resumes may resume here. Raises
        `UnknownSessionError`.
        """

    async def start(self, opening: Opening) -> Ready:
        """Start the agent, or restart it after it has ended.

        Raises `UnknownSessionError`; `AgentError` with its last error output if it ended.
        """

    def events(self) -> AsyncIterator[Event]:
        """Yield every event from the start until `Dead`, for a single reader.

        `ToolStarted` precedes every other event about a tool, requests included.
        """

    async def stop(self) -> None:
        """End the agent: interrupt, close, terminate, then kill, until one of them works."""

    def kill(self) -> None:
        """End the agent without waiting: terminate it, then kill what remains."""

    async def prompt(self, prompt: Prompt) -> str:
        """Send a prompt, which runs after the current turn; return its id."""

    async def steer(self, prompt: Prompt) -> str:
        """Send a prompt that reaches the model within the current turn; return its id."""

    async def redirect(self, prompt: Prompt) -> str:
        """End the current turn and send a prompt instead; return its id."""

    async def withdraw(self, prompt: str) -> bool:
        """Withdraw a prompt that has not started; False if it was too late."""

    async def interrupt(self) -> None:
        """End the current turn; queued prompts run next."""

    async def answer(self, request: str, answer: Answer) -> None:
        """Answer a request; an answer to a withdrawn request is ignored.

        Raises `InvalidRuleError` if the rule in the answer is malformed; the request still waits.
        """

    async def set_mode(self, mode: str) -> None:
        """Set the permission mode, by its id."""

    async def set_model(self, model: str) -> None:
        """Set the model, by its id; it must be one of those in `Ready`."""

    async def set_effort(self, effort: str) -> None:
        """Set the reasoning effort."""

    async def set_thinking_tokens(self, most: int | None) -> None:
        """Limit the tokens of thinking; 0 turns thinking off, None restores the agent's limit."""
        raise UnsupportedError(f"{self.name} cannot limit its thinking")

    async def set_setting(self, setting: str, value: str) -> str:
        """Set one of the agent's own settings, by its id and the id of a value.

        Returns the id of the value that it has then: the agent may keep another one.
        """
        raise UnsupportedError(f"{self.name} has no setting {setting}")

    async def context_usage(self) -> ContextUsage:
        """Return how full the context is."""

    async def log_out(self) -> None:
        """End the user's login; what becomes of the session is up to the agent."""
        raise UnsupportedError(f"{self.name} cannot log out")

    async def rename(self, title: str) -> None:
        """Give the session a title."""
        raise UnsupportedError(f"{self.name} cannot rename a session")

    async def rewind(self, prompt: str, *, dry_run: bool) -> Rewind:
        """Restore the files to their state before a prompt, or report what that would change.

        The agent informs the model with the next prompt.
        """
        raise UnsupportedError(f"{self.name} cannot undo its changes to files")

    async def earlier(self, prompt: str) -> Earlier:
        """Return an earlier prompt of this conversation, by its id.

        Raises `AgentError` with the reason if the conversation cannot continue from before it.
        """
        raise UnsupportedError(f"{self.name} cannot continue from an earlier prompt")

    async def ask_aside(self, question: str) -> str:
        """Return the answer to a question that does not become part of the conversation."""
        raise UnsupportedError(f"{self.name} cannot answer an aside")

    async def turn_remote(self, *, on: bool) -> str:
        """Let the user continue from elsewhere, or no longer; return the link, if there is one."""
        raise UnsupportedError(f"{self.name} has no remote control")

    async def stop_task(self, task: str) -> None:
        """Stop a task, by its id; one that has ended is ignored."""
        raise UnsupportedError(f"{self.name} cannot stop a task")

    async def task_output(self, task: str) -> TaskOutput:
        """Return the end of a command's output. Raises `AgentError` if it cannot be read."""
        raise UnsupportedError(f"{self.name} cannot list its tasks")

    async def background(self, tool: str) -> bool:
        """Move a running tool use to the background; False if this is not possible now."""
        raise UnsupportedError(f"{self.name} cannot move a command to the background")

    async def tool_servers(self) -> list[ToolServer]:
        """Return the MCP servers."""
        raise UnsupportedError(f"{self.name} cannot list its MCP servers")

    async def reconnect_server(self, name: str) -> None:
        """Connect to an MCP server again; raises `AgentError` with the reason if that fails."""
        raise UnsupportedError(f"{self.name} cannot list its MCP servers")

    async def turn_server(self, name: str, *, on: bool) -> None:
        """Turn an MCP server on or off; raises `AgentError` if it cannot be reached."""
        raise UnsupportedError(f"{self.name} cannot list its MCP servers")

    def log(self) -> str:
        """Return the recent traffic with the agent, one JSON object per line, for bug reports."""


class AgentKind(Protocol):
    """An agent that the user has configured, and its stored sessions."""

    id: str
    """The agent's name in commands and options, such as `gemini`."""
    name: str
    """The agent's name in messages to the user."""
    chooses_settings: bool
    """Whether the user's command line decides which settings of a folder apply."""
    needs_trust: bool
    """Whether it always follows a folder's settings, so it may only start where that is safe.

    Nothing is started in a folder that the user does not trust, not even to list sessions.
    """
    keeps_sessions: bool
    """Whether stored sessions can be counted, searched and renamed, and listed at any time."""
    deletes_sessions: bool
    """Whether a stored session that was listed can be deleted."""
    reports_late: bool
    """Whether tools may have begun their work by the time that they are reported."""

    def missing(self) -> str:
        """Return why it cannot be started, with instructions to install it; "" if it can."""

    def open(self, folder: Path, services: EditorServices) -> Agent:
        """Return an agent for a folder, without starting it.

        Raises `AgentError` with instructions if it is not installed.
        """

    async def sessions(self, folder: Path) -> list[SessionSummary]:
        """List the sessions of a folder, the latest first.

        Raises `UnsupportedError` if the agent cannot list them.
        """

    async def count_turns(self, folder: Path, session: str) -> int:
        """Return the number of prompts in a stored session; 0 if it cannot be read."""
        return 0

    async def find_passage(self, folder: Path, session: str, words: Sequence[str]) -> str:
        """Return the line of a stored session's first text with all these words; "" if none."""
        return ""

    async def rename_session(self, folder: Path, session: str, title: str) -> None:
        """Give a stored session a title; raises `AgentError` if it is running or unknown."""
        raise UnsupportedError(f"{self.name} cannot rename a session")

    async def delete_session(self, folder: Path, session: str) -> None:
        """Delete a stored session; raises `AgentError` if it is running or unknown."""

    async def check_session(self, folder: Path, session: str) -> None:
        """Raise `UnknownSessionError` if the folder is known not to have this session."""
        return None

    def logins(self) -> list[Login]:
        """Return the ways to log in, as far as they are known.

        Raises `AgentError` if it is not installed, `UnsupportedError` if it has no login.
        """

    def choose_login(self, login: str) -> None:
        """Have the next agent log in at its start, in the way with this id."""
        return None

    def login_to_servers(self) -> list[str]:
        """Return the command that logs the user in to MCP servers; raises like `logins`."""
        raise UnsupportedError(f"{self.name} cannot list its MCP servers")
