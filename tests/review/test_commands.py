"""`review/commands.py`: files that shell commands change."""

import asyncio
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.review import commands, versions
from claude_ide.review.commands import Commands
from claude_ide.review.versions import Version
from support.neovim import WAIT
from support.pocket import pocket_port


class Files:
    """An editor with open files, and those that the user was the last to write."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(paths=list[str]())
        self.own: list[str] = []
        self.port = pocket_port(self.run)

    async def run(self, function: str, *arguments: Any) -> Any:
        if function == "review.own_writes.among":
            return [path for path in arguments[0] if path in self.own]
        return None


@pytest.fixture
def editor() -> Files:
    return Files()


@pytest.fixture
def watched(editor: Files) -> Commands:
    return Commands(editor)  # type: ignore[arg-type]


async def changed(watched: Commands) -> list[tuple[str, str | None, str | None]]:
    found = await watched.changed()
    return [(Path(each.path).name, each.before.text, each.after.text) for each in found]


async def test_a_command_that_changes_an_open_file_is_noticed(
    editor: Files, watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    editor.state.paths = [str(path)]
    await watched.prompted()

    path.write_text("two\n")

    assert await changed(watched) == [("a.txt", "one\n", "two\n")]


async def test_a_change_before_the_prompt_is_not_the_agents(
    editor: Files, watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    editor.state.paths = [str(path)]
    await watched.prompted()

    path.write_text("two\n")
    await watched.prompted()

    assert await changed(watched) == []


async def test_a_file_that_a_tool_has_read_is_watched_and_its_deletion_is_noticed(
    watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    await watched.used(str(path))

    path.unlink()

    assert await changed(watched) == [("a.txt", "one\n", None)]


async def test_a_file_that_the_user_has_written_is_not_the_agents(
    editor: Files, watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    await watched.used(str(path))

    path.write_text("two\n")
    editor.own = [str(path)]

    assert await changed(watched) == []


async def test_few_files_and_little_text_are_kept(
    monkeypatch: pytest.MonkeyPatch, watched: Commands, tmp_path: Path
) -> None:
    monkeypatch.setattr(commands, "MOST_FILES", 2)
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text("one\n")
        await watched.used(str(path))

    for path in paths:
        path.write_text("two\n")

    assert await changed(watched) == [("b", "one\n", "two\n"), ("c", "one\n", "two\n")]


async def test_a_change_before_a_command_is_not_the_commands(
    watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    await watched.used(str(path))

    path.write_text("two\n")
    await watched.begun()
    path.write_text("three\n")

    assert await changed(watched) == [("a.txt", "two\n", "three\n")]


async def test_tools_that_end_at_the_same_time_are_followed_one_after_the_other(
    watched: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, may_end = list[str](), threading.Event()

    def slow(path: str) -> Version:
        read.append(Path(path).name)
        assert may_end.wait(WAIT)
        return Version("x\n")

    monkeypatch.setattr(versions, "read", slow)
    used = [asyncio.create_task(watched.used(str(tmp_path / name))) for name in ("a", "b")]
    while not read:
        await asyncio.to_thread(lambda: None)
    await asyncio.to_thread(lambda: None)

    assert read == ["a"]
    may_end.set()
    await asyncio.gather(*used)
    assert read == ["a", "b"]
