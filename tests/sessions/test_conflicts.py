"""`sessions/worktree.py`: conflicts, and what git would write over."""

import os
from pathlib import Path

import pytest

from claude_ide.sessions.worktree import Worktree
from support.worktrees import conflict, fails, git


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
async def test_a_conflict_goes_on_or_is_aborted(
    tree: Worktree, main: Path, root: Path, how: str
) -> None:
    conflict(main, root)
    before = [git(folder, "rev-parse", "HEAD") for folder in (main, root)]
    begin = {"merge": tree.merge, "squash": lambda: tree.squash("x"), "rebase": tree.rebase}[how]

    await fails(begin(), "onflict|could not apply")
    found = await tree.unfinished()
    assert found is not None
    folder, what = found
    assert (what, await tree.conflicts(folder)) == (how, ["a.txt"])
    await fails(tree.go_on(folder, what, "x"), r"still in conflict: 1 file \(a\.txt\)")

    await tree.abort(folder, what)
    assert [git(each, "rev-parse", "HEAD") for each in (main, root)] == before
    assert await tree.unfinished() is None

    await fails(begin(), "onflict|could not apply")
    (folder / "a.txt").write_text("both\n")
    await tree.go_on(folder, what, "x")
    assert (main / "a.txt").read_text() == "both\n"
    assert (main / "b.txt").exists()
    assert await tree.unfinished() is None


async def test_a_conflict_that_became_a_pipe_stops_nothing(
    tree: Worktree, main: Path, root: Path
) -> None:
    conflict(main, root)
    await fails(tree.merge(), "onflict")
    (main / "a.txt").unlink()
    os.mkfifo(main / "a.txt")

    await fails(tree.go_on(main, "merge", ""), "can only add regular files")


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
async def test_what_a_user_changes_at_a_conflict_is_named_before_an_abort(
    tree: Worktree, main: Path, root: Path, how: str
) -> None:
    (main / "own.txt").write_text("own\n")
    git(main, "add", ".")
    git(main, "commit", "-qm", "own")
    (root / "c.txt").write_text("c\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "add c")
    conflict(main, root)
    (main / "own.txt").write_text("not staged\n")
    begin = {"merge": tree.merge, "squash": lambda: tree.squash("x"), "rebase": tree.rebase}[how]
    await fails(begin(), "onflict|could not apply")
    folder, what = await tree.unfinished() or (main, "")
    assert await tree.lost_by_abort(folder, what) == ""

    # An abort of a merge keeps what is not staged.
    (folder / "own.txt").write_text("changed\n")
    (folder / "a.txt").write_text("both\n")
    (folder / "new.txt").write_text("staged\n")
    git(folder, "add", "new.txt")

    names = "a.txt, new.txt" if how != "rebase" else "a.txt, new.txt, own.txt"
    lost = await tree.lost_by_abort(folder, what)
    assert lost == f"{names.count(',') + 1} changed files ({names})"


@pytest.mark.parametrize("kind", ["both changed", "here deleted", "there deleted", "both renamed"])
async def test_a_conflict_without_marks_is_told_until_it_is_changed(
    tree: Worktree, main: Path, root: Path, kind: str
) -> None:
    for number, folder in enumerate((main, root)):
        if kind == "both renamed":
            git(folder, "mv", "a.txt", f"{number}.txt")
        elif kind.startswith(("here", "there")[number]):
            git(folder, "rm", "-q", "a.txt")
        else:
            (folder / "a.txt").write_bytes(b"\0%d" % number)
        git(folder, "commit", "-qam", "change")
    await fails(tree.merge(), "onflict")
    assert ("1.txt" if kind == "both renamed" else "a.txt") in await tree.untouched(main)

    for name in await tree.conflicts(main):
        (main / name).write_text("solved\n")

    assert await tree.untouched(main) == ""
    await tree.go_on(main, "merge", "")
    assert await tree.unfinished() is None


@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
@pytest.mark.parametrize("name", ["b.txt", "build/b.txt", "build"])
async def test_what_git_ignores_in_the_main_worktree_is_not_overwritten(
    tree: Worktree, main: Path, root: Path, name: str, how: str
) -> None:
    git(root, "rm", "-q", "b.txt")
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text("fish\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "add it")
    own = main / {"build/b.txt": "build", "build": "build/b.txt"}.get(name, name)
    own.parent.mkdir(exist_ok=True)
    own.write_text("mine\n")
    (main / ".git/info/exclude").write_text("b.txt\nbuild\n")
    begin = {"merge": tree.merge, "squash": lambda: tree.squash("x"), "rebase": tree.rebase}[how]

    await fails(begin(), rf"git would overwrite 1 ignored file \({name}\)")

    assert own.read_text() == "mine\n"
    own.unlink()
    if name == "build":
        own.parent.rmdir()
    await begin()
    assert (main / name).read_text() == "fish\n"


async def test_a_rebase_keeps_what_git_ignores_in_the_worktree(
    tree: Worktree, main: Path, root: Path
) -> None:
    (main / "c.txt").write_text("main\n")
    git(main, "add", ".")
    git(main, "commit", "-qm", "add c")
    (main / ".git/info/exclude").write_text("c.txt\n")
    (root / "c.txt").write_text("mine\n")

    await fails(tree.rebase(), r"git would overwrite 1 ignored file \(c\.txt\).*fish")

    assert (root / "c.txt").read_text() == "mine\n"


@pytest.mark.parametrize("option", ["--no-commit", "--squash", "--no-ff"])
async def test_a_merge_is_one_whatever_the_user_has_set_for_the_branch(
    tree: Worktree, main: Path, root: Path, option: str
) -> None:
    git(main, "config", "branch.trunk.mergeOptions", option)

    await tree.merge()

    assert (await tree.work()).commits == ()


async def test_a_squash_that_changes_nothing_is_named(
    tree: Worktree, main: Path, root: Path
) -> None:
    git(root, "revert", "--no-edit", "HEAD")

    await fails(tree.squash("x"), "fish changes nothing in trunk")
