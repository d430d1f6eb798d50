"""A chat without a conversation, with the real CLI."""

from pathlib import Path

from support.claude_cli import wait_until_saved
from support.fake_api import FakeApi, text
from support.neovim import Neovim, until
from support.panel import Panel, holds


async def test_an_empty_chat_shows_its_settings_and_keys_until_the_first_prompt(
    nvim: Neovim, panel: Panel, api: FakeApi
) -> None:
    api.script([text("Hello.")])
    shown = await panel.shows(" · manual\n")
    assert shown.startswith("Claude · ")
    assert "  CTRL-S   sends the prompt\n" in shown

    await nvim.command("stopinsert | ClaudeChat mode plan")
    await panel.shows(" · plan\n")
    await panel.send("Greet me")

    assert (await panel.shows("Hello.")).startswith("» Greet me\n")


async def test_enter_resumes_one_of_the_latest_sessions_and_keeps_the_draft(
    nvim: Neovim, panel: Panel, api: FakeApi, config_folder: Path
) -> None:
    api.script([text("The word is swordfish.")], [text("You were told.")])
    await panel.send("Which word?")
    await panel.shows("── ")
    await wait_until_saved("swordfish", config_folder)
    await panel.end()
    await nvim.command("ClaudeChat")
    await panel.shows("  » Which word?")
    await panel.write()
    await nvim.keys("What was it?")
    await panel.go_to("  » Which word?")
    await nvim.keys("<CR>")

    shown = await panel.shows("The word is swordfish.")
    assert "sends the prompt" not in shown
    await panel.wait_until_ready()
    assert (await panel.look())["count"] == 1
    await until(lambda: holds(panel, "What was it?"), "the draft")
    await panel.write()
    await nvim.keys("<C-s>")
    await panel.shows("You were told.")
    assert "swordfish" in str(api.requests[-1].body["messages"])
