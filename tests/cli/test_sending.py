"""Texts that are put into the prompt of the real CLI, or sent to it, in both of its versions."""

import pytest

from support.either_editor import BOTH_WITH_CLI, Editor, on_screen
from support.fake_api import FakeApi, text
from support.neovim import until

from .conftest import begin

pytestmark = BOTH_WITH_CLI


@pytest.fixture
def nvim(nvim_with_cli: Editor) -> Editor:
    """An editor whose CLIs use the stand-in for the model."""
    return nvim_with_cli


async def test_texts_wait_in_the_prompt_until_the_user_sends_them(
    nvim: Editor, api: FakeApi
) -> None:
    api.script([text("Heard.")])
    await begin(nvim, "default")
    await nvim.call("claude_ide#send", "!first")
    await nvim.call("claude_ide#send", "second {{x}")
    await on_screen(nvim, "!first second {x}")
    assert not any("first" in each.new_text for each in api.requests)

    await nvim.keys("<CR>")

    await on_screen(nvim, "● Heard.")
    assert any("!first second {x}" in each.new_text for each in api.requests)


async def test_a_text_is_sent(nvim: Editor, api: FakeApi) -> None:
    api.script([text("Heard.")])
    await begin(nvim, "default")

    await nvim.call("claude_ide#send", "One\n> two", {"submit": True})

    await on_screen(nvim, "● Heard.")
    await until(lambda: any("One\n> two" in each.new_text for each in api.requests))


async def test_a_kept_text_is_typed_once_a_cli_connects(nvim: Editor, api: FakeApi) -> None:
    await nvim.call("claude_ide#send", "zebra")
    await on_screen(nvim, "saved; Claude gets it when it connects")

    await begin(nvim, "default")

    await on_screen(nvim, "zebra")


async def test_what_follows_a_quotation_begins_below_it(nvim: Editor, api: FakeApi) -> None:
    api.script([text("Heard.")])
    await begin(nvim, "default")
    await nvim.command("wincmd p")
    await nvim.keys(":1ClaudeType {selection}<CR>")
    await on_screen(nvim, "> one")
    await nvim.call("claude_ide#send", "zebra")
    await on_screen(nvim, "zebra")

    await nvim.command("ClaudeFocus")
    await nvim.keys("<CR>")

    await on_screen(nvim, "● Heard.")
    assert any("> one\n zebra" in each.new_text for each in api.requests)
