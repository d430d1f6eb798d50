"""Calls that take longer than the CLI waits for them: it sends them to the background."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor, choose_item
from support.fake_api import FakeApi, edit, text, tool_use
from support.neovim import until

from .conftest import StartWithCli, begin, diff_opened

WAITS_MS = 300
LONGER_MS = 2000

pytestmark = BOTH


@pytest.fixture
async def nvim(
    request: pytest.FixtureRequest, start_with_cli: StartWithCli, cli: Path, path: Path
) -> Editor:
    """An editor whose CLI soon sends a call of a server's tool to the background."""
    more = {"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS": str(WAITS_MS)}
    return await start_with_cli(request, cli, path=path, more=more)


async def shows(nvim: Editor, words: str) -> None:
    await until(lambda: words in nvim.screen.text(), words)


async def test_a_proposal_waits_for_the_user(nvim: Editor, api: FakeApi, path: Path) -> None:
    api.script(*edit(path, "two", "TWO", then="All done."))
    await begin(nvim, "default")
    await nvim.keys("Shout<CR>")
    await diff_opened(nvim)

    await nvim.idle(LONGER_MS)
    assert len(api.requests) == 2
    await nvim.keys(":w<CR>")

    await shows(nvim, "All done.")
    assert path.read_text() == "one\nTWO\n"
    assert "updated successfully" in api.requests[2].new_text


async def test_a_question_can_be_answered_later_and_the_model_gets_the_answer(
    nvim: Editor, api: FakeApi
) -> None:
    await nvim.command("set makeprg=echo\\ built")
    api.script([tool_use("mcp__neovim__make")], [text("It waits.")], [text("It is built.")])
    await begin(nvim, "default")
    await nvim.keys("Build it<CR>")
    await shows(nvim, "wants to run: echo built")
    await until(lambda: len(api.requests) == 2, "the CLI goes on without it")

    await choose_item(nvim, "Run echo built")

    await shows(nvim, "It is built.")
    assert "echo built: exit code 0" in str(api.requests[2].body["messages"])
