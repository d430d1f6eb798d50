"""Prompts that Neovim types into the terminal of the real CLI, in both of its versions."""

import pytest

from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.terminal import PATIENCE

from .conftest import begin

SEND = "return require('claude_ide.terminal.typing').send(0, ...)"


@pytest.fixture
def nvim(nvim_with_cli: Neovim) -> Neovim:
    """A Neovim whose CLIs use the stand-in for the model."""
    return nvim_with_cli


async def asked(api: FakeApi, words: str) -> None:
    """Wait until the model gets these words as a prompt."""
    await until(lambda: any(words in each.new_text for each in api.requests), words, PATIENCE)


async def shown(nvim: Neovim, words: str) -> None:
    """Wait until the screen shows some words."""
    await until(lambda: words in nvim.screen.text(), words, PATIENCE)


@pytest.mark.parametrize(
    "words",
    [
        "One line with a file: @a.py",
        "On a.py, line 2:\n> two\nShout,\n    please.",
        "\n".join(f"Line {number}" for number in range(1, 40)),
        "many words " * 60 + "end",
        "Grüße ✓ 漢字",
    ],
    ids=["one line", "lines", "many lines", "long", "Unicode"],
)
async def test_a_prompt_reaches_the_model(nvim: Neovim, api: FakeApi, words: str) -> None:
    api.script([text("Heard.")])
    await begin(nvim, "default")

    assert await nvim.lua(SEND, words) is None

    await shown(nvim, "● Heard.")
    assert any(words in each.new_text for each in api.requests)


async def test_prompts_to_a_hidden_terminal_are_sent_in_order(nvim: Neovim, api: FakeApi) -> None:
    api.script([text("Heard.")], [text("Heard again.")])
    await begin(nvim, "default")
    await nvim.command("Claude")
    await until(lambda: nvim.eval("winnr('$') == 1"))

    await nvim.lua(SEND, "The first")
    await nvim.lua(SEND, "The second")

    await asked(api, "The first")
    await asked(api, "The second")


async def test_a_prompt_answers_no_dialog(nvim: Neovim, api: FakeApi) -> None:
    api.script(
        [tool_use("Bash", command="touch made", description="Touch")],
        [text("Done.")],
        [text("Heard.")],
    )
    await begin(nvim, "default")
    await nvim.lua(SEND, "Touch it")
    await shown(nvim, "1. Yes")

    await nvim.lua(SEND, "The next")
    await shown(nvim, "Claude gets your words once its terminal shows the prompt again")
    assert "1. Yes" in nvim.screen.text()

    await nvim.keys("<Esc>")
    await asked(api, "The next")
    assert not any("made" in each for each in await nvim.eval("readdir('.')"))


async def test_a_prompt_that_the_user_has_begun_is_not_sent(nvim: Neovim, api: FakeApi) -> None:
    await begin(nvim, "default")
    await nvim.keys("My own")
    await shown(nvim, "My own")

    await nvim.lua(SEND, " and yours")

    await shown(nvim, "press Enter there to send them")
    await shown(nvim, "My own and yours")
    assert not any("yours" in each.new_text for each in api.requests)


async def test_control_characters_are_not_keys(nvim: Neovim, api: FakeApi) -> None:
    api.script([text("Heard.")])
    await begin(nvim, "default")

    await nvim.lua(SEND, "One\x1b[201~\r\x03two")

    await asked(api, "One[201~\ntwo")


async def test_without_a_terminal_the_refusal_says_so(nvim: Neovim) -> None:
    assert await nvim.lua(SEND, "Words") == {
        "error": "no terminal of this Neovim runs Claude (:Claude opens one); "
        "your words are yanked, so that you can paste them"
    }
    assert await nvim.eval("getreg()") == "Words"


async def test_a_prompt_from_a_buffer_starts_a_cli_and_is_typed_into_it(
    nvim: Neovim, api: FakeApi
) -> None:
    api.script([text("Heard.")])
    await nvim.keys(":2ClaudePrompt<CR>")
    await until(lambda: nvim.eval("mode() == 'i'"))

    await nvim.keys("Shout @a.py<Esc>:x<CR>")

    await asked(api, "a.py, line 2:\n> two\nShout @a.py")
    await shown(nvim, "● Heard.")
    assert await nvim.eval("bufwinid('Claude terminal prompt')") == -1
