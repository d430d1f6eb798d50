"""`base/trust.py`: which record trusts which folder, and how a broken record is handled."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from claude_ide.base import files, trust
from claude_ide.base.trust import Trust, shown


class User:
    """A user with a home directory, the CLI's record and our record."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.home.mkdir()
        self.path = home / "state" / "trust.json"
        self.complaints: list[str] = []
        self.trust = Trust(self.path, {"HOME": str(home)}, self.complaints.append)

    def recorded(self, *folders: Path | str, name: str = ".claude.json") -> None:
        """Make the CLI's record trust these folders."""
        projects = {str(folder): {"hasTrustDialogAccepted": True} for folder in folders}
        (self.home / name).parent.mkdir(exist_ok=True)
        (self.home / name).write_text(json.dumps({"numStartups": 1, "projects": projects}))


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path / "home")


def folder(path: Path, *, repository: bool = False) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    if repository:
        subprocess.run(["git", "init", "-q"], cwd=path, check=True)
    return path


def worktree(main: Path, path: Path) -> Path:
    folder(main, repository=True)
    who = ("-c", "user.name=x", "-c", "user.email=x")
    subprocess.run(["git", *who, "commit", "-qm", "x", "--allow-empty"], cwd=main, check=True)
    subprocess.run(["git", "worktree", "add", "-q", str(path)], cwd=main, check=True)
    return path


def test_no_folder_is_trusted_at_first(user: User, tmp_path: Path) -> None:
    assert not user.trust.is_trusted(tmp_path)
    assert user.complaints == []


# Our record.


def test_a_trusted_folder_includes_its_subfolders(user: User, tmp_path: Path) -> None:
    user.trust.grant(folder(tmp_path / "trusted"))

    assert user.trust.is_trusted(tmp_path / "trusted")
    assert user.trust.is_trusted(folder(tmp_path / "trusted" / "a" / "b", repository=True))
    assert not user.trust.is_trusted(tmp_path)


@pytest.mark.parametrize("name", ["trusted-evil", "trusted2", "Trusted", "trusted "])
def test_a_folder_with_a_similar_name_is_not_trusted(user: User, tmp_path: Path, name: str) -> None:
    user.trust.grant(folder(tmp_path / "trusted"))

    assert not user.trust.is_trusted(folder(tmp_path / name))


def test_a_link_counts_as_its_target(user: User, tmp_path: Path) -> None:
    user.trust.grant(folder(tmp_path / "trusted"))
    (tmp_path / "in").symlink_to(tmp_path / "trusted")
    (tmp_path / "trusted" / "out").symlink_to(folder(tmp_path / "other"))

    assert user.trust.is_trusted(tmp_path / "in")
    assert not user.trust.is_trusted(tmp_path / "trusted" / "out")
    assert not user.trust.is_trusted(tmp_path / "trusted" / ".." / "other")


def test_trust_in_the_home_directory_or_above_includes_no_subfolders(
    user: User, tmp_path: Path
) -> None:
    for above in (user.home, tmp_path, Path("/")):
        user.trust.grant(above)

    assert user.trust.is_trusted(user.home)
    assert user.trust.is_trusted(tmp_path)
    assert not user.trust.is_trusted(folder(user.home / "src"))
    assert not user.trust.is_trusted(folder(tmp_path / "other"))


@pytest.mark.parametrize("name", [b"new\nline", b"latin-1 \xe9", b"\x1b]0;x\x07", "ünï".encode()])
def test_a_folder_with_any_name_can_be_trusted(user: User, tmp_path: Path, name: bytes) -> None:
    odd, other = folder(tmp_path / os.fsdecode(name)), folder(tmp_path / "other")
    user.trust.grant(other)
    user.trust.grant(odd)

    assert user.trust.is_trusted(odd)
    assert user.trust.is_trusted(other)
    assert shown(odd).isprintable()
    assert user.trust.revoke(odd) == [str(odd)]
    assert user.complaints == []


