"""`:ClaudeCommit` in Vim, from the staged changes to the message."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from support.fake_headless import FakeHeadless
from support.neovim import until
from support.vim import Vim
from support.vim_questions import answers_with, hidden, holds, lines, shown

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
    await answers_with(vim, claude)
    return vim


async def open_message(vim: Vim, project: Path, text: str) -> None:
    """Open a commit message in Vim as git prepares it."""
    (project / ".git/COMMIT_EDITMSG").write_text(text)
    await vim.command("edit .git/COMMIT_EDITMSG")
    assert await vim.eval("&filetype") == "gitcommit"


async def message(claude: FakeHeadless) -> None:
    """Answer the request with a commit message."""
    (await claude.asked()).fit({"message": "feat: go on\n\nBecause.\n"})


async def test_the_prompt_contains_the_staged_diff(
    committing: Vim, claude: FakeHeadless, project: Path
) -> None:
    await open_message(committing, project, "\n" + COMMENTS)
    await committing.keys(":ClaudeCommit<CR>")

    asked = await claude.asked()

    for words in ("-old\n+new", "feat: begin", "a.txt | 2 +-"):
        assert words in asked.prompt
    await shown(committing, "Claude is writing")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n" + COMMENTS, "M\n" + COMMENTS),
        (COMMENTS, "M\n" + COMMENTS),
        ("", "M"),
        ("mine\n\n" + COMMENTS, "mine\n\nM\n" + COMMENTS),
        ("mine\n" + COMMENTS, "mine\n\nM\n" + COMMENTS),
        (
            "\n\nSigned-off-by: A <a@b>\n\n" + COMMENTS,
            "M\nSigned-off-by: A <a@b>\n\n" + COMMENTS,
        ),
        (
            "\n# ------------------------ >8 ------------------------\n# Do\ndiff --git a b\n",
            "M\n# ------------------------ >8 ------------------------\n# Do\ndiff --git a b\n",
        ),
    ],
    ids=["empty", "comments", "nothing", "text", "text, tight", "trailers", "scissors"],
)
async def test_the_message_is_inserted_above_the_comments(
    committing: Vim, claude: FakeHeadless, project: Path, before: str, after: str
) -> None:
    await open_message(committing, project, before)
    await committing.keys(":ClaudeCommit<CR>")
    await message(claude)

    expected = after.replace("M\n", "feat: go on\n\nBecause.\n\n").rstrip("\n")
    expected = expected.replace("M", "feat: go on\n\nBecause.")
    await until(lambda: holds(committing, expected.split("\n")), expected)
    await hidden(committing, "Claude is writing")
    await committing.keys("u")
    await until(lambda: holds(committing, before.rstrip("\n").split("\n")))


async def test_the_message_waits_until_the_user_has_left_insert_mode(
    committing: Vim, claude: FakeHeadless, project: Path
) -> None:
    await open_message(committing, project, "\n" + COMMENTS)
    await committing.keys(":ClaudeCommit<CR>imi")
    await message(claude)
    await shown(committing, "Claude has written a message: leave Insert mode")
    assert await lines(committing) == ["mi", *COMMENTS.splitlines()]

    await committing.keys("ne<Esc>")

    expected = ["mine", "", "feat: go on", "", "Because.", "", *COMMENTS.splitlines()]
    await until(lambda: holds(committing, expected))
    await hidden(committing, "Claude has written")


async def test_the_message_is_inserted_even_if_its_window_is_not_the_current_one(
    committing: Vim, claude: FakeHeadless, project: Path
) -> None:
    await open_message(committing, project, "\n" + COMMENTS)
    bufnr = await committing.eval("bufnr()")
    await committing.keys(":new | ClaudeCommit<CR>i")
    await message(claude)

    await until(lambda: committing.eval(f"getbufline({bufnr}, 1) == ['feat: go on']"))
    assert await lines(committing) == [""]


async def test_without_an_open_commit_message_a_window_shows_the_message(
    committing: Vim, claude: FakeHeadless
) -> None:
    await committing.keys(":ClaudeCommit<CR>")
    await message(claude)

    await until(lambda: holds(committing, ["feat: go on", "", "Because."]))
    await shown(committing, "Commit message")


async def test_an_empty_index_is_reported(committing: Vim, git: Any, project: Path) -> None:
    git("commit", "-qm", "x")
    await open_message(committing, project, "\n" + COMMENTS)

    await committing.keys(":ClaudeCommit<CR>")

    await shown(committing, "claude-ide: nothing is staged")
    await hidden(committing, "Claude is writing")


async def test_claude_commit_with_a_bang_stops_the_request(
    committing: Vim, claude: FakeHeadless, project: Path
) -> None:
    await open_message(committing, project, "\n" + COMMENTS)
    await committing.keys(":ClaudeCommit<CR>")
    asked = await claude.asked()
    await shown(committing, "Claude is writing")

    await committing.keys(":ClaudeCommit!<CR>")

    await asked.wait_for_end()
    await hidden(committing, "Claude is writing")
