"""Editing an earlier prompt in the chat panel of the real CLI."""

from pathlib import Path
from typing import Any

import pytest

from support.chunks import chunk
from support.claude_cli import wait_until_saved
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import Neovim, until
from support.panel import Panel, choose_answer, holds

REPLACED = "↳ continued from an earlier prompt (:ClaudeChat resume lists the old session)"
CHOOSE = chunk("branching/choose")
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"
    "AAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A picture of one red pixel."""


async def test_an_edited_prompt_replaces_the_conversation_after_it(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    long = "One.\n" + "\n".join(f"line {number}" for number in range(60))
    api.script([text(long)], [text("Two.")], [text("Three.")], [text(f"{long}\nDeux.")])
    await _converse(panel, "First", "Second", "Third")

    await _edit(nvim, panel, "» Second")
    await nvim.keys(" in French<C-s>")

    shown = await panel.shows("Deux.")
    assert f"{REPLACED}\n\n» Second in French" in shown
    assert "One." in shown
    assert "Two." not in shown
    await until(lambda: "Deux." in nvim.screen.text(), "the answer is on the screen")
    conversation = str(api.requests[-1].body["messages"])
    assert "One." in conversation
    assert "Two." not in conversation
    assert "Second in French" in api.requests[-1].new_text


async def test_the_replaced_conversation_can_be_resumed(
    nvim: Neovim, panel: Panel, api: FakeApi, config_folder: Path
) -> None:
    api.script([text("One.")], [text("Two.")], [text("Deux.")])
    await _converse(panel, "First", "Second")
    await _edit(nvim, panel, "» Second")
    await nvim.keys(" in French<C-s>")
    await panel.shows("Deux.")
    await wait_until_saved("Deux.", config_folder)
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[2], 2) end")

    await nvim.command("stopinsert | ClaudeChat resume")
    await panel.wait_for_chats(2)

    await panel.shows("Two.")


async def test_editing_the_first_prompt_begins_a_new_session_with_the_same_mode(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("One.")], [text("Un.")])
    await nvim.command("stopinsert | ClaudeChat mode acceptEdits")
    await _converse(panel, "First")

    await _edit(nvim, panel, "» First")
    await nvim.keys(" in French<C-s>")

    shown = await panel.shows("Un.")
    assert "One." not in shown
    assert "One." not in str(api.requests[-1].body["messages"])
    await panel.bar_shows("acceptEdits")


async def test_gx_leaves_an_edit_and_restores_the_draft(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("One.")], [text("Two.")])
    await _converse(panel, "First")
    await panel.write()
    await nvim.keys("a draft")
    await _edit(nvim, panel, "» First")
    await panel.shows("✎ editing")
    await until(lambda: _prompt_bar_shows(panel, "from before “First”"), "the bar")

    await nvim.keys(" changed<Esc>gx")

    await panel.shows_no_more("✎ editing")
    await until(lambda: _holds_only(panel, "a draft"), "the draft")
    await nvim.keys("<Up>")
    await until(lambda: _holds_only(panel, "First changed"), "the history")
    await nvim.keys("cc")
    await _converse_on(panel, "Second", 2)
    assert "One." in str(api.requests[-1].body["messages"])


