"""Editing an earlier prompt in the chat panel of the real CLI."""

from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import PATIENCE, Panel, holds

REPLACED = "↳ continued from an earlier prompt; :ClaudeChat resume has the replaced conversation"


async def test_an_edited_prompt_replaces_the_conversation_after_it(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("One.")], [text("Two.")], [text("Three.")], [text("Deux.")])
    await _converse(panel, "First", "Second", "Third")

    await _edit(nvim, panel, "» Second")
    await nvim.keys(" in French<C-s>")

    shown = await panel.shows("Deux.")
    assert f"{REPLACED}\n\n» Second in French" in shown
    assert "One." in shown
    assert "Two." not in shown
    conversation = str(api.requests[-1].body["messages"])
    assert "One." in conversation
    assert "Two." not in conversation
    assert "Second in French" in api.requests[-1].new_text


async def _converse(panel: Panel, *prompts: str) -> None:
    """Send prompts, each after the end of the turn before it."""
    for count, prompt in enumerate(prompts, 1):
        await panel.send(prompt)

        async def ended(count: int = count) -> bool:
            return (await panel.text()).count("── ") == count

        await until(ended, f"{prompt!r} is answered", PATIENCE)


async def _edit(nvim: Neovim, panel: Panel, words: str) -> None:
    """Press `e` on a line of the transcript, and wait until the prompt has its text."""
    assert await panel.go_to(words)
    await nvim.keys("e")
    await until(lambda: holds(panel, words.removeprefix("» ")), "the text", PATIENCE)
    await until(lambda: _inserts(nvim), "the prompt accepts text", PATIENCE)


async def _inserts(nvim: Neovim) -> bool:
    return bool((await nvim.mode())["mode"] == "i")
