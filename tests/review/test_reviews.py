"""`review/reviews.py`: what Neovim shows, and the news for the model."""

from pathlib import Path
from typing import Any

import pytest

from claude_ide.errors import UserError
from claude_ide.review import reviews
from claude_ide.review.journal import Journal
from claude_ide.review.reviews import LONGEST_NOTE, News, Reviews
from support.pocket import pocket_port


class Calls:
    """An editor that records calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.news: dict[str, Any] = {"reverted": [], "restored": []}
        self.port = pocket_port(self.run)

    async def run(self, function: str, *arguments: Any) -> Any:
        self.calls.append((function, *arguments))
        return {"review.count": [2, 1], "review.record.news": self.news}.get(function)


@pytest.fixture
def editor() -> Calls:
    return Calls()


@pytest.fixture
async def journal(tmp_path: Path) -> Journal:
    """A journal whose turn has changed `a.txt` and `sub/b.txt`."""
    journal = Journal()
    journal.begin("1")
    (tmp_path / "sub").mkdir()
    for name in ("a.txt", "sub/b.txt"):
        path = tmp_path / name
        path.write_text("one\ntwo\nthree\n")
        await journal.before_write(str(path))
        path.write_text("one\nTWO\nmore\nthree\n")
    await journal.settle("1")
    return journal


@pytest.fixture
def shown(editor: Calls, journal: Journal, tmp_path: Path) -> Reviews:
    return Reviews(editor, journal, "chat 1", "Otter", str(tmp_path))  # type: ignore[arg-type]


async def test_only_the_lines_that_differ_are_sent_to_be_counted(
    editor: Calls, shown: Reviews
) -> None:
    assert await shown.count("1") == (2, 2, 1)

    assert editor.calls == [
        ("review.name_files", "chat 1", ["a.txt", "sub/b.txt"]),
        ("review.count", ["two\n", "TWO\nmore\n"] * 2),
    ]


async def test_large_changes_are_counted_without_a_comparison(
    monkeypatch: pytest.MonkeyPatch, editor: Calls, shown: Reviews
) -> None:
    monkeypatch.setattr(reviews, "MOST_COUNTED", 3)

    assert await shown.count("1") == (2, 2 + 4, 1 + 2)
    assert editor.calls[-1] == ("review.count", [])


async def test_a_turn_without_changes_has_no_numbers(shown: Reviews) -> None:
    assert await shown.count("2") is None


@pytest.mark.parametrize(
    ("only", "names"),
    [
        ((), ["a.txt", "sub/b.txt"]),
        (("a.txt",), ["a.txt"]),
        (("sub",), ["sub/b.txt"]),
        (("./sub/",), ["sub/b.txt"]),
    ],
)
async def test_files_and_folders_restrict_a_review(
    editor: Calls, shown: Reviews, only: tuple[str, ...], names: list[str]
) -> None:
    await shown.show("1", "changes", only)

    [(_, request)] = editor.calls
    assert [file["name"] for file in request["files"]] == names


@pytest.mark.parametrize(
    ("turn", "only", "reason"),
    [
        ("1", ["b"], r"no change in b \(:ClaudeChanges! lists all turns\)"),
        (None, ["b", "c"], "no change in b c$"),
        ("2", [], "this turn has changed no file"),
    ],
)
async def test_a_review_without_changes_says_why(
    shown: Reviews, turn: str | None, only: list[str], reason: str
) -> None:
    with pytest.raises(UserError, match=reason):
        await shown.show(turn, "changes", only)


async def test_neovim_is_asked_for_news_only_after_a_review(editor: Calls, shown: Reviews) -> None:
    assert await shown.news() == News()
    assert editor.calls == []

    await shown.show("1", "changes")
    editor.news["reverted"] = [{"name": "a.txt", "what": "\n@@ -2 +2 @@\n-TWO\n+two"}]
    news = await shown.news()

    assert news.note.endswith("asks:\n\na.txt: \n@@ -2 +2 @@\n-TWO\n+two")
    assert news.summary == "reverted 1 change in a.txt"
    assert editor.calls[-1] == ("review.record.mark_reported", "chat 1")


def test_news_are_summed_up_for_the_user() -> None:
    news = News((("a", ""), ("b", "")), (("c", ""), ("c", "")))

    assert news.summary == "reverted 2 changes in 2 files, restored 2 changes in c"


def test_a_note_is_bounded() -> None:
    note = News((("a", "x" * LONGEST_NOTE),)).note

    assert len(note) < LONGEST_NOTE + 10
    assert note.endswith("[…]")
