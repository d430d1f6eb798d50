"""Waiting for changes of files and for the ends of processes, as long as needed."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path

import pytest

from claude_ide.base import watch as module
from claude_ide.base.watch import FileChanges, Watch
from support.neovim import until

LONG_SECONDS = 30.0


class Waiting:
    """Waits in a thread, as the product does; `changes` counts what has ended a wait."""

    def __init__(self, watch: Watch, paths: Iterable[Path], pids: Iterable[int] = ()) -> None:
        self._watch, self._paths, self._pids = watch, [*paths], [*pids]
        self.is_ended = threading.Event()
        for _ in range(3):
            watch.wait(self._paths, self._pids, 0.0, 0.0)
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        self._watch.wait(self._paths, self._pids, LONG_SECONDS, LONG_SECONDS)
        self.is_ended.set()

    def ends(self) -> bool:
        return self.is_ended.wait(LONG_SECONDS / 3)


@pytest.fixture
def watch() -> Iterator[Watch]:
    watch = Watch()
    yield watch
    watch.close()


def test_a_change_of_a_file_ends_it(watch: Watch, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    waiting = Waiting(watch, [path])

    path.write_text("{1}")

    assert waiting.ends()


def test_a_file_that_takes_the_place_of_another_ends_it(watch: Watch, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    waiting = Waiting(watch, [path])

    (tmp_path / "new").write_text("{1}")
    (tmp_path / "new").replace(path)

    assert waiting.ends()


def test_what_is_not_there_yet_ends_it(watch: Watch, tmp_path: Path) -> None:
    waiting = Waiting(watch, [tmp_path / "a/b/c"])

    (tmp_path / "a").mkdir()

    assert waiting.ends()


def test_a_folder_that_goes_ends_it(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    waiting = Waiting(watch, [tmp_path / "a"])

    (tmp_path / "a").rmdir()

    assert waiting.ends()


def test_the_end_of_a_process_ends_it(watch: Watch, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        waiting = Waiting(watch, [tmp_path], [process.pid])

        process.kill()

        assert waiting.ends()


def test_another_thread_ends_it(watch: Watch, tmp_path: Path) -> None:
    waiting = Waiting(watch, [tmp_path])

    watch.wake()

    assert waiting.ends()


def test_what_was_not_waited_for_before_ends_it_at_once(watch: Watch, tmp_path: Path) -> None:
    watch.wait([tmp_path], [], LONG_SECONDS, LONG_SECONDS)

    watch.wait([tmp_path / "..", tmp_path], [], LONG_SECONDS, LONG_SECONDS)


def test_without_the_kernels_events_it_looks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "other")
    watch = Watch()

    watch.wait([tmp_path], [], None, 0.01)

    watch.close()


def test_a_file_that_others_change_without_our_kernel_is_looked_at_again(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Watch, "_is_remote", lambda self, folder: True)

    assert [watch.wait([tmp_path], [], None, 0.01) for _ in range(3)] == [None] * 3
    assert not watch.is_told


class Following:
    """Follows paths; `calls` counts what was told."""

    def __init__(self, changes: FileChanges, *paths: Path) -> None:
        self.paths, self.calls, self._latest = [*paths], 0, time.monotonic()
        changes.follow(self.changed, lambda: self.paths)

    def changed(self) -> None:
        self.calls, self._latest = self.calls + 1, time.monotonic()

    def _is_quiet(self) -> bool:
        return time.monotonic() - self._latest > 3 * module.LEAST_PAUSE_SECONDS

    async def hears(self, write: Callable[[], object]) -> None:
        """Wait until nothing is new, and then until something was told that `write` has done."""
        await until(self._is_quiet)
        known = self.calls
        write()
        await until(lambda: self.calls > known, "the change is told")


@pytest.fixture
async def changes() -> AsyncIterator[FileChanges]:
    changes = FileChanges()
    changes.start(asyncio.get_running_loop())
    yield changes
    changes.stop()


async def test_only_changes_of_followed_files_are_told(
    changes: FileChanges, tmp_path: Path
) -> None:
    path, other = tmp_path / "a/b.json", tmp_path / "a/other.json"
    path.parent.mkdir()
    following, others = Following(changes, path), Following(changes, other)
    await following.hears(lambda: path.write_text("{}"))
    known = others.calls

    await following.hears(lambda: path.write_text("{1}"))
    assert others.calls == known

    await others.hears(lambda: other.write_text("{}"))
    changes.forget(others.changed)
    await following.hears(path.unlink)


async def test_a_file_is_followed_through_links_and_where_folders_come_and_go(
    changes: FileChanges, tmp_path: Path
) -> None:
    link, target, other = (tmp_path / name for name in ("link", "target", "other"))
    for folder in (target, other):
        folder.mkdir()
    link.symlink_to(target)
    following = Following(changes, link / "a/b.json")

    await following.hears((target / "a").mkdir)
    await following.hears(lambda: (target / "a/b.json").write_text("{}"))
    await following.hears(link.unlink)
    await following.hears(lambda: link.symlink_to(other))
    await following.hears((other / "a").mkdir)
    await following.hears(lambda: other.rename(tmp_path / "moved"))
    await following.hears(other.mkdir)


async def test_other_files_are_followed_after_a_look(changes: FileChanges, tmp_path: Path) -> None:
    following = Following(changes, tmp_path / "a")
    await following.hears(lambda: (tmp_path / "a").write_text("1"))

    following.paths = [tmp_path / "b"]
    changes.look()

    await following.hears(lambda: (tmp_path / "b").write_text("1"))
