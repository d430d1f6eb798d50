"""`chat/state.lua`: counts the requests of chats, and reports unseen ones."""

import pytest

from support.chats import Chats
from support.neovim import Neovim, until

RECORD = """
_G.notified = {}
vim.notify = function(text) table.insert(_G.notified, (text:gsub('%s+', ' '))) end
"""
SET = "require('claude_ide.chat.state').set(1, { requests = ... })"
MESSAGES = ["Otter is waiting for your answer (:ClaudeChat answer)"]


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    """A chat on screen, in a Neovim that records messages."""
    chats = await Chats.start(nvim)
    await chats.open()
    await nvim.lua(RECORD)
    return chats


async def settled(nvim: Neovim) -> list[str]:
    """The messages, after the next moment at which one can be shown."""
    await nvim.lua(
        "require('claude_ide.timing.moment').when_notifiable(function()"
        " vim.schedule(function() _G.is_settled = true end) end)"
    )
    await until(lambda: nvim.lua("return _G.is_settled"))
    messages: list[str] = await nvim.lua("return _G.notified")
    return messages


async def test_a_request_of_a_chat_in_another_tabpage_is_reported_once(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.lua("require('claude_ide.chat.state').get(1).options.name = 'Otter'")
    await nvim.command("stopinsert | tabnew")

    await nvim.lua(SET, 1)
    await until(lambda: nvim.lua("return #_G.notified > 0"))
    await nvim.lua(SET, 0)

    assert await settled(nvim) == MESSAGES


@pytest.mark.parametrize("where", ["wincmd h", "tabnew | sbuffer claude-chat"])
async def test_a_request_of_a_visible_chat_is_not_reported(
    nvim: Neovim, chats: Chats, where: str
) -> None:
    await nvim.command(f"stopinsert | {where}")

    await nvim.lua(SET, 1)

    assert await settled(nvim) == []


async def test_a_request_answered_during_an_input_dialogue_is_never_reported(
    nvim: Neovim, chats: Chats
) -> None:
    await nvim.command("stopinsert | tabnew")
    await nvim.keys(":call input('name: ')<CR>")
    await until(lambda: nvim.eval("mode() == 'c'"))

    await nvim.lua(SET, 1)
    await nvim.lua(SET, 0)
    await nvim.keys("<CR>")

    assert await settled(nvim) == []
