"""Prompts that the editor types into the real CLI in a pane of tmux, in both of its versions."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.either_editor import BOTH_WITH_CLI, Editor, type_prompt
from support.fake_api import FakeApi, text, tool_use
from support.neovim import until
from support.tmux import Tmux, needs_tmux, tmux_around

pytestmark = [needs_tmux, BOTH_WITH_CLI]

PANE = ":0.1"


@pytest.fixture
def options() -> dict[str, Any]:
    """The CLIs run in panes of tmux."""
    return {"terminal": {"side": "tmux", "size": 0.7}}


@pytest.fixture
def nvim(nvim_with_cli: Editor) -> Editor:
    """The editor, which shows a file."""
    return nvim_with_cli


@pytest.fixture
async def tmux(nvim: Editor, tmp_path: Path) -> AsyncIterator[Tmux]:
    """A tmux with the CLI in its second pane."""
    async with tmux_around(nvim, tmp_path) as in_tmux:
        await nvim.keys(":Claude --permission-mode default<CR>")
        await shown(in_tmux, "⧉ In a.py")
        yield in_tmux


async def shown(tmux: Tmux, words: str) -> None:
    """Wait until the pane shows some words."""

    async def is_shown() -> bool:
        return words in await tmux("capture-pane", "-p", "-t", PANE)

    await until(is_shown, words)


async def asked(api: FakeApi, words: str) -> None:
    """Wait until the model gets these words as a prompt."""
    await until(lambda: any(words in each.new_text for each in api.requests), words)


@pytest.mark.parametrize(
    "words",
    [
        'On a.py, line 2:\n> two\nShout,\n    please; "now" $HOME `#{pane_id}`',
        "\n".join(f"Line {number}" for number in range(1, 40)),
        "many words " * 60 + "end",
        "many words " * 10_000 + "end",
        "Grüße ✓ 漢字",
        "!touch made",
    ],
    ids=[
        *("lines", "many lines", "long", "longer than a pipe holds", "Unicode"),
        "no command for the shell",
    ],
)
async def test_a_prompt_reaches_the_model(
    nvim: Editor, api: FakeApi, tmux: Tmux, words: str
) -> None:
    api.script([text("Heard.")])

    await type_prompt(nvim, words)

    await shown(tmux, "● Heard.")
    assert any(words in each.new_text for each in api.requests)
    assert await tmux("list-buffers") == ""


async def test_prompts_to_a_hidden_pane_that_is_scrolled_are_sent_in_order(
    nvim: Editor, api: FakeApi, tmux: Tmux
) -> None:
    api.script([text("Heard.")], [text("Heard again.")])
    await tmux("copy-mode", "-t", PANE)
    await nvim.command("Claude")

    await type_prompt(nvim, "The first")
    await type_prompt(nvim, "The second")

    await asked(api, "The first")
    await asked(api, "The second")
    prompts = ["The first", "The second"]
    heard = [words for each in api.requests for words in prompts if words in each.new_text]
    assert heard == prompts


async def test_a_prompt_answers_no_dialog(nvim: Editor, api: FakeApi, tmux: Tmux) -> None:
    api.script(
        [tool_use("Bash", command="touch made", description="Touch")],
        [text("Done.")],
        [text("Heard.")],
    )
    await type_prompt(nvim, "Touch it")
    await shown(tmux, "1. Yes")

    await type_prompt(nvim, "The next")
    waiting = "Claude gets your words once its terminal shows the prompt again"
    await until(lambda: waiting in nvim.screen.text(), waiting)
    await shown(tmux, "1. Yes")

    await tmux("send-keys", "-t", PANE, "Escape")
    await asked(api, "The next")
    assert not any("made" in each for each in await nvim.eval("readdir('.')"))


async def test_words_that_the_cli_can_no_longer_get_are_yanked(
    nvim: Editor, api: FakeApi, tmux: Tmux
) -> None:
    api.script([tool_use("Bash", command="touch made", description="Touch")])
    await type_prompt(nvim, "Touch it")
    await shown(tmux, "1. Yes")
    await type_prompt(nvim, "The next")

    await tmux("kill-pane", "-t", PANE)

    await until(lambda: nvim.eval("getreg() == 'The next'"), "the words are yanked")
    await until(lambda: "Claude has ended" in nvim.screen.text())
