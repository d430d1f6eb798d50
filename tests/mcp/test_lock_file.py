"""`mcp/lock_file.py`: the file by which the CLI finds a server."""

import json
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from claude_ide.mcp import lock_file
from claude_ide.mcp.lock_file import LockFile


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "config" / "ide"


@pytest.fixture
def lock(folder: Path) -> LockFile:
    return LockFile(
        path=str(folder / "4711.lock"),
        workspaceFolders=("/project", "/project/sub"),
        pid=os.getppid(),
        ideName="Neovim",
        authToken="token",
        hostPid=os.getpid(),
    )


@pytest.fixture
def dead() -> int:
    """The pid of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def write(folder: Path, port: int, **fields: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{port}.lock"
    path.write_text(json.dumps(fields))
    return path


def test_the_file_contains_what_the_cli_reads(lock: LockFile) -> None:
    lock.write()

    assert json.loads(Path(lock.path).read_text()) == {
        "workspaceFolders": ["/project", "/project/sub"],
        "pid": os.getppid(),
        "ideName": "Neovim",
        "authToken": "token",
        "transport": "ws",
        "runningInWindows": False,
        "plugin": "claude-ide",
        "hostPid": os.getpid(),
    }


def test_only_the_owner_can_read_the_file_and_its_folder(lock: LockFile) -> None:
    before = os.umask(0)
    try:
        lock.write()
    finally:
        os.umask(before)

    assert stat.S_IMODE(Path(lock.path).stat().st_mode) == 0o600
    made = Path(lock.path).parents[:2]  # the CLI's own folder, too
    assert [stat.S_IMODE(each.stat().st_mode) for each in made] == [0o700, 0o700]


def test_a_folder_that_others_can_read_becomes_private(lock: LockFile, folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o755)

    lock.write()

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_writing_again_replaces_the_file_atomically(lock: LockFile) -> None:
    lock.write()
    with Path(lock.path).open() as reader:
        lock.with_folders(("/elsewhere",)).write()

        # A reader of the old file can still read all of it.
        assert json.load(reader)["workspaceFolders"] == ["/project", "/project/sub"]
    assert json.loads(Path(lock.path).read_text())["workspaceFolders"] == ["/elsewhere"]
    assert list(Path(lock.path).parent.iterdir()) == [Path(lock.path)]


@pytest.mark.parametrize("kind", ["file", "link", "dangling link", "pipe"])
def test_a_planted_draft_is_replaced_and_not_followed(
    lock: LockFile, folder: Path, tmp_path: Path, kind: str
) -> None:
    folder.mkdir(parents=True)
    precious = tmp_path / "precious"
    if kind != "dangling link":
        precious.write_text("precious")
    draft = folder / f".4711.lock.{os.getpid()}.new"
    match kind:
        case "file":
            draft.write_text("planted")
            draft.chmod(0o666)
        case "pipe":
            os.mkfifo(draft)
        case _:
            draft.symlink_to(precious)

    lock.write()

    assert json.loads(Path(lock.path).read_text())["authToken"] == "token"
    assert stat.S_IMODE(Path(lock.path).lstat().st_mode) == 0o600
    assert list(folder.iterdir()) == [Path(lock.path)]
    assert precious.exists() == (kind != "dangling link")
    assert kind == "dangling link" or precious.read_text() == "precious"


def test_a_link_in_place_of_the_lock_file_is_replaced_and_not_followed(
    lock: LockFile, folder: Path, tmp_path: Path
) -> None:
    folder.mkdir(parents=True)
    (tmp_path / "precious").write_text("precious")
    Path(lock.path).symlink_to(tmp_path / "precious")

    lock.write()

    assert not Path(lock.path).is_symlink()
    assert (tmp_path / "precious").read_text() == "precious"


def test_a_failed_write_leaves_no_draft(lock: LockFile, folder: Path) -> None:
    Path(lock.path).mkdir(parents=True)

    with pytest.raises(OSError):
        lock.write()

    assert list(folder.iterdir()) == [Path(lock.path)]


def test_a_folder_in_place_of_the_draft_is_an_error(lock: LockFile, folder: Path) -> None:
    draft = folder / f".4711.lock.{os.getpid()}.new"
    draft.mkdir(parents=True)

    with pytest.raises(FileExistsError):
        lock.write()

    assert list(folder.iterdir()) == [draft]


def test_removing_a_lock_file_that_cannot_be_removed_raises_no_error(lock: LockFile) -> None:
    Path(lock.path).mkdir(parents=True)

    lock.remove()

    assert Path(lock.path).exists()


def test_removing_a_lock_file_twice_raises_no_error(lock: LockFile) -> None:
    lock.write()

    lock.remove()
    lock.remove()

    assert not Path(lock.path).exists()


def test_the_folder_is_the_one_that_the_cli_reads() -> None:
    assert lock_file.folder({"CLAUDE_CONFIG_DIR": "/config"}) == "/config/ide"
    assert lock_file.folder({"CLAUDE_CONFIG_DIR": ""}) == str(Path.home() / ".claude" / "ide")
    assert lock_file.folder({"XDG_CONFIG_HOME": "/xdg"}) == str(Path.home() / ".claude" / "ide")


def test_a_token_is_64_random_bytes_in_base64url_without_padding() -> None:
    tokens = {lock_file.new_token() for _ in range(100)}

    assert len(tokens) == 100
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{86}", token) for token in tokens)


def test_sweep_removes_our_lock_files_whose_neovim_or_host_has_ended(
    lock: LockFile, folder: Path, dead: int
) -> None:
    lock._replace(path=str(folder / "1.lock"), pid=dead).write()
    lock._replace(path=str(folder / "2.lock"), hostPid=dead).write()
    lock.write()

    lock_file.sweep(folder)

    assert list(folder.iterdir()) == [Path(lock.path)]


def test_sweep_keeps_files_that_are_not_ours(folder: Path, dead: int) -> None:
    others = [
        write(folder, 1, ideName="VS Code", pid=dead),
        write(folder, 2, plugin="another", pid=dead, hostPid=dead),
        write(folder, 3),
        folder / "4.lock",
        folder / "5.lock",
        folder / "notes.txt",
    ]
    others[3].write_text("not json")
    others[4].write_text('["claude-ide"]')
    others[5].write_text("")

    lock_file.sweep(folder)

    assert sorted(folder.iterdir()) == others


def test_sweep_ignores_entries_that_are_no_lock_files(
    folder: Path, tmp_path: Path, dead: int
) -> None:
    ours = write(tmp_path, 0, plugin="claude-ide", pid=dead, hostPid=dead, ideName="Neovim")
    folder.mkdir(parents=True)
    os.mkfifo(folder / "1.lock")
    (folder / "2.lock").mkdir()
    (folder / "3.lock").symlink_to(ours)
    (folder / "4.lock").symlink_to(folder / "nowhere")
    (folder / "5.lock").write_text("[" * 100_000)
    (folder / "6.lock").write_bytes(b"\xff")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "7.lock"))
    (folder / "8.lock").write_text(ours.read_text() + " " * 1_000_000)
    (folder / f".9.lock.{dead}.new").mkdir()
    before = set(folder.iterdir())

    lock_file.sweep(folder)

    assert set(folder.iterdir()) == before
    assert lock_file.ide_name(folder, "/project") == "Neovim"
    assert ours.exists()


def test_sweep_removes_the_draft_of_a_killed_host(folder: Path, dead: int) -> None:
    folder.mkdir(parents=True)
    half_written = folder / f".4711.lock.{dead}.new"
    being_written = folder / f".4712.lock.{os.getpid()}.new"
    foreign = folder / ".notes.new"
    for path in (half_written, being_written, foreign):
        path.write_text('{"pid')

    lock_file.sweep(folder)

    assert set(folder.iterdir()) == {being_written, foreign}


@pytest.mark.parametrize("pid", [None, "1", 0, -1, 1.5, 2**80])
def test_an_invalid_pid_counts_as_an_ended_process(folder: Path, pid: Any) -> None:
    path = write(folder, 1, plugin="claude-ide", pid=pid, hostPid=os.getpid())

    lock_file.sweep(folder)

    assert not path.exists()


def test_sweep_does_not_create_a_missing_folder(folder: Path) -> None:
    lock_file.sweep(folder)

    assert not folder.exists()


def test_the_first_neovim_has_a_plain_name_and_the_next_that_of_its_project(
    lock: LockFile, folder: Path, dead: int
) -> None:
    assert lock_file.ide_name(folder, "/home/me/project") == "Neovim"

    lock._replace(path=str(folder / "1.lock"), pid=dead).write()
    write(folder, 2, ideName="VS Code", pid=os.getpid())
    assert lock_file.ide_name(folder, "/home/me/project") == "Neovim"

    lock.write()
    assert lock_file.ide_name(folder, "/home/me/project") == "Neovim (project)"
    assert lock_file.ide_name(folder, "/") == "Neovim (/)"
