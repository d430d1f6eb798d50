"""`sessions/worktree.py`: what git does with a linked worktree; nothing is ever lost."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from claude_ide.base.errors import UserError
from claude_ide.review.snapshot import Snapshots
from claude_ide.sessions.worktree import Worktree, check_branch, given_to, made
from support.worktrees import conflict, fails, git


def test_it_is_found_by_name_by_branch_and_by_folder(main: Path, root: Path) -> None:
    for name, here in (("fish", main), ("worktree-fish", root), ("", root)):
        found = Worktree.named(name, here, runs_hooks=False)
        assert (found.root, found.branch, found.into) == (root, "worktree-fish", "trunk")


def test_what_is_none_is_named(main: Path, root: Path, tmp_path: Path) -> None:
    for name, here, words in (
        ("bird", main, r"there is no worktree bird \(fish\)"),
        ("../fish", main, r"there is no worktree \.\./fish"),
        ("", main, r"which worktree \(fish\)"),
        ("fish", tmp_path, "there is no git repository"),
    ):
        with pytest.raises(UserError, match=words):
            Worktree.named(name, here, runs_hooks=False)


async def test_a_worktree_of_a_bare_repository_is_merged_into_none(
    main: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(main), "bare")
    root = tmp_path / "only"
    git(tmp_path / "bare", "worktree", "add", "-q", "-b", "worktree-only", str(root))

    with pytest.raises(UserError, match="no main worktree to merge into, of "):
        Worktree.named("", root, runs_hooks=False)

    git(root, "worktree", "add", "-q", "-b", "worktree-fish", ".claude/worktrees/fish")
    await check_branch("fish", root, runs_hooks=True)
    assert await made("fish", root, runs_hooks=True) == root / ".claude/worktrees/fish"


async def test_its_work_is_told_by_name(tree: Worktree, root: Path) -> None:
    (root / "loose é.txt").write_text("x")
    (root / "a.txt").write_text("changed\n")

    work = await tree.work()

    assert work.words == "1 commit (add b) and 2 uncommitted files (a.txt, loose é.txt)"


async def test_it_is_merged_and_removed(tree: Worktree, main: Path, root: Path) -> None:
    await tree.check()
    await tree.merge()
    await tree.remove(await tree.work(), discards=False)

    assert (main / "b.txt").read_text() == "new\n"
    assert not root.exists()
    assert git(main, "branch", "--format=%(refname:short)") == "trunk"


async def test_it_is_squashed_and_removed(tree: Worktree, main: Path, root: Path) -> None:
    (root / "c.txt").write_text("c\n")
    await tree.stage()
    await tree.commit("add c")
    work = await tree.work()

    await tree.squash("both")
    await tree.remove(work, is_squashed=True)

    assert git(main, "log", "--format=%s") == "both\nfirst"
    assert not root.exists()


async def test_it_is_rebased(tree: Worktree, main: Path, root: Path) -> None:
    (main / "c.txt").write_text("c\n")
    git(main, "add", "c.txt")
    git(main, "commit", "-qm", "add c")

    await tree.rebase()

    assert git(main, "log", "--format=%s") == "add b\nadd c\nfirst"


async def test_what_is_not_merged_or_not_committed_is_never_removed(
    tree: Worktree, main: Path, root: Path
) -> None:
    await fails(tree.remove(await tree.work(), discards=False), "not fully merged|gone")
    assert git(main, "log", "--format=%s", "worktree-fish").startswith("add b")

    git(main, "worktree", "prune")
    git(main, "worktree", "add", "-q", "--force", str(root), "worktree-fish")
    (root / "loose.txt").write_text("x")
    await fails(tree.remove(await tree.work(), discards=False), "modified or untracked")
    assert (root / "loose.txt").read_text() == "x"


async def test_what_has_changed_since_it_was_shown_is_not_discarded(
    tree: Worktree, root: Path
) -> None:
    work = await tree.work()
    (root / "later.txt").write_text("x")

    await fails(tree.remove(work, discards=True), "has changed meanwhile")
    await fails(tree.remove(work, is_squashed=True), "has changed meanwhile")

    assert (root / "later.txt").exists()


async def test_it_is_discarded_with_what_was_shown(tree: Worktree, main: Path, root: Path) -> None:
    (root / "loose.txt").write_text("x")

    await tree.remove(await tree.work(), discards=True)

    assert not root.exists()
    assert git(main, "branch", "--format=%(refname:short)") == "trunk"


async def test_what_somebody_else_has_under_way_in_the_main_worktree_is_left_alone(
    tree: Worktree, main: Path, root: Path
) -> None:
    conflict(main, root)
    git(main, "branch", "other", "HEAD^")
    git(main, "switch", "-q", "other")
    (main / "a.txt").write_text("other\n")
    git(main, "commit", "-qam", "other")
    for what, words in (
        ("merge", ["merge", "trunk"]),
        ("squash", ["merge", "--squash", "trunk"]),
        ("rebase", ["rebase", "trunk"]),
    ):
        with pytest.raises(subprocess.CalledProcessError):
            git(main, *words)
        await fails(tree.unfinished(), f"another {what} is under way: finish it first, in {main}")
        git(main, "reset", "-q", "--merge")


async def test_a_squash_that_a_hook_has_refused_goes_on(tree: Worktree, main: Path) -> None:
    tree = Worktree.named("fish", main, runs_hooks=True)
    hook = main / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho trunk is protected >&2\nexit 1\n")
    hook.chmod(0o755)
    await fails(tree.squash("x"), "^trunk is protected$")
    assert await tree.unfinished() == (main, "squash")
    hook.unlink()

    await tree.go_on(main, "squash", "x")

    assert git(main, "log", "--format=%s") == "x\nfirst"
    assert await tree.unfinished() is None


@pytest.mark.parametrize("branch", ["worktree-fish", "trunk"])
async def test_a_tag_that_git_would_merge_in_place_of_a_branch_is_named(
    tree: Worktree, main: Path, branch: str
) -> None:
    git(main, "tag", branch, "trunk")

    await fails(tree.check(), f"a tag has the name of a branch: {branch}")


async def test_conflicts_in_the_worktree_are_not_committed(
    tree: Worktree, main: Path, root: Path
) -> None:
    conflict(main, root)
    with pytest.raises(subprocess.CalledProcessError):
        git(root, "cherry-pick", "trunk")

    await fails(tree.check(), rf"still in conflict: 1 file \(a\.txt\), in {root}")


async def test_changes_of_the_main_worktree_are_never_put_aside(
    tree: Worktree, main: Path, root: Path
) -> None:
    git(main, "config", "merge.autoStash", "true")
    (main / "b.txt").write_text("mine\n")
    git(main, "add", "--intent-to-add", "b.txt")

    await fails(tree.merge(), "overwritten")

    assert (main / "b.txt").read_text() == "mine\n"
    assert git(main, "stash", "list") == ""


async def test_submodules_of_a_worktree_are_named_before_they_go(
    tree: Worktree, main: Path, root: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", str(main), "sub")
    git(root, *("-c", "protocol.file.allow=always"), "submodule", "add", "-q", f"{tmp_path}/sub")
    (root / ".gitignore").write_text("secret\n")
    (root / "secret").write_text("x")

    assert await tree.ignored() == "1 ignored file (secret) and 1 submodule (sub)"


async def test_a_worktree_with_submodules_is_removed(
    tree: Worktree, main: Path, root: Path, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    git(tmp_path, "clone", "-q", str(main), str(library))
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    git(root, "commit", "-qm", "add lib")
    await tree.merge()
    (root / "loose.txt").write_text("x\n")
    await fails(tree.remove(await tree.work()), "submodules")
    (root / "loose.txt").unlink()

    await tree.remove(await tree.work())

    assert not root.exists()


async def test_a_hook_that_does_not_end_is_named(
    tree: Worktree, main: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claude_ide.sessions.worktree.HOOKS_SECONDS", 0.2)
    hook = main / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\nsleep 1000\n")
    hook.chmod(0o755)

    squashing = Worktree.named("fish", main, runs_hooks=True).squash("x")
    await fails(squashing, f"git has not ended within 0 s, in {main}")


async def test_staged_changes_of_the_main_worktree_stop_it(tree: Worktree, main: Path) -> None:
    (main / "own.txt").write_text("x")
    git(main, "add", "own.txt")

    await fails(tree.check(), "staged changes: commit or unstage them first, in ")


async def test_a_worktree_without_a_branch_is_named(tree: Worktree, main: Path, root: Path) -> None:
    git(root, "checkout", "-q", "--detach")

    await fails(Worktree.named("fish", main, runs_hooks=False).check(), f"on no branch: {root}")


async def test_a_locked_one_is_kept_in_the_words_of_git(
    tree: Worktree, main: Path, root: Path
) -> None:
    await tree.merge()
    git(main, "worktree", "lock", "--reason", "in use", str(root))

    await fails(tree.remove(await tree.work(), discards=False), "lock reason: in use")

    assert root.exists()


async def test_the_lock_of_a_session_that_has_ended_is_removed(
    tree: Worktree, main: Path, root: Path
) -> None:
    await tree.merge()
    lock = ("worktree", "lock", "--reason")
    git(main, *lock, f"claude session fish (pid {os.getpid()})", str(root))
    await fails(tree.remove(await tree.work(), discards=False), "lock reason: claude session")
    assert root.exists()
    git(main, "worktree", "unlock", str(root))
    git(main, *lock, f"claude session fish (pid {2**22 + 1} start 5)", str(root))

    await tree.remove(await tree.work(), discards=False)
    assert not root.exists()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("--worktree=fish", "fish"),
        ("--name x --worktree fish", "fish"),
        ("-w fish", "fish"),
        ("-wfish", "fish"),
        ("--worktree", ""),
        ("--worktree --name x", ""),
        ("attach fish", ""),
    ],
)
def test_the_worktree_that_the_cli_is_given_is_known(words: str, name: str) -> None:
    assert given_to(words.split()) == name


async def test_a_branch_without_a_worktree_is_not_given_to_the_cli(main: Path, root: Path) -> None:
    """The CLI resets it, which would lose its commits."""
    await check_branch("fish", main, runs_hooks=True)
    await check_branch("new", main, runs_hooks=True)
    git(main, "branch", "worktree-a+b")

    with pytest.raises(UserError, match=r"would reset the branch worktree-a\+b: rename"):
        await check_branch("a/b", main, runs_hooks=True)
    shutil.rmtree(root)
    with pytest.raises(UserError, match="would reset the branch worktree-fish"):
        await check_branch("fish", main, runs_hooks=True)


def test_a_worktree_that_was_removed_by_hand_is_none(main: Path, root: Path) -> None:
    subprocess.run(["rm", "-r", root], check=True)

    with pytest.raises(UserError, match="there is no worktree fish"):
        Worktree.named("fish", main, runs_hooks=False)


@pytest.fixture
def submodule(main: Path, root: Path, tmp_path: Path) -> Path:
    """A submodule of the worktree, with a changed file."""
    source = tmp_path / "source"
    source.mkdir()
    git(source, "init", "-q")
    (source / "c.txt").write_text("one\n")
    (source / ".gitattributes").write_text("* filter=x\n")
    git(source, "add", ".")
    git(source, "commit", "-qm", "first")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(source), "sub")
    git(root, "config", "-f", ".gitmodules", "submodule.sub.ignore", "none")
    git(root, "commit", "-qam", "add sub")
    (root / "sub/c.txt").write_text("two\n")
    return root / "sub"


async def test_without_trust_git_runs_no_program_of_the_repository(
    main: Path, root: Path, submodule: Path, tmp_path: Path
) -> None:
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    git(main, "config", "extensions.worktreeConfig", "true")
    git(main, "config", "merge.x.driver", str(program))
    for folder, option in ((root, "--worktree"), (submodule, "--local")):
        git(folder, "config", option, "filter.x.clean", str(program))
    for folder, text in ((main, "main\none\n"), (root, "one\nfish\n")):
        (folder / "a.txt").write_text(text)
        git(folder, "commit", "-qam", f"change {text}")
    (main / ".git/info/attributes").write_text("*.txt merge=x filter=x\n")
    (root / "b.txt").write_text("newer\n")
    ran.unlink(missing_ok=True)
    tree = Worktree.named("fish", main, runs_hooks=False)

    await tree.work()
    await tree.stage()
    await tree.commit("more")
    await tree.merge()
    await tree.conflicts(root)
    await Snapshots(str(root)).since("HEAD~1")

    assert (main / "a.txt").read_text() == "main\none\nfish\n"
    assert (main / "b.txt").read_text() == "newer\n"
    git(main, "config", "gpg.program", str(program))
    git(main, "config", "commit.gpgSign", "true")
    (root / "b.txt").write_text("newest\n")
    await tree.stage()
    await fails(tree.commit("signed"), "sign")
    assert not ran.exists()


async def test_without_trust_a_rebase_that_runs_commands_does_not_go_on(
    tree: Worktree, main: Path, root: Path
) -> None:
    conflict(main, root)
    with pytest.raises(UserError):
        await tree.rebase()
    (root / "a.txt").write_text("both\n")
    todo = main / ".git/worktrees/fish/rebase-merge/git-rebase-todo"
    todo.write_text(f"\tx touch {main}/ran\n")

    await fails(tree.go_on(root, "rebase", ""), "this rebase runs commands")

    assert not (main / "ran").exists()
    todo.write_text("")
    await tree.go_on(root, "rebase", "")
    assert (main / "a.txt").read_text() == "both\n"


async def test_without_trust_a_rebase_runs_no_alias_as_its_strategy(
    tree: Worktree, main: Path, root: Path
) -> None:
    git(main, "config", "alias.merge-evil", f"!touch {main}/ran; true")
    conflict(main, root)
    (root / "b.txt").write_text("newer\n")
    git(root, "commit", "-qam", "change b")
    with pytest.raises(UserError):
        await tree.rebase()
    (root / "a.txt").write_text("both\n")
    (main / ".git/worktrees/fish/rebase-merge/strategy").write_text("evil\n")

    with pytest.raises(UserError):
        await tree.go_on(root, "rebase", "")

    assert not (main / "ran").exists()


async def test_without_trust_git_works_only_in_the_worktree(
    tree: Worktree, main: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(main / "a.txt", elsewhere)
    git(main, "config", "core.worktree", str(elsewhere))

    await fails(tree.merge(), f"git would work in {elsewhere}: trust {main} first")

    assert [path.name for path in elsewhere.iterdir()] == ["a.txt"]


async def test_a_branch_that_git_would_take_for_an_option_is_none(main: Path, root: Path) -> None:
    git(main, "update-ref", "refs/heads/--exec=make", "HEAD")
    (main / ".git/HEAD").write_text("ref: refs/heads/--exec=make\n")

    tree = Worktree.named("fish", main, runs_hooks=False)

    await fails(tree.check(), "this worktree is on no branch")


async def test_no_worktree_is_made_where_a_link_leads(main: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (main / ".claude").mkdir()
    (main / ".claude/worktrees").symlink_to(elsewhere)

    await fails(made("fish", main, runs_hooks=True), "a link leads this worktree elsewhere")
    await fails(check_branch("fish", main, runs_hooks=True), "a link leads this worktree")

    assert not [*elsewhere.iterdir()]


async def test_hooks_run_only_where_that_is_wanted(main: Path, root: Path) -> None:
    hook = main / ".git/hooks/post-merge"
    hook.write_text(f"#!/bin/sh\ntouch {main}/ran\n")
    hook.chmod(0o755)

    await Worktree.named("fish", main, runs_hooks=False).merge()
    assert not (main / "ran").exists()
    git(main, "reset", "-q", "--hard", "HEAD^")

    await Worktree.named("fish", main, runs_hooks=True).merge()
    assert (main / "ran").exists()


async def test_merges_are_not_left_out_by_a_rebase(tree: Worktree, main: Path, root: Path) -> None:
    (main / "a.txt").write_text("main\n")
    git(main, "commit", "-qam", "change a")
    git(root, "merge", "-q", "--no-commit", "trunk")
    (root / "c.txt").write_text("resolved\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "merge trunk")

    await fails(tree.rebase(), "fish has merges, which a rebase would lose: merge it instead")

    await tree.merge()
    assert (main / "c.txt").read_text() == "resolved\n"


@pytest.mark.parametrize("forward", ["false", "only"])
async def test_a_squash_goes_however_the_user_merges(
    tree: Worktree, main: Path, forward: str
) -> None:
    git(main, "config", "merge.ff", forward)
    git(main, "commit", "-q", "--allow-empty", "-m", "second")

    await tree.squash("fish")

    assert git(main, "log", "--format=%s") == "fish\nsecond\nfirst"


async def test_a_name_that_several_worktrees_have_is_asked_for(
    main: Path, root: Path, tmp_path: Path
) -> None:
    git(main, "worktree", "add", "-q", "-b", "other", str(tmp_path / "else/fish"))

    with pytest.raises(UserError, match=r"name the branch \(worktree-fish, other\)"):
        Worktree.named("fish", main, runs_hooks=False)

    assert Worktree.named("other", main, runs_hooks=False).root == tmp_path / "else/fish"


@pytest.mark.parametrize("runs_hooks", [False, True])
async def test_the_repository_of_a_git_that_has_started_the_editor_is_another_one(
    main: Path, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs_hooks: bool
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (root / "loose.txt").write_text("x\n")
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", str(other / ".git"))
        patch.setenv("GIT_WORK_TREE", str(other))
        tree = Worktree.named("fish", main, runs_hooks=runs_hooks)
        assert (await tree.work()).uncommitted == ("loose.txt",)
        await tree.stage()
        await tree.commit("loose")
        await tree.merge()

    assert (main / "loose.txt").exists()
    assert not git(other, "status", "--porcelain")


async def test_what_git_does_not_look_at_is_named_before_it_goes(
    tree: Worktree, root: Path
) -> None:
    git(root, "update-index", "--skip-worktree", "a.txt")
    (root / "a.txt").write_text("mine\n")
    nested = root / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    git(nested, "commit", "-q", "--allow-empty", "-m", "inside")
    git(root, "add", "nested")
    git(root, "commit", "-qm", "add it")

    assert await tree.ignored() == "1 skipped file (a.txt) and 1 submodule (nested)"


async def test_changes_of_the_users_are_no_squash(tree: Worktree, main: Path) -> None:
    git(main, "merge", "-q", "--squash", "worktree-fish")
    assert await tree.unfinished() == (main, "squash")
    git(main, "restore", "--staged", "b.txt")
    (main / "b.txt").unlink()
    (main / "mine.txt").write_text("mine\n")
    git(main, "add", "mine.txt")

    assert await tree.unfinished() is None
    await fails(tree.check(), "staged changes")
