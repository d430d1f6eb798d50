"""The requests of an agent that the user answers."""

from collections.abc import Callable, Iterable
from typing import Any

from claude_ide.agents import elicitation
from claude_ide.agents.acp.decoding import permission
from claude_ide.agents.acp.decoding.updates import Decoder
from claude_ide.agents.acp.incoming import Params
from claude_ide.agents.acp.observing import Observing
from claude_ide.agents.acp.pending import Pending
from claude_ide.agents.acp.serving import Serving
from claude_ide.agents.answer import Allow, Answer, Dismiss, Reject
from claude_ide.agents.events import (
    Asked,
    Event,
    OptionKind,
    PermissionAsked,
    QuestionAsked,
    UrlAsked,
)
from claude_ide.agents.fields import mapping, text
from claude_ide.agents.workbench import AllowCode
from claude_ide.jsonrpc.message import Id
from claude_ide.paths import real

CANCELLED = {"action": "cancel"}


class Asking:
    """Reports the requests of the agent with this name, and encodes the answers."""

    def __init__(
        self,
        name: str,
        decoder: Decoder,
        pending: Pending,
        observing: Observing,
        serving: Serving,
        report: Callable[[Iterable[Event]], None],
        note_code: AllowCode | None,
    ) -> None:
        self._name = name
        self._decoder = decoder
        self._pending = pending
        self._observing = observing
        self._serving = serving
        self._report = report
        self._note_code = note_code

    async def permission(self, id_: Id, params: Params) -> dict[str, Any]:
        """Answer `session/request_permission`."""
        tools = self._decoder.tools
        call, events = tools.asked(mapping(params.get("toolCall")))
        self._report(events)
        asked = permission.asked(self._pending.new(), params, call)
        # The call, and where its paths lead, may have changed by the time of the answer.
        targets = frozenset(map(real, call.paths))
        answer = await self._answer(id_, asked)
        await self._observing.examined(call)
        self._serving.answered(call, answer, targets)
        if isinstance(answer, Allow) and isinstance(asked, PermissionAsked) and asked.code:
            self._allow_code(asked, answer)
        if isinstance(answer, Reject | Dismiss):
            tools.rejected.add(call.id)
        return permission.answered(asked.options, answer)

    async def elicitation(self, id_: Id, params: Params) -> dict[str, Any]:
        """Answer `elicitation/create`: a form, or an address to open."""
        answer = await self._answer(id_, self._question(params))
        return CANCELLED if answer is None else elicitation.encode(answer)

    async def _answer(self, id_: Id, asked: Asked) -> Answer | None:
        """Return the user's answer; None if it is withdrawn, or the turn is being cancelled."""
        is_stopping = self._decoder.tools.is_stopping
        return None if is_stopping else await self._pending.ask(id_, asked)

    def _allow_code(self, asked: PermissionAsked, answer: Allow) -> None:
        """Spare the user the question of the tool itself."""
        lasting = {each.id for each in asked.options if each.kind is OptionKind.ALLOW_ALWAYS}
        for_good = not lasting.isdisjoint(answer.options)
        if self._note_code is not None:
            self._note_code(asked.code, answer.code or asked.code, for_good=for_good)

    def _question(self, params: Params) -> QuestionAsked | UrlAsked:
        request, tool = self._pending.new(), text(params.get("toolCallId"))
        message = text(params.get("message"))
        if params.get("mode") == "url":
            return UrlAsked(request, tool, self._name, message, text(params.get("url")))
        questions = elicitation.questions(params.get("requestedSchema"))
        return QuestionAsked(request, tool, questions, message=message)
