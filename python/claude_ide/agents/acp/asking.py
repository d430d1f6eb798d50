"""The requests of an agent that the user answers."""

from collections.abc import Callable, Iterable
from typing import Any

from claude_ide.agents.acp.decoding import permission
from claude_ide.agents.acp.decoding.updates import Decoder
from claude_ide.agents.acp.incoming import Params
from claude_ide.agents.acp.observing import Observing
from claude_ide.agents.acp.pending import Pending
from claude_ide.agents.answer import Dismiss, Reject
from claude_ide.agents.events import Event
from claude_ide.agents.fields import mapping
from claude_ide.jsonrpc.message import Id


class Asking:
    """Reports the requests of one session, and encodes the answers."""

    def __init__(
        self,
        decoder: Decoder,
        pending: Pending,
        observing: Observing,
        report: Callable[[Iterable[Event]], None],
    ) -> None:
        self._decoder = decoder
        self._pending = pending
        self._observing = observing
        self._report = report

    async def permission(self, id_: Id, params: Params) -> dict[str, Any]:
        """Answer `session/request_permission`."""
        tools = self._decoder.tools
        call, events = tools.asked(mapping(params.get("toolCall")))
        self._report(events)
        asked = permission.asked(self._pending.new(), params, call)
        answer = await self._pending.ask(id_, asked)
        await self._observing.examined(call)
        if isinstance(answer, Reject | Dismiss):
            tools.rejected.add(call.id)
        return permission.answered(asked.options, answer)
