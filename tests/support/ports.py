"""The port to a real Neovim or Vim, whose host is the test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from claude_ide.editor import vim as vim_channel
from claude_ide.editor.events import EditorState, Events
from claude_ide.editor.operations import Operations
from claude_ide.editor.port import Port
from claude_ide.editor.port.binding import Channel
from claude_ide.editor.remote import Remote
from support.chats_here import EVENT, Notifications, TestedNeovim
from support.either_editor import Editor
from support.vim import Vim

HERE = "127.0.0.1"
OPEN = (
    "call claude_ide#channel#Open(ch_open('{}:{}',"
    " {{'mode': 'nl', 'callback': 'claude_ide#host#process#Receive'}}))"
)


def _port(channel: Channel, events: Events) -> Port:
    operations = Operations(channel, events)
    return cast(Port, Remote(channel, operations))


@asynccontextmanager
async def port_of(editor: Editor) -> AsyncIterator[Port]:
    """Give a port to an editor without a host."""
    events = Events(EditorState())
    if isinstance(editor, Vim):
        async with _channel_to(editor, events) as channel:
            yield _port(channel, events)
    else:
        await editor.lua("require('claude_ide.channel').id = ...", await editor.channel())
        await editor.lua("require('claude_ide.timing.moment').notice_typing(true)")
        editor.notifications = Notifications(
            lambda name, given: events.dispatch(*given) if name == EVENT else None
        )
        yield _port(TestedNeovim(editor), events)


@asynccontextmanager
async def _channel_to(vim: Vim, events: Events) -> AsyncIterator[Channel]:
    def report(kind: str, *given: Any) -> None:
        if kind == "event":
            events.dispatch(*given)

    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
    connected = asyncio.get_running_loop().create_future()
    server = await asyncio.start_server(lambda *streams: connected.set_result(streams), HERE)
    await vim.command(OPEN.format(HERE, server.sockets[0].getsockname()[1]))
    reader, writer = await connected
    channel = await _OverSocket.to(writer)
    receiving = asyncio.create_task(channel.read(reader, report))
    await vim.command("call claude_ide#timing#moment#NoticeTyping(v:true)")
    yield channel
    await vim.command("call claude_ide#channel#Close()")
    channel.close()
    receiving.cancel()
    writer.close()
    server.close()


class _OverSocket(vim_channel.Vim):
    """The channel to Vim, with a socket in place of the pipes of a host."""

    @classmethod
    async def to(cls, writer: asyncio.StreamWriter) -> "_OverSocket":
        channel = cls(asyncio.get_running_loop())
        channel._output = writer.transport
        return channel

    async def read(self, reader: asyncio.StreamReader, report: Any) -> None:
        while line := await reader.readline():
            self._handle(line, report)
