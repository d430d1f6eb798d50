"""What the hunks of a file are compared with, in either editor."""

from pathlib import Path

import pytest

from support.either_editor import BOTH, Editor
from support.neovim import until
from support.reviewing import drawn
from support.reviews import Agent, git, make_repository, put, start_cli

pytestmark = BOTH

BEFORE = "one\ntwo\nthree\nfour\nfive\n"
TWO = BEFORE.replace("two", "TWO")
BOTH_HUNKS = "2-two", "2+1", "5-five", "5+1"


@pytest.fixture
async def agent(nvim: Editor, path: Path, tmp_path: Path) -> Agent:
    """A CLI in the terminal of `:Claude`; the user is in the file, in a repository."""
    put(path, BEFORE)
    put(path.with_name("b.txt"), BEFORE)
    make_repository(path.parent)
    return Agent(await start_cli(nvim, tmp_path), path.parent)


async def waits(nvim: Editor, *expected: str) -> None:
    """Wait until these hunks wait in `review()`: name and first line."""

    async def do_wait() -> bool:
        files = await nvim.eval("claude_ide#review().files")
        found = [f"{Path(each['path']).name}:{h['first']}" for each in files for h in each["hunks"]]
        return sorted(found) == [*expected]

    await until(do_wait, f"{expected} wait")


async def compare(nvim: Editor, base: str) -> None:
    """Compare with another base: the list has the cursor."""
    await nvim.keys(f":ClaudeReview {base}\r")
    await until(lambda: nvim.eval("&buftype == 'quickfix'"), "the list")


async def test_the_users_lines_do_not_wait_after_a_revert_of_another_base(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await agent.write({path: TWO})
    await drawn(nvim, "2-two", "2+1")
    await nvim.command("ClaudeKeep!")
    await drawn(nvim)
    await compare(nvim, "base HEAD")
    await nvim.keys("\x17pggOmine\x1b")
    await drawn(nvim, "1+1", "3-two", "3+1")

    await nvim.command("3ClaudeRevert")
    await drawn(nvim, "1+1")
    await waits(nvim)
    # A revert takes the keep back: its undo has the hunk wait again.
    await nvim.keys("u")
    await drawn(nvim, "1+1", "3-two", "3+1")
    await waits(nvim, f"{path.name}:3")
    assert path.read_text() == TWO
    await nvim.command("3ClaudeRevert")
    await drawn(nvim, "1+1")
    await nvim.command("write")
    assert b"-TWO\\n+two" in await agent.prompt()


@pytest.mark.parametrize("is_kept", [False, True])
@pytest.mark.parametrize("base", ["turn", "session", "base HEAD"])
async def test_new_and_deleted_files_are_reverted_with_another_base(
    nvim: Editor, path: Path, agent: Agent, base: str, is_kept: bool
) -> None:
    new, gone = path.with_name("new.txt"), path.with_name("b.txt")
    await agent.write({new: "new\n", gone: None})
    if is_kept:
        await nvim.command("ClaudeKeep all")
        await until(lambda: nvim.eval("empty(claude_ide#review().files)"), "all is kept")
    await compare(nvim, base)

    # Nobody is asked: they are as the agent has left them.
    await nvim.keys("ggVGx")
    await until(lambda: not new.exists() and gone.exists(), "they are reverted")
    assert gone.read_text() == BEFORE
    await until(lambda: nvim.eval("empty(claude_ide#review().files)"))
    await nvim.keys("u")
    await until(lambda: new.exists() and not gone.exists(), "they are back")
    await until(lambda: nvim.eval("len(getqflist()) == 2"), "the list has them")
    await nvim.keys("ggVGx")
    await until(lambda: not new.exists() and gone.exists(), "they are reverted again")
    await until(lambda: nvim.eval("empty(claude_ide#review().files)"), "that is known")
    told = await agent.prompt()
    assert b"new.txt:\\n-new" in told and b"b.txt:\\n+one" in told


async def test_what_the_user_has_made_is_not_deleted_unasked_with_another_base(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    await agent.write({path: TWO})
    own = path.with_name("own.txt")
    put(own, "mine\n")
    await compare(nvim, "base HEAD own.txt")
    await nvim.keys("x")
    await until(lambda: "own.txt has changed since" in nvim.screen.text(), "the question")
    assert own.exists()


async def test_a_commit_keeps_the_hunks_that_it_contains(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    text = BEFORE.replace("two", "TWO").replace("four\n", "").replace("five", "FIVE")
    await agent.write({path: text, path.with_name("b.txt"): TWO})
    await waits(nvim, "a.py:2", "a.py:4", "b.txt:2")
    half = text.replace("TWO", "two")
    await nvim.command("set noautoread")
    put(path, half)
    git(path.parent, "add", "a.py")
    put(path, text)

    git(path.parent, "commit", "-qm", "half")
    await waits(nvim, "a.py:2", "b.txt:2")
    await nvim.keys(":ClaudeReview undo\r")
    await waits(nvim, "a.py:2", "a.py:4", "b.txt:2")
    # Another commit contains nothing new.
    git(path.parent, "commit", "-qm", "z", "b.txt")
    await waits(nvim, "a.py:2", "a.py:4")


async def test_what_git_takes_away_and_brings_back_is_followed(
    nvim: Editor, path: Path, agent: Agent
) -> None:
    other = path.with_name("b.txt")
    await agent.write({path: BEFORE.replace("two", "TWO").replace("five", "FIVE"), other: TWO})
    await drawn(nvim, *BOTH_HUNKS)
    await waits(nvim, "a.py:2", "a.py:5", "b.txt:2")

    git(path.parent, "stash")
    await waits(nvim)
    git(path.parent, "stash", "pop")
    await waits(nvim, "a.py:2", "a.py:5", "b.txt:2")
    git(path.parent, "checkout", "b.txt")
    await waits(nvim, "a.py:2", "a.py:5")
    # No buffer has it, and git does not know.
    put(path, TWO)
    await nvim.keys(":ClaudeReview\r")
    await waits(nvim, "a.py:2")
