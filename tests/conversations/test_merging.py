"""`:ClaudeMerge` in a real Neovim and a real Vim, with a real git."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.checkout import program
from support.either_editor import (
    BOTH,
    Editor,
    choose_item,
    configure,
    dismiss,
    hidden,
    on_screen,
    type_answer,
)
from support.fake_headless import FakeHeadless
from support.neovim import Neovim, until
from support.session_records import Records
from support.worktrees import git, make_trunk

pytestmark = BOTH


@pytest.fixture
def records(config_folder: Path) -> Records:
    return Records(config_folder)


@pytest.fixture
def other() -> Iterator[int]:
    """The id of another process that runs."""
    with subprocess.Popen(["sleep", "1000"]) as process:
        yield process.pid
        process.kill()


@pytest.fixture
def root(project: Path) -> Path:
    """A worktree of the project with one commit."""
    (project / "a.txt").write_text("one\n")
    make_trunk(project)
    root = project / ".claude/worktrees/fish"
    git(project, "worktree", "add", "-q", "-b", "worktree-fish", str(root))
    (root / "a.txt").write_text("fish\n")
    git(root, "commit", "-qam", "change a")
    return root


async def merge(editor: Editor, words: str, choice: str) -> None:
    """Run `:ClaudeMerge fish`, and choose once these words of it are on the screen."""
    await editor.command("ClaudeMerge fish")
    await on_screen(editor, words)
    await choose_item(editor, choice)


async def test_a_worktree_is_merged_and_removed(nvim: Editor, root: Path, project: Path) -> None:
    await merge(nvim, "fish → trunk: 1 commit (change a)", "Merge")
    await on_screen(nvim, "Remove the worktree and its branch worktree-fish?")
    await choose_item(nvim, "Remove them")

    await on_screen(nvim, "fish is removed with its branch worktree-fish")
    assert (project / "a.txt").read_text() == "fish\n"
    assert not root.exists()
    assert "fish" not in git(project, "branch")


async def test_uncommitted_work_is_committed_with_a_message(
    nvim: Editor, root: Path, project: Path
) -> None:
    (root / "loose.txt").write_text("x\n")
    await merge(nvim, "1 uncommitted file (loose.txt)", "Merge")
    await on_screen(nvim, "Commit it:")
    await choose_item(nvim, "With a message of your own")
    await on_screen(nvim, "Message of the commit:")

    await type_answer(nvim, "<C-u>add loose<CR>")

    await on_screen(nvim, "Remove the worktree")
    await choose_item(nvim, "Keep them")
    assert git(root, "log", "-1", "--format=%s") == "add loose"
    assert (project / "loose.txt").read_text() == "x\n"
    assert root.exists()


async def test_the_message_of_uncommitted_work_is_written_by_claude(
    nvim: Editor, root: Path, project: Path
) -> None:
    (root / "loose.txt").write_text("x\n")
    async with FakeHeadless.serve() as claude:
        await configure(nvim, cmd=claude.command)
        await nvim.command("ClaudeMerge fish")
        await on_screen(nvim, "fish → trunk: 1 commit")
        await choose_item(nvim, "Merge")
        await on_screen(nvim, "Commit it:")
        await choose_item(nvim, "With a message by :ClaudeCommit")
        asked = await claude.asked()
        assert "+x" in asked.prompt
        assert "loose.txt" in asked.prompt
        asked.fit({"message": "feat: be loose\n\nBecause.\n"})
        await on_screen(nvim, "feat: be loose")
        await type_answer(nvim, "<CR>")

        await on_screen(nvim, "Remove the worktree")

    assert git(root, "log", "-1", "--format=%B") == "feat: be loose\n\nBecause."


async def test_without_an_answer_the_user_writes_the_message(nvim: Editor, root: Path) -> None:
    (root / "loose.txt").write_text("x\n")
    async with FakeHeadless.serve() as claude:
        await configure(nvim, cmd=claude.command)
        await nvim.command("ClaudeMerge fish")
        await on_screen(nvim, "fish → trunk: 1 commit")
        await choose_item(nvim, "Merge")
        await on_screen(nvim, "Commit it:")
        await choose_item(nvim, "With a message by :ClaudeCommit")
        (await claude.asked()).fail("overloaded")
        await on_screen(nvim, "Add the work of fish")
        await type_answer(nvim, "<CR>")

        await on_screen(nvim, "Remove the worktree")

    assert git(root, "log", "-1", "--format=%s") == "Add the work of fish"


async def test_uncommitted_work_that_is_not_committed_stays(
    nvim: Editor, root: Path, project: Path
) -> None:
    (root / "loose.txt").write_text("x\n")
    await merge(nvim, "fish → trunk: 1 commit", "Squash")
    await on_screen(nvim, "Commit it:")
    await choose_item(nvim, "Not now")

    await hidden(nvim, "Commit it:")
    assert (root / "loose.txt").read_text() == "x\n"
    assert git(project, "log", "-1", "--format=%s", "trunk") == "first"


async def test_a_conflict_is_listed_and_gone_on_with(
    nvim: Editor, root: Path, project: Path
) -> None:
    (project / "a.txt").write_text("two\n")
    git(project, "commit", "-qam", "change a otherwise")
    await merge(nvim, "fish → trunk: 1 commit", "Merge")
    await on_screen(nvim, "1 in conflict: resolve them")
    assert await nvim.eval("len(getqflist())") == 1

    await merge(nvim, "A merge is under way", "Go on")
    await on_screen(nvim, "still in conflict: 1 file (a.txt)")
    (project / "a.txt").write_text("both\n")
    await merge(nvim, "A merge is under way", "Go on")

    await on_screen(nvim, "the merge is done")
    assert git(project, "log", "-1", "--format=%s") == "Merge branch 'worktree-fish' into trunk"


async def test_discarding_asks_again_by_name(nvim: Editor, root: Path, project: Path) -> None:
    (root / "loose.txt").write_text("x\n")
    git(root, "commit", "-q", "--amend", "-m", "change a" + 40 * " and more")
    for answer in ("Keep it", "Lose it for good"):
        await nvim.command("ClaudeMerge fish")
        await on_screen(nvim, "fish → trunk: 1 commit")
        await choose_item(nvim, "Discard it")
        await on_screen(nvim, "Lose it for good: 1 commit (change a and more")
        await on_screen(nvim, "loose.txt")
        assert root.exists()
        await choose_item(nvim, answer)
        await hidden(nvim, "Lose it for good")

    await until(lambda: not root.exists(), "the worktree is gone")
    await on_screen(nvim, "fish is discarded; its last commit was")
    assert git(project, "show", "trunk:a.txt") == "one"


async def test_an_unsaved_file_of_the_worktree_stops_it(nvim: Editor, root: Path) -> None:
    await nvim.command(f"edit {root / 'a.txt'}")
    await nvim.command("call setline(1, 'unsaved')")

    await nvim.command("ClaudeMerge fish")

    await on_screen(nvim, "save ")
    assert await nvim.eval("getline(1)") == "unsaved"


async def test_the_buffers_of_a_removed_worktree_are_named(
    nvim: Editor, root: Path, records: Records, tmp_path: Path
) -> None:
    (root / "b.txt").write_text("two\n")
    script = program(
        tmp_path / "claude-stand-in", f'[ "$1" = rm ] && rm -r {root} && echo "removed $2"'
    )
    await configure(nvim, cmd=str(script))
    records.job("bird", cwd=str(root))
    await nvim.command(f"set hidden | edit {root / 'a.txt'} | edit {root / 'b.txt'}")
    await nvim.command("call setline(1, 'unsaved')")

    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "background  bird")
    await nvim.keys("/background  bird<CR>d")
    await on_screen(nvim, "Remove “bird” with its worktree?")
    await choose_item(nvim, "Remove it")

    await on_screen(nvim, "removed bird; still open: b.txt (not saved), a.txt")
    assert await nvim.eval(f"getbufline('{root / 'b.txt'}', 1)") == ["unsaved"]
    assert await nvim.eval(f"getbufline('{root / 'a.txt'}', 1)") == ["fish"]


async def test_the_buffers_of_a_worktree_that_the_cli_removes_are_named(
    nvim: Editor, root: Path, project: Path, records: Records, other: int
) -> None:
    (root / "b.txt").write_text("two\n")
    records.running_job("bird", "idle", other, cwd=str(root))
    await nvim.command("ClaudeSessions")
    await on_screen(nvim, "background  bird")
    await nvim.keys("q")
    await nvim.command(f"set hidden | edit {root / 'a.txt'} | edit {root / 'b.txt'}")
    await nvim.command("call setline(1, 'unsaved')")

    git(project, "worktree", "remove", "--force", str(root))

    await on_screen(nvim, "the worktree fish is removed; still open: b.txt (not saved), a.txt")
    assert await nvim.eval(f"getbufline('{root / 'b.txt'}', 1)") == ["unsaved"]


async def test_an_editor_that_was_started_in_it_goes_on(
    nvim: Editor, root: Path, project: Path, records: Records, tmp_path: Path
) -> None:
    script = program(tmp_path / "claude-stand-in", f'echo "$@ in $PWD" > {tmp_path}/ran')
    records.job("bird", cwd=str(root))
    given = {"CLAUDE_CONFIG_DIR": str(records.folder)}
    editor = await type(nvim).start(cwd=root, home=tmp_path / "other", env=given)
    try:
        await configure(editor, cmd=str(script))
        await merge(editor, "fish → trunk: 1 commit", "Merge")
        await on_screen(editor, "Remove the worktree")
        await choose_item(editor, "Remove them")
        await on_screen(editor, "fish is removed with its branch worktree-fish")
        assert (tmp_path / "ran").read_text() == f"rm bird in {project}\n"

        await editor.command("ClaudeMerge")

        await on_screen(editor, "there is no worktree")
    finally:
        await editor.stop()


async def test_a_branch_that_exists_is_not_reset(
    nvim: Editor, root: Path, project: Path, tmp_path: Path
) -> None:
    script = program(tmp_path / "claude-stand-in", f"echo $@ >> {tmp_path}/ran")
    await configure(nvim, cmd=str(script))
    git(project, "branch", "worktree-bird", "worktree-fish")
    ran = tmp_path / "ran"
    refusal = "the CLI would reset the branch worktree-bird: rename or delete it first"

    await nvim.command("ClaudeBackground! --name=bird Make a folder")
    await on_screen(nvim, refusal)
    await nvim.command("Claude --worktree=bird")

    await until(lambda: counted(nvim, refusal), "the refusal, again")
    assert not ran.exists()
    await nvim.command("ClaudeBackground! --name=fish Make a folder")
    await until(ran.exists, "one that has a worktree begins")
    await nvim.command("ClaudeBackground! --name=-x Make a folder")
    # The CLI would take a name of its own word for an option, and say that all is well.
    await until(lambda: " --worktree=-x " in ran.read_text(), "another one begins")


async def counted(nvim: Editor, words: str) -> bool:
    """Return whether a message has come twice."""
    return str(await nvim.eval("execute('messages')")).count(words) == 2


async def test_a_wrong_name_and_a_folder_without_git_are_named(nvim: Editor, project: Path) -> None:
    await nvim.command("ClaudeMerge fish")
    await on_screen(nvim, "there is no git repository")
    git(project, "init", "-q")

    await nvim.command('ClaudeMerge "../fish"')

    await on_screen(nvim, "there is no worktree ../fish")


async def test_the_names_are_completed(nvim: Editor, root: Path, project: Path) -> None:
    # Git would wait for it.
    (project / ".git/config").unlink()
    os.mkfifo(project / ".git/config")
    os.mkfifo(project / ".git/worktrees/pipe")
    assert await nvim.eval("getcompletion('ClaudeMerge ', 'cmdline')") == ["fish"]
    assert await nvim.eval("getcompletion('ClaudeMerge x', 'cmdline')") == []
    await nvim.command(f"cd {root}")
    assert await nvim.eval("getcompletion('ClaudeMerge ', 'cmdline')") == ["fish"]
    shutil.rmtree(root)
    await nvim.command(f"cd {project}")
    assert await nvim.eval("getcompletion('ClaudeMerge ', 'cmdline')") == []


async def test_a_session_that_runs_there_is_stopped_first(
    nvim: Editor, root: Path, records: Records, other: int, tmp_path: Path
) -> None:
    script = program(tmp_path / "claude-stand-in", f'echo "$@" >> {tmp_path}/ran\nkill {other}')
    await configure(nvim, cmd=str(script))
    records.running_job("bird", "busy", other, cwd=str(root))

    await nvim.command("ClaudeMerge fish")

    await on_screen(nvim, "“bird” runs in fish. Stop it?")
    await choose_item(nvim, "Stop it")
    await on_screen(nvim, "fish → trunk: 1 commit")
    assert (tmp_path / "ran").read_text() == "stop bird\n"


async def test_a_session_of_another_terminal_has_to_be_ended(
    nvim: Editor, root: Path, records: Records, other: int
) -> None:
    records.process("s", name="bird", cwd=str(root), pid=other)

    await nvim.command("ClaudeMerge fish")

    await on_screen(nvim, f"bird runs in fish, in process {other}: end it first")


@pytest.mark.parametrize(
    ("way", "what", "folder"),
    [
        ("Merge", "merge", "."),
        ("Rebase", "rebase", ".claude/worktrees/fish"),
        ("Squash", "squash", "."),
    ],
)
async def test_what_conflicts_goes_on_or_is_aborted(
    nvim: Editor, root: Path, project: Path, way: str, what: str, folder: str
) -> None:
    (project / "a.txt").write_text("two\n")
    git(project, "commit", "-qam", "change a otherwise")

    async def begin() -> None:
        await nvim.command("ClaudeMerge fish")
        await on_screen(nvim, "fish → trunk: 1 commit")
        await choose_item(nvim, way)
        if way == "Squash":
            await on_screen(nvim, "Message of the commit:")
            await type_answer(nvim, "<C-u>bring both<CR>")
        await on_screen(nvim, "1 in conflict: resolve them")

    async def finish(answer: str) -> None:
        await nvim.command("ClaudeMerge fish")
        await on_screen(nvim, f"A {what} is under way")
        await choose_item(nvim, answer)

    await begin()
    await finish("Abort")
    await on_screen(nvim, f"the {what} is aborted")
    assert (project / "a.txt").read_text() == "two\n"
    assert git(root, "show", "HEAD:a.txt") == "fish"
    assert not git(project, "status", "--porcelain", "--untracked-files=no")
    assert not git(root, "status", "--porcelain")

    await begin()
    (project / folder / "a.txt").write_text("both\n")
    await finish("Go on")
    if way == "Squash":
        # What the user has typed for a commit that was not made is there again.
        await on_screen(nvim, "Message of the commit: bring both")
        await type_answer(nvim, "<CR>")

    is_squash = way == "Squash"
    await on_screen(nvim, "fish is squashed" if is_squash else f"the {what} is done")
    if is_squash:
        await choose_item(nvim, "Keep them")
        await hidden(nvim, "fish is squashed")
        assert git(project, "log", "-1", "--format=%s", "trunk") == "bring both"
    assert git(project, "show", "trunk:a.txt") == "both"
    assert root.exists()


async def test_a_conflict_without_marks_is_asked_for(
    nvim: Editor, root: Path, project: Path
) -> None:
    for folder in (project, root):
        (folder / "a.png").write_bytes(b"\0" + folder.name.encode())
        git(folder, "add", "a.png")
        git(folder, "commit", "-qm", "paint")
    await merge(nvim, "fish → trunk: 2 commits", "Merge")
    await on_screen(nvim, "1 in conflict: resolve them")
    for answer in ("Not now", "Take as it is: 1 file (a.png)"):
        await merge(nvim, "A merge is under way", "Go on")
        await on_screen(nvim, "Take as it is")
        assert git(project, "status", "-s", "a.png") == "AA a.png"
        await choose_item(nvim, answer)
        await hidden(nvim, "Take as it is")

    await on_screen(nvim, "the merge is done")
    assert git(project, "show", "trunk:a.png") == "\0project"


async def test_an_abort_names_what_goes_with_it(nvim: Editor, root: Path, project: Path) -> None:
    (project / "a.txt").write_text("two\n")
    git(project, "commit", "-qam", "change a otherwise")
    await merge(nvim, "fish → trunk: 1 commit", "Merge")
    await on_screen(nvim, "1 in conflict: resolve them")
    await nvim.command("ClaudeMerge fish")
    await on_screen(nvim, "2: Abort\n" if isinstance(nvim, Neovim) else "Abort ")
    await dismiss(nvim)
    (project / "own.txt").write_text("mine\n")
    git(project, "add", "own.txt")

    await merge(nvim, "Abort, and lose 1 changed file (own.txt)", "Abort")

    await on_screen(nvim, "the merge is aborted")


async def test_a_squash_is_one_commit_and_its_worktree_goes(
    nvim: Editor, root: Path, project: Path
) -> None:
    (root / "b.txt").write_text("b\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "add b")
    await merge(nvim, "fish → trunk: 2 commits", "Squash")
    await on_screen(nvim, "Message of the commit:")
    await type_answer(nvim, "<C-u>both<CR>")
    await on_screen(nvim, "fish is squashed")
    await choose_item(nvim, "Remove them")

    await on_screen(nvim, "fish is removed with its branch worktree-fish")
    assert git(project, "log", "--format=%s") == "both\nfirst"
    assert (project / "b.txt").read_text() == "b\n"
