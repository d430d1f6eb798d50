"""`base/text_diff.py`: two changes of a text are merged, unless they are to the same lines."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.base.text_diff import merge, merge_lines
from support.merges import BASE, CONFLICTS, SEPARATE


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [*SEPARATE, *((ours, theirs, None) for ours, theirs, _ in CONFLICTS)],
)
def test_changes_to_different_lines_are_merged(
    ours: str, theirs: str, expected: str | None
) -> None:
    merged = merge(*("\n".join(lines) for lines in (BASE, ours.split(" "), theirs.split(" "))))

    assert (None if merged is None else " ".join(merged.split("\n"))) == expected


@pytest.mark.parametrize("end", ["\n", "", "\r\n"])
def test_texts_are_merged_character_for_character(end: str) -> None:
    base = f"one\0\r\ntwo\nthree{end}"

    merged = merge(base, base.replace("two", "TWO"), base.replace("one", "ONE"))

    assert merged == f"ONE\0\r\nTWO\nthree{end}"


def texts(*own: str) -> st.SearchStrategy[str]:
    lines = st.lists(st.sampled_from(["", "a", "\xe4", *own]), min_size=1, max_size=7)
    return lines.map("\n".join)


@given(texts(), texts("mine"), texts("theirs"))
def test_no_line_of_either_side_is_lost(base: str, ours: str, theirs: str) -> None:
    merged = merge(base, ours, theirs)

    kept = Counter([] if merged is None else merged.split("\n"))
    for line, side in (("mine", ours), ("theirs", theirs)):
        assert merged is None or kept[line] == side.split("\n").count(line)
    assert merge(base, base, theirs) == theirs
    assert merge(base, ours, base) == ours
    assert merge(base, ours, ours) == ours


def test_large_texts_are_merged_by_their_common_lines() -> None:
    lines = [f"line {row}" for row in range(20_000)]

    ours, theirs = ["mine", *lines], [*lines, "theirs"]

    texts = ("\n".join(text) for text in (lines, ours, theirs))
    assert merge(*texts) == "\n".join(["mine", *lines, "theirs"])


def test_theirs_win_only_where_both_change_the_same_lines() -> None:
    base, ours, theirs = [*"abcdef"], [*"AbcdeF"], [*"xbcDef"]
    assert merge_lines(base, ours, theirs) is None
    assert merge_lines(base, ours, theirs, theirs_win=True) == [*"xbcDeF"]
    # A line that is inserted amid those that they have removed.
    assert merge_lines([*"abc"], [*"abXc"], [*"a"], theirs_win=True) == [*"a"]
