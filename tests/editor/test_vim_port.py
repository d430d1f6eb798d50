"""The port to Vim, with a pipe in each direction and a Vim that the test plays."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from claude_ide.base.errors import EditorError
from claude_ide.editor.vim import Vim


class Played:
    """The other end of the pipes."""

    def __init__(self, reader: asyncio.StreamReader, to_host: int) -> None:
        self.port = Vim(asyncio.get_running_loop())
        self.reports: list[tuple[Any, ...]] = []
        self._reader = reader
        self._to_host = to_host

    async def read(self) -> Any:
        """Return the next message of the host."""
        return json.loads(await self._reader.readline())

    def write(self, *messages: Any) -> None:
        """Send messages; bytes are sent as they are."""
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            os.write(self._to_host, line + b"\n")


@asynccontextmanager
async def played() -> AsyncIterator[Played]:
    from_vim, to_host = os.pipe()
    from_host, to_vim = os.pipe()
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    output = os.fdopen(from_host, "rb", 0)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), output
    )
    vim = Played(reader, to_host)
    await vim.port.open(os.fdopen(to_vim, "wb", 0))
    receiving = asyncio.create_task(
        vim.port.receive(os.fdopen(from_vim, "rb", 0), lambda *given: vim.reports.append(given))
    )
    yield vim
    os.close(to_host)
    await asyncio.wait_for(receiving, 5)
    transport.close()


async def test_a_call_is_answered_under_its_number_whatever_the_order() -> None:
    async with played() as vim:
        first, second = vim.port.call("a.one", 1), vim.port.call("b.two")

        assert await vim.read() == [1, "a.one", [1]]
        assert await vim.read() == [2, "b.two", []]
        vim.write([2, True, {"x": None}], [1, True, []])

        assert await second == {"x": None}
        assert await first == []


async def test_a_failure_raises_its_reason() -> None:
    async with played() as vim:
        call = vim.port.call("a.one")
        vim.write([1, False, "it is closed"])

        with pytest.raises(EditorError, match=r"^it is closed$"):
            await call


@pytest.mark.parametrize("text", ["", "a", "a\n", "\n", "a\r\nb", "a\0b\nc", "\0", "\u2028ü😀"])
async def test_a_text_crosses_as_lines_and_returns_unchanged(text: str) -> None:
    async with played() as vim:
        call = vim.port.call("a.one", {"inner": [{"text": text}]})
        _, _, [argument] = await vim.read()
        [sent] = argument["inner"]

        assert all("\0" not in line for line in sent["text"])
        vim.write([1, True, sent])

        assert await call == {"text": text}


async def test_reports_have_their_texts_joined() -> None:
    async with played() as vim:
        vim.write([0, "event", "x", {"text": ["a", "b\nc"]}], [0, "command", "y", [], [], True, 3])
        done = vim.port.call("a.one")
        vim.write([1, True, 0])
        await done

        assert vim.reports == [
            ("event", "x", {"text": "a\nb\0c"}),
            ("command", "y", [], [], True, 3),
        ]


async def test_what_is_no_message_is_passed_over() -> None:
    async with played() as vim:
        call = vim.port.call("a.one")
        vim.write(b"{", b"", b"5", b"\xff", [7, True, 0], [1, True, "here"])

        assert await call == "here"


async def test_large_messages_cross_in_both_directions() -> None:
    text = "x" * 99 + "\n"
    async with played() as vim:
        call = vim.port.call("a.one", {"text": text * 50_000})
        _, _, [sent] = await vim.read()
        await asyncio.to_thread(vim.write, [1, True, sent])

        assert await call == {"text": text * 50_000}


async def test_calls_fail_once_vim_has_ended() -> None:
    async with played() as vim:
        waiting = vim.port.call("a.one")
        vim.port.notify("a.two")
        vim.port.close()

        for call in (waiting, vim.port.call("a.three")):
            with pytest.raises(EditorError, match="Vim has ended"):
                await call
