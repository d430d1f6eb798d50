"""`headless/commit.py`: what Git tells, of which repository, and how much of it."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from claude_ide.errors import UserError
from claude_ide.headless.commit import Git
from claude_ide.headless.requests import CommitRequest
from support.checkout import program
from support.neovim import WAIT


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one file, which is staged."""
    folder = tmp_path / "repository"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / "a.txt").write_text("".join(f"line {n}\n" for n in range(1000)))
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    return folder


async def test_the_folder_says_which_repository(repository: Path) -> None:
    git = Git(CommitRequest(1, str(repository)))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_the_messages_file_says_it_first(repository: Path, tmp_path: Path) -> None:
    git = Git(CommitRequest(1, str(tmp_path), str(repository / ".git" / "COMMIT_EDITMSG")))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_a_message_elsewhere_says_nothing_of_it(repository: Path) -> None:
    git = Git(CommitRequest(1, str(repository), "fugitive://x/COMMIT_EDITMSG"))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_the_index_of_a_commit_of_files_is_found_from_anywhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git commit -a` names an index that is seen from the folder it began in."""
    (repository / ".git/index").rename(repository / ".git/next-index-1.lock")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    git = Git(CommitRequest(1, str(tmp_path), str(repository / ".git" / "COMMIT_EDITMSG")))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_an_index_of_another_repository_is_left_out(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    git = Git(CommitRequest(1, str(repository), str(repository / ".git" / "COMMIT_EDITMSG")))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_what_is_too_long_is_cut_at_a_line(repository: Path) -> None:
    said = await Git(CommitRequest(1, str(repository))).read("diff", "--cached", most=1000)

    *lines, last = said.split("\n")
    assert last == "(cut)"
    assert len("\n".join(lines)) <= 1000
    assert lines[-1].startswith("+line ")


async def test_a_refusal_is_one_line_or_nothing(tmp_path: Path) -> None:
    git = Git(CommitRequest(1, str(tmp_path)))

    with pytest.raises(UserError, match=r"^not a git repository"):
        await git.read("log")
    assert await git.try_read("log") == ""


async def test_warnings_hold_up_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "git", "printf '%1000000d' 0 >&2; echo said")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    async with asyncio.timeout(WAIT):
        assert await Git(CommitRequest(1, str(tmp_path))).read("log") == "said"


async def test_a_missing_git_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UserError, match="git cannot be run"):
        await Git(CommitRequest(1, str(tmp_path))).read("log")
