"""`review/store.py`: the state outlives its editor, and is one for all editors."""

import errno
import multiprocessing
import os
import time
from pathlib import Path

import pytest

from claude_ide.base import files
from claude_ide.review import store
from claude_ide.review.entry import ReviewEntry
from claude_ide.review.store import Store

ROOT = "/home/user/shop"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder with the states of all folders."""
    return tmp_path / "review"


def entry(review: Store, text: str, *, written: float | None = None) -> ReviewEntry:
    name = review.keep(text.encode())
    seconds = time.time() if written is None else written
    return ReviewEntry(None, name, name, written=int(seconds))


def add(review: Store, path: str, text: str, *, written: float | None = None) -> None:
    with review.change() as state:
        state.files[path] = entry(review, text, written=written)


def test_the_state_is_one_for_all_editors_of_a_folder(home: Path) -> None:
    first, second = Store(ROOT, home), Store(ROOT, home)

    add(first, "a.py", "one\n")
    add(second, "b.py", "two\n")

    assert list(first.state().files) == ["a.py", "b.py"]
    assert second.content(second.state().files["a.py"].now or "") == b"one\n"
    assert Store("/home/user/other", home).state().files == {}


def test_only_the_owner_can_read_anything(home: Path) -> None:
    add(Store(ROOT, home), "a.py", "one\n")

    found = [path for path in [home, *home.rglob("*")] if path.stat().st_mode & 0o077]
    assert found == []


def _add_many(home: Path, name: str) -> None:
    review = Store(ROOT, home)
    for number in range(20):
        add(review, f"{name}{number}", name)


def test_editors_that_write_at_once_lose_nothing(home: Path) -> None:
    context = multiprocessing.get_context("fork")
    editors = [context.Process(target=_add_many, args=(home, name)) for name in "ab"]
    for editor in editors:
        editor.start()
    for editor in editors:
        editor.join()

    assert len(Store(ROOT, home).state().files) == 40


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"files": {"a": 1}}', b"\xff"])
def test_a_broken_state_is_set_aside_and_named(home: Path, content: bytes) -> None:
    review = Store(ROOT, home)
    add(review, "a.py", "one\n")
    review.path.write_bytes(content)

    other = Store(ROOT, home)

    assert other.state().files == {}
    aside = next(review.path.parent.glob("*.broken"))
    assert (aside.read_bytes(), str(aside) in other.problem) == (content, True)
    add(other, "b.py", "two\n")
    assert list(Store(ROOT, home).state().files) == ["b.py"]


def test_a_state_that_cannot_be_read_for_a_while_stays(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(Store(ROOT, home), "a.py", "one\n")
    review = Store(ROOT, home)

    def read(path: Path, most: int) -> bytes:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as broken:
        broken.setattr(files, "read", read)
        assert review.state().files == {}
        with pytest.raises(OSError, match="Too many"):
            add(review, "b.py", "two\n")

    add(review, "b.py", "two\n")
    assert (list(review.state().files), review.problem) == (["a.py", "b.py"], "")


def test_what_is_too_old_is_dropped_and_counted(home: Path) -> None:
    review = Store(ROOT, home)
    add(review, "old.py", "one\n", written=time.time() - store.LONGEST_SECONDS - 10)

    assert (review.state().files, review.state().dropped) == ({}, 1)


def test_the_oldest_files_are_dropped_beyond_the_limit(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = Store(ROOT, home)
    monkeypatch.setattr(store, "MOST_FILES", 2)
    for age, path in enumerate(["new.py", "middle.py", "old.py"]):
        add(review, path, path, written=time.time() - age * 10)

    assert list(review.state().files) == ["new.py", "middle.py"]


def test_texts_beyond_the_limit_drop_the_oldest_files(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = Store(ROOT, home)
    add(review, "old.py", os.urandom(2000).hex(), written=time.time() - 10)
    monkeypatch.setattr(store, "MOST_BYTES", 3000)

    add(review, "new.py", os.urandom(1000).hex())

    assert (list(review.state().files), review.state().dropped) == (["new.py"], 1)


def test_texts_that_nothing_names_go_after_a_while(home: Path) -> None:
    review = Store(ROOT, home)
    add(review, "a.py", "one\n")
    texts = review.path.parent / "texts"
    unnamed = texts / review.keep(b"unnamed")
    os.utime(unnamed, (1, 1))

    add(Store(ROOT, home), "b.py", "two\n")

    assert not unnamed.exists()
    assert review.content("../state.json") is None


def test_what_cannot_be_saved_is_kept_until_it_can(home: Path) -> None:
    home.write_text("no folder")
    review = Store(ROOT, home)
    add(review, "a.py", "one\n")
    add(review, "b.py", "two\n")

    assert review.problem == "the review cannot be saved and ends with this editor: Not a directory"
    assert list(review.state().files) == ["a.py", "b.py"]
    assert review.content(review.state().files["a.py"].now or "") == b"one\n"

    home.unlink()
    # Another editor is the first that can save again.
    add(Store(ROOT, home), "d.py", "four\n")
    assert sorted(review.state().files) == ["a.py", "b.py", "d.py"]
    add(Store(ROOT, home), "e.py", "five\n")
    add(review, "c.py", "three\n")
    later = Store(ROOT, home)
    assert review.problem == ""
    assert sorted(later.state().files) == ["a.py", "b.py", "c.py", "d.py", "e.py"]
    assert later.content(later.state().files["a.py"].now or "") == b"one\n"
