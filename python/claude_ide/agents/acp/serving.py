"""What the editor does for one running agent: asks the user, observes files, runs commands."""

import asyncio
import itertools
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from msgspec import Struct

from claude_ide.agents import events, requests
from claude_ide.agents.acp.connection import REQUEST_CANCELLED, Params, RequestHandler
from claude_ide.agents.acp.files import FileRequests
from claude_ide.agents.acp.launch import AgentLaunch
from claude_ide.agents.acp.terminals import AgentTerminals
from claude_ide.agents.acp.tools import (
    ToolCall,
    ToolCalls,
    line_of,
    permission_answer,
    permission_asked,
)
from claude_ide.agents.acp.updates import UpdateDecoder
from claude_ide.agents.editor_services import EditorServices, Edits
from claude_ide.agents.fields import mapping, strings, text
from claude_ide.base import program
from claude_ide.base.errors import RpcError
from claude_ide.base.paths import real
from claude_ide.transport.jsonrpc import Id

T = TypeVar("T")

RECORDING_SECONDS = 5.0
"""How long the end of a turn waits until what it has changed is known."""


class Pending:
    """The requests of one agent, by our own ids: the agent's may also be ours."""

    def __init__(self, emit: Callable[[events.Event], None]) -> None:
        self._emit = emit
        self._numbers = itertools.count(1)
        self._waiting: dict[str, tuple[Id, asyncio.Future[requests.Answer | None]]] = {}
        self._running: dict[asyncio.Task[Any], Id] = {}

    def new(self) -> str:
        """Return an id for a request."""
        return f"r{next(self._numbers)}"

    async def ask(self, id_: Id, asked: requests.Asked) -> requests.Answer | None:
        """Report a request; return the user's answer, or None once it is withdrawn."""
        answer: asyncio.Future[requests.Answer | None] = asyncio.get_running_loop().create_future()
        self._waiting[asked.request] = id_, answer
        self._emit(asked)
        try:
            return await answer
        finally:
            del self._waiting[asked.request]

    async def run(self, id_: Id, work: Coroutine[Any, Any, T]) -> T:
        """Do what may wait for the user; raises `RpcError` once the request is withdrawn."""
        task = asyncio.get_running_loop().create_task(work)
        self._running[task] = id_
        try:
            return await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise
            raise RpcError(REQUEST_CANCELLED, "the request was cancelled") from None
        finally:
            del self._running[task]

    def answer(self, request: str, answer: requests.Answer) -> None:
        """Answer a request, unless it was withdrawn or answered before."""
        _, waiting = self._waiting.get(request, (None, None))
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def withdraw(self, id_: Id) -> None:
        """Withdraw the request with this id of the agent."""
        for request, (own, waiting) in self._waiting.items():
            if own == id_ and not waiting.done():
                self._emit(requests.RequestWithdrawn(request))
                waiting.set_result(None)
        for task, own in list(self._running.items()):
            if own == id_:
                task.cancel()

    def withdraw_all(self) -> None:
        """Withdraw all requests: the turn, or the agent, has ended."""
        for id_, _ in list(self._waiting.values()):
            self.withdraw(id_)
        for task in list(self._running):
            task.cancel()


