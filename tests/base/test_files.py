"""`base/files.py`: only regular files of limited size, in a given folder, are read and written."""

import contextlib
import itertools
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from claude_ide.base import files

EXCHANGE = """
import os
while True:
    os.rename("d", "t"), os.rename("link", "d"), os.rename("d", "link"), os.rename("t", "d")
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "d").mkdir(parents=True)
    (root / "d" / "a.txt").write_text("inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.txt").write_text("outside")
    (root / "link").symlink_to("../outside")
    return root


@pytest.fixture
def exchanged(root: Path) -> Iterator[Path]:
    """A folder in which `d` is alternately a folder and a link to one outside."""
    with subprocess.Popen([sys.executable, "-c", EXCHANGE], cwd=root) as process:
        yield root
        assert process.poll() is None
        process.kill()


def reason(error: pytest.ExceptionInfo[OSError]) -> str | None:
    return error.value.strerror


@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "device"])
def test_only_a_regular_file_is_read_or_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        path = Path("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(os.path.relpath(path))
    before = path.stat().st_mode

    with pytest.raises(files.RefusedError) as read:
        files.read(path)
    with pytest.raises(files.RefusedError) as read_within:
        files.read_within(path.parent, path)
    with pytest.raises(files.RefusedError) as written:
        files.write_within(path.parent, path, b"x")

    reasons = [reason(error) for error in (read, read_within, written)]
    assert reasons == [f"not a file but a {kind}"] * 3
    assert path.stat().st_mode == before


def test_a_file_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 10)

    assert files.read(path, 10) == b"x" * 10
    with pytest.raises(files.RefusedError, match="has 10 bytes, more than 9"):
        files.read(path, 9)
    with pytest.raises(files.RefusedError, match="has 10 bytes, more than 9"):
        files.read_within(tmp_path, path, 9)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_file_without_a_stated_size_is_refused_beyond_the_limit() -> None:
    assert files.read(Path("/proc/self/status")).startswith(b"Name:")
    with pytest.raises(files.RefusedError, match="has more than 4 bytes"):
        files.read(Path("/proc/self/status"), 4)


def test_only_a_link_that_stays_inside_is_resolved(root: Path) -> None:
    (root / "to-d").symlink_to(root / "d")

    assert files.resolve(root, "to-d/a.txt") == root / "d" / "a.txt"
    for path in ("link", "link/a.txt", "link/new"):
        with pytest.raises(files.RefusedError, match="a link that leaves the workspace"):
            files.resolve(root, path)


def test_a_resolved_path_that_contains_a_link_is_refused(root: Path) -> None:
    outside = root.parent / "outside"
    for path in (root / "link" / "a.txt", root / "link" / "new" / "a.txt"):
        with pytest.raises(OSError):
            files.read_within(root, path)
        with pytest.raises(OSError):
            files.write_within(root, path, b"x")
    with pytest.raises(OSError), files.scan_within(root, "link"):
        pass

    (root / "last").symlink_to(outside / "a.txt")
    with pytest.raises(files.RefusedError, match="a link to itself, or one that was just created"):
        files.read_within(root, root / "last")
    with pytest.raises(files.RefusedError, match="a link to itself, or one that was just created"):
        files.write_within(root, root / "last", b"x")

    assert [path.read_text() for path in outside.iterdir()] == ["outside"]


def test_a_file_is_written_only_where_its_path_led_before(root: Path) -> None:
    outside = root.parent / "outside"
    for name in ("last/new", "link/a.txt", "dangling"):
        path = root / name
        path.parent.mkdir(exist_ok=True)
        if name == "dangling":
            path.symlink_to(outside / "new")
        # As if it had been a plain path when the user saw it.
        with pytest.raises(files.RefusedError, match="a link on its path has changed"):
            files.write(str(path), str(path if "last" not in name else root / "d" / "new"), b"x")
    assert [path.read_text() for path in outside.iterdir()] == ["outside"]

    files.write(str(root / "dangling"), str(outside / "new"), b"x")

    assert (outside / "new").read_bytes() == b"x"


def test_threads_write_the_same_file_at_the_same_time(tmp_path: Path) -> None:
    path, texts = tmp_path / "a.json", [str(number).encode() * 100 for number in range(4)]
    with ThreadPoolExecutor(len(texts)) as threads:
        for _ in range(200):
            list(threads.map(files.write_private, [path] * len(texts), texts))

    assert path.read_bytes() in texts
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


def test_no_file_outside_is_read_while_a_folder_is_exchanged_for_a_link(exchanged: Path) -> None:
    seen: set[str] = set()
    for number in itertools.count():
        try:
            seen.add(files.read_within(exchanged, files.resolve(exchanged, "d/a.txt")).decode())
        except OSError as error:
            seen.add(type(error).__name__)
        assert "outside" not in seen
        # Some reads succeeded, and others met the link.
        if number >= 4_000 and "inside" in seen and len(seen) > 2:
            break
        assert number < 200_000, seen


def test_no_folder_outside_is_listed_while_a_folder_is_exchanged_for_a_link(
    exchanged: Path,
) -> None:
    (exchanged.parent / "outside" / "secret").touch()
    for _ in range(1_000):
        try:
            with files.scan_within(exchanged, "d") as entries:
                assert [entry.name for entry in entries] == ["a.txt"]
        except OSError:
            pass


@pytest.mark.parametrize("changes", ["deleted", "given a mode"])
def test_no_file_outside_is_changed_while_a_folder_is_exchanged_for_a_link(
    exchanged: Path, changes: str
) -> None:
    outside, path = exchanged.parent / "outside" / "a.txt", exchanged / "d" / "a.txt"
    outside.chmod(0o644)
    met = set[str]()
    for number in itertools.count():
        try:
            if changes == "deleted":
                files.delete(str(path))
            else:
                files.set_mode(str(path), 0o600)
            met.add("inside")
        except OSError as error:
            met.add(type(error).__name__)
        assert stat.S_IMODE(outside.stat().st_mode) == 0o644
        if number >= 4_000 and len(met) > 1:
            break
        assert number < 200_000, met


def test_a_mode_is_given_also_to_a_file_that_cannot_be_read(root: Path) -> None:
    path = root / "d" / "a.txt"
    path.chmod(0)

    files.set_mode(str(path), 0o640)

    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    (root / "d" / "b.txt").symlink_to("a.txt")
    with pytest.raises(files.RefusedError, match="a link on its path has changed"):
        files.set_mode(str(root / "d" / "b.txt"), 0o600)


def test_folders_that_are_missing_are_made_for_their_owner_only(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        files.write_private(tmp_path / "state" / "ours" / "a.json", b"")
    finally:
        os.umask(mask)

    made = (tmp_path / "state", tmp_path / "state" / "ours")
    assert [stat.S_IMODE(each.stat().st_mode) for each in made] == [0o700, 0o700]


def test_a_mode_is_given_by_an_old_c_library(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object, **__: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr(os, "chmod", unsupported)
    path = root / "d" / "a.txt"

    files.set_mode(str(path), 0o640)

    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_write_preserves_permissions_and_leaves_no_other_files(root: Path) -> None:
    path = root / "d" / "a.txt"
    path.chmod(0o640)
    mask = os.umask(0o027)
    try:
        files.write_within(root, path, b"new")
        files.write_within(root, root / "x" / "y" / "z.txt", b"")
    finally:
        os.umask(mask)

    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "x" / "y" / "z.txt").stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "x").stat().st_mode) == 0o750
    assert sorted(path.name for path in root.rglob("*")) == sorted(
        ["d", "a.txt", "link", "x", "y", "z.txt"]
    )


def test_a_failed_write_changes_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object, **_options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)

    with pytest.raises(OSError, match="No space left"):
        files.write_within(root, root / "d" / "a.txt", b"new")

    assert [path.name for path in (root / "d").iterdir()] == ["a.txt"]
    assert (root / "d" / "a.txt").read_text() == "inside"


def test_no_file_descriptor_remains_open(root: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    for name in ("d/a.txt", "d", "none/none", "link/a.txt", "d/a.txt/x"):
        with contextlib.suppress(OSError):
            files.read_within(root, root / name)
        with contextlib.suppress(OSError), files.scan_within(root, name):
            pass
        with contextlib.suppress(OSError):
            files.write_within(root, root / name, b"x")

    assert len(list(Path("/dev/fd").iterdir())) == before
