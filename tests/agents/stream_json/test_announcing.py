"""`connection.py`: a running CLI learns that a server of ours has other tools."""

from typing import Any

from claude_ide.agents.stream_json.connection import Callbacks, Controls
from support.mcp_server import Server
from support.neovim import until

Frame = dict[str, Any]


async def nothing(_message: Frame) -> None:
    """Answer nothing."""


async def test_several_changes_at_once_are_announced_once_and_none_after_the_end() -> None:
    sent: list[Frame] = []

    async def send(frame: Frame) -> None:
        sent.append(frame["request"])

    server = Server(nothing)
    announcing = Callbacks(send, {"neovim": server}, None, Controls(send), print)
    announcing.announce_tools()
    (changed,) = server.watchers

    changed()
    changed()
    await until(lambda: sent, "it is announced")
    changed()
    await until(lambda: len(sent) == 2, "a later change is announced, too")
    await announcing.close()

    assert sent[0] == sent[1]
    assert sent[0]["subtype"] == "mcp_message"
    assert sent[0]["server_name"] == "neovim"
    assert sent[0]["message"]["method"] == "notifications/tools/list_changed"
    assert server.watchers == []
