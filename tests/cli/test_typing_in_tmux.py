"""Prompts that Neovim types into the real CLI in a pane of tmux, in both of its versions."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from support.claude_cli import environment
from support.fake_api import FakeApi, text, tool_use
from support.neovim import Neovim, until
from support.panel import CONFIGURE
from support.terminal import PATIENCE
from support.tmux import Tmux, needs_tmux, tmux_around

from .conftest import serve

pytestmark = needs_tmux

SEND = "return require('claude_ide.terminal.typing').send(0, ...)"
PANE = ":0.1"


@pytest.fixture
async def nvim(
    each_cli: Path, api: FakeApi, project: Path, tmp_path: Path, config_folder: Path, path: Path
) -> AsyncIterator[Neovim]:
    """A Neovim that shows `path`; its CLIs run in tmux, and use the stand-in for the model."""
    home = tmp_path / "home"
    given = environment(api, home, config_folder)
    del given["PATH"]
    neovim = await Neovim.start(cwd=project, home=home, env=given, columns=160, rows=40)
    terminal = {"side": "tmux", "size": 0.7}
    await neovim.lua(CONFIGURE, {"cmd": [str(each_cli)], "terminal": terminal})
    await serve(neovim, config_folder, path)
    yield neovim
    await neovim.stop()


@pytest.fixture
async def tmux(nvim: Neovim, tmp_path: Path) -> AsyncIterator[Tmux]:
    """A tmux with the CLI in its second pane."""
    async with tmux_around(nvim, tmp_path) as run:
        await nvim.keys(":Claude --permission-mode default<CR>")
        await shown(run, "⧉ In a.py")
        yield run


async def shown(tmux: Tmux, words: str) -> None:
    """Wait until the pane shows some words."""

    async def is_shown() -> bool:
        return words in await tmux("capture-pane", "-p", "-t", PANE)

    await until(is_shown, words, PATIENCE)


async def asked(api: FakeApi, words: str) -> None:
    """Wait until the model gets these words as a prompt."""
    await until(lambda: any(words in each.new_text for each in api.requests), words, PATIENCE)


@pytest.mark.parametrize(
    "words",
    [
        'On a.py, line 2:\n> two\nShout,\n    please; "now" $HOME `#{pane_id}`',
        "\n".join(f"Line {number}" for number in range(1, 40)),
        "many words " * 60 + "end",
        "Grüße ✓ 漢字",
    ],
    ids=["lines", "many lines", "long", "Unicode"],
)
async def test_a_prompt_reaches_the_model(
    nvim: Neovim, api: FakeApi, tmux: Tmux, words: str
) -> None:
    api.script([text("Heard.")])

    assert await nvim.lua(SEND, words) is None

    await shown(tmux, "● Heard.")
    assert any(words in each.new_text for each in api.requests)
    assert await tmux("list-buffers") == ""


async def test_prompts_to_a_hidden_pane_that_is_scrolled_are_sent_in_order(
    nvim: Neovim, api: FakeApi, tmux: Tmux
) -> None:
    api.script([text("Heard.")], [text("Heard again.")])
    await tmux("copy-mode", "-t", PANE)
    await nvim.command("Claude")

    await nvim.lua(SEND, "The first")
    await nvim.lua(SEND, "The second")

    await asked(api, "The first")
    await asked(api, "The second")


async def test_a_prompt_answers_no_dialog(nvim: Neovim, api: FakeApi, tmux: Tmux) -> None:
    api.script(
        [tool_use("Bash", command="touch made", description="Touch")],
        [text("Done.")],
        [text("Heard.")],
    )
    await nvim.lua(SEND, "Touch it")
    await shown(tmux, "1. Yes")

    await nvim.lua(SEND, "The next")
    waiting = "Claude gets your words once its terminal shows the prompt again"
    await until(lambda: waiting in nvim.screen.text(), waiting, PATIENCE)
    await shown(tmux, "1. Yes")

    await tmux("send-keys", "-t", PANE, "Escape")
    await asked(api, "The next")
    assert not any("made" in each for each in await nvim.eval("readdir('.')"))


async def test_words_that_the_cli_can_no_longer_get_are_yanked(
    nvim: Neovim, api: FakeApi, tmux: Tmux
) -> None:
    api.script([tool_use("Bash", command="touch made", description="Touch")])
    await nvim.lua(SEND, "Touch it")
    await shown(tmux, "1. Yes")
    await nvim.lua(SEND, "The next")

    await tmux("kill-pane", "-t", PANE)

    await until(lambda: nvim.eval("getreg() == 'The next'"), "the words are yanked", PATIENCE)
    await until(lambda: "Claude has ended" in nvim.screen.text())
