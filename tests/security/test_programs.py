"""Programs are found on PATH, but never in the current folder."""

import subprocess
from pathlib import Path

import pytest

from support.checkout import program
from support.either_editor import BOTH, Editor, run
from support.vim import Vim

pytestmark = BOTH


@pytest.mark.parametrize("path", ["", ".", "bin", "./bin"])
async def test_an_entry_of_path_that_is_not_absolute_is_skipped(
    nvim: Editor, project: Path, tmp_path: Path, path: str
) -> None:
    program(project / "claude", "true")
    program(project / "bin/claude", "true")
    real = program(tmp_path / "real/claude", "true")

    await nvim.command(f"let $PATH = '{path}:/nowhere'")
    assert not await run(nvim, "system.program.find", "claude")

    await nvim.command(f"let $PATH = '{path}:{real.parent}'")
    assert await run(nvim, "system.program.find", "claude") == str(real)


async def test_a_folder_that_is_named_relatively_is_not_in_the_project(
    nvim: Editor, project: Path, tmp_path: Path
) -> None:
    """A trust, or a Python, that the project brings is not used."""
    await nvim.command("let [$XDG_STATE_HOME, $XDG_DATA_HOME] = ['state', 'data']")
    home, own = await nvim.eval("$HOME"), "" if isinstance(nvim, Vim) else "nvim/"

    assert await run(nvim, "messages.log.path") == (
        f"{home}/.local/state/{own}claude_ide/claude_ide.log"
    )
    assert await run(nvim, "claude_ide#editor#Folder", "state") == (
        f"{home}/.local/state/{own}claude_ide"
    )
    assert await run(nvim, "claude_ide#python#Own") == f"{home}/.local/share/{own}claude_ide/venv"


def add_worktree(project: Path, name: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (
        ("init", "-q"),
        (*identity, "commit", "-q", "--allow-empty", "-m", "one"),
        ("worktree", "add", "-q", "-b", "work", f".claude/worktrees/{name}"),
    ):
        subprocess.run(["git", *words], cwd=project, check=True)


@pytest.mark.parametrize("command", ["ClaudeReview a", "ClaudeMerge a"])
async def test_a_name_that_is_completed_begins_no_command(
    nvim: Editor, project: Path, command: str
) -> None:
    name = "a|call writefile([], 'ran')|"
    (project / name).touch()
    add_worktree(project, name)
    (project / "a\ncall writefile([], 'ran')").touch()

    completed = "a\\|call\\ writefile([],\\ 'ran')\\|"
    if command == "ClaudeReview a":
        completed = await nvim.eval(f'fnameescape("{name}")')
    assert completed in await nvim.eval(f"getcompletion('{command}', 'cmdline')")
    # Such as the modes of an agent.
    modes = ["m|x", "m\ny", "m|x", "m n"]
    assert await run(nvim, "claude_ide#arguments#Names", modes, "m") == ["m\\|x", "m\\ n"]
    for tabs in range(1, 4):
        await nvim.keys(f":{command}{'<Tab>' * tabs}<CR>")
        await nvim.keys("<Esc>")

    assert not (project / "ran").exists()


async def test_the_names_of_worktrees_come_from_no_git_of_the_project(
    nvim: Editor, project: Path, tmp_path: Path
) -> None:
    program(project / "git", f"touch {tmp_path}/ran")

    await nvim.command("let $PATH = '.:' .. $PATH | call getcompletion('ClaudeMerge ', 'cmdline')")

    assert not (tmp_path / "ran").exists()
