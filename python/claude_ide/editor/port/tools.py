"""The tools of the model that the editor runs, and the language servers that some of them ask."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import field

from claude_ide.editor.port.binding import Payload, notification, request, tool


class OwnToolsPort(Protocol):
    """The tools that the user adds in Neovim."""

    @notification("tools.own.know")
    def know(self, names: Sequence[str], others: Sequence[str]) -> None:
        """Report the names of all tools, and of those that were not added in Neovim."""

    @request("tools.own.turn")
    async def turn(self, name: str, on: bool) -> None:
        """Turn a tool on or off."""


Use = Callable[..., Coroutine[Any, Any, dict[str, Any]]]


def _tool(function: str) -> Use:
    """Return a method that takes the fields of one of the model's tools."""

    @tool(function)
    async def use(self: object, fields: Mapping[str, Any] = {}) -> dict[str, Any]:
        raise NotImplementedError

    return use


class ModelToolsPort(Protocol):
    """The tools as the model calls them, but for what Python adds to their answers.

    They run as operations that may be refused while the editor is busy, and cancelled.
    """

    buffers: Use = _tool("claude_ide#places#Buffers")
    """Return all `buffers`."""
    buffer_lines: Use = _tool("claude_ide#places#Text")
    """Return `lines` of a buffer (`offset`, `limit`; `file` or `bufnr`)."""
    unsaved: Use = _tool("claude_ide#tool_facts#Unsaved")
    """Return the unsaved changes of the file of `bufnr`, as both texts or a `diff`."""
    named: Use = _tool("claude_ide#tool_facts#Named")
    """Return the `files` that `files` and `buffers` name, and the working `folders`."""
    undo_tree: Use = _tool("claude_ide#tool_facts#UndoTree")
    """Return what `undotree()` says about a file, and the time `now`."""
    undo_difference: Use = _tool("claude_ide#tool_facts#UndoDiff")
    """Return the difference of the states `from` and `to` of a file, as `unsaved` does."""
    load: Use = _tool("claude_ide#tool_facts#Load")
    """Load a `file` unseen; return its `bufnr`; `is_new`: nothing may have checked it yet."""
    edited_texts: Use = _tool("tools.language_servers.texts")
    """Return the `texts` of `files` that a server, `client`, wants to change."""
    save: Use = _tool("claude_ide#tool_facts#Save")
    """Save a file as `:write` does."""
    windows: Use = _tool("claude_ide#places#Windows")
    """Return tab pages and windows, with the visible `text` if wanted."""
    evaluate: Use = _tool("claude_ide#tool_facts#Evaluate")
    """Return the `value` of an `expression` in the user's window, and the `bufnr` there.

    With a `file` it is that of this one.
    """
    places: Use = _tool("claude_ide#places#All")
    """Describe `places`: a buffer, a line from 1, and a column in bytes from 0, for each."""
    register: Use = _tool("claude_ide#tool_facts#Register")
    """Return the text of a register."""
    messages: Use = _tool("claude_ide#tool_facts#Messages")
    """Return the messages."""
    list_made: Use = _tool("claude_ide#places#ListMade")
    """Fill the quickfix list with the `lines` of a `command`; return how many `entries`."""
    show_file: Use = _tool("tools.showing.open")
    """Show a place of a file to the user."""
    set_list: Use = _tool("claude_ide#places#SetList")
    """Put `entries` of `setqflist()` into a list; return its `id`."""
    open_list: Use = _tool("tools.showing.open_list")
    """Show the quickfix list, which has `count` entries."""
    highlight: Use = _tool("tools.showing.highlight")
    """Highlight lines of a file."""
    clear_highlights: Use = _tool("tools.showing.dismiss")
    """Remove the highlights."""
    syntax_source: Use = _tool("tools.syntax.source")
    """Return the `lines` of a `file`, its parser, and a program that can run it."""
    call_own: Use = _tool("tools.own.call")
    """Run a tool of the user's."""


# Language servers. Only Neovim has them.


