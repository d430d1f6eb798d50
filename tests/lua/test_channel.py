"""`channel.lua`: sends events from the editor to the host."""

from support.neovim import Neovim, until


async def test_emit_sends_one_notification_to_the_channel(nvim: Neovim) -> None:
    channel = await nvim.channel()

    await nvim.lua(
        "local c = require('claude_ide.channel'); c.id = ...; c.emit('ping', {n = 1})", channel
    )

    assert await until(lambda: nvim.events("ping")) == [{"n": 1}]


async def test_emit_without_a_host_does_nothing(nvim: Neovim) -> None:
    await nvim.lua("require('claude_ide.channel').emit('ping', {})")

    assert nvim.events("ping") == []
