"""What the editor does for one running agent: it reads and writes files, and runs commands."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from claude_ide import program
from claude_ide.agents import elicitation
from claude_ide.agents.acp.connection import Answering, Params
from claude_ide.agents.acp.decoding import permission
from claude_ide.agents.acp.decoding.tools import SHELLS
from claude_ide.agents.acp.decoding.updates import Decoder
from claude_ide.agents.acp.files import FileRequests
from claude_ide.agents.acp.launch import Launch
from claude_ide.agents.acp.observing import Observing
from claude_ide.agents.acp.pending import Pending
from claude_ide.agents.acp.terminals import Terminals
from claude_ide.agents.events import (
    Asked,
    Event,
    OptionKind,
    PermissionAsked,
    PromptChanged,
    PromptStage,
    QuestionAsked,
    ToolEnded,
    ToolOutput,
    ToolStatus,
    TurnEnded,
    TurnEndReason,
    UrlAsked,
)
from claude_ide.agents.fields import mapping, strings, text
from claude_ide.agents.prompt import Allow, Answer, Dismiss, Reject
from claude_ide.agents.workbench import Workbench
from claude_ide.jsonrpc.message import Id
from claude_ide.paths import real

_CANCELLED = (TurnEndReason.INTERRUPTED, TurnEndReason.REDIRECTED)

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
        launch: Launch,
        workbench: Workbench,
        decoder: Decoder,
        pending: Pending,
        observing: Observing,
        emit: Callable[[Event], None],
    ) -> None:
        environment = program.inherited(launch.environment)
        self.terminals = Terminals(launch.folder, environment, self._printed)
        self.files = FileRequests(workbench.files, observing.note, emit)
        self._name = launch.name
        self._workbench = workbench
        self._decoder = decoder
        self._pending = pending
        self._observing = observing
        self._emit = emit
        self._shown: dict[str, _Shown] = {}
        """By terminal, until its call ends: an update may replace what the call shows."""

    @property
    def abilities(self) -> dict[str, Any]:
        """The capabilities that the agent learns."""
        has_files = self._workbench.files is not None
        return {
            "fs": {"readTextFile": has_files, "writeTextFile": has_files},
            "terminal": True,
        }

    def requests(self) -> dict[str, Answering]:
        """Return what answers each method."""
        terminals = self.terminals
        found: dict[str, Answering] = {
            "session/request_permission": self._permission,
            "elicitation/create": self._elicitation,
            "terminal/create": lambda _, params: self._create(params),
            "terminal/output": lambda _, params: terminals.output(params),
            "terminal/wait_for_exit": lambda _, params: terminals.wait_for_exit(params),
            "terminal/kill": lambda _, params: terminals.kill(params),
            "terminal/release": lambda _, params: terminals.release(params),
        }
        if self._workbench.files is not None:
            run, files = self._pending.run, self.files
            found["fs/read_text_file"] = lambda id_, params: run(id_, files.read(params))
            found["fs/write_text_file"] = lambda id_, params: run(id_, files.write(params))
        return found

    def follow(self, event: Event) -> None:
        """Follow the turn and its tools."""
        match event:
            case PromptChanged(stage=PromptStage.STARTED):
                self.terminals.turn_begun()
            case TurnEnded(why=why):
                if why in _CANCELLED:
                    self.terminals.turn_cancelled()
                # No call of a later turn can name the others.
                ids = self.terminals.ids
                self._shown = {id_: each for id_, each in self._shown.items() if id_ in ids}
            case ToolEnded(tool, status):
                is_completed = status is ToolStatus.COMPLETED
                # Prompts wait for it.
                restored = self.files.ended(tool, is_completed=is_completed)
                self._observing.before_prompt(restored)

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
        shown, tools = self._shown[terminal], self._decoder.tools
        if shown.output is None:
            return
        # Some agents name the terminal in no call.
        call = tools.find(tools.of_terminal(terminal)) or tools.of_command(shown.line)
        if call is not None and call.is_over:
            del self._shown[terminal]
        elif call is not None and call.output != shown.output:
            call.output = shown.output
            self._emit(ToolOutput(call.id, shown.output, replaces=True))

    async def _permission(self, id_: Id, params: Params) -> dict[str, Any]:
        """Answer `session/request_permission`."""
        tools = self._decoder.tools
        call, events = tools.asked(mapping(params.get("toolCall")))
        for event in events:
            self._emit(event)
        asked = permission.asked(self._pending.new(), params, call)
        # The call, and where its paths lead, may have changed by the time of the answer.
        targets = frozenset(map(real, call.paths))
        answer = await self._answer(id_, asked)
        await self._observing.examined(call)
        match answer:
            case Allow():
                self.files.allow(call.id, targets, answer)
                if isinstance(asked, PermissionAsked) and asked.code:
                    self._allow_code(asked, answer)
            case Reject() | Dismiss():
                tools.rejected.add(call.id)
        return permission.answered(asked.options, answer)

    async def _elicitation(self, id_: Id, params: Params) -> dict[str, Any]:
        """Answer `elicitation/create`: a form, or an address to open."""
        answer = await self._answer(id_, self._question(params))
        return {"action": "cancel"} if answer is None else elicitation.encode(answer)

    async def _answer(self, id_: Id, asked: Asked) -> Answer | None:
        """Return the user's answer; None if it is withdrawn, or the turn is being cancelled."""
        is_stopping = self._decoder.tools.is_stopping
        return None if is_stopping else await self._pending.ask(id_, asked)

    def _allow_code(self, asked: PermissionAsked, answer: Allow) -> None:
        """Spare the user the question of the tool itself."""
        lasting = {each.id for each in asked.options if each.kind is OptionKind.ALLOW_ALWAYS}
        for_good = not lasting.isdisjoint(answer.options)
        if self._workbench.allow_code is not None:
            self._workbench.allow_code(asked.code, answer.code or asked.code, for_good=for_good)

    def _question(self, params: Params) -> QuestionAsked | UrlAsked:
        request, tool = self._pending.new(), text(params.get("toolCallId"))
        message = text(params.get("message"))
        if params.get("mode") == "url":
            return UrlAsked(request, tool, self._name, message, text(params.get("url")))
        questions = elicitation.questions(params.get("requestedSchema"))
        return QuestionAsked(request, tool, questions, message=message)


def _line(params: Params) -> str:
    """Return the command line that a terminal runs."""
    command, arguments = text(params.get("command")), strings(params.get("args"))
    is_shell = len(arguments) == 2 and arguments[0] in SHELLS
    return arguments[1] if is_shell else " ".join((command, *arguments))