class LanguageServer(Payload, frozen=True):
    """A language server at one moment; the last facts are about one buffer.

    `work` is the title of what it reports as in progress. `commands` is None if it has told later
    which it can run. `buffers` are those that it serves, if it was asked without one.
    """

    id: int
    name: str
    encoding: str
    work: str | None = None
    supports: list[str] = field(default_factory=list)
    commands: list[str] | None = None
    has_published: bool = False
    reads_code: bool = False
    filetypes: list[str] = field(default_factory=list)
    buffers: list[int] = field(default_factory=list)


class Starting(Payload, frozen=True):
    """A server that has not reported yet what it can, and the filetypes of its buffers."""

    id: int
    name: str
    filetypes: list[str] = field(default_factory=list)


class Spot(Payload, frozen=True):
    """A row of a buffer, 0-based, with its text, and the index of a place in it."""

    row: int
    text: str
    index: int = 0


class ServersView(Payload, frozen=True):
    """What is known of a buffer and of the servers that were asked for; without one, of all.

    `is_new` is whether the buffer was loaded for this.
    """

    is_loaded: bool
    is_new: bool = False
    servers: list[LanguageServer] = field(default_factory=list)
    starting: list[Starting] = field(default_factory=list)
    bufnr: int | None = None
    uri: str = ""
    tick: int | None = None
    first: Spot | None = None
    last: Spot | None = None


class ServerReply(Payload, frozen=True):
    """What one server has answered: a result, or a failure in its own words.

    With `is_stale` the text had changed, and nothing was sent. `ticks` are the changedticks of all
    loaded buffers from before, by number.
    """

    answer: msgspec.Raw = field(name="result", default=msgspec.Raw(b"null"))
    failure: str = ""
    code: Any = None
    is_stale: bool = False
    ticks: list[tuple[int, int]] = field(default_factory=list)

    @property
    def result(self) -> Any:
        """The result, of any form; None for a failure."""
        return msgspec.json.decode(self.answer)

    def result_as(self, form: Any) -> Any:
        """Return the result as a type, or of any form if it is not of that type."""
        try:
            return msgspec.json.decode(self.answer, type=form)
        except msgspec.ValidationError:
            return self.result


class ServerDiagnostic(Payload, frozen=True):
    """A diagnostic, 0-based, with columns in bytes; `raw` is as the server `client` has sent it."""

    client: int
    row: int
    end_row: int
    col: int
    message: str
    raw: dict[str, Any]


class CommandEdits(Payload, frozen=True):
    """The edits that a server has sent while it ran a command, which are not applied.

    `ticks` are { bufnr, changedtick } of all loaded buffers from before.
    """

    edits: list[Any] = field(default_factory=list)
    ticks: list[tuple[int, int]] = field(default_factory=list)
    failure: str = ""


class LanguageServersPort(Protocol):
    """The user's language servers."""

    @tool("tools.language_servers.open")
    async def open(self, wanted: Mapping[str, Any]) -> ServersView:
        """Load a file if need be; return what is known of it. `wanted` is that of `look`."""

    @request("tools.language_servers.look", large=True)
    async def look(self, wanted: Mapping[str, Any]) -> ServersView:
        """Return what is known of the servers that support a `method`.

        The other keys name a buffer and places in it, as the model's tools do.
        """

    @tool("tools.language_servers.send", as_json=True)
    async def send(self, request: Mapping[str, Any]) -> str:
        """Send a request of a `method` to a `client`; its `parameters` are JSON.

        Return a `ServerReply` as JSON: it can be large, and is decoded as the caller needs it.
        Nothing is sent if the `tick` of the buffer is another one. Cancelling this cancels the
        request.
        """

    @tool("tools.language_servers.run")
    async def run(self, command: Mapping[str, Any]) -> CommandEdits:
        """Have the server `client` run a command, whose `parameters` are JSON; catch its edits."""

    @request("tools.language_servers.diagnostics", large=True)
    async def diagnostics(self, buffer: int) -> list[ServerDiagnostic]:
        """Return the diagnostics of a loaded buffer as servers have sent them."""
