"""The model's tools that the editor runs; each takes one table, and returns one."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import field

from claude_ide.editor.port.binding import Payload, notification, operation, request, tool

Fields = Mapping[str, Any]


class OwnTools(Protocol):
    """The tools that the user adds in Neovim."""

    @notification("tools.own.know")
    def know(self, names: Sequence[str], others: Sequence[str]) -> None:
        """Report the names of all tools, and of those that were not added in Neovim."""
        ...

    @request("tools.own.turn")
    async def turn(self, name: str, on: bool) -> None:
        """Turn a tool on or off."""
        ...


class Chosen(Payload, frozen=True):
    """The 1-based index of the item that the user has chosen; None if none."""

    index: int | None = None


class Typed(Payload, frozen=True):
    """What the user has typed; None if they have cancelled."""

    text: str | None = None


class Dialogues(Protocol):
    """Questions in the editor's own menus. Cancelling discards the question."""

    @operation("ui.select", "ui.close")
    async def select(self, prompt: str, items: Sequence[str]) -> Chosen:
        """Let the user choose an item."""
        ...

    @operation("ui.select_later", "ui.close")
    async def select_later(self, prompt: str, items: Sequence[str]) -> Chosen:
        """Like `select`, for a question that the user does not expect: it waits while they type."""
        ...

    @operation("ui.input", "ui.close")
    async def input(self, prompt: str, default: str) -> Typed:
        """Let the user type a text."""
        ...


class Here(Payload, frozen=True):
    """Where a kernel is needed: the current file and folder, and the kernels that molten runs."""

    folder: str
    path: str | None = None
    molten: list[str] = field(default_factory=list)


class Kernel(Protocol):
    """What the user sees of the Jupyter kernel."""

    @request("jupyter.begin")
    async def begin(self, token: int, entry: Mapping[str, Any]) -> None:
        """Append code that begins to run to the record."""
        ...

    @request("jupyter.finish")
    async def finish(self, token: int, outputs: Sequence[Mapping[str, Any]]) -> None:
        """Add what has come out of a run."""
        ...

    @request("jupyter.open")
    async def show_record(self) -> None:
        """Show the record."""
        ...

    @request("jupyter.here")
    async def here(self) -> Here:
        """Return where the user is."""
        ...


class ModelTools(Protocol):
    """The tools as the model calls them, but for what Python adds to their answers.

    They run as operations that may be refused while the editor is busy, and cancelled.
    """

    @tool("tools.buffers.list")
    async def buffers(self, fields: Fields = ...) -> dict[str, Any]:
        """Return all `buffers`."""
        ...

    @tool("tools.buffers.lines")
    async def buffer_lines(self, fields: Fields = ...) -> dict[str, Any]:
        """Return `lines` of a buffer (`offset`, `limit`; `file` or `bufnr`)."""
        ...

    @tool("tools.buffers.unsaved")
    async def unsaved(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the unsaved changes of the file of `bufnr`, as both texts or a `diff`."""
        ...

    @tool("tools.buffers.named")
    async def named(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the `files` that `files` and `buffers` name, and the working `folders`."""
        ...

    @tool("tools.buffers.undo_tree")
    async def undo_tree(self, fields: Fields = ...) -> dict[str, Any]:
        """Return what `undotree()` says about a file, and the time `now`."""
        ...

    @tool("tools.buffers.undo_diff")
    async def undo_difference(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the difference of the states `from` and `to` of a file, as `unsaved` does."""
        ...

    @tool("tools.buffers.load")
    async def load(self, fields: Fields = ...) -> dict[str, Any]:
        """Load a `file` unseen; return its `bufnr`; `is_new`: nothing may have checked it yet."""
        ...

    @tool("tools.buffers.texts")
    async def edited_texts(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the `texts` of `files` that a server, `client`, wants to change."""
        ...

    @tool("tools.buffers.save")
    async def save(self, fields: Fields = ...) -> dict[str, Any]:
        """Save a file as `:write` does."""
        ...

    @tool("tools.screen.windows")
    async def windows(self, fields: Fields = ...) -> dict[str, Any]:
        """Return tab pages and windows, with the visible `text` if wanted."""
        ...

    @tool("tools.screen.selection")
    async def selection(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the selection or the cursor, as `Selection.latest`."""
        ...

    @tool("tools.screen.evaluate")
    async def evaluate(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the `value` of an `expression` in the user's window, and the `bufnr` there.

        With a `file` it is that of this one.
        """
        ...

    @tool("tools.screen.places")
    async def places(self, fields: Fields = ...) -> dict[str, Any]:
        """Describe `places`: a buffer, a line from 1, and a column in bytes from 0, for each."""
        ...

    @tool("tools.screen.register")
    async def register(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the text of a register."""
        ...

    @tool("tools.screen.messages")
    async def messages(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the messages."""
        ...

    @tool("tools.screen.output")
    async def output(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the output of an Ex command."""
        ...

    @tool("tools.screen.list_made")
    async def list_made(self, fields: Fields = ...) -> dict[str, Any]:
        """Fill the quickfix list with the `lines` of a `command`; return how many `entries`."""
        ...

    @tool("tools.showing.open")
    async def show_file(self, fields: Fields = ...) -> dict[str, Any]:
        """Show a place of a file to the user."""
        ...

    @tool("tools.showing.list")
    async def set_list(self, fields: Fields = ...) -> dict[str, Any]:
        """Put `entries` of `setqflist()` into a list; return its `id`."""
        ...

    @tool("tools.showing.open_list")
    async def open_list(self, fields: Fields = ...) -> dict[str, Any]:
        """Show the quickfix list, which has `count` entries."""
        ...

    @tool("tools.showing.highlight")
    async def highlight(self, fields: Fields = ...) -> dict[str, Any]:
        """Highlight lines of a file."""
        ...

    @tool("tools.showing.clear")
    async def clear_highlights(self, fields: Fields = ...) -> dict[str, Any]:
        """Remove the highlights."""
        ...

    @tool("tools.syntax.source")
    async def syntax_source(self, fields: Fields = ...) -> dict[str, Any]:
        """Return the `lines` of a `file`, its parser, and a program that can run it."""
        ...

    @tool("tools.own.call")
    async def call_own(self, fields: Fields = ...) -> dict[str, Any]:
        """Run a tool of the user's."""
        ...
