"""`chat/state.lua`: an agent's progress, as Neovim 0.12 shows it."""

from typing import Any

import pytest

from support.chats import Chats
from support.neovim import Neovim, until
from support.progress import progress_messages, record_progress

BUSY = "return vim.bo[vim.fn.bufnr('/claude-chat/')].busy"
NO_BARS: dict[str, Any] = {}


@pytest.fixture
async def chats(nvim: Neovim) -> Chats:
    """A chat, in a Neovim that has the option and the event."""
    if not await nvim.eval("exists('+busy')"):
        pytest.skip("this Neovim has no 'busy'")
    await record_progress(nvim)
    chats = await Chats.start(nvim)
    await chats.open()
    return chats


async def test_the_transcript_is_busy_while_the_agent_works(nvim: Neovim, chats: Chats) -> None:
    for status, text in [("success", ""), ("running", "thinking…"), ("running", "writing…")]:
        await chats.show_bars(NO_BARS, status, text)
    assert await nvim.lua(BUSY) == 1

    await chats.show_bars(NO_BARS, "success")

    assert await nvim.lua(BUSY) == 0
    assert await progress_messages(nvim) == [
        ["Claude", "thinking…", "running"],
        ["Claude", "writing…", "running"],
        ["Claude", "success", "success"],
    ]


@pytest.mark.parametrize("end", ["panel').close(1)", "panel').host_ended()"])
async def test_progress_ends_when_the_chat_or_its_host_ends(
    nvim: Neovim, chats: Chats, end: str
) -> None:
    await chats.show_bars(NO_BARS, "running", "writing…")

    await nvim.lua(f"require('claude_ide.chat.{end}")

    await until(lambda: nvim.lua("return _G.messages[2] ~= nil"), "the end is reported")
    assert (await progress_messages(nvim))[1:] == [["Claude", "ended", "cancel"]]
