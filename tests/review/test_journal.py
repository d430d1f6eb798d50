"""`review/journal.py`: the files before and after each turn."""

import asyncio
import threading
from pathlib import Path

import pytest

from claude_ide.review import versions
from claude_ide.review.journal import FileChange, Journal
from claude_ide.review.versions import MISSING, Version
from support.neovim import WAIT


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of one line."""
    file = tmp_path / "a.txt"
    file.write_text("one\n")
    return file


@pytest.fixture
def journal() -> Journal:
    """A journal in its first turn."""
    journal = Journal()
    journal.begin("1")
    return journal


async def write(journal: Journal, path: Path, text: str) -> None:
    await journal.before_write(str(path))
    path.write_text(text)


async def texts(journal: Journal, turn: str | None = None) -> list[tuple[str | None, str | None]]:
    return [(each.before.text, each.after.text) for each in await journal.changes(turn)]


async def test_a_turn_has_the_text_before_its_first_write_and_after_its_last(
    journal: Journal, path: Path
) -> None:
    await write(journal, path, "two\n")
    await write(journal, path, "three\n")
    await journal.settle("1")
    path.write_text("the user's\n")

    assert await journal.changes("1") == [
        FileChange(str(path), Version("one\n"), Version("three\n"))
    ]


async def test_a_running_turn_is_compared_with_the_present_text(
    journal: Journal, path: Path
) -> None:
    await write(journal, path, "two\n")

    assert await texts(journal, "1") == [("one\n", "two\n")]


async def test_a_write_that_was_undone_is_no_change(journal: Journal, path: Path) -> None:
    await write(journal, path, "two\n")
    await write(journal, path, "one\n")

    assert await journal.changes("1") == []
    assert await journal.latest() is None


async def test_new_and_deleted_files_are_changes(journal: Journal, path: Path) -> None:
    new = path.with_name("new.txt")
    await write(journal, new, "new\n")
    await journal.before_write(str(path))
    path.unlink()

    assert await journal.changes("1") == [
        FileChange(str(new), MISSING, Version("new\n")),
        FileChange(str(path), Version("one\n"), MISSING),
    ]


async def test_all_turns_together_compare_the_first_text_with_the_last(
    journal: Journal, path: Path
) -> None:
    await write(journal, path, "two\n")
    await journal.settle("1")
    journal.begin("2")
    await write(journal, path, "three\n")
    await journal.settle("2")

    assert await texts(journal, "1") == [("one\n", "two\n")]
    assert await texts(journal, "2") == [("two\n", "three\n")]
    assert await texts(journal) == [("one\n", "three\n")]
    assert await journal.latest() == "2"


async def test_changes_at_the_end_of_a_turn_have_the_texts_at_its_end(path: Path) -> None:
    is_over, is_read, may_read = (threading.Event() for _ in range(3))

    def read(name: str) -> Version:
        if is_over.is_set():
            is_read.set()
            assert may_read.wait(WAIT)
        return versions.read(name)

    journal = Journal(read)
    journal.begin("1")
    await write(journal, path, "two\n")
    journal.reported(str(path), "one\n", "two\n")
    path.write_text("by a command\n")
    is_over.set()
    settling = asyncio.create_task(journal.settle("1"))
    assert await asyncio.to_thread(is_read.wait, WAIT)

    asked = asyncio.create_task(texts(journal, "1"))
    await asyncio.sleep(0)
    may_read.set()

    assert await asked == [("one\n", "by a command\n")]
    await settling


async def test_a_link_and_its_file_are_one_file(journal: Journal, path: Path) -> None:
    link = path.with_name("link.txt")
    link.symlink_to(path)
    await write(journal, link, "two\n")
    await write(journal, path, "three\n")

    assert [each.path for each in await journal.changes("1")] == [str(path)]


async def test_the_oldest_turns_are_dropped_to_save_memory(path: Path) -> None:
    journal = Journal(most=10)
    for turn in ("1", "2"):
        journal.begin(turn)
        await write(journal, path, f"text {turn}\n")
        await journal.settle(turn)

    assert journal.is_forgotten("1")
    assert journal.is_forgotten()
    assert await texts(journal, "2") == [("text 1\n", "text 2\n")]


async def test_a_text_that_two_turns_share_is_kept_once(path: Path) -> None:
    journal = Journal(most=3 * len("text 0\n"))
    path.write_text("text 0\n")
    for turn in ("1", "2"):
        journal.begin(turn)
        await write(journal, path, f"text {turn}\n")
        await journal.settle(turn)

    assert not journal.is_forgotten()


async def test_an_earlier_session_has_the_reported_texts(journal: Journal, path: Path) -> None:
    journal.begin_earlier("0")
    journal.reported(str(path), "old\n", "middle\n")
    journal.reported(str(path), "middle\n", "new\n")
    journal.reported("/new.txt", None, "x\n")
    journal.end_earlier()

    assert await texts(journal, "0") == [("old\n", "new\n"), (None, "x\n")]
    assert journal.is_earlier("0")


async def test_the_text_on_disk_is_preferred_to_a_reported_one(
    journal: Journal, path: Path
) -> None:
    path.write_bytes(b"one\r\n")
    await journal.before_write(str(path))
    path.write_bytes(b"two\r\n")
    journal.reported(str(path), "one\n", "two\n")
    await journal.settle("1")

    assert await texts(journal, "1") == [("one\r\n", "two\r\n")]


@pytest.mark.parametrize(
    ("content", "obstacle"),
    [
        (b"caf\xe9\n", versions.BINARY),
        (b"a\0b", versions.BINARY),
        (b"x" * (versions.LARGEST + 1), versions.TOO_LARGE),
    ],
)
async def test_files_without_a_known_text_are_compared_nevertheless(
    journal: Journal, path: Path, content: bytes, obstacle: str
) -> None:
    path.write_bytes(content)
    await journal.before_write(str(path))
    assert await journal.changes("1") == []

    path.write_bytes(content + b"\xe9")

    [change] = await journal.changes("1")
    assert change.before.obstacle == change.after.obstacle == obstacle
    assert change.before.exists


async def test_a_write_after_the_end_of_a_turn_belongs_to_it(journal: Journal, path: Path) -> None:
    await write(journal, path, "two\n")
    await journal.settle("1")
    assert not journal.is_running("1")

    await write(journal, path, "three\n")
    journal.written(str(path), Version("two\n"))

    assert journal.is_running("1")
    assert await texts(journal, "1") == [("one\n", "three\n")]


async def test_unsaved_text_that_a_write_has_replaced_is_the_text_before(
    journal: Journal, path: Path
) -> None:
    await write(journal, path, "three\n")
    journal.replaced(str(path), "one\n", "one\nmine\n")

    assert await texts(journal, "1") == [("one\nmine\n", "three\n")]


async def test_unsaved_text_after_another_write_is_not_the_text_before(
    journal: Journal, path: Path
) -> None:
    await write(journal, path, "two\n")
    await write(journal, path, "three\n")
    journal.replaced(str(path), "two\n", "two\nmine\n")

    assert await texts(journal, "1") == [("one\n", "three\n")]


async def test_a_new_file_with_unsaved_text_is_not_created_by_the_agent(
    journal: Journal, path: Path
) -> None:
    path.unlink()
    await write(journal, path, "three\n")
    journal.replaced(str(path), None, "mine\n")

    assert await texts(journal, "1") == [("mine\n", "three\n")]
