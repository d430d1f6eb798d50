"""Windows that show a text, and what calls the user."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from claude_ide.editor.port.binding import Payload, notification, request


class Look(Payload, frozen=True):
    """How a float looks. `wrap` is whether long lines are wrapped; `filetype` is for Neovim."""

    title: str
    wrap: bool = False
    filetype: str = ""


class Windows(Protocol):
    """Floats, and splits at an edge of the screen."""

    @request("timing.moment.obstacle")
    async def obstacle(self) -> str | None:
        """Return what the user has to do before something can appear, such as "leave Insert mode".

        None or empty if nothing but typing delays it.
        """
        ...

    @request("window.float.show")
    async def show_lines(self, lines: Sequence[str], look: Look) -> int:
        """Show a few lines in a float, until a key closes it; return the buffer's number."""
        ...

    @request("window.scratch.open")
    async def show_text(
        self, source: str, title: str, text: str, filetype: str = "", edge: str = "below"
    ) -> int:
        """Show a text of an agent, `source`, in a split at an edge of the screen: above or below.

        Returns the buffer's number.
        """
        ...

    @request("window.scratch.replace")
    async def replace_text(self, buffer: int, text: str, to_end: bool = False) -> bool:
        """Replace a text that `show_text` has shown; return whether it is still on screen."""
        ...

    @request("window.scratch.close")
    async def close_text(self, buffer: int) -> None:
        """Close a window that `show_text` has opened."""
        ...

    @notification("messages.message.show")
    def notify(self, text: str, level: str = "info") -> None:
        """Show one line (`debug`, `info`, `warn`, `error`) that causes no prompt."""
        ...

    @notification("status_line.set")
    def set_status(self, status: Mapping[str, object]) -> None:
        """Set the text for the status line: `state`, `text`, and the figures that are known."""
        ...

    @notification("sessions.set")
    def set_sessions(self, sessions: str) -> None:
        """Set what `sessions()` returns, as JSON, and announce that it has changed."""
        ...

    @notification("status_line.set_limits")
    def set_limits(self, limits: Sequence[Mapping[str, object]]) -> None:
        """Set what is known of the plan's limits: the `name` of each, `used` and `resets`."""
        ...

    @notification("messages.announce.event")
    def announce(self, event: str, data: Mapping[str, object]) -> None:
        """Raise a `User` event."""
        ...

    @request("system.browser.open")
    async def browse(self, url: str) -> str:
        """Open an address in the user's browser; return why that failed, or ""."""
        ...

    @request("messages.yank.text")
    async def yank(self, text: str, kind: Literal["v", "l"]) -> None:
        """Put a text into the register that the user pastes from: characters, or lines."""
        ...


class Calling(Protocol):
    """Calls the user, who may be elsewhere."""

    @request("attention.call")
    async def call(self, text: str, ring: str) -> None:
        """Show one line, and write `ring` to the terminal, which then notifies the user."""
        ...

    @request("attention.idle")
    async def idle(self) -> float:
        """Return for how many seconds the user has pressed no key."""
        ...
