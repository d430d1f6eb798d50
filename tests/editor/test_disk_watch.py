"""`editor/disk.py`: reports the buffers whose files have changed."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from claude_ide.base.watch import FileChanges
from claude_ide.editor import disk
from claude_ide.editor.disk import (
    AGAIN_SECONDS,
    MOST_AT_ONCE,
    RESTLESS_SECONDS,
    SETTLED_EMPTY_SECONDS,
    SETTLED_SECONDS,
    SOON_SECONDS,
    DiskWatch,
    Watched,
)
from claude_ide.editor.events import EditorState, Events
from support.neovim import until
from support.pocket import pocket_port


class Watching:
    """A watch, and the buffers that it has reported."""

    def __init__(self) -> None:
        self.reported: list[int] = []
        self.states: list[str] = []
        """The answers to the next reports."""
        self.events = Events(EditorState())
        port = pocket_port(self._changed, events=self.events)
        self.changes = FileChanges()
        self.watch = DiskWatch(port, self.events, lambda: True, self.changes)
        self.watch.start(asyncio.get_running_loop())
        self.changes.start(asyncio.get_running_loop())

    async def _changed(self, function: str, *arguments: Any) -> list[str] | None:
        if function == "batch.run":
            token, gate, facts, ((function, (files,)),) = arguments
            assert (gate, [fact[:2] for fact in facts]) == ("changeable", [["name", files[0][0]]])
            payload = {"token": token, "results": [await self._changed(function, files)]}
            asyncio.get_running_loop().call_soon(self.events.dispatch, "answered", payload)
            return None
        assert function == "disk_changes.reload.changed_in"
        (files,) = arguments
        self.reported += [bufnr for bufnr, _ in files]
        return [self.states.pop(0) if self.states else "" for _ in files]

    def load(self, *paths: Path) -> None:
        """Report files as loaded, in buffers numbered from 1."""
        files = [{"bufnr": bufnr, "path": str(path)} for bufnr, path in enumerate(paths, 1)]
        self.events.dispatch("files_loaded", {"files": files})

    async def begin(self, *paths: Path) -> None:
        """Load existing files, which are then reported once: they may have changed before."""
        self.load(*paths)
        await until(lambda: len(self.reported) == len(paths))
        self.reported.clear()

    async def reports(self, *bufnrs: int) -> None:
        await until(lambda: set(bufnrs) <= set(self.reported))
        assert set(self.reported) == set(bufnrs)


@pytest.fixture
async def watching() -> AsyncIterator[Watching]:
    watching = Watching()
    yield watching
    watching.watch.stop()
    watching.changes.stop()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a" / "b" / "c.txt"
    path.parent.mkdir(parents=True)
    path.write_text("one\n")
    return path


def rewrite(path: Path) -> None:
    path.write_text("another\n")


def replace(path: Path) -> None:
    new = path.with_name("new.tmp")
    new.write_text("two\n")
    new.replace(path)


def delete_and_write(path: Path) -> None:
    path.unlink()
    path.write_text("two\n")


def replace_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("old"))
    path.parent.mkdir()
    path.write_text("two\n")


def replace_folder_above(path: Path) -> None:
    above = path.parent.parent
    above.rename(above.with_name("old"))
    path.parent.mkdir(parents=True)
    path.write_text("two\n")


WAYS = [rewrite, replace, delete_and_write, replace_folder, replace_folder_above]


@pytest.mark.parametrize("change", WAYS)
async def test_a_changed_file_is_reported_after_a_rest(
    watching: Watching,
    path: Path,
    change: Callable[[Path], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = path.with_name("other.txt")
    other.write_text("one\n")
    looks, found = [time.monotonic()], disk._found

    def look(path: str) -> Any:
        looks.append(time.monotonic())
        return found(path)

    monkeypatch.setattr(disk, "_found", look)
    await watching.begin(path, other)
    await until(lambda: time.monotonic() - looks[-1] > 3 * SOON_SECONDS, "it looks at nothing")

    change(path)
    other.parent.mkdir(exist_ok=True)

    await watching.reports(1)


async def test_a_write_of_the_same_size_is_reported(watching: Watching, path: Path) -> None:
    await watching.begin(path)

    path.write_text("two\n")

    await watching.reports(1)


@pytest.mark.parametrize("link", ["hard", "to the file", "to the folder"])
async def test_a_write_through_another_name_is_reported(
    watching: Watching, path: Path, tmp_path: Path, link: str
) -> None:
    other = tmp_path / "link"
    if link == "hard":
        other.hardlink_to(path)
    elif link == "to the file":
        other.symlink_to(path)
    else:
        other.symlink_to(path.parent)
        other = other / path.name
    await watching.begin(other)

    rewrite(path)

    await watching.reports(1)


async def test_a_link_that_leads_to_another_file_is_reported(
    watching: Watching, path: Path, tmp_path: Path
) -> None:
    other, link = path.with_name("other.txt"), tmp_path / "link"
    other.write_text("one\n")
    link.symlink_to(path)
    await watching.begin(link)

    link.unlink()
    link.symlink_to(other)

    await watching.reports(1)


async def test_a_new_file_is_reported_and_a_pipe_is_not(
    watching: Watching, path: Path, tmp_path: Path
) -> None:
    pipe, new = tmp_path / "pipe", tmp_path / "new" / "new.txt"
    os.mkfifo(pipe)
    watching.load(path, pipe, new, tmp_path, Path("/with\0zero"))
    await watching.reports(1)

    new.parent.mkdir()
    new.write_text("new\n")

    await watching.reports(1, 3)


async def test_a_file_that_is_no_longer_loaded_is_not_reported(
    watching: Watching, path: Path
) -> None:
    other = path.with_name("other.txt")
    other.write_text("one\n")
    await watching.begin(path, other)
    unloaded: dict[str, Any] = {"files": [{"bufnr": 1, "path": ""}]}
    watching.events.dispatch("files_loaded", unloaded)

    rewrite(path)
    rewrite(other)

    await watching.reports(2)


async def test_nothing_is_reported_once_nothing_is_watched(watching: Watching, path: Path) -> None:
    await watching.begin(path)
    watching.events.dispatch("files_unwatched", {})
    rewrite(path)
    other = path.with_name("other.txt")
    other.write_text("one\n")

    files = [{"bufnr": 2, "path": str(other)}]
    watching.events.dispatch("files_loaded", {"files": files})

    await watching.reports(2)


async def test_a_busy_editor_is_asked_again(watching: Watching, path: Path) -> None:
    await watching.begin(path)
    watching.states = ["busy", "busy", "busy", "followed"]

    rewrite(path)

    await until(lambda: len(watching.reported) == 4)


async def test_a_file_is_reported_once_it_is_complete(
    watching: Watching, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claude_ide.editor.disk.SETTLED_SECONDS", 0.5)
    await watching.begin(path)
    with path.open("w") as file:
        for number in range(30):
            print(number, file=file, flush=True)
            await asyncio.sleep(0.02)
            assert not watching.reported

    await watching.reports(1)


@pytest.mark.parametrize(
    ("text", "age", "seconds"),
    [
        ("one", 0.0, SETTLED_SECONDS),
        ("one", 0.03, SETTLED_SECONDS - 0.03),
        ("one", 0.5, AGAIN_SECONDS),
        ("one", 5.0, SETTLED_SECONDS),
        ("one", -5.0, SETTLED_SECONDS),
        ("", 0.0, SETTLED_EMPTY_SECONDS),
    ],
)
def test_a_file_settles_after_its_last_change(
    path: Path, text: str, age: float, seconds: float
) -> None:
    path.write_text(text)
    file, changed = Watched(str(path)), time.time_ns() - int(age * 10**9)
    os.utime(path, ns=(changed, changed + (changed % 10**9 == 0)))

    assert not file.look(100)

    assert file.settles_at == pytest.approx(100 + seconds, abs=0.02)
    assert file.look(100 + seconds + 0.02)
    assert not file.look(200)


def test_a_file_whose_time_is_in_whole_seconds_may_still_be_written(path: Path) -> None:
    whole = time.time_ns() // 10**9 * 10**9
    os.utime(path, ns=(whole, whole))
    file = Watched(str(path))

    assert not file.look(100)

    assert file.settles_at == 100 + SETTLED_SECONDS


def test_a_file_that_never_settles_causes_no_further_looks(path: Path) -> None:
    file, now = Watched(str(path)), 100.0
    for number in range(100):
        path.write_text("more\n" * (number + 1))
        now += SETTLED_SECONDS / 2
        assert not file.look(now)
        assert file.is_settling(now) == (now - 100 < RESTLESS_SECONDS + SETTLED_SECONDS / 2)


async def test_many_changes_are_reported_in_several_calls(
    watching: Watching, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{number}.txt" for number in range(3 * MOST_AT_ONCE + 1)]
    for each in paths:
        each.write_text("one\n")

    await watching.begin(*paths)


@pytest.mark.parametrize(
    ("times", "rests"),
    [
        ([0, 5, 10], [0, 0, 0]),
        ([0, 0.5, 1, 1.5, 2], [0, 0.1, 0.2, 0.4, 0.8]),
        ([number / 10 for number in range(10)], [0, *(0.1 * 2**n for n in range(7)), 10, 10]),
    ],
)
def test_the_more_often_a_file_is_written_the_longer_it_rests(
    times: list[float], rests: list[float]
) -> None:
    file = Watched("/a")
    for now, rest in zip(times, rests, strict=True):
        file.handle("followed", 100 + now)
        assert file.rests_until == pytest.approx(100 + now + rest)
        file.handle("", 100 + now)
