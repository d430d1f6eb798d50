"""Asks the user's language servers, also those that are starting or do not know the file yet.

`lua/claude_ide/tools/language_servers.lua` tells what is known at one moment, and sends requests;
what to wait for, and whether to ask again, is decided here.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import PurePath
from typing import Any, TypeVar

import msgspec

from claude_ide.base.errors import EditorError
from claude_ide.editor.operations import Operations
from claude_ide.editor.port import Port
from claude_ide.editor.port.tools import (
    CommandEdits,
    LanguageServer,
    ServerDiagnostic,
    ServerReply,
    ServersView,
    Spot,
)
from claude_ide.editor.protocol import index_in

ATTACHES_SECONDS = 1.0
"""A configuration may start a server a moment after a file is loaded."""

STARTS_SECONDS = SETTLES_SECONDS = 10.0
ANSWERS_SECONDS = 20.0

SETTLE_SECONDS, SETTLE_FIRST_SECONDS = 0.4, 2.5
"""A server that begins no work in this time has read the file; the first one takes longer."""

POLL_SECONDS = 0.03

PAUSES_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.5)
"""After an empty answer about a file that a server may not have read yet."""

TRANSIENT = {-32802, -32801}
"""ServerCancelled and ContentModified: the server asks for another attempt."""

ANY_SERVER = {"textDocument/codeAction"}
"""What linters and formatters know as well."""

LONGEST_WORK = 80

PULL = "textDocument/diagnostic"
"""Servers that support it publish nothing by themselves."""

CLOSED = "the file was closed while its language servers were asked"


Outcome = TypeVar("Outcome", ServerReply, CommandEdits)
T = TypeVar("T")


class ServerQuestion(msgspec.Struct, frozen=True):
    """What to ask: a method, and the fields of a tool that name a file and a place.

    `parameters` makes those of the request; `has_content` says whether an answer that is not empty
    has any content. `form` is the type that most answers have. `supports` are other methods whose
    support is to be known.
    """

    method: str
    place: dict[str, Any]
    parameters: Callable[[ServersView, LanguageServer], Any] = lambda _view, _server: None
    has_content: Callable[[Any], bool] = bool
    form: Any = Any
    supports: tuple[str, ...] = ()


class ServerAnswer(msgspec.Struct, frozen=True):
    """An answer that is not empty, and its server."""

    server: LanguageServer
    result: Any


class ServerAnswers(msgspec.Struct, frozen=True):
    """The answers that are not empty, and the servers that were asked.

    `working` names those that are at work: until its end they may know only a part. `ticks` are the
    changedticks of all loaded buffers from before.
    """

    answers: list[ServerAnswer]
    view: ServersView
    ticks: dict[int, int]
    asked: str
    working: str


class _Attempt(msgspec.Struct):
    view: ServersView
    ticks: dict[int, int]
    answers: list[ServerAnswer] = []
    failures: list[str] = []
    is_transient: bool = False


class LanguageServers:
    """The user's language servers. Raises `EditorError` with one sentence."""

    def __init__(self, port: Port, operations: Operations) -> None:
        self._port = port
        self._operations = operations
        self._warm: set[tuple[int, int]] = set()
        """The servers that know the text of a buffer, each with the buffer."""
        self._has_begun = False
        self._asked: dict[int, float] = {}
        """When a buffer was first asked about."""
        self._slow: set[int] = set()
        """Servers that have not started in time."""

    async def ask(self, question: ServerQuestion) -> ServerAnswers:
        """Ask each server of a file that supports a method; without a file, each server.

        Cancelling this cancels the requests.
        """
        with self._operations.waiting():
            wanted = {"method": question.method or None, "supports": question.supports}
            # This one is refused while the editor is busy.
            opened = await self._port.language_servers.open(_given({**question.place, **wanted}))
            await self._begin()
            view = _placed(opened, question.place)
            if opened.is_new and opened.bufnr is not None:
                self._asked.pop(opened.bufnr, None)
                self._warm = {each for each in self._warm if each[1] != opened.bufnr}
            least_seconds: float | None = None
            for pause in (*PAUSES_SECONDS, None):
                view = await self.started(view, question)
                if not view.servers:
                    running = await self._running()
                    why = f"no language server answers {_subject(question)}; {running}"
                    raise EditorError(why)
                view = await self.settled(view, question, least_seconds)
                attempt = await self._attempt(view, question)
                is_cold = not attempt.failures and self.is_cold(attempt.view)
                is_early = not attempt.answers and (is_cold or attempt.is_transient)
                is_early = is_early or (is_cold and bool(_working(attempt.view.servers)))
                if not is_early or pause is None:
                    break
                await asyncio.sleep(pause)
                least_seconds = 0.0  # from the second attempt on, it waits for announced work only
            return await self._finished(attempt, question)

    async def read(self, bufnr: int, seconds: float) -> bool:
        """Wait until servers have started, and those that publish unasked have read a file.

        `seconds` are for those that publish nothing and begin no work. Return whether all had read
        it before.
        """
        await self._begin()
        question = ServerQuestion("", {}, supports=(PULL,))
        view = await self.started(await self.look(question, bufnr), question)
        was_cold = self.is_cold(view)
        view = await self.settled(view, question, seconds)
        self.warm_up(view, _publishing(view.servers))
        return not was_cold

    async def _begin(self) -> None:
        """Before the first question, idle servers know the texts of their buffers."""
        if not self._has_begun:
            servers = (await self.look(ServerQuestion("", {}), None)).servers
            self._has_begun = True
            idle = (each for each in servers if not each.work)
            self._warm |= {(each.id, bufnr) for each in idle for bufnr in each.buffers}

    async def diagnostics(self, bufnr: int) -> list[ServerDiagnostic]:
        """Return the diagnostics of a loaded buffer as servers have sent them."""
        return await self._port.language_servers.diagnostics(bufnr)

    async def send(
        self,
        method: str,
        requests: list[tuple[int, Any]],
        bufnr: int | None = None,
        seconds: float = ANSWERS_SECONDS,
        tick: int | None = None,
    ) -> list[ServerReply]:
        """Send requests, each to the server with an id; return the replies in this order.

        With a `tick`, nothing is sent if the text of the buffer has another one.
        """
        fields = {"method": method, "bufnr": bufnr, "tick": tick}

        async def reply(client: int, parameters: Any) -> ServerReply:
            # As JSON: what a server has sent goes back to it as it was.
            given = {"client": client, "parameters": json.dumps(parameters), **fields}
            answer = await _answered(self._port.language_servers.send(_given(given)), seconds)
            if answer is None:
                return ServerReply(failure=_late(seconds))
            found = msgspec.json.decode(answer.encode("utf-8", "replace"), type=ServerReply)
            return await self._told(found) if found.failure else found

        with self._operations.waiting():
            return await asyncio.gather(*(reply(*each) for each in requests))

    async def run(self, server: int, command: str, arguments: Any) -> CommandEdits:
        """Have a server run a command, and catch the edits that it sends.

        Those that arrive after a cancellation are not applied either.
        """
        parameters = json.dumps({"command": command, "arguments": arguments})
        wanted = {"client": server, "parameters": parameters}
        done = await _answered(self._port.language_servers.run(wanted), ANSWERS_SECONDS)
        done = CommandEdits(failure=_late(ANSWERS_SECONDS)) if done is None else done
        return await self._told(done) if done.failure else done

    async def look(self, question: ServerQuestion, bufnr: int | None) -> ServersView:
        """Return what is known now."""
        wanted = {
            **question.place,
            "method": question.method or None,
            "supports": question.supports,
        }
        view = await self._port.language_servers.look(_given({**wanted, "bufnr": bufnr}))
        return _placed(view, question.place)

    async def started(self, view: ServersView, question: ServerQuestion) -> ServersView:
        """Wait until no server is starting. Soon after a file was loaded, there may be none yet."""
        began = time.monotonic()
        asked = self._asked.setdefault(view.bufnr or 0, began)
        while True:
            age = time.monotonic() - began
            may_come = view.bufnr is not None and not view.servers
            may_come = may_come and age + began - asked < ATTACHES_SECONDS
            if not self._is_starting(view, age) and not (view.is_loaded and may_come):
                return _loaded(view)
            await asyncio.sleep(POLL_SECONDS)
            view = await self.look(question, view.bufnr)

    def _is_starting(self, view: ServersView, age: float) -> bool:
        waiting = {each.id for each in view.starting} - self._slow
        if age < STARTS_SECONDS:
            return bool(waiting)
        self._slow |= waiting
        return False

    async def settled(
        self, view: ServersView, question: ServerQuestion, least_seconds: float | None
    ) -> ServersView:
        """Wait until the servers seem to have read a file.

        Before, some answer a part, such as an import in place of the definition. `least_seconds` is
        for servers that publish nothing and begin no work.
        """
        if view.bufnr is None:
            return view
        began = time.monotonic()
        while True:
            age = time.monotonic() - began
            if age >= SETTLES_SECONDS or all(
                self._is_settled(view.bufnr, each, age, least_seconds)
                for each in _publishing(view.servers)
            ):
                return view
            await asyncio.sleep(POLL_SECONDS)
            view = _loaded(await self.look(question, view.bufnr))

    def _is_settled(
        self, bufnr: int, server: LanguageServer, age: float, least_seconds: float | None
    ) -> bool:
        has_served = any(client == server.id for client, _ in self._warm)
        least = SETTLE_SECONDS if has_served else SETTLE_FIRST_SECONDS
        least = least if least_seconds is None else least_seconds
        is_idle = age >= least and not server.work
        return (server.id, bufnr) in self._warm or server.has_published or is_idle

    def is_cold(self, view: ServersView) -> bool:
        """Return whether some servers may not have read a file. One that has published has."""
        if view.bufnr is None:
            return False
        servers = _publishing(view.servers)
        cold = [each for each in servers if (each.id, view.bufnr) not in self._warm]
        self.warm_up(view, [server for server in cold if server.has_published])
        return bool(cold)

    def warm_up(self, view: ServersView, servers: list[LanguageServer]) -> None:
        """Record that servers know the text of the buffer."""
        if view.bufnr is not None:
            self._warm.update((server.id, view.bufnr) for server in servers)

    async def _told(self, outcome: Outcome) -> Outcome:
        """Return a failure whose words name no private file."""
        words = await self._operations.gate.told(outcome.failure)
        return msgspec.structs.replace(outcome, failure=words)

    async def _attempt(self, view: ServersView, question: ServerQuestion) -> _Attempt:
        """Ask the servers at once."""
        while True:
            servers = view.servers
            requests = [(each.id, question.parameters(view, each)) for each in servers]
            replies = await self.send(question.method, requests, view.bufnr, tick=view.tick)
            if not any(reply.is_stale for reply in replies):
                break
            # The user has typed meanwhile.
            view = _loaded(await self.look(question, view.bufnr))
        now = (await self.look(question, view.bufnr)).servers
        attempt = _Attempt(msgspec.structs.replace(view, servers=now), dict(replies[0].ticks))
        for server, reply in zip(servers, replies, strict=True):
            if reply.failure:
                attempt.failures.append(f"{server.name}: {reply.failure}")
                attempt.is_transient = attempt.is_transient or reply.code in TRANSIENT
                continue
            result = reply.result_as(question.form)
            if result and question.has_content(result):
                attempt.answers.append(ServerAnswer(server, result))
        # In the order in which Neovim itself asks them.
        attempt.answers.sort(key=lambda answer: answer.server.id)
        return attempt

    async def _finished(self, attempt: _Attempt, question: ServerQuestion) -> ServerAnswers:
        view = attempt.view
        self.warm_up(view, view.servers)
        if not attempt.answers:
            if attempt.failures:
                raise EditorError("; ".join(attempt.failures))
            is_read = any(server.reads_code for server in view.servers)
            if view.bufnr is not None and question.method not in ANY_SERVER and not is_read:
                raise EditorError(await self._unread(question, view.servers))
        names, working = _names(view.servers), _working(view.servers)
        return ServerAnswers(attempt.answers, view, attempt.ticks, names, working)

    async def _unread(self, question: ServerQuestion, servers: list[LanguageServer]) -> str:
        """Return that only servers have answered, all with nothing, which read no code."""
        return (
            f"no language server that reads code answers {_subject(question)}: "
            f"{_names(servers)} knows nothing; {await self._running()}"
        )

    async def _running(self) -> str:
        """Return the servers that run, and the filetypes of their buffers."""
        view = await self.look(ServerQuestion("", {}), None)
        facts = [(each.name, sorted(each.filetypes)) for each in view.servers]
        facts += [
            (each.name, [*sorted(each.filetypes), "still starting"]) for each in view.starting
        ]
        names = [f"{name} ({', '.join(more)})" if more else name for name, more in facts]
        return f"running: {', '.join(sorted(names))}" if names else "none is running"


