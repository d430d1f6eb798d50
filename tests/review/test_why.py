"""`review/entry.py`: which turn has written a row of a file."""

from pathlib import Path

import pytest

from claude_ide.review import entry as module
from claude_ide.review.entry import Turn
from claude_ide.review.review import Review
from claude_ide.review.snapshot import ChangedFile
from claude_ide.review.store import Store

ONE = Turn("s", "1", "Shout two\nplease", "I shout.")
TWO = Turn("s", "2", "Shout four")


class File:
    """A file that agents write."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder / "a.py")
        self.review = Review(str(folder), Store(str(folder), folder / "state"))
        self.text = "one\ntwo\nthree\nfour\n"

    def write(self, turn: Turn, old: str, new: str) -> None:
        before, self.text = self.text, self.text.replace(old, new)
        found = ChangedFile(self.path, before.encode(), self.text.encode())
        Path(self.path).write_text(self.text)
        self.review.wrote(turn, [found])

    def prompts(self) -> list[str]:
        """Return the prompt that has led to each row, or nothing."""
        count = len(self.text.splitlines())
        found = [self.review.why(self.path, self.text, row) for row in range(count)]
        return [each.prompt if each else "" for each in found]


@pytest.fixture
def file(tmp_path: Path) -> File:
    (tmp_path / "p").mkdir()
    return File(tmp_path / "p")


def test_each_row_has_the_turn_that_wrote_it(file: File) -> None:
    file.write(ONE, "two", "TWO\nmore")
    file.write(TWO, "four", "FOUR")

    assert file.prompts() == ["", "Shout two", "Shout two", "", "Shout four"]


def test_writes_of_one_turn_are_one(file: File) -> None:
    file.write(ONE, "two", "TWO")
    file.write(ONE, "four", "FOUR")

    assert file.prompts() == ["", "Shout two", "", "Shout two"]
    write = file.review.why(file.path, file.text, 1)
    assert write is not None
    assert write.reason == "I shout."


def test_what_the_user_writes_is_theirs_and_moves_the_rest(file: File) -> None:
    file.write(ONE, "two", "TWO")
    file.text = "zero\n" + file.text.replace("three", "mine")

    assert file.prompts() == ["", "", "Shout two", "", ""]


def test_a_kept_line_is_still_known(file: File) -> None:
    file.write(ONE, "two", "TWO")

    file.review.keep(file.path)

    assert file.prompts() == ["", "Shout two", "", ""]


def test_an_accepted_edit_is_known_and_waits_for_nothing(file: File) -> None:
    new = file.text.replace("two", "TWO")
    file.review.accepted(file.path, file.text.encode(), new.encode(), ONE)
    file.text = new

    assert file.prompts() == ["", "Shout two", "", ""]
    assert file.review.files() == []


def test_the_reason_may_come_later(file: File) -> None:
    file.write(TWO, "four", "FOUR")

    file.review.explain(TWO, file.path, "It was quiet.")

    write = file.review.why(file.path, file.text, 3)
    assert write is not None
    assert write.words()[1:] == ["Prompt: Shout four", "Reason: It was quiet."]


def test_the_journal_is_bounded(file: File) -> None:
    for number in range(15):
        new = file.text.splitlines()[0] + "x"
        file.write(Turn("s", str(number), "p" * 999), file.text.splitlines()[0], new)

    entry = file.review._store.state().files["a.py"]
    assert len(entry.writes) == module.MOST_WRITES
    assert {len(write.prompt) for write in entry.writes} == {module.LONGEST_WORDS}


def test_a_file_that_no_agent_wrote_has_no_journal(file: File) -> None:
    assert file.prompts() == [""] * 4
