"""What the editor shows: windows, menus, messages, and what calls the user."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

from msgspec import field

from claude_ide.editor.port.binding import Payload, notification, operation, request


class FloatLook(Payload, frozen=True):
    """How a float looks. `wrap` is whether long lines are wrapped; `filetype` is for Neovim."""

    title: str
    wrap: bool = False
    filetype: str = ""


class WindowsPort(Protocol):
    """Floats, and splits at an edge of the screen."""

    @request("timing.moment.obstacle")
    async def obstacle(self) -> str | None:
        """Return what the user has to do before something can appear, such as "leave Insert mode".

        None or empty if nothing but typing delays it.
        """

    @request("window.float.show")
    async def show_lines(self, lines: Sequence[str], look: FloatLook) -> int:
        """Show a few lines in a float, until a key closes it; return the buffer's number."""

    @request("window.scratch.open")
    async def show_text(
        self, source: str, title: str, text: str, filetype: str = "", edge: str = "below"
    ) -> int:
        """Show a text of an agent, `source`, in a split at an edge of the screen: above or below.

        Returns the buffer's number.
        """

    @request("window.scratch.replace")
    async def replace_text(self, buffer: int, text: str, to_end: bool = False) -> bool:
        """Replace a text that `show_text` has shown; return whether it is still on screen."""

    @request("window.scratch.close")
    async def close_text(self, buffer: int) -> None:
        """Close a window that `show_text` has opened."""

    @notification("messages.message.show")
    def notify(self, text: str, level: str = "info") -> None:
        """Show one line (`debug`, `info`, `warn`, `error`) that causes no prompt."""

    @notification("claude_ide#status#Set")
    def set_status(self, status: Mapping[str, object]) -> None:
        """Set the text for the status line: `state`, `text`, and the figures that are known."""

    @notification("claude_ide#status#SetSessions")
    def set_sessions(self, sessions: str) -> None:
        """Set what `sessions()` returns, as JSON, and announce that it has changed."""

    @notification("claude_ide#status#SetLimits")
    def set_limits(self, limits: Sequence[Mapping[str, object]]) -> None:
        """Set what is known of the plan's limits: the `name` of each, `used` and `resets`."""

    @notification("messages.announce.event")
    def announce(self, event: str, data: Mapping[str, object]) -> None:
        """Raise a `User` event."""

    @request("system.browser.open")
    async def browse(self, url: str) -> str:
        """Open an address in the user's browser; return why that failed, or ""."""

    @request("messages.yank.text")
    async def yank(self, text: str, kind: Literal["v", "l"]) -> None:
        """Put a text into the register that the user pastes from: characters, or lines."""


class CallingPort(Protocol):
    """Calls the user, who may be elsewhere."""

    @request("claude_ide#attention#Call")
    async def call(self, text: str, ring: str) -> None:
        """Show one line, and write `ring` to the terminal, which then notifies the user."""

    @request("timing.moment.idle")
    async def idle(self) -> float:
        """Return for how many seconds the user has pressed no key."""


class Chosen(Payload, frozen=True):
    """The 1-based index of the item that the user has chosen; None if none."""

    index: int | None = None


class Typed(Payload, frozen=True):
    """What the user has typed; None if they have cancelled."""

    text: str | None = None


class DialoguesPort(Protocol):
    """Questions in the editor's own menus. Cancelling discards the question."""

    @operation("ui.select", "ui.close")
    async def select(self, prompt: str, items: Sequence[str]) -> Chosen:
        """Let the user choose an item."""

    @operation("ui.select_later", "ui.close")
    async def select_later(self, prompt: str, items: Sequence[str]) -> Chosen:
        """Like `select`, for a question that the user does not expect: it waits while they type."""

    @operation("ui.input", "ui.close")
    async def input(self, prompt: str, default: str) -> Typed:
        """Let the user type a text."""


class PermissionPort(Protocol):
    """The float with the permission that a CLI in a terminal waits for."""

    @request("permission.width")
    async def width(self) -> int:
        """Return the columns for its text."""

    @request("permission.show")
    async def show(self, permission: Mapping[str, Any]) -> None:
        """Show a permission, instead of an earlier one (`claude_ide.Permission`)."""

    @request("permission.enter")
    async def enter(self) -> None:
        """Move the user into the float."""

    @request("permission.close")
    async def close(self) -> None:
        """Close the float: no permission waits any more."""


class WirePort(Protocol):
    """The window of `:ClaudeWire`."""

    @request("claude_ide#wire_window#Open")
    async def open(self, is_recording: bool) -> None:
        """Open the window; enter it if it is open. It stays as it is while it `is_recording`."""

    @request("claude_ide#wire_window#Append")
    async def append(
        self, lines: Sequence[str], heads: Sequence[Sequence[int]], dropped: int
    ) -> str:
        """Append the lines of messages, and drop lines at the beginning.

        A head is the index of a message's first line, and the bytes at which its time, its
        direction and its client end. Returns "closed", "done", or "busy" if the text cannot be
        changed at the moment.
        """


class Here(Payload, frozen=True):
    """Where a kernel is needed: the current file and folder, and the kernels that molten runs."""

    folder: str
    path: str | None = None
    molten: list[str] = field(default_factory=list)


class KernelPort(Protocol):
    """What the user sees of the Jupyter kernel."""

    @request("jupyter.begin")
    async def begin(self, token: int, entry: Mapping[str, Any]) -> None:
        """Append code that begins to run to the record."""

    @request("jupyter.finish")
    async def finish(self, token: int, outputs: Sequence[Mapping[str, Any]]) -> None:
        """Add what has come out of a run."""

    @request("jupyter.open")
    async def show_record(self) -> None:
        """Show the record."""

    @request("jupyter.here")
    async def here(self) -> Here:
        """Return where the user is."""
