"""The editor's services for an agent."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from claude_ide.agents.events import Change
from claude_ide.base.names import EXECUTE_CODE, known_as

CODE_TOOL = known_as(EXECUTE_CODE)
"""The tool of the editor that runs code, which the user may change before."""


class McpServer(Protocol):
    """A server of the editor's tools."""

    def __call__(self, message: dict[str, Any]) -> Awaitable[dict[str, Any] | None]:
        """Handle a JSON-RPC message; return the response, or None for a notification."""

    def allowed(self, tool: str, use: str, arguments: dict[str, Any], *, for_good: bool) -> None:
        """Note that the user has allowed a use of a tool, or `for_good` all further ones."""

    def watch(self, changed: Callable[[], object], /) -> Callable[[], object]:
        """Have `changed` called when there are other tools; return what ends this."""


class Edits(Protocol):
    """Watches the files that tools change; `tool` is the id of one use of a tool."""

    async def before(self, tool: str, path: str) -> None:
        """Examine a file that a tool is about to change."""

    async def ended(
        self, tool: str, path: str, after: str | None = None
    ) -> tuple[Change, ...] | None:
        """Know that a tool which has examined a file, or any, or has changed it, has ended.

        `after` is the text that it reports to have written. Returns what a tool without a path has
        changed.
        """

    async def after(self, tool: str, path: str, change: Change | None) -> str:
        """Return a note for the model on a file that a tool has changed, or "".

        It is called after every tool; a tool without a call of `before` has changed no file.
        """

    async def prompted(self, *, is_command: bool = False) -> str:
        """Return a note for the model, or ""; called when the user sends a prompt.

        With a slash command of the agent the model gets the note only later: what the user is told
        of it waits until then, too.
        """


class WrittenText(Struct, frozen=True):
    """A file that was written with `text`, which the user may have changed.

    `saved` is its text afterwards: the editor may have formatted it.
    """

    text: str
    saved: str


class Files(Protocol):
    """Reads and writes files for an agent that leaves this to the editor; paths are absolute."""

    async def read(self, path: str) -> str:
        """Return a file's text: that of its buffer if it is loaded, saved or not.

        Raises `FileNotFoundError`; `AgentError` with the reason if it cannot be read.
        """

    async def saved(self, path: str) -> str:
        """Return a file's text on disk; raises like `read`."""

    async def write(
        self, path: str, text: str, *, is_allowed: bool = False, over: str | None = None
    ) -> WrittenText:
        """Write a file, through its buffer if that is loaded.

        Waits for the user, who may change the text, if the buffer has unsaved changes, unless the
        user has accepted this text in place of `over`: either the text of the buffer, or the text
        on disk, which is then written beside the buffer; the unsaved changes stay. Waits also if
        the file is outside the project, or a program runs what is in it, unless the user has just
        allowed to change it. Raises `AgentError` with the reason if it was not written.
        """


class McpCommand(Struct, frozen=True):
    """A command that the agent can start, and that then serves MCP over stdio."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = {}


class McpAddress(Struct, frozen=True):
    """An address at which MCP is served over HTTP, to requests with these header fields.

    `transport` is `sse` for the older form, with events.
    """

    name: str
    url: str
    headers: Mapping[str, str] = {}
    transport: str = "http"


class AllowCode(Protocol):
    """Notes that the user has allowed code for which the agent has asked."""

    def __call__(self, asked: str, allowed: str, *, for_good: bool) -> None:
        """Have the agent's next use of the tool for `asked` run `allowed` without a question.

        `for_good` allows all further code, too.
        """


class EditorServices(Struct, frozen=True):
    """The tools and observers that the editor gives to one agent."""

    servers: Mapping[str, McpServer] = {}
    reading: tuple[tuple[str, str], ...] = ()
    """Server and name of each tool that only reads; these run without a request."""
    mcp_commands: Callable[[], Awaitable[tuple[McpCommand, ...]]] | None = None
    """Returns the servers for an agent that starts MCP servers itself; called at each start."""
    mcp_addresses: Callable[[], Awaitable[tuple[McpAddress, ...]]] | None = None
    """The same for an agent that refuses these and connects over HTTP."""
    user_servers: (
        Callable[[Collection[str]], Awaitable[Sequence[McpCommand | McpAddress]]] | None
    ) = None
    """Returns the user's own servers over these transports; called at each start."""
    edits: Edits | None = None
    files: Files | None = None
    allow_code: AllowCode | None = None
    folders: Callable[[], Awaitable[Sequence[str]]] | None = None
    """Returns the folders of the workspace that the user trusts; called at each start."""
    runs_commands: bool = True
    """Whether the agent may run commands in terminals of ours."""
    trusts: Callable[[Path], bool] | None = None
    """Returns whether the user trusts a folder; called at each start."""
