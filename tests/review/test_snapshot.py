"""`review/snapshot.py`: what a command has changed, with the texts before."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from claude_ide.review import snapshot
from claude_ide.review.folder import Folder
from claude_ide.review.snapshot import Snapshots

Change = tuple[str, bytes | None, bytes | None]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with three committed files and one that is ignored."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name in ("a.py", "b.py", "c d.py"):
        (root / name).write_text(f"{name}\n")
    (root / ".gitignore").write_text("*.o\n")
    commit(root)
    return root


def git(root: Path, *words: str) -> None:
    identity = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")


async def changed(root: Path, command: Callable[[], object], **options: object) -> list[Change]:
    """Return what a command changes below a folder: names, and contents before and after."""
    snapshots = Snapshots(str(root), **options)  # type: ignore[arg-type]
    before = await snapshots.take()
    await asyncio.to_thread(command)
    found = await snapshots.changed(before, await snapshots.take())
    return [(os.path.relpath(each.path, root), each.before, each.after) for each in found]


async def test_a_changed_a_new_and_a_deleted_file(project: Path) -> None:
    def command() -> None:
        (project / "a.py").write_text("A\n")
        (project / "c d.py").unlink()
        (project / "new").mkdir()
        (project / "new" / "é.py").write_text("new\n")

    assert await changed(project, command) == [
        ("a.py", b"a.py\n", b"A\n"),
        ("c d.py", b"c d.py\n", None),
        ("new/é.py", None, b"new\n"),
    ]


async def test_files_that_were_dirty_before(project: Path) -> None:
    (project / "a.py").write_text("mine\n")
    (project / "b.py").write_text("mine\n")
    (project / "untracked").write_text("mine\n")

    def command() -> None:
        (project / "a.py").write_text("the agent's\n")
        (project / "untracked").unlink()

    assert await changed(project, command) == [
        ("a.py", b"mine\n", b"the agent's\n"),
        ("untracked", b"mine\n", None),
    ]


async def test_a_moved_file(project: Path) -> None:
    found = await changed(project, lambda: (project / "a.py").rename(project / "z.py"))

    assert found == [("a.py", b"a.py\n", None), ("z.py", None, b"a.py\n")]


async def test_ignored_files_and_those_of_another_folder_do_not_appear(
    project: Path, tmp_path: Path
) -> None:
    def command() -> None:
        (project / "a.o").write_text("built\n")
        (project / ".a.py.swp").write_text("a swap file of Vim\n")
        (tmp_path / "outside").write_text("x\n")

    assert await changed(project, command) == []


async def test_a_commit_and_a_checkout_change_nothing(project: Path) -> None:
    (project / "a.py").write_text("A\n")
    assert await changed(project, lambda: commit(project)) == []

    assert await changed(project, lambda: git(project, "checkout", "-q", "HEAD~1")) == []


async def test_what_git_takes_back_is_a_change(project: Path) -> None:
    (project / "a.py").write_text("mine\n")

    found = await changed(project, lambda: git(project, "checkout", "a.py"))

    assert found == [("a.py", b"mine\n", b"a.py\n")]


async def test_a_file_that_is_written_and_staged(project: Path) -> None:
    def command() -> None:
        (project / "a.py").write_text("A\n")
        git(project, "add", "a.py")

    assert await changed(project, command) == [("a.py", b"a.py\n", b"A\n")]


async def test_a_file_that_is_written_and_committed(project: Path) -> None:
    def command() -> None:
        (project / "a.py").write_text("A\n")
        commit(project)

    # It is as committed before and after; the commit explains it.
    assert await changed(project, command) == []


async def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")

    found = await changed(tmp_path, lambda: (tmp_path / "a.py").write_text("A\n"))

    assert found == [("a.py", None, b"A\n")]


async def test_a_folder_below_the_top(project: Path) -> None:
    (project / "sub").mkdir()
    snapshots = Snapshots(str(project / "sub"))
    before = await snapshots.take()
    (project / "a.py").write_text("A\n")

    found = await snapshots.changed(before, await snapshots.take())

    assert [each.path for each in found] == [str(project / "a.py")]


async def test_line_ends_are_those_of_the_file(project: Path) -> None:
    (project / ".gitattributes").write_text("*.py eol=crlf\n")
    (project / "a.py").write_bytes(b"one\r\n")
    commit(project)

    found = await changed(project, lambda: (project / "a.py").write_bytes(b"two\r\n"))

    assert found == [("a.py", b"one\r\n", b"two\r\n")]


async def test_no_program_of_the_repository_runs(project: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (project / ".gitattributes").write_text("*.py filter=x diff=x\n")
    commit(project)
    for name in ("filter.x.clean", "filter.x.smudge", "diff.x.textconv", "core.fsmonitor"):
        git(project, "config", name, f"touch {ran}; cat")
    (project / "b.py").write_text("B\n")

    found = await changed(project, lambda: (project / "a.py").write_text("A\n"))

    # What the filter would make of the committed text is not known.
    assert found == [("a.py", None, b"A\n")]
    assert not ran.exists()


async def test_a_changed_mode(project: Path) -> None:
    snapshots = Snapshots(str(project))
    before = await snapshots.take()
    (project / "a.py").chmod(0o755)

    [found] = await snapshots.changed(before, await snapshots.take())

    assert (found.path, found.mode) == (str(project / "a.py"), (0o644, 0o755))


async def test_a_private_file_is_listed_without_its_text(project: Path) -> None:
    path = project / ".env"

    def is_private(path: str) -> bool:
        return path.endswith(".env")

    snapshots = Snapshots(str(project), is_private)
    before = await snapshots.take()
    path.write_text("SECRET\n")
    created = await snapshots.changed(before, middle := await snapshots.take())
    path.write_text("ANOTHER\n")
    written = await snapshots.changed(middle, await snapshots.take())

    assert [(each.before, each.after, each.obstacle) for each in created + written] == [
        (None, None, "private")
    ] * 2


async def test_a_large_file_is_listed_without_its_text(project: Path) -> None:
    path = project / "large"
    path.write_bytes(b"x" * 10_000_000)

    found = await changed(project, lambda: path.write_bytes(b"y" * 10_000_000))

    assert found == [("large", None, None)]


async def test_a_link_is_not_followed(project: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("outside\n")

    found = await changed(project, lambda: (project / "link").symlink_to(tmp_path / "secret"))

    assert [(name, before) for name, before, _ in found] == [("link", None)]
    assert found[0][2] is None


@pytest.mark.parametrize("work", ["turn", "delete", "replace"])
async def test_a_link_of_the_repository_is_listed_without_a_text(project: Path, work: str) -> None:
    link = project / "link"
    link.symlink_to("a.py")
    commit(project)
    snapshots = Snapshots(str(project))
    before = await snapshots.take()
    link.unlink()
    if work == "turn":
        link.symlink_to("b.py")
    elif work == "replace":
        link.write_text("no link\n")

    found = await snapshots.changed(before, await snapshots.take())

    assert [(each.path, each.before, each.obstacle) for each in found] == [
        (str(link), None, "a link")
    ]


async def test_a_file_that_is_a_folder_now(project: Path) -> None:
    def command() -> None:
        (project / "a.py").unlink()
        (project / "a.py").mkdir()
        (project / "a.py" / "inner").write_text("x\n")

    assert await changed(project, command) == [
        ("a.py", b"a.py\n", None),
        ("a.py/inner", None, b"x\n"),
    ]


async def test_repositories_inside_are_looked_at(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = "-c", "protocol.file.allow=always"
    for name in ("other", "nested"):
        (project / name).mkdir()
        git(project / name, "init", "-q")
        (project / name / "a.py").write_text("mine\n")
        commit(project / name)
    git(project, *allowed, "submodule", "--quiet", "add", "./other", "sub")
    shutil.rmtree(project / "other")
    git(project, "commit", "-qm", "y")
    # Another session may work in a worktree.
    git(project, "worktree", "add", "-q", "tree")

    def command() -> None:
        (project / "tree" / "a.py").write_text("another's\n")
        (project / "sub" / "a.py").write_text("A\n")
        (project / "nested" / "new").write_text("new\n")
        (project / "nested" / "a.py").unlink()

    assert await changed(project, command) == [
        ("nested/a.py", b"mine\n", None),
        ("nested/new", None, b"new\n"),
        ("sub/a.py", b"mine\n", b"A\n"),
    ]
    monkeypatch.setattr(snapshot, "MOST_INNER", 1)
    assert (await Snapshots(str(project)).take()).is_partial
    git(project, "submodule", "--quiet", "deinit", "--force", "sub")
    assert await changed(project, lambda: None) == []


async def test_a_folder_that_is_a_file_now(project: Path) -> None:
    for name in ("bin/inner", "z.py"):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("mine\n")
    commit(project)

    def command() -> None:
        (project / "bin" / "inner").unlink()
        (project / "bin").rmdir()
        (project / "bin").write_text("x\n")
        (project / "z.py").write_text("Z\n")

    assert await changed(project, command) == [
        ("bin", None, b"x\n"),
        ("bin/inner", b"mine\n", None),
        ("z.py", b"mine\n", b"Z\n"),
    ]


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        pytest.param("a\nb", "", id="line feed"),
        pytest.param("a", "* ident", id="ident"),
        pytest.param("a", "* filter=lfs", id="filter"),
        pytest.param("a", "* working-tree-encoding=latin1", id="encoding"),
    ],
)
async def test_a_file_that_git_has_otherwise_is_never_taken_for_a_new_one(
    project: Path, name: str, attributes: str
) -> None:
    path, new = project / name, project / f"new {name}"
    path.write_text("mine\n")
    (project / ".gitattributes").write_text(attributes)
    commit(project)
    snapshots = Snapshots(str(project))
    before = await snapshots.take()
    for each in (path, new):
        each.write_text("the agent's\n")

    found = await snapshots.changed(before, await snapshots.take())

    obstacle = snapshot.UNSEEN if attributes == "" else ""
    assert [(each.path, each.before, each.obstacle) for each in found] == [
        (str(path), None, snapshot.UNSEEN),
        (str(new), None, obstacle),
    ]
    there = await snapshots.before(before, str(path))
    assert there is None
    assert await snapshots.since("HEAD") == ({new.name: None}, [name])
    folder = Folder(str(project), project.parent / "state", lambda path: False)
    await folder.compare("base", "HEAD")
    assert await folder.unknown() == [f"{name}: not compared: git converts it"]
    await folder.compare("", "")
    assert await folder.unknown() == []


async def test_a_file_with_other_line_ends_differs_from_a_revision_only_in_its_lines(
    project: Path,
) -> None:
    (project / ".gitattributes").write_text("* eol=crlf\n")
    (project / "a.py").write_bytes(b"one\r\ntwo\r\n")
    commit(project)
    (project / "a.py").write_bytes(b"one\r\nTWO\r\n")

    assert await Snapshots(str(project)).since("HEAD") == ({"a.py": b"one\r\ntwo\r\n"}, [])


async def test_a_file_that_keeps_its_time_and_size_is_found(project: Path) -> None:
    path = project / "a.py"
    path.write_text("first\n")
    then = path.stat().st_mtime_ns

    def command() -> None:
        path.write_text("later\n")
        os.utime(path, ns=(then, then))

    assert await changed(project, command) == [("a.py", b"first\n", b"later\n")]


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
async def test_files_whose_changes_git_is_told_to_ignore_are_looked_at(
    project: Path, flag: str
) -> None:
    git(project, "update-index", flag, "a.py", "c d.py")

    def command() -> None:
        (project / "a.py").write_text("A\n")
        (project / "c d.py").unlink()

    assert await changed(project, command) == [
        ("a.py", b"a.py\n", b"A\n"),
        ("c d.py", b"c d.py\n", None),
    ]


async def test_without_git_files_are_found_and_those_in_use_have_their_texts(
    tmp_path: Path,
) -> None:
    for name in ("open.py", "other.py"):
        (tmp_path / name).write_text(f"{name}\n")
    (tmp_path / "node_modules").mkdir()
    snapshots = Snapshots(str(tmp_path))
    before = await snapshots.take([str(tmp_path / "open.py")])
    for name in ("open.py", "other.py", "new.py", "node_modules/x.js"):
        (tmp_path / name).write_text("NEW\n")

    found = await snapshots.changed(before, await snapshots.take())

    assert [(Path(each.path).name, each.before, each.obstacle) for each in found] == [
        ("new.py", None, ""),
        ("open.py", b"open.py\n", ""),
        ("other.py", None, "the text before was not seen"),
    ]


@pytest.mark.parametrize("has_git", [False, True])
async def test_a_cut_snapshot_takes_no_file_for_changed_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_git: bool
) -> None:
    if has_git:
        git(tmp_path, "init", "-q")
    for name in "abcd":
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (0, 0))
    monkeypatch.setattr(snapshot, "MOST_FILES", 2)
    # Times of files are those of the last tick of the system's clock.
    monkeypatch.setattr(snapshot, "CLOCK_NS", 0)
    await until_later(tmp_path)
    snapshots = Snapshots(str(tmp_path))
    cut = await snapshots.take()
    monkeypatch.setattr(snapshot, "MOST_FILES", 20)
    whole = await snapshots.take()

    assert (cut.is_cut, whole.is_cut) == (True, False)
    assert await snapshots.changed(cut, whole) == []
    assert await snapshots.changed(whole, cut) == []

    missing = next(path for path in whole.stamps if path not in cut.stamps)
    await until_later(tmp_path)
    Path(missing).write_text("changed")
    [found] = await snapshots.changed(cut, await snapshots.take())
    assert (found.path, found.before, found.obstacle) == (missing, None, snapshot.UNSEEN)


async def until_later(folder: Path) -> None:
    """Wait until the times of files are later than now."""
    began, probe = time.time_ns(), folder.parent / "probe"
    while not probe.exists() or probe.stat().st_ctime_ns <= began:
        probe.write_text("x")
        await asyncio.sleep(0)


async def test_too_many_files_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MOST_FILES", 2)
    for name in "abc":
        (tmp_path / name).write_text(name)

    found = await Snapshots(str(tmp_path)).take()
    assert found.is_cut and found.is_partial
