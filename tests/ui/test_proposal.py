"""`proposal.py`: the text that a file would have after an edit, and its diff."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents.requests import Allow, PermissionAsked, Replacement
from claude_ide.agents.stream_json.permission import decode_request, encode_answer
from claude_ide.ui import proposal
from claude_ide.ui.proposal import Proposal, ProposalBase


def asked(path: Path, tool: str = "Edit", **arguments: Any) -> PermissionAsked:
    given = {"file_path": str(path), **arguments}
    asked = {"subtype": "can_use_tool", "tool_name": tool, "input": given}
    [event] = decode_request({"request_id": "r", "request": asked})
    assert isinstance(event, PermissionAsked)
    return event


def of(asked: PermissionAsked) -> Proposal | None:
    """Return the only proposal of a request."""
    found = proposal.of(asked)
    assert len(found) < 2
    return found[0] if found else None


def sent(edit: Replacement | None, **arguments: Any) -> Any:
    """Return the arguments that the tool receives for an accepted edit."""
    assert edit is not None
    given = {"file_path": edit.path, **arguments}
    return encode_answer({"input": given}, Allow(edits=(edit,)))["updatedInput"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "a.py"
    file.write_bytes(b"one\ntwo\ntwo\n")
    return file


def test_an_edit_replaces_the_first_occurrence(path: Path) -> None:
    proposed = of(asked(path, old_string="two", new_string="2"))

    assert proposed is not None
    assert proposed.text == "one\n2\ntwo\n"


def test_an_edit_can_replace_every_occurrence(path: Path) -> None:
    proposed = of(asked(path, old_string="two", new_string="2", replace_all=True))

    assert proposed is not None
    assert proposed.text == "one\n2\n2\n"


@pytest.mark.parametrize(
    ("old", "every", "content", "text"),
    [
        ("two", False, "one\ntwo\nthree\n", "one\nthree\n"),
        ("two\n", False, "one\ntwo\nthree\n", "one\nthree\n"),
        ("two", False, "one\r\ntwo\r\nthree\r\n", "one\r\nthree\r\n"),
        ("two", False, "one\ntwo", "one\n"),
        ("ne", False, "one\ntwo\n", "otwo\n"),
        ("two", True, "two\nand two\nor two.\n", "and or two.\n"),
    ],
)
def test_a_deletion_takes_the_line_feed_behind_it(
    path: Path, old: str, every: bool, content: str, text: str
) -> None:
    path.write_bytes(content.encode())

    proposed = of(asked(path, old_string=old, new_string="", replace_all=every))

    assert proposed is not None
    assert proposed.text == text


def test_an_edit_that_would_fail_is_not_a_proposal(path: Path) -> None:
    assert of(asked(path, old_string="three", new_string="3")) is None
    assert of(asked(path, old_string="", new_string="3")) is None
    assert of(asked(path, old_string=3, new_string="3")) is None
    assert of(asked(path, new_string="3")) is None


def test_only_an_edit_of_a_file_is_a_proposal(path: Path) -> None:
    assert of(asked(path, tool="Bash", old_string="two", new_string="2")) is None
    assert of(asked(Path("a.py"), old_string="two", new_string="2")) is None
    assert of(asked(path.parent, old_string="two", new_string="2")) is None


def test_an_edit_of_a_binary_file_is_not_a_proposal(path: Path) -> None:
    path.write_bytes(b"\xff\xfe")

    assert of(asked(path, old_string="two", new_string="2")) is None


@pytest.mark.parametrize("path", ["/dev/null", "/tmp/a\0b"])
def test_an_edit_of_an_invalid_path_is_not_a_proposal(path: str) -> None:
    assert of(asked(Path(path), content="hello\n")) is None


def test_an_edit_of_a_very_large_file_is_not_a_proposal(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(15_000_001)

    assert of(asked(path, content="hello\n")) is None


def test_a_path_is_normalized(path: Path) -> None:
    proposed = of(asked(Path(f"{path.parent}/x/../{path.name}"), content="hello\n"))

    assert proposed is not None
    assert proposed.path == str(path)


def test_a_new_file_is_a_proposal(path: Path) -> None:
    new = path.with_name("new.py")

    for arguments in ({"content": "hello\n"}, {"old_string": "", "new_string": "hello\n"}):
        proposed = of(asked(new, **arguments))

        assert proposed is not None
        assert (proposed.text, proposed.original) == ("hello\n", None)


def test_line_endings_are_preserved(path: Path) -> None:
    path.write_bytes(b"one\r\ntwo\r\n")

    proposed = of(asked(path, old_string="one\ntwo", new_string="1\n2"))

    assert proposed is not None
    assert proposed.text == "1\r\n2\r\n"


def test_an_edit_accepted_unchanged_keeps_its_arguments(path: Path) -> None:
    proposed = of(asked(path, old_string="two", new_string="2"))

    assert proposed is not None
    assert proposed.accepted(proposed.text) is None


def test_a_changed_edit_replaces_the_whole_file(path: Path) -> None:
    path.write_bytes(b"one\r\ntwo\r\n")
    proposed = of(asked(path, old_string="two", new_string="2", replace_all=True))

    assert proposed is not None
    given = {"old_string": "two", "new_string": "2", "replace_all": True}
    assert sent(proposed.accepted("ONE\r\n2\r\n"), **given) == {
        "file_path": str(path),
        "old_string": "one\ntwo\n",
        "new_string": "ONE\n2\n",
        "replace_all": False,
    }


def test_a_changed_write_has_the_users_content(path: Path) -> None:
    proposed = of(asked(path, content="new\n"))

    assert proposed is not None
    changed = sent(proposed.accepted("newer\n"), content="new\n")
    assert changed == {"file_path": str(path), "content": "newer\n"}


def test_the_file_is_read_again_before_its_whole_text_is_replaced(path: Path) -> None:
    proposed = of(asked(path, old_string="one", new_string="1"))
    path.write_bytes(b"one\ntwo\nthree\n")

    assert proposed is not None
    changed = proposed.now().accepted("1\nmine\ntwo\nthree\n")
    assert changed is not None
    assert changed.old == "one\ntwo\nthree\n"
    assert changed.new == "1\nmine\ntwo\nthree\n"


def test_the_whole_text_can_be_replaced_by_the_proposed_text(path: Path) -> None:
    proposed = of(asked(path, old_string="one", new_string="1"))

    assert proposed is not None
    changed = proposed.replacing(proposed.text)
    assert (changed.old, changed.new) == ("one\ntwo\ntwo\n", proposed.text)


def test_a_deleted_file_is_created_again(path: Path) -> None:
    proposed = of(asked(path, old_string="one", new_string="1"))
    path.unlink()

    assert proposed is not None
    changed = proposed.now().accepted("1\nmine\n")
    assert changed is not None
    assert (changed.old, changed.new) == ("", "1\nmine\n")


def test_a_file_that_cannot_be_read_again_keeps_its_earlier_content(path: Path) -> None:
    proposed = of(asked(path, old_string="one", new_string="1"))
    path.write_bytes(b"\xff\xfe")

    assert proposed is not None
    assert proposed.now() == proposed


@pytest.mark.parametrize(("text", "expected"), [(b"theirs\n", True), (b"hello\n", False)])
def test_a_proposed_new_file_may_appear_with_another_text(
    path: Path, text: bytes, expected: bool
) -> None:
    new = path.with_name("new.py")
    proposed = of(asked(new, content="hello\n"))
    assert proposed is not None
    assert not proposed.file_appeared

    new.write_bytes(text)

    assert proposed.file_appeared is expected


def test_a_file_that_existed_does_not_appear(path: Path) -> None:
    proposed = of(asked(path, content="hello\n"))
    path.write_bytes(b"theirs\n")

    assert proposed is not None
    assert not proposed.file_appeared


# Files with unsaved text.

SAVED = "one\ntwo\n"
UNSAVED = "one\ntwo\nmine\n"


def proposed(path: Path, text: str, *edits: tuple[str | None, str]) -> Proposal | None:
    """Return the proposal of edits, `old` and `new`, of a file whose buffer has a text."""
    changes = tuple(Replacement(str(path), new, old) for old, new in edits)
    request = PermissionAsked("r", "t", "edit", {}, (), kind="edit", edits=changes)
    return next(iter(proposal.of(request, {str(path): text})), None)


@pytest.mark.parametrize(
    ("old", "new", "text", "base"),
    [
        ("two", "TWO", "one\nTWO\nmine\n", ProposalBase.UNSAVED),
        ("mine", "theirs", "one\ntwo\ntheirs\n", ProposalBase.UNSAVED),
        (UNSAVED, "new\n", "new\n", ProposalBase.UNSAVED),
        (None, "new\n", "new\n", ProposalBase.UNSAVED),
        # The whole text on disk is also a part of the unsaved one.
        (SAVED, "one\nTWO\n", "one\nTWO\n", ProposalBase.BESIDE),
    ],
)
def test_an_edit_is_for_unsaved_text_unless_the_agent_knows_the_text_on_disk(
    path: Path, old: str | None, new: str, text: str, base: ProposalBase
) -> None:
    path.write_text(SAVED)

    found = proposed(path, UNSAVED, (old, new))

    assert found is not None
    assert (found.text, found.base) == (text, base)
    assert found.original == (SAVED if base is ProposalBase.BESIDE else UNSAVED)


def test_an_edit_of_a_line_that_only_the_disk_has_is_for_the_disk(path: Path) -> None:
    path.write_text(SAVED)

    found = proposed(path, "one\nmine\n", ("two", "TWO"))

    assert found is not None
    assert (found.text, found.base) == ("one\nTWO\n", ProposalBase.BESIDE)


def test_an_edit_that_fits_neither_text_is_not_a_proposal(path: Path) -> None:
    path.write_text(SAVED)

    assert proposed(path, UNSAVED, ("three", "3")) is None


def test_all_edits_of_a_file_are_for_the_same_text(path: Path) -> None:
    path.write_text(SAVED)

    found = proposed(path, "one\nmine\n", ("one", "1"), ("two", "2"))

    assert found is not None
    assert (found.text, found.base) == ("1\n2\n", ProposalBase.BESIDE)


def test_a_buffer_with_the_text_on_disk_makes_no_difference(path: Path) -> None:
    path.write_text(SAVED)

    found = proposed(path, SAVED, ("two", "TWO"))

    assert found is not None
    assert found.base is ProposalBase.SAVED


def test_a_file_that_was_never_saved_is_not_new(path: Path) -> None:
    path.unlink()

    found = proposed(path, UNSAVED, (None, "new\n"))

    assert found is not None
    assert (found.original, found.base) == (UNSAVED, ProposalBase.UNSAVED)
    assert not found.file_appeared


def test_a_file_that_only_the_editor_can_decode_is_a_proposal(path: Path) -> None:
    path.write_bytes(b"\xe9\n")

    found = proposed(path, "é\n", ("é", "e"))

    assert found is not None
    assert (found.text, found.base) == ("e\n", ProposalBase.SAVED)


def test_unsaved_text_is_read_again(path: Path) -> None:
    path.write_text(SAVED)
    found = proposed(path, UNSAVED, ("two", "TWO"))

    assert found is not None
    assert found.now({str(path): "later\n"}).original == "later\n"
    assert found.now().original == SAVED


def test_carriage_returns_of_an_agent_are_no_difference(path: Path) -> None:
    path.write_bytes(b"one\r\ntwo\r\n")

    found = proposed(path, "one\r\ntwo\r\n", ("one\r\ntwo\r\n", "one\r\n2\r\n"))

    assert found is not None
    assert found.text == "one\r\n2\r\n"


def test_only_what_replaces_unsaved_text_is_agreed_upon(path: Path) -> None:
    path.write_text(SAVED)
    other = proposed(path, SAVED, ("two", "TWO"))
    found = proposed(path, UNSAVED, ("two", "TWO"))
    assert found is not None
    assert other is not None

    agreed = proposal.over_unsaved([(found, "mine\n"), (other, other.text)])

    assert agreed == (Replacement(str(path), "mine\n", UNSAVED),)
    assert proposal.note([other, found, found]) == ProposalBase.UNSAVED.value


LINES = "".join(f"line {number}\n" for number in range(1, 21))


def unified(original: str | None, text: str) -> tuple[str, ...]:
    return proposal.unified(Proposal("/p/a.py", text, original, Replacement("/p/a.py", text)))


def test_a_change_is_shown_with_two_lines_around_it() -> None:
    assert unified(LINES, LINES.replace("line 5\n", "five\n")) == (
        *("@@ -3,5 +3,5 @@", " line 3", " line 4", "-line 5", "+five", " line 6", " line 7"),
    )


def test_changes_at_several_places_are_separate_hunks() -> None:
    found = unified(LINES, LINES.replace("line 2\n", "").replace("line 19\n", "x\n"))

    assert [line for line in found if line[0] in "+-"] == ["-line 2", "-line 19", "+x"]
    assert [line for line in found if line[0] == "@"] == ["@@ -1,4 +1,3 @@", "@@ -17,4 +16,4 @@"]


def test_a_new_file_has_only_added_lines() -> None:
    assert unified(None, "a\nb\n") == ("+a", "+b")


def test_a_missing_line_break_at_the_end_is_shown() -> None:
    assert unified("a\n", "a") == ("@@ -1 +1 @@", "-a", "+a\n\\ No newline at end of file")


def test_line_endings_are_part_of_a_change() -> None:
    assert unified("a\r\n", "a\n") == ("@@ -1 +1 @@", "-a\r", "+a")


def test_a_change_that_is_too_large_has_no_diff() -> None:
    assert unified("a\n" * 300_000, "b\n") == ()
    assert unified("a\n" * 1500, "b\n" * 1500) == ()


def test_a_small_change_of_a_large_file_has_a_diff() -> None:
    before = "".join(f"{number}\n" for number in range(30_000))

    assert "+x" in unified(before, before.replace("\n15000\n", "\nx\n"))


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_a_diff_has_all_lines_that_change(before: list[str], after: list[str]) -> None:
    found = unified("".join(f"{x}\n" for x in before), "".join(f"{x}\n" for x in after))

    added = [line for line in found if line[0] == "+"]
    removed = [line for line in found if line[0] == "-"]
    assert len(added) - len(removed) == len(after) - len(before)
    assert bool(found) is (before != after)