class Observing:
    """The observed tool calls of one session; without `edits` nothing is observed."""

    def __init__(self, edits: Edits | None, emit: Callable[[events.Event], None]) -> None:
        self._edits = edits
        self._emit = emit
        self._begun: dict[str, tuple[asyncio.Task[None], list[str]]] = {}
        """By call: what examines files, and their paths; an empty one is any file."""
        self._recording: set[asyncio.Task[None]] = set()
        self._ended: set[asyncio.Task[None]] = set()
        self._notes: list[str] = []

    def follow(self, event: events.Event, tools: ToolCalls) -> None:
        """Observe the call that an event is about."""
        match event:
            case events.ToolInput(tool) if call := tools.find(tool):
                self.begin(call)
            case events.ToolEnded() if self._edits is not None:
                self._end(self._edits, event, tools.find(event.tool))

    def begin(self, call: ToolCall) -> None:
        """Examine the files of a call that is about to change them, once for each call."""
        paths = [diff.path for diff in call.diffs] or [call.path]
        if call.shown_kind in events.WRITING_ANYWHERE:
            paths = [""]
        elif call.shown_kind != "edit" or not paths[0]:
            return
        if self._edits is not None and call.id not in self._begun:
            before = self._before(self._edits, call.id, paths)
            self._begun[call.id] = asyncio.get_running_loop().create_task(before), paths

    async def examined(self, call: ToolCall) -> None:
        """Wait until the files of a call are examined."""
        self.begin(call)
        if call.id in self._begun:
            await asyncio.wait([self._begun[call.id][0]])

    def note(self, text: str) -> None:
        """Have the next prompt carry a note for the model."""
        self._notes.append(text)

    def before_prompt(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something before the next prompt is sent."""
        _run(self._ended, work)

    async def recorded(self) -> None:
        """Wait until what the calls that have ended have changed is recorded."""
        if self._recording:
            await asyncio.wait(self._recording, timeout=RECORDING_SECONDS)

    async def notes(self, *, is_command: bool) -> str:
        """Return the notes for the model that a prompt carries; a slash command carries none."""
        if self._ended:
            await asyncio.wait(self._ended)
        notes, self._notes = self._notes, []
        if self._edits is not None:
            notes.append(await self._edits.prompted(is_command=is_command))
        return "\n\n".join(filter(None, notes))

    def _end(self, edits: Edits, event: events.ToolEnded, call: ToolCall | None) -> None:
        if call is not None:
            # Its end may be the first word about its files.
            self.begin(call)
        begun, paths = self._begun.pop(event.tool, (None, []))
        if call is not None and call.shown_kind == "read" and call.path:
            paths = [call.path]
        changes = [each.path for each in event.changes]
        recording = self._record(edits, event.tool, begun, [*changes, *paths])
        self.before_prompt(self._after(edits, event, _run(self._recording, recording)))

    @staticmethod
    async def _before(edits: Edits, tool: str, paths: list[str]) -> None:
        for path in paths:
            await edits.before(tool, path)

    async def _record(
        self, edits: Edits, tool: str, begun: asyncio.Task[None] | None, paths: list[str]
    ) -> None:
        if begun is not None:
            await asyncio.wait([begun])
        for path in dict.fromkeys(paths):
            if (found := await edits.ended(tool, path)) is not None:
                self._emit(events.FilesFound(tool, found))

    async def _after(
        self, edits: Edits, event: events.ToolEnded, recording: asyncio.Task[None]
    ) -> None:
        await asyncio.wait([recording])
        changes = event.changes or (None,)
        for change in changes:
            path = change.path if change is not None else ""
            self._notes.append(await edits.after(event.tool, path, change))


def _run(running: set[asyncio.Task[None]], work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Begin something, which is among what is `running` until it has ended."""
    task = asyncio.get_running_loop().create_task(work)
    running.add(task)
    task.add_done_callback(running.discard)
    return task


_CANCELLED = (events.TurnEndReason.INTERRUPTED, events.TurnEndReason.REDIRECTED)

MOST_SHOWN = 100
"""How many terminals are looked at after each update."""


class _Shown(Struct):
    """The command line of a terminal, and the end of its output once there is any."""

    line: str = ""
    output: str | None = None


class Serving:
    """Answers the agent's requests: to the user, `fs/*` if there are files, and `terminal/*`."""

    def __init__(
        self,
        launch: AgentLaunch,
        services: EditorServices,
        decoder: UpdateDecoder,
        emit: Callable[[events.Event], None],
    ) -> None:
        self.pending = Pending(emit)
        self.observing = Observing(services.edits, emit)
        self.decoder = decoder
        self.emit = emit
        environment = program.inherited(launch.environment)
        self.terminals = AgentTerminals(launch.folder, environment, self._printed)
        self.files = FileRequests(services.files, self.observing.note, emit)
        self._name = launch.name
        self._services = services
        self._shown: dict[str, _Shown] = {}
        """By terminal, until its call ends: an update may replace what the call shows."""

    @property
    def abilities(self) -> dict[str, Any]:
        """The capabilities that the agent learns."""
        has_files = self._services.files is not None
        return {
            "fs": {"readTextFile": has_files, "writeTextFile": has_files},
            "terminal": self._services.runs_commands,
        }

    def handlers(self) -> dict[str, RequestHandler]:
        """Return what answers each method."""
        terminals = self.terminals
        found: dict[str, RequestHandler] = {
            "session/request_permission": self._permission,
            "elicitation/create": self._elicitation,
        }
        commands: dict[str, RequestHandler] = {
            "terminal/create": lambda _, params: self._create(params),
            "terminal/output": lambda _, params: terminals.find(params).state(),
            "terminal/wait_for_exit": lambda _, params: terminals.find(params).status(),
            "terminal/kill": lambda _, params: terminals.kill(params),
            "terminal/release": lambda _, params: terminals.release(params),
        }
        if self._services.runs_commands:
            found |= commands
        if self._services.files is not None:
            run, files = self.pending.run, self.files
            found["fs/read_text_file"] = lambda id_, params: run(id_, files.read(params))
            found["fs/write_text_file"] = lambda id_, params: run(id_, files.write(params))
        return found

    def follow(self, event: events.Event) -> None:
        """Follow the turn and its tools."""
        self.observing.follow(event, self.decoder.tools)
        match event:
            case events.PromptChanged(stage=events.PromptStage.STARTED):
                self.terminals.turn_begun()
            case events.TurnEnded(why=why):
                if why in _CANCELLED:
                    self.terminals.turn_cancelled()
                # No call of a later turn can name the others.
                ids = self.terminals.ids
                self._shown = {id_: each for id_, each in self._shown.items() if id_ in ids}
            case events.ToolEnded(tool, status):
                is_completed = status is events.ToolStatus.COMPLETED
                # Prompts wait for it.
                restored = self.files.ended(tool, is_completed=is_completed)
                self.observing.before_prompt(restored)

    def show(self) -> None:
        """Show the output of terminals at the calls that name them since an update."""
        for terminal in list(self._shown):
            self._show(terminal)

    async def _create(self, params: Params) -> dict[str, Any]:
        created = await self.terminals.create(params)
        self._of(created["terminalId"]).line = _line(params)
        return created

    def _of(self, terminal: str) -> _Shown:
        shown = self._shown.setdefault(terminal, _Shown())
        while len(self._shown) > MOST_SHOWN:
            del self._shown[next(iter(self._shown))]
        return shown

    def _printed(self, terminal: str, output: str) -> None:
        self._of(terminal).output = output
        self._show(terminal)

    def _show(self, terminal: str) -> None:
        shown = self._shown[terminal]
        if shown.output is None:
            return
        call = self.decoder.tools.of_terminal(terminal, shown.line)
        if call is not None and call.is_over:
            del self._shown[terminal]
        elif call is not None and call.output != shown.output:
            call.output = shown.output
            self.emit(events.ToolOutput(call.id, shown.output, replaces=True))

    async def _permission(self, id_: Id, params: Params) -> dict[str, Any]:
        """Answer `session/request_permission`."""
        tools = self.decoder.tools
        call, found = tools.asked(mapping(params.get("toolCall")))
        for event in found:
            self.emit(event)
        asked = permission_asked(self.pending.new(), params, call)
        # The call, and where its paths lead, may have changed by the time of the answer.
        targets = _targets(call)
        answer = await self._answer(id_, asked)
        await self.observing.examined(call)
        match answer:
            case requests.Allow():
                self.files.allow(call.id, targets, answer)
                if isinstance(asked, requests.PermissionAsked) and asked.code:
                    self._allow_code(asked, answer)
            case requests.Reject() | requests.Dismiss():
                call.is_rejected = True
        return permission_answer(asked.options, answer)

    async def _elicitation(self, id_: Id, params: Params) -> dict[str, Any]:
        """Answer `elicitation/create`: a form, or an address to open."""
        answer = await self._answer(id_, self._question(params))
        return {"action": "cancel"} if answer is None else requests.form_result(answer)

    async def _answer(self, id_: Id, asked: requests.Asked) -> requests.Answer | None:
        """Return the user's answer; None if it is withdrawn, or the turn is being cancelled."""
        is_stopping = self.decoder.tools.is_stopping
        return None if is_stopping else await self.pending.ask(id_, asked)

    def _allow_code(self, asked: requests.PermissionAsked, answer: requests.Allow) -> None:
        """Spare the user the question of the tool itself."""
        lasting = {
            each.id for each in asked.options if each.kind is requests.OptionKind.ALLOW_ALWAYS
        }
        for_good = not lasting.isdisjoint(answer.options)
        if self._services.allow_code is not None:
            self._services.allow_code(asked.code, answer.code or asked.code, for_good=for_good)

    def _question(self, params: Params) -> requests.QuestionAsked | requests.UrlAsked:
        request, tool = self.pending.new(), text(params.get("toolCallId"))
        message = text(params.get("message"))
        if params.get("mode") == "url":
            return requests.UrlAsked(request, tool, self._name, message, text(params.get("url")))
        questions = requests.form_questions(params.get("requestedSchema"))
        return requests.QuestionAsked(request, tool, questions, message=message)


def _targets(call: ToolCall) -> dict[str, list[requests.Replacement]]:
    """Return the edits that a request shows, by real path; none of a file if it shows no text."""
    if call.shown_kind == "read" or not call.is_on_files:
        return {}
    found: dict[str, list[requests.Replacement]] = {real(path): [] for path in call.paths}
    for each in call.diffs:
        found[real(each.path)].append(each)
    return found


def _line(params: Params) -> str:
    """Return the command line that a terminal runs."""
    return line_of([text(params.get("command")), *strings(params.get("args"))])
