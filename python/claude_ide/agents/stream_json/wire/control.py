"""Our control requests: each waits for the answer with its id, until the CLI ends.

A CLI rejects a request that its version does not know. This is how features are detected; a
rejected request is not sent again.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

from claude_ide.agents.fields import mapping, text
from claude_ide.agents.stream_json.wire import encode
from claude_ide.agents.stream_json.wire.frames import Frame
from claude_ide.errors import AgentError, TransportClosed, UnsupportedError

UNSUPPORTED_CODE = "unsupported_request"
UNSUPPORTED_TEXT = "Unsupported control request"
"""The error text of 2.1.197, which has no error codes."""


class ControlError(AgentError):
    """The CLI refused a control request; `code` is empty if the CLI's version has no codes."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Controls:
    """The pending control requests."""

    def __init__(self, send: Callable[[Frame], Awaitable[None]]) -> None:
        self.unsupported: set[str] = set()
        """Requests that this CLI has rejected as unknown."""
        self._send = send
        self._numbers = itertools.count(1)
        self._pending: dict[str, tuple[str, asyncio.Future[Frame]]] = {}

    async def request(self, subtype: str, **fields: Any) -> Frame:
        """Send a request to the CLI, and return its answer.

        Raises `UnsupportedError` if the CLI does not know the request, `ControlError` if it
        refuses, `TransportClosed` if it has ended.
        """
        if subtype in self.unsupported:
            raise UnsupportedError(f"this version of Claude Code does not know {subtype}")
        id_ = f"req_{next(self._numbers)}"
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._pending[id_] = (subtype, answer)
        try:
            await self._send(encode.control_request(id_, subtype, fields))
            return await answer
        finally:
            self._pending.pop(id_, None)

    def settle(self, frame: Frame) -> None:
        """Handle a `control_response`; one without a pending request is ignored."""
        response = mapping(frame.get("response"))
        subtype, answer = self._pending.get(text(response.get("request_id")), ("", None))
        if answer is None or answer.done():
            return
        if response.get("subtype") == "success":
            answer.set_result(mapping(response.get("response")))
            return
        message, code = text(response.get("error")), text(response.get("error_code"))
        if code == UNSUPPORTED_CODE or message.startswith(UNSUPPORTED_TEXT):
            self.unsupported.add(subtype)
            answer.set_exception(UnsupportedError(message))
        else:
            answer.set_exception(ControlError(message or f"{subtype} was refused", code))

    def close(self) -> None:
        """Fail all pending requests: the CLI has ended."""
        for _, answer in self._pending.values():
            if not answer.done():
                answer.set_exception(TransportClosed("Claude Code has ended"))
                answer.exception()  # its caller may be gone: avoids "exception was never retrieved"
