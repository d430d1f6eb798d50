"""Waiting for changes of files and for the ends of processes, as long as needed."""

import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from claude_ide.base.watch import Watch

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
