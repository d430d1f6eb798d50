"""`chat/waiting.lua`: requests of chats are counted, and reported where unseen."""

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

HEAR = """
_G.notified = {}
vim.notify = function(text) table.insert(_G.notified, text) end
"""
SET = "require('claude_ide.chat.waiting').set(1, ...)"
SAID = ["claude-ide: Claude is waiting for your answer (:ClaudeChat answer)"]


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    """A chat on screen, and ears for messages."""
    chats = await Chats.start(nvim)
    await chats.open()
    await nvim.lua(HEAR)
    return chats


async def settled(nvim: Neovim) -> list[str]:
    """What was shown, once what was waiting for a moment has had it."""
    await nvim.lua(
        "require('claude_ide.when.moment').when_notifiable(function()"
        " vim.schedule(function() _G.is_settled = true end) end)"
    )
    await until(lambda: nvim.lua("return _G.is_settled"))
    said: list[str] = await nvim.lua("return _G.notified")
    return said


async def test_a_request_of_a_chat_in_another_tabpage_is_reported_once(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.command("stopinsert | tabnew")

    await nvim.lua(SET, 1)
    await until(lambda: nvim.lua("return #_G.notified > 0"))
    await nvim.lua(SET, 0)

    assert await settled(nvim) == SAID


@pytest.mark.parametrize("where", ["wincmd h", "tabnew | sbuffer claude-chat"])
async def test_a_request_of_a_chat_in_sight_is_not(nvim: Neovim, chats: Chats, where: str) -> None:
    await nvim.command(f"stopinsert | {where}")

    await nvim.lua(SET, 1)

    assert await settled(nvim) == []


async def test_it_is_not_reported_while_something_is_asked_and_once_answered_never(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.command("stopinsert | tabnew")
    await nvim.keys(":call input('name: ')<CR>")
    await until(lambda: nvim.eval("mode() == 'c'"))

    await nvim.lua(SET, 1)
    await nvim.lua(SET, 0)
    await nvim.keys("<CR>")

    assert await settled(nvim) == []
