"""Files that are no small texts, and many or broken ones: nothing is lost, and all is said."""

import re
from pathlib import Path

import msgspec
import pytest

from claude_ide.base.errors import UserError
from claude_ide.editor.port.review import ShownBuffer
from claude_ide.review import display, folder, recorder
from claude_ide.review.display import drawn, for_buffer, of_buffer
from claude_ide.review.entry import Turn
from claude_ide.review.review import Review
from claude_ide.review.snapshot import ChangedFile
from claude_ide.review.store import Store
from claude_ide.review.texts import OverlapError, decoded, encoded

TURN = Turn("s", "1")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


def opened(root: Path) -> Review:
    """Return the review as an editor sees it that has just started."""
    store = Store(str(root), root.parent / "state")
    return Review(str(root), store, lambda path: path.endswith(".env"))


def agent(review: Review, path: Path, before: bytes, after: bytes) -> None:
    path.write_bytes(after)
    review.wrote(TURN, [ChangedFile(str(path), before, after)])


def user(review: Review, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    review.look(str(path))


def reverted(review: Review, path: Path) -> bytes:
    """Return the content that a file has after a revert of all that is shown in it."""
    file = review.file(str(path))
    assert file is not None and file.hunks
    texts = review.revert(file, None)
    assert texts is not None and texts.now is not None
    user(review, path, encoded(texts.now))
    assert review.files() == []
    return path.read_bytes()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"one\r\ntwo\r\n", b"one\r\nTWO\r\nthree\r\n", id="CRLF"),
        pytest.param(b"one\r\ntwo\n", b"one\nTWO\n", id="mixed line ends"),
        pytest.param(b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfONE\ntwo\n", id="a BOM"),
        pytest.param(b"\xef\xbb\xbfone\n", b"one\n", id="a BOM that is removed"),
        pytest.param(b"one\ntwo", b"one\nTWO", id="no final newline"),
        pytest.param(b"one\ntwo", b"one\ntwo\nthree\n", id="a final newline that is added"),
        pytest.param(b"one\ntwo\n", b"one\n", id="the end is removed"),
        pytest.param(b"one\n", b"", id="everything is removed"),
        pytest.param(b"\n\n", b"x\n\n\n", id="blank lines"),
        pytest.param(b"\xe9 = 1\nx\n", b"\xe9 = 2\nx\n", id="latin-1"),
        pytest.param(b"\xe9 \xc3\xa9\nx\n", b"y\nx\n", id="latin-1 only before"),
        pytest.param(b"x\ny\n", b"x\n\xe9\n", id="latin-1 only now"),
        pytest.param("日 = 1\n".encode("sjis"), "日 = 2\n".encode("sjis"), id="Shift-JIS"),
    ],
)
def test_a_revert_restores_each_byte(root: Path, before: bytes, after: bytes) -> None:
    review, path = opened(root), root / "a.py"
    agent(review, path, before, after)

    assert reverted(review, path) == before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("é = 1\n".encode("latin-1"), "é = 1\n".encode(), id="to UTF-8"),
        pytest.param(b"\x1f\x8b\0", b"\x1f\x8b\1", id="compressed"),
        pytest.param(b"\x1f\x8b", b"\x1f\x8c", id="control characters"),
        pytest.param("one\n".encode("utf-16"), "two\n".encode("utf-16"), id="UTF-16"),
    ],
)
def test_what_is_no_text_of_one_encoding_is_kept_and_reverted_as_a_whole(
    root: Path, before: bytes, after: bytes
) -> None:
    review, path = opened(root), root / "a.py"
    agent(review, path, before, after)

    [file] = review.files()
    assert (file.status, file.is_whole, file.hunks) == ("binary", True, [])
    assert review.content_of(file.entry.base) == before
    review.keep(str(path))
    assert review.files() == []
    review.undo()
    assert review.content_of(review.files()[0].entry.base) == before