async def test_e_on_the_edited_prompt_leaves_it(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([text("One.")])
    await _converse(panel, "First")
    await _edit(nvim, panel, "» First")
    await until(lambda: "✎ from before “First”" in nvim.screen.text(), "the edit in the bar")

    await panel.go_to("» First")
    await nvim.keys("e")

    await panel.shows_no_more("✎ editing")
    await until(lambda: "✎" not in nvim.screen.text(), "a bar without the edit")
    await until(lambda: _holds_only(panel, ""), "an empty prompt")


async def test_e_remains_a_motion_elsewhere(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([text("One two.")])
    await _converse(panel, "First")

    assert await panel.go_to("One two.")
    await nvim.keys("e")

    assert await nvim.eval("[getline('.'), col('.')]") == ["One two.", 3]


@pytest.mark.parametrize("way", ["Conversation only", "Conversation and files", "Cancel"])
async def test_the_files_go_back_only_if_the_user_wants_it(
    nvim: Neovim, panel: Panel, api: FakeApi, path: Path, way: str
) -> None:
    api.script(*edit(path, "two", "TWO", then="Done."), [text("Very well.")])
    await nvim.command("stopinsert | ClaudeChat mode acceptEdits")
    await panel.bar_shows("acceptEdits")
    await _converse(panel, "Shout")
    await nvim.lua(CHOOSE, [way])

    await _edit(nvim, panel, "» Shout")
    await nvim.keys(" not<C-s>")

    await until(lambda: _asked(nvim), "the question")
    [[question, ways, shown]] = await _asked(nvim)
    assert "restore a.py (+1 -1 lines)?" in question
    assert ways == ["Conversation only", "Conversation and files", "Cancel"]
    assert shown[-2:] == ["-two", "+TWO"]
    if way == "Cancel":
        await until(lambda: holds(panel, "Shout not"), "the prompt is kept")
        await panel.shows("✎ editing")
        assert path.read_text() == "one\nTWO\n"
        return
    answered = await panel.shows("Very well.")
    is_restored = way == "Conversation and files"
    assert path.read_text() == ("one\ntwo\n" if is_restored else "one\nTWO\n")
    assert ("restored a.py" in answered) is is_restored
    assert "undone" not in api.requests[-1].new_text


async def test_a_running_turn_is_stopped_and_its_queue_returned(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.hold = True
    api.script([text("one two three")], [text("Instead.")])
    await panel.send("First")
    await panel.shows("one")
    await panel.send("and then this")
    await panel.shows("⧗ and then this")
    await nvim.lua(CHOOSE, ["Stop the turn"])

    await _edit(nvim, panel, "» First")
    api.hold = False
    await nvim.keys(" better<C-s>")

    shown = await panel.shows("Instead.")
    assert "⧗" not in shown
    assert "and then this" not in str(api.requests[-1].body["messages"])
    await until(lambda: _holds_only(panel, "and then this"), "the queued prompt")
    assert (await _asked(nvim))[0][0] == "Going back ends the current turn:"


async def test_a_running_turn_goes_on_if_the_user_cancels(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.hold = True
    api.script([text("one two three")])
    await panel.send("First")
    await panel.shows("one")
    await nvim.lua(CHOOSE, ["Cancel"])

    await _edit(nvim, panel, "» First")
    await nvim.keys(" better<C-s>")

    await until(lambda: holds(panel, "First better"), "the prompt is kept")
    await panel.bar_shows("writing")


async def test_a_prompt_sent_during_a_turn_can_be_edited(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([tool_use("Bash", command="touch made.txt")], [text("Made.")], [text("Slowly.")])
    await panel.send("Make it")
    await panel.shows("? Run this command")
    await panel.write()
    await nvim.keys("and be swift<Esc>gs")
    await panel.shows("and be swift")
    await nvim.lua("vim.ui.select = function(items, _, done) done(items[1], 1) end")
    await nvim.keys("<CR>")
    await choose_answer(nvim, "y")
    await panel.shows("Made.")
    await panel.shows("── ")

    await _edit(nvim, panel, "» and be swift")
    await nvim.keys("<C-u>and be slow<C-s>")

    await panel.shows("Slowly.")
    conversation = str(api.requests[-1].body["messages"])
    assert "touch made.txt" in conversation
    assert "swift" not in conversation


async def test_a_prompt_before_clear_can_be_edited(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("One.")], [text("Two.")], [text("Three.")], [text("Deux.")])
    await _converse(panel, "First", "Second")
    await panel.send("/clear")
    await panel.shows("the conversation was cleared")
    await _converse_on(panel, "Third", 5)

    await _edit(nvim, panel, "» Second")
    await nvim.keys(" in French<C-s>")

    shown = await panel.shows("Deux.")
    assert "was cleared" not in shown
    conversation = str(api.requests[-1].body["messages"])
    assert "One." in conversation
    assert "Three." not in conversation


async def test_a_compacted_prompt_is_refused_and_a_later_one_is_not(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("One.")], [text("More.")], [text("A summary.")])
    await _converse(panel, "First", "Again")
    await panel.send("/compact")
    await panel.shows("was compacted")
    api.turns.clear()
    api.script([text("Two.")], [text("Deux.")])
    await _converse_on(panel, "Second", 5)

    assert await panel.go_to("» First")
    await nvim.keys("e")
    refusal = "this prompt is in the part of the conversation that was compacted"
    await until(lambda: refusal in nvim.screen.text(), "the refusal")
    await _edit(nvim, panel, "» Second")
    await nvim.keys(" in French<C-s>")

    await panel.shows("Deux.")
    conversation = str(api.requests[-1].body["messages"])
    assert "continued from a previous conversation" in conversation
    assert "Two." not in conversation


async def test_a_prompt_of_a_resumed_session_is_edited_with_its_image(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("One.")], [text("A dot.")], [text("A red dot.")])
    await _converse(panel, "First")
    await nvim.lua(chunk("branching/add_image"), PIXEL)
    await _converse_on(panel, "See [Image 1]", 2)
    await panel.end()
    await nvim.command("ClaudeChat continue")
    await panel.shows("A dot.")
    await panel.wait_until_ready()

    await _edit(nvim, panel, "» See [Image 1]")
    await nvim.keys(" closely<C-s>")

    await panel.shows("A red dot.")
    content = api.requests[-1].body["messages"]
    assert "See [Image 1] closely" in str(content)
    assert str(content).count("'type': 'image'") == 1


async def _prompt_bar_shows(panel: Panel, words: str) -> bool:
    return words in (await panel.look())["prompt_bar"]


async def _holds_only(panel: Panel, words: str) -> bool:
    lines: list[str] = (await panel.look())["prompt"]
    return lines == [words]


async def _asked(nvim: Neovim) -> list[Any]:
    return list(await nvim.lua("return _G.asked or {}"))


async def test_a_fork_says_what_it_is(nvim: Neovim, panel: Panel, api: FakeApi) -> None:
    api.script([text("One.")])
    await _converse(panel, "First")

    await nvim.command("stopinsert | ClaudeChat fork")
    await panel.wait_for_chats(2)

    shown = await panel.shows("↳ a fork: what follows is in a session of its own")
    assert shown.index("One.") < shown.index("a fork")


async def _converse(panel: Panel, *prompts: str) -> None:
    """Send the first prompts of a chat, each after the end of the turn before it."""
    for count, prompt in enumerate(prompts, 1):
        await _converse_on(panel, prompt, count)


async def _converse_on(panel: Panel, prompt: str, count: int) -> None:
    """Send a prompt, and wait until `count` turns have ended."""
    await panel.send(prompt)

    async def ended() -> bool:
        return (await panel.text()).count("── ") == count

    await until(ended, f"{prompt!r} is answered")


async def _edit(nvim: Neovim, panel: Panel, words: str) -> None:
    """Press `e` on a line of the transcript, and wait until the prompt has its text."""
    assert await panel.go_to(words)
    await nvim.keys("e")
    await until(lambda: _holds_only(panel, words.removeprefix("» ")), "the text")
    await until(lambda: _inserts(nvim), "the prompt accepts text")


async def _inserts(nvim: Neovim) -> bool:
    mode: str = (await nvim.mode())["mode"]
    return mode == "i"
