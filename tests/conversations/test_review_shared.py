"""Two editors on one folder see one review."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.either_editor import BOTH, Editor, configure
from support.happenings import HookedCli, follow
from support.neovim import Neovim, until
from support.reviews import Agent, make_repository, prompted_cli

pytestmark = BOTH

BEFORE = "one\ntwo\nthree\nfour\nfive\n"
AFTER = "one\nTWO\nthree\nfour\nFIVE\n"
PROMPT_SECONDS = 1.5
"""Within a second, and a moment for the test."""


@pytest.fixture
async def other(nvim: Editor, path: Path, tmp_path: Path) -> AsyncIterator[Neovim]:
    """A Neovim that has the same file open, beside the editor, and serves."""
    path.write_text(BEFORE)
    make_repository(path.parent)
    await nvim.command("edit")
    other = await Neovim.start(cwd=path.parent, home=tmp_path / "home")
    await other.command(f"edit {path} | ClaudeStart!")
    yield other
    await other.stop()


@pytest.fixture
async def agent(nvim: Editor, other: Neovim, path: Path, tmp_path: Path) -> Agent:
    """A CLI in the terminal of the editor."""
    cli = prompted_cli(tmp_path)
    await configure(nvim, cmd=str(cli))
    await follow(nvim)
    await nvim.command("Claude")
    started = await HookedCli.started(cli.with_name("cli-1.json"))
    await nvim.command("stopinsert | wincmd t")
    return Agent(started, path.parent)


async def waits(nvim: Editor, hunks: int, *remarks: str, seconds: float = PROMPT_SECONDS) -> None:
    """Wait until the editor knows so many hunks, and these remarks."""

    async def found() -> bool:
        review: Any = await nvim.eval("claude_ide#review()")
        count = sum(len(each["hunks"]) for each in review["files"])
        words = [f"{each['state']} {each['words']}" for each in review["remarks"]]
        return (count, words) == (hunks, [*remarks])

    await until(found, f"{hunks} hunks and {remarks}", seconds)


async def test_two_editors_see_one_state_within_a_second(
    nvim: Editor, other: Neovim, path: Path, agent: Agent
) -> None:
    await agent.write({path: AFTER})
    await waits(nvim, 2)
    await waits(other, 2)

    await other.command("checktime | 2ClaudeKeep")
    await waits(other, 1)
    await waits(nvim, 1)
    await nvim.command("5ClaudeRevert")
    await waits(nvim, 0)
    await waits(other, 0)
    await until(lambda: path.read_text() == AFTER.replace("FIVE", "five"), "it is reverted")
    await nvim.command("3ClaudeComment why?")
    await waits(other, 0, "open why?")
    await other.command("3ClaudeComment why not?")
    await waits(nvim, 0, "open why not?")
    await nvim.command("3ClaudeComment!")
    await waits(other, 0)
    await other.command("ClaudeReview undo")
    await waits(nvim, 1)
