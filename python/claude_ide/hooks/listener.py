"""Takes the reports of `report.py` on a Unix socket, one on each connection."""

import asyncio
import contextlib
import logging
import socket
import tempfile
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from claude_ide.hooks.report import ANSWERED

logger = logging.getLogger(__name__)

Handle = Callable[[str, str, bytes], Coroutine[Any, Any, bytes]]
"""Returns the answer to a report: the id of the launch, the kind, and the body.

It is cancelled if the CLI no longer waits for the answer.
"""

LARGEST_BYTES = 64_000_000
RECEIVE_SECONDS = 30.0
MOST_CONNECTIONS = 200
SHORT = "/tmp"
"""A folder with a short path, unlike `TMPDIR` on some systems."""


def bind(path: str) -> socket.socket:
    """Return a socket that listens at a path; it replaces that of an earlier host.

    Raises `OSError`.
    """
    draft = Path(path + ".new")
    draft.unlink(missing_ok=True)
    bound = socket.socket(socket.AF_UNIX)
    try:
        with tempfile.TemporaryDirectory(dir=SHORT) as folder:
            # The path that is bound has at most about 100 bytes.
            short = Path(folder, "s")
            short.symlink_to(draft.parent)
            bound.bind(str(short / draft.name))
        # Who connects from now on waits until `start`.
        bound.listen(MOST_CONNECTIONS)
        draft.replace(path)
    except BaseException:
        bound.close()
        raise
    return bound


class Listener:
    """Answers the reports that arrive on a bound socket."""

    def __init__(self, bound: socket.socket, handle: Handle) -> None:
        self._bound = bound
        self._handle = handle
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start to answer."""
        self._server = await asyncio.start_unix_server(self._serve, sock=self._bound)

    async def stop(self) -> None:
        """Disconnect all clients."""
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        clients = [*self._clients]
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            if self._server is not None and len(self._clients) <= MOST_CONNECTIONS:
                await self._answer(reader, writer)
        except (OSError, EOFError, ValueError, TimeoutError, asyncio.CancelledError):
            pass  # It has left, or is no CLI. Python 3.11 would report a cancelled task.
        finally:
            self._clients.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one report. Raises `ValueError` or `EOFError` if it is malformed."""
        async with asyncio.timeout(RECEIVE_SECONDS):
            launch, kind, given = (await reader.readline()).decode().split()
            size = int(given)
            if not 0 <= size <= LARGEST_BYTES:
                raise ValueError(given)
            body = await reader.readexactly(size)
        loop = asyncio.get_running_loop()
        answering = loop.create_task(self._decide(launch, kind, body))
        leaving = loop.create_task(reader.read(1))
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                writer.write(ANSWERED + answering.result())
                async with asyncio.timeout(RECEIVE_SECONDS):
                    await writer.drain()
        finally:
            answering.cancel()
            leaving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(answering, leaving, return_exceptions=True)

    async def _decide(self, launch: str, kind: str, body: bytes) -> bytes:
        try:
            return await self._handle(launch, kind, body)
        except Exception:
            # Without an answer the hook would ask again and again, as after the end of an editor.
            logger.exception("a report could not be handled")
            return b""
