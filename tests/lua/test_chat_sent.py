"""`chat/sent.lua`: prompts that a host has not shown, or never will."""

from typing import Any

import pytest

from support.chats import Chats
from support.chunks import chunk
from support.neovim import Neovim, until

SENT = "return require('claude_ide.chat.sent')"
PROMPT = "return require('claude_ide.chat.prompt')"
IMPATIENT = "require('claude_ide.chat.sent').timeout_ms = 1"
DIED = "require('claude_ide.chat.panel').host_ended('the host died')"
BELOW = chunk("chat_sent/below")

pytestmark = pytest.mark.usefixtures("open_chat")


async def send(nvim: Neovim, chats: Chats, words: str) -> int:
    """Send a prompt; return its number."""
    count = len(chats.events("send"))
    await nvim.keys(f"{words}<C-s>")
    await until(lambda: len(chats.events("send")) > count, "it is sent")
    number: int = chats.events("send")[-1]["number"]
    return number


async def below(nvim: Neovim, rows: list[str]) -> None:
    """Wait until these rows are below the transcript."""

    async def shown() -> bool:
        return list(await nvim.lua(BELOW)) == rows

    await until(shown, f"{rows} below the transcript")


async def prompt_holds(chats: Chats, lines: list[str]) -> None:
    async def holds() -> bool:
        return await chats.lines("prompt") == lines

    await until(holds, f"the prompt holds {lines}")


async def test_a_prompt_that_the_host_does_not_show_is_shown_by_lua(
    nvim: Neovim, chats: Chats
) -> None:
    number = await send(nvim, chats, "one<CR>two")
    await below(nvim, ["⧗ one (+1 line)"])

    await nvim.lua(f"{SENT}.shown(1, ...)", number)

    await below(nvim, [])


async def test_a_prompt_is_claimed_only_while_the_user_has_not_taken_it_back(
    nvim: Neovim, chats: Chats
) -> None:
    first, second = await send(nvim, chats, "one"), await send(nvim, chats, "two")

    assert await nvim.lua(f"{SENT}.claim(1, ...)", first) is True
    assert await nvim.lua(f"{PROMPT}.take_back(1)") == [second]
    assert await nvim.lua(f"{SENT}.claim(1, ...)", second) is False
    await prompt_holds(chats, ["two"])


async def test_ctrl_c_takes_back_the_prompts_that_the_agent_does_not_have(
    nvim: Neovim, chats: Chats
) -> None:
    numbers = [await send(nvim, chats, "one"), await send(nvim, chats, "two")]

    await nvim.keys("three<C-c>")

    assert await chats.wait_for_event("stop") == {"chat": 1, "taken": numbers}
    await prompt_holds(chats, ["three", "one", "two"])


async def test_a_dead_host_returns_all_prompts_that_have_not_begun(
    nvim: Neovim, chats: Chats
) -> None:
    numbers = [await send(nvim, chats, words) for words in ("one", "two", "three")]
    await nvim.lua(f"{SENT}.claim(1, ...)", numbers[0])
    await nvim.lua(f"{SENT}.take(1, ...)", numbers[:1])
    await nvim.lua(f"{SENT}.claim(1, ...)", numbers[1])

    await nvim.lua(DIED)

    await prompt_holds(chats, ["two", "three"])


async def test_a_host_that_does_not_answer_is_reported(nvim: Neovim, chats: Chats) -> None:
    await nvim.lua(IMPATIENT)

    number = await send(nvim, chats, "one")

    await below(nvim, ["⧗ one", "Claude has not answered yet", "see :ClaudeLog; R retries"])
    await nvim.lua(f"{SENT}.shown(1, ...)", number)
    await below(nvim, [])


@pytest.mark.parametrize("claimed", [True, False])
async def test_the_end_of_a_silent_chat_needs_no_host(
    nvim: Neovim, chats: Chats, claimed: Any
) -> None:
    await nvim.lua(IMPATIENT)
    number = await send(nvim, chats, "one")
    if claimed:
        await nvim.lua(f"{SENT}.claim(1, ...)", number)
    await below(nvim, ["⧗ one", "Claude has not answered yet", "see :ClaudeLog; R retries"])

    await nvim.keys("two<Esc>:ClaudeChat end<CR>")

    await until(lambda: nvim.eval("winnr('$') == 1"), "the chat is closed")
    await chats.wait_for_event("closed")
    kept = "getbufline(bufnr('Kept ('), 1, '$')"
    assert await nvim.eval(kept) == ["one", "two"]