def test_only_the_user_can_read_or_write_the_record(user: User, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        user.trust.grant(tmp_path)
    finally:
        os.umask(before)

    assert user.path.parent.stat().st_mode & 0o777 == 0o700
    assert {path.name for path in user.path.parent.iterdir()} == {"trust.json", "trust.lock"}
    assert {path.stat().st_mode & 0o777 for path in user.path.parent.iterdir()} == {0o600}


def test_revoking_removes_every_entry_that_trusts_a_folder(user: User, tmp_path: Path) -> None:
    inner = folder(tmp_path / "a" / "b")
    for each in (inner, inner.parent, folder(tmp_path / "c")):
        user.trust.grant(each)

    assert user.trust.revoke(inner) == [str(inner.parent), str(inner)]

    assert not user.trust.is_trusted(inner)
    assert list(user.trust.folders()) == [str(tmp_path / "c")]


BROKEN = {
    "no JSON": "{",
    "another form": '{"folders": ["/"]}',
    "deep": "[" * 100_000,
    "large": json.dumps({"folders": {}, "x": "x" * 1_100_000}),
    "empty": "",
    "no text": "\udcff",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_record_trusts_no_folder_and_is_reported_once(
    user: User, tmp_path: Path, text: str
) -> None:
    user.trust.grant(tmp_path)
    user.path.write_bytes(text.encode(errors="surrogateescape"))

    assert not user.trust.is_trusted(tmp_path)
    assert not user.trust.is_trusted(tmp_path)
    [complaint] = user.complaints
    assert complaint.startswith("the record of trusted folders is ignored, it ")
    assert complaint.endswith(f": {user.path}")


@pytest.mark.parametrize("kind", ["fifo", "folder", "device"])
def test_a_record_that_is_no_regular_file_is_not_read(
    user: User, tmp_path: Path, kind: str
) -> None:
    user.path.parent.mkdir()
    if kind == "fifo":
        os.mkfifo(user.path)
    elif kind == "folder":
        user.path.mkdir()
    else:
        user.path.symlink_to("/dev/zero")

    assert not user.trust.is_trusted(tmp_path)
    assert len(user.complaints) == 1


def test_a_record_that_others_can_write_trusts_no_folder(user: User, tmp_path: Path) -> None:
    user.trust.grant(tmp_path)
    user.path.chmod(0o666)

    assert not user.trust.is_trusted(tmp_path)
    expected = "the record of trusted folders is ignored, other users can write it"
    assert user.complaints == [f"{expected}: {user.path}"]


def test_granting_trust_replaces_a_broken_record(user: User, tmp_path: Path) -> None:
    user.path.parent.mkdir()
    user.path.write_text("{")

    user.trust.grant(tmp_path)

    assert user.trust.is_trusted(tmp_path)


# The CLI's record, read as 2.1.330 reads it.


ADD = """
import sys
from pathlib import Path
from claude_ide.base.trust import Trust

home, name = Path(sys.argv[1]), sys.argv[2]
trust = Trust(home / "state/trust.json", {"HOME": str(home)}, print)
sys.stdin.readline()
for number in range(20):
    trust.grant(f"/{name}/{number}")
    trust.revoke(f"/old/{name}/{number}")
"""


def test_editors_that_change_the_record_at_the_same_moment_lose_nothing(user: User) -> None:
    names = [f"editor{number}" for number in range(5)]
    for name in names:
        for number in range(20):
            user.trust.grant(f"/old/{name}/{number}")
    command = [sys.executable, "-c", ADD, str(user.home)]
    environment = {"PYTHONPATH": str(Path(trust.__file__).parents[2])}
    editors = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, text=True, env=environment)
        for name in names
    ]
    for editor in editors:
        assert editor.stdin is not None
        editor.stdin.write("go\n")
        editor.stdin.close()

    assert [editor.wait() for editor in editors] == [0] * len(editors)
    expected = {f"/{name}/{number}" for name in names for number in range(20)}
    assert {*user.trust.folders()} == expected


def test_a_record_that_stays_locked_is_named(
    user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.0)
    user.trust.grant(tmp_path)
    with user.path.with_suffix(".lock").open() as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="keeps the record of trusted folders locked"):
            user.trust.grant(tmp_path / "b")
    user.trust.grant(tmp_path / "b")


def test_the_clis_record_includes_subfolders(user: User, tmp_path: Path) -> None:
    user.recorded(tmp_path / "a")

    assert user.trust.is_trusted(folder(tmp_path / "a"))
    assert user.trust.is_trusted(folder(tmp_path / "a" / "b"))
    assert not user.trust.is_trusted(folder(tmp_path / "a-evil"))


