"""`mcp/registration.py`: which server `stdio.py` uses when the environment does not say."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from claude_ide.mcp.lock_file import LockFile
from claude_ide.mcp.registration import PORT, TOKEN, NoServer, find

NO_PID = 2**22 + 1
"""Larger than any process id."""

Announce = Callable[..., LockFile]


@pytest.fixture
def announce(tmp_path: Path) -> Announce:
    """Write the lock file of a server."""

    def write(port: int, *folders: Path, host: int = os.getpid(), name: str = "Neovim") -> LockFile:
        path = tmp_path / "ide" / f"{port}.lock"
        texts = tuple(map(str, folders))
        lock = LockFile(str(path), texts, os.getpid(), name, f"token-{port}", host)
        lock.write()
        return lock

    return write


def found(tmp_path: Path, folder: Path, **environment: str) -> tuple[int, str]:
    return find({"CLAUDE_CONFIG_DIR": str(tmp_path), **environment}, lambda: str(folder))


def reason(tmp_path: Path, folder: Path, **environment: str) -> str:
    with pytest.raises(NoServer) as raised:
        found(tmp_path, folder, **environment)
    return str(raised.value)


def test_the_environment_comes_first(tmp_path: Path, announce: Announce) -> None:
    announce(4711, tmp_path)

    assert found(tmp_path, tmp_path, **{PORT: "99", TOKEN: "t"}) == (99, "t")


def test_the_only_server_whose_folder_contains_the_working_folder_is_used(
    tmp_path: Path, announce: Announce
) -> None:
    project = tmp_path / "project"
    inside = project / "a" / "b"
    inside.mkdir(parents=True)
    announce(4711, tmp_path / "other", project)
    announce(4712, tmp_path / "proj")

    assert found(tmp_path, inside) == (4711, "token-4711")
    assert found(tmp_path, project) == (4711, "token-4711")


def test_a_link_to_the_folder_counts(tmp_path: Path, announce: Announce) -> None:
    project, link = tmp_path / "project", tmp_path / "link"
    project.mkdir()
    link.symlink_to(project)
    announce(4711, link)

    assert found(tmp_path, project) == (4711, "token-4711")


def test_several_servers_for_a_folder_are_named(tmp_path: Path, announce: Announce) -> None:
    announce(4711, tmp_path)
    announce(4712, tmp_path, name="Neovim (b)")

    assert reason(tmp_path, tmp_path) == (
        f"several editors serve {tmp_path}; set {PORT} to one of 4711 (Neovim), 4712 (Neovim (b))"
    )
    assert found(tmp_path, tmp_path, **{PORT: "4712"}) == (4712, "token-4712")


def test_a_port_that_no_lock_file_names_needs_a_token(tmp_path: Path) -> None:
    said = reason(tmp_path, tmp_path, **{PORT: "4711"})

    assert said == (
        "no lock file is for the port 4711: :ClaudeMcpConfig in the editor shows the "
        f"{PORT} and, if it needs one, the CLAUDE_CONFIG_DIR to set"
    )


def test_locks_of_dead_hosts_and_other_editors_are_ignored(
    tmp_path: Path, announce: Announce
) -> None:
    announce(4711, tmp_path, host=NO_PID)
    other = announce(4712, tmp_path)
    fields = json.loads(Path(other.path).read_text())
    Path(other.path).write_text(json.dumps({**fields, "plugin": "other"}))

    assert reason(tmp_path, tmp_path).startswith(f"no editor serves {tmp_path}")


@pytest.mark.parametrize(
    "broken",
    [{"workspaceFolders": None}, {"workspaceFolders": [1]}, {"authToken": 1}, {"ideName": None}],
    ids=str,
)
def test_a_lock_with_values_of_other_types_is_ignored(
    tmp_path: Path, announce: Announce, broken: dict[str, object]
) -> None:
    lock = announce(4711, tmp_path)
    fields = json.loads(Path(lock.path).read_text())
    Path(lock.path).write_text(json.dumps(fields | broken))

    assert reason(tmp_path, tmp_path).startswith("no editor serves")


def test_the_lock_of_a_newer_version_can_have_more_fields(
    tmp_path: Path, announce: Announce
) -> None:
    lock = announce(4711, tmp_path)
    fields = json.loads(Path(lock.path).read_text())
    Path(lock.path).write_text(json.dumps(fields | {"path": "/", "more": "fields"}))

    assert found(tmp_path, tmp_path) == (4711, "token-4711")


def test_a_lock_whose_name_is_no_port_is_ignored(tmp_path: Path, announce: Announce) -> None:
    lock = announce(4711, tmp_path)
    Path(lock.path).rename(tmp_path / "ide" / "a.lock")

    assert reason(tmp_path, tmp_path).startswith("no editor serves")


def test_a_working_folder_that_is_gone_is_an_error(tmp_path: Path) -> None:
    def gone() -> str:
        raise FileNotFoundError

    with pytest.raises(NoServer, match="does not exist"):
        find({"CLAUDE_CONFIG_DIR": str(tmp_path)}, gone)
