"""`review/commands.py`: files that shell commands change."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from claude_ide.review import commands
from claude_ide.review.commands import Commands
from claude_ide.review.journal import Journal


class Files:
    """An editor with open files, and those that the user was the last to write."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(paths=list[str]())
        self.own: list[str] = []

    async def run(self, function: str, *arguments: Any) -> Any:
        if function == "review.own_writes.among":
            return [path for path in arguments[0] if path in self.own]
        return None


@pytest.fixture
def editor() -> Files:
    return Files()


@pytest.fixture
def journal() -> Journal:
    return Journal()


@pytest.fixture
def watched(editor: Files, journal: Journal) -> Commands:
    return Commands(editor, journal)  # type: ignore[arg-type]


async def changed(journal: Journal) -> list[tuple[str, str | None]]:
    return [(Path(each.path).name, each.before.text) for each in await journal.changes()]


async def test_a_command_that_changes_an_open_file_is_noticed(
    editor: Files, journal: Journal, watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    editor.state.paths = [str(path)]
    await watched.prompted()

    path.write_text("two\n")
    await watched.after("")

    assert await changed(journal) == [("a.txt", "one\n")]


async def test_a_change_before_the_prompt_is_not_the_agents(
    editor: Files, journal: Journal, watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    editor.state.paths = [str(path)]
    await watched.prompted()

    path.write_text("two\n")
    await watched.prompted()
    await watched.after("")

    assert await changed(journal) == []


async def test_a_file_that_a_tool_has_read_is_watched_and_its_deletion_is_noticed(
    journal: Journal, watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    await watched.after(str(path))

    path.unlink()
    await watched.after("")

    assert await changed(journal) == [("a.txt", "one\n")]


async def test_a_file_that_the_user_has_written_is_not_the_agents(
    editor: Files, journal: Journal, watched: Commands, tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    await watched.after(str(path))

    path.write_text("two\n")
    editor.own = [str(path)]
    await watched.after("")

    assert await changed(journal) == []


async def test_few_files_and_little_text_are_kept(
    monkeypatch: pytest.MonkeyPatch, journal: Journal, watched: Commands, tmp_path: Path
) -> None:
    monkeypatch.setattr(commands, "MOST_FILES", 2)
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text("one\n")
        await watched.after(str(path))

    for path in paths:
        path.write_text("two\n")
    await watched.after("")

    assert await changed(journal) == [("b", "one\n"), ("c", "one\n")]
