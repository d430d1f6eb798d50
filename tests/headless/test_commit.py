"""`headless/commit.py`: git's output, the repository that it is from, and its limit."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from claude_ide.base.errors import UserError
from claude_ide.editor.port.prompts import CommitRequest
from claude_ide.headless.commit import Git, inserted
from support.checkout import program
from support.neovim import WAIT_SECONDS


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one staged file."""
    folder = tmp_path / "repository"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    (folder / "a.txt").write_text("".join(f"line {n}\n" for n in range(1000)))
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    return folder


async def test_the_working_folder_determines_the_repository(repository: Path) -> None:
    git = Git(CommitRequest(1, str(repository)))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_the_repository_of_the_message_file_has_priority(
    repository: Path, tmp_path: Path
) -> None:
    git = Git(CommitRequest(1, str(tmp_path), str(repository / ".git" / "COMMIT_EDITMSG")))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_a_message_that_is_not_a_file_does_not_determine_the_repository(
    repository: Path,
) -> None:
    git = Git(CommitRequest(1, str(repository), "fugitive://x/COMMIT_EDITMSG"))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_the_temporary_index_of_a_commit_is_found_from_any_folder(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git commit -a` passes the path of its index relative to the folder where it was started."""
    (repository / ".git/index").rename(repository / ".git/next-index-1.lock")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    git = Git(CommitRequest(1, str(tmp_path), str(repository / ".git" / "COMMIT_EDITMSG")))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_an_index_of_another_repository_is_ignored(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    git = Git(CommitRequest(1, str(repository), str(repository / ".git" / "COMMIT_EDITMSG")))

    assert await git.read("diff", "--cached", "--name-only") == "a.txt"


async def test_long_output_is_cut_at_the_end_of_a_line(repository: Path) -> None:
    output = await Git(CommitRequest(1, str(repository))).read("diff", "--cached", most=1000)

    *lines, last = output.split("\n")
    assert last == "(cut)"
    assert len("\n".join(lines)) <= 1000
    assert lines[-1].startswith("+line ")


async def test_an_error_of_git_is_one_line_or_an_empty_result(tmp_path: Path) -> None:
    git = Git(CommitRequest(1, str(tmp_path)))

    with pytest.raises(UserError, match=r"^not a git repository"):
        await git.read("log")
    assert await git.try_read("log") == ""


async def test_long_warnings_do_not_block_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "git", "printf '%1000000d' 0 >&2; echo said")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    async with asyncio.timeout(WAIT_SECONDS):
        assert await Git(CommitRequest(1, str(tmp_path))).read("log") == "said"


async def test_a_missing_git_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UserError, match="git cannot be run"):
        await Git(CommitRequest(1, str(tmp_path))).read("log")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([""], "M"),
        (["", "# c"], "M||# c"),
        (["", "", "", "# c"], "M||# c"),
        (["# c"], "M||# c"),
        (["", "Signed-off-by: A", "", "# c"], "M||Signed-off-by: A||# c"),
        (["", "Change-Id: I1", "Signed-off-by: A"], "M||Change-Id: I1|Signed-off-by: A"),
        (["mine"], "mine||M"),
        (["mine", "", "more", "# c"], "mine||more||M||# c"),
        (["mine", "", "", "Signed-off-by: A"], "mine||M||Signed-off-by: A"),
    ],
)
def test_a_message_comes_below_the_users_text_and_above_trailers_and_comments(
    before: list[str], after: str
) -> None:
    assert inserted(before, ["M"], "#") == after.split("|")


def test_the_repository_sets_the_comment_character() -> None:
    assert inserted(["# mine", "", "; c"], ["M"], ";") == ["# mine", "", "M", "", "; c"]
