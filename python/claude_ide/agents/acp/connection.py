"""One running agent: its child process, and the JSON-RPC messages in both directions."""

import asyncio
import logging
import re
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from claude_ide import __version__
from claude_ide.agents import base
from claude_ide.agents.acp.launch import LoginMethod, login_method
from claude_ide.agents.fields import integer, mapping, mappings, text
from claude_ide.agents.session_state import EventQueue
from claude_ide.base.errors import (
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    AgentError,
    LoginNeededError,
    RpcError,
    TransportClosed,
    UnknownSessionError,
    UnsupportedError,
)
from claude_ide.base.paths import normalized
from claude_ide.base.redaction import without_secrets
from claude_ide.base.unicode import shown
from claude_ide.transport.jsonrpc import Id, Notification, Peer, Request, converted
from claude_ide.transport.process import GRACE_SECONDS, Child
from claude_ide.transport.wire import FROM, TO, AgentTraffic

LOGIN_NEEDED, NOT_FOUND, REQUEST_CANCELLED = -32000, -32002, -32800
"""Codes that ACP defines; the second is the answer for a session, too, that is unknown."""

NO_SESSION = re.compile(r"session not found|no previous sessions?|unknown session", re.IGNORECASE)
"""Some agents answer with an internal error instead of that code."""

LONGEST = 300


def failed(name: str, error: RpcError) -> AgentError:
    """Return the error of the agent with this name, in one line."""
    reason = f"{name}: {described(error)}"
    match error.code:
        case code if code == LOGIN_NEEDED:
            return LoginNeededError(reason)
        case code if code == NOT_FOUND or NO_SESSION.search(reason):
            return UnknownSessionError(reason)
        case code if code == METHOD_NOT_FOUND:
            return UnsupportedError(reason)
    return AgentError(reason)


