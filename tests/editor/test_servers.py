"""`editor/servers.py`: requests to language servers end in time, whatever these do."""

import asyncio
from typing import Any

from claude_ide.editor.events import EditorState, Events
from claude_ide.editor.operations import Operations
from claude_ide.editor.port.binding import Channel
from claude_ide.editor.private_files import PrivateFiles, ToolGate
from claude_ide.editor.servers import LanguageServers
from support.neovim import until
from support.pocket import PocketChannel, port_of_channel


async def test_a_server_that_never_answers_is_given_up_and_told_so() -> None:
    told: list[tuple[Any, ...]] = []

    async def answer(function: str, *arguments: Any) -> Any:
        return True

    channel: Channel = PocketChannel(answer, lambda *call: told.append(call))
    events = Events(EditorState())
    operations = Operations(channel, events)
    port = port_of_channel(channel, operations)
    operations.gate = ToolGate(PrivateFiles(port, [], None))
    servers = LanguageServers(port, operations)

    async with asyncio.timeout(5):
        (reply,) = await servers.send("textDocument/hover", [(1, {})], seconds=0.05)

    assert reply.failure == "no answer within 0.05 s"
    await until(lambda: "tools.running.cancel" in [function for function, *_ in told])
