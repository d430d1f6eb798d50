"""Terminals in which agents run, and what the editor knows of its host."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from claude_ide.editor.port.binding import Payload, notification, request


class TmuxPane(Payload, frozen=True):
    """A CLI in a pane of tmux; an earlier editor has left one that `is_found`.

    `launch` is empty if it does not report what it does; without a `name` it gets a number.
    """

    id: str
    pid: int
    launch: str
    size: float
    name: str = ""
    is_found: bool = False


class Terminal(Payload, frozen=True):
    """A terminal that runs. `pids` are those of the connected clients in it, if any.

    `name` is the user's, or a number; `folder` is where it was started, or the root of the worktree
    in which its session works. In a buffer it has no `pane`.
    """

    launch: str
    name: str
    folder: str
    pids: list[int]
    is_current: bool = False
    """Whether commands mean it here."""
    pane: str = ""
    pid: int = 0
    """The process id of its program, or of the shell in its pane."""
    attached: str = ""
    """The id of the session in the background that it shows, if it is attached to one."""


class Toggled(Payload, frozen=True):
    """What has become of `:Claude`: it `is_done`, unless there is no CLI to show or hide.

    The host has to show or hide a `pane`; one that `is_found` is only shown.
    """

    is_done: bool
    pane: str = ""
    is_found: bool = False


class TerminalsPort(Protocol):
    """The terminals. A client is known by its process id, a terminal by the id of its launch."""

    @notification("claude_ide#terminals#Connected")
    def connected(self, lineages: Sequence[Sequence[int]]) -> None:
        """Report the clients: the process id of each, and those of its ancestors.

        The editor finds their terminals by them.
        """

    @request("claude_ide#terminals#Here")
    async def here(self) -> list[int]:
        """Return the process ids of the clients that belong to this tab page."""

    @request("claude_ide#terminals#Running")
    async def running(self) -> list[Terminal]:
        """Return the terminals that run, the last used one first."""

    @notification("claude_ide#terminals#SetState")
    def set_state(self, launch: str, state: Literal["idle", "working", "wants you"]) -> None:
        """Report what the CLI in a terminal does, for `b:claude_ide`."""

    @notification("claude_ide#terminals#WorkIn")
    def work_in(self, name: str, worktree: str) -> None:
        """Report that the session of a terminal works in another worktree."""

    @request("terminal.toggle")
    async def toggle(self, place: Mapping[str, Any]) -> Toggled:
        """Hide or show the CLI that runs."""

    @request("terminal.switch")
    async def switch(self, name: str) -> None:
        """Show the CLI with a name instead of the current one, and go there."""

    @request("terminal.start")
    async def start(self, terminal: Mapping[str, Any]) -> None:
        """Start a CLI, and go there (`claude_ide.TerminalRequest`)."""

    @notification("claude_ide#quitting#Answer")
    def answer_quit(self, problem: str) -> None:
        """Report whether the editor may exit: with a problem it refuses once, as for a change."""

    @request("environ", large=True)
    async def environment(self) -> dict[str, str]:
        """Return the environment of the editor's child processes."""

    @request("terminal.adopt")
    async def adopt(self, pane: TmuxPane) -> None:
        """Take over a CLI in a pane of tmux."""

    @request("terminal.focus")
    async def focus(self, pid: int) -> None:
        """Go to the terminal of a client; 0: to that of `:Claude`."""

    @request("terminal_prompt.quoted")
    async def quoted(self, number: int, text: str, refusal: str) -> None:
        """Answer `QuotationAsked` with the quoted lines, or with why they are not quoted."""

    @request("terminal_prompt.finish")
    async def finish_prompt(self, is_sent: bool) -> None:
        """Report whether the prompt of `:ClaudePrompt` is on its way; otherwise it stays."""


class TypedPrompt(Payload, frozen=True):
    """A prompt that is kept until it is typed, and what its CLI runs in.

    That is a terminal of the editor, `bufnr`, or a `pane` of the server at `tmux` (as in $TMUX).
    """

    number: int
    bufnr: int = 0
    pane: str = ""
    tmux: str = ""


class TypingPort(Protocol):
    """What types prompts into terminals."""

    @request("claude_ide#typed_words#Hold")
    async def hold(self, text: str) -> int:
        """Keep a prompt for which there is no CLI yet; return its number."""

    @request("claude_ide#typed_words#Begin")
    async def begin(self, pid: int, text: str, name: str = "") -> TypedPrompt:
        """Keep a prompt for the CLI in which a client runs; 0: for that of `:Claude`.

        The terminal with a `name` gets it in place of these.

        Raises `EditorError` if neither a terminal of the editor nor a pane of `:Claude` is found.
        """

    @request("terminal.typing.read")
    async def read(self, buffer: int, most: int) -> list[str]:
        """Return the lowest rows of a terminal; none once its program has ended."""

    @request("terminal.typing.press")
    async def press(self, buffer: int, keys: str, seen: Sequence[str]) -> bool:
        """Send keys, unless the screen has changed since it was `seen`: then return False."""

    @notification("terminal.typing.redraw")
    def redraw(self, buffer: int) -> None:
        """Have the program draw its whole screen again."""

    @notification("claude_ide#typed_words#Finish")
    def finish(self, number: int) -> None:
        """Forget a prompt: it is typed."""

    @notification("claude_ide#typed_words#Lose")
    def lose(self, numbers: Sequence[int], why: str) -> None:
        """Keep prompts that a CLI has not got where the user finds them."""


class HostPort(Protocol):
    """What the editor knows of its host."""

    @request("host.listening")
    async def listening(self, port: int, token: str, lock: str) -> None:
        """Report that the server accepts clients, its address, and the path of its lock."""

    @request("claude_ide#server#Stopped")
    async def stopped(self) -> None:
        """Report that the server has stopped."""

    @notification("claude_ide#server#Clients")
    def clients_changed(self, count: int) -> None:
        """Report the number of connected clients."""

    @request("claude_ide#health#Receive")
    async def report_health(self, findings: Sequence[Mapping[str, Any]]) -> None:
        """Give `:checkhealth` what was found: `level`, `line`, perhaps `advice`."""
