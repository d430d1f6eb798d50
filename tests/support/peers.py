"""A transport and a dialect for a JSON-RPC peer under test."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from claude_ide.base.errors import EditorError, RpcError, TransportClosed
from claude_ide.transport.jsonrpc import Notification, Peer, Request
from support.neovim import until

SECRET = "the text of a file"


@dataclass
class Wire:
    """Collects the frames that a peer sends, and can pass them to another peer in memory."""

    frames: list[bytes] = field(default_factory=list)
    deliver: Callable[[bytes], Awaitable[None]] | None = None
    cut: bool = False

    async def send(self, frame: bytes) -> None:
        if self.cut:
            raise TransportClosed("cut")
        self.frames.append(frame)
        if self.deliver is not None:
            await self.deliver(frame)

    @property
    def sent(self) -> list[Any]:
        return [json.loads(frame) for frame in self.frames]


@dataclass
class Methods:
    """A dialect with one method for each outcome of a request."""

    finish: asyncio.Event = field(default_factory=asyncio.Event)
    noted: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    def on_request(self, request: Request) -> Any:
        method = getattr(self, request.method, None)
        if method is None:
            raise RpcError.method_not_found(request.method)
        return method(request)

    def on_notification(self, notification: Notification) -> None:
        if notification.method == "fail":
            raise KeyError(SECRET)
        self.noted.append(notification.method)

    def oversized(self, request: Request, size: int) -> Any:
        return f"{request.method}: {size} bytes"

    def echo(self, request: Request) -> Any:
        return request.params

    def fail_at_once(self, _request: Request) -> Any:
        raise KeyError(SECRET)

    async def wait(self, request: Request) -> Any:
        self.waiting.append(str(request.id))
        try:
            await self.finish.wait()
        except asyncio.CancelledError:
            self.cancelled.append(str(request.id))
            raise
        return "waited"

    async def soon(self, _request: Request) -> Any:
        return "soon"

    async def refuse(self, _request: Request) -> Any:
        raise RpcError.invalid_params("refuse: always")

    async def refuse_later(self, _request: Request) -> Any:
        await asyncio.sleep(0)
        raise RpcError.invalid_params("refuse: always")

    async def fail(self, _request: Request) -> Any:
        raise KeyError(SECRET)

    async def editor(self, _request: Request) -> Any:
        raise EditorError("E37: no")

    async def latin_1(self, _request: Request) -> Any:
        return "\udce9"

    async def editor_latin_1(self, _request: Request) -> Any:
        raise EditorError("\udce9")

    async def large(self, request: Request) -> Any:
        return "x" * request.params[0]


def call(id_: Any, method: str, *params: Any) -> str:
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    return json.dumps(message)


def note(method: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "method": method})


async def answer(peer: Peer, wire: Wire, frame: str) -> Any:
    """Pass `frame` to the peer and return the only answer."""
    before = len(wire.frames)
    await peer.receive(frame)
    await until(lambda: len(wire.frames) > before, "an answer")
    assert len(wire.frames) == before + 1
    return wire.sent[-1]