def test_lines_in_another_encoding_are_told_as_the_user_reads_them(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    agent(review, path, b"\xe9 = 1\ntwo\n", b"\xe9 = 2\nTWO\n")
    [file] = review.files()
    [(_, item)] = display.items(str(root), file)
    assert item.diff == ["-é = 1", "-two", "+é = 2", "+TWO"]
    assert file.texts is not None
    [hunk] = drawn(file.texts, "latin1")
    assert (hunk.removed, hunk.new_spans[0]) == (["é = 1", "two"], (0, [(5, 6)]))
    msgspec.json.encode(folder.value(str(root), [file], [], []))

    review.remark(str(path), (0, 1), "é = 2\nTWO\n", "why?")
    review.sent(review.remarks())
    assert reverted(review, path) == b"\xe9 = 1\ntwo\n"
    assert [(each.old, each.new) for each in review.told("s")] == [("é = 1\ntwo\n", "é = 2\nTWO\n")]
    agent(review, path, b"\xe9 = 1\ntwo\n", b"\xe9 = 3\ntwo\n")
    assert [each.state for each in review.remarks()] == ["answered"]


@pytest.mark.parametrize("encoding", ["latin1", "cp1252", "sjis", "utf-8"])
def test_a_text_goes_into_a_buffer_and_back_without_loss(encoding: str) -> None:
    content = "ｱ = 1\n".encode("sjis") if encoding == "sjis" else b"\xe9\x81 = 1\n"
    text = decoded(content)
    assert text is not None

    given = for_buffer(text, encoding)
    buffer = ShownBuffer(1, "a.py", 1, given.text, given.encoding or encoding)
    assert of_buffer(buffer) == text
    assert encoded(text) == content


def test_a_text_that_the_encoding_of_its_buffer_lacks_is_refused() -> None:
    with pytest.raises(UserError, match=r"its encoding \(latin1\) lacks some of its characters"):
        of_buffer(ShownBuffer(1, "a.py", 1, "€\n", "latin1"))
    with pytest.raises(UserError, match=r"its encoding \(ucs-2\) is not known here"):
        of_buffer(ShownBuffer(1, "a.py", 1, "€\n", "ucs-2"))


def test_files_that_cannot_be_read_wait_until_they_are_decided(root: Path) -> None:
    review = opened(root)
    for name in (".env", "large"):
        (root / name).write_text("x\n")
    (root / "large").write_bytes(b"x" * 3_000_000)
    (root / "a.py").write_text("one\n")
    review.wrote(
        TURN,
        [
            ChangedFile(str(root / ".env"), None, None, obstacle="private"),
            ChangedFile(str(root / "large"), None, None, obstacle="too large"),
            ChangedFile(str(root / "a.py"), b"zero\n", b"one\n"),
        ],
    )
    (root / "a.py").unlink()
    (root / "a.py").mkdir()

    review.look_at_all()

    assert [file.path for file in review.files()] == [".env", "large", "a.py"]
    for name in (".env", "large", "a.py"):
        review.keep(str(root / name))
    assert review.files() == []
    assert [kept and kept.path for kept in (review.undo(), review.undo())] == ["a.py", "large"]
    assert [file.path for file in review.files()] == ["large", "a.py"]


def test_a_link_is_kept_itself_and_never_what_it_leads_to(root: Path) -> None:
    review, outside = opened(root), root.parent / "outside"
    outside.write_text("mine\n")
    target, link = root / "a.py", root / "link"
    target.write_text("mine\n")
    link.symlink_to(outside)
    review.wrote(TURN, [ChangedFile(str(link), None, None, obstacle="a link")])

    review.look_at_all()
    assert [(file.path, file.texts) for file in review.files()] == [("link", None)]
    with pytest.raises(UserError, match="a link on its path"):
        folder.write(str(link), b"lost\n")
    with pytest.raises(UserError, match="a link on its path"):
        folder.set_mode(str(link), 0o777)
    with pytest.raises(UserError, match="a link on its path"):
        folder.delete(str(link))
    assert review.file(str(target)) is None
    review.keep(str(link))
    assert review.files() == []
    assert outside.read_text() == target.read_text() == "mine\n"


def test_what_is_behind_a_link_that_an_agent_has_put_in_place_of_a_file_is_not_written(
    root: Path,
) -> None:
    review, path, other = opened(root), root / "a.py", root / "other"
    other.write_text("mine\n")
    agent(review, path, b"one\n", b"two\n")
    path.unlink()
    path.symlink_to(other)

    review.look_at_all()
    [file] = review.files()
    assert (file.path, len(file.hunks)) == ("a.py", 1)
    with pytest.raises(UserError, match="a link on its path"):
        folder.write(str(path), b"one\n")
    assert other.read_text() == "mine\n"


def test_a_mode_alone_is_kept_and_reverted(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    path.write_text("one\n")
    path.chmod(0o755)
    changed = ChangedFile(str(path), b"one\n", b"one\n", mode=(0o644, 0o755))
    review.wrote(TURN, [changed])

    [file] = review.files()
    assert (file.status, file.is_whole, file.hunks) == ("modified", True, [])
    [(rows, item)] = display.items(str(root), file)
    assert (rows, item.label) == (None, "+0 \N{MINUS SIGN}0  mode 644 → 755")
    review.keep(str(path))
    assert review.files() == []
    review.undo()
    [file] = review.files()
    assert file.entry.mode == (0o644, 0o755)
    folder.set_mode(str(path), file.entry.mode[0])
    review.reverted_whole(str(path), is_mode=True)
    assert review.files() == []
    assert [(each.old, each.new) for each in review.told("s")] == [("mode 644\n", "mode 755\n")]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_file_that_is_a_folder_now_is_not_written(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    agent(review, path, b"one\n", b"two\n")
    path.unlink()
    path.mkdir()
    (path / "inner").write_text("mine\n")

    review.look_at_all()
    assert [file.path for file in review.files()] == ["a.py"]
    with pytest.raises(UserError, match=re.escape(str(path))):
        folder.write(str(path), b"one\n")
    with pytest.raises(UserError, match=re.escape(str(path))):
        folder.delete(str(path))
    assert (path / "inner").read_text() == "mine\n"
    review.keep(str(path))
    assert review.files() == []


def test_a_hunk_that_no_longer_applies_is_not_reverted_unasked(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    agent(review, path, b"one\ntwo\nthree\n", b"one\nTWO\nthree\n")
    user(review, path, b"one\nmine TWO\nthree\n")

    file = review.file(str(path))
    assert file is not None
    with pytest.raises(OverlapError):
        review.revert(file, None)
    texts = review.revert(file, None, is_forced=True)
    assert texts is not None and texts.now == "one\ntwo\nthree\n"
    assert path.read_text() == "one\nmine TWO\nthree\n"


def test_what_is_not_known_is_said_in_a_few_lines_until_everything_is_decided(root: Path) -> None:
    review = opened(root)
    for number in [*range(9), 8]:
        review.know_not(f"line {number}")

    assert opened(root).unknown() == [f"line {number}" for number in range(4, 9)]
    review.decided()
    assert opened(root).unknown() == []


def test_a_private_file_is_never_stored(root: Path) -> None:
    review, path = opened(root), root / ".env"
    agent(review, path, b"SECRET=1\n", b"SECRET=2\n")

    [file] = review.files()
    assert (file.texts, file.entry.obstacle) == (None, "private")
    assert [*(root.parent / "state").rglob("texts/*")] == []


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("echo x > {tmp}/outside", "{tmp}/outside"),
        ("cd {tmp} && touch outside", "{tmp}"),
        ("sed -i s/a/b/ ../outside", "{tmp}/outside"),
        ("touch {tmp}/project/a {tmp}/project/../project/b ./c d/../e", ""),
        ("cat {tmp}/outside 2>/dev/null; ls {tmp} | wc -l", ""),
        ("cat a > {tmp}/outside", "{tmp}/outside"),
        ("make test 2>&1 | tail -5", ""),
        ("ls /nowhere/at/all > /dev/null", ""),
        ("awk '/x/ {{print}}' a", ""),
    ],
)
def test_a_command_that_may_write_outside_of_the_folder(
    root: Path, command: str, path: str
) -> None:
    words = command.format(tmp=root.parent)
    found = recorder.outside(words, str(root), str(root))

    assert found == path.format(tmp=root.parent)


def test_a_broken_state_is_said(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    agent(review, path, b"one\n", b"two\n")
    review.path.write_bytes(b"{")

    other = opened(root)

    assert other.files() == []
    [line] = other.unknown()
    assert "it is broken" in line and ".broken" in line


def test_five_thousand_hunks(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    before = [f"line {row}\n" for row in range(20_000)]
    after = [line.upper() if row % 4 == 2 else line for row, line in enumerate(before)]
    agent(review, path, "".join(before).encode(), "".join(after).encode())

    review.keep(str(path), (2, 3))
    user(review, path, "".join(f"  {line}" for line in after).encode())

    file = review.file(str(path))
    assert file is not None and len(file.hunks) == 4_999
    texts = review.revert(file, None, is_forced=True)
    assert texts is not None and texts.now is not None
    user(review, path, texts.now.encode())
    assert review.files() == []
    assert path.read_text().startswith("  line 0\n  line 1\n  LINE 2\n")


def test_three_hundred_files(root: Path) -> None:
    review = opened(root)
    for number in range(300):
        agent(review, root / f"{number}.py", b"one\n", b"two\n")

    assert len(opened(root).files()) == 300
    for number in range(300):
        review.keep(str(root / f"{number}.py"))
    assert review.files() == []


def test_an_undo_after_a_restart_brings_hunks_back(root: Path) -> None:
    path = root / "a.py"
    agent(opened(root), path, b"one\ntwo\nthree\n", b"one\nTWO\nthree\n")
    reverted(opened(root), path)

    user(opened(root), path, b"mine\none\nTWO\nthree\n")

    [file] = opened(root).files()
    assert [(hunk.start, hunk.stop) for hunk in file.hunks] == [(2, 3)]


def test_what_the_agent_writes_after_a_keep_still_waits_when_that_is_undone(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    agent(review, path, b"one\ntwo\nthree\n", b"ONE\ntwo\nthree\n")
    review.keep(str(path))
    agent(review, path, b"ONE\ntwo\nthree\n", b"ONE\ntwo\nTHREE\n")

    review.undo()

    assert [hunk.start for hunk in review.files()[0].hunks] == [0, 2]


def test_what_a_checkout_writes_is_nobodys(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    agent(review, path, b"one\ntwo\n", b"one\nTWO\n")
    path.write_bytes(b"one\nother\n")

    assert review.committed("abc", {"a.py": b"one\nother\n"}, is_kept=False) == []

    assert review.files() == []
    assert review.told("s") == []


def test_lines_of_the_user_in_a_new_file_are_known_after_it_was_moved(root: Path) -> None:
    review, path = opened(root), root / "a.py"
    path.write_bytes(b"one\n")
    review.wrote(TURN, [ChangedFile(str(path), None, b"one\n")])
    user(review, path, b"one\nmine\n")
    path.rename(root / "b.py")
    moved = [
        ChangedFile(str(path), b"one\nmine\n", None),
        ChangedFile(str(root / "b.py"), None, b"one\nmine\n"),
    ]
    review.wrote(TURN, moved)

    [file] = review.files()
    assert (file.path, file.status, file.is_mixed) == ("b.py", "created", True)
