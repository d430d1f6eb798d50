"""Text that the user has to judge: invisible characters have names, rows fit the window."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claude_ide.chat.page.text import TAB, fits, pieces, visible, widths


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("ls -l ü 字 👩 ש", "ls -l ü 字 👩 ש"),
        ("a\tb", "a\tb"),
        ("\r\x1b\x00\x7f", "^M^[^@^?"),
        ("\x85\x9b", "<0085><009b>"),
        ("\u200b\u200d\u202e\u2028\ufeff\u00a0", "<200b><200d><202e><2028><feff><00a0>"),
        ("\U000e0041\ue000\ud800", "<e0041><e000><d800>"),
        ("\u3164\u2800\u034f\ufe0f", "<3164><2800><034f><fe0f>"),
        ("e\u0301x", "e\u0301x"),
        ("e\u0301\u0302\u0303\u0304x\u0301", "e\u0301\u0302<0303><0304>x\u0301"),
        (" \u0301-\u0301\u0301", " <0301>-<0301><0301>"),
    ],
)
def test_invisible_characters_are_named(line: str, shown: str) -> None:
    assert visible(line) == shown


def test_a_visible_line_is_unchanged() -> None:
    shown = visible("".join(map(chr, range(0x3000))))

    assert visible(shown) == shown


def columns(row: str) -> int:
    return sum(
        TAB if character == "\t" else wide for character, wide in zip(row, widths(row), strict=True)
    )


@given(st.text(), st.integers(8, 60))
def test_rows_contain_the_whole_text_and_fit_the_window(text: str, width: int) -> None:
    found = pieces(text, width)

    assert all(columns(row) <= width for row, _ in found)
    lines = "".join(f"\n{row}" if begins else row for row, begins in found)
    assert lines[1:] == "\n".join(map(visible, text.removesuffix("\n").split("\n")))


def test_a_window_without_width_has_rows_too() -> None:
    assert pieces("abcdef", -3) == [("abcd", True), ("ef", False)]


def test_a_tab_has_its_largest_width() -> None:
    assert pieces("a\tb", TAB + 2) == [("a\tb", True)]
    assert pieces("a\tb", TAB + 1) == [("a\t", True), ("b", False)]


def test_what_is_one_character_on_the_screen_is_not_cut() -> None:
    flag = "\U0001f1e9\U0001f1ea"
    assert pieces(f"abc{flag}", 4) == [("abc", True), (flag, False)]
    assert pieces(f"ab{flag}d", 4) == [(f"ab{flag}", True), ("d", False)]


@pytest.mark.parametrize("text", ["a\nb", "a\tb", " a", "a ", "abcdef", "字字字"])
def test_a_text_that_could_be_overlooked_does_not_fit(text: str) -> None:
    assert not fits(text, 5)
    assert fits("a b", 5)