def described(error: RpcError) -> str:
    """Return the message of an error with its details, in one line."""
    # Every agent chooses the form of an error's data itself.
    data = mapping(error.data)
    texts = (text(data.get(key)) for key in ("details", "message", "reason", "error"))
    details = text(error.data) or next(filter(None, texts), "")
    message = error.message or f"error {error.code}"
    both = f"{message}: {details}" if details and details not in message else message
    line = " ".join(both.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


_BEFORE = re.compile(rb"(?:\s|\xef\xbb\xbf|\x1b\[[0-9;?]*[A-Za-z])*")
"""A mark of the encoding, or orders to a terminal."""

_VERSION, _METHOD, _ERROR = b'"jsonrpc"', b'"method"', b'"error"'


def message_in(line: bytes) -> bytes | None:
    """Return the message in a line, in valid JSON-RPC if it can be repaired; None if there is none.

    A request that is answered in another form would wait for ever.
    """
    found = _BEFORE.match(line)
    line = line[found.end() :] if found else line
    if not line.startswith(b"{"):
        return None
    is_plain = _VERSION in line and (_ERROR not in line or _METHOD in line)
    return line if is_plain else _repaired(line)


def _repaired(line: bytes) -> bytes:
    try:
        decoded = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return line
    if not {"id", "method"} & set(decoded):
        return line
    repaired: dict[str, Any] = {"jsonrpc": "2.0", **decoded}
    if "method" not in repaired and (error := repaired.get("error")) is not None:
        repaired.pop("result", None)
        fields = mapping(error)
        code, words = fields.get("code"), text(fields.get("message")) or text(error)
        repaired["error"] = {
            **fields,
            "code": code if isinstance(code, int) else INTERNAL_ERROR,
            "message": words or "unknown error",
        }
    return msgspec.json.encode(repaired)


logger = logging.getLogger(__name__)

Params = dict[str, Any]
T = TypeVar("T")
RequestHandler = Callable[[Id, Params], Coroutine[Any, Any, Any]]
"""Answers a request: gets its id and its params."""


def _params(params: Any) -> Params:
    try:
        return mapping(converted(params, dict[str, Any]))
    except msgspec.DecodeError:
        return {}


def converted_params(params: Params, type_: type[T]) -> T:
    """Return the params of a request. Raises `RpcError`, which names a wrong one."""
    try:
        return msgspec.convert(params, type_)
    except msgspec.ValidationError as error:
        raise RpcError.invalid_params(str(error)) from None


def absolute(name: str, path: str) -> str:
    """Return the path that a param names, normalized. Raises `RpcError` if it is not absolute."""
    if "\0" in path or not Path(path).is_absolute():
        reason = "contains a NUL" if "\0" in path else "not an absolute path"
        raise RpcError.invalid_params(f"{name}: {shown(path)}: {reason}")
    return normalized(path)


PROTOCOL_VERSION = 1


class AgentOffer(Struct, frozen=True):
    """The answer to `initialize`, in which every capability is optional."""

    version: int = PROTOCOL_VERSION
    name: str = ""
    own_name: str = ""
    """Its name for programs, such as `gemini-cli`."""
    agent_version: str = ""
    loads: bool = False
    resumes: bool = False
    lists: bool = False
    forks: bool = False
    closes: bool = False
    deletes: bool = False
    takes_folders: bool = False
    """A session can have further folders."""
    images: bool = False
    embeds: bool = False
    """It takes the text of files within a prompt."""
    steers: bool = False
    http_servers: bool = False
    sse_servers: bool = False
    logs_out: bool = False
    methods: tuple[LoginMethod, ...] = ()


def offer(answer: dict[str, Any]) -> AgentOffer:
    """Return what an agent offers."""
    abilities = mapping(answer.get("agentCapabilities"))
    prompts = mapping(abilities.get("promptCapabilities"))
    sessions = mapping(abilities.get("sessionCapabilities"))
    servers = mapping(abilities.get("mcpCapabilities"))
    information = mapping(answer.get("agentInfo"))
    meta = mapping(answer.get("_meta"))
    version = integer(answer.get("protocolVersion"))
    return AgentOffer(
        version=PROTOCOL_VERSION if version is None else version,
        name=text(information.get("title")) or text(information.get("name")),
        own_name=text(information.get("name")),
        agent_version=text(information.get("version")),
        loads=abilities.get("loadSession") is True,
        resumes="resume" in sessions,
        lists="list" in sessions,
        forks="fork" in sessions,
        closes="close" in sessions,
        deletes="delete" in sessions,
        takes_folders=isinstance(sessions.get("additionalDirectories"), dict),
        images=prompts.get("image") is True,
        embeds=prompts.get("embeddedContext") is True,
        steers=mapping(meta.get("steering")).get("supported") is True,
        http_servers=servers.get("http") is True,
        sse_servers=servers.get("sse") is True,
        logs_out=isinstance(mapping(abilities.get("auth")).get("logout"), dict),
        methods=tuple(map(login_method, mappings(answer.get("authMethods")))),
    )


CLIENT = {"name": "claude-ide", "title": "Neovim", "version": __version__}

LIVE_OUTPUT = "terminal_output"
"""Claude's adapter sends a command's output while it runs to a client that has this in `_meta`."""

TERMINAL_LOGIN = "terminal-auth"
"""Some agents report only then how to log in in a terminal."""

ABILITIES = {
    "elicitation": {"form": {}, "url": {}},
    "session": {"configOptions": {"boolean": {}}},
    "auth": {"terminal": True},
    "_meta": {LIVE_OUTPUT: True, TERMINAL_LOGIN: True},
}


LONGEST_PRINTED = 1_000
"""How many bytes are kept of a line on stdout that is no message."""

UPDATE = b'"session/update"'


class AcpConnection(base.AgentConnection):
    """An agent from its start to its end; `ended` is called with its exit code and complaint."""

    def __init__(
        self,
        child: Child,
        traffic: AgentTraffic,
        events: EventQueue,
        name: str,
        requests: Mapping[str, RequestHandler],
        notifications: Mapping[str, Callable[[Params], None]],
        ended: Callable[[int, str], None],
    ) -> None:
        self.offer = AgentOffer()
        self._is_ending = False
        self._telling: set[asyncio.Future[None]] = set()
        self._name = name
        self._on_end = ended
        self._printed = b""
        """The last line on stdout, if that is no message."""
        self._requests = requests
        self._notifications = notifications
        self._peer = Peer(self, self)
        super().__init__(child, traffic, events)

    @property
    def alive(self) -> bool:
        """Whether the agent is running, and is not being ended."""
        return super().alive and not self._is_ending

    async def initialize(self, abilities: Mapping[str, Any]) -> None:
        """Tell the agent what the client can do besides, and learn its capabilities.

        Raises `AgentError` if it speaks another version, or has ended.
        """
        params = {
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": {**abilities, **ABILITIES},
            "clientInfo": CLIENT,
        }
        self.offer = offer(mapping(await self.request("initialize", params)))
        if self.offer.version != PROTOCOL_VERSION:
            raise AgentError(
                f"{self._name} speaks version {self.offer.version} of the Agent Client Protocol;"
                f" version {PROTOCOL_VERSION} is needed"
            )

    def on_request(self, request: Request) -> Any:
        """Return the coroutine that answers a request. Raises `RpcError` if it is unknown."""
        answer = self._requests.get(request.method)
        if answer is None:
            raise RpcError.method_not_found(request.method)
        return answer(request.id, _params(request.params))

    def on_notification(self, notification: Notification) -> None:
        """Handle a notification; an unknown one is ignored."""
        handle = self._notifications.get(notification.method)
        if handle is None:
            logger.info("ignored %s", notification.method)
        else:
            handle(_params(notification.params))

    def oversized(self, request: Request, size: int) -> Any:
        """Refuse to send a result of `size` bytes."""
        logger.warning("the answer to %s has %d bytes, and is not sent", request.method, size)

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Call the agent and return its result.

        Raises `AgentError` with its error, or with its last words if it ended.
        """
        try:
            return await self._peer.request(method, params, self._give_up)
        except RpcError as error:
            raise failed(self._name, error) from error
        except TransportClosed:
            await asyncio.wait([self._reading])
            raise EndedError(f"{self._name} has ended: {self._last_words}") from None

    def _give_up(self, id_: int) -> None:
        """Tell the agent that nobody waits for its answer to a request."""
        if self.alive:
            telling = asyncio.ensure_future(self.notify("$/cancel_request", {"requestId": id_}))
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification; an agent that has ended misses nothing."""
        try:
            await self._peer.notify(method, params)
        except TransportClosed:
            logger.info("%s was not sent: the agent has ended", method)

    async def send(self, frame: bytes) -> None:
        """Send one message (called by the peer)."""
        self._traffic.note(TO, frame)
        await self._child.send(frame)

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        """End the agent; each step (close, terminate, kill) gets `grace` seconds."""
        self._is_ending = True
        await super().stop(grace)

    def kill(self) -> None:
        """End the agent without waiting: SIGTERM first, then SIGKILL."""
        self._is_ending = True
        super().kill()

    @property
    def complaint(self) -> str:
        """The end of its stderr. Some programs print on stdout why they do not start."""
        complaint = self._child.stderr or self._printed.decode("utf-8", "replace")
        # An agent may print the environment of a server that it cannot start.
        return without_secrets(complaint)

    @property
    def _last_words(self) -> str:
        complaint = self.complaint.strip()
        return complaint.splitlines()[-1] if complaint else f"exit code {self._child.code}"

    async def _handle_line(self, line: bytes) -> bool:
        self._traffic.note(FROM, line)
        frame = message_in(line)
        self._printed = b"" if frame else line[:LONGEST_PRINTED]
        if frame is None:
            logger.warning("ignored a line that is no message: %.200r", line)
            return False
        await self._peer.receive(frame)
        # The caller of a request must see its answer before the messages after it.
        return UPDATE not in line

    async def _ended(self, code: int) -> None:
        self._on_end(code, self.complaint)
        await self._peer.close()


class EndedError(AgentError):
    """The agent ended before it answered."""
