"""Language servers. Only Neovim has them."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
from msgspec import field

from claude_ide.editor.port.binding import Payload, request, tool


class Server(Payload, frozen=True):
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


class View(Payload, frozen=True):
    """What is known of a buffer and of the servers that were asked for; without one, of all.

    `is_new` is whether the buffer was loaded for this.
    """

    is_loaded: bool
    is_new: bool = False
    servers: list[Server] = field(default_factory=list)
    starting: list[Starting] = field(default_factory=list)
    bufnr: int | None = None
    uri: str = ""
    tick: int | None = None
    first: Spot | None = None
    last: Spot | None = None


class Reply(Payload, frozen=True):
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


class Published(Payload, frozen=True):
    """A diagnostic, 0-based, with columns in bytes; `raw` is as the server `client` has sent it."""

    client: int
    row: int
    end_row: int
    col: int
    message: str
    raw: dict[str, Any]


class Run(Payload, frozen=True):
    """The edits that a server has sent while it ran a command, which are not applied.

    `ticks` are { bufnr, changedtick } of all loaded buffers from before.
    """

    edits: list[Any] = field(default_factory=list)
    ticks: list[tuple[int, int]] = field(default_factory=list)
    failure: str = ""


class LanguageServers(Protocol):
    """The user's language servers."""

    @tool("tools.language_servers.open")
    async def open(self, wanted: Mapping[str, Any]) -> View:
        """Load a file if need be; return what is known of it. `wanted` is that of `look`."""
        ...

    @request("tools.language_servers.look", large=True)
    async def look(self, wanted: Mapping[str, Any]) -> View:
        """Return what is known of the servers that support a `method`.

        The other keys name a buffer and places in it, as the model's tools do.
        """
        ...

    @tool("tools.language_servers.send", as_json=True)
    async def send(self, request: Mapping[str, Any]) -> str:
        """Send a request of a `method` to a `client`; its `parameters` are JSON.

        Return a `Reply` as JSON: it can be large, and is decoded as the caller needs it. Nothing is
        sent if the `tick` of the buffer is another one. Cancelling this cancels the request.
        """
        ...

    @tool("tools.language_servers.run")
    async def run(self, command: Mapping[str, Any]) -> Run:
        """Have the server `client` run a command, whose `parameters` are JSON; catch its edits."""
        ...

    @request("tools.language_servers.diagnostics", large=True)
    async def diagnostics(self, buffer: int) -> list[Published]:
        """Return the diagnostics of a loaded buffer as servers have sent them."""
        ...