async def _answered(sent: Awaitable[T], seconds: float) -> T | None:
    """Return an answer; None if it takes longer, which cancels the request."""
    try:
        async with asyncio.timeout(seconds):
            return await sent
    except TimeoutError:
        return None


def _late(seconds: float) -> str:
    return f"no answer within {seconds:g} s"


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is None: Lua has another value for it."""
    return {name: value for name, value in fields.items() if value is not None}


def _placed(view: ServersView, place: dict[str, Any]) -> ServersView:
    """Return a view with the places that a tool names in its rows."""

    def spot(given: Spot | None, line: str, column: str, symbol: str) -> Spot | None:
        if given is None:
            return None
        index = index_in(given.text, place[line], place.get(column), place.get(symbol))
        return msgspec.structs.replace(given, index=index)

    first = spot(view.first, "line", "column", "symbol")
    last = spot(view.last, "end_line", "end_column", "")
    return msgspec.structs.replace(view, first=first, last=last)


def _loaded(view: ServersView) -> ServersView:
    if not view.is_loaded:
        raise EditorError(CLOSED)
    return view


def _publishing(servers: list[LanguageServer]) -> list[LanguageServer]:
    """Return servers without those that are known to answer diagnostics only if asked."""
    return [server for server in servers if PULL not in server.supports]


def _names(servers: list[LanguageServer]) -> str:
    return ", ".join(sorted(server.name for server in servers))


def _working(servers: list[LanguageServer]) -> str:
    works = (f"{each.name}: {each.work[:LONGEST_WORK]}" for each in servers if each.work)
    return ", ".join(works)


def _subject(question: ServerQuestion) -> str:
    file = question.place.get("file")
    return f"{question.method} for {PurePath(file).name}" if file else question.method