def test_the_clis_record_is_read_again_only_if_it_has_changed(
    user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[Path] = []
    read = files.read_if_sound

    def note(path: Path, most: int) -> bytes | None:
        reads.append(path)
        return read(path, most)

    monkeypatch.setattr(files, "read_if_sound", note)
    user.recorded(tmp_path / "a")

    assert [user.trust.is_trusted(folder(tmp_path / "a")) for _ in range(5)] == [True] * 5
    assert reads.count(user.home / ".claude.json") == 1

    user.recorded(tmp_path / "b")
    assert not user.trust.is_trusted(tmp_path / "a")
    (user.home / ".claude.json").unlink()
    assert not user.trust.is_trusted(folder(tmp_path / "b"))


def test_trust_in_the_clis_record_ends_at_another_repository(user: User, tmp_path: Path) -> None:
    user.recorded(tmp_path)

    assert not user.trust.is_trusted(folder(tmp_path / "a", repository=True))
    assert not user.trust.is_trusted(folder(tmp_path / "a" / "b"))


def test_the_clis_record_of_a_repository_includes_its_folders(user: User, tmp_path: Path) -> None:
    user.recorded(folder(tmp_path / "a", repository=True))

    assert user.trust.is_trusted(folder(tmp_path / "a" / "b"))
    assert not user.trust.is_trusted(folder(tmp_path / "a" / "vendor", repository=True))


def test_the_clis_record_of_a_repository_includes_its_worktrees(user: User, tmp_path: Path) -> None:
    user.recorded(tmp_path / "a")

    assert user.trust.is_trusted(worktree(tmp_path / "a", tmp_path / "tree"))


def test_a_folder_cannot_claim_to_be_a_worktree(user: User, tmp_path: Path) -> None:
    user.recorded(tmp_path / "a")
    worktree(tmp_path / "a", tmp_path / "tree")

    claims = folder(tmp_path / "evil")
    (claims / ".git").write_bytes((tmp_path / "tree" / ".git").read_bytes())

    assert not user.trust.is_trusted(claims)


@pytest.mark.parametrize(
    ("name", "environment"),
    [
        (".claude.json", {}),
        (".claude/.config.json", {}),
        ("cfg/.claude.json", {"CLAUDE_CONFIG_DIR": "cfg"}),
        ("cfg/.config.json", {"CLAUDE_CONFIG_DIR": "cfg"}),
    ],
)
def test_the_clis_record_is_found_in_each_of_its_locations(
    user: User, tmp_path: Path, name: str, environment: dict[str, str]
) -> None:
    user.recorded(tmp_path / "a", name=name)
    given = {key: str(user.home / value) for key, value in environment.items()}
    trust = Trust(user.path, {"HOME": str(user.home)} | given, user.complaints.append)

    assert trust.is_trusted(folder(tmp_path / "a"))


def test_the_clis_default_record_is_ignored_if_another_config_folder_is_set(
    user: User, tmp_path: Path
) -> None:
    user.recorded(tmp_path / "a")
    elsewhere = {"HOME": str(user.home), "CLAUDE_CONFIG_DIR": str(user.home / "cfg")}

    assert not Trust(user.path, elsewhere, user.complaints.append).is_trusted(tmp_path / "a")


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"projects": []}', '{"projects": {"DIR": {"hasTrustDialogAccepted": "yes"}}}'],
)
def test_a_broken_record_of_the_cli_trusts_no_folder(user: User, tmp_path: Path, text: str) -> None:
    (user.home / ".claude.json").write_text(text.replace("DIR", str(tmp_path)))

    assert not user.trust.is_trusted(tmp_path)
    assert user.complaints == []


def test_the_clis_record_is_never_written(user: User, tmp_path: Path) -> None:
    user.recorded(tmp_path / "a")
    before = (user.home / ".claude.json").read_bytes()

    user.trust.grant(folder(tmp_path / "b"))
    user.trust.revoke(tmp_path / "a")

    assert (user.home / ".claude.json").read_bytes() == before
    assert user.trust.is_trusted(folder(tmp_path / "a"))
