"""`:ClaudeCommit` in Vim, from the staged changes to the message."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.either_editor import configure, hidden, on_screen
from support.fake_headless import FakeHeadless
from support.headless import holds, lines
from support.neovim import until
from support.vim import Vim

COMMENTS = "# Please enter the commit message\n# On branch main\n"


@pytest.fixture
async def claude() -> AsyncIterator[FakeHeadless]:
    """The CLI, played by the test."""
    async with FakeHeadless.serve() as claude:
        yield claude


@pytest.fixture
def git(project: Path) -> Any:
    """Runs git in the project, which is a repository with one commit."""

    def run(*arguments: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *arguments], cwd=project, check=True, capture_output=True)

    run("init", "-q")
    (project / "a.txt").write_text("old\n")
    run("add", ".")
    run("commit", "-qm", "feat: begin")
    return run


@pytest.fixture
async def committing(vim: Vim, claude: FakeHeadless, git: Any, project: Path) -> Vim:
    """A Vim that starts that CLI, in a repository with a staged change."""
    (project / "a.txt").write_text("new\n")
    git("add", ".")
    await configure(vim, cmd=claude.command)
    return vim


async def open_message(vim: Vim, project: Path, text: str) -> None:
    """Open a commit message in Vim as git prepares it."""
    (project / ".git/COMMIT_EDITMSG").write_text(text)
    await vim.command("edit .git/COMMIT_EDITMSG")
    assert await vim.eval("&filetype") == "gitcommit"


async def test_the_message_waits_until_the_user_has_left_insert_mode(
    committing: Vim, claude: FakeHeadless, project: Path
) -> None:
    await open_message(committing, project, "\n" + COMMENTS)
    await committing.keys(":ClaudeCommit<CR>imi")
    asked = await claude.asked()
    asked.fit({"message": "feat: go on\n\nBecause.\n"})
    await asked.wait_for_end()
    await committing.idle(300)
    await on_screen(committing, "Claude is writing")
    assert await lines(committing) == ["mi", *COMMENTS.splitlines()]

    await committing.keys("ne<Esc>")

    expected = ["mine", "", "feat: go on", "", "Because.", "", *COMMENTS.splitlines()]
    await until(lambda: holds(committing, expected))
    await hidden(committing, "Claude is writing")
