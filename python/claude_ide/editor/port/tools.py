"""The model's tools that the editor runs; each takes one table, and returns one."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol

from msgspec import field

from claude_ide.editor.port.binding import Payload, notification, operation, request, tool


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


Use = Callable[..., Coroutine[Any, Any, dict[str, Any]]]


def _tool(function: str) -> Use:
    """Return a method that takes the fields of one of the model's tools."""

    @tool(function)
    async def use(self: object, fields: Mapping[str, Any] = {}) -> dict[str, Any]:
        raise NotImplementedError

    return use


class ModelTools(Protocol):
    """The tools as the model calls them, but for what Python adds to their answers.

    They run as operations that may be refused while the editor is busy, and cancelled.
    """

    buffers: Use = _tool("tools.buffers.list")
    """Return all `buffers`."""
    buffer_lines: Use = _tool("tools.buffers.lines")
    """Return `lines` of a buffer (`offset`, `limit`; `file` or `bufnr`)."""
    unsaved: Use = _tool("tools.buffers.unsaved")
    """Return the unsaved changes of the file of `bufnr`, as both texts or a `diff`."""
    named: Use = _tool("tools.buffers.named")
    """Return the `files` that `files` and `buffers` name, and the working `folders`."""
    undo_tree: Use = _tool("tools.buffers.undo_tree")
    """Return what `undotree()` says about a file, and the time `now`."""
    undo_difference: Use = _tool("tools.buffers.undo_diff")
    """Return the difference of the states `from` and `to` of a file, as `unsaved` does."""
    load: Use = _tool("tools.buffers.load")
    """Load a `file` unseen; return its `bufnr`; `is_new`: nothing may have checked it yet."""
    edited_texts: Use = _tool("tools.buffers.texts")
    """Return the `texts` of `files` that a server, `client`, wants to change."""
    save: Use = _tool("tools.buffers.save")
    """Save a file as `:write` does."""
    windows: Use = _tool("tools.screen.windows")
    """Return tab pages and windows, with the visible `text` if wanted."""
    evaluate: Use = _tool("tools.screen.evaluate")
    """Return the `value` of an `expression` in the user's window, and the `bufnr` there.

    With a `file` it is that of this one.
    """
    places: Use = _tool("tools.screen.places")
    """Describe `places`: a buffer, a line from 1, and a column in bytes from 0, for each."""
    register: Use = _tool("tools.screen.register")
    """Return the text of a register."""
    messages: Use = _tool("tools.screen.messages")
    """Return the messages."""
    list_made: Use = _tool("tools.screen.list_made")
    """Fill the quickfix list with the `lines` of a `command`; return how many `entries`."""
    show_file: Use = _tool("tools.showing.open")
    """Show a place of a file to the user."""
    set_list: Use = _tool("tools.showing.list")
    """Put `entries` of `setqflist()` into a list; return its `id`."""
    open_list: Use = _tool("tools.showing.open_list")
    """Show the quickfix list, which has `count` entries."""
    highlight: Use = _tool("tools.showing.highlight")
    """Highlight lines of a file."""
    clear_highlights: Use = _tool("tools.showing.clear")
    """Remove the highlights."""
    syntax_source: Use = _tool("tools.syntax.source")
    """Return the `lines` of a `file`, its parser, and a program that can run it."""
    call_own: Use = _tool("tools.own.call")
    """Run a tool of the user's."""
