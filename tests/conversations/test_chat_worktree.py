"""`:ClaudeChat new {agent} --worktree={name}` in a real Neovim, with git and a fake agent."""

from pathlib import Path

import pytest

from support.acp.chatting import TRUST, press
from support.acp.script import Make, Script
from support.either_editor import on_screen
from support.neovim import Neovim, until
from support.panel import CONFIGURE, Panel
from support.worktrees import git, make_trunk


@pytest.fixture
def repository(project: Path) -> Path:
    (project / "a.txt").write_text("one\n")
    make_trunk(project)
    return project


async def test_an_agent_begins_in_a_worktree_that_is_made(
    nvim: Neovim, repository: Path, fake_agent: Make
) -> None:
    fake = fake_agent(Script())
    await nvim.lua(CONFIGURE, {"agents": {"fake": {"cmd": [*fake.command]}}})

    for _ in range(2):
        await nvim.command("ClaudeChat new fake --worktree=fish")
        panel = Panel(nvim)
        root = repository / ".claude/worktrees/fish"
        await until(lambda: (root / "a.txt").is_file(), "the worktree")  # noqa: B023
        _, made = git(repository, "worktree", "list", "--porcelain").split("\n\n")
        assert "branch refs/heads/worktree-fish" in made
        if not fake.received("session/new"):
            await panel.shows(TRUST)
            await press(panel, TRUST, "y")
        await panel.wait_until_ready()
    folders = [each["cwd"] for each in fake.received("session/new")]
    assert folders == [str(root)] * len(folders)


async def test_two_chats_begin_at_once_in_a_worktree_that_is_made(
    nvim: Neovim, repository: Path, fake_agent: Make
) -> None:
    await nvim.lua(CONFIGURE, {"agents": {"fake": {"cmd": [*fake_agent(Script()).command]}}})
    begin = "ClaudeChat new fake --worktree=fish"

    await nvim.command(f"{begin} | {begin}")

    chats = 'len(filter(getbufinfo(), \'getbufvar(v:val.bufnr, "&filetype") ==# "claude-chat"\'))'
    await until(lambda: nvim.eval(f"{chats} == 2"), "two chats")
    assert "worktree-fish" in git(repository, "worktree", "list")


async def test_a_branch_that_is_there_is_used_as_it_is(
    nvim: Neovim, repository: Path, fake_agent: Make
) -> None:
    git(repository, "checkout", "-q", "-b", "worktree-fish")
    git(repository, "commit", "-q", "--allow-empty", "-m", "earlier")
    git(repository, "checkout", "-q", "trunk")
    await nvim.lua(CONFIGURE, {"agents": {"fake": {"cmd": [*fake_agent(Script()).command]}}})

    await nvim.command("ClaudeChat new fake --worktree=fish")

    root = repository / ".claude/worktrees/fish"
    await until(lambda: (root / "a.txt").is_file(), "the worktree")
    assert git(root, "log", "-1", "--format=%s") == "earlier"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("../fish", "git refuses a branch with this name: ../fish"),
        ("a b", "not a name for a worktree: a b"),
        ("fish.lock", "git refuses a branch with this name: fish.lock"),
    ],
)
async def test_a_name_that_git_would_refuse_is_refused(
    nvim: Neovim, repository: Path, fake_agent: Make, name: str, problem: str
) -> None:
    await nvim.lua(CONFIGURE, {"agents": {"fake": {"cmd": [*fake_agent(Script()).command]}}})

    await nvim.command(f"ClaudeChat new fake --worktree={name}")

    await on_screen(nvim, problem)
    assert await nvim.eval("winnr('$')") == 1
    assert not (repository / ".claude").exists()


async def test_a_folder_without_git_is_named(nvim: Neovim, project: Path, fake_agent: Make) -> None:
    await nvim.lua(CONFIGURE, {"agents": {"fake": {"cmd": [*fake_agent(Script()).command]}}})

    await nvim.command("ClaudeChat new fake --worktree=fish")

    await on_screen(nvim, "there is no git repository for a worktree")


async def test_a_branch_in_use_is_refused_in_the_words_of_git(
    nvim: Neovim, repository: Path, fake_agent: Make
) -> None:
    git(repository, "checkout", "-q", "-b", "worktree-fish")
    await nvim.lua(CONFIGURE, {"agents": {"fake": {"cmd": [*fake_agent(Script()).command]}}})

    await nvim.command("ClaudeChat new fake --worktree=fish")

    await on_screen(nvim, "fatal: 'worktree-fish' is already")


async def test_the_option_and_the_names_are_completed(nvim: Neovim, repository: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "x", str(repository / ".claude/worktrees/fish"))

    async def completed(line: str) -> list[str]:
        return list(await nvim.eval(f"getcompletion('ClaudeChat {line}', 'cmdline')"))

    assert "--worktree=" in await completed("new ")
    assert await completed("new codex ") == ["--worktree="]
    assert await completed("new codex --worktree=f") == ["--worktree=fish"]
    assert await completed("new --worktree=x") == []


async def test_an_unknown_agent_is_named(nvim: Neovim, repository: Path) -> None:
    await nvim.command("ClaudeChat new 'otter' --worktree fish")

    await on_screen(nvim, 'there is no agent "otter"')
    assert not (repository / ".claude").exists()
