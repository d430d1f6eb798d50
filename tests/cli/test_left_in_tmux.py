"""The real CLI in a pane of tmux, after its editor has ended and when the next one has come."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from support.claude_cli import CARET, environment
from support.either_editor import BOTH_WITH_CLI, Editor, configure, edit, on_screen
from support.fake_api import FakeApi, text, tool_use
from support.happenings import follow, the
from support.neovim import until
from support.permissions import entered
from support.tmux import Tmux, needs_tmux, tmux_around

pytestmark = [needs_tmux, BOTH_WITH_CLI]

PANE = ":0.1"
PRESSES = 5
SIDE = {"side": "tmux", "size": 0.7}

Next = Callable[[], Awaitable[Editor]]


@pytest.fixture
def options() -> dict[str, Any]:
    """The CLIs run in panes of tmux."""
    return {"terminal": SIDE}


@pytest.fixture
async def tmux(nvim_with_cli: Editor, tmp_path: Path) -> AsyncIterator[Tmux]:
    """A tmux with the CLI in its second pane."""
    async with tmux_around(nvim_with_cli, tmp_path) as in_tmux:
        await nvim_with_cli.keys(":Claude --permission-mode default<CR>")
        await shows(in_tmux, "⧉ In a.py")
        yield in_tmux


@pytest.fixture
async def next_editor(
    nvim_with_cli: Editor,
    api: FakeApi,
    each_cli: Path,
    project: Path,
    path: Path,
    config_folder: Path,
    tmp_path: Path,
) -> AsyncIterator[Next]:
    """Start an editor like the first, which has ended."""
    home = tmp_path / "home"
    tmux = {name: await nvim_with_cli.eval(f"${name}") for name in ("TMUX", "TMUX_PANE")}
    given = environment(api, home, config_folder) | tmux
    del given["PATH"]
    async with AsyncExitStack() as running:

        async def start() -> Editor:
            editor = await type(nvim_with_cli).start(cwd=project, home=home, env=given)
            running.push_async_callback(editor.stop)
            await configure(editor, cmd=[str(each_cli)], terminal=SIDE)
            await edit(editor, path)
            await follow(editor)
            return editor

        yield start


async def screen(tmux: Tmux) -> str:
    """Return what the pane shows."""
    return await tmux("capture-pane", "-p", "-t", PANE)


async def shows(tmux: Tmux, words: str) -> None:
    """Wait until the pane shows some words."""

    async def is_shown() -> bool:
        return words in await screen(tmux)

    await until(is_shown, words)


async def complains_of_no_hook(tmux: Tmux) -> None:
    """Wait until no hook is named: the CLI does so while one runs; a failure would stay."""

    async def is_quiet() -> bool:
        return "hook" not in await screen(tmux)

    await until(is_quiet, "no hook has failed")


async def prompt(tmux: Tmux, words: str) -> None:
    """Type a prompt in the pane."""
    await tmux("send-keys", "-t", PANE, "-l", words)
    await shows(tmux, words)
    await tmux("send-keys", "-t", PANE, "Enter")


async def test_it_works_on_in_peace_and_comes_back_to_the_next_editor(
    nvim_with_cli: Editor, tmux: Tmux, next_editor: Next, api: FakeApi, project: Path
) -> None:
    await nvim_with_cli.stop()
    command = tool_use("Read", file_path=str(project / "a.py"))
    api.script([command], [text("Alone.")])
    await prompt(tmux, "First")
    await shows(tmux, "● Alone.")
    await complains_of_no_hook(tmux)

    made = tool_use("Bash", command="touch made", description="Touch")
    api.script([made], [text("Made.")])
    await prompt(tmux, "Second")
    await shows(tmux, "1. Yes")
    editor = await next_editor()
    await editor.command("Claude")
    await on_screen(editor, "Claude found: type /ide in pane %")
    await entered(editor, "touch made")
    await editor.keys("y")

    await shows(tmux, "● Made.")
    assert (project / "made").exists()
    api.script([text("Heard.")])
    await prompt(tmux, "Third")
    assert (await the(editor, "ClaudePrompt"))["prompt"] == "Third"
    assert (await the(editor, "ClaudeTurnEnd"))["reason"] == "completed"
    assert "error" not in await screen(tmux)
    panes = await tmux("list-panes", "-a", "-F", "#{pane_id}")
    assert len(panes.splitlines()) == 2

    await prompt(tmux, "/ide")
    await shows(tmux, " IDE")
    # 2.1.330 selects "None".
    for _ in range(PRESSES):
        if re.search(f"{CARET}.*[Vv]im", await screen(tmux)):
            break
        await tmux("send-keys", "-t", PANE, "Up")
        await editor.idle(300)
    # It asks another question, and ignores keys while that appears.
    for _ in range(PRESSES):
        if "⧉ In a.py" not in await screen(tmux):
            await tmux("send-keys", "-t", PANE, "Enter")
            await editor.idle(1000)
    await shows(tmux, "⧉ In a.py")
