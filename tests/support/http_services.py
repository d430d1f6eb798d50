"""A service under test, and a listener for it."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from claude_ide.transport.http import HttpEndpoint, HttpListener, HttpRequest, HttpResponse
from support.neovim import WAIT_SECONDS

TOKEN = "a-token"
LARGEST = 60_000_000


class Desk:
    """A service that returns the body of a request; some bodies are orders."""

    def __init__(self, token: str = TOKEN) -> None:
        self.service = HttpEndpoint(("/here",), token, ("POST", "DELETE"), self.handle, LARGEST)
        self.requests: list[HttpRequest] = []
        self.is_waiting = asyncio.Event()
        self.is_cancelled = asyncio.Event()
        self.is_stream_closed = asyncio.Event()
        self.stream: asyncio.Queue[bytes] = asyncio.Queue()
        """The pieces of a body, if one is sent in pieces; an empty one ends it."""

    async def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer a request."""
        self.requests.append(request)
        if request.method == "DELETE":
            return HttpResponse(HTTPStatus.NO_CONTENT)
        match request.body:
            case b"wait":
                await self._wait()
            case b"fail":
                raise ValueError("the service fails")
            case b"in pieces":
                return HttpResponse(HTTPStatus.OK, self)
        return HttpResponse(HTTPStatus.OK, request.body, (("X-Service", "desk"),))

    def __aiter__(self) -> "Desk":
        return self

    async def __anext__(self) -> bytes:
        if piece := await self.stream.get():
            return piece
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Note that the rest of the pieces is not needed."""
        self.is_stream_closed.set()

    async def _wait(self) -> None:
        self.is_waiting.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.is_cancelled.set()


@asynccontextmanager
async def serving(*desks: Desk) -> AsyncIterator[HttpListener]:
    """Yield a listener with these services."""
    bound = socket.create_server(("127.0.0.1", 0))
    listener = HttpListener(bound, *(desk.service for desk in desks))
    await listener.start()
    try:
        yield listener
    finally:
        await asyncio.wait_for(listener.stop(), WAIT_SECONDS)
