"""A proposed change as a unified diff."""

from hypothesis import given
from hypothesis import strategies as st

from claude_ide.agents.requests import Replacement
from claude_ide.chat.requests import proposal
from claude_ide.chat.requests.proposal import Proposal

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
