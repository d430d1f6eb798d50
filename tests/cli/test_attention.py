"""The real CLI in a terminal calls the user who is elsewhere."""

from pathlib import Path
from typing import Any

import pytest

from support.either_editor import BOTH_WITH_CLI, Editor, happened, status_line
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import until
from support.permissions import enter, follow, shown
from support.vim import Vim

from .conftest import begin, diff_opened

pytestmark = BOTH_WITH_CLI

SECONDS = 1


@pytest.fixture
def options() -> dict[str, Any]:
    return {"attention": {"seconds": SECONDS}}


@pytest.fixture
async def nvim(nvim_with_cli: Editor) -> Editor:
    """An editor that shows `path`, with a CLI in a terminal that asks before it changes a file."""
    await follow(nvim_with_cli)
    await begin(nvim_with_cli, "default")
    return nvim_with_cli


async def prompt(nvim: Editor, words: str) -> None:
    """Type a prompt into the CLI, and go to the file."""
    await nvim.keys(words)
    await until(lambda: words in nvim.screen.text(), "the prompt is typed")
    await nvim.keys(r"<CR><C-w>p" if isinstance(nvim, Vim) else r"<CR><C-\><C-n><C-w>p")
    await until(lambda: nvim.eval("&buftype == ''"), "the user is in the file")


async def called(nvim: Editor, *words: str) -> None:
    """Wait until exactly these messages were shown."""

    async def calls() -> list[str]:
        lines = str(await nvim.eval("execute('messages')")).splitlines()
        found = [line.partition("claude-ide: ")[2] for line in lines]
        return [each for each in found if each.startswith("Claude") and ": " in each]

    async def are_shown() -> bool:
        return await calls() == [*words]

    await until(are_shown, f"{words}; there is {await calls()}")


async def waits(nvim: Editor, needs: str) -> None:
    """Wait until the status line and the sessions say that the CLI waits, and for what."""

    async def is_known() -> bool:
        (session,) = await nvim.eval("claude_ide#sessions()") or [{}]
        waiting = session.get("state"), session.get("needs")
        return waiting == ("waits", needs) and "wants you" in await status_line(nvim)

    await until(is_known, f"it waits: {needs}")


async def test_a_permission_and_the_end_of_the_turn_call(
    nvim: Editor, api: FakeApi, project: Path
) -> None:
    use = tool_use("Bash", command="touch made", description="Do it")
    api.script([use], [text("All done.")])
    asks = "Claude asks: Bash touch made · :ClaudeAnswer"

    await prompt(nvim, "Go on")

    await shown(nvim, "touch made")
    await called(nvim, asks)
    await enter(nvim)
    await nvim.keys("y")
    await until(lambda: (project / "made").exists(), "the command runs")
    await called(nvim, asks, "Claude: done, 1 file +0 \N{MINUS SIGN}0 · :ClaudeReview")


async def test_a_question_and_an_edit_call(nvim: Editor, api: FakeApi, path: Path) -> None:
    options = [{"label": name, "description": name} for name in ("Otter", "Seal")]
    question = {"question": "Which animal?", "header": "Animal", "options": options}
    asked = tool_use("AskUserQuestion", questions=[question | {"multiSelect": False}])
    api.script([asked], *edit(path, "two", "TWO", then="All done."))
    asks = "Claude asks: Which animal? · :ClaudeFocus"

    await prompt(nvim, "Ask me")
    await called(nvim, asks)
    await waits(nvim, "input needed")
    await nvim.keys("<C-w>p" if isinstance(nvim, Vim) else "<C-w>pi")
    await until(lambda: "Otter" in nvim.screen.text(), "the dialog")
    await nvim.keys("<CR>")

    await diff_opened(nvim)
    await called(nvim, asks, "Claude Code asks: edit of a.py")
    await waits(nvim, "permission prompt")
    await nvim.keys(":write<CR>")
    await until(lambda: path.read_text() == "one\nTWO\n", "the CLI writes the file")
    assert await happened(nvim, "ClaudeDiffOpened") == 1
