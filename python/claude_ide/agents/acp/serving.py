"""What the editor does for one running agent: it reads and writes files, and runs commands."""

from collections.abc import Callable, Coroutine
from typing import Any

from msgspec import Struct

from claude_ide import program
from claude_ide.agents import elicitation
from claude_ide.agents.acp.connection import Answering, Params
from claude_ide.agents.acp.decoding import permission
from claude_ide.agents.acp.decoding.tools import SHELLS, Call
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
        self._terminals = Terminals(launch.folder, environment, self._printed)
        files = workbench.files
        self._files = FileRequests(files, observing.note, emit) if files else None
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
        has_files = self._files is not None
        return {
            "fs": {"readTextFile": has_files, "writeTextFile": has_files},
            "terminal": True,
        }

    @property
    def reads(self) -> bool:
        """Whether the agent is known to read files through the editor, or to write them."""
        return self._files is not None and self._files.reads

    @property
    def writes(self) -> bool:
        """Whether the agent is known to write files through the editor."""
        return self._files is not None and self._files.writes

    def introduced(self, agent: str) -> None:
        """Learn the agent's own name for itself."""
        if self._files is not None:
            self._files.agent = agent

    def requests(self) -> dict[str, Answering]:
        """Return what answers each method."""
        terminals = self._terminals
        found: dict[str, Answering] = {
            "session/request_permission": self._permission,
            "elicitation/create": self._elicitation,
        }
        methods = {
            "terminal/create": self._create,
            "terminal/output": terminals.output,
            "terminal/wait_for_exit": terminals.wait_for_exit,
            "terminal/kill": terminals.kill,
            "terminal/release": terminals.release,
        }
        for method, answer in methods.items():
            found[method] = lambda _id, params, answer=answer: answer(params)  # type: ignore[misc]
        if self._files is not None:
            found["fs/read_text_file"] = self._waiting(self._files.read)
            found["fs/write_text_file"] = self._waiting(self._files.write)
        return found

    def _answered(self, call: Call, answer: Answer | None, targets: frozenset[str]) -> None:
        """Remember that a call may change these files, and the user's versions of them."""
        if self._files is None or not isinstance(answer, Allow):
            return
        self._files.allow(call.id, targets)
        for edit in answer.edits:
            self._files.accept(call.id, edit)
        self._files.agree(call.id, answer.unsaved)

    def follow(self, event: Event) -> None:
        """Follow the turn and its tools."""
        match event:
            case PromptChanged(stage=PromptStage.STARTED):
                self._terminals.turn_begun()
            case TurnEnded(why=why):
                if why in _CANCELLED:
                    self._terminals.turn_cancelled()
                self._forget_released()
            case ToolEnded():
                self._restore(event)

    def cancel(self) -> None:
        """End the commands of the turn: the agent may wait for them."""
        self._terminals.turn_cancelled()

    def _restore(self, event: ToolEnded) -> None:
        """Restore the user's versions of files that a tool has overwritten; prompts wait for it."""
        if self._files is not None:
            is_completed = event.status is ToolStatus.COMPLETED
            restored = self._files.ended(event.tool, is_completed=is_completed)
            self._observing.before_prompt(restored)

    def show(self) -> None:
        """Show the output of terminals at the calls that name them since an update."""
        for terminal in list(self._shown):
            self._show(terminal)

    def _forget_released(self) -> None:
        """Forget the terminals that no call of a later turn can name."""
        open_ = self._terminals.ids
        self._shown = {id_: shown for id_, shown in self._shown.items() if id_ in open_}

    def close(self) -> None:
        """End all commands: the agent has ended."""
        self._terminals.close()

    async def _create(self, params: Params) -> dict[str, Any]:
        created = await self._terminals.create(params)
        self._of(created["terminalId"]).line = _line(params)
        return created

    def _of(self, terminal: str) -> _Shown:
        shown = self._shown.setdefault(terminal, _Shown())
        while len(self._shown) > MOST_SHOWN:
            del self._shown[next(iter(self._shown))]
        return shown

    def _call(self, terminal: str) -> Call | None:
        """Return the call that shows a terminal; some agents name the terminal in none."""
        tools = self._decoder.tools
        named = tools.find(tools.of_terminal(terminal))
        return named or tools.of_command(self._shown[terminal].line)

    def _printed(self, terminal: str, output: str) -> None:
        self._of(terminal).output = output
        self._show(terminal)

    def _show(self, terminal: str) -> None:
        output = self._shown[terminal].output
        call = self._call(terminal) if output is not None else None
        if call is None or output is None:
            return
        if call.is_over:
            del self._shown[terminal]
        elif call.output != output:
            call.output = output
            self._emit(ToolOutput(call.id, output, replaces=True))

    def _waiting(self, answer: Callable[[Params], Coroutine[Any, Any, Any]]) -> Answering:
        return lambda id_, params: self._pending.run(id_, answer(params))

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
        self._answered(call, answer, targets)
        if isinstance(answer, Allow) and isinstance(asked, PermissionAsked) and asked.code:
            self._allow_code(asked, answer)
        if isinstance(answer, Reject | Dismiss):
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
