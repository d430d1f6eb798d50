"""`base/log.py`: the size and the permissions of the log, and the entries that it omits."""

import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from claude_ide.base.log import BURST, LARGEST_BYTES, LONGEST_ENTRY, LogFile, RateLimit
from support.neovim import ROOT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "claude_ide/claude_ide.log"


@pytest.fixture
def log(path: Path) -> Iterator[logging.Logger]:
    """A logger that writes only to the file."""
    logger = logging.Logger("test")
    handler = LogFile(path)
    handler.addFilter(RateLimit())
    logger.addHandler(handler)
    yield logger
    handler.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_can_read_the_log_whatever_its_earlier_permissions(path: Path) -> None:
    path.parent.mkdir(mode=0o777)
    path.write_text("before\n")
    path.chmod(0o666)
    umask = os.umask(0)
    try:
        LogFile(path).close()
    finally:
        os.umask(umask)

    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert path.read_text() == "before\n"


def test_the_log_never_exceeds_its_limit_and_one_older_log_is_kept(
    log: logging.Logger, path: Path
) -> None:
    for number in range(700):
        log.warning(f"{number} " + "x" * 5_000)
        assert path.stat().st_size <= LARGEST_BYTES

    older = path.with_name("claude_ide.1.log")
    assert older.stat().st_size <= LARGEST_BYTES
    assert path.read_text().endswith("x\n")
    assert sorted(path.parent.iterdir()) == [older, path]
    assert {mode(older), mode(path)} == {0o600}


def test_a_long_entry_is_cut(log: logging.Logger, path: Path) -> None:
    log.warning("x" * 100_000)

    assert path.read_text() == f"{'x' * LONGEST_ENTRY}… ({100_000 - LONGEST_ENTRY} more letters)\n"


def test_repeated_entries_are_omitted_and_counted(
    log: logging.Logger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr("claude_ide.base.log.time.monotonic", lambda: now)
    log.warning("what matters")
    for number in range(10_000):
        log.info("refused a client: %s", number)
        log.error("%s", "accept() failed", exc_info=OSError(24, "too many"))
    now = 60.0
    log.info("refused a client: %s", "the last")

    lines = path.read_text().splitlines()
    assert lines[0] == "what matters"
    refused = [line for line in lines if line.startswith("refused")]
    assert len(refused) == BURST + 1
    assert refused[BURST - 1] == f"refused a client: {BURST - 1} (more like this are left out)"
    assert refused[BURST] == f"refused a client: the last ({10_000 - BURST} like this left out)"
    assert len([line for line in lines if line.startswith("accept")]) == BURST


def test_different_errors_from_one_place_do_not_count_as_repeated(
    log: logging.Logger, path: Path
) -> None:
    for number in range(50):
        log.warning("%s", f"error {number}")

    assert path.read_text().splitlines() == [f"error {number}" for number in range(50)]


def test_concurrent_processes_lose_no_entries_and_respect_the_limit(path: Path) -> None:
    code = f"""
import logging, pathlib, sys
sys.path.insert(0, {str(ROOT / "python")!r})
from claude_ide.base.log import LogFile
log = logging.Logger("x")
log.addHandler(LogFile(pathlib.Path({str(path)!r})))
for number in range(900):
    log.warning("%s %d %s.", sys.argv[1], number, "x" * 500)
"""
    writers = [subprocess.Popen([sys.executable, "-c", code, str(n)]) for n in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]

    files = [path.with_name("claude_ide.1.log"), path]
    lines = [line for file in files for line in file.read_text().splitlines()]
    assert all(line.endswith(f"{'x' * 500}.") for line in lines)
    assert all(file.stat().st_size <= LARGEST_BYTES for file in files)
    assert len({tuple(line.split()[:2]) for line in lines}) == 3 * 900


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "no right"])
def test_a_log_that_cannot_be_written_raises_no_error(
    log: logging.Logger, path: Path, tmp_path: Path, kind: str
) -> None:
    path.unlink()
    if kind == "link":
        path.symlink_to(tmp_path / "target")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.parent.rmdir()
        path.parent.write_text("")

    log.warning("lost")

    assert not (tmp_path / "target").exists()


def test_a_deleted_log_is_created_again(log: logging.Logger, path: Path) -> None:
    log.warning("one")
    path.unlink()

    log.warning("two")

    assert path.read_text() == "two\n"


def in_another_process(path: Path, code: str) -> subprocess.Popen[str]:
    """Run code that has a `log` to the file; it may print, and waits for its stdin."""
    before = f"""
import logging, os, pathlib, sys
sys.path.insert(0, {str(ROOT / "python")!r})
from claude_ide.base.log import LogFile
log = logging.Logger("x")
log.addHandler(LogFile(pathlib.Path({str(path)!r})))
"""
    return subprocess.Popen(
        [sys.executable, "-c", before + code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def finishes(process: subprocess.Popen[str]) -> bool:
    try:
        return process.wait(timeout=20) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        return False


FAILS = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
log.warning("has no room")
print("failed", flush=True)
sys.stdin.read()
"""
HOLDS = """
import fcntl
held = os.open({path!r}, os.O_WRONLY)
fcntl.flock(held, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("other", [FAILS, HOLDS], ids=["could not write", "holds the lock"])
def test_a_process_with_a_problem_does_not_keep_others_from_the_log(path: Path, other: str) -> None:
    with in_another_process(path, other.replace("{path!r}", repr(str(path)))) as stuck:
        assert stuck.stdout is not None
        stuck.stdout.readline()
        with in_another_process(path, 'for n in range(100): log.warning("entry %d.", n)') as writer:
            has_finished = finishes(writer)
        stuck.communicate()

    assert has_finished
    assert path.read_text().count("entry") == 100


def test_only_the_holder_of_the_lock_rotates_the_log(log: logging.Logger, path: Path) -> None:
    path.write_text("x" * LARGEST_BYTES)
    with in_another_process(path, HOLDS.replace("{path!r}", repr(str(path)))) as stuck:
        assert stuck.stdout is not None
        stuck.stdout.readline()
        log.warning("omitted")
        assert path.stat().st_size == LARGEST_BYTES
        stuck.communicate()
    log.warning("written")

    assert path.read_text() == "written\n"
